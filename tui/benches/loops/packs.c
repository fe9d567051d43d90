// The kernels of `packs.lane`, as C programmers write them.

#include <math.h>
#include <stdint.h>

void complex_products(const float *restrict a, const float *restrict b, float *restrict out) {
    out[0] = a[0] * b[0] - a[1] * b[1];
    out[1] = a[0] * b[1] + a[1] * b[0];
    out[2] = a[2] * b[2] - a[3] * b[3];
    out[3] = a[2] * b[3] + a[3] * b[2];
}

void quaternion(const float *restrict p, const float *restrict q, float *restrict out) {
    out[0] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
    out[1] = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2];
    out[2] = p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1];
    out[3] = p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0];
}

void matrix4_vector(const float *restrict m, const float *restrict v, float *restrict out) {
    for (int i = 0; i < 4; i++) out[i] = m[4 * i] * v[0] + m[4 * i + 1] * v[1] + m[4 * i + 2] * v[2] + m[4 * i + 3] * v[3];
}

void columns4_vector(const float *restrict m, const float *restrict v, float *restrict out) {
    for (int i = 0; i < 4; i++) out[i] = m[i] * v[0] + m[4 + i] * v[1] + m[8 + i] * v[2] + m[12 + i] * v[3];
}

void matrix4_matrix(const float *restrict a, const float *restrict b, float *restrict out) {
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            out[4 * i + j] =
                a[4 * i] * b[j] + a[4 * i + 1] * b[4 + j] + a[4 * i + 2] * b[8 + j] + a[4 * i + 3] * b[12 + j];
}

void rgb_to_yuv(const float *restrict rgb, float *restrict yuv) {
    yuv[0] = 0.299f * rgb[0] + 0.587f * rgb[1] + 0.114f * rgb[2];
    yuv[1] = -0.147f * rgb[0] - 0.289f * rgb[1] + 0.436f * rgb[2];
    yuv[2] = 0.615f * rgb[0] - 0.515f * rgb[1] - 0.1f * rgb[2];
}

void rgb_to_planes(const float *restrict rgb, float *restrict y, float *restrict u, float *restrict v) {
    for (int i = 0; i < 4; i++) {
        y[i] = 0.299f * rgb[3 * i] + 0.587f * rgb[3 * i + 1] + 0.114f * rgb[3 * i + 2];
        u[i] = 0.436f * rgb[3 * i + 2] - 0.147f * rgb[3 * i] - 0.289f * rgb[3 * i + 1];
        v[i] = 0.615f * rgb[3 * i] - 0.515f * rgb[3 * i + 1] - 0.1f * rgb[3 * i + 2];
    }
}

void butterfly2(const float *restrict x, const float *restrict w, float *restrict out) {
    for (int k = 0; k < 4; k++) {
        float re = x[8 + 2 * k] * w[2 * k] - x[9 + 2 * k] * w[2 * k + 1];
        float im = x[8 + 2 * k] * w[2 * k + 1] + x[9 + 2 * k] * w[2 * k];
        out[2 * k] = x[2 * k] + re;
        out[2 * k + 1] = x[2 * k + 1] + im;
        out[8 + 2 * k] = x[2 * k] - re;
        out[9 + 2 * k] = x[2 * k + 1] - im;
    }
}

void butterfly4(float *restrict re, float *restrict im) {
    for (int k = 0; k < 4; k++) {
        float ar = re[k] + re[8 + k], ai = im[k] + im[8 + k];
        float br = re[k] - re[8 + k], bi = im[k] - im[8 + k];
        float cr = re[4 + k] + re[12 + k], ci = im[4 + k] + im[12 + k];
        float dr = re[4 + k] - re[12 + k], di = im[4 + k] - im[12 + k];
        re[k] = ar + cr;
        im[k] = ai + ci;
        re[4 + k] = br + di;
        im[4 + k] = bi - dr;
        re[8 + k] = ar - cr;
        im[8 + k] = ai - ci;
        re[12 + k] = br - di;
        im[12 + k] = bi + dr;
    }
}

void dct8(const float *restrict x, float *restrict out) {
    float a0 = x[0] + x[7], a1 = x[1] + x[6], a2 = x[2] + x[5], a3 = x[3] + x[4];
    float b0 = x[0] - x[7], b1 = x[1] - x[6], b2 = x[2] - x[5], b3 = x[3] - x[4];
    out[0] = 0.35355338f * (a0 + a1 + a2 + a3);
    out[2] = 0.4619398f * (a0 - a3) + 0.19134171f * (a1 - a2);
    out[4] = 0.35355338f * (a0 - a1 - a2 + a3);
    out[6] = 0.19134171f * (a0 - a3) - 0.4619398f * (a1 - a2);
    out[1] = 0.49039263f * b0 + 0.4157348f * b1 + 0.2777851f * b2 + 0.09754516f * b3;
    out[3] = 0.4157348f * b0 - 0.09754516f * b1 - 0.49039263f * b2 - 0.2777851f * b3;
    out[5] = 0.2777851f * b0 - 0.49039263f * b1 + 0.09754516f * b2 + 0.4157348f * b3;
    out[7] = 0.09754516f * b0 - 0.2777851f * b1 + 0.4157348f * b2 - 0.49039263f * b3;
}

void hadamard(const int32_t *restrict x, int32_t *restrict out) {
    for (int i = 0; i < 4; i++) {
        int32_t a = x[i] + x[i + 4], b = x[i] - x[i + 4];
        out[i] = a + b;
        out[i + 4] = a - b;
    }
}

void quarter_rounds(uint32_t *restrict s) {
    for (int i = 0; i < 4; i++) {
        uint32_t a = s[i] + s[i + 4], d = s[i + 12] ^ a, e = (d << 16) | (d >> 16);
        uint32_t c = s[i + 8] + e, b = s[i + 4] ^ c, f = (b << 12) | (b >> 20);
        s[i] = a + f;
        s[i + 4] = f;
        s[i + 8] = c;
        s[i + 12] = e;
    }
}

void polynomials(const float *restrict x, float *restrict out) {
    for (int i = 0; i < 8; i++)
        out[i] = (((x[i] * 0.5f + 0.25f) * x[i] + 0.125f) * x[i] + 1.5f) * x[i] + 2.0f;
}

void normalise(const float *restrict v, float *restrict out) {
    float length = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
    out[0] = v[0] / length;
    out[1] = v[1] / length;
    out[2] = v[2] / length;
    out[3] = v[3] / length;
}

void distances(const float *restrict x, const float *restrict y, float *restrict out) {
    for (int i = 0; i < 4; i++) out[i] = sqrtf(x[i] * x[i] + y[i] * y[i]);
}

void roots(const double *restrict a, const double *restrict b, const double *restrict c, double *restrict out) {
    for (int i = 0; i < 4; i++) {
        double root = sqrt(fabs(b[i] * b[i] - 4.0 * a[i] * c[i]));
        out[i] = (-b[i] - root) / (2.0 * a[i]);
        out[4 + i] = (-b[i] + root) / (2.0 * a[i]);
    }
}

void blend4(const float *restrict a, const float *restrict b, float alpha, float *restrict out) {
    out[0] = a[0] * alpha + b[0] * (1.0f - alpha);
    out[1] = a[1] * alpha + b[1] * (1.0f - alpha);
    out[2] = a[2] * alpha + b[2] * (1.0f - alpha);
    out[3] = a[3] * alpha + b[3] * (1.0f - alpha);
}

void mean16(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out) {
    for (int i = 0; i < 16; i++) out[i] = (uint8_t)((a[i] + b[i] + 1) >> 1);
}

void cross4(const float *restrict a, const float *restrict b, float *restrict out) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
    out[3] = 0.0f;
}

void reflect(const float *restrict v, const float *restrict n, float *restrict out) {
    float d = 2.0f * (v[0] * n[0] + v[1] * n[1] + v[2] * n[2]);
    out[0] = v[0] - d * n[0];
    out[1] = v[1] - d * n[1];
    out[2] = v[2] - d * n[2];
    out[3] = v[3];
}

void box_union(const float *restrict a, const float *restrict b, float *restrict out) {
    for (int i = 0; i < 4; i++) {
        out[i] = a[i] < b[i] ? a[i] : b[i];
        out[4 + i] = a[4 + i] > b[4 + i] ? a[4 + i] : b[4 + i];
    }
}

void clamp8(const float *restrict x, float low, float high, float *restrict out) {
    for (int i = 0; i < 8; i++) out[i] = x[i] < low ? low : x[i] > high ? high : x[i];
}

void haar(const float *restrict x, float *restrict out) {
    for (int i = 0; i < 4; i++) {
        out[i] = 0.5f * (x[2 * i] + x[2 * i + 1]);
        out[4 + i] = 0.5f * (x[2 * i] - x[2 * i + 1]);
    }
}

void bilinear(const float *restrict p, float fx, float fy, float *restrict out) {
    for (int c = 0; c < 4; c++) {
        float top = p[c] * (1.0f - fx) + p[4 + c] * fx, low = p[8 + c] * (1.0f - fx) + p[12 + c] * fx;
        out[c] = top * (1.0f - fy) + low * fy;
    }
}

void rotate2(const float *restrict x, float s, float c, float *restrict out) {
    for (int i = 0; i < 4; i++) {
        out[2 * i] = x[2 * i] * c - x[2 * i + 1] * s;
        out[2 * i + 1] = x[2 * i] * s + x[2 * i + 1] * c;
    }
}

void widen(const int16_t *restrict x, const int16_t *restrict y, int32_t *restrict out) {
    for (int i = 0; i < 8; i++) out[i] = x[i] * y[i];
}

static void transformed(const float *x, float *out, int step) {
    float a0 = x[0] + x[7 * step], a1 = x[step] + x[6 * step], a2 = x[2 * step] + x[5 * step], a3 = x[3 * step] + x[4 * step];
    float b0 = x[0] - x[7 * step], b1 = x[step] - x[6 * step], b2 = x[2 * step] - x[5 * step], b3 = x[3 * step] - x[4 * step];
    out[0] = 0.35355338f * (a0 + a1 + a2 + a3);
    out[step] = 0.49039263f * b0 + 0.4157348f * b1 + 0.2777851f * b2 + 0.09754516f * b3;
    out[2 * step] = 0.4619398f * (a0 - a3) + 0.19134171f * (a1 - a2);
    out[3 * step] = 0.4157348f * b0 - 0.09754516f * b1 - 0.49039263f * b2 - 0.2777851f * b3;
    out[4 * step] = 0.35355338f * (a0 - a1 - a2 + a3);
    out[5 * step] = 0.2777851f * b0 - 0.49039263f * b1 + 0.09754516f * b2 + 0.4157348f * b3;
    out[6 * step] = 0.19134171f * (a0 - a3) - 0.4619398f * (a1 - a2);
    out[7 * step] = 0.09754516f * b0 - 0.2777851f * b1 + 0.4157348f * b2 - 0.49039263f * b3;
}

void dct8x8(const float *restrict x, float *restrict out) {
    for (int i = 0; i < 8; i++) transformed(x + i, out + i, 8);
    for (int i = 0; i < 8; i++) transformed(out + 8 * i, out + 8 * i, 1);
}

void planes_to_rgb(const float *restrict y, const float *restrict u, const float *restrict v, float *restrict rgb) {
    for (int i = 0; i < 4; i++) {
        rgb[3 * i] = y[i] + 1.14f * v[i];
        rgb[3 * i + 1] = y[i] - 0.395f * u[i] - 0.581f * v[i];
        rgb[3 * i + 2] = y[i] + 2.032f * u[i];
    }
}

void normalise3(const float *restrict v, float *restrict out) {
    for (int i = 0; i < 4; i++) {
        float x = v[3 * i], y = v[3 * i + 1], z = v[3 * i + 2];
        float scale = 1.0f / sqrtf(x * x + y * y + z * z);
        out[3 * i] = x * scale;
        out[3 * i + 1] = y * scale;
        out[3 * i + 2] = z * scale;
    }
}

void bytes_to_yuv(const uint8_t *restrict rgb, uint8_t *restrict y, uint8_t *restrict u, uint8_t *restrict v) {
    for (int i = 0; i < 16; i++) {
        int r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
        y[i] = ((66 * r + 129 * g + 25 * b + 128) >> 8) + 16;
        u[i] = ((112 * b - 38 * r - 74 * g + 128) >> 8) + 128;
        v[i] = ((112 * r - 94 * g - 18 * b + 128) >> 8) + 128;
    }
}

void distances3(const float *restrict p, const float *restrict q, float *restrict out) {
    for (int i = 0; i < 4; i++) {
        float x = p[3 * i] - q[3 * i], y = p[3 * i + 1] - q[3 * i + 1], z = p[3 * i + 2] - q[3 * i + 2];
        out[i] = sqrtf(x * x + y * y + z * z);
    }
}

void fft16(float *restrict re, float *restrict im, const float *restrict wr, const float *restrict wi) {
    for (int k = 0; k < 4; k++) {
        float ar = re[k] + re[8 + k], ai = im[k] + im[8 + k], br = re[k] - re[8 + k], bi = im[k] - im[8 + k];
        float cr = re[4 + k] + re[12 + k], ci = im[4 + k] + im[12 + k], dr = re[4 + k] - re[12 + k], di = im[4 + k] - im[12 + k];
        re[k] = ar + cr;
        im[k] = ai + ci;
        float er = br + di, ei = bi - dr;
        re[4 + k] = er * wr[4 + k] - ei * wi[4 + k];
        im[4 + k] = er * wi[4 + k] + ei * wr[4 + k];
        float fr = ar - cr, fi = ai - ci;
        re[8 + k] = fr * wr[8 + k] - fi * wi[8 + k];
        im[8 + k] = fr * wi[8 + k] + fi * wr[8 + k];
        float gr = br - di, gi = bi + dr;
        re[12 + k] = gr * wr[12 + k] - gi * wi[12 + k];
        im[12 + k] = gr * wi[12 + k] + gi * wr[12 + k];
    }
    for (int k = 0; k < 4; k++) {
        float ar = re[4 * k] + re[4 * k + 2], ai = im[4 * k] + im[4 * k + 2];
        float br = re[4 * k] - re[4 * k + 2], bi = im[4 * k] - im[4 * k + 2];
        float cr = re[4 * k + 1] + re[4 * k + 3], ci = im[4 * k + 1] + im[4 * k + 3];
        float dr = re[4 * k + 1] - re[4 * k + 3], di = im[4 * k + 1] - im[4 * k + 3];
        re[4 * k] = ar + cr;
        im[4 * k] = ai + ci;
        re[4 * k + 1] = br + di;
        im[4 * k + 1] = bi - dr;
        re[4 * k + 2] = ar - cr;
        im[4 * k + 2] = ai - ci;
        re[4 * k + 3] = br - di;
        im[4 * k + 3] = bi + dr;
    }
}

static uint32_t turned(uint32_t x, int by) { return (x << by) | (x >> (32 - by)); }

static void mixed(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d) {
    *a += *b, *d = turned(*d ^ *a, 16);
    *c += *d, *b = turned(*b ^ *c, 12);
    *a += *b, *d = turned(*d ^ *a, 8);
    *c += *d, *b = turned(*b ^ *c, 7);
}

void double_round(uint32_t *s) {
    for (int i = 0; i < 4; i++) mixed(s + i, s + i + 4, s + i + 8, s + i + 12);
    for (int i = 0; i < 4; i++) mixed(s + i, s + 4 + (i + 1) % 4, s + 8 + (i + 2) % 4, s + 12 + (i + 3) % 4);
}

void channel_sums(const float *restrict a, float *restrict out, int32_t n) {
    float r = 0, g = 0, b = 0, w = 0;
    for (int i = 0; i < n / 4; i++) {
        r += a[4 * i];
        g += a[4 * i + 1];
        b += a[4 * i + 2];
        w += a[4 * i + 3];
    }
    out[0] = r;
    out[1] = g;
    out[2] = b;
    out[3] = w;
}

void stereo(const float *restrict s, float *restrict out, int32_t n, float b0, float a1) {
    float l = 0, r = 0;
    for (int i = 0; i < n / 2; i++) {
        l = b0 * s[2 * i] - a1 * l;
        r = b0 * s[2 * i + 1] - a1 * r;
        out[2 * i] = l;
        out[2 * i + 1] = r;
    }
}

void generators(uint32_t *restrict out, int32_t n, uint32_t seed) {
    uint32_t a = seed, b = seed + 1, c = seed + 2, d = seed + 3;
    for (int i = 0; i < n / 4; i++) {
        a ^= a << 13, b ^= b << 13, c ^= c << 13, d ^= d << 13;
        a ^= a >> 17, b ^= b >> 17, c ^= c >> 17, d ^= d >> 17;
        out[4 * i] = a;
        out[4 * i + 1] = b;
        out[4 * i + 2] = c;
        out[4 * i + 3] = d;
    }
}

void springs(float *restrict out, int32_t n, float h) {
    float x = 1.0f, y = 0.5f, z = 0.25f, w = 0.125f, vx = 0, vy = 0, vz = 0, vw = 0;
    for (int i = 0; i < n; i++) {
        vx -= x * h, vy -= y * h, vz -= z * h, vw -= w * h;
        x += vx * h, y += vy * h, z += vz * h, w += vw * h;
        out[i] = x;
    }
    out[0] = y;
}

void biquads(const float *restrict s, float *restrict out, int n, float b0, float b1, float b2, float a1, float a2) {
    float l1 = 0, l2 = 0, r1 = 0, r2 = 0;
    for (int i = 0; i < n / 2; i++) {
        float l = b0 * s[2 * i] + l1, r = b0 * s[2 * i + 1] + r1;
        l1 = b1 * s[2 * i] - a1 * l + l2;
        r1 = b1 * s[2 * i + 1] - a1 * r + r2;
        l2 = b2 * s[2 * i] - a2 * l;
        r2 = b2 * s[2 * i + 1] - a2 * r;
        out[2 * i] = l;
        out[2 * i + 1] = r;
    }
}
