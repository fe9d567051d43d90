// Loops that call a vector function of a C library, for registers of one width. Compiled once for each: `-DBYTES=32`, with the
// flags of the target, so that no code for a narrower one stands between code for a wider.

#include <stdint.h>

#define JOIN_(A, B) A##B
#define JOIN(A, B) JOIN_(A, B)

typedef float floats __attribute__((vector_size(BYTES)));
typedef double doubles __attribute__((vector_size(BYTES)));

#define LOOPS(TYPE, VECTOR)                                                                                            \
    void JOIN(TYPE##_of_one_, BYTES)(VECTOR (*call)(VECTOR), const TYPE *x, TYPE *out, int32_t n) {                     \
        for (int32_t i = 0; i < n; i += sizeof(VECTOR) / sizeof(TYPE))                                                 \
            *(VECTOR *)(out + i) = call(*(const VECTOR *)(x + i));                                                     \
    }                                                                                                                  \
    void JOIN(TYPE##_of_two_, BYTES)(                                                                                  \
        VECTOR (*call)(VECTOR, VECTOR), const TYPE *x, const TYPE *y, TYPE *out, int32_t n) {                          \
        for (int32_t i = 0; i < n; i += sizeof(VECTOR) / sizeof(TYPE))                                                 \
            *(VECTOR *)(out + i) = call(*(const VECTOR *)(x + i), *(const VECTOR *)(y + i));                           \
    }

LOOPS(float, floats)
LOOPS(double, doubles)
