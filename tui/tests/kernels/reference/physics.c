#include "reference.h"

static void sph_density(const struct triple *p, float *density, int n, float mass, float h)
{
    double poly6 = 315 / (64 * PI * pow(h, 9));
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) {
            struct triple d = minus(p[i], p[j]);
            double rest = (double)h * h - inner(d, d);
            if (rest > 0)
                sum += rest * rest * rest;
        }
        density[i] = (float)(mass * poly6 * sum);
    }
}

static void lbm_step(const float *f, float *next, int h, int w, float omega)
{
    static const int ex[] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            double g[9], rho = 0, ux = 0, uy = 0;
            for (int q = 0; q < 9; q++) {
                g[q] = f[(q * h + (y - ey[q] + h) % h) * w + (x - ex[q] + w) % w];
                rho += g[q], ux += ex[q] * g[q], uy += ey[q] * g[q];
            }
            ux /= rho, uy /= rho;
            for (int q = 0; q < 9; q++) {
                double weight = q == 0 ? 4.0 / 9 : q < 5 ? 1.0 / 9 : 1.0 / 36;
                double eu = ex[q] * ux + ey[q] * uy;
                double equal = weight * rho * (1 + 3 * eu + 4.5 * eu * eu - 1.5 * (ux * ux + uy * uy));
                next[(q * h + y) * w + x] = (float)(g[q] + omega * (equal - g[q]));
            }
        }
}

static void heat(float *a, float *b, int h, int w, int steps, float k)
{
    for (int t = 0; t < steps; t++) {
        const float *now = t % 2 ? b : a;
        float *next = t % 2 ? a : b;
        for (int y = 1; y < h - 1; y++)
            for (int x = 1; x < w - 1; x++) {
                const float *c = now + y * w + x;
                next[y * w + x] = c[0] + k * (c[-w] + c[w] + c[-1] + c[1] - 4 * c[0]);
            }
    }
}

struct body { struct triple position, velocity; float mass; };

static void nbody(struct body *bodies, struct triple *pull, int n, float dt)
{
    for (int i = 0; i < n; i++) {
        double x = 0, y = 0, z = 0;
        for (int j = 0; j < n; j++) {
            struct triple d = minus(bodies[j].position, bodies[i].position);
            double strength = bodies[j].mass / pow(inner(d, d) + 1e-4, 1.5);
            x += d.x * strength, y += d.y * strength, z += d.z * strength;
        }
        pull[i] = (struct triple){(float)x, (float)y, (float)z};
    }
    for (int i = 0; i < n; i++) {
        struct body *b = &bodies[i];
        b->velocity.x += pull[i].x * dt, b->velocity.y += pull[i].y * dt, b->velocity.z += pull[i].z * dt;
        b->position.x += b->velocity.x * dt, b->position.y += b->velocity.y * dt, b->position.z += b->velocity.z * dt;
    }
}

/* Gauss's elimination on the whole matrix. */
static void tridiagonal(const double *lower, double *diagonal, const double *upper, double *x, int n, int m)
{
    double *a = calloc((size_t)(n * n) + 1, sizeof *a);
    for (int s = 0; s < m; s++) {
        memset(a, 0, (size_t)(n * n) * sizeof *a);
        for (int i = 0; i < n; i++) {
            a[i * n + i] = diagonal[i * m + s];
            if (i > 0)
                a[i * n + i - 1] = lower[i * m + s];
            if (i + 1 < n)
                a[i * n + i + 1] = upper[i * m + s];
        }
        for (int k = 0; k < n; k++)
            for (int i = k + 1; i < n; i++) {
                double factor = a[i * n + k] / a[k * n + k];
                for (int j = k; j < n; j++)
                    a[i * n + j] -= factor * a[k * n + j];
                x[i * m + s] -= factor * x[k * m + s];
            }
        for (int k = n - 1; k >= 0; k--) {
            for (int j = k + 1; j < n; j++)
                x[k * m + s] -= a[k * n + j] * x[j * m + s];
            x[k * m + s] /= a[k * n + k];
            diagonal[k * m + s] = a[k * n + k];
        }
    }
    free(a);
}

static void spmv(const int *starts, const int *columns, const float *values, const float *x, float *y, int rows, int cols, int k)
{
    (void)cols, (void)k;
    for (int r = 0; r < rows; r++) {
        y[r] = 0;
        for (int e = starts[r]; e < starts[r + 1]; e++)
            y[r] += values[e] * x[columns[e]];
    }
}

/* The exact solution of -x[i-1] + 2 x[i] - x[i+1] = b[i] by elimination; how many rounds it takes depends on the roundings. */
static double conjugate_gradient(const double *b, double *x, int n, int rounds, double tolerance)
{
    (void)rounds, (void)tolerance;
    double *d = calloc((size_t)n + 1, sizeof *d);
    for (int i = 0; i < n; i++) {
        d[i] = i ? 2 - 1 / d[i - 1] : 2;
        x[i] = i ? b[i] + x[i - 1] / d[i - 1] : b[i];
    }
    for (int i = n - 1; i >= 0; i--)
        x[i] = (x[i] + (i + 1 < n ? x[i + 1] : 0)) / d[i];
    free(d);
    return NAN;
}
