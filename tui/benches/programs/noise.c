#include <math.h>
#include <stdint.h>

static float smooth(float t) { return t * t * t * (t * (t * 6 - 15) + 10); }
static float lerp(float a, float b, float t) { return a + (b - a) * t; }

static float slope(int hash, float x, float y, float z) {
    int h = hash & 15;
    float u = h < 8 || h == 12 || h == 13 ? x : y, v = h < 4 || h == 12 || h == 13 ? y : z;
    return (h & 1 ? -u : u) + (h & 2 ? -v : v);
}

static float noise_at(float x, float y, float z, const int32_t *table) {
    float cell_x = floorf(x), cell_y = floorf(y), cell_z = floorf(z);
    int ix = (int)cell_x & 255, iy = (int)cell_y & 255, iz = (int)cell_z & 255;
    float fx = x - cell_x, fy = y - cell_y, fz = z - cell_z, u = smooth(fx), v = smooth(fy), w = smooth(fz);
    int a = table[ix] + iy, b = table[ix + 1] + iy;
    int aa = table[a] + iz, ab = table[a + 1] + iz, ba = table[b] + iz, bb = table[b + 1] + iz;
    float near_top = lerp(slope(table[aa], fx, fy, fz), slope(table[ba], fx - 1, fy, fz), u);
    float near_low = lerp(slope(table[ab], fx, fy - 1, fz), slope(table[bb], fx - 1, fy - 1, fz), u);
    float far_top = lerp(slope(table[aa + 1], fx, fy, fz - 1), slope(table[ba + 1], fx - 1, fy, fz - 1), u);
    float far_low = lerp(slope(table[ab + 1], fx, fy - 1, fz - 1), slope(table[bb + 1], fx - 1, fy - 1, fz - 1), u);
    return lerp(lerp(near_top, near_low, v), lerp(far_top, far_low, v), w);
}

void clouds(float *restrict out, const int32_t *restrict table, float left, float top, float scale, float depth, int32_t octaves, int32_t h, int32_t w) {
    for (int row = 0; row < h; row++)
        for (int column = 0; column < w; column++) {
            float x = left + column * scale, y = top + row * scale, sum = 0, frequency = 1, height = 1;
            for (int k = 0; k < octaves; k++) {
                sum += height * fabsf(noise_at(x * frequency, y * frequency, depth * frequency, table));
                frequency *= 2;
                height *= 0.5f;
            }
            out[row * w + column] = sum;
        }
}
