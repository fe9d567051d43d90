// The cosine of each frequency at each place, of length 1.
static const uniform float WAVES[8][8] = {
    {0.353553391f, 0.353553391f, 0.353553391f, 0.353553391f, 0.353553391f, 0.353553391f, 0.353553391f, 0.353553391f},
    {0.490392640f, 0.415734806f, 0.277785117f, 0.097545161f, -0.097545161f, -0.277785117f, -0.415734806f, -0.490392640f},
    {0.461939766f, 0.191341716f, -0.191341716f, -0.461939766f, -0.461939766f, -0.191341716f, 0.191341716f, 0.461939766f},
    {0.415734806f, -0.097545161f, -0.490392640f, -0.277785117f, 0.277785117f, 0.490392640f, 0.097545161f, -0.415734806f},
    {0.353553391f, -0.353553391f, -0.353553391f, 0.353553391f, 0.353553391f, -0.353553391f, -0.353553391f, 0.353553391f},
    {0.277785117f, -0.490392640f, 0.097545161f, 0.415734806f, -0.415734806f, -0.097545161f, 0.490392640f, -0.277785117f},
    {0.191341716f, -0.461939766f, 0.461939766f, -0.191341716f, -0.191341716f, 0.461939766f, -0.461939766f, 0.191341716f},
    {0.097545161f, -0.277785117f, 0.415734806f, -0.490392640f, 0.490392640f, -0.415734806f, 0.277785117f, -0.097545161f},
};

// One block is one lane.
export void to_frequencies(const uniform unsigned int8 pixels[], const uniform float quanta[], uniform int16 out[], uniform int32 h,
                           uniform int32 w) {
    foreach (by = 0 ... h / 8, bx = 0 ... w / 8) {
        int at = by * 8 * w + bx * 8;
        float half[8][8];
        for (uniform int y = 0; y < 8; y++)
            for (uniform int u = 0; u < 8; u++) {
                float sum = 0;
                for (uniform int x = 0; x < 8; x++) sum += ((float)pixels[at + y * w + x] - 128) * WAVES[u][x];
                half[y][u] = sum;
            }
        for (uniform int v = 0; v < 8; v++)
            for (uniform int u = 0; u < 8; u++) {
                float sum = 0;
                for (uniform int y = 0; y < 8; y++) sum += half[y][u] * WAVES[v][y];
                out[at + v * w + u] = (int16)(int)round(sum / quanta[v * 8 + u]);
            }
    }
}

export void to_pixels(const uniform int16 frequencies[], const uniform float quanta[], uniform unsigned int8 out[], uniform int32 h,
                      uniform int32 w) {
    foreach (by = 0 ... h / 8, bx = 0 ... w / 8) {
        int at = by * 8 * w + bx * 8;
        float half[8][8];
        for (uniform int y = 0; y < 8; y++)
            for (uniform int u = 0; u < 8; u++) {
                float sum = 0;
                for (uniform int v = 0; v < 8; v++) sum += (float)frequencies[at + v * w + u] * quanta[v * 8 + u] * WAVES[v][y];
                half[y][u] = sum;
            }
        for (uniform int y = 0; y < 8; y++)
            for (uniform int x = 0; x < 8; x++) {
                float sum = 0;
                for (uniform int u = 0; u < 8; u++) sum += half[y][u] * WAVES[u][x];
                out[at + y * w + x] = (unsigned int8)(int)clamp(round(sum + 128), 0.0f, 255.0f);
            }
    }
}
