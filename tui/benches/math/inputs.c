// Writes inputs of a function to a file, for `emulated.c`: their number, the first arguments, and the second ones, if there are some:
//
//     inputs NAME f32|f64 COUNT FILE

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "functions.h"
#include "inputs.h"

static void write_argument(double value, int is_f32, int is_int, FILE *to) {
    float narrow = (float)value;
    int32_t whole = is_int ? (int32_t)value : 0;
    if (is_int) fwrite(&whole, sizeof whole, 1, to);
    else if (is_f32) fwrite(&narrow, sizeof narrow, 1, to);
    else fwrite(&value, sizeof value, 1, to);
}

int main(int n_args, char **args) {
    const struct Function *function = n_args == 5 ? function_named(args[1]) : 0;
    if (!function) return fprintf(stderr, "%s is not described in functions.h\n", n_args > 1 ? args[1] : "a function"), 1;
    int is_f32 = !strcmp(args[2], "f32");
    uint64_t count = strtoull(args[3], 0, 10);
    FILE *file = fopen(args[4], "wb");
    if (!file) return perror(args[4]), 1;
    fwrite(&count, sizeof count, 1, file);
    for (int second = 0; second < (function->second ? 2 : 1); ++second)
        for (uint64_t n = 0; n < count; ++n) {
            double x, y;
            input_of(function, is_f32, n, &x, &y);
            write_argument(second ? y : x, is_f32, second && function->second == SECOND_INT, file);
        }
    if (fclose(file)) return perror(args[4]), 1;
    return 0;
}
