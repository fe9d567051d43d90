#include <math.h>
#include <stdint.h>

struct vec {
    float x, y, z;
};

struct node {
    struct vec least, most;
    int32_t first, count, axis;
};

struct triangle {
    struct vec a, b, c;
};

struct frame {
    struct vec eye, corner, right, down;
};

static struct vec plus(struct vec a, struct vec b) { return (struct vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
static struct vec minus(struct vec a, struct vec b) { return (struct vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static struct vec times(struct vec a, float k) { return (struct vec){a.x * k, a.y * k, a.z * k}; }
static float dot(struct vec a, struct vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static struct vec cross(struct vec a, struct vec b) { return (struct vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

static int meets_box(struct vec origin, struct vec inverse, const struct node *node, float limit) {
    float ax = (node->least.x - origin.x) * inverse.x, bx = (node->most.x - origin.x) * inverse.x;
    float ay = (node->least.y - origin.y) * inverse.y, by = (node->most.y - origin.y) * inverse.y;
    float az = (node->least.z - origin.z) * inverse.z, bz = (node->most.z - origin.z) * inverse.z;
    float near = fmaxf(fmaxf(fminf(ax, bx), fminf(ay, by)), fmaxf(fminf(az, bz), 0));
    float far = fminf(fminf(fmaxf(ax, bx), fmaxf(ay, by)), fminf(fmaxf(az, bz), limit));
    return near <= far;
}

static float distance_to(struct vec origin, struct vec direction, const struct triangle *triangle, float limit) {
    struct vec ab = minus(triangle->b, triangle->a), ac = minus(triangle->c, triangle->a), s = cross(direction, ac);
    float inverse = 1 / dot(s, ab);
    struct vec from = minus(origin, triangle->a), q = cross(from, ab);
    float u = dot(from, s) * inverse, v = dot(direction, q) * inverse, t = dot(ac, q) * inverse;
    return u >= 0 && v >= 0 && u + v <= 1 && t >= 0 && t < limit ? t : limit;
}

void trace_rays(const struct node *restrict nodes, const struct triangle *restrict triangles, float *restrict depth, int32_t *restrict which,
                const struct frame *restrict frame, int32_t n, int32_t m, int32_t h, int32_t w) {
    (void)n, (void)m;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            struct vec direction = plus(frame->corner, plus(times(frame->right, x), times(frame->down, y)));
            struct vec inverse = {1 / direction.x, 1 / direction.y, 1 / direction.z};
            int backwards[3] = {direction.x < 0, direction.y < 0, direction.z < 0};
            float limit = 1e30f;
            int met = -1, todo[64] = {0}, waiting = 1;
            while (waiting > 0) {
                int k = todo[--waiting];
                const struct node *node = &nodes[k];
                if (!meets_box(frame->eye, inverse, node, limit)) continue;
                if (node->count > 0) {
                    for (int j = node->first; j < node->first + node->count; j++) {
                        float t = distance_to(frame->eye, direction, &triangles[j], limit);
                        if (t < limit) limit = t, met = j;
                    }
                } else if (backwards[node->axis]) {
                    todo[waiting++] = k + 1;
                    todo[waiting++] = node->first;
                } else {
                    todo[waiting++] = node->first;
                    todo[waiting++] = k + 1;
                }
            }
            depth[y * w + x] = limit;
            which[y * w + x] = met;
        }
}
