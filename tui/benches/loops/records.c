// The loops of `records.lane`, as C programmers write them.

#include <stdint.h>

void count_words(const uint8_t *restrict text, int32_t *restrict out, int32_t n) {
    int words = 0, inside = 0;
    for (int i = 0; i < n; i++) {
        int letter = text[i] > 32;
        if (letter && !inside) words++;
        inside = letter;
    }
    out[0] = words;
}

void count_characters(const uint8_t *restrict text, int32_t *restrict out, int32_t n) {
    int found = 0;
    for (int i = 0; i < n; i++) found += (text[i] & 0xc0) != 0x80;
    out[0] = found;
}

void leading_spaces(const uint8_t *restrict text, int32_t *restrict out, int32_t n) {
    int i = 0;
    while (i < n && text[i] <= 32) i++;
    out[0] = i;
}

void only_ascii(const uint8_t *restrict text, int32_t *restrict out, int32_t n) {
    int ascii = 1;
    for (int i = 0; i < n; i++)
        if (text[i] > 127) {
            ascii = 0;
            break;
        }
    out[0] = ascii;
}

void order_of_texts(const uint8_t *restrict a, const uint8_t *restrict b, int32_t *restrict out, int32_t n) {
    int order = 0;
    for (int i = 0; i < n; i++)
        if (a[i] != b[i]) {
            order = a[i] < b[i] ? -1 : 1;
            break;
        }
    out[0] = order;
}

void hex_encode(const uint8_t *restrict bytes, uint8_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        uint8_t high = bytes[i] >> 4, low = bytes[i] & 15;
        out[2 * i] = high < 10 ? high + 48 : high + 87;
        out[2 * i + 1] = low < 10 ? low + 48 : low + 87;
    }
}

static uint8_t digit(uint8_t c) { return c <= 57 ? c - 48 : (c | 32) - 87; }

void hex_decode(const uint8_t *restrict text, uint8_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) out[i] = (uint8_t)(digit(text[2 * i]) << 4 | (digit(text[2 * i + 1]) & 15));
}

void fletcher_sums(const uint8_t *restrict bytes, uint32_t *restrict out, int32_t n) {
    uint32_t a = 0, b = 0;
    for (int i = 0; i < n; i++) {
        a += bytes[i];
        b += a;
    }
    out[0] = a;
    out[1] = b;
}

void adler_sums(const uint8_t *restrict bytes, uint32_t *restrict out, int32_t n) {
    uint32_t a = 1, b = 0;
    for (int i = 0; i < n; i++) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    out[0] = b << 16 | a;
}

void sextets(const uint8_t *restrict bytes, uint8_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        uint32_t x = (uint32_t)bytes[3 * i] << 16 | (uint32_t)bytes[3 * i + 1] << 8 | bytes[3 * i + 2];
        out[4 * i] = (uint8_t)(x >> 18);
        out[4 * i + 1] = x >> 12 & 63;
        out[4 * i + 2] = x >> 6 & 63;
        out[4 * i + 3] = x & 63;
    }
}

void four_digits(const uint8_t *restrict text, int32_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        int v = 0;
        for (int k = 0; k < 4; k++) v = v * 10 + text[4 * i + k] - 48;
        out[i] = v;
    }
}

void escaped(const uint8_t *restrict text, uint8_t *restrict out, int32_t *restrict count, int32_t n) {
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (text[i] == 34 || text[i] == 92) out[k++] = 92;
        out[k++] = text[i];
    }
    count[0] = k;
}

void under_key(uint8_t *restrict bytes, const uint8_t *restrict key, int32_t n) {
    for (int i = 0; i < n; i++) bytes[i] ^= key[i & 15];
}

void record_hashes(const uint8_t *restrict bytes, uint32_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        uint32_t h = 2166136261u;
        for (int k = 0; k < 8; k++) h = (h ^ bytes[8 * i + k]) * 16777619u;
        out[i] = h;
    }
}

void sparse_rows(const int32_t *restrict rows, const int32_t *restrict columns, const float *restrict a,
                 const float *restrict x, float *restrict out, int32_t n, int32_t m, int32_t w) {
    for (int i = 0; i < n; i++) {
        float s = 0.0f;
        for (int k = rows[i]; k < rows[i + 1]; k++) s += a[k] * x[columns[k]];
        out[i] = s;
    }
}

void sparse_columns(const int32_t *restrict rows, const int32_t *restrict columns, const double *restrict a,
                    const double *restrict x, double *restrict out, int32_t n, int32_t m, int32_t w) {
    for (int i = 0; i < n; i++)
        for (int k = rows[i]; k < rows[i + 1]; k++) out[columns[k]] += a[k] * x[i];
}

void rows_in_range(const int64_t *restrict prices, const uint8_t *restrict kinds, int32_t *restrict places,
                   int32_t *restrict count, int32_t n) {
    int k = 0;
    for (int i = 0; i < n; i++)
        if (prices[i] >= 10 && prices[i] < 1000000000 && (kinds[i] & 3) == 1) places[k++] = i;
    count[0] = k;
}

void sums_by_key(const uint8_t *restrict keys, const int32_t *restrict values, int64_t *restrict sums, int32_t n) {
    for (int i = 0; i < n; i++) sums[keys[i] & 15] += values[i];
}

void places_of_flagged(const uint8_t *restrict flags, int32_t *restrict out, int32_t n) {
    int place = 0;
    for (int i = 0; i < n; i++) {
        out[i] = place;
        if (flags[i] > 127) place++;
    }
}

void extent_where(const int64_t *restrict a, const int32_t *restrict b, int64_t *restrict out, int32_t n) {
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (int i = 0; i < n; i++)
        if (b[i] >= 0 && b[i] < 500) {
            low = a[i] < low ? a[i] : low;
            high = a[i] > high ? a[i] : high;
        }
    out[0] = low;
    out[1] = high;
}

void decode_words(const uint8_t *restrict codes, const int64_t *restrict words, int64_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) out[i] = words[codes[i]];
}

void rows_in_both(const uint64_t *restrict a, const uint64_t *restrict b, uint64_t *restrict out, int32_t n) {
    uint64_t found = 0;
    for (int i = 0; i < n; i++) found += (uint64_t)__builtin_popcountll(a[i] & b[i]);
    out[0] = found;
}

void decode_deltas(const uint32_t *restrict a, int64_t *restrict out, int32_t n) {
    int64_t value = 0;
    for (int i = 0; i < n; i++) {
        int64_t half = a[i] >> 1;
        value += a[i] & 1 ? -half - 1 : half;
        out[i] = value;
    }
}

void encode_deltas(const int64_t *restrict a, int64_t *restrict out, int32_t n) {
    int64_t before = 0;
    for (int i = 0; i < n; i++) {
        out[i] = a[i] - before;
        before = a[i];
    }
}

void run_starts(const uint8_t *restrict a, int32_t *restrict starts, int32_t *restrict count, int32_t n) {
    int k = 0;
    for (int i = 0; i < n; i++)
        if (i == 0 || a[i] != a[i - 1]) starts[k++] = i;
    count[0] = k;
}

void shared_keys(const int32_t *restrict a, const int32_t *restrict b, int32_t *restrict out, int32_t n) {
    int i = 0, j = 0, found = 0;
    while (i < n && j < n) {
        if (a[i] < b[j]) {
            i++;
        } else if (a[i] > b[j]) {
            j++;
        } else {
            found++;
            i++;
            j++;
        }
    }
    out[0] = found;
}

void bits_of_flags(const float *restrict a, uint8_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        unsigned bits = 0;
        for (int k = 0; k < 8; k++)
            if (a[8 * i + k] > 0.25f) bits |= 1u << k;
        out[i] = (uint8_t)bits;
    }
}

void probe(const uint32_t *restrict keys, const uint32_t *restrict slots, uint8_t *restrict hits, int32_t n) {
    for (int i = 0; i < n; i++) hits[i] = slots[keys[i] * 2654435761u >> 24] == keys[i];
}

void revenue(const int32_t *restrict prices, const int32_t *restrict shares, const int16_t *restrict amounts,
             int64_t *restrict out, int32_t n) {
    int64_t sum = 0;
    for (int i = 0; i < n; i++)
        if (shares[i] > 20 && shares[i] < 700 && amounts[i] < 24) sum += (int64_t)prices[i] * shares[i];
    out[0] = sum;
}

void lower_bounds(const int32_t *restrict sorted, const int32_t *restrict x, int32_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        int at = 0;
        for (int step = 128; step > 0; step /= 2)
            if (sorted[at + step - 1] < x[i]) at += step;
        out[i] = at;
    }
}
