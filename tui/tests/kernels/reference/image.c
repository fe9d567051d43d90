#include "reference.h"

struct rgb { uint8_t r, g, b; };
struct rgba { uint8_t r, g, b, a; };

static void resize_bilinear(const uint8_t *src, uint8_t *dst, int h, int w, int h2, int w2)
{
    float sy = (float)h / h2, sx = (float)w / w2;
    for (int y = 0; y < h2; y++)
        for (int x = 0; x < w2; x++) {
            float fy = fmaxf((y + 0.5f) * sy - 0.5f, 0), fx = fmaxf((x + 0.5f) * sx - 0.5f, 0);
            int y0 = (int)fy, x0 = (int)fx, y1 = least_of(y0 + 1, h - 1), x1 = least_of(x0 + 1, w - 1);
            double p = fy - y0, q = fx - x0;
            double top = src[y0 * w + x0] * (1 - q) + src[y0 * w + x1] * q;
            double bottom = src[y1 * w + x0] * (1 - q) + src[y1 * w + x1] * q;
            dst[y * w2 + x] = (uint8_t)(top * (1 - p) + bottom * p + 0.5);
        }
}

static int by_value(const void *a, const void *b) { return *(const uint8_t *)a - *(const uint8_t *)b; }

static void median3x3(const uint8_t *src, uint8_t *dst, int h, int w)
{
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            uint8_t v[9];
            for (int k = 0; k < 9; k++)
                v[k] = src[(y + k / 3 - 1) * w + x + k % 3 - 1];
            qsort(v, 9, 1, by_value);
            dst[y * w + x] = v[4];
        }
}

static void histogram(const uint8_t *pixels, int32_t *bins, int n)
{
    memset(bins, 0, 256 * sizeof *bins);
    for (int i = 0; i < n; i++)
        bins[pixels[i]]++;
}

static void equalize_histogram(const uint8_t *pixels, uint8_t *out, int n)
{
    int bins[256], least = 256;
    histogram(pixels, bins, n);
    for (int i = 0; i < n; i++)
        least = least_of(least, pixels[i]);
    for (int i = 0; i < n; i++) {
        int below = 0;
        for (int v = 0; v <= pixels[i]; v++)
            below += bins[v];
        out[i] = (uint8_t)((below - bins[least]) * 255 / most_of(n - bins[least], 1));
    }
}

static void sobel(const uint8_t *src, uint8_t *out, int h, int w)
{
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            const uint8_t *a = src + (y - 1) * w + x, *b = a + w, *c = b + w;
            int gx = a[1] + 2 * b[1] + c[1] - a[-1] - 2 * b[-1] - c[-1];
            int gy = c[-1] + 2 * c[0] + c[1] - a[-1] - 2 * a[0] - a[1];
            double length = sqrt((double)(gx * gx + gy * gy));
            out[y * w + x] = length > 255 ? 255 : (uint8_t)length;
        }
}

static void gauss3(const float *src, float *tmp, float *dst, int h, int w)
{
    double k[7], sum = 0;
    for (int i = 0; i < 7; i++)
        sum += k[i] = exp(-0.5 * pow((i - 3) / 1.5, 2));
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            double s = 0;
            for (int i = 0; i < 7; i++)
                s += k[i] / sum * src[y * w + between(x + i - 3, 0, w - 1)];
            tmp[y * w + x] = (float)s;
        }
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            double s = 0;
            for (int i = 0; i < 7; i++)
                s += k[i] / sum * tmp[between(y + i - 3, 0, h - 1) * w + x];
            dst[y * w + x] = (float)s;
        }
}

static void rgb_to_yuv(const struct rgb *src, uint8_t *y, uint8_t *u, uint8_t *v, int n)
{
    for (int i = 0; i < n; i++) {
        int r = src[i].r, g = src[i].g, b = src[i].b;
        y[i] = (uint8_t)(((66 * r + 129 * g + 25 * b + 128) >> 8) + 16);
        u[i] = (uint8_t)(((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128);
        v[i] = (uint8_t)(((112 * r - 94 * g - 18 * b + 128) >> 8) + 128);
    }
}

static void integral(const uint8_t *src, uint32_t *out, int h, int w)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            out[y * w + x] = 0;
            for (int i = 0; i <= y; i++)
                for (int j = 0; j <= x; j++)
                    out[y * w + x] += src[i * w + j];
        }
}

static uint8_t nearest_of_255(unsigned x) { return (uint8_t)((2 * x + 255) / 510); }

static void blend_over(const struct rgba *front, struct rgba *back, int n)
{
    for (int i = 0; i < n; i++) {
        unsigned a = front[i].a, rest = 255 - a;
        back[i].r = nearest_of_255(front[i].r * a + back[i].r * rest);
        back[i].g = nearest_of_255(front[i].g * a + back[i].g * rest);
        back[i].b = nearest_of_255(front[i].b * a + back[i].b * rest);
        back[i].a = (uint8_t)(a + nearest_of_255(back[i].a * rest));
    }
}

static void dither(float *image, bool *out, int h, int w)
{
    static const int dy[] = {0, 1, 1, 1}, dx[] = {1, -1, 0, 1}, part[] = {7, 3, 5, 1};
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float old = image[y * w + x];
            out[y * w + x] = old >= 0.5f;
            float error = old - (float)out[y * w + x];
            for (int k = 0; k < 4; k++)
                if (y + dy[k] < h && x + dx[k] >= 0 && x + dx[k] < w)
                    image[(y + dy[k]) * w + x + dx[k]] += error * (float)part[k] / 16;
        }
}
