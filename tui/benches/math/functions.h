// The functions that are measured: for each what is right, the range that it is usually called in, and where it is hard.

#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

// The places around which a function is hard, or changes what it does; further ones are the same for all.
enum { ANCHORS = 12 };

enum Second { NO_SECOND, SECOND_FLOAT, SECOND_INT };

struct Function {
    const char *name;
    // The function in `f64`: within an ulp or two, and whole for special arguments. With its arguments in `f32` it decides what is
    // right in `f32`, but for results close to a midpoint.
    double (*of_f64)(double, double);
    // Another one for arguments in `f32`, of those functions whose result depends on the type.
    double (*of_f32)(double, double);
    // The function in the 64 bits of x87, within a few of its own ulp; and the name of MPFR's function. None for functions whose
    // results are exact.
    long double (*of_wide)(double, double);
    const char *mpfr;
    enum Second second;
    // True if the result is an `i32`.
    int gives_int;
    double low, high, second_low, second_high;
    double anchors[ANCHORS];
};

#define ONE(NAME)                                                                                                      \
    static double NAME##_1(double x, double y) {                                                                       \
        (void)y;                                                                                                       \
        return NAME(x);                                                                                                \
    }                                                                                                                  \
    static long double NAME##_wide(double x, double y) {                                                               \
        (void)y;                                                                                                       \
        return NAME##l(x);                                                                                             \
    }
#define TWO(NAME)                                                                                                      \
    static long double NAME##_wide(double x, double y) {                                                               \
        return NAME##l(x, y);                                                                                          \
    }
TWO(pow)
TWO(atan2)
TWO(hypot)
ONE(exp)
ONE(exp2)
ONE(exp10)
ONE(expm1)
ONE(log)
ONE(log2)
ONE(log10)
ONE(log1p)
ONE(sin)
ONE(cos)
ONE(tan)
ONE(asin)
ONE(acos)
ONE(atan)
ONE(sinh)
ONE(cosh)
ONE(tanh)
ONE(asinh)
ONE(acosh)
ONE(atanh)
ONE(cbrt)
ONE(erf)
ONE(erfc)

// `x` without the nearest multiple of 1/2, which is exact, and that multiple modulo 2, in halves.
static double of_half_turns(double x, int *halves) {
    // Larger ones are even.
    if (fabs(x) >= 0x1p53) return *halves = 0, 0.0;
    double rest = fmod(x, 2.0), n = nearbyint(2.0 * rest);
    *halves = (int)n & 3;
    return rest - 0.5 * n;
}

static double sinpi_1(double x, double y) {
    (void)y;
    if (!isfinite(x)) return NAN;
    int halves;
    double rest = of_half_turns(x, &halves), angle = M_PI * rest;
    double found = halves & 1 ? cos(angle) : sin(angle);
    if (halves & 2) found = -found;
    // At whole numbers the zero has the sign of the argument.
    return found == 0.0 ? copysign(0.0, x) : found;
}

static double cospi_1(double x, double y) {
    (void)y;
    if (!isfinite(x)) return NAN;
    int halves;
    double rest = of_half_turns(x, &halves), angle = M_PI * rest;
    double found = halves & 1 ? -sin(angle) : cos(angle);
    if (halves & 2) found = -found;
    return found == 0.0 ? 0.0 : found;
}

static long double sinpi_wide(double x, double y) {
    (void)y;
    if (!isfinite(x)) return NAN;
    int halves;
    long double angle = M_PIl * (long double)of_half_turns(x, &halves), found = halves & 1 ? cosl(angle) : sinl(angle);
    return halves & 2 ? -found : found;
}

static long double cospi_wide(double x, double y) {
    (void)y;
    if (!isfinite(x)) return NAN;
    int halves;
    long double angle = M_PIl * (long double)of_half_turns(x, &halves), found = halves & 1 ? -sinl(angle) : cosl(angle);
    return halves & 2 ? -found : found;
}

static double ldexp_of(double x, double n) {
    return ldexp(x, (int)n);
}

static double ldexp_of_f32(double x, double n) {
    return ldexpf((float)x, (int)n);
}

static double nextafter_of_f32(double x, double y) {
    return nextafterf((float)x, (float)y);
}

static double frexp_fraction_of(double x, double y) {
    int exponent;
    (void)y;
    return frexp(x, &exponent);
}

static double frexp_exponent_of(double x, double y) {
    int exponent = 0;
    (void)y;
    if (isfinite(x)) frexp(x, &exponent);
    return exponent;
}

#define TURNS \
    1.5707963267948966, 3.141592653589793, 4.71238898038469, 6.283185307179586, 355.0, 0x1.6ac5b262ca1ffp+849, 1e22, 0x1p120
#define LOG_ENDS 0x1p-1022, 0x1p-126, 1.0, 0x1.6a09e667f3bcdp-1, 0x1.6a09e667f3bcdp+0, 2.0, 10.0, 1000.0
#define HALF_TURNS 0.25, 0.5, 1.0, 1.5, 2.0, 0x1p23, 0x1p52, 1e5

static const struct Function FUNCTIONS[] = {
    {"exp", exp_1, exp_1, exp_wide, "mpfr_exp", 0, 0, -20, 20, 0, 0,
        {709.782712893384, -745.133219101941, -708.3964185322641, 88.722839, -103.97208, 0.34657359}},
    {"exp2", exp2_1, exp2_1, exp2_wide, "mpfr_exp2", 0, 0, -20, 20, 0, 0, {1024, -1075, -1022, 128, -150, -126, 0.5}},
    {"exp10", exp10_1, exp10_1, exp10_wide, "mpfr_exp10", 0, 0, -10, 10, 0, 0,
        {308.25471555991675, -323.6, -307.65265556858886, 38.53184, -45.1545, 0.15051499, 1, 2, 20}},
    {"expm1", expm1_1, expm1_1, expm1_wide, "mpfr_expm1", 0, 0, -10, 10, 0, 0,
        {709.782712893384, 88.722839, -37.4, -17.3, 0.34657359, -0.34657359}},
    {"log", log_1, log_1, log_wide, "mpfr_log", 0, 0, 1e-3, 1000, 0, 0, {LOG_ENDS}},
    {"log2", log2_1, log2_1, log2_wide, "mpfr_log2", 0, 0, 1e-3, 1000, 0, 0, {LOG_ENDS}},
    {"log10", log10_1, log10_1, log10_wide, "mpfr_log10", 0, 0, 1e-3, 1000, 0, 0, {LOG_ENDS}},
    {"log1p", log1p_1, log1p_1, log1p_wide, "mpfr_log1p", 0, 0, -0.9, 100, 0, 0,
        {-1, 0.41421356237309503, -0.2928932188134524, 1, 3, 0x1p52, 0x1p53}},
    {"pow", pow, pow, pow_wide, "mpfr_pow", SECOND_FLOAT, 0, 1e-3, 100, -10, 10, {1, -1, 2, 10, 0.5, -2, -3}},
    {"sin", sin_1, sin_1, sin_wide, "mpfr_sin", 0, 0, -10, 10, 0, 0, {TURNS}},
    {"cos", cos_1, cos_1, cos_wide, "mpfr_cos", 0, 0, -10, 10, 0, 0, {TURNS}},
    {"tan", tan_1, tan_1, tan_wide, "mpfr_tan", 0, 0, -10, 10, 0, 0, {TURNS}},
    {"sinpi", sinpi_1, sinpi_1, sinpi_wide, "mpfr_sin", 0, 0, -10, 10, 0, 0, {HALF_TURNS}},
    {"cospi", cospi_1, cospi_1, cospi_wide, "mpfr_cos", 0, 0, -10, 10, 0, 0, {HALF_TURNS}},
    {"asin", asin_1, asin_1, asin_wide, "mpfr_asin", 0, 0, -1, 1, 0, 0, {1, -1, 0.5, -0.5}},
    {"acos", acos_1, acos_1, acos_wide, "mpfr_acos", 0, 0, -1, 1, 0, 0, {1, -1, 0.5, -0.5}},
    {"atan", atan_1, atan_1, atan_wide, "mpfr_atan", 0, 0, -10, 10, 0, 0, {1, -1, 0.41421356237309503, 2.414213562373095}},
    {"atan2", atan2, atan2, atan2_wide, "mpfr_atan2", SECOND_FLOAT, 0, -10, 10, -10, 10, {1, -1}},
    {"sinh", sinh_1, sinh_1, sinh_wide, "mpfr_sinh", 0, 0, -10, 10, 0, 0, {710.4758600739439, -710.4758600739439, 89.415985, 22}},
    {"cosh", cosh_1, cosh_1, cosh_wide, "mpfr_cosh", 0, 0, -10, 10, 0, 0, {710.4758600739439, -710.4758600739439, 89.415985, 22}},
    {"tanh", tanh_1, tanh_1, tanh_wide, "mpfr_tanh", 0, 0, -5, 5, 0, 0, {19.06, 9.01, -19.06}},
    {"asinh", asinh_1, asinh_1, asinh_wide, "mpfr_asinh", 0, 0, -100, 100, 0, 0, {1, 0x1p28, 0x1p511, 0x1p512}},
    {"acosh", acosh_1, acosh_1, acosh_wide, "mpfr_acosh", 0, 0, 1, 100, 0, 0, {1, 2, 0x1p28, 0x1p511, 0x1p512}},
    {"atanh", atanh_1, atanh_1, atanh_wide, "mpfr_atanh", 0, 0, -1, 1, 0, 0, {1, -1, 0.5}},
    {"cbrt", cbrt_1, cbrt_1, cbrt_wide, "mpfr_cbrt", 0, 0, -1000, 1000, 0, 0, {1, 8, 27, 1000, 0x1p-1022}},
    {"hypot", hypot, hypot, hypot_wide, "mpfr_hypot", SECOND_FLOAT, 0, -1000, 1000, -1000, 1000, {0x1p511, 0x1p-511, 3, 4}},
    {"erf", erf_1, erf_1, erf_wide, "mpfr_erf", 0, 0, -4, 4, 0, 0, {0.84375, 1.25, 5.92, 3.92}},
    {"erfc", erfc_1, erfc_1, erfc_wide, "mpfr_erfc", 0, 0, -4, 9, 0, 0, {0.84375, 1.25, 26.5, 27.2, 10.05, 9.19}},
    {"copysign", copysign, copysign, 0, 0, SECOND_FLOAT, 0, -10, 10, -10, 10, {0}},
    {"ldexp", ldexp_of, ldexp_of_f32, 0, 0, SECOND_INT, 0, -10, 10, -20, 20, {1, 0x1p-1022, 0x1p-126}},
    {"frexp_fraction", frexp_fraction_of, frexp_fraction_of, 0, 0, 0, 0, -10, 10, 0, 0, {1, 0x1p-1022, 0x1p-126}},
    {"frexp_exponent", frexp_exponent_of, frexp_exponent_of, 0, 0, 0, 1, -10, 10, 0, 0, {1, 0x1p-1022, 0x1p-126}},
    {"nextafter", nextafter, nextafter_of_f32, 0, 0, SECOND_FLOAT, 0, -10, 10, -10, 10, {1, 0x1p-1022, 0x1p-126}},
};

// How many of its own ulp a function of x87 may be off, of which 2048 are one of `f64`: three times what `judge.c` has ever seen.
enum { WIDE_DOUBT = 8 };

// True if a result of x87 rounds to an `f64` in one way, whatever its error within that doubt. Numbers that overflow by far or vanish
// do, too; those between are left to MPFR, and so is zero, for its sign.
static inline int rounds_clearly(long double wide) {
    if (LDBL_MANT_DIG != 64 || isnan(wide) || wide == 0) return 0;
    struct {
        uint64_t mantissa;
        uint16_t exponent;
    } parts;
    memcpy(&parts, &wide, 10);
    int exponent = (parts.exponent & 0x7fff) - 16383, from_midpoint = (int)(parts.mantissa & 0x7ff) - 0x400;
    if (exponent < -1080 || exponent > 1025) return 1;
    return exponent >= -1022 && exponent < 1023 && (from_midpoint > WIDE_DOUBT || from_midpoint < -WIDE_DOUBT);
}

static const struct Function *function_named(const char *name) {
    for (size_t n = 0; n < sizeof FUNCTIONS / sizeof *FUNCTIONS; ++n)
        if (!strcmp(FUNCTIONS[n].name, name)) return &FUNCTIONS[n];
    return 0;
}

#endif
