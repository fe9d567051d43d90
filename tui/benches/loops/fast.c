// The loops of `fast.lane`, as C programmers write them.

#include <math.h>
#include <stdint.h>

void fused_dot(const float *restrict x, const float *restrict y, float *restrict out, int32_t n) {
    float s = 0.0f;
    for (int i = 0; i < n; i++) s += x[i] * y[i];
    out[0] = s;
}

void horner(const float *restrict x, float *restrict out, int32_t n) {
    for (int i = 0; i < n; i++)
        out[i] = (((0.5f * x[i] + 0.25f) * x[i] + 0.125f) * x[i] + 1.5f) * x[i] + 2.0f;
}

void unit_length(float *restrict x, float *restrict y, int32_t n) {
    for (int i = 0; i < n; i++) {
        float r = 1.0f / sqrtf(x[i] * x[i] + y[i] * y[i] + 0.001f);
        x[i] = x[i] * r;
        y[i] = y[i] * r;
    }
}
