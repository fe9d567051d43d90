#include <stdint.h>
#include <string.h>

void sgemm_cells(const float *restrict a, const float *restrict b, float *restrict c, int32_t n, int32_t k, int32_t m) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float sum = 0;
            for (int p = 0; p < k; p++) sum += a[i * k + p] * b[p * m + j];
            c[i * m + j] = sum;
        }
}

void sgemm_rows(const float *restrict a, const float *restrict b, float *restrict c, int32_t n, int32_t k, int32_t m) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) c[i * m + j] = 0;
        for (int p = 0; p < k; p++)
            for (int j = 0; j < m; j++) c[i * m + j] += a[i * k + p] * b[p * m + j];
    }
}

void sgemm_tiles(const float *restrict a, const float *restrict b, float *restrict c, int32_t n, int32_t k, int32_t m) {
    enum { DOWN = 4, ACROSS = 32 };
    for (int i = 0; i < n; i += DOWN)
        for (int j = 0; j < m; j += ACROSS) {
            float tile[DOWN][ACROSS] = {{0}};
            for (int p = 0; p < k; p++)
                for (int y = 0; y < DOWN; y++)
                    for (int x = 0; x < ACROSS; x++) tile[y][x] += a[(i + y) * k + p] * b[p * m + j + x];
            for (int y = 0; y < DOWN; y++) memcpy(c + (i + y) * m + j, tile[y], sizeof tile[y]);
        }
}

void sgemm_library(const float *restrict a, const float *restrict b, float *restrict c, int32_t n, int32_t k, int32_t m) {
    sgemm_tiles(a, b, c, n, k, m);
}
