typedef float<3> vec;

struct Ball {
    float centre[3], radius;
};

struct Meeting {
    float t;
    vec place, normal;
};

#define FAR 1e17f

static inline float dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static inline vec unit(vec a) { return a * rsqrt(dot(a, a)); }

static inline vec cross(vec a, vec b) {
    vec c = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return c;
}

static void first_meeting(vec origin, vec direction, const uniform Ball balls[], Meeting &first) {
    first.t = FAR;
    for (uniform int k = 0; k < 3; k++) {
        vec centre = {balls[k].centre[0], balls[k].centre[1], balls[k].centre[2]};
        vec from = origin - centre;
        float b = dot(from, direction);
        float root = b * b - (dot(from, from) - balls[k].radius * balls[k].radius);
        if (root > 0) {
            float t = -b - sqrt(root);
            if (t > 0 && t < first.t) {
                first.t = t;
                first.place = origin + direction * t;
                first.normal = unit(first.place - centre);
            }
        }
    }
    if (abs(direction.y) > 1e-17f) {
        float t = (-0.5f - origin.y) / direction.y;
        if (t > 0 && t < first.t) {
            vec up = {0, 1, 0};
            first.t = t;
            first.place = origin + direction * t;
            first.normal = up;
        }
    }
}

static inline float random_number(unsigned int32 &state) {
    state = state * 1664525 + 1013904223;
    return (float)(int32)(state >> 8) * (1.0f / 16777216);
}

static float open_sky(Meeting &meeting, const uniform Ball balls[], uniform int rays, unsigned int32 state) {
    vec normal = meeting.normal, other = {1, 0, 0};
    if (abs(normal.x) >= 0.6f) {
        if (abs(normal.y) < 0.6f) {
            other.x = 0;
            other.y = 1;
        } else {
            other.x = 0;
            other.z = 1;
        }
    }
    vec across = unit(cross(other, normal));
    vec along = cross(normal, across);
    vec origin = meeting.place + normal * 0.0001f;
    float hidden = 0;
    uniform float all = rays * rays;
    for (uniform int i = 0; i < rays * rays; i++) {
        float first = random_number(state);
        float second = random_number(state);
        float out = sqrt(first);
        float s;
        float c;
        sincos(6.2831853f * second, &s, &c);
        vec direction = across * (c * out) + along * (s * out) + normal * sqrt(1 - first);
        Meeting met;
        first_meeting(origin, direction, balls, met);
        if (met.t < FAR) hidden += 1;
    }
    return (all - hidden) / all;
}

export void open_skies(uniform float image[], const uniform Ball balls[], uniform int32 samples, uniform int32 rays, uniform int32 h,
                       uniform int32 w) {
    foreach_tiled (y = 0 ... h, x = 0 ... w) {
        float light = 0;
        for (uniform int v = 0; v < samples; v++)
            for (uniform int u = 0; u < samples; u++) {
                vec origin = {0, 0, 0}, direction;
                direction.x = (x + (uniform float)u / samples - 0.5f * w) / (0.5f * w);
                direction.y = -(y + (uniform float)v / samples - 0.5f * h) / (0.5f * h);
                direction.z = -1;
                Meeting meeting;
                first_meeting(origin, unit(direction), balls, meeting);
                if (meeting.t < FAR) light += open_sky(meeting, balls, rays, (unsigned int32)((y * w + x) * samples * samples + v * samples + u));
            }
        image[y * w + x] = light / (samples * samples);
    }
}
