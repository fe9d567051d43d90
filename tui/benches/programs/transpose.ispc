export void transpose_plain(const uniform float a[], uniform float out[], uniform int32 h, uniform int32 w) {
    foreach (x = 0 ... w, y = 0 ... h) {
        out[x * h + y] = a[y * w + x];
    }
}

export void transpose_in_tiles(const uniform float a[], uniform float out[], uniform int32 h, uniform int32 w) {
    for (uniform int top = 0; top < h; top += 32)
        for (uniform int left = 0; left < w; left += 32)
            foreach (x = left ... min(left + 32, w), y = top ... min(top + 32, h)) {
                out[x * h + y] = a[y * w + x];
            }
}
