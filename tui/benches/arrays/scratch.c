// The functions of a kernel header that tell the bytes of scratch memory, as symbols of a library.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#define static
#define inline
#include HEADER
