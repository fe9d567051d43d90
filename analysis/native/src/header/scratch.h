
#ifndef LANESCOPE_SCRATCH
#define LANESCOPE_SCRATCH
/* Arithmetic of sizes: what does not fit makes `fits` false. */
static inline int64_t lanescope_signed(uint64_t a, bool *fits) {
    *fits = *fits && a <= (uint64_t)INT64_MAX;
    return *fits ? (int64_t)a : 0;
}
static inline int64_t lanescope_sum(int64_t a, int64_t b, bool *fits) {
    *fits = *fits && (b > 0 ? a <= INT64_MAX - b : a >= INT64_MIN - b);
    return *fits ? a + b : 0;
}
static inline int64_t lanescope_difference(int64_t a, int64_t b, bool *fits) {
    *fits = *fits && (b > 0 ? a >= INT64_MIN + b : a <= INT64_MAX + b);
    return *fits ? a - b : 0;
}
static inline int64_t lanescope_product(int64_t a, int64_t b, bool *fits) {
    bool small = a == 0 || b == 0;
    if (!small && a > 0) {
        small = b > 0 ? a <= INT64_MAX / b : b >= INT64_MIN / a;
    } else if (!small) {
        small = b > 0 ? a >= INT64_MIN / b : b >= INT64_MAX / a;
    }
    *fits = *fits && small;
    return *fits ? a * b : 0;
}
static inline int64_t lanescope_floored(int64_t a, int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
static inline int64_t lanescope_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t lanescope_max(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t lanescope_round_up(int64_t a, bool *fits) {
    return lanescope_sum(a, 63, fits) / 64 * 64;
}
static inline size_t lanescope_bytes(int64_t bytes, bool fits) {
    return fits && (uint64_t)bytes <= SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}
/* Memory with room to start at a multiple of 64; null if there is not so much. */
static inline void *lanescope_allocate(size_t bytes) {
    return bytes > SIZE_MAX - 64 ? NULL : malloc(bytes + 64);
}
static inline void *lanescope_aligned(void *memory) {
    return (void *)(((uintptr_t)memory + 63) & ~(uintptr_t)63);
}
#endif
