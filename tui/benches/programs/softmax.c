#include <math.h>
#include <stdint.h>

void softmax(const float *restrict scores, float *restrict weights, int32_t rows, int32_t cols, float temperature) {
    for (int r = 0; r < rows; r++) {
        const float *in = scores + (long)r * cols;
        float *out = weights + (long)r * cols;
        float most = in[0], sum = 0;
        for (int c = 1; c < cols; c++) most = in[c] > most ? in[c] : most;
        for (int c = 0; c < cols; c++) {
            out[c] = expf((in[c] - most) / temperature);
            sum += out[c];
        }
        for (int c = 0; c < cols; c++) out[c] /= sum;
    }
}
