#include "reference.h"

struct sphere { struct triple centre; float radius; };
struct hit { float t; int index; };

static struct triple of_length_1(struct triple a)
{
    double length = sqrt(inner(a, a));
    return (struct triple){(float)(a.x / length), (float)(a.y / length), (float)(a.z / length)};
}

static void trace(const struct triple *origin, const struct triple *direction, const struct sphere *spheres, struct hit *hits, float *shade, const struct triple *light, int n, int m)
{
    for (int i = 0; i < n; i++) {
        struct triple d = of_length_1(direction[i]);
        hits[i] = (struct hit){INFINITY, -1};
        for (int k = 0; k < m; k++) {
            struct triple oc = minus(origin[i], spheres[k].centre);
            double b = inner(oc, d), disc = b * b - inner(oc, oc) + (double)spheres[k].radius * spheres[k].radius;
            double t = -b - sqrt(disc);
            if (disc >= 0 && t > 0 && t < hits[i].t)
                hits[i] = (struct hit){(float)t, k};
        }
        shade[i] = 0;
        if (hits[i].index >= 0) {
            float t = hits[i].t;
            struct triple at = {origin[i].x + d.x * t, origin[i].y + d.y * t, origin[i].z + d.z * t};
            struct triple normal = of_length_1(minus(at, spheres[hits[i].index].centre));
            shade[i] = fmaxf((float)inner(normal, of_length_1(*light)), 0);
        }
    }
}

static double slope(int hash, double x, double y, double z)
{
    switch (hash & 15) {
    case 0: return x + y;
    case 1: return -x + y;
    case 2: return x - y;
    case 3: return -x - y;
    case 4: return x + z;
    case 5: return -x + z;
    case 6: return x - z;
    case 7: return -x - z;
    case 8: return y + z;
    case 9: return -y + z;
    case 10: return y - z;
    case 11: return -y - z;
    case 12: return x + y;
    case 13: return -y + z;
    case 14: return -x + y;
    default: return -y - z;
    }
}

static double eased(double t) { return t * t * t * (t * (t * 6 - 15) + 10); }

static void perlin(const float *x, const float *y, const float *z, const uint8_t *p, float *out, int n)
{
    for (int i = 0; i < n; i++) {
        int cx = (int)floorf(x[i]), cy = (int)floorf(y[i]), cz = (int)floorf(z[i]);
        double fx = x[i] - cx, fy = y[i] - cy, fz = z[i] - cz, sum = 0;
        for (int k = 0; k < 8; k++) {
            int dx = k & 1, dy = k >> 1 & 1, dz = k >> 2;
            int hash = p[p[p[(cx & 255) + dx] + (cy & 255) + dy] + (cz & 255) + dz];
            double u = eased(fx), v = eased(fy), w = eased(fz);
            double weight = (dx ? u : 1 - u) * (dy ? v : 1 - v) * (dz ? w : 1 - w);
            sum += weight * slope(hash, fx - dx, fy - dy, fz - dz);
        }
        out[i] = (float)sum;
    }
}

static void draw_triangle(float *depth, uint32_t *colour, const struct triple *c, uint32_t paint, int h, int w)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            double px = x + 0.5, py = y + 0.5, part[3], area = 0;
            for (int k = 0; k < 3; k++) {
                const struct triple *a = &c[(k + 1) % 3], *b = &c[(k + 2) % 3];
                part[k] = (b->x - a->x) * (py - a->y) - (b->y - a->y) * (px - a->x);
                area += part[k];
            }
            double u = part[0] / area, v = part[1] / area, r = part[2] / area;
            if (u < 0 || v < 0 || r < 0)
                continue;
            double z = u * c[0].z + v * c[1].z + r * c[2].z;
            if (z < depth[y * w + x]) {
                depth[y * w + x] = (float)z;
                colour[y * w + x] = paint;
            }
        }
}

struct box { struct triple least, most; };
struct ray { struct triple origin, inverse; };

static int hit_boxes(const struct box *boxes, int *hits, const struct ray *ray, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        float near = 0, far = INFINITY;
        for (int axis = 0; axis < 3; axis++) {
            float o = (&ray->origin.x)[axis], inverse = (&ray->inverse.x)[axis];
            float a = ((&boxes[i].least.x)[axis] - o) * inverse, b = ((&boxes[i].most.x)[axis] - o) * inverse;
            near = fmaxf(near, fminf(a, b));
            far = fminf(far, fmaxf(a, b));
        }
        if (near <= far)
            hits[count++] = i;
    }
    return count;
}

static void project(const struct triple *points, struct pair *out, const float *camera, int n)
{
    for (int i = 0; i < n; i++) {
        double q[4];
        for (int r = 0; r < 4; r++) {
            const float *row = camera + 4 * r;
            q[r] = (double)row[0] * points[i].x + (double)row[1] * points[i].y + (double)row[2] * points[i].z + row[3];
        }
        out[i] = (struct pair){(float)(q[0] / q[3]), (float)(q[1] / q[3])};
    }
}

static void julia(uint8_t *out, int h, int w, const struct pair *c, int rounds)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float a = (float)x * 3 / (float)w - 1.5f, b = (float)y * 3 / (float)h - 1.5f;
            int k = 0;
            for (; k < rounds && a * a + b * b < 4; k++) {
                float square = a * a - b * b;
                b = 2 * a * b + c->y;
                a = square + c->x;
            }
            out[y * w + x] = (uint8_t)k;
        }
}
