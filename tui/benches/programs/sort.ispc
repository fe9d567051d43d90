export void radix_sort(uniform unsigned int32 keys[], uniform int32 order[], uniform unsigned int32 spare_keys[], uniform int32 spare_order[],
                       uniform int32 n) {
    uniform unsigned int32 *uniform from_keys = keys, *uniform to_keys = spare_keys;
    uniform int32 *uniform from_order = order, *uniform to_order = spare_order;
    // Each lane sorts a strip of the keys, and has counts of its own.
    uniform int strip = (n + programCount - 1) / programCount;
    int begin = min(programIndex * strip, n);
    int end = min(begin + strip, n);
    for (uniform int pass = 0; pass < 4; pass++) {
        uniform int shift = 8 * pass;
        int starts[256];
        for (uniform int digit = 0; digit < 256; digit++) starts[digit] = 0;
        for (int i = begin; i < end; i++) starts[from_keys[i] >> shift & 255]++;
        uniform int before = 0;
        for (uniform int digit = 0; digit < 256; digit++) {
            int count = starts[digit];
            starts[digit] = before + exclusive_scan_add(count);
            before += reduce_add(count);
        }
        for (int i = begin; i < end; i++) {
            unsigned int32 key = from_keys[i];
            int digit = key >> shift & 255;
            int at = starts[digit];
            starts[digit] = at + 1;
            to_keys[at] = key;
            to_order[at] = from_order[i];
        }
        uniform unsigned int32 *uniform other_keys = from_keys;
        uniform int32 *uniform other_order = from_order;
        from_keys = to_keys;
        from_order = to_order;
        to_keys = other_keys;
        to_order = other_order;
    }
}
