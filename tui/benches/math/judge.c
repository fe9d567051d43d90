// Holds a function of x87, which `accuracy.c` decides by, against MPFR:
//
//     judge NAME COUNT
//
// Writes the largest distance in ulp of x87 that it has on so many inputs, and the input that has it (the bits of both arguments), or
// nothing if there is no such function.

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "functions.h"
#include "inputs.h"
#include "mpfr_calls.h"

int main(int n_args, char **args) {
    const struct Function *function = n_args == 3 ? function_named(args[1]) : 0;
    if (!function) return fprintf(stderr, "%s is not described in functions.h\n", n_args > 1 ? args[1] : "a function"), 1;
    if (!function->of_wide || LDBL_MANT_DIG != 64) return 0;
    open_mpfr(function);
    Number exact, found;
    mpfr.init2(&exact, BITS), mpfr.init2(&found, BITS);
    uint64_t count = strtoull(args[2], 0, 10);
    double largest = 0, at_x = 0, at_y = 0;
    for (uint64_t n = 0; n < count; ++n) {
        double x, y;
        input_of(function, 0, n, &x, &y);
        long double wide = function->of_wide(x, y);
        // Elsewhere its distance decides nothing.
        if (!isfinite(x) || !isfinite(y) || !(fabsl(wide) >= 0x1p-1080L && fabsl(wide) < 0x1p1025L)) continue;
        compute_exactly(function, &exact, x, y);
        mpfr.set_ld(&found, wide, TO_NEAREST);
        mpfr.sub(&found, &exact, &found, TO_NEAREST);
        mpfr.mul_2si(&found, &found, 63 - ilogbl(wide), TO_NEAREST);
        double distance = fabs(mpfr.get_d(&found, TO_NEAREST));
        if (distance > largest) largest = distance, at_x = x, at_y = y;
    }
    printf("%.6g %llx %llx\n", largest, (unsigned long long)bits_of(at_x), (unsigned long long)bits_of(at_y));
    return 0;
}
