// Measures how many cycles an element takes, in several libraries made of Lane, in libm, and in the vector functions of glibc and
// SLEEF, in turns: `speed NAME f32|f64 TARGET=LIBRARY=CALLS...`, where CALLS is `vector_calls.c` for the target's registers.
//
// Each array takes 8 KiB, so all of them stay in the first cache; inputs lie in the range that the function is usually called in. A
// line is a program, the target, and the cycles of the time-stamp counter in the fastest of many turns.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>

#include "functions.h"
#include "inputs.h"

enum { BYTES = 8192, RUNNERS = 64, ROUNDS = 300 };

static _Alignas(64) char x[BYTES], y[BYTES], out[BYTES];
static const struct Function *function;
static int is_f32, n_elements;

struct Runner {
    char program[32];
    const char *target;
    // A vector or scalar function, called by `loop`; or none, where `loop` is the whole.
    void *call, *loop;
    double best;
} runners[RUNNERS];
static int n_runners;

static void add(const char *program, const char *target, void *call, void *loop) {
    if (!loop || n_runners == RUNNERS) return;
    struct Runner *runner = &runners[n_runners++];
    snprintf(runner->program, sizeof runner->program, "%s", program);
    runner->target = target, runner->call = call, runner->loop = loop, runner->best = INFINITY;
}

#define SCALAR(TYPE)                                                                                                   \
    static void TYPE##_of_one(TYPE (*call)(TYPE), const TYPE *a, TYPE *result, int32_t n) {                            \
        for (int32_t i = 0; i < n; ++i) result[i] = call(a[i]);                                                        \
    }                                                                                                                  \
    static void TYPE##_of_two(TYPE (*call)(TYPE, TYPE), const TYPE *a, const TYPE *b, TYPE *result, int32_t n) {       \
        for (int32_t i = 0; i < n; ++i) result[i] = call(a[i], b[i]);                                                  \
    }
SCALAR(float)
SCALAR(double)

static void add_libm(void) {
    char symbol[64];
    snprintf(symbol, sizeof symbol, "%s%s", function->name, is_f32 ? "f" : "");
    void *library = dlopen("libm.so.6", RTLD_NOW), *call = library ? dlsym(library, symbol) : 0;
    void *one = is_f32 ? (void *)float_of_one : (void *)double_of_one, *two = is_f32 ? (void *)float_of_two : (void *)double_of_two;
    if (call && !function->gives_int && function->second != SECOND_INT) add("libm", "scalar", call, function->second ? two : one);
}

// How libraries name the functions of a target: the letter of the vector ABI, SLEEF's suffix, and the bytes of a register.
static const struct Names {
    const char *target;
    char letter;
    const char *suffix;
    int bytes;
} NAMES[] = {{"sse4", 'b', "sse4", 16}, {"avx2", 'd', "avx2", 32}, {"avx512", 'e', "avx512f", 64}};

static void add_libraries(const char *target, void *calls) {
    const struct Names *names = NAMES;
    while (strcmp(names->target, target))
        if (++names == NAMES + 3) return;
    if (function->gives_int || function->second == SECOND_INT) return;
    char symbol[64];
    int lanes = names->bytes / (is_f32 ? 4 : 8);
    snprintf(symbol, sizeof symbol, "%s_of_%s_%d", is_f32 ? "float" : "double", function->second ? "two" : "one", names->bytes);
    void *loop = dlsym(calls, symbol), *call;
    void *glibc = dlopen("libmvec.so.1", RTLD_NOW), *sleef = dlopen("libsleef.so.3", RTLD_NOW);
    if (glibc) {
        snprintf(symbol, sizeof symbol, "_ZGV%cN%d%s_%s%s", names->letter, lanes, function->second ? "vv" : "v", function->name,
            is_f32 ? "f" : "");
        if ((call = dlsym(glibc, symbol))) add("libmvec", target, call, loop);
    }
    static const char *const ACCURACIES[] = {"u05", "u10", "u15", "u35"};
    for (int n = 0; sleef && n < 4; ++n) {
        char program[16];
        snprintf(symbol, sizeof symbol, "Sleef_%s%c%d_%s%s", function->name, is_f32 ? 'f' : 'd', lanes, ACCURACIES[n], names->suffix);
        snprintf(program, sizeof program, "sleef_%s", ACCURACIES[n]);
        if ((call = dlsym(sleef, symbol))) add(program, target, call, loop);
    }
}

static void run(const struct Runner *runner) {
    void *second = y;
    if (runner->call && function->second)
        ((void (*)(void *, void *, void *, void *, int32_t))runner->loop)(runner->call, x, second, out, n_elements);
    else if (runner->call) ((void (*)(void *, void *, void *, int32_t))runner->loop)(runner->call, x, out, n_elements);
    else if (function->second) ((void (*)(void *, void *, void *, int32_t))runner->loop)(x, second, out, n_elements);
    else ((void (*)(void *, void *, int32_t))runner->loop)(x, out, n_elements);
}

static void fill(void) {
    uint64_t state = 1;
    for (int i = 0; i < n_elements; ++i) {
        double a = uniform(&state, function->low, function->high);
        double b = uniform(&state, function->second_low, function->second_high);
        if (is_f32) ((float *)x)[i] = (float)a, ((float *)y)[i] = (float)b;
        else ((double *)x)[i] = a, ((double *)y)[i] = b;
        if (function->second == SECOND_INT) ((int32_t *)y)[i] = (int32_t)b;
    }
}

int main(int n_args, char **args) {
    if (n_args < 4 || !(function = function_named(args[1]))) {
        fprintf(stderr, "%s is not described in functions.h\n", n_args > 1 ? args[1] : "a function");
        return 1;
    }
    is_f32 = !strcmp(args[2], "f32");
    n_elements = BYTES / (is_f32 ? 4 : 8);
    fill();
    add_libm();
    for (int n = 3; n < n_args; ++n) {
        char symbol[64], *target = strtok(args[n], "="), *path = strtok(0, "="), *calls_path = strtok(0, "=");
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *calls = dlopen(calls_path, RTLD_NOW | RTLD_LOCAL);
        if (!library || !calls) fprintf(stderr, "%s\n", dlerror()), exit(1);
        snprintf(symbol, sizeof symbol, "strict_%s_%s", function->name, args[2]);
        add("strict", target, 0, dlsym(library, symbol));
        snprintf(symbol, sizeof symbol, "fast_%s_%s", function->name, args[2]);
        add("fast", target, 0, dlsym(library, symbol));
        add_libraries(target, calls);
    }
    for (int round = 0; round < ROUNDS; ++round)
        for (int n = 0; n < n_runners; ++n) {
            run(&runners[n]);
            uint64_t start = __rdtsc();
            run(&runners[n]);
            double cycles = (double)(__rdtsc() - start) / n_elements;
            if (cycles < runners[n].best) runners[n].best = cycles;
        }
    for (int n = 0; n < n_runners; ++n) printf("%s %s %.2f\n", runners[n].program, runners[n].target, runners[n].best);
    return 0;
}
