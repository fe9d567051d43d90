#include <stdint.h>

void mandelbrot(int32_t *restrict steps, int32_t h, int32_t w, float left, float top, float scale, int32_t max_steps) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float c_re = left + x * scale, c_im = top + y * scale, re = 0, im = 0;
            int n = 0;
            for (; n < max_steps && re * re + im * im <= 4; n++) {
                float next = re * re - im * im + c_re;
                im = 2 * re * im + c_im;
                re = next;
            }
            steps[y * w + x] = n;
        }
}
