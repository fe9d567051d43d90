// Inputs of functions. The n-th input is computed from its number alone, so that threads may share the work in any way.

#ifndef INPUTS_H
#define INPUTS_H

#include "functions.h"

static const double SPECIAL[] = {
    0.0, -0.0, INFINITY, -INFINITY, NAN, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 1.5, -1.5, 10.0, 0.25, -0.25, 1e5, -1e5,
    0x1p-149, -0x1p-149, 0x1.fffffcp-127, 0x1p-126, -0x1p-126, 0x1.fffffep127, -0x1.fffffep127, 0x1.fffffep-1, 0x1.000002p0,
    -0x1.fffffep-1, -0x1.000002p0, 0x1p23, 0x1p24, -0x1.fffffep23, 0x1.fffffep23, 0x1p31, -0x1p31, 0x1p32, 0x1p63, -0x1p63, 0x1p64,
    // Those are nothing special in `f32`.
    0x1p-1074, -0x1p-1074, 0x1.ffffffffffffep-1023, 0x1p-1022, -0x1p-1022, 0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023,
    0x1.fffffffffffffp-1, 0x1.0000000000001p0, 0x1p52, 0x1p53, -0x1.fffffffffffffp52, 0x1.fffffffffffffp52, 0x1.0p512, 0x1p-512,
};
enum { SPECIALS = sizeof SPECIAL / sizeof *SPECIAL };

static inline uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

static inline double from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

static inline uint32_t bits_of_f32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

static inline float f32_from_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

// A bijection of 64 bits without a pattern (SplitMix64's last step).
static inline uint64_t mixed(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static inline uint64_t next(uint64_t *state) {
    return mixed(*state += 0x9e3779b97f4a7c15);
}

static double uniform(uint64_t *state, double low, double high) {
    return low + (high - low) * ((double)(next(state) >> 11) * 0x1p-53);
}

// Evenly over all bit patterns of the type, and so over its exponents.
static double of_any_bits(uint64_t *state, int is_f32) {
    return is_f32 ? (double)f32_from_bits((uint32_t)(next(state) >> 32)) : from_bits(next(state));
}

// Evenly over the exponents from 2^low to 2^high, of both signs.
static double of_exponents(uint64_t *state, double low, double high) {
    double magnitude = exp2(uniform(state, low, high));
    return next(state) & 1 ? -magnitude : magnitude;
}

// Close to a value: at most 2^40 floats away, and mostly few.
static double close_to(uint64_t *state, double anchor, int is_f32) {
    uint64_t away = next(state) >> (is_f32 ? 44 : 24), sign = next(state) & 1;
    away >>= next(state) % (is_f32 ? 20 : 40);
    away = sign ? -away : away;
    return is_f32 ? (double)f32_from_bits(bits_of_f32((float)anchor) + (uint32_t)away) : from_bits(bits_of(anchor) + away);
}

static double anchor_of(uint64_t *state, const struct Function *function) {
    int n = 0;
    while (n < ANCHORS && function->anchors[n] != 0) ++n;
    // Multiples of a quarter turn and of a half are hard for about half of the functions.
    if (n == 0 || next(state) % 4 == 0)
        return (next(state) & 1 ? M_PI_2 : 0.5) * (double)((int64_t)(next(state) % 200) - 100);
    return function->anchors[next(state) % (unsigned)n];
}

static double of_one(uint64_t *state, const struct Function *function, int is_f32) {
    switch (next(state) % 8) {
    case 0:
    case 1:
    case 2: return of_any_bits(state, is_f32);
    case 3:
    case 4: return uniform(state, function->low, function->high);
    case 5: return of_exponents(state, -70, 11);
    case 6: return uniform(state, is_f32 ? -120 : -800, is_f32 ? 120 : 800);
    default: return close_to(state, anchor_of(state, function), is_f32);
    }
}

// The n-th input: all special values first (and all pairs of those), then random ones.
static void input_of(const struct Function *function, int is_f32, uint64_t n, double *x, double *y) {
    uint64_t n_special = function->second ? SPECIALS * SPECIALS : SPECIALS;
    uint64_t state = mixed(n + 1);
    *y = 0;
    if (n < n_special) {
        *x = SPECIAL[n % SPECIALS];
        *y = SPECIAL[n / SPECIALS % SPECIALS];
        if (function->second == SECOND_INT) *y = isnan(*y) ? 7 : fmax(fmin(*y, 2147483647), -2147483648.0);
    } else if (function->second == SECOND_INT) {
        *x = of_one(&state, function, is_f32);
        *y = next(&state) & 1 ? nearbyint(uniform(&state, -2300, 2300)) : (double)(int32_t)next(&state);
    } else if (function->second) {
        int is_pow = !strcmp(function->name, "pow");
        switch (next(&state) % 4) {
        case 0: *x = of_any_bits(&state, is_f32), *y = of_any_bits(&state, is_f32); break;
        case 1:
            *x = uniform(&state, function->low, function->high);
            *y = uniform(&state, function->second_low, function->second_high);
            break;
        case 2:
            // Powers that are neither too large nor too small, or components of about the same exponent.
            *x = of_exponents(&state, is_f32 ? -120 : -1000, is_f32 ? 120 : 1000);
            if (is_pow) *x = fabs(*x), *y = uniform(&state, is_f32 ? -150 : -1075, is_f32 ? 128 : 1024) / log2(*x);
            else *y = *x * of_exponents(&state, -30, 30);
            break;
        default:
            *x = of_one(&state, function, is_f32);
            *y = next(&state) & 1 ? nearbyint(uniform(&state, -40, 40)) : of_one(&state, function, is_f32);
            if (is_pow && next(&state) & 1) *x = nearbyint(uniform(&state, -1000, 1000));
        }
    } else {
        *x = of_one(&state, function, is_f32);
    }
    if (is_f32) *x = (float)*x, *y = function->second == SECOND_INT ? *y : (float)*y;
}

#endif
