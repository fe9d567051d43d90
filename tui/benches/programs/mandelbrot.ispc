export void mandelbrot(uniform int32 steps[], uniform int32 h, uniform int32 w, uniform float left, uniform float top, uniform float scale,
                       uniform int32 max_steps) {
    foreach (y = 0 ... h, x = 0 ... w) {
        float c_re = left + x * scale, c_im = top + y * scale, re = 0, im = 0;
        int n = 0;
        for (; n < max_steps; n++) {
            if (re * re + im * im > 4) break;
            float next = re * re - im * im + c_re;
            im = 2 * re * im + c_im;
            re = next;
        }
        steps[y * w + x] = n;
    }
}
