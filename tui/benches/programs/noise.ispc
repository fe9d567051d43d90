static inline float smooth(float t) { return t * t * t * (t * (t * 6 - 15) + 10); }
static inline float between(float a, float b, float t) { return a + (b - a) * t; }

static inline float slope(int hash, float x, float y, float z) {
    int h = hash & 15;
    float u = h < 8 || h == 12 || h == 13 ? x : y, v = h < 4 || h == 12 || h == 13 ? y : z;
    return ((h & 1) != 0 ? -u : u) + ((h & 2) != 0 ? -v : v);
}

static float noise_at(float x, float y, float z, const uniform int32 table[]) {
    float cell_x = floor(x), cell_y = floor(y), cell_z = floor(z);
    int ix = (int)cell_x & 255, iy = (int)cell_y & 255, iz = (int)cell_z & 255;
    float fx = x - cell_x;
    float fy = y - cell_y;
    float fz = z - cell_z;
    float u = smooth(fx);
    float v = smooth(fy);
    float w = smooth(fz);
    int a = table[ix] + iy, b = table[ix + 1] + iy;
    int aa = table[a] + iz, ab = table[a + 1] + iz, ba = table[b] + iz, bb = table[b + 1] + iz;
    float near_top = between(slope(table[aa], fx, fy, fz), slope(table[ba], fx - 1, fy, fz), u);
    float near_low = between(slope(table[ab], fx, fy - 1, fz), slope(table[bb], fx - 1, fy - 1, fz), u);
    float far_top = between(slope(table[aa + 1], fx, fy, fz - 1), slope(table[ba + 1], fx - 1, fy, fz - 1), u);
    float far_low = between(slope(table[ab + 1], fx, fy - 1, fz - 1), slope(table[bb + 1], fx - 1, fy - 1, fz - 1), u);
    return between(between(near_top, near_low, v), between(far_top, far_low, v), w);
}

export void clouds(uniform float out[], const uniform int32 table[], uniform float left, uniform float top, uniform float scale,
                   uniform float depth, uniform int32 octaves, uniform int32 h, uniform int32 w) {
    foreach (row = 0 ... h, column = 0 ... w) {
        float x = left + column * scale, y = top + row * scale, sum = 0;
        uniform float frequency = 1, height = 1;
        for (uniform int k = 0; k < octaves; k++) {
            sum += height * abs(noise_at(x * frequency, y * frequency, depth * frequency, table));
            frequency *= 2;
            height *= 0.5f;
        }
        out[row * w + column] = sum;
    }
}
