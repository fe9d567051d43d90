#include <stdint.h>

static void wave_step(float *restrict next, const float *restrict now, const float *restrict speed, const float *restrict weights, int d, int h, int w) {
    int row = w, plane = w * h;
    for (int z = 4; z < d - 4; z++)
        for (int y = 4; y < h - 4; y++)
            for (int x = 4; x < w - 4; x++) {
                int at = z * plane + y * row + x;
                float around = weights[0] * now[at];
                for (int k = 1; k < 4; k++)
                    around += weights[k] * (now[at + k] + now[at - k] + now[at + k * row] + now[at - k * row] + now[at + k * plane] + now[at - k * plane]);
                next[at] = 2 * now[at] - next[at] + speed[at] * around;
            }
}

void waves(float *restrict now, float *restrict before, const float *restrict speed, const float *restrict weights, int32_t d, int32_t h, int32_t w,
           int32_t rounds) {
    for (int t = 0; t < rounds; t++) {
        wave_step(before, now, speed, weights, d, h, w);
        wave_step(now, before, speed, weights, d, h, w);
    }
}
