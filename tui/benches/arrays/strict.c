// The kernels of `loops.lane` without `@reassoc`, as C programmers write them.

#include <math.h>
#include <stdint.h>

static float limited(float x, float low, float high) { return x < low ? low : x > high ? high : x; }

void chain(const float *restrict a, const float *restrict b, float *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        float x = 2.0f * a[i] + b[i];
        float z = sqrtf(fabsf(x * x - a[i]));
        out[i] = limited(z, 0.25f, 4.0f) * 0.5f + b[i];
    }
}

void blur(const float *restrict a, float *restrict out, int32_t h, int32_t w) {
    for (int y = 1; y < h - 1; y++) {
        const float *above = a + (y - 1) * w, *here = above + w, *below = here + w;
        for (int x = 1; x < w - 1; x++)
            out[y * w + x] = ((above[x - 1] + above[x] + above[x + 1]) + (here[x - 1] + here[x] + here[x + 1]) +
                              (below[x - 1] + below[x] + below[x + 1])) /
                             9.0f;
    }
}

void sobel(const float *restrict a, float *restrict out, int32_t h, int32_t w) {
    for (int y = 1; y < h - 1; y++) {
        const float *p = a + (y - 1) * w, *q = p + w, *r = q + w;
        for (int x = 1; x < w - 1; x++) {
            float gx = p[x + 1] - p[x - 1] + 2.0f * (q[x + 1] - q[x - 1]) + r[x + 1] - r[x - 1];
            float gy = r[x - 1] - p[x - 1] + 2.0f * (r[x] - p[x]) + r[x + 1] - p[x + 1];
            out[y * w + x] = sqrtf(gx * gx + gy * gy);
        }
    }
}

void prefix_sum(const int32_t *restrict a, int32_t *restrict out, int32_t n) {
    int32_t total = 0;
    for (int i = 0; i < n; i++) out[i] = total += a[i];
}

void decay(const float *restrict a, float *restrict out, int32_t n) {
    float level = 0.0f;
    for (int i = 0; i < n; i++) out[i] = level = 0.9f * level + a[i];
}

void product(const float *restrict a, const float *restrict b, float *restrict out, int32_t n, int32_t k, int32_t m) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) out[i * m + j] = 0.0f;
        for (int p = 0; p < k; p++)
            for (int j = 0; j < m; j++) out[i * m + j] += a[i * k + p] * b[p * m + j];
    }
}

void butterflies(float *restrict re, float *restrict im, const float *restrict c, const float *restrict s, int32_t n, int32_t h) {
    for (int half = 1, step = h; half < n; half *= 2, step /= 2)
        for (int start = 0; start < n; start += 2 * half)
            for (int i = 0; i < half; i++) {
                float wr = c[i * step], wi = s[i * step];
                float xr = re[start + half + i], xi = im[start + half + i];
                float tr = wr * xr - wi * xi, ti = wr * xi + wi * xr;
                float ur = re[start + i], ui = im[start + i];
                re[start + half + i] = ur - tr;
                im[start + half + i] = ui - ti;
                re[start + i] = ur + tr;
                im[start + i] = ui + ti;
            }
}

static float below(float x) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(x));
    float p = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.3989422804f * expf(-0.5f * x * x) * p;
    return x < 0.0f ? tail : 1.0f - tail;
}

void black_scholes(const float *restrict spot, const float *restrict strike, const float *restrict years, float *restrict call,
                   float *restrict put, int32_t n) {
    const float rate = 0.02f, volatility = 0.3f;
    for (int i = 0; i < n; i++) {
        float spread = volatility * sqrtf(years[i]);
        float d1 = (logf(spot[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / spread;
        float d2 = d1 - spread;
        float discounted = strike[i] * expf(-rate * years[i]);
        call[i] = spot[i] * below(d1) - discounted * below(d2);
        put[i] = discounted * below(-d2) - spot[i] * below(-d1);
    }
}
