export void softmax(const uniform float scores[], uniform float weights[], uniform int32 rows, uniform int32 cols, uniform float temperature) {
    for (uniform int r = 0; r < rows; r++) {
        const uniform float *uniform from = scores + r * cols;
        uniform float *uniform out = weights + r * cols;
        float most = from[0], sum = 0;
        foreach (c = 0 ... cols) most = max(most, from[c]);
        uniform float all_most = reduce_max(most), scale = 1 / temperature;
        foreach (c = 0 ... cols) {
            float weight = exp((from[c] - all_most) * scale);
            out[c] = weight;
            sum += weight;
        }
        uniform float part = 1 / reduce_add(sum);
        foreach (c = 0 ... cols) out[c] *= part;
    }
}
