// The loops of `media.lane`, as C programmers write them.

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static int clamped(int x, int low, int high) { return x < low ? low : x > high ? high : x; }

static uint8_t less(uint8_t a, uint8_t b) { return a < b ? a : b; }

static uint8_t more(uint8_t a, uint8_t b) { return a > b ? a : b; }

static uint8_t middle(uint8_t a, uint8_t b, uint8_t c) { return more(less(a, b), less(more(a, b), c)); }

void luma_of_planes(const uint8_t *restrict r, const uint8_t *restrict g, const uint8_t *restrict b,
                    uint8_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) out[i] = (uint8_t)((r[i] * 77 + g[i] * 150 + b[i] * 29 + 128) >> 8);
}

void premultiply(const uint8_t *restrict pixels, uint8_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        int alpha = pixels[4 * i + 3];
        for (int c = 0; c < 3; c++) {
            int t = pixels[4 * i + c] * alpha + 128;
            out[4 * i + c] = (uint8_t)((t + (t >> 8)) >> 8);
        }
        out[4 * i + 3] = pixels[4 * i + 3];
    }
}

void sobel(const uint8_t *restrict a, uint8_t *restrict out, int32_t h, int32_t w) {
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            const uint8_t *up = a + (y - 1) * w + x, *at = a + y * w + x, *down = a + (y + 1) * w + x;
            int left = up[-1] + 2 * at[-1] + down[-1];
            int right = up[1] + 2 * at[1] + down[1];
            int above = up[-1] + 2 * up[0] + up[1];
            int below = down[-1] + 2 * down[0] + down[1];
            int size = abs(right - left) + abs(below - above);
            out[y * w + x] = (uint8_t)(size < 255 ? size : 255);
        }
}

void median_of_nine(const uint8_t *restrict a, uint8_t *restrict out, int32_t h, int32_t w) {
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            const uint8_t *up = a + (y - 1) * w + x, *at = a + y * w + x, *down = a + (y + 1) * w + x;
            uint8_t least = less(up[-1], less(up[0], up[1]));
            least = more(least, less(at[-1], less(at[0], at[1])));
            least = more(least, less(down[-1], less(down[0], down[1])));
            uint8_t most = more(up[-1], more(up[0], up[1]));
            most = less(most, more(at[-1], more(at[0], at[1])));
            most = less(most, more(down[-1], more(down[0], down[1])));
            uint8_t above = middle(up[-1], up[0], up[1]);
            uint8_t beside = middle(at[-1], at[0], at[1]);
            uint8_t below = middle(down[-1], down[0], down[1]);
            out[y * w + x] = middle(least, middle(above, beside, below), most);
        }
}

void local_threshold(const uint8_t *restrict a, uint8_t *restrict out, int32_t h, int32_t w) {
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            int s = 0;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) s += a[(y + i - 1) * w + x + j - 1];
            out[y * w + x] = a[y * w + x] * 9 > s + 27 ? 255 : 0;
        }
}

void equalise(const uint8_t *restrict a, const uint8_t *restrict levels, uint8_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) out[i] = levels[a[i]];
}

void stretch_row(const uint8_t *restrict a, uint8_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        int place = i * 160;
        int from = place >> 8;
        int part = place & 255;
        out[i] = (uint8_t)((a[from] * (256 - part) + a[from + 1] * part + 128) >> 8);
    }
}

void halve_image(const uint8_t *restrict a, uint8_t *restrict out, int32_t h, int32_t w) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const uint8_t *above = a + 2 * y * 2 * w + 2 * x, *below = above + 2 * w;
            out[y * w + x] = (uint8_t)((above[0] + above[1] + below[0] + below[1] + 2) >> 2);
        }
}

void yuv_to_rgb(const uint8_t *restrict y, const uint8_t *restrict u, const uint8_t *restrict v, uint8_t *restrict rgb,
                int32_t n) {
    for (int i = 0; i < n; i++) {
        int c = 298 * (y[i] - 16) + 128;
        int d = u[i] - 128;
        int e = v[i] - 128;
        rgb[3 * i] = (uint8_t)clamped((c + 409 * e) >> 8, 0, 255);
        rgb[3 * i + 1] = (uint8_t)clamped((c - 100 * d - 208 * e) >> 8, 0, 255);
        rgb[3 * i + 2] = (uint8_t)clamped((c + 516 * d) >> 8, 0, 255);
    }
}

void dither_row(const uint8_t *restrict a, uint8_t *restrict out, int32_t n) {
    int rest = 0;
    for (int i = 0; i < n; i++) {
        int v = a[i] + rest;
        if (v > 127) {
            out[i] = 255;
            rest = v - 255;
        } else {
            out[i] = 0;
            rest = v;
        }
    }
}

void summed_area(const uint8_t *restrict a, uint32_t *restrict sums, int32_t h, int32_t w) {
    for (int y = 1; y < h; y++) {
        uint32_t row = 0;
        for (int x = 0; x < w; x++) {
            row += a[y * w + x];
            sums[y * w + x] = sums[(y - 1) * w + x] + row;
        }
    }
}

void mirror_rows(const uint8_t *restrict a, uint8_t *restrict out, int32_t h, int32_t w) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) out[y * w + x] = a[y * w + w - 1 - x];
}

void pack_565(const uint8_t *restrict pixels, uint16_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        int r = pixels[3 * i] >> 3;
        int g = pixels[3 * i + 1] >> 2;
        int b = pixels[3 * i + 2] >> 3;
        out[i] = (uint16_t)(r << 11 | g << 5 | b);
    }
}

void gain_ramp(const float *restrict a, float *restrict out, int32_t n, float from) {
    float gain = from;
    for (int i = 0; i < n; i++) {
        out[i] = a[i] * gain;
        gain += 0.001f;
    }
}

void mix_clipped(const int16_t *restrict a, const int16_t *restrict b, int16_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) out[i] = (int16_t)clamped(a[i] + b[i], -32768, 32767);
}

void envelope(const float *restrict a, float *restrict out, int32_t n) {
    float e = 0.0f;
    for (int i = 0; i < n; i++) {
        float x = fabsf(a[i]);
        if (x > e)
            e += 0.5f * (x - e);
        else
            e += 0.01f * (x - e);
        out[i] = e;
    }
}

void transposed_biquad(const float *restrict a, float *restrict out, int32_t n) {
    float z1 = 0.0f, z2 = 0.0f;
    for (int i = 0; i < n; i++) {
        float x = a[i];
        float y = 0.25f * x + z1;
        z1 = 0.5f * x - 0.125f * y + z2;
        z2 = 0.25f * x - 0.25f * y;
        out[i] = y;
    }
}

void crossfade(const float *restrict a, const float *restrict b, float *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        float t = (float)i / (float)n;
        out[i] = a[i] * (1.0f - t) + b[i] * t;
    }
}

void without_offset(const float *restrict a, float *restrict out, int32_t n) {
    float before = 0.0f, y = 0.0f;
    for (int i = 0; i < n; i++) {
        y = a[i] - before + 0.995f * y;
        before = a[i];
        out[i] = y;
    }
}

void channels_apart(const int16_t *restrict a, int16_t *restrict left, int16_t *restrict right, int32_t n) {
    for (int i = 0; i < n; i++) {
        left[i] = a[2 * i];
        right[i] = a[2 * i + 1];
    }
}

void channels_together(const float *restrict left, const float *restrict right, float *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        out[2 * i] = left[i];
        out[2 * i + 1] = right[i];
    }
}

void mid_and_side(int16_t *restrict samples, int32_t n) {
    for (int i = 0; i < n; i++) {
        int left = samples[2 * i];
        int right = samples[2 * i + 1];
        samples[2 * i] = (int16_t)((left + right) >> 1);
        samples[2 * i + 1] = (int16_t)((left - right) >> 1);
    }
}

void soft_clip(const float *restrict a, float *restrict out, int32_t n, float drive) {
    for (int i = 0; i < n; i++) {
        float x = a[i] * drive;
        if (x > 1.0f)
            out[i] = 0.6666667f;
        else if (x < -1.0f)
            out[i] = -0.6666667f;
        else
            out[i] = x - x * x * x * 0.3333333f;
    }
}

void peak_and_energy(const int16_t *restrict a, int64_t *restrict out, int32_t n) {
    int32_t peak = 0;
    int64_t energy = 0;
    for (int i = 0; i < n; i++) {
        int32_t x = a[i];
        peak = abs(x) > peak ? abs(x) : peak;
        energy += x * x;
    }
    out[0] = peak;
    out[1] = energy;
}

void fir_of_shorts(const int16_t *restrict a, const int16_t *restrict taps, int16_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        int32_t s = 0;
        for (int k = 0; k < 16; k++) s += a[i + k] * taps[k] >> 8;
        out[i] = (int16_t)clamped(s, -32768, 32767);
    }
}

void floats_to_shorts(const float *restrict a, int16_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        float x = a[i] * 32767.0f;
        x = x > -32768.0f ? x : -32768.0f;
        out[i] = (int16_t)(x < 32767.0f ? x : 32767.0f);
    }
}

void zero_crossings(const float *restrict a, int32_t *restrict out, int32_t n) {
    int found = 0;
    for (int i = 1; i < n; i++) found += (a[i] < 0.0f) != (a[i - 1] < 0.0f);
    out[0] = found;
}
