// Runs a kernel under `@threads` on all cores, by OpenMP (without -fopenmp it runs on one, and prints the same):
//
//     lanescope build examples/julia.lane -o out
//     cc -fopenmp -I out examples/callers/julia.c out/julia.o -o out/julia
//     out/julia

#include <stdio.h>
#include <stdlib.h>

#include "julia.h"

enum { W = 320, H = 200, MOST = 100, ROWS = 8 };

int main(void) {
    int32_t *steps = malloc(sizeof *steps * W * H);
    if (!steps) return 1;
    int64_t n = julia_iterations(H, W, -0.8f, 0.156f, MOST);
#pragma omp parallel for schedule(dynamic)
    for (int64_t begin = 0; begin < n; begin += ROWS)
        julia_part(begin, begin + ROWS, steps, H, W, -0.8f, 0.156f, MOST);
    int64_t total = 0;
    for (int i = 0; i < W * H; i++) total += steps[i];
    printf("%lld rows, %lld steps\n", (long long)n, (long long)total);
    free(steps);
    return 0;
}
