#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static void multiply(const int32_t *restrict starts, const int32_t *restrict columns, const double *restrict values, const double *restrict x,
                     double *restrict out, int n) {
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = starts[i]; j < starts[i + 1]; j++) sum += values[j] * x[columns[j]];
        out[i] = sum;
    }
}

static double inner(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

int32_t gmres(const int32_t *restrict starts, const int32_t *restrict columns, const double *restrict values, const double *restrict b,
              double *restrict x, double *restrict basis, double small, int32_t n, int32_t m, int32_t k) {
    (void)k;
    double *triangle = calloc((size_t)m * (m + 1), sizeof *triangle), *cosines = calloc(m, sizeof *cosines);
    double *sines = calloc(m, sizeof *sines), *right = calloc(m + 1, sizeof *right), size = sqrt(inner(b, b, n));
    right[0] = size;
    for (int i = 0; i < n; i++) basis[i] = b[i] / size;
    int steps = 0;
    for (; steps < m && fabs(right[steps]) > small * size; steps++) {
        int j = steps;
        double *column = triangle + (size_t)j * (m + 1), *restrict next = basis + (size_t)(j + 1) * n;
        multiply(starts, columns, values, basis + (size_t)j * n, next, n);
        for (int p = 0; p <= j; p++) {
            const double *restrict one = basis + (size_t)p * n;
            column[p] = inner(next, one, n);
            for (int i = 0; i < n; i++) next[i] -= column[p] * one[i];
        }
        double rest = sqrt(inner(next, next, n));
        for (int i = 0; i < n; i++) next[i] /= rest;
        for (int p = 0; p < j; p++) {
            double above = column[p], below = column[p + 1];
            column[p] = cosines[p] * above + sines[p] * below;
            column[p + 1] = cosines[p] * below - sines[p] * above;
        }
        double both = sqrt(column[j] * column[j] + rest * rest);
        cosines[j] = column[j] / both;
        sines[j] = rest / both;
        column[j] = both;
        right[j + 1] = -sines[j] * right[j];
        right[j] *= cosines[j];
    }
    for (int j = steps - 1; j >= 0; j--) {
        for (int p = j + 1; p < steps; p++) right[j] -= triangle[(size_t)p * (m + 1) + j] * right[p];
        right[j] /= triangle[(size_t)j * (m + 1) + j];
    }
    for (int i = 0; i < n; i++) x[i] = 0;
    for (int j = 0; j < steps; j++)
        for (int i = 0; i < n; i++) x[i] += right[j] * basis[(size_t)j * n + i];
    free(triangle), free(cosines), free(sines), free(right);
    return steps;
}
