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

void filtered(const float *restrict a, float *restrict out, int32_t n) {
    float z = 0.0f, w = 0.0f;
    for (int i = 0; i < n; i++) {
        float x = a[i];
        float y = 0.25f * x + z;
        z = 0.5f * x + 0.75f * y + w;
        w = 0.25f * x - 0.5f * y;
        out[i] = y;
    }
}

void filtered_directly(const float *restrict a, float *restrict out, int32_t n, float b0, float b1, float b2, float a1,
                       float a2) {
    float x1 = 0.0f, x2 = 0.0f, y1 = 0.0f, y2 = 0.0f;
    for (int i = 0; i < n; i++) {
        float y = b0 * a[i] + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2;
        out[i] = y;
        x2 = x1;
        x1 = a[i];
        y2 = y1;
        y1 = y;
    }
}

void filtered_wide(const double *restrict a, double *restrict out, int32_t n) {
    double z = 0.0, w = 0.0;
    for (int i = 0; i < n; i++) {
        double y = 0.25 * a[i] + z;
        z = 0.5 * a[i] + 0.75 * y + w;
        w = 0.25 * a[i] - 0.5 * y;
        out[i] = y;
    }
}

void state_variable(const float *restrict a, float *restrict low, int32_t n, float f, float q) {
    float l = 0.0f, b = 0.0f;
    for (int i = 0; i < n; i++) {
        l += f * b;
        float h = a[i] - l - q * b;
        b += f * h;
        low[i] = l;
    }
}

void oscillator(float *restrict out, int32_t n, float c, float s) {
    float re = 1.0f, im = 0.0f;
    for (int i = 0; i < n; i++) {
        out[i] = im;
        float next = c * re - s * im;
        im = s * re + c * im;
        re = next;
    }
}

void filtered_in_cells(const float *restrict a, float *restrict out, int32_t n, float b0, float b1, float a1,
                       float a2) {
    for (int i = 2; i < n; i++) out[i] = b0 * a[i] + b1 * a[i - 1] - a1 * out[i - 1] - a2 * out[i - 2];
}

void decay_of_updates(float *restrict a, const float *restrict b, float *restrict out, int32_t n) {
    for (int i = 1; i < n; i++) {
        a[i] += b[i] * 0.25f;
        out[i] = out[i - 1] * 0.5f + a[i];
    }
}

void cells_before(float *restrict a, const float *restrict b, int32_t n) {
    for (int i = 1; i < n; i++) a[i] += a[i - 1] * b[i];
}
