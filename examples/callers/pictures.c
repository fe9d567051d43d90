// Draws what programs of the examples compute, as pictures (PGM and PPM) in the current folder:
//
//     for program in mandelbrot programs/{noise,aobench,volume,stencil,rays,deferred}; do
//         lanescope build examples/$program.lane -o out
//     done
//     cc -I out examples/callers/pictures.c out/{mandelbrot,noise,aobench,volume,stencil,rays,deferred}.o -o out/pictures
//     cd out && ./pictures
//
// For each it prints the sum of its bytes, which is the same on every machine.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "aobench.h"
#include "deferred.h"
#include "mandelbrot.h"
#include "noise.h"
#include "rays.h"
#include "stencil.h"
#include "volume.h"

enum { W = 192, H = 128, CUBE = 32, AIR = 96, LIGHTS = 64, TILES = W / 16 * (H / 16), GRID = 24, TRIANGLES = 2 * GRID * GRID };

static uint8_t bytes[3][H * W];
static float image[H * W];

static uint32_t random_bits(void) {
    static uint32_t state = 1;
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

// From 0 to 1, in steps that an f32 has.
static float random_number(void) { return (float)(random_bits() & 0xffff) / 65536; }

static void write(const char *name, int planes) {
    FILE *file = fopen(name, "wb");
    if (!file) exit(1);
    fprintf(file, "P%d %d %d 255\n", planes == 1 ? 5 : 6, W, H);
    long sum = 0;
    for (int i = 0; i < H * W; i++)
        for (int c = 0; c < planes; c++) {
            putc(bytes[c][i], file);
            sum += bytes[c][i];
        }
    fclose(file);
    printf("%s %ld\n", name, sum);
}

// Writes a picture of brightness, of which `least` is black and `most` is white.
static void write_image(const char *name, float least, float most) {
    for (int i = 0; i < H * W; i++) {
        float part = (image[i] - least) / (most - least);
        bytes[0][i] = (uint8_t)((part < 0 ? 0 : part > 1 ? 1 : part) * 255);
    }
    write(name, 1);
}

static void draw_mandelbrot(void) {
    static int32_t steps[H * W];
    mandelbrot(steps, H, W, -2.1f, -1.1f, 0.017f, 100);
    for (int i = 0; i < H * W; i++) image[i] = (float)steps[i];
    write_image("mandelbrot.pgm", 0, 40);
}

static void draw_clouds(void) {
    int32_t table[512];
    for (int i = 0; i < 512; i++) table[i] = i % 256 * 167 % 256 ^ 13;
    clouds(image, table, -3, 2, 0.04f, 0.6f, 5, H, W);
    write_image("clouds.pgm", 0, 1.2f);
}

static void draw_open_skies(void) {
    const Ball balls[3] = {{-2, 0, -3.5f, 0.5f}, {-0.5f, 0, -3, 0.5f}, {1, 0, -2.2f, 0.5f}};
    open_skies(image, balls, 2, 6, H, W);
    write_image("open_skies.pgm", 0, 1);
}

// A ball of smoke, thicker in some places than in others.
static void draw_volume(void) {
    static float cloud[CUBE * CUBE * CUBE];
    for (int z = 0; z < CUBE; z++)
        for (int y = 0; y < CUBE; y++)
            for (int x = 0; x < CUBE; x++) {
                int dx = 2 * x - CUBE + 1, dy = 2 * y - CUBE + 1, dz = 2 * z - CUBE + 1;
                int inside = 900 - dx * dx - dy * dy - dz * dz;
                float thick = (x / 4 + y / 6 + z / 4) % 2 ? 0.25f : 1;
                cloud[(z * CUBE + y) * CUBE + x] = inside > 0 ? (float)inside / 1024 * thick : 0;
            }
    const View view = {4.5f, 2.4f, 6, -0.8f, -0.013f, -0.688f, 0.00224f, 0, -0.00156f, 0.00041f, -0.0032f, 0.00059f};
    volume(cloud, image, &view, CUBE, CUBE, CUBE, H, W);
    write_image("volume.pgm", 0, 1);
}

// A slice through waves that come from two corners.
static void draw_waves(void) {
    static float now[AIR * AIR * AIR], before[AIR * AIR * AIR], speed[AIR * AIR * AIR];
    const float weights[4] = {-3, 0.5f, 0, 0};
    for (int i = 0; i < AIR * AIR * AIR; i++) speed[i] = 0.3f;
    for (int z = 40; z < 56; z++)
        for (int k = 0; k < 16; k++) {
            int at = (z * AIR + 30 + k % 4) * AIR, other = (z * AIR + 60 + k % 4) * AIR;
            now[at + 30 + k / 4] = before[at + 30 + k / 4] = now[other + 55 + k / 4] = before[other + 55 + k / 4] = 1;
        }
    waves(now, before, speed, weights, AIR, AIR, AIR, 16);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) image[y * W + x] = now[(AIR / 2 * AIR + y * (AIR - 8) / H + 4) * AIR + x * (AIR - 8) / W + 4];
    write_image("waves.pgm", -0.2f, 0.2f);
}

static Triangle triangles[TRIANGLES];
static Node nodes[2 * TRIANGLES];
static int n_nodes, axis_of_order;

static float corner(const Triangle *t, int k) {
    const float at[9] = {t->a_x, t->a_y, t->a_z, t->b_x, t->b_y, t->b_z, t->c_x, t->c_y, t->c_z};
    return at[k];
}

static int compare(const void *a, const void *b) {
    float x = corner(a, axis_of_order), y = corner(b, axis_of_order);
    return (x > y) - (x < y);
}

// Puts triangles into a tree of boxes, in halves along the axis in which they lie widest apart.
static int build_tree(int first, int count) {
    int here = n_nodes++, axis = 0;
    float least[3] = {1e9f, 1e9f, 1e9f}, most[3] = {-1e9f, -1e9f, -1e9f};
    for (int k = first; k < first + count; k++)
        for (int c = 0; c < 9; c++) {
            float at = corner(&triangles[k], c);
            if (at < least[c % 3]) least[c % 3] = at;
            if (at > most[c % 3]) most[c % 3] = at;
        }
    for (int c = 1; c < 3; c++)
        if (most[c] - least[c] > most[axis] - least[axis]) axis = c;
    nodes[here] = (Node){least[0], least[1], least[2], most[0], most[1], most[2], first, count <= 4 ? count : 0, axis};
    if (count > 4) {
        axis_of_order = axis;
        qsort(triangles + first, (size_t)count, sizeof *triangles, compare);
        build_tree(first, count / 2);
        nodes[here].first = build_tree(first + count / 2, count - count / 2);
    }
    return here;
}

// Hills, whose brightness is how near they are.
static void draw_hills(void) {
    static float height[GRID + 1][GRID + 1];
    static int32_t which[H * W];
    for (int z = 0; z <= GRID; z++)
        for (int x = 0; x <= GRID; x++) height[z][x] = random_number();
    for (int k = 0; k < TRIANGLES; k++) {
        int x = k / 2 % GRID, z = k / 2 / GRID;
        float left = (float)x - GRID / 2, right = left + 1, front = (float)z + 1, back = front + 1;
        Triangle low = {left, height[z][x], front, right, height[z][x + 1], front, left, height[z + 1][x], back};
        Triangle high = {right, height[z + 1][x + 1], back, right, height[z][x + 1], front, left, height[z + 1][x], back};
        triangles[k] = k % 2 ? high : low;
    }
    build_tree(0, TRIANGLES);
    const Frame frame = {0.03f, 5, -4, -0.96f, 0.1f, 1.02f, 0.01f, 0, 0, 0, -0.01f, 0.0001f};
    trace_rays(nodes, triangles, image, which, &frame, n_nodes, TRIANGLES, H, W);
    for (int i = 0; i < H * W; i++) image[i] = which[i] < 0 ? 0 : 1 / image[i];
    write_image("hills.pgm", 0, 0.25f);
}

// A floor and a wall under coloured lights. Halves are written by their bits: 0x3800 is 0.5.
static void draw_lights(void) {
    static float depth[H * W], nearest[TILES], farthest[TILES], lamps[8][LIGHTS];
    static uint16_t straight[H * W], upright[H * W], gloss[H * W], power[H * W];
    static uint8_t paint[H * W];
    static int32_t counts[TILES], lists[TILES * 1024];
    const Eye eye = {1, 1.5f, 1.001f, -0.1f, 0.1f, 60};
    for (int i = 0; i < H * W; i++) {
        // The floor lies two below the eye, and the wall ten behind it.
        int below = 2 * (i / W) + 1 - H;
        float z = below * 10 > 3 * H ? 3.0f * H / (float)below : 10;
        depth[i] = eye.depth_a + eye.depth_b / z;
        straight[i] = 0x3800;
        upright[i] = z < 10 ? 0x3b50 : 0x3800;
        gloss[i] = 0x3400;
        power[i] = 0x4c00;
        paint[i] = (uint8_t)(i / 16 % 2 == i / W / 16 % 2 ? 230 : 150);
    }
    for (int k = 0; k < LIGHTS; k++) {
        lamps[0][k] = random_number() * 16 - 8;
        lamps[1][k] = random_number() * 3 - 1.8f;
        lamps[2][k] = random_number() * 6 + 3.5f;
        lamps[3][k] = 0.5f;
        lamps[4][k] = 3;
        for (int c = 5; c < 8; c++) lamps[c][k] = random_number();
    }
    z_bounds(depth, nearest, farthest, &eye, H, W);
    cull_lights(lamps[0], lamps[1], lamps[2], lamps[4], nearest, farthest, counts, lists, &eye, H, W, LIGHTS);
    shade(depth, straight, upright, gloss, power, paint, paint, paint, lamps[0], lamps[1], lamps[2], lamps[3], lamps[4], lamps[5], lamps[6],
          lamps[7], counts, lists, bytes[0], bytes[1], bytes[2], &eye, H, W, LIGHTS);
    write("lights.ppm", 3);
}

int main(void) {
    draw_mandelbrot();
    draw_clouds();
    draw_open_skies();
    draw_volume();
    draw_waves();
    draw_hills();
    draw_lights();
    return 0;
}
