// The loops of `reassoc.lane`, as C programmers write them.

#include <math.h>
#include <stdint.h>

void dot(const float *restrict x, const float *restrict y, float *restrict out, int32_t n) {
    float s = 0.0f;
    for (int i = 0; i < n; i++) s += x[i] * y[i];
    out[0] = s;
}

void total(const double *restrict a, double *restrict out, int32_t n) {
    double s = 0.0;
    for (int i = 0; i < n; i++) s += a[i];
    out[0] = s;
}

void norm(const float *restrict x, float *restrict out, int32_t n) {
    float s = 0.0f;
    for (int i = 0; i < n; i++) s += x[i] * x[i];
    out[0] = sqrtf(s);
}

void running_total(const float *restrict a, float *restrict out, int32_t n) {
    float s = 0.0f;
    for (int i = 0; i < n; i++) {
        s += a[i];
        out[i] = s;
    }
}

void running_total_wide(const double *restrict a, double *restrict out, int32_t n) {
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        s += a[i];
        out[i] = s;
    }
}

void smoothed(const float *restrict a, float *restrict out, int32_t n) {
    float y = 0.0f;
    for (int i = 0; i < n; i++) {
        y += 0.125f * (a[i] - y);
        out[i] = y;
    }
}

void level(const float *restrict a, const float *restrict g, float *restrict out, int32_t n) {
    float y = 0.0f;
    for (int i = 0; i < n; i++) {
        y = g[i] * y + a[i];
        out[i] = y;
    }
}

void growth(const float *restrict a, float *restrict out, int32_t n) {
    float p = 1.0f;
    for (int i = 0; i < n; i++) {
        p *= 1.0f + 0.001f * a[i];
        out[i] = p;
    }
}

void faded_sum(const double *restrict a, double *restrict out, int32_t n) {
    double s = 0.0;
    for (int i = 0; i < n; i++) s = s * 0.75 + a[i];
    out[0] = s;
}
