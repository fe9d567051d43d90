/* What the references share. They are written as C is written for one element after the other, with its own math library. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

struct pair { float x, y; };
struct triple { float x, y, z; };

static inline int least_of(int a, int b) { return a < b ? a : b; }
static inline int most_of(int a, int b) { return a > b ? a : b; }
static inline int between(int x, int lo, int hi) { return least_of(most_of(x, lo), hi); }

static inline double inner(struct triple a, struct triple b)
{
    return (double)a.x * b.x + (double)a.y * b.y + (double)a.z * b.z;
}

static inline struct triple minus(struct triple a, struct triple b)
{
    return (struct triple){a.x - b.x, a.y - b.y, a.z - b.z};
}

/* Philox 2x32 with ten rounds. */
static inline void philox(uint32_t key, uint32_t counter[2])
{
    for (int round = 0; round < 10; round++) {
        uint64_t product = 0xd256d193ull * counter[0];
        counter[0] = (uint32_t)(product >> 32) ^ key ^ counter[1];
        counter[1] = (uint32_t)product;
        key += 0x9e3779b9u;
    }
}

static inline float uniform(uint32_t seed, uint32_t place)
{
    uint32_t counter[2] = {place, 0};
    philox(seed, counter);
    return (float)(counter[0] >> 8) / 16777216.0f;
}
