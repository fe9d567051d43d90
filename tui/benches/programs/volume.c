#include <math.h>
#include <stdint.h>

struct vec {
    float x, y, z;
};

struct view {
    struct vec eye, corner, right, down;
};

static const struct vec LEAST = {0.3f, -0.2f, 0.3f}, MOST = {1.8f, 2.3f, 1.8f}, LIGHT = {-1, 4, 1.5f};

static struct vec plus(struct vec a, struct vec b) { return (struct vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
static struct vec minus(struct vec a, struct vec b) { return (struct vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static struct vec times(struct vec a, float k) { return (struct vec){a.x * k, a.y * k, a.z * k}; }
static float dot(struct vec a, struct vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static float lerp(float a, float b, float t) { return a + (b - a) * t; }

static void slab(float least, float most, float origin, float direction, float *first, float *last) {
    float a = (least - origin) / direction, b = (most - origin) / direction;
    *first = fmaxf(*first, fminf(a, b));
    *last = fminf(*last, fmaxf(a, b));
}

static void inside(struct vec origin, struct vec direction, float *first, float *last) {
    *first = 0, *last = 1e30f;
    slab(LEAST.x, MOST.x, origin.x, direction.x, first, last);
    slab(LEAST.y, MOST.y, origin.y, direction.y, first, last);
    slab(LEAST.z, MOST.z, origin.z, direction.z, first, last);
}

static int clamped(int k, int n) { return k < 0 ? 0 : k < n ? k : n - 1; }

static float voxel(const float *cloud, int x, int y, int z, int d, int h, int w) {
    return cloud[(clamped(z, d) * h + clamped(y, h)) * w + clamped(x, w)];
}

static float density(const float *cloud, struct vec p, int d, int h, int w) {
    if (p.x < LEAST.x || p.x > MOST.x || p.y < LEAST.y || p.y > MOST.y || p.z < LEAST.z || p.z > MOST.z) return 0;
    float ax = (p.x - LEAST.x) / (MOST.x - LEAST.x) * w - 0.5f;
    float ay = (p.y - LEAST.y) / (MOST.y - LEAST.y) * h - 0.5f;
    float az = (p.z - LEAST.z) / (MOST.z - LEAST.z) * d - 0.5f;
    int x = (int)ax, y = (int)ay, z = (int)az;
    float fx = ax - x, fy = ay - y, fz = az - z;
    float near_top = lerp(voxel(cloud, x, y, z, d, h, w), voxel(cloud, x + 1, y, z, d, h, w), fx);
    float near_low = lerp(voxel(cloud, x, y + 1, z, d, h, w), voxel(cloud, x + 1, y + 1, z, d, h, w), fx);
    float far_top = lerp(voxel(cloud, x, y, z + 1, d, h, w), voxel(cloud, x + 1, y, z + 1, d, h, w), fx);
    float far_low = lerp(voxel(cloud, x, y + 1, z + 1, d, h, w), voxel(cloud, x + 1, y + 1, z + 1, d, h, w), fx);
    return lerp(lerp(near_top, near_low, fy), lerp(far_top, far_low, fy), fz);
}

static float reaches(const float *cloud, struct vec p, float absorbs, int d, int h, int w) {
    struct vec direction = minus(LIGHT, p);
    float t, last, thickness = 0;
    inside(p, direction, &t, &last);
    if (t > last) return 1;
    float stride = 0.2f / sqrtf(dot(direction, direction));
    struct vec at = plus(p, times(direction, t)), step = times(direction, stride);
    for (; t < last; t += stride, at = plus(at, step)) thickness += 0.2f * absorbs * density(cloud, at, d, h, w);
    return expf(-thickness);
}

void volume(const float *restrict cloud, float *restrict image, const struct view *view, int32_t d, int32_t h, int32_t w, int32_t rows,
            int32_t columns) {
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++) {
            struct vec direction = plus(view->corner, plus(times(view->right, column), times(view->down, row)));
            float t, last, thickness = 0, light = 0, left = 1;
            inside(view->eye, direction, &t, &last);
            float stride = 0.025f / sqrtf(dot(direction, direction));
            struct vec at = plus(view->eye, times(direction, t)), step = times(direction, stride);
            for (; t < last && left >= 0.005f; t += stride, at = plus(at, step)) {
                float here = density(cloud, at, d, h, w);
                struct vec to_light = minus(LIGHT, at);
                float comes = 40 / dot(to_light, to_light) * reaches(cloud, at, 20, d, h, w) + 0.25f;
                light += 0.025f * left * here * 10 * comes;
                thickness += 0.025f * 20 * here;
                left = expf(-thickness);
            }
            image[row * columns + column] = powf(light, 1 / 2.2f);
        }
}
