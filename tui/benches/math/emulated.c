// Runs a kernel on inputs from a file that `inputs` wrote; see `emulated.rs`:
//
//     emulated FILE [BLOCK]
//
// For each block of inputs a line has a hash of inputs and results; or with a block's number, for each of its inputs the bits of both
// arguments and of the result. It is compiled for each kernel, with its name as `KERNEL`, and the C types of its arrays as `FIRST`,
// `SECOND` (if there is one) and `RESULT`. A file has the number of inputs and then these arrays. Nothing but the
// kernel computes with floats, so nothing else depends on the target.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4096 };

#ifdef SECOND
enum { HAS_SECOND = 1 };
void KERNEL(const FIRST *x, const SECOND *y, RESULT *out, int32_t n);
#define RUN(X, Y, OUT, N) KERNEL(X, Y, OUT, N)
#else
enum { HAS_SECOND = 0 };
typedef char SECOND;
void KERNEL(const FIRST *x, RESULT *out, int32_t n);
#define RUN(X, Y, OUT, N) KERNEL(X, OUT, N)
#endif

static uint64_t bits_of(const void *value, size_t size) {
    uint64_t bits = 0;
    memcpy(&bits, value, size);
    return bits;
}

static uint64_t joined(uint64_t hash, uint64_t bits) {
    uint64_t both = (hash ^ bits * 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
    return (both ^ both >> 32) * 0x94d049bb133111eb;
}

static void read_all(void *to, size_t size, uint64_t count, FILE *from) {
    if (fread(to, size, count, from) != count) fprintf(stderr, "the file of inputs ends early\n"), exit(1);
}

int main(int n_args, char **args) {
    FILE *file = n_args > 1 ? fopen(args[1], "rb") : 0;
    if (!file) return fprintf(stderr, "no file of inputs\n"), 1;
    uint64_t count;
    read_all(&count, sizeof count, 1, file);
    FIRST *x = malloc(count * sizeof *x);
    SECOND *y = calloc(count, sizeof *y);
    read_all(x, sizeof *x, count, file);
    if (HAS_SECOND) read_all(y, sizeof *y, count, file);
    uint64_t shown = n_args > 2 ? strtoull(args[2], 0, 10) : UINT64_MAX;
    static RESULT out[BLOCK];
    for (uint64_t block = 0; block * BLOCK < count; ++block) {
        if (n_args > 2 && block != shown) continue;
        uint64_t first = block * BLOCK, hash = 0;
        int32_t n = count - first < BLOCK ? (int32_t)(count - first) : BLOCK;
        RUN(x + first, y + first, out, n);
        for (int32_t i = 0; i < n; ++i) {
            uint64_t bits_x = bits_of(&x[first + i], sizeof *x), bits_y = bits_of(&y[first + i], sizeof *y);
            // All NaNs are one.
            uint64_t bits = out[i] == out[i] ? bits_of(&out[i], sizeof *out) : UINT64_MAX;
            if (n_args > 2) printf("%llx %llx %llx\n", (unsigned long long)bits_x, (unsigned long long)bits_y, (unsigned long long)bits);
            hash = joined(joined(joined(hash, bits_x), bits_y), bits);
        }
        if (n_args <= 2) printf("%016llx\n", (unsigned long long)hash);
    }
    return 0;
}
