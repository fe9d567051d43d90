#include <math.h>
#include <stdint.h>

struct vec {
    float x, y, z;
};

struct ball {
    struct vec centre;
    float radius;
};

struct meeting {
    float t;
    struct vec place, normal;
};

static const float FAR = 1e17f;

static struct vec plus(struct vec a, struct vec b) { return (struct vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
static struct vec minus(struct vec a, struct vec b) { return (struct vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static struct vec times(struct vec a, float k) { return (struct vec){a.x * k, a.y * k, a.z * k}; }
static float dot(struct vec a, struct vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static struct vec unit(struct vec a) { return times(a, 1 / sqrtf(dot(a, a))); }
static struct vec cross(struct vec a, struct vec b) { return (struct vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

static struct meeting first_meeting(struct vec origin, struct vec direction, const struct ball *balls) {
    struct meeting first = {FAR, {0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < 3; k++) {
        struct vec from = minus(origin, balls[k].centre);
        float b = dot(from, direction), root = b * b - (dot(from, from) - balls[k].radius * balls[k].radius);
        if (root > 0) {
            float t = -b - sqrtf(root);
            if (t > 0 && t < first.t) {
                struct vec place = plus(origin, times(direction, t));
                first = (struct meeting){t, place, unit(minus(place, balls[k].centre))};
            }
        }
    }
    if (fabsf(direction.y) > 1e-17f) {
        float t = (-0.5f - origin.y) / direction.y;
        if (t > 0 && t < first.t) first = (struct meeting){t, plus(origin, times(direction, t)), {0, 1, 0}};
    }
    return first;
}

static float random_number(uint32_t *state) {
    *state = *state * 1664525 + 1013904223;
    return (float)(*state >> 8) * (1.0f / 16777216);
}

static float open_sky(struct meeting meeting, const struct ball *balls, int rays, uint32_t state) {
    struct vec normal = meeting.normal, other = {1, 0, 0};
    if (fabsf(normal.x) >= 0.6f) other = fabsf(normal.y) < 0.6f ? (struct vec){0, 1, 0} : (struct vec){0, 0, 1};
    struct vec across = unit(cross(other, normal)), along = cross(normal, across);
    struct vec origin = plus(meeting.place, times(normal, 0.0001f));
    float hidden = 0, all = rays * rays;
    for (int i = 0; i < rays * rays; i++) {
        float first = random_number(&state), second = random_number(&state), out = sqrtf(first);
        float s = sinf(6.2831853f * second), c = cosf(6.2831853f * second);
        struct vec direction = plus(plus(times(across, c * out), times(along, s * out)), times(normal, sqrtf(1 - first)));
        if (first_meeting(origin, direction, balls).t < FAR) hidden += 1;
    }
    return (all - hidden) / all;
}

void open_skies(float *restrict image, const struct ball *restrict balls, int32_t samples, int32_t rays, int32_t h, int32_t w) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float light = 0;
            for (int v = 0; v < samples; v++)
                for (int u = 0; u < samples; u++) {
                    float px = (x + (float)u / samples - 0.5f * w) / (0.5f * w), py = -(y + (float)v / samples - 0.5f * h) / (0.5f * h);
                    struct meeting meeting = first_meeting((struct vec){0, 0, 0}, unit((struct vec){px, py, -1}), balls);
                    if (meeting.t < FAR) light += open_sky(meeting, balls, rays, (uint32_t)((y * w + x) * samples * samples + v * samples + u));
                }
            image[y * w + x] = light / (samples * samples);
        }
}
