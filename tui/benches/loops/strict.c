// The loops of `strict.lane`, as C programmers write them.

#include <math.h>
#include <stdint.h>

struct Spark {
    float x, y, vx, vy;
};

void add(const float *restrict a, const float *restrict b, float *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) out[i] = a[i] + b[i];
}

void saxpy(const float *restrict x, float *restrict y, int32_t n, float s) {
    for (int i = 0; i < n; i++) y[i] = y[i] + s * x[i];
}

void triad(const double *restrict a, const double *restrict b, double *restrict out, int32_t n, double s) {
    for (int i = 0; i < n; i++) out[i] = a[i] + s * b[i];
}

void divide(const float *restrict a, const float *restrict b, float *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) out[i] = a[i] / b[i];
}

void distance(const float *restrict x, const float *restrict y, float *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) out[i] = sqrtf(x[i] * x[i] + y[i] * y[i]);
}

void polynomial(const float *restrict x, float *restrict out, int32_t n) {
    for (int i = 0; i < n; i++)
        out[i] = ((((0.5f * x[i] + 0.25f) * x[i] + 0.125f) * x[i] + 1.5f) * x[i] + 2.0f) * x[i] + 3.0f;
}

void increment(int32_t *restrict a, int32_t n) {
    for (int i = 0; i < n; i++) a[i] += 1;
}

void stencil_3(const float *restrict a, float *restrict out, int32_t n) {
    for (int i = 1; i < n - 1; i++) out[i] = (a[i - 1] + a[i] + a[i + 1]) * 0.333f;
}

void stencil_5(const double *restrict a, double *restrict out, int32_t n) {
    for (int i = 2; i < n - 2; i++) out[i] = a[i - 2] + 4.0 * a[i - 1] + 6.0 * a[i] + 4.0 * a[i + 1] + a[i + 2];
}

void limit(const float *restrict a, float *restrict out, int32_t n, float low, float high) {
    for (int i = 0; i < n; i++) out[i] = a[i] < low ? low : a[i] > high ? high : a[i];
}

void store_where(const float *restrict a, const float *restrict b, float *restrict out, int32_t n) {
    for (int i = 0; i < n; i++)
        if (a[i] > b[i]) out[i] = a[i];
}

void either(const float *restrict a, const float *restrict b, float *restrict out, int32_t n) {
    for (int i = 0; i < n; i++)
        if (a[i] > b[i])
            out[i] = a[i] - b[i];
        else
            out[i] = b[i] * 2.0f;
}

void divide_where(const float *restrict a, const float *restrict b, float *restrict out, int32_t n) {
    for (int i = 0; i < n; i++)
        if (b[i] > 0.25f) out[i] = a[i] / b[i];
}

void swap_where(float *restrict a, float *restrict b, int32_t n) {
    for (int i = 0; i < n; i++)
        if (a[i] > b[i]) {
            float t = a[i];
            a[i] = b[i];
            b[i] = t;
        }
}

void reverse(const float *restrict a, float *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) out[i] = a[n - 1 - i];
}

void every_second(const float *restrict a, float *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) out[i] = a[2 * i];
}

void every_third(const float *restrict a, float *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) out[i] = a[3 * i + 1];
}

void spread(const float *restrict a, float *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) out[2 * i] = a[i];
}

void complex_product(const float *restrict a, const float *restrict b, float *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        float re = a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1];
        float im = a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i];
        out[2 * i] = re;
        out[2 * i + 1] = im;
    }
}

void gray(const uint8_t *restrict pixels, uint8_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        uint16_t r = pixels[3 * i], g = pixels[3 * i + 1], b = pixels[3 * i + 2];
        out[i] = (uint8_t)((uint16_t)(r * 77 + g * 150 + b * 29) >> 8);
    }
}

void fly(struct Spark *restrict sparks, int32_t n, float dt) {
    for (int i = 0; i < n; i++) {
        sparks[i].x += sparks[i].vx * dt;
        sparks[i].y += sparks[i].vy * dt;
    }
}

void look_up(const float *restrict a, const int32_t *restrict at, float *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) out[i] = a[at[i]];
}

void window(const float *restrict a, const float *restrict weights, float *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) out[i] = a[i] * weights[i % 4];
}

void double_up(const float *restrict a, float *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) out[i] = a[i / 2];
}

void mean_of_bytes(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) out[i] = (uint8_t)((a[i] + b[i] + 1) >> 1);
}

void blend(const uint8_t *restrict a, const uint8_t *restrict b, const uint8_t *restrict alpha, uint8_t *restrict out,
           int32_t n) {
    for (int i = 0; i < n; i++) {
        uint32_t t = alpha[i];
        out[i] = (uint8_t)((a[i] * t + b[i] * (255 - t) + 127) / 255);
    }
}

void wide_product(const int16_t *restrict a, const int16_t *restrict b, int32_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) out[i] = (int32_t)a[i] * (int32_t)b[i];
}

void to_floats(const uint8_t *restrict a, float *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) out[i] = (float)a[i] * 0.00390625f;
}

void to_doubles(const float *restrict a, const double *restrict b, double *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) out[i] = (double)a[i] * b[i];
}

void mix_bits(const uint32_t *restrict a, uint32_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        uint32_t h = a[i];
        h = (h ^ (h >> 16)) * 0x45d9f3b;
        h = (h ^ (h >> 16)) * 0x45d9f3b;
        out[i] = h ^ (h >> 16);
    }
}

void difference(const int32_t *restrict a, const int32_t *restrict b, int32_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) out[i] = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
}

void wide_sum(const int64_t *restrict a, const int64_t *restrict b, int64_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) out[i] = a[i] * 3 + b[i];
}

void sum(const int32_t *restrict a, int32_t *restrict out, int32_t n) {
    int32_t s = 0;
    for (int i = 0; i < n; i++) s += a[i];
    out[0] = s;
}

void dot_of_shorts(const int16_t *restrict a, const int16_t *restrict b, int32_t *restrict out, int32_t n) {
    int32_t s = 0;
    for (int i = 0; i < n; i++) s += (int32_t)a[i] * (int32_t)b[i];
    out[0] = s;
}

void count(const float *restrict a, int32_t *restrict out, int32_t n, float limit) {
    int32_t found = 0;
    for (int i = 0; i < n; i++)
        if (a[i] > limit) found += 1;
    out[0] = found;
}

void greatest(const float *restrict a, float *restrict out, int32_t n) {
    float m = -1000.0f;
    for (int i = 0; i < n; i++)
        if (a[i] > m) m = a[i];
    out[0] = m;
}

void place_of_greatest(const float *restrict a, int32_t *restrict out, int32_t n) {
    float m = -1000.0f;
    int32_t at = -1;
    for (int i = 0; i < n; i++)
        if (a[i] > m) {
            m = a[i];
            at = i;
        }
    out[0] = at;
}

void find(const float *restrict a, int32_t *restrict out, int32_t n, float limit) {
    int32_t at = n;
    for (int i = 0; i < n; i++)
        if (a[i] > limit) {
            at = i;
            break;
        }
    out[0] = at;
}

void running_sum(const int32_t *restrict a, int32_t *restrict out, int32_t n) {
    int32_t s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
        out[i] = s;
    }
}

void decay(const float *restrict a, float *restrict out, int32_t n) {
    float y = 0.0f;
    for (int i = 0; i < n; i++) {
        y = 0.9f * y + a[i];
        out[i] = y;
    }
}

void matrix_vector(const float *restrict m, const float *restrict x, float *restrict out, int32_t h, int32_t w) {
    for (int i = 0; i < h; i++) {
        float s = 0.0f;
        for (int j = 0; j < w; j++) s += m[i * w + j] * x[j];
        out[i] = s;
    }
}

void matmul(const float *restrict a, const float *restrict b, float *restrict c, int32_t h, int32_t w) {
    for (int i = 0; i < h; i++)
        for (int p = 0; p < w; p++)
            for (int j = 0; j < w; j++) c[i * w + j] += a[i * w + p] * b[p * w + j];
}

void blur(const float *restrict image, float *restrict out, int32_t h, int32_t w) {
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            const float *at = image + y * w + x;
            float above = at[-w - 1] + at[-w] + at[-w + 1];
            float beside = at[-1] + at[0] + at[1];
            float below = at[w - 1] + at[w] + at[w + 1];
            out[y * w + x] = (above + beside + below) * 0.111f;
        }
}

void transpose(const float *restrict m, float *restrict out, int32_t h, int32_t w) {
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++) out[i * w + j] = m[j * h + i];
}

void mandelbrot(int32_t *restrict steps, int32_t h, int32_t w) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float c_re = -2.0f + (float)x * 0.04f, c_im = -1.2f + (float)y * 0.04f;
            float re = 0.0f, im = 0.0f;
            int32_t taken = 0;
            while (taken < 64 && re * re + im * im <= 4.0f) {
                float next_re = re * re - im * im + c_re;
                im = 2.0f * re * im + c_im;
                re = next_re;
                taken += 1;
            }
            steps[y * w + x] = taken;
        }
}
