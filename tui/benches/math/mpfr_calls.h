// What is needed of MPFR, declared here, since it is opened when the program runs and need not be there when it is built.

#ifndef MPFR_CALLS_H
#define MPFR_CALLS_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "functions.h"

// A number of MPFR, as its ABI has it, and rounding to the nearest.
typedef struct {
    long precision;
    int sign;
    long exponent;
    void *limbs;
} Number;

enum { TO_NEAREST = 0, BITS = 200 };

static struct {
    void (*init2)(Number *, long);
    int (*set_d)(Number *, double, int);
    float (*get_flt)(const Number *, int);
    double (*get_d)(const Number *, int);
    double (*get_d_2exp)(long *, const Number *, int);
    int (*mul_2si)(Number *, const Number *, long, int);
    int (*mul_d)(Number *, const Number *, double, int);
    int (*set_ld)(Number *, long double, int);
    int (*sub)(Number *, const Number *, const Number *, int);
    int (*sub_d)(Number *, const Number *, double, int);
    int (*neg)(Number *, const Number *, int);
    int (*const_pi)(Number *, int);
    int (*of_one)(Number *, const Number *, int);
    int (*of_other)(Number *, const Number *, int);
    int (*of_two)(Number *, const Number *, const Number *, int);
} mpfr;

static void *mpfr_call(void *library, const char *name) {
    void *call = dlsym(library, name);
    if (!call) fprintf(stderr, "libmpfr lacks %s\n", name), exit(1);
    return call;
}

// Opens MPFR, with the function's own among its functions.
static void open_mpfr(const struct Function *function) {
    void *library = dlopen("libmpfr.so.6", RTLD_NOW);
    if (!library) fprintf(stderr, "%s: it decides what is right, so install `libmpfr6`\n", dlerror()), exit(1);
    mpfr.init2 = mpfr_call(library, "mpfr_init2");
    mpfr.set_d = mpfr_call(library, "mpfr_set_d");
    mpfr.get_flt = mpfr_call(library, "mpfr_get_flt");
    mpfr.get_d = mpfr_call(library, "mpfr_get_d");
    mpfr.get_d_2exp = mpfr_call(library, "mpfr_get_d_2exp");
    mpfr.mul_2si = mpfr_call(library, "mpfr_mul_2si");
    mpfr.mul_d = mpfr_call(library, "mpfr_mul_d");
    mpfr.set_ld = mpfr_call(library, "mpfr_set_ld");
    mpfr.sub = mpfr_call(library, "mpfr_sub");
    mpfr.sub_d = mpfr_call(library, "mpfr_sub_d");
    mpfr.neg = mpfr_call(library, "mpfr_neg");
    mpfr.const_pi = mpfr_call(library, "mpfr_const_pi");
    mpfr.of_other = mpfr_call(library, strcmp(function->name, "sinpi") ? "mpfr_sin" : "mpfr_cos");
    if (!function->mpfr) return;
    void *own = mpfr_call(library, function->mpfr);
    if (function->second) mpfr.of_two = own;
    else mpfr.of_one = own;
}

// The function's value to 200 bits.
static void compute_exactly(const struct Function *function, Number *result, double x, double y) {
    static _Thread_local Number a, b;
    if (!a.limbs) mpfr.init2(&a, BITS), mpfr.init2(&b, BITS);
    int is_sine = !strcmp(function->name, "sinpi"), halves;
    if (is_sine || !strcmp(function->name, "cospi")) {
        // The reduction is exact, so the angle is as exact as pi.
        double rest = of_half_turns(x, &halves);
        mpfr.const_pi(&a, TO_NEAREST);
        mpfr.mul_d(&a, &a, rest, TO_NEAREST);
        (halves & 1 ? mpfr.of_other : mpfr.of_one)(result, &a, TO_NEAREST);
        int negative = is_sine ? halves >> 1 : (halves ^ halves >> 1) & 1;
        if (negative) mpfr.neg(result, result, TO_NEAREST);
        return;
    }
    mpfr.set_d(&a, x, TO_NEAREST);
    if (!function->second) {
        mpfr.of_one(result, &a, TO_NEAREST);
        return;
    }
    mpfr.set_d(&b, y, TO_NEAREST);
    mpfr.of_two(result, &a, &b, TO_NEAREST);
}

#endif
