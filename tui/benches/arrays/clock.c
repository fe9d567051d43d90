// Measures kernels from outside of Python, whose calls take longer than a small kernel.

#include <stdint.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

// The nanoseconds that one of so many calls takes. The arguments are pointers and integers, which are passed alike.
double sample(void (*code)(intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t), const intptr_t *a,
              int calls) {
    double begun = now();
    for (int k = 0; k < calls; k++) code(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
    return (now() - begun) / calls;
}
