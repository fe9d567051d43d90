#define TILE 16
#define MOST_LIGHTS 1024

struct Eye {
    float scale_x, scale_y, depth_a, depth_b, near, far;
};

export void z_bounds(const uniform float depth[], uniform float nearest[], uniform float farthest[], const uniform Eye &eye, uniform int32 h,
                     uniform int32 w) {
    uniform int across = w / TILE;
    for (uniform int ty = 0; ty < h / TILE; ty++)
        for (uniform int tx = 0; tx < across; tx++) {
            float least = eye.far, most = eye.near;
            for (uniform int y = ty * TILE; y < (ty + 1) * TILE; y++)
                foreach (x = tx * TILE ... (tx + 1) * TILE) {
                    float z = eye.depth_b / (depth[y * w + x] - eye.depth_a);
                    if (z >= eye.near && z < eye.far) {
                        least = min(least, z);
                        most = max(most, z);
                    }
                }
            nearest[ty * across + tx] = reduce_min(least);
            farthest[ty * across + tx] = reduce_max(most);
        }
}

export void cull_lights(const uniform float light_x[], const uniform float light_y[], const uniform float light_z[],
                        const uniform float reach[], const uniform float nearest[], const uniform float farthest[], uniform int32 counts[],
                        uniform int32 lists[], const uniform Eye &eye, uniform int32 h, uniform int32 w, uniform int32 m) {
    uniform int across = w / TILE;
    uniform float half_w = 0.5f * w;
    uniform float half_h = 0.5f * h;
    uniform float side_x = eye.scale_x * half_w;
    uniform float side_y = eye.scale_y * half_h;
    for (uniform int ty = 0; ty < h / TILE; ty++)
        for (uniform int tx = 0; tx < across; tx++) {
            uniform float right = (tx + 1) * TILE - half_w, left = half_w - tx * TILE;
            uniform float bottom = (ty + 1) * TILE - half_h, top = half_h - ty * TILE;
            uniform float to_right = rsqrt(side_x * side_x + right * right), to_left = rsqrt(side_x * side_x + left * left);
            uniform float to_bottom = rsqrt(side_y * side_y + bottom * bottom), to_top = rsqrt(side_y * side_y + top * top);
            uniform int tile = ty * across + tx, count = 0;
            uniform int32 *uniform list = lists + tile * MOST_LIGHTS;
            uniform float least = nearest[tile], most = farthest[tile];
            foreach (k = 0 ... m) {
                float z = light_z[k], behind = -reach[k];
                bool is_seen = z - least >= behind && most - z >= behind;
                if (any(is_seen)) {
                    float x = light_x[k], y = light_y[k];
                    is_seen = is_seen && (z * right - x * side_x) * to_right >= behind;
                    is_seen = is_seen && (z * left + x * side_x) * to_left >= behind;
                    is_seen = is_seen && (z * bottom + y * side_y) * to_bottom >= behind;
                    is_seen = is_seen && (z * top - y * side_y) * to_top >= behind;
                    cif (is_seen) count += packed_store_active(&list[count], k);
                }
            }
            counts[tile] = count;
        }
}

static inline unsigned int8 to_byte(float x) { return (unsigned int8)(int)(clamp(x, 0.0f, 1.0f) * 255); }

export void shade(const uniform float depth[], const uniform unsigned int16 normal_x[], const uniform unsigned int16 normal_y[],
                  const uniform unsigned int16 gloss[], const uniform unsigned int16 power[], const uniform unsigned int8 red[],
                  const uniform unsigned int8 green[], const uniform unsigned int8 blue[], const uniform float light_x[],
                  const uniform float light_y[], const uniform float light_z[], const uniform float fades[], const uniform float reach[],
                  const uniform float light_red[], const uniform float light_green[], const uniform float light_blue[],
                  const uniform int32 counts[], const uniform int32 lists[], uniform unsigned int8 out_red[],
                  uniform unsigned int8 out_green[], uniform unsigned int8 out_blue[], const uniform Eye &eye, uniform int32 h, uniform int32 w,
                  uniform int32 m) {
    uniform int across = w / TILE;
    for (uniform int ty = 0; ty < h / TILE; ty++)
        for (uniform int tx = 0; tx < across; tx++) {
            uniform int tile = ty * across + tx;
            uniform int count = counts[tile];
            const uniform int32 *uniform list = lists + tile * MOST_LIGHTS;
            for (uniform int y = ty * TILE; y < (ty + 1) * TILE; y++)
                foreach (x = tx * TILE ... (tx + 1) * TILE) {
                    int at = y * w + x;
                    float z = eye.depth_b / (depth[at] - eye.depth_a);
                    float px = ((x + 0.5f) * (2 / (uniform float)w) - 1) * z / eye.scale_x;
                    float py = (1 - (y + 0.5f) * (2 / (uniform float)h)) * z / eye.scale_y;
                    float unit = rsqrt(px * px + py * py + z * z);
                    float vx = px * unit;
                    float vy = py * unit;
                    float vz = z * unit;
                    float nx = half_to_float(normal_x[at]), ny = half_to_float(normal_y[at]);
                    float f = (nx - nx * nx) + (ny - ny * ny);
                    float g = sqrt(4 * f - 1);
                    float normal_0 = g * (4 * nx - 2), normal_1 = g * (4 * ny - 2), normal_2 = 3 - 8 * f;
                    float shine = half_to_float(gloss[at]), exponent = half_to_float(power[at]), r = 0, gr = 0, b = 0;
                    for (uniform int j = 0; j < count; j++) {
                        uniform int k = list[j];
                        float lx = light_x[k] - px, ly = light_y[k] - py, lz = light_z[k] - z;
                        float square = lx * lx + ly * ly + lz * lz;
                        cif (square < reach[k] * reach[k]) {
                            float far = sqrt(square);
                            float near = rcp(far);
                            lx *= near, ly *= near, lz *= near;
                            float facing = normal_0 * lx + normal_1 * ly + normal_2 * lz;
                            cif (facing > 0) {
                                float fading = min((reach[k] - far) / (reach[k] - fades[k]), 1.0f);
                                float hx = lx - vx;
                                float hy = ly - vy;
                                float hz = lz - vz;
                                float half = rsqrt(hx * hx + hy * hy + hz * hz);
                                float glancing = max((normal_0 * hx + normal_1 * hy + normal_2 * hz) * half, 0.0f);
                                float highlight = shine * (exponent + 2) * 0.125f * pow(glancing, exponent);
                                float lit = fading * facing * (1 + highlight);
                                r += light_red[k] * lit;
                                gr += light_green[k] * lit;
                                b += light_blue[k] * lit;
                            }
                        }
                    }
                    out_red[at] = to_byte(sqrt(r * red[at] * (1.0f / 255)));
                    out_green[at] = to_byte(sqrt(gr * green[at] * (1.0f / 255)));
                    out_blue[at] = to_byte(sqrt(b * blue[at] * (1.0f / 255)));
                }
        }
}
