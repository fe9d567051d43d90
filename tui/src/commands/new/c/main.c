/* Calls the kernels of NAME.lane: `build/main test` tests them, `build/main bench` measures them. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "NAME.h"

static int test(void) {
    enum { N = 1000 };
    static float a[N], b[N], out[N];
    for (int i = 0; i < N; i++) {
        a[i] = (float)i;
        b[i] = (float)(N - i);
    }
    mix(a, b, out, N, 0.25f);
    for (int i = 0; i < N; i++) {
        float expected = a[i] + (b[i] - a[i]) * 0.25f;
        if (fabsf(out[i] - expected) > 1e-3f) {
            printf("out[%d] is %g, and should be %g\n", i, out[i], expected);
            return 1;
        }
    }
    puts("mix: passed");
    return 0;
}

static int bench(void) {
    enum { N = 4096, ROUNDS = 20000 };
    static float a[N], b[N], out[N];
    clock_t start = clock();
    for (int round = 0; round < ROUNDS; round++) mix(a, b, out, N, 0.25f);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("mix: %.3f ns an element\n", seconds * 1e9 / ROUNDS / N);
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "bench") == 0) return bench();
    return test();
}
