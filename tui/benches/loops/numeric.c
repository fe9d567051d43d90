// The loops of `numeric.lane`, as C programmers write them.

#include <math.h>
#include <stdint.h>

void matrix_and_transposed(const double *restrict a, const double *restrict x, double *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        double s = 0.0;
        for (int j = 0; j < n; j++) s += a[i * n + j] * x[j];
        for (int j = 0; j < n; j++) out[j] += a[i * n + j] * s;
    }
}

void both_products(const float *restrict a, const float *restrict p, const float *restrict r, float *restrict q,
                   float *restrict s, int32_t n) {
    for (int i = 0; i < n; i++) {
        float t = 0.0f;
        for (int j = 0; j < n; j++) {
            s[j] += r[i] * a[i * n + j];
            t += a[i * n + j] * p[j];
        }
        q[i] = t;
    }
}

void rank_two_update(double *restrict a, const double *restrict x, const double *restrict y, int32_t n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i * n + j] += x[i] * y[j] + y[i] * x[j];
}

void sum_of_products(const double *restrict a, const double *restrict b, const double *restrict x,
                     double *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        double s = 0.0, t = 0.0;
        for (int j = 0; j < n; j++) {
            s += a[i * n + j] * x[j];
            t += b[i * n + j] * x[j];
        }
        out[i] = 1.5 * s + 1.25 * t;
    }
}

void solve_lower(const double *restrict a, const double *restrict b, double *restrict x, int32_t n) {
    for (int i = 0; i < n; i++) {
        double s = b[i];
        for (int j = 0; j < i; j++) s -= a[i * n + j] * x[j];
        x[i] = s / a[i * n + i];
    }
}

void eliminate(const double *restrict a, double *restrict lu, int32_t n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) lu[i * n + j] = a[i * n + j];
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            lu[i * n + k] /= lu[k * n + k];
            for (int j = k + 1; j < n; j++) lu[i * n + j] -= lu[i * n + k] * lu[k * n + j];
        }
}

void cholesky(const float *restrict a, float *restrict l, int32_t n) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            float s = a[i * n + j] * 0.01f;
            for (int k = 0; k < j; k++) s -= l[i * n + k] * l[j * n + k];
            l[i * n + j] = s / l[j * n + j];
        }
        float d = 1.0f;
        for (int k = 0; k < i; k++) d -= l[i * n + k] * l[i * n + k];
        l[i * n + i] = sqrtf(d);
    }
}

void lower_product(const float *restrict a, const float *restrict b, float *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) out[i * n + j] = 0.0f;
        for (int k = 0; k < i + 1; k++)
            for (int j = 0; j < n; j++) out[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

void rank_k_update(const float *restrict a, float *restrict c, int32_t n) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i + 1; j++) c[i * n + j] *= 0.5f;
        for (int k = 0; k < n; k++)
            for (int j = 0; j < i + 1; j++) c[i * n + j] += a[i * n + k] * a[j * n + k];
    }
}

void covariance(const double *restrict a, const double *restrict means, double *restrict out, int32_t n) {
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) {
            double s = 0.0;
            for (int k = 0; k < n; k++) s += (a[k * n + i] - means[i]) * (a[k * n + j] - means[j]);
            out[i * n + j] = s * 0.015625;
            out[j * n + i] = s * 0.015625;
        }
}

void shortest_paths(uint32_t *restrict paths, int32_t n) {
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                uint32_t around = paths[i * n + k] + paths[k * n + j];
                paths[i * n + j] = paths[i * n + j] < around ? paths[i * n + j] : around;
            }
}

void heat_there_and_back(double *restrict a, double *restrict b, int32_t n) {
    for (int t = 0; t < 4; t++) {
        for (int i = 1; i < n - 1; i++) b[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1];
        for (int i = 1; i < n - 1; i++) a[i] = 0.25 * b[i - 1] + 0.5 * b[i] + 0.25 * b[i + 1];
    }
}

void heat_in_space(const float *restrict a, float *restrict out, int32_t n) {
    for (int x = 1; x < n - 1; x++)
        for (int y = 1; y < n - 1; y++)
            for (int z = 1; z < n - 1; z++) {
                const float *at = a + (x * n + y) * n + z;
                float c = at[0];
                float along_x = at[n * n] - 2.0f * c + at[-n * n];
                float along_y = at[n] - 2.0f * c + at[-n];
                float along_z = at[1] - 2.0f * c + at[-1];
                out[(x * n + y) * n + z] = c + 0.125f * along_x + 0.125f * along_y + 0.125f * along_z;
            }
}

void field_step(float *restrict ex, float *restrict ey, float *restrict hz, int32_t n) {
    for (int i = 1; i < n; i++)
        for (int j = 0; j < n; j++) ey[i * n + j] -= 0.5f * (hz[i * n + j] - hz[(i - 1) * n + j]);
    for (int i = 0; i < n; i++)
        for (int j = 1; j < n; j++) ex[i * n + j] -= 0.5f * (hz[i * n + j] - hz[i * n + j - 1]);
    for (int i = 0; i < n - 1; i++)
        for (int j = 0; j < n - 1; j++)
            hz[i * n + j] -=
                0.7f * (ex[i * n + j + 1] - ex[i * n + j] + ey[(i + 1) * n + j] - ey[i * n + j]);
}

void implicit_sweep(const float *restrict u, float *restrict p, float *restrict q, int32_t n) {
    for (int i = 0; i < n; i++) {
        p[i * n] = 0.0f;
        q[i * n] = 1.0f;
        for (int j = 1; j < n; j++) {
            float d = 1.0f / (2.0f - 0.5f * p[i * n + j - 1]);
            p[i * n + j] = 0.5f * d;
            q[i * n + j] = (u[j * n + i] + 0.5f * q[i * n + j - 1]) * d;
        }
    }
}

void longest_common(const uint8_t *restrict a, const uint8_t *restrict b, int32_t *restrict lengths, int32_t n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int32_t *at = lengths + i * (n + 1) + j;
            if (a[i] == b[j])
                at[n + 2] = at[0] + 1;
            else
                at[n + 2] = at[1] > at[n + 1] ? at[1] : at[n + 1];
        }
}

void hydro_fragment(float *restrict x, const float *restrict y, const float *restrict z, int32_t n, float q, float r,
                    float t) {
    for (int k = 0; k < n; k++) x[k] = q + y[k] * (r * z[k + 10] + t * z[k + 11]);
}

void incomplete_cholesky(float *restrict x, const float *restrict v, int32_t n) {
    int size = n, end = 0;
    while (size > 1) {
        int start = end;
        end += size;
        size /= 2;
        int i = end;
        for (int k = start + 1; k < end; k += 2) {
            x[i] = x[k] - v[k] * x[k - 1] - v[k + 1] * x[k + 1];
            i++;
        }
    }
}

void tridiagonal(float *restrict x, const float *restrict y, const float *restrict z, int32_t n) {
    for (int i = 1; i < n; i++) x[i] = z[i] * (y[i] - x[i - 1]);
}

void equation_of_state(float *restrict x, const float *restrict y, const float *restrict z, const float *restrict u,
                       int32_t n, float q, float r, float t) {
    for (int k = 0; k < n; k++) {
        float near = u[k + 3] + r * (u[k + 2] + r * u[k + 1]);
        float far = u[k + 6] + q * (u[k + 5] + q * u[k + 4]);
        x[k] = u[k] + r * (z[k] + r * y[k]) + t * (near + t * far);
    }
}

void predictors(float *restrict rows, int32_t n) {
    for (int i = 0; i < n; i++) {
        float *p = rows + i * 13;
        float high = 0.25f * p[12] + 0.5f * p[11] + 0.75f * p[10] + 1.25f * p[9];
        float low = 1.5f * p[8] + 1.75f * p[7] + 2.25f * p[6];
        p[0] = high + low + 0.125f * (p[4] + p[5]) + p[2];
    }
}

void differences_of_rows(const float *restrict fresh, float *restrict rest, int32_t n) {
    for (int i = 0; i < n; i++) {
        float *r = rest + i * 8;
        float first = fresh[i * 8];
        float second = first - r[0];
        r[0] = first;
        float third = second - r[1];
        r[1] = second;
        float fourth = third - r[2];
        r[2] = third;
        r[4] = fourth - r[3];
        r[3] = fourth;
    }
}

void push_particles(int32_t *restrict places, int32_t *restrict speeds, const int32_t *restrict field,
                    int32_t *restrict charge, int32_t n) {
    for (int i = 0; i < n; i++) {
        speeds[i] += field[(places[i] >> 8) & 63];
        places[i] = (places[i] + speeds[i]) & 0x3fff;
        charge[places[i] >> 8] += 1;
    }
}

void implicit_conduction(const float *restrict a, const float *restrict b, const float *restrict x, float *restrict y,
                         int32_t n) {
    float before = 0.333f;
    for (int k = n - 1; k >= 0; k--) {
        float e = before * a[k] + b[k];
        float scaled = 1.667f * e;
        if (before > scaled || x[k] > scaled) {
            y[k] = e * 0.5f;
            before = e * 0.75f;
        } else {
            y[k] = 0.3355f;
            before = x[k] * 0.5f;
        }
    }
}

void hydro_in_plane(const float *restrict p, const float *restrict q, const float *restrict r, const float *restrict m,
                    float *restrict out, int32_t n) {
    for (int j = 0; j < n - 1; j++)
        for (int k = 1; k < n; k++) {
            int at = j * n + k;
            float pressure = p[at + n - 1] + q[at + n - 1] - p[at - 1] - q[at - 1];
            out[at] = pressure * (r[at] + r[at - 1]) / (m[at - 1] + m[at + n - 1]);
        }
}

void linear_recurrence(float *restrict w, const float *restrict b, int32_t n) {
    for (int i = 0; i < n; i++) {
        w[i] = 0.01f;
        for (int k = 0; k < i; k++) w[i] += b[k * n + i] * w[i - k - 1];
    }
}

void flow_limits(const float *restrict v, const float *restrict f, float *restrict out, int32_t n) {
    for (int j = 1; j < n - 1; j++)
        for (int k = 0; k < n - 1; k++) {
            int at = j * n + k;
            float t = v[at + n] > v[at] ? 0.053f : 0.073f;
            float r, s;
            if (f[at] < f[at - n]) {
                r = v[at - n] > v[at - n + 1] ? v[at - n] : v[at - n + 1];
                s = f[at - n];
            } else {
                r = v[at] > v[at + 1] ? v[at] : v[at + 1];
                s = f[at];
            }
            out[at] = sqrtf(v[at] * v[at] + r * r) * t / s;
        }
}

void transport(const double *restrict a, const double *restrict b, double *restrict x, int32_t n) {
    double flux = 0.5;
    for (int k = 0; k < n; k++) {
        double d = a[k] - 0.5 / (flux + 0.1);
        double share = 0.2;
        if (d != 0.0) {
            double ratio = b[k] / d;
            share = ratio < 0.1 ? 0.1 : ratio > 0.9 ? 0.9 : ratio;
        }
        x[k] = ((1.0 + share) * flux + a[k]) / (2.0 + share);
        flux = (x[k] - flux) * share + flux;
    }
}
