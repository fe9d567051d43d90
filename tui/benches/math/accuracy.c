// Holds one function, as several libraries have it, against what is right; see `math.rs`:
//
//     accuracy NAME f32|f64 whole|hashes|COUNT THREADS TARGET=LIBRARY...
//
// With `hashes`, all 2^32 inputs are hashed with their results as with `whole`, but nothing is held against anything: only the hash of
// a line tells something then.
//
// The libraries have `strict_NAME_f32` and `fast_NAME_f32` (or some of them), loops over arrays. For each of those a line has the mode,
// the target, the number of inputs, of results that are not the correctly rounded ones, the largest error of those in ulp, the input
// that has it (the bits of both arguments), and a hash of all inputs and results.

#define _GNU_SOURCE
#include <pthread.h>

#include "functions.h"
#include "inputs.h"
#include "mpfr_calls.h"

enum { BLOCK = 4096, CHUNK = 64 * BLOCK, KERNELS = 16 };

// The loops under test, one for each mode and target.
static struct Kernel {
    const char *mode, *target;
    void *call;
    int is_strict;
} kernels[KERNELS];
static int n_kernels;

static const struct Function *function;
static int is_f32, is_whole, is_hash_only;
static uint64_t n_inputs, next_chunk;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// What is known of a loop's results.
static struct Tally {
    uint64_t misrounded, hash, at_x, at_y;
    double error;
} tallies[KERNELS];

// A block of inputs with what is right for them. Arrays that the other type uses stay empty.
struct Block {
    int size;
    double x[BLOCK], y[BLOCK];
    float x32[BLOCK], y32[BLOCK], found32[BLOCK];
    int32_t n[BLOCK];
    double found[BLOCK];
    // What is right: for `f32` not rounded yet, for `f64` rounded; and the bits of the rounded result.
    double right[BLOCK];
    uint64_t rounded[BLOCK];
    // For `f64` what x87's function gives, and if that decided what is right.
    long double wide[BLOCK];
    char is_quick[BLOCK];
    // Where it did not, what is right to 200 bits, divided by 2 to the power of the exponent, so that it lies from 1/2 to 1.
    Number exact[BLOCK];
    long exponent[BLOCK];
};

static uint64_t canonical(uint64_t bits, int wrong) {
    return wrong ? (is_f32 ? 0x7fc00000 : 0x7ff8000000000000) : bits;
}

// Rounds to `f32`, from a value that is right to an ulp or two of `f64`; MPFR decides where that does not tell.
static float rounded_to_f32(double value, double x, double y) {
    if (!function->mpfr || !isfinite(value)) return (float)value;
    double magnitude = fabs(value);
    int is_close;
    if (magnitude >= 0x1p-126) {
        int64_t from_midpoint = (int64_t)(bits_of(value) & 0x1fffffff) - 0x10000000;
        is_close = from_midpoint <= 512 && from_midpoint >= -512;
    } else {
        double units = magnitude * 0x1p149;
        is_close = fabs(units - floor(units) - 0.5) <= units * 0x1p-44;
    }
    if (!is_close) return (float)value;
    static _Thread_local Number exact;
    if (!exact.limbs) mpfr.init2(&exact, BITS);
    compute_exactly(function, &exact, x, y);
    return mpfr.get_flt(&exact, TO_NEAREST);
}

// The error of a result in ulp, given one in `f64` that is right.
static inline double error_in_f32(float found, double right) {
    if (isnan(found) || isnan(right)) return isnan(found) && isnan(right) ? 0 : INFINITY;
    if ((double)found == right) return 0;
    if (isinf(right)) return INFINITY;
    double limited = isinf(found) ? copysign(0x1p128, found) : found;
    if (isinf(found) && fabs(right) >= 0x1p128 && signbit(found) == signbit(right)) return 0;
    uint64_t exponent = bits_of(right) >> 52 & 0x7ff;
    exponent = exponent < 897 ? 897 : exponent > 1150 ? 1150 : exponent;
    return fabs(limited - right) * from_bits((2046 + 23 - exponent) << 52);
}

// The error of a result in ulp, given the right one, rounded and (as in a block) to 200 bits.
static double error_in_f64(double found, double right, const Number *exact, long exponent) {
    if (isnan(found) || isnan(right)) return isnan(found) && isnan(right) ? 0 : INFINITY;
    if (found == right) return 0;
    if (!exact->limbs) {
        // Zeros and infinities are right or not. What libm gives for an infinity, as pi / 2, is rounded.
        int is_number = isfinite(right) && isfinite(found) && right != 0;
        return is_number ? fabs(found - right) / fabs(nextafter(right, INFINITY) - right) : INFINITY;
    }
    double limited = isinf(found) ? copysign(ldexp(0.5, (int)(1025 - exponent)), found) : ldexp(found, (int)-exponent);
    static _Thread_local Number away;
    if (!away.limbs) mpfr.init2(&away, BITS);
    mpfr.sub_d(&away, exact, limited, TO_NEAREST);
    long unit = exponent - 53 < -1074 ? -1074 - exponent : -53;
    return fabs(ldexp(mpfr.get_d(&away, TO_NEAREST), (int)-unit));
}

// Decides what is right for an input in `f64`, and computes it to 200 bits, with MPFR.
static void settle_in_f64(struct Block *b, int i) {
    static _Thread_local Number exact[BLOCK];
    double value = function->of_f64(b->x[i], b->y[i]);
    b->right[i] = value;
    b->exact[i].limbs = 0;
    b->is_quick[i] = 0;
    int is_special = !isfinite(b->x[i]) || !isfinite(b->y[i]) || isnan(value);
    if (is_special || !function->mpfr) return;
    if (!exact[i].limbs) mpfr.init2(&exact[i], BITS);
    compute_exactly(function, &exact[i], b->x[i], b->y[i]);
    double mantissa = mpfr.get_d_2exp(&b->exponent[i], &exact[i], TO_NEAREST);
    // Zeros and poles have no exponent; libm gives their signs.
    if (mantissa == 0 || !isfinite(mantissa)) return;
    b->right[i] = mpfr.get_d(&exact[i], TO_NEAREST);
    mpfr.mul_2si(&exact[i], &exact[i], -b->exponent[i], TO_NEAREST);
    b->exact[i] = exact[i];
}

// Decides what is right for an input in `f64`. Nearly always x87's function tells it, which takes a fraction of MPFR's time.
static void decide_in_f64(struct Block *b, int i) {
    long double wide = function->of_wide ? b->wide[i] = function->of_wide(b->x[i], b->y[i]) : 0;
    b->is_quick[i] = rounds_clearly(wide);
    if (b->is_quick[i]) b->right[i] = (double)wide;
    else settle_in_f64(b, i);
}

// True if the error of a result in `f64` is at most the given one: then x87's function tells that, too.
static int is_within(const struct Block *b, int i, double error) {
    long double wide = b->wide[i];
    if (!b->is_quick[i] || !isfinite(b->found[i]) || !isfinite(b->right[i]) || b->right[i] == 0) return 0;
    return fabsl(b->found[i] - wide) <= (error - 2 * WIDE_DOUBT / 2048.0) * ldexpl(1, ilogbl(wide) - 52);
}

static void prepare(struct Block *b, uint64_t first) {
    for (int i = 0; i < b->size; ++i) {
        if (is_whole) b->x[i] = f32_from_bits((uint32_t)(first + (uint64_t)i)), b->y[i] = 0;
        else input_of(function, is_f32, first + (uint64_t)i, &b->x[i], &b->y[i]);
        b->x32[i] = is_whole ? f32_from_bits((uint32_t)(first + (uint64_t)i)) : (float)b->x[i];
        b->y32[i] = (float)b->y[i];
        b->n[i] = function->second == SECOND_INT ? (int32_t)b->y[i] : 0;
        if (is_hash_only) continue;
        if (is_f32) {
            b->right[i] = function->of_f32(b->x[i], b->y[i]);
            float rounded = rounded_to_f32(b->right[i], b->x[i], b->y[i]);
            b->rounded[i] = function->gives_int ? (uint32_t)(int32_t)rounded : canonical(bits_of_f32(rounded), isnan(rounded));
        } else {
            decide_in_f64(b, i);
            b->rounded[i] =
                function->gives_int ? (uint32_t)(int32_t)b->right[i] : canonical(bits_of(b->right[i]), isnan(b->right[i]));
        }
    }
}

// Runs a loop on a block. Its results stand in the array of the result's type.
static void run(const struct Kernel *kernel, struct Block *b) {
    void *x = is_f32 ? (void *)b->x32 : b->x, *y = is_f32 ? (void *)b->y32 : b->y;
    void *found = is_f32 ? (void *)b->found32 : b->found;
    if (function->second == NO_SECOND) ((void (*)(const void *, void *, int32_t))kernel->call)(x, found, b->size);
    else
        ((void (*)(const void *, const void *, void *, int32_t))kernel->call)(
            x, function->second == SECOND_INT ? (void *)b->n : y, found, b->size);
}

// The bits of a result, with one NaN.
static inline uint64_t found_bits(const struct Block *b, int i) {
    if (function->gives_int) {
        uint32_t bits;
        memcpy(&bits, is_f32 ? (const char *)b->found32 + 4 * i : (const char *)b->found + 4 * i, 4);
        return bits;
    }
    return is_f32 ? canonical(bits_of_f32(b->found32[i]), isnan(b->found32[i])) : canonical(bits_of(b->found[i]), isnan(b->found[i]));
}

static double error_of(const struct Kernel *kernel, const struct Block *b, int i, uint64_t bits) {
    if (function->gives_int) return fabs((double)(int32_t)bits - (double)(int32_t)b->rounded[i]);
    // A zero of the wrong sign has no error to speak of, but is wrong.
    uint64_t sign = is_f32 ? 0x80000000 : 0x8000000000000000;
    if (kernel->is_strict && bits == (b->rounded[i] ^ sign) && (bits | sign) == sign) return INFINITY;
    return is_f32 ? error_in_f32(b->found32[i], b->right[i])
                  : error_in_f64(b->found[i], b->right[i], &b->exact[i], b->exponent[i]);
}

static inline uint64_t joined(uint64_t input, uint64_t bits) {
    uint64_t both = (input ^ bits * 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
    return (both ^ both >> 32) * 0x94d049bb133111eb;
}

// Adds the bits of a block's results to the tally; returns the number of those that are not the rounded ones.
static uint64_t count(struct Tally *tally, const struct Block *b) {
    uint64_t misrounded = 0, hash = 0;
    if (is_f32 && !function->gives_int) {
        // As below, in a form that becomes vector code: most of the time goes here.
        for (int i = 0; i < b->size; ++i) {
            uint32_t bits = bits_of_f32(b->found32[i]);
            bits = (bits & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : bits;
            misrounded += bits != b->rounded[i];
            hash += joined((uint64_t)bits_of_f32(b->y32[i]) << 32 | bits_of_f32(b->x32[i]), bits);
        }
    } else {
        for (int i = 0; i < b->size; ++i) {
            uint64_t bits = found_bits(b, i);
            misrounded += bits != b->rounded[i];
            hash += joined(bits_of(b->x[i]) + mixed(bits_of(b->y[i])), bits);
        }
    }
    tally->misrounded += misrounded, tally->hash += hash;
    return misrounded;
}

// Runs a loop on a block, and adds its results to the tally. Those that are correctly rounded have an error of half an ulp at most.
static void judge(const struct Kernel *kernel, struct Tally *tally, struct Block *b) {
    run(kernel, b);
    if (!count(tally, b) || is_hash_only) return;
    for (int i = 0; i < b->size; ++i) {
        uint64_t bits = found_bits(b, i);
        if (bits == b->rounded[i] || (!is_f32 && is_within(b, i, tally->error))) continue;
        if (b->is_quick[i]) settle_in_f64(b, i);
        double error = error_of(kernel, b, i, bits);
        if (error <= tally->error) continue;
        tally->error = error;
        tally->at_x = is_f32 ? bits_of_f32(b->x32[i]) : bits_of(b->x[i]);
        tally->at_y = function->second == SECOND_INT ? (uint32_t)b->n[i] : is_f32 ? bits_of_f32(b->y32[i]) : bits_of(b->y[i]);
    }
}

static void join(struct Tally *all, const struct Tally *part) {
    all->misrounded += part->misrounded;
    all->hash += part->hash;
    // Of equal errors the input with the fewest bits is kept, whatever the order of threads.
    int is_first = part->at_x < all->at_x || (part->at_x == all->at_x && part->at_y < all->at_y);
    if (part->error > all->error || (part->error == all->error && part->error > 0 && is_first))
        all->error = part->error, all->at_x = part->at_x, all->at_y = part->at_y;
}

static void *work(void *nothing) {
    struct Block *b = calloc(1, sizeof *b);
    for (;;) {
        uint64_t first = __atomic_fetch_add(&next_chunk, CHUNK, __ATOMIC_RELAXED);
        if (first >= n_inputs) break;
        struct Tally own[KERNELS] = {0};
        uint64_t end = first + CHUNK < n_inputs ? first + CHUNK : n_inputs;
        for (uint64_t at = first; at < end; at += BLOCK) {
            b->size = end - at < BLOCK ? (int)(end - at) : BLOCK;
            prepare(b, at);
            for (int k = 0; k < n_kernels; ++k) judge(&kernels[k], &own[k], b);
        }
        pthread_mutex_lock(&lock);
        for (int k = 0; k < n_kernels; ++k) join(&tallies[k], &own[k]);
        pthread_mutex_unlock(&lock);
    }
    free(b);
    return nothing;
}

// Finds the loops of the function in a library.
static void open_kernels(char *argument, const char *type) {
    static const char *const MODES[] = {"strict", "fast"};
    char *path = strchr(argument, '=');
    *path++ = 0;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fprintf(stderr, "%s\n", dlerror()), exit(1);
    for (int mode = 0; mode < 2; ++mode) {
        char symbol[99];
        snprintf(symbol, sizeof symbol, "%s_%s_%s", MODES[mode], function->name, type);
        void *call = dlsym(library, symbol);
        if (call && n_kernels < KERNELS) kernels[n_kernels++] = (struct Kernel){MODES[mode], argument, call, !mode};
    }
}

int main(int n_args, char **args) {
    if (n_args < 6 || !(function = function_named(args[1]))) {
        fprintf(stderr, "%s is not described in functions.h\n", n_args > 1 ? args[1] : "a function");
        return 1;
    }
    is_f32 = !strcmp(args[2], "f32");
    is_hash_only = !strcmp(args[3], "hashes");
    is_whole = is_hash_only || !strcmp(args[3], "whole");
    n_inputs = is_whole ? 1ull << 32 : strtoull(args[3], 0, 10);
    int n_threads = atoi(args[4]);
    open_mpfr(function);
    for (int n = 5; n < n_args; ++n) open_kernels(args[n], args[2]);
    pthread_t threads[256];
    for (int n = 0; n < n_threads && n < 256; ++n) pthread_create(&threads[n], 0, work, 0);
    for (int n = 0; n < n_threads && n < 256; ++n) pthread_join(threads[n], 0);
    for (int k = 0; k < n_kernels; ++k)
        printf("%s %s %llu %llu %.9g %llx %llx %016llx\n", kernels[k].mode, kernels[k].target, (unsigned long long)n_inputs,
            (unsigned long long)tallies[k].misrounded, tallies[k].error, (unsigned long long)tallies[k].at_x,
            (unsigned long long)tallies[k].at_y, (unsigned long long)tallies[k].hash);
    return 0;
}
