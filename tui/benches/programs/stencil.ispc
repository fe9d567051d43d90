static void wave_step(uniform float next[], const uniform float now[], const uniform float speed[], const uniform float weights[],
                      uniform int d, uniform int h, uniform int w) {
    uniform int row = w, plane = w * h;
    foreach (z = 4 ... d - 4, y = 4 ... h - 4, x = 4 ... w - 4) {
        int at = z * plane + y * row + x;
        float around = weights[0] * now[at];
        for (uniform int k = 1; k < 4; k++)
            around += weights[k] * (now[at + k] + now[at - k] + now[at + k * row] + now[at - k * row] + now[at + k * plane] + now[at - k * plane]);
        next[at] = 2 * now[at] - next[at] + speed[at] * around;
    }
}

export void waves(uniform float now[], uniform float before[], const uniform float speed[], const uniform float weights[], uniform int32 d,
                  uniform int32 h, uniform int32 w, uniform int32 rounds) {
    for (uniform int t = 0; t < rounds; t++) {
        wave_step(before, now, speed, weights, d, h, w);
        wave_step(now, before, speed, weights, d, h, w);
    }
}
