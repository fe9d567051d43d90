#include <stdint.h>

void radix_sort(uint32_t *restrict keys, int32_t *restrict order, uint32_t *restrict spare_keys, int32_t *restrict spare_order, int32_t n) {
    for (int pass = 0; pass < 4; pass++) {
        int starts[256] = {0}, before = 0, shift = 8 * pass;
        for (int i = 0; i < n; i++) starts[keys[i] >> shift & 255]++;
        for (int digit = 0; digit < 256; digit++) {
            int count = starts[digit];
            starts[digit] = before;
            before += count;
        }
        for (int i = 0; i < n; i++) {
            int at = starts[keys[i] >> shift & 255]++;
            spare_keys[at] = keys[i];
            spare_order[at] = order[i];
        }
        uint32_t *other_keys = keys;
        int32_t *other_order = order;
        keys = spare_keys, order = spare_order;
        spare_keys = other_keys, spare_order = other_order;
    }
}
