struct Motion {
    float stretch_x, stretch_y, move_x, move_y, angle;
};

export void transform_points(const uniform float x[], const uniform float y[], uniform float out_x[], uniform float out_y[],
                             const uniform Motion &motion, uniform float strength, uniform int32 n) {
    uniform float s = sin(motion.angle), c = cos(motion.angle);
    foreach (i = 0 ... n) {
        float wide = x[i] * motion.stretch_x, high = y[i] * motion.stretch_y;
        out_x[i] = wide * c - high * s + motion.move_x * strength;
        out_y[i] = wide * s + high * c + motion.move_y * strength;
    }
}

struct Pair {
    float x, y;
};

export void transform_pairs(const uniform Pair points[], uniform Pair out[], const uniform Motion &motion, uniform float strength,
                            uniform int32 n) {
    uniform float s = sin(motion.angle), c = cos(motion.angle);
    foreach (i = 0 ... n) {
        float wide = points[i].x * motion.stretch_x, high = points[i].y * motion.stretch_y;
        out[i].x = wide * c - high * s + motion.move_x * strength;
        out[i].y = wide * s + high * c + motion.move_y * strength;
    }
}
