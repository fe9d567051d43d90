// Joins what threads find in parts of a recording, by OpenMP (without -fopenmp one thread does it, and prints the same):
//
//     lanescope build examples/loudness.lane -o out
//     cc -fopenmp -I out examples/callers/loudness.c out/loudness.o -o out/loudness
//     out/loudness

#include <stdio.h>
#include <stdlib.h>

#include "loudness.h"

enum { N = 98000 };

int main(void) {
    float *samples = malloc(sizeof *samples * N);
    int64_t n_blocks = loudness_iterations(N);
    float *squares = malloc(sizeof *squares * (size_t)n_blocks);
    if (!samples || !squares) return 1;
    for (int i = 0; i < N; i++) samples[i] = (float)(i % 7 - 3);
#pragma omp parallel for schedule(dynamic)
    for (int64_t block = 0; block < n_blocks; block++)
        loudness_part(block, block + 1, squares, samples, N);
    printf("%lld blocks, loudness %g\n", (long long)n_blocks, loudness_join(squares, N));
    free(squares);
    free(samples);
    return 0;
}
