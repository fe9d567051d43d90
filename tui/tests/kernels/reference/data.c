#include "reference.h"

static int filter_rows(const float *price, const int *amount, float *out_price, int *out_amount, float least, float most, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        if (price[i] >= least && price[i] <= most) {
            out_price[count] = price[i];
            out_amount[count++] = amount[i];
        }
    return count;
}

static void group_by(const uint8_t *keys, const float *values, double *sums, int *counts, float *largest_of, int n)
{
    for (int key = 0; key < 256; key++) {
        sums[key] = counts[key] = 0;
        largest_of[key] = -INFINITY;
        for (int i = 0; i < n; i++)
            if (keys[i] == key) {
                sums[key] += values[i];
                counts[key]++;
                largest_of[key] = fmaxf(largest_of[key], values[i]);
            }
    }
}

static void base64(const uint8_t *bytes, uint8_t *text, int n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int i = 0; i + 2 < n; i += 3) {
        uint32_t all = (uint32_t)bytes[i] << 16 | (uint32_t)bytes[i + 1] << 8 | bytes[i + 2];
        for (int k = 0; k < 4; k++)
            *text++ = (uint8_t)digits[all >> (18 - 6 * k) & 63];
    }
}

static int utf8_count(const uint8_t *text, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        count += (int8_t)text[i] >= -64;
    return count;
}

/* Bit by bit, without a table. */
static uint32_t crc32(const uint8_t *bytes, int n)
{
    uint32_t crc = ~0u;
    for (int i = 0; i < n; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

static int by_number(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void bitonic_sort(int *a, int n) { qsort(a, (size_t)n, sizeof *a, by_number); }

static void transpose_tiles(const float *a, float *out, int h, int w)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            out[x * h + y] = a[y * w + x];
}

static void lower_bound(const float *sorted, const float *wanted, int *out, int n, int m)
{
    for (int i = 0; i < m; i++)
        for (out[i] = 0; out[i] < n && sorted[out[i]] < wanted[i]; out[i]++)
            ;
}

static int run_lengths(const uint8_t *a, uint8_t *values, int *lengths, int n)
{
    int runs = 0;
    for (int i = 0, k; i < n; i = k) {
        for (k = i; k < n && a[k] == a[i]; k++)
            ;
        values[runs] = a[i];
        lengths[runs++] = k - i;
    }
    return runs;
}

static int count_words(const uint8_t *text, int n)
{
    int words = 0;
    for (int i = 0; i < n; i++) {
        bool here = !strchr(" \t\n\v\f\r", text[i]) || !text[i];
        bool before = i > 0 && (!strchr(" \t\n\v\f\r", text[i - 1]) || !text[i - 1]);
        words += here && !before;
    }
    return words;
}

static void hamming(const uint64_t *codes, const uint64_t *query, int *out, int n)
{
    for (int i = 0; i < n; i++) {
        out[i] = 0;
        for (int bit = 0; bit < 256; bit++)
            out[i] += (codes[4 * i + bit / 64] >> bit % 64 & 1) != (query[bit / 64] >> bit % 64 & 1);
    }
}

static int edit_distance(const uint8_t *a, const uint8_t *b, int n, int m)
{
    int *d = calloc((size_t)(n + 1) * (size_t)(m + 1), sizeof *d), last;
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= m; j++) {
            int *at = &d[i * (m + 1) + j];
            if (!i || !j)
                *at = i + j;
            else
                *at = least_of(least_of(at[-1], at[-m - 1]) + 1, at[-m - 2] + (a[i - 1] != b[j - 1]));
        }
    last = d[n * (m + 1) + m];
    free(d);
    return last;
}

static int varints(const uint8_t *bytes, uint64_t *out, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        uint64_t value = 0, scale = 1;
        for (; bytes[i] >= 128; i++, scale *= 128)
            value += bytes[i] % 128 * scale;
        out[count++] = value + bytes[i] * scale;
    }
    return count;
}

static int count_colours(const uint8_t *colours, const float *prices, int *reds, float *total, int n)
{
    int count = 0;
    total[0] = 0;
    for (int i = 0; i < n; i++)
        if (colours[i] == 0)
            reds[count++] = i;
        else
            total[0] += prices[i];
    return count;
}
