#include <math.h>
#include <stdint.h>

struct motion {
    float stretch_x, stretch_y, move_x, move_y, angle;
};

struct pair {
    float x, y;
};

void transform_points(const float *restrict x, const float *restrict y, float *restrict out_x, float *restrict out_y,
                      const struct motion *restrict motion, float strength, int32_t n) {
    float s = sinf(motion->angle), c = cosf(motion->angle);
    for (int i = 0; i < n; i++) {
        float wide = x[i] * motion->stretch_x, high = y[i] * motion->stretch_y;
        out_x[i] = wide * c - high * s + motion->move_x * strength;
        out_y[i] = wide * s + high * c + motion->move_y * strength;
    }
}

void transform_pairs(const struct pair *restrict points, struct pair *restrict out, const struct motion *restrict motion, float strength, int32_t n) {
    float s = sinf(motion->angle), c = cosf(motion->angle);
    for (int i = 0; i < n; i++) {
        float wide = points[i].x * motion->stretch_x, high = points[i].y * motion->stretch_y;
        out[i] = (struct pair){wide * c - high * s + motion->move_x * strength, wide * s + high * c + motion->move_y * strength};
    }
}
