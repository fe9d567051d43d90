typedef float<3> vec;

struct Node {
    float least[3], most[3];
    int32 first, count, axis;
};

struct Triangle {
    float a[3], b[3], c[3];
};

struct Frame {
    float eye[3], corner[3], right[3], down[3];
};

static inline float dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static inline vec cross(vec a, vec b) {
    vec c = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return c;
}

static inline bool meets_box(vec origin, vec inverse, const uniform Node &node, float limit) {
    uniform vec least = {node.least[0], node.least[1], node.least[2]}, most = {node.most[0], node.most[1], node.most[2]};
    vec a = (least - origin) * inverse, b = (most - origin) * inverse;
    float near = max(max(min(a.x, b.x), min(a.y, b.y)), max(min(a.z, b.z), 0.0f));
    float far = min(min(max(a.x, b.x), max(a.y, b.y)), min(max(a.z, b.z), limit));
    return near <= far;
}

static inline float distance_to(vec origin, vec direction, const uniform Triangle &triangle, float limit) {
    uniform vec a = {triangle.a[0], triangle.a[1], triangle.a[2]}, b = {triangle.b[0], triangle.b[1], triangle.b[2]};
    uniform vec c = {triangle.c[0], triangle.c[1], triangle.c[2]};
    uniform vec ab = b - a;
    uniform vec ac = c - a;
    vec s = cross(direction, ac);
    vec from = origin - a;
    vec q = cross(from, ab);
    float inverse = 1 / dot(s, ab);
    float u = dot(from, s) * inverse, v = dot(direction, q) * inverse, t = dot(ac, q) * inverse;
    return u >= 0 && v >= 0 && u + v <= 1 && t >= 0 && t < limit ? t : limit;
}

export void trace_rays(const uniform Node nodes[], const uniform Triangle triangles[], uniform float depth[], uniform int32 which[],
                       const uniform Frame &frame, uniform int32 n, uniform int32 m, uniform int32 h, uniform int32 w) {
    foreach_tiled (y = 0 ... h, x = 0 ... w) {
        vec eye = {frame.eye[0], frame.eye[1], frame.eye[2]}, direction;
        direction.x = frame.corner[0] + frame.right[0] * x + frame.down[0] * y;
        direction.y = frame.corner[1] + frame.right[1] * x + frame.down[1] * y;
        direction.z = frame.corner[2] + frame.right[2] * x + frame.down[2] * y;
        vec inverse = 1 / direction;
        uniform bool backwards[3] = {any(direction.x < 0), any(direction.y < 0), any(direction.z < 0)};
        float limit = 1e30f;
        int met = -1;
        uniform int todo[64], waiting = 1;
        todo[0] = 0;
        while (waiting > 0) {
            uniform int k = todo[--waiting];
            const uniform Node &node = nodes[k];
            if (!any(meets_box(eye, inverse, node, limit))) continue;
            if (node.count > 0) {
                for (uniform int j = node.first; j < node.first + node.count; j++) {
                    float t = distance_to(eye, direction, triangles[j], limit);
                    if (t < limit) {
                        limit = t;
                        met = j;
                    }
                }
            } else if (backwards[node.axis]) {
                todo[waiting++] = k + 1;
                todo[waiting++] = node.first;
            } else {
                todo[waiting++] = node.first;
                todo[waiting++] = k + 1;
            }
        }
        depth[y * w + x] = limit;
        which[y * w + x] = met;
    }
}
