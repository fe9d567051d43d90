// The loops of `exits.lane`, as C programmers write them.

#include <math.h>
#include <stdint.h>

void copy_until(const float *restrict a, float *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        if (a[i] > 1.25f) break;
        out[i] = sqrtf(fabsf(a[i]));
    }
}

void store_then_exit(const float *restrict a, float *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        out[i] = a[i] * 2.0f;
        if (a[i] > 1.25f) break;
    }
}

void two_exits(const float *restrict a, float *restrict out, int32_t *restrict at, int32_t n) {
    int32_t found = -1;
    for (int i = 0; i < n; i++) {
        if (a[i] < -1.25f) break;
        out[i] = a[i] * 2.0f;
        if (out[i] > 2.5f) {
            found = i;
            break;
        }
    }
    at[0] = found;
}

void in_place_until(float *restrict a, int32_t n) {
    for (int i = 0; i < n; i++) {
        if (a[i] > 1.25f) break;
        a[i] = a[i] * 0.5f + 0.25f;
    }
}

void sum_until(const int32_t *restrict a, int32_t *restrict out, int32_t n) {
    int32_t s = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] == 5000) break;
        s += a[i];
    }
    out[0] = s;
}

void text_length(const uint8_t *restrict text, int32_t *restrict out, int32_t n) {
    int32_t i = 0;
    while (text[i] != 0) i++;
    out[0] = i;
}

void text_copy(const uint8_t *restrict text, uint8_t *restrict to, int32_t n) {
    for (int i = 0; text[i] != 0; i++) to[i] = text[i];
}

void upper_until(const uint8_t *restrict text, uint8_t *restrict to, int32_t *restrict out, int32_t n) {
    int32_t end = n;
    for (int i = 0; i < n; i++) {
        uint8_t c = text[i];
        if (c == 0) {
            end = i;
            break;
        }
        to[i] = c >= 97 && c <= 122 ? (uint8_t)(c - 32) : c;
    }
    out[0] = end;
}

void first_difference(const uint8_t *restrict a, const uint8_t *restrict b, int32_t *restrict out, int32_t n) {
    int32_t at = n;
    for (int i = 0; i < n; i++)
        if (a[i] != b[i]) {
            at = i;
            break;
        }
    out[0] = at;
}

void count_until(const uint8_t *restrict text, int32_t *restrict out, int32_t n) {
    int32_t count = 0;
    for (int i = 0; text[i] != 0; i++)
        if (text[i] == 101) count++;
    out[0] = count;
}

void find_and_mark(const float *restrict a, float *restrict marks, int32_t *restrict out, int32_t n) {
    int32_t found = -1;
    for (int i = 0; i < n; i++) {
        marks[i] = 1.0f;
        if (a[i] > 1.25f) {
            found = i;
            break;
        }
    }
    out[0] = found;
}

void gather_until(const float *restrict a, const int32_t *restrict at, float *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        if (a[i] > 1.25f) break;
        out[i] = a[at[i]];
    }
}

void roots_by_steps(const float *restrict a, float *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        float x = fabsf(a[i]) + 0.5f, y = x;
        for (int k = 0; k < 12; k++) {
            float next = 0.5f * (y + x / y);
            if (fabsf(next - y) < 0.00001f) break;
            y = next;
        }
        out[i] = y;
    }
}

void row_sums_until(const float *restrict a, float *restrict out, int32_t n, int32_t m) {
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int j = 0; j < m; j++) {
            if (a[i * m + j] > 0.9f) break;
            s += a[i * m + j];
        }
        out[i] = s;
    }
}

void least_until(const int32_t *restrict a, int32_t *restrict out, int32_t n) {
    int32_t least = 100000;
    for (int i = 0; i < n; i++) {
        if (a[i] == 5000) break;
        least = a[i] < least ? a[i] : least;
    }
    out[0] = least;
}

void append_until(const float *restrict a, float *restrict out, int32_t *restrict count, int32_t n, int32_t most) {
    int32_t k = 0;
    for (int i = 0; i < n; i++) {
        if (k >= most) break;
        if (a[i] > 0.5f) out[k++] = a[i];
    }
    count[0] = k;
}

void hash_until(const uint8_t *restrict text, uint32_t *restrict out, int32_t n) {
    uint32_t h = 2166136261u;
    for (int i = 0; i < n; i++) {
        if (text[i] == 0) break;
        h = (h ^ text[i]) * 16777619u;
    }
    out[0] = h;
}

void budget(const float *restrict a, float *restrict out, int32_t n, float limit) {
    float total = 0;
    for (int i = 0; i < n; i++) {
        total += fabsf(a[i]);
        if (total > limit) break;
        out[i] = total;
    }
}

void scale_down_from_end(const float *restrict a, float *restrict out, int32_t n) {
    for (int i = n - 1; i >= 0; i--) {
        if (a[i] > 1.25f) break;
        out[i] = a[i] * 0.125f;
    }
}

void merge_until(const int32_t *restrict a, const int32_t *restrict b, int32_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        int32_t v = a[i] > b[i] ? a[i] : b[i];
        if (v == 5000) break;
        out[i] = v;
    }
}
