#include <math.h>
#include <stdint.h>

enum { TILE = 16, MOST_LIGHTS = 1024 };

struct eye {
    float scale_x, scale_y, depth_a, depth_b, near, far;
};

void z_bounds(const float *restrict depth, float *restrict nearest, float *restrict farthest, const struct eye *eye, int32_t h, int32_t w) {
    int across = w / TILE;
    for (int ty = 0; ty < h / TILE; ty++)
        for (int tx = 0; tx < across; tx++) {
            float least = eye->far, most = eye->near;
            for (int y = ty * TILE; y < (ty + 1) * TILE; y++)
                for (int x = tx * TILE; x < (tx + 1) * TILE; x++) {
                    float z = eye->depth_b / (depth[y * w + x] - eye->depth_a);
                    if (z >= eye->near && z < eye->far) {
                        least = z < least ? z : least;
                        most = z > most ? z : most;
                    }
                }
            nearest[ty * across + tx] = least;
            farthest[ty * across + tx] = most;
        }
}

void cull_lights(const float *restrict light_x, const float *restrict light_y, const float *restrict light_z, const float *restrict reach,
                 const float *restrict nearest, const float *restrict farthest, int32_t *restrict counts, int32_t *restrict lists,
                 const struct eye *eye, int32_t h, int32_t w, int32_t m) {
    int across = w / TILE;
    float half_w = 0.5f * w, half_h = 0.5f * h, side_x = eye->scale_x * half_w, side_y = eye->scale_y * half_h;
    for (int ty = 0; ty < h / TILE; ty++)
        for (int tx = 0; tx < across; tx++) {
            float right = (tx + 1) * TILE - half_w, left = half_w - tx * TILE;
            float bottom = (ty + 1) * TILE - half_h, top = half_h - ty * TILE;
            float to_right = 1 / sqrtf(side_x * side_x + right * right), to_left = 1 / sqrtf(side_x * side_x + left * left);
            float to_bottom = 1 / sqrtf(side_y * side_y + bottom * bottom), to_top = 1 / sqrtf(side_y * side_y + top * top);
            int tile = ty * across + tx, count = 0, *list = lists + (long)tile * MOST_LIGHTS;
            float least = nearest[tile], most = farthest[tile];
            for (int k = 0; k < m; k++) {
                float x = light_x[k], y = light_y[k], z = light_z[k], behind = -reach[k];
                if (z - least >= behind && most - z >= behind && (z * right - x * side_x) * to_right >= behind &&
                    (z * left + x * side_x) * to_left >= behind && (z * bottom + y * side_y) * to_bottom >= behind &&
                    (z * top - y * side_y) * to_top >= behind)
                    list[count++] = k;
            }
            counts[tile] = count;
        }
}

static uint8_t to_byte(float x) { return (uint8_t)((x < 0 ? 0 : x > 1 ? 1 : x) * 255); }

void shade(const float *restrict depth, const _Float16 *restrict normal_x, const _Float16 *restrict normal_y, const _Float16 *restrict gloss,
           const _Float16 *restrict power, const uint8_t *restrict red, const uint8_t *restrict green, const uint8_t *restrict blue,
           const float *restrict light_x, const float *restrict light_y, const float *restrict light_z, const float *restrict fades,
           const float *restrict reach, const float *restrict light_red, const float *restrict light_green, const float *restrict light_blue,
           const int32_t *restrict counts, const int32_t *restrict lists, uint8_t *restrict out_red, uint8_t *restrict out_green,
           uint8_t *restrict out_blue, const struct eye *eye, int32_t h, int32_t w, int32_t m) {
    (void)m;
    int across = w / TILE;
    for (int ty = 0; ty < h / TILE; ty++)
        for (int tx = 0; tx < across; tx++) {
            int tile = ty * across + tx, count = counts[tile];
            const int *list = lists + (long)tile * MOST_LIGHTS;
            for (int y = ty * TILE; y < (ty + 1) * TILE; y++)
                for (int x = tx * TILE; x < (tx + 1) * TILE; x++) {
                    int at = y * w + x;
                    float z = eye->depth_b / (depth[at] - eye->depth_a);
                    float px = ((x + 0.5f) * (2 / (float)w) - 1) * z / eye->scale_x;
                    float py = (1 - (y + 0.5f) * (2 / (float)h)) * z / eye->scale_y;
                    float unit = 1 / sqrtf(px * px + py * py + z * z), vx = px * unit, vy = py * unit, vz = z * unit;
                    float nx = (float)normal_x[at], ny = (float)normal_y[at];
                    float f = (nx - nx * nx) + (ny - ny * ny), g = sqrtf(4 * f - 1);
                    float normal[3] = {g * (4 * nx - 2), g * (4 * ny - 2), 3 - 8 * f};
                    float shine = (float)gloss[at], exponent = (float)power[at], r = 0, gr = 0, b = 0;
                    for (int j = 0; j < count; j++) {
                        int k = list[j];
                        float lx = light_x[k] - px, ly = light_y[k] - py, lz = light_z[k] - z;
                        float square = lx * lx + ly * ly + lz * lz;
                        if (square >= reach[k] * reach[k]) continue;
                        float far = sqrtf(square);
                        lx /= far, ly /= far, lz /= far;
                        float facing = normal[0] * lx + normal[1] * ly + normal[2] * lz;
                        if (facing <= 0) continue;
                        float fading = (reach[k] - far) / (reach[k] - fades[k]);
                        fading = fading < 1 ? fading : 1;
                        float hx = lx - vx, hy = ly - vy, hz = lz - vz, half = 1 / sqrtf(hx * hx + hy * hy + hz * hz);
                        float glancing = (normal[0] * hx + normal[1] * hy + normal[2] * hz) * half;
                        glancing = glancing > 0 ? glancing : 0;
                        float highlight = shine * (exponent + 2) * 0.125f * powf(glancing, exponent);
                        float lit = fading * facing * (1 + highlight);
                        r += light_red[k] * lit, gr += light_green[k] * lit, b += light_blue[k] * lit;
                    }
                    out_red[at] = to_byte(sqrtf(r * red[at] * (1.0f / 255)));
                    out_green[at] = to_byte(sqrtf(gr * green[at] * (1.0f / 255)));
                    out_blue[at] = to_byte(sqrtf(b * blue[at] * (1.0f / 255)));
                }
        }
}
