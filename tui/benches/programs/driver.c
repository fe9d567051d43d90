// Runs every program of several libraries on the same data, in turns, and prints for each the least time a call took in each, in
// nanoseconds, and how far its results are from the first library's: `driver LIBRARY... [-- NAME...]`, where a name is that of a
// kernel, or what those of several begin with.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "aobench.h"
#include "dct.h"
#include "deferred.h"
#include "gmres.h"
#include "mandelbrot.h"
#include "noise.h"
#include "options.h"
#include "points.h"
#include "rays.h"
#include "sgemm.h"
#include "softmax.h"
#include "sort.h"
#include "stencil.h"
#include "transpose.h"
#include "volume.h"

enum {
    LIBRARIES = 8,
    ROUNDS = 12,
    H = 256,
    W = 320,
    TILES = H / 16 * (W / 16),
    LIGHTS = 512,
    MOST_LIGHTS = 1024,
    OPTIONS = 2048,
    SIDE = 192,
    CUBE = 64,
    KEYS = 100000,
    POINTS = 8192,
    GRID = 48,
    UNKNOWNS = GRID * GRID,
    BASIS = 30,
    BOXES = 4096,
};
static const double SHORTEST = 1e6;

// What programs only read.
static float depth[H * W], lamps[8][LIGHTS], cloud[CUBE * CUBE * CUBE], picture[H * W], matrix_a[SIDE * SIDE], matrix_b[SIDE * SIDE];
static float market[5][OPTIONS], speed[CUBE * CUBE * CUBE], place_x[POINTS], place_y[POINTS], quanta[64];
static uint16_t normal_x[H * W], normal_y[H * W], gloss[H * W], power[H * W];
static uint8_t red[H * W], green[H * W], blue[H * W];
static int32_t table[512], starts[UNKNOWNS + 1], columns[5 * UNKNOWNS];
static double values[5 * UNKNOWNS], sides[UNKNOWNS];
static vec2 places[POINTS];
static Node nodes[BOXES];
static Triangle triangles[BOXES];
static int n_nodes, n_triangles;
static const float weights[4] = {-4.5f, 1.0f, -0.3f, 0.05f};
static const Eye eye = {1.3f, 1.6f, 1.001f, -0.1f, 0.1f, 90.0f};
static const View view = {4.5f, 2.4f, 6.0f, -0.79957f, -0.01341f, -0.68812f, 0.00538f, 0.0f, -0.00375f, 0.00082f, -0.0064f, 0.00118f};
static const Ball balls[3] = {{-2.0f, 0, -3.5f, 0.5f}, {-0.5f, 0, -3.0f, 0.5f}, {1.0f, 0, -2.2f, 0.5f}};
static const Frame frame = {0.1f, 0.2f, -3.0f, -0.8f, 0.64f, 1.0f, 0.005f, 0, 0.0001f, 0.0001f, -0.005f, 0};
static const Motion motion = {1.5f, 0.5f, 3.0f, -2.0f, 0.7f};

// What programs write, in one piece: to begin again is one copy.
static struct Data {
    float nearest[TILES], farthest[TILES], image[H * W], grown[H * W], product[SIDE * SIDE], call[OPTIONS];
    float now[CUBE * CUBE * CUBE], before[CUBE * CUBE * CUBE], moved_x[POINTS], moved_y[POINTS];
    vec2 moved[POINTS];
    double x[UNKNOWNS], basis[(BASIS + 1) * UNKNOWNS];
    int32_t counts[TILES], lists[TILES * MOST_LIGHTS], steps[H * W], which[H * W], order[KEYS], spare_order[KEYS];
    uint32_t keys[KEYS], spare_keys[KEYS];
    int16_t frequencies[H * W];
    uint8_t out_red[H * W], out_green[H * W], out_blue[H * W];
} d, start, expected;

static _Alignas(64) char scratch[1 << 20];

// What the programs compute is in one array each: its place, its number of elements, its type, and the difference that rounding may
// make: of floats as a part of the largest, of pixels and steps as the part of all elements that may differ at all.
#define PROGRAMS(PROGRAM)                                                                                                              \
    PROGRAM(mandelbrot, steps, 'i', 0.02, d.steps, H, W, -2.0f, -1.0f, 0.0085f, 256)                                                   \
    PROGRAM(z_bounds, farthest, 'f', 1e-4, depth, d.nearest, d.farthest, &eye, H, W)                                                   \
    PROGRAM(cull_lights, counts, 'i', 0.02, lamps[0], lamps[1], lamps[2], lamps[4], d.nearest, d.farthest, d.counts, d.lists, &eye, H, \
            W, LIGHTS)                                                                                                                 \
    PROGRAM(shade, out_red, 'u', 0.05, depth, normal_x, normal_y, gloss, power, red, green, blue, lamps[0], lamps[1], lamps[2],        \
            lamps[3], lamps[4], lamps[5], lamps[6], lamps[7], d.counts, d.lists, d.out_red, d.out_green, d.out_blue, &eye, H, W,       \
            LIGHTS)                                                                                                                    \
    PROGRAM(volume, image, 'f', 1e-2, cloud, d.image, &view, CUBE, CUBE, CUBE, H / 4, W / 4)                                           \
    PROGRAM(transpose_plain, grown, 'f', 0, picture, d.grown, H, W)                                                                    \
    PROGRAM(transpose_in_tiles, grown, 'f', 0, picture, d.grown, H, W)                                                                 \
    PROGRAM(radix_sort, order, 'i', 0, d.keys, d.order, d.spare_keys, d.spare_order, KEYS)                                             \
    PROGRAM(sgemm_cells, product, 'f', 1e-4, matrix_a, matrix_b, d.product, SIDE, SIDE, SIDE)                                          \
    PROGRAM(sgemm_rows, product, 'f', 1e-4, matrix_a, matrix_b, d.product, SIDE, SIDE, SIDE)                                           \
    PROGRAM(sgemm_tiles, product, 'f', 1e-4, matrix_a, matrix_b, d.product, SIDE, SIDE, SIDE)                                          \
    PROGRAM(sgemm_library, product, 'f', 1e-4, matrix_a, matrix_b, d.product, SIDE, SIDE, SIDE)                                        \
    PROGRAM(waves, now, 'f', 1e-3, d.now, d.before, speed, weights, CUBE, CUBE, CUBE, 1)                                               \
    PROGRAM(clouds, image, 'f', 1e-3, d.image, table, -3.0f, 2.0f, 0.03f, 0.6f, 6, H / 2, W / 2)                                       \
    PROGRAM(open_skies, image, 'f', 0.2, d.image, balls, 2, 4, H / 4, W / 4)                                                           \
    PROGRAM(trace_rays, which, 'i', 0.02, nodes, triangles, d.image, d.which, &frame, n_nodes, n_triangles, H, W)                      \
    PROGRAM(to_frequencies, frequencies, 's', 0.02, blue, quanta, d.frequencies, H, W)                                                 \
    PROGRAM(to_pixels, out_red, 'u', 0.02, start.frequencies, quanta, d.out_red, H, W)                                                 \
    PROGRAM(transform_points, moved_x, 'f', 1e-5, place_x, place_y, d.moved_x, d.moved_y, &motion, 0.5f, POINTS)                       \
    PROGRAM(transform_pairs, moved, 'f', 1e-5, places, d.moved, &motion, 0.5f, POINTS)                                                 \
    PROGRAM(black_scholes, call, 'f', 1e-4, market[0], market[1], market[2], market[3], market[4], d.call, OPTIONS)                    \
    PROGRAM(softmax, grown, 'f', 1e-4, picture, d.grown, H, W, 0.7f)

// Those that have scratch memory on some targets, where it comes last.
#define WITH_SCRATCH(PROGRAM)                                                                                                          \
    PROGRAM(gmres, x, 'd', 1e-6, starts, columns, values, sides, d.x, d.basis, 1e-12, UNKNOWNS, BASIS, 5 * UNKNOWNS, scratch)          \
    PROGRAM(binomial_tree, call, 'f', 1e-3, market[0], market[1], market[2], market[3], market[4], d.call, OPTIONS / 4, scratch)

typedef int32_t gmres_type(const int32_t *, const int32_t *, const double *, const double *, double *, double *, double, int32_t,
                           int32_t, int32_t, void *);
typedef void binomial_tree_type(const float *, const float *, const float *, const float *, const float *, float *, int32_t,
                                void *);

#define CALL(name, result, type, close, ...)                                                                                           \
    static void call_##name(void *code) { ((__typeof__(name) *)code)(__VA_ARGS__); }
PROGRAMS(CALL)
#define CALL_WITH_SCRATCH(name, result, type, close, ...)                                                                              \
    static void call_##name(void *code) { ((name##_type *)code)(__VA_ARGS__); }
WITH_SCRATCH(CALL_WITH_SCRATCH)

#define ROW(name, result, type, close, ...) {#name, call_##name, &d.result, &expected.result, sizeof d.result, type, close},
static const struct Program {
    const char *name;
    void (*call)(void *code);
    void *found, *expected;
    size_t bytes;
    char type;
    double close;
} ALL[] = {PROGRAMS(ROW) WITH_SCRATCH(ROW)};

static uint32_t random_bits(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

// From 0 to 1.
static float random_number(void) { return (float)random_bits() / (float)(1u << 31); }

static float between(float least, float most) { return least + (most - least) * random_number(); }

static uint16_t half(float x) {
    _Float16 rounded = (_Float16)x;
    uint16_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return bits;
}

static float middle(const Triangle *t, int axis) {
    const float *at = (const float *)t;
    return at[axis] + at[3 + axis] + at[6 + axis];
}

static int by_axis;

static int compare(const void *a, const void *b) {
    float x = middle(a, by_axis), y = middle(b, by_axis);
    return (x > y) - (x < y);
}

// Puts triangles into a tree of boxes, in halves along the axis in which they lie widest apart; returns its first node.
static int build_tree(int first, int count) {
    int here = n_nodes++;
    float least[3] = {1e9f, 1e9f, 1e9f}, most[3] = {-1e9f, -1e9f, -1e9f};
    for (int k = first; k < first + count; k++)
        for (int c = 0; c < 9; c++) {
            float at = ((const float *)&triangles[k])[c];
            least[c % 3] = fminf(least[c % 3], at);
            most[c % 3] = fmaxf(most[c % 3], at);
        }
    int axis = 0;
    for (int c = 1; c < 3; c++)
        if (most[c] - least[c] > most[axis] - least[axis]) axis = c;
    Node node = {least[0], least[1], least[2], most[0], most[1], most[2], first, count <= 4 ? count : 0, axis};
    if (count > 4) {
        by_axis = axis;
        qsort(triangles + first, (size_t)count, sizeof *triangles, compare);
        build_tree(first, count / 2);
        node.first = build_tree(first + count / 2, count - count / 2);
    }
    nodes[here] = node;
    return here;
}

static void fill(void) {
    for (int i = 0; i < H * W; i++) {
        int x = i % W, y = i / W;
        // Distances from 2 to 80, and some sky.
        float z = 12 + 8 * sinf(x * 0.02f) + 6 * cosf(y * 0.03f) + random_number();
        depth[i] = random_bits() % 16 == 0 ? 1.0f : eye.depth_a + eye.depth_b / z;
        normal_x[i] = half(between(0.3f, 0.7f));
        normal_y[i] = half(between(0.3f, 0.7f));
        gloss[i] = half(random_number());
        power[i] = half(between(4, 60));
        red[i] = (uint8_t)random_bits();
        green[i] = (uint8_t)random_bits();
        blue[i] = (uint8_t)(128 + 90 * sinf(x * 0.1f + y * 0.07f) + random_bits() % 20);
        picture[i] = between(-3, 3);
    }
    for (int k = 0; k < LIGHTS; k++) {
        lamps[2][k] = between(1, 30);
        lamps[0][k] = between(-0.9f, 0.9f) * lamps[2][k];
        lamps[1][k] = between(-0.7f, 0.7f) * lamps[2][k];
        lamps[3][k] = between(0.5f, 2);
        lamps[4][k] = lamps[3][k] + between(0.5f, 3);
        for (int c = 5; c < 8; c++) lamps[c][k] = between(0.2f, 1);
    }
    for (int i = 0; i < CUBE * CUBE * CUBE; i++) {
        float x = (i % CUBE) / (float)CUBE - 0.5f, y = (i / CUBE % CUBE) / (float)CUBE - 0.5f, z = (i / CUBE / CUBE) / (float)CUBE - 0.5f;
        cloud[i] = fmaxf(0, 0.45f - sqrtf(x * x + y * y + z * z)) * between(0.5f, 2);
        speed[i] = between(0.01f, 0.05f);
        start.now[i] = start.before[i] = expf(-40 * (x * x + y * y + z * z));
    }
    for (int i = 0; i < SIDE * SIDE; i++) matrix_a[i] = between(-1, 1), matrix_b[i] = between(-1, 1);
    for (int i = 0; i < OPTIONS; i++) {
        market[0][i] = between(50, 150);
        market[1][i] = between(50, 150);
        market[2][i] = between(0.2f, 3);
        market[3][i] = between(0.01f, 0.05f);
        market[4][i] = between(0.1f, 0.5f);
    }
    for (int i = 0; i < POINTS; i++) {
        place_x[i] = places[i].x = between(-10, 10);
        place_y[i] = places[i].y = between(-10, 10);
    }
    for (int i = 0; i < 64; i++) quanta[i] = (float)(8 + 3 * (i % 8 + i / 8));
    for (int i = 0; i < H * W; i++) start.frequencies[i] = (int16_t)(i % 64 == 0 ? random_bits() % 60 : (int)(random_bits() % 5) - 2);
    for (int i = 0; i < 256; i++) table[i] = i;
    for (int i = 255; i > 0; i--) {
        int other = (int)(random_bits() % (uint32_t)(i + 1)), kept = table[i];
        table[i] = table[other];
        table[other] = kept;
    }
    memcpy(table + 256, table, 256 * sizeof *table);
    // A flow through a grid: each cell is held by its four neighbours, those on one side more than on the other.
    int k = 0;
    for (int i = 0; i < UNKNOWNS; i++) {
        const int to[5] = {-GRID, -1, 0, 1, GRID}, fits[5] = {i >= GRID, i % GRID > 0, 1, i % GRID < GRID - 1, i < UNKNOWNS - GRID};
        const double by[5] = {-1.1, -1.3, 4.2, -0.7, -0.9};
        for (int c = 0; c < 5; c++)
            if (fits[c]) columns[k] = i + to[c], values[k++] = by[c];
        starts[i + 1] = k;
        sides[i] = (double)between(-1, 1);
    }
    for (int i = 0; i < KEYS; i++) start.keys[i] = random_bits() * 2 + random_bits() % 2, start.order[i] = i;
    // Small triangles on a ball.
    while (n_triangles < BOXES / 2) {
        float angle = between(0, 6.28f), high = between(-1, 1), wide = sqrtf(1 - high * high);
        float at[3] = {wide * cosf(angle), high, wide * sinf(angle)}, corner[9];
        for (int c = 0; c < 9; c++) corner[c] = at[c % 3] + between(-0.06f, 0.06f);
        memcpy(&triangles[n_triangles++], corner, sizeof corner);
    }
    build_tree(0, n_triangles);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

// One sample: a call to warm the caches, then as many as fill the time. What a call sorts is given anew each time.
static double sample(const struct Program *program, void *code, int calls) {
    int sorts = strcmp(program->name, "radix_sort") == 0;
    memcpy(&d, &start, sizeof d);
    program->call(code);
    double spent = 0;
    for (int k = 0; k < calls; k++) {
        if (sorts) memcpy(d.keys, start.keys, sizeof d.keys), memcpy(d.order, start.order, sizeof d.order);
        double begun = now();
        program->call(code);
        spent += now() - begun;
    }
    return spent / calls;
}

static int calls_for(const struct Program *program, void *code) {
    int calls = 1;
    while (calls < 1 << 12 && sample(program, code, calls) * calls < SHORTEST) calls *= 2;
    return calls;
}

static double element(const void *array, char type, size_t i) {
    switch (type) {
    case 'f': return (double)((const float *)array)[i];
    case 'd': return ((const double *)array)[i];
    case 'i': return ((const int32_t *)array)[i];
    case 's': return ((const int16_t *)array)[i];
    default: return ((const uint8_t *)array)[i];
    }
}

// How far results are from those expected: of floats the largest difference as a part of the largest number, else the part of the
// elements that differ.
static double distance(const struct Program *program) {
    int floats = program->type == 'f' || program->type == 'd';
    size_t n = program->bytes / (program->type == 'd' ? 8 : program->type == 's' ? 2 : program->type == 'u' ? 1 : 4);
    double most = 1e-30, differ = 0;
    for (size_t i = 0; i < n; i++) {
        double a = element(program->expected, program->type, i), b = element(program->found, program->type, i);
        most = fmax(most, fabs(a));
        if (floats)
            differ = a == b ? differ : fabs(a - b) <= differ ? differ : isnan(a - b) ? INFINITY : fabs(a - b);
        else
            differ += a != b;
    }
    return floats ? differ / most : differ / (double)n;
}

static int is_wanted(const struct Program *program, int n_names, char **names) {
    for (int k = 0; k < n_names; k++)
        if (strncmp(program->name, names[k], strlen(names[k])) == 0) return 1;
    return n_names == 0;
}

int main(int n_args, char **args) {
    int n = 0, n_names = 0;
    while (n < LIBRARIES && n + 1 < n_args && strcmp(args[n + 1], "--") != 0) n++;
    char **names = args + n + 2;
    if (n + 2 < n_args) n_names = n_args - n - 2;
    void *library[LIBRARIES];
    for (int k = 0; k < n; k++) {
        library[k] = dlopen(args[k + 1], RTLD_NOW | RTLD_LOCAL);
        if (!library[k]) return fprintf(stderr, "%s\n", dlerror()), 1;
    }
    cpu_set_t cpu;
    CPU_ZERO(&cpu);
    CPU_SET(sched_getcpu(), &cpu);
    sched_setaffinity(0, sizeof cpu, &cpu);
    fill();
    // What shading and culling begin with are results of the programs before them.
    memcpy(&d, &start, sizeof d);
    call_z_bounds(dlsym(library[0], "z_bounds"));
    call_cull_lights(dlsym(library[0], "cull_lights"));
    memcpy(&start, &d, sizeof d);
    for (size_t l = 0; l < sizeof ALL / sizeof *ALL; l++) {
        const struct Program *program = &ALL[l];
        if (!is_wanted(program, n_names, names)) continue;
        void *code[LIBRARIES];
        int calls[LIBRARIES];
        double least[LIBRARIES], far[LIBRARIES];
        for (int k = 0; k < n; k++) {
            code[k] = dlsym(library[k], program->name);
            least[k] = INFINITY;
            if (!code[k]) continue;
            memcpy(&d, &start, sizeof d);
            program->call(code[k]);
            if (k == 0) memcpy(&expected, &d, sizeof d);
            far[k] = distance(program);
            calls[k] = calls_for(program, code[k]);
        }
        for (int round = 0; round < ROUNDS; round++)
            for (int k = 0; k < n; k++)
                if (code[k]) least[k] = fmin(least[k], sample(program, code[k], calls[k]));
        printf("%s", program->name);
        for (int k = 0; k < n; k++)
            if (code[k])
                printf(" %.2f %s", least[k], far[k] <= program->close ? "agrees" : "differs");
            else
                printf(" - absent");
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
