typedef float<3> vec;

struct View {
    float eye[3], corner[3], right[3], down[3];
};

static const uniform float<3> LEAST = {0.3f, -0.2f, 0.3f}, MOST = {1.8f, 2.3f, 1.8f}, LIGHT = {-1.0f, 4.0f, 1.5f};

static inline float dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static inline float between(float a, float b, float t) { return a + (b - a) * t; }

static inline void inside(vec origin, vec direction, float &first, float &last) {
    vec a = (LEAST - origin) / direction, b = (MOST - origin) / direction;
    first = max(max(min(a.x, b.x), min(a.y, b.y)), max(min(a.z, b.z), 0.0f));
    last = min(min(max(a.x, b.x), max(a.y, b.y)), max(a.z, b.z));
}

static inline float voxel(const uniform float cloud[], int x, int y, int z, uniform int d, uniform int h, uniform int w) {
    x = clamp(x, 0, w - 1);
    y = clamp(y, 0, h - 1);
    z = clamp(z, 0, d - 1);
    return cloud[(z * h + y) * w + x];
}

static float density(const uniform float cloud[], vec p, uniform int d, uniform int h, uniform int w) {
    if (!(p.x >= LEAST.x && p.x <= MOST.x && p.y >= LEAST.y && p.y <= MOST.y && p.z >= LEAST.z && p.z <= MOST.z)) return 0;
    vec at = (p - LEAST) / (MOST - LEAST);
    at.x = at.x * w - 0.5f;
    at.y = at.y * h - 0.5f;
    at.z = at.z * d - 0.5f;
    int x = (int)at.x, y = (int)at.y, z = (int)at.z;
    float fx = at.x - x, fy = at.y - y, fz = at.z - z;
    float near_top = between(voxel(cloud, x, y, z, d, h, w), voxel(cloud, x + 1, y, z, d, h, w), fx);
    float near_low = between(voxel(cloud, x, y + 1, z, d, h, w), voxel(cloud, x + 1, y + 1, z, d, h, w), fx);
    float far_top = between(voxel(cloud, x, y, z + 1, d, h, w), voxel(cloud, x + 1, y, z + 1, d, h, w), fx);
    float far_low = between(voxel(cloud, x, y + 1, z + 1, d, h, w), voxel(cloud, x + 1, y + 1, z + 1, d, h, w), fx);
    return between(between(near_top, near_low, fy), between(far_top, far_low, fy), fz);
}

static float reaches(const uniform float cloud[], vec p, uniform float absorbs, uniform int d, uniform int h, uniform int w) {
    vec direction = LIGHT - p;
    float t, last, thickness = 0;
    inside(p, direction, t, last);
    if (t > last) return 1;
    float stride = 0.2f * rsqrt(dot(direction, direction));
    vec at = p + direction * t, step = direction * stride;
    while (t < last) {
        thickness += 0.2f * absorbs * density(cloud, at, d, h, w);
        at = at + step;
        t += stride;
    }
    return exp(-thickness);
}

export void volume(const uniform float cloud[], uniform float image[], const uniform View &view, uniform int32 d, uniform int32 h,
                   uniform int32 w, uniform int32 rows, uniform int32 columns) {
    foreach_tiled (row = 0 ... rows, column = 0 ... columns) {
        vec eye = {view.eye[0], view.eye[1], view.eye[2]}, direction;
        direction.x = view.corner[0] + view.right[0] * column + view.down[0] * row;
        direction.y = view.corner[1] + view.right[1] * column + view.down[1] * row;
        direction.z = view.corner[2] + view.right[2] * column + view.down[2] * row;
        float t, last, thickness = 0, light = 0, left = 1;
        inside(eye, direction, t, last);
        float stride = 0.025f * rsqrt(dot(direction, direction));
        vec at = eye + direction * t, step = direction * stride;
        cwhile (t < last && left >= 0.005f) {
            float here = density(cloud, at, d, h, w);
            vec to_light = LIGHT - at;
            float comes = 40 / dot(to_light, to_light) * reaches(cloud, at, 20, d, h, w) + 0.25f;
            light += 0.025f * left * here * 10 * comes;
            thickness += 0.025f * 20 * here;
            left = exp(-thickness);
            at = at + step;
            t += stride;
        }
        image[row * columns + column] = pow(light, 1 / 2.2f);
    }
}
