#include <math.h>
#include <stdint.h>

// The cosine of each frequency at each place, of length 1.
static const float WAVES[8][8] = {
    {0.353553391f, 0.353553391f, 0.353553391f, 0.353553391f, 0.353553391f, 0.353553391f, 0.353553391f, 0.353553391f},
    {0.490392640f, 0.415734806f, 0.277785117f, 0.097545161f, -0.097545161f, -0.277785117f, -0.415734806f, -0.490392640f},
    {0.461939766f, 0.191341716f, -0.191341716f, -0.461939766f, -0.461939766f, -0.191341716f, 0.191341716f, 0.461939766f},
    {0.415734806f, -0.097545161f, -0.490392640f, -0.277785117f, 0.277785117f, 0.490392640f, 0.097545161f, -0.415734806f},
    {0.353553391f, -0.353553391f, -0.353553391f, 0.353553391f, 0.353553391f, -0.353553391f, -0.353553391f, 0.353553391f},
    {0.277785117f, -0.490392640f, 0.097545161f, 0.415734806f, -0.415734806f, -0.097545161f, 0.490392640f, -0.277785117f},
    {0.191341716f, -0.461939766f, 0.461939766f, -0.191341716f, -0.191341716f, 0.461939766f, -0.461939766f, 0.191341716f},
    {0.097545161f, -0.277785117f, 0.415734806f, -0.490392640f, 0.490392640f, -0.415734806f, 0.277785117f, -0.097545161f},
};

void to_frequencies(const uint8_t *restrict pixels, const float *restrict quanta, int16_t *restrict out, int32_t h, int32_t w) {
    for (int top = 0; top < h; top += 8)
        for (int left = 0; left < w; left += 8) {
            float half[8][8];
            for (int y = 0; y < 8; y++)
                for (int u = 0; u < 8; u++) {
                    float sum = 0;
                    for (int x = 0; x < 8; x++) sum += ((float)pixels[(top + y) * w + left + x] - 128) * WAVES[u][x];
                    half[y][u] = sum;
                }
            for (int v = 0; v < 8; v++)
                for (int u = 0; u < 8; u++) {
                    float sum = 0;
                    for (int y = 0; y < 8; y++) sum += half[y][u] * WAVES[v][y];
                    out[(top + v) * w + left + u] = (int16_t)rintf(sum / quanta[v * 8 + u]);
                }
        }
}

void to_pixels(const int16_t *restrict frequencies, const float *restrict quanta, uint8_t *restrict out, int32_t h, int32_t w) {
    for (int top = 0; top < h; top += 8)
        for (int left = 0; left < w; left += 8) {
            float half[8][8];
            for (int y = 0; y < 8; y++)
                for (int u = 0; u < 8; u++) {
                    float sum = 0;
                    for (int v = 0; v < 8; v++) sum += frequencies[(top + v) * w + left + u] * quanta[v * 8 + u] * WAVES[v][y];
                    half[y][u] = sum;
                }
            for (int y = 0; y < 8; y++)
                for (int x = 0; x < 8; x++) {
                    float sum = 0;
                    for (int u = 0; u < 8; u++) sum += half[y][u] * WAVES[u][x];
                    float pixel = rintf(sum + 128);
                    out[(top + y) * w + left + x] = (uint8_t)(pixel < 0 ? 0 : pixel > 255 ? 255 : pixel);
                }
        }
}
