// The kernels of `loops.lane` under `@reassoc`, as C programmers write them.

#include <math.h>
#include <stdint.h>

void softmax(const float *restrict x, float *restrict out, int32_t rows, int32_t cols) {
    for (int r = 0; r < rows; r++) {
        const float *from = x + r * cols;
        float *to = out + r * cols, most = from[0], total = 0.0f;
        for (int c = 0; c < cols; c++) most = from[c] > most ? from[c] : most;
        for (int c = 0; c < cols; c++) total += to[c] = expf(from[c] - most);
        for (int c = 0; c < cols; c++) to[c] = to[c] / total;
    }
}

void softmax_map(const float *restrict x, float *restrict out, int32_t rows, int32_t cols) { softmax(x, out, rows, cols); }

void layer_norm(const float *restrict x, const float *restrict gain, const float *restrict bias, float *restrict out, int32_t rows,
                int32_t cols) {
    for (int r = 0; r < rows; r++) {
        const float *from = x + r * cols;
        float *to = out + r * cols, total = 0.0f, squares = 0.0f;
        for (int c = 0; c < cols; c++) total += from[c];
        float mean = total / (float)cols;
        for (int c = 0; c < cols; c++) squares += (from[c] - mean) * (from[c] - mean);
        float deviation = sqrtf(squares / (float)cols + 0.00001f);
        for (int c = 0; c < cols; c++) to[c] = (from[c] - mean) / deviation * gain[c] + bias[c];
    }
}

void extremes(const float *restrict a, float *restrict out, int32_t n) {
    float least = a[0], most = a[0], total = 0.0f, squares = 0.0f;
    for (int i = 0; i < n; i++) {
        least = a[i] < least ? a[i] : least;
        most = a[i] > most ? a[i] : most;
        total += a[i];
        squares += a[i] * a[i];
    }
    out[0] = least, out[1] = most, out[2] = total, out[3] = squares;
}

void nearest(const float *restrict points, const float *restrict centres, float *restrict sums, int32_t *restrict counts, int32_t n,
             int32_t d, int32_t k) {
    for (int c = 0; c < k; c++) {
        counts[c] = 0;
        for (int j = 0; j < d; j++) sums[c * d + j] = 0.0f;
    }
    for (int i = 0; i < n; i++) {
        int at = 0;
        float least = 0.0f;
        for (int c = 0; c < k; c++) {
            float distance = 0.0f;
            for (int j = 0; j < d; j++) {
                float off = points[i * d + j] - centres[c * d + j];
                distance += off * off;
            }
            if (c == 0 || distance < least) least = distance, at = c;
        }
        for (int j = 0; j < d; j++) sums[at * d + j] += points[i * d + j];
        counts[at]++;
    }
}
