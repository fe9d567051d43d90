#include <stdint.h>

void transpose_plain(const float *restrict a, float *restrict out, int32_t h, int32_t w) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) out[x * h + y] = a[y * w + x];
}

void transpose_in_tiles(const float *restrict a, float *restrict out, int32_t h, int32_t w) {
    enum { TILE = 32 };
    for (int top = 0; top < h; top += TILE)
        for (int left = 0; left < w; left += TILE)
            for (int y = top; y < (top + TILE < h ? top + TILE : h); y++)
                for (int x = left; x < (left + TILE < w ? left + TILE : w); x++) out[x * h + y] = a[y * w + x];
}
