#include "reference.h"

struct biquad { float b0, b1, b2, a1, a2; };

/* Direct form, transposed, of the second kind. */
static float filtered(const struct biquad *c, float *z, float x)
{
    float y = c->b0 * x + z[0];
    z[0] = c->b1 * x - c->a1 * y + z[1];
    z[1] = c->b2 * x - c->a2 * y;
    return y;
}

static void equalize(const float *x, float *out, const struct biquad *bands, int n)
{
    float z[3][2] = {{0}};
    for (int i = 0; i < n; i++) {
        float y = x[i];
        for (int k = 0; k < 3; k++)
            y = filtered(&bands[k], z[k], y);
        out[i] = y;
    }
}

static void filter_channels(float *x, const struct biquad *c, int n, int channels)
{
    for (int ch = 0; ch < channels; ch++) {
        float z[2] = {0};
        for (int i = 0; i < n; i++)
            x[i * channels + ch] = filtered(c, z, x[i * channels + ch]);
    }
}

static void limit(const float *x, float *out, int n, int ahead, float threshold, float release)
{
    float g = 1;
    for (int i = 0; i < n; i++) {
        float peak = 0;
        for (int k = i; k < n && k < i + ahead; k++)
            peak = fmaxf(peak, fabsf(x[k]));
        float back = g + (1 - g) * release;
        g = peak > threshold && threshold / peak < back ? threshold / peak : back < 1 ? back : 1;
        out[i] = x[i] * g;
    }
}

static void fir(const float *x, const float *taps, float *out, int n, int m)
{
    for (int i = m - 1; i < n; i++) {
        out[i] = 0;
        for (int k = 0; k < m; k++)
            out[i] += taps[k] * x[i - k];
    }
}

/* The transform as it is defined, in double precision. */
static void fft(struct pair *x, int n)
{
    struct pair *sum = calloc((size_t)n + 1, sizeof *sum);
    for (int k = 0; k < n; k++) {
        double re = 0, im = 0;
        for (int t = 0; t < n; t++) {
            double angle = -2 * PI * k * t / n;
            re += x[t].x * cos(angle) - x[t].y * sin(angle);
            im += x[t].x * sin(angle) + x[t].y * cos(angle);
        }
        sum[k].x = (float)re;
        sum[k].y = (float)im;
    }
    memcpy(x, sum, (size_t)n * sizeof *sum);
    free(sum);
}

static void echo(const float *x, float *out, int n, int delay, float feedback)
{
    for (int i = 0; i < n; i++)
        out[i] = i < delay ? x[i] : x[i] + feedback * out[i - delay];
}

static void to_pcm16(const float *x, int16_t *out, int n, uint32_t seed)
{
    for (int i = 0; i < n; i++) {
        float dither = uniform(seed, 2 * (uint32_t)i) - uniform(seed, 2 * (uint32_t)i + 1);
        float y = rintf(x[i] * 32767 + dither);
        out[i] = y > 32767 ? 32767 : y < -32768 ? -32768 : (int16_t)y;
    }
}

/* The power of one line of a spectrum, by its definition. */
static void goertzel(const float *blocks, float *power, float frequency, int m, int n)
{
    for (int b = 0; b < m; b++) {
        double re = 0, im = 0;
        for (int i = 0; i < n; i++) {
            re += blocks[b * n + i] * cos(2 * PI * frequency * i);
            im += blocks[b * n + i] * sin(2 * PI * frequency * i);
        }
        power[b] = (float)(re * re + im * im);
    }
}
