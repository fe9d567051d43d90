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
