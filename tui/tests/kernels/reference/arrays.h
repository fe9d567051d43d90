/* How the program that calls the references gets arrays, and gives them back. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Reads the bytes of an array, and writes those of one. */
static inline void *get(size_t bytes)
{
    void *array = calloc(bytes + 1, 1);
    if (!array || fread(array, 1, bytes, stdin) != bytes)
        exit(1);
    return array;
}

static inline void put(void *array, size_t bytes)
{
    fwrite(array, 1, bytes, stdout);
    free(array);
}

static inline void result(double value) { fwrite(&value, sizeof value, 1, stdout); }
