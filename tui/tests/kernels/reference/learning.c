#include "reference.h"

/* Weights of softmax, of scores that may be overwritten. */
static void weigh(double *scores, int n)
{
    double most = -INFINITY, sum = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, scores[i]);
    for (int i = 0; i < n; i++)
        sum += scores[i] = exp(scores[i] - most);
    for (int i = 0; i < n; i++)
        scores[i] /= sum;
}

static void softmax(const float *scores, float *out, int rows, int cols)
{
    double *row = calloc((size_t)cols + 1, sizeof *row);
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < cols; c++)
            row[c] = scores[r * cols + c];
        weigh(row, cols);
        for (int c = 0; c < cols; c++)
            out[r * cols + c] = (float)row[c];
    }
    free(row);
}

static void attend(const float *q, const float *k, const float *v, float *out, int n, int m, int d)
{
    double *row = calloc((size_t)m + 1, sizeof *row);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            row[j] = 0;
            for (int c = 0; c < d; c++)
                row[j] += (double)q[i * d + c] * k[j * d + c];
            row[j] /= sqrt(d);
        }
        weigh(row, m);
        for (int c = 0; c < d; c++) {
            double sum = 0;
            for (int j = 0; j < m; j++)
                sum += row[j] * v[j * d + c];
            out[i * d + c] = (float)sum;
        }
    }
    free(row);
}

static void attention(const float *q, const float *k, const float *v, float *out, int n, int m, int d)
{
    attend(q, k, v, out, n, m, d);
}

static void flash_attention(const float *q, const float *k, const float *v, float *out, int n, int m)
{
    attend(q, k, v, out, n, m, 16);
}

static void quantize(const float *x, int8_t *out, float *scales, int rows, int cols)
{
    for (int r = 0; r < rows; r++, x += cols, out += cols) {
        float most = 0;
        for (int c = 0; c < cols; c++)
            most = fmaxf(most, fabsf(x[c]));
        scales[r] = most > 0 ? most / 127 : 1;
        for (int c = 0; c < cols; c++)
            out[c] = (int8_t)fmaxf(fminf(rintf(x[c] / scales[r]), 127), -128);
    }
}

static void matmul_i8(const int8_t *a, const int8_t *b, const float *a_scales, const float *b_scales, float *out, int n, int m, int k)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            int sum = 0;
            for (int p = 0; p < k; p++)
                sum += a[i * k + p] * b[j * k + p];
            out[i * m + j] = (float)sum * a_scales[i] * b_scales[j];
        }
}

static void conv3x3(const float *image, const float *weights, const float *bias, float *out, int channels, int filters, int h, int w)
{
    for (int f = 0; f < filters; f++)
        for (int y = 1; y < h - 1; y++)
            for (int x = 1; x < w - 1; x++) {
                float sum = bias[f];
                for (int c = 0; c < channels; c++)
                    for (int k = 0; k < 9; k++)
                        sum += weights[(f * channels + c) * 9 + k] * image[(c * h + y + k / 3 - 1) * w + x + k % 3 - 1];
                out[(f * h + y) * w + x] = sum > 0 ? sum : 0;
            }
}

static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, digits = bits & 1023;
    double value = exponent ? ldexp(1024 + digits, exponent - 25) : ldexp(digits, -24);
    return bits & 0x8000 ? -value : value;
}

/* The nearest half of a number that is neither tiny nor huge, by search among all. */
static uint16_t nearest_half(double x)
{
    uint16_t best = 0;
    for (unsigned bits = 0; bits < 0x7c00; bits++)
        if (fabs(half_value((uint16_t)bits) - fabs(x)) < fabs(half_value(best) - fabs(x)))
            best = (uint16_t)bits;
    return x < 0 ? best | 0x8000 : best;
}

static void rms_norm(uint16_t *x, const uint16_t *gain, int rows, int cols, float epsilon)
{
    for (int r = 0; r < rows; r++, x += cols) {
        double squares = 0;
        for (int c = 0; c < cols; c++)
            squares += half_value(x[c]) * half_value(x[c]);
        for (int c = 0; c < cols; c++)
            x[c] = nearest_half(half_value(x[c]) / sqrt(squares / cols + epsilon) * half_value(gain[c]));
    }
}

static void adam(float *w, const float *grad, float *m, float *v, int n, int t, float rate, float beta1, float beta2, float epsilon)
{
    for (int i = 0; i < n; i++) {
        m[i] = beta1 * m[i] + (1 - beta1) * grad[i];
        v[i] = beta2 * v[i] + (1 - beta2) * grad[i] * grad[i];
        double mean = m[i] / (1 - pow(beta1, t)), square = v[i] / (1 - pow(beta2, t));
        w[i] -= (float)(rate * mean / (sqrt(square) + epsilon));
    }
}

static void max_pool(const float *x, float *out, int h, int w)
{
    for (int y = 0; y < h; y++)
        for (int i = 0; i < w; i++) {
            float most = -INFINITY;
            for (int k = 0; k < 4; k++)
                most = fmaxf(most, x[(2 * y + k / 2) * 2 * w + 2 * i + k % 2]);
            out[y * w + i] = most;
        }
}

static void kmeans_step(const struct triple *points, struct triple *centres, int *nearest, int n, int k)
{
    for (int i = 0; i < n; i++) {
        nearest[i] = 0;
        for (int c = 1; c < k; c++) {
            struct triple d = minus(points[i], centres[c]), best = minus(points[i], centres[nearest[i]]);
            if (inner(d, d) < inner(best, best))
                nearest[i] = c;
        }
    }
    for (int c = 0; c < k; c++) {
        double x = 0, y = 0, z = 0;
        int count = 0;
        for (int i = 0; i < n; i++)
            if (nearest[i] == c) {
                x += points[i].x, y += points[i].y, z += points[i].z;
                count++;
            }
        if (count)
            centres[c] = (struct triple){(float)(x / count), (float)(y / count), (float)(z / count)};
    }
}
