// The kernels of `hand.lane`, by hand with the intrinsics of AVX2 and FMA.

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

static __m256i load(const void *from) { return _mm256_loadu_si256((const __m256i *)from); }

static void store(void *to, __m256i x) { _mm256_storeu_si256((__m256i *)to, x); }

static __m128i load16(const void *from) { return _mm_loadu_si128((const __m128i *)from); }

void hand_saxpy(const float *restrict a, float *restrict out, int32_t n, float k) {
    __m256 factor = _mm256_set1_ps(k);
    int i = 0;
    for (; i + 32 <= n; i += 32)
        for (int j = i; j < i + 32; j += 8)
            _mm256_storeu_ps(out + j, _mm256_fmadd_ps(factor, _mm256_loadu_ps(a + j), _mm256_loadu_ps(out + j)));
    for (; i < n; i++) out[i] = __builtin_fmaf(k, a[i], out[i]);
}

static float sum_of(__m256 x) {
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}

void hand_dot(const float *restrict a, const float *restrict b, float *restrict out, int32_t n) {
    __m256 s[8];
    for (int k = 0; k < 8; k++) s[k] = _mm256_setzero_ps();
    int i = 0;
    for (; i + 64 <= n; i += 64)
        for (int k = 0; k < 8; k++)
            s[k] = _mm256_fmadd_ps(_mm256_loadu_ps(a + i + 8 * k), _mm256_loadu_ps(b + i + 8 * k), s[k]);
    for (int half = 4; half > 0; half /= 2)
        for (int k = 0; k < half; k++) s[k] = _mm256_add_ps(s[k], s[k + half]);
    float rest = sum_of(s[0]);
    for (; i < n; i++) rest += a[i] * b[i];
    out[0] = rest;
}

// Sixteen bytes as 16-bit numbers, three neighbours weighted 1, 2, 1.
static __m256i weighted(const uint8_t *at) {
    __m256i left = _mm256_cvtepu8_epi16(load16(at - 1)), right = _mm256_cvtepu8_epi16(load16(at + 1));
    __m256i middle = _mm256_cvtepu8_epi16(load16(at));
    return _mm256_add_epi16(_mm256_add_epi16(left, right), _mm256_slli_epi16(middle, 1));
}

static __m256i blurred(const uint8_t *at, int w) {
    __m256i sides = _mm256_add_epi16(weighted(at - w), weighted(at + w));
    __m256i sum = _mm256_add_epi16(sides, _mm256_slli_epi16(weighted(at), 1));
    return _mm256_srli_epi16(_mm256_add_epi16(sum, _mm256_set1_epi16(8)), 4);
}

void hand_blur(const uint8_t *restrict a, uint8_t *restrict out, int32_t h, int32_t w) {
    for (int y = 1; y < h - 1; y++) {
        const uint8_t *row = a + y * w;
        int x = 1;
        while (x < w - 1 && w >= 34) {
            // The last 32 overlap those before.
            if (x > w - 33) x = w - 33;
            __m256i both = _mm256_packus_epi16(blurred(row + x, w), blurred(row + x + 16, w));
            store(out + y * w + x, _mm256_permute4x64_epi64(both, 0xd8));
            x += 32;
        }
        for (; x < w - 1; x++) {
            int sum = 8;
            for (int dy = -1; dy < 2; dy++)
                for (int dx = -1; dx < 2; dx++)
                    sum += row[dy * w + x + dx] * (dy == 0 ? 2 : 1) * (dx == 0 ? 2 : 1);
            out[y * w + x] = (uint8_t)(sum >> 4);
        }
    }
}

// One of the three channels of 16 pixels: each of the three loads has some of its bytes.
static __m128i channel(const __m128i *from, int number) {
    __m128i all = _mm_setzero_si128();
    for (int part = 0; part < 3; part++) {
        char at[16];
        for (int k = 0; k < 16; k++) {
            int byte = 3 * k + number - 16 * part;
            at[k] = (char)(byte >= 0 && byte < 16 ? byte : -1);
        }
        all = _mm_or_si128(all, _mm_shuffle_epi8(from[part], load16(at)));
    }
    return all;
}

void hand_gray(const uint8_t *restrict pixels, uint8_t *restrict out, int32_t n) {
    int i = 0;
    for (; i + 16 <= n; i += 16) {
        __m128i from[3] = {load16(pixels + 3 * i), load16(pixels + 3 * i + 16), load16(pixels + 3 * i + 32)};
        __m256i r = _mm256_cvtepu8_epi16(channel(from, 0)), g = _mm256_cvtepu8_epi16(channel(from, 1));
        __m256i b = _mm256_cvtepu8_epi16(channel(from, 2));
        __m256i sum = _mm256_add_epi16(_mm256_mullo_epi16(r, _mm256_set1_epi16(77)),
                                       _mm256_mullo_epi16(g, _mm256_set1_epi16(150)));
        sum = _mm256_add_epi16(sum, _mm256_mullo_epi16(b, _mm256_set1_epi16(29)));
        sum = _mm256_srli_epi16(_mm256_add_epi16(sum, _mm256_set1_epi16(128)), 8);
        __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
        _mm_storeu_si128((__m128i *)(out + i), bytes);
    }
    for (; i < n; i++)
        out[i] = (uint8_t)((pixels[3 * i] * 77 + pixels[3 * i + 1] * 150 + pixels[3 * i + 2] * 29 + 128) >> 8);
}

// Half of the bytes of a register, blended in 16 bits.
static __m256i blended(__m256i a, __m256i b, __m256i alpha) {
    __m256i t = _mm256_mullo_epi16(a, alpha);
    t = _mm256_add_epi16(t, _mm256_mullo_epi16(b, _mm256_sub_epi16(_mm256_set1_epi16(255), alpha)));
    t = _mm256_add_epi16(t, _mm256_set1_epi16(128));
    return _mm256_srli_epi16(_mm256_add_epi16(t, _mm256_srli_epi16(t, 8)), 8);
}

void hand_blend(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int32_t n) {
    __m256i zero = _mm256_setzero_si256();
    // The fourth byte of each pixel as the low byte of its four 16-bit numbers.
    __m256i low = _mm256_setr_epi8(3, -1, 3, -1, 3, -1, 3, -1, 7, -1, 7, -1, 7, -1, 7, -1, 3, -1, 3, -1, 3, -1, 3, -1, 7,
                                   -1, 7, -1, 7, -1, 7, -1);
    __m256i high = _mm256_or_si256(low, _mm256_set1_epi16(8));
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        __m256i x = load(a + 4 * i), y = load(b + 4 * i);
        __m256i first = blended(_mm256_unpacklo_epi8(x, zero), _mm256_unpacklo_epi8(y, zero), _mm256_shuffle_epi8(x, low));
        __m256i second =
            blended(_mm256_unpackhi_epi8(x, zero), _mm256_unpackhi_epi8(y, zero), _mm256_shuffle_epi8(x, high));
        store(out + 4 * i, _mm256_packus_epi16(first, second));
    }
    for (; i < n; i++)
        for (int c = 0; c < 4; c++) {
            int t = a[4 * i + c] * a[4 * i + 3] + b[4 * i + c] * (255 - a[4 * i + 3]) + 128;
            out[4 * i + c] = (uint8_t)((t + (t >> 8)) >> 8);
        }
}

static uint8_t digit(int v) {
    return (uint8_t)(v < 26 ? v + 65 : v < 52 ? v + 71 : v < 62 ? v - 4 : v == 62 ? 43 : 47);
}

void hand_base64(const uint8_t *restrict bytes, uint8_t *restrict out, int32_t n) {
    // Each four bytes become the second, first, third and second of three.
    __m256i spread = _mm256_setr_epi8(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10, 1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7,
                                      10, 9, 11, 10);
    // What is added to a number of 0 to 63: for small letters at 0, digits, `+`, `/`, and capital letters at 13.
    __m256i offsets = _mm256_setr_epi8(71, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -19, -16, 65, 0, 0, 71, -4, -4, -4, -4, -4,
                                       -4, -4, -4, -4, -4, -19, -16, 65, 0, 0);
    int i = 0;
    // The second load of a round reaches four bytes behind the 24 that it is for.
    for (; i + 10 <= n; i += 8) {
        __m256i x = _mm256_set_m128i(load16(bytes + 3 * i + 12), load16(bytes + 3 * i));
        x = _mm256_shuffle_epi8(x, spread);
        __m256i odd = _mm256_mulhi_epu16(_mm256_and_si256(x, _mm256_set1_epi32(0x0fc0fc00)), _mm256_set1_epi32(0x04000040));
        __m256i even = _mm256_mullo_epi16(_mm256_and_si256(x, _mm256_set1_epi32(0x003f03f0)), _mm256_set1_epi32(0x01000010));
        __m256i number = _mm256_or_si256(odd, even);
        __m256i which = _mm256_subs_epu8(number, _mm256_set1_epi8(51));
        __m256i is_capital = _mm256_cmpgt_epi8(_mm256_set1_epi8(26), number);
        which = _mm256_or_si256(which, _mm256_and_si256(is_capital, _mm256_set1_epi8(13)));
        store(out + 4 * i, _mm256_add_epi8(number, _mm256_shuffle_epi8(offsets, which)));
    }
    for (; i < n; i++) {
        const uint8_t *from = bytes + 3 * i;
        out[4 * i] = digit(from[0] >> 2);
        out[4 * i + 1] = digit((from[0] & 3) << 4 | from[1] >> 4);
        out[4 * i + 2] = digit((from[1] & 15) << 2 | from[2] >> 6);
        out[4 * i + 3] = digit(from[2] & 63);
    }
}

void hand_characters(const uint8_t *restrict text, int32_t *restrict out, int32_t n) {
    __m256i total = _mm256_setzero_si256(), zero = total, least = _mm256_set1_epi8(-65);
    int i = 0;
    while (i + 128 <= n) {
        // A byte counts up to 255.
        __m256i counts[4] = {zero, zero, zero, zero};
        for (int round = 0; round < 255 && i + 128 <= n; round++, i += 128)
            for (int k = 0; k < 4; k++)
                counts[k] = _mm256_sub_epi8(counts[k], _mm256_cmpgt_epi8(load(text + i + 32 * k), least));
        for (int k = 0; k < 4; k++) total = _mm256_add_epi64(total, _mm256_sad_epu8(counts[k], zero));
    }
    int64_t parts[4];
    store(parts, total);
    int32_t found = (int32_t)(parts[0] + parts[1] + parts[2] + parts[3]);
    for (; i < n; i++) found += (text[i] & 0xc0) != 0x80;
    out[0] = found;
}

void hand_prefix_sum(const int32_t *restrict a, int32_t *restrict out, int32_t n) {
    __m256i before = _mm256_setzero_si256();
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        __m256i x = load(a + i);
        x = _mm256_add_epi32(x, _mm256_slli_si256(x, 4));
        x = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
        // The sum of the lower half goes to each lane of the upper one.
        __m256i lower = _mm256_permute2x128_si256(x, x, 0x08);
        x = _mm256_add_epi32(x, _mm256_shuffle_epi32(lower, 0xff));
        store(out + i, _mm256_add_epi32(x, before));
        before = _mm256_add_epi32(before, _mm256_permutevar8x32_epi32(x, _mm256_set1_epi32(7)));
    }
    int32_t s = i > 0 ? out[i - 1] : 0;
    for (; i < n; i++) out[i] = s += a[i];
}

void hand_histogram(const uint8_t *restrict a, int32_t *restrict bins, int32_t n) {
    // Equal bytes in a row would wait for each other.
    int32_t apart[4][256];
    memset(apart, 0, sizeof apart);
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t eight;
        memcpy(&eight, a + i, 8);
        for (int k = 0; k < 8; k++) apart[k % 4][(uint8_t)(eight >> 8 * k)]++;
    }
    for (; i < n; i++) apart[0][a[i]]++;
    for (int bin = 0; bin < 256; bin += 8) {
        __m256i sum = load(bins + bin);
        for (int k = 0; k < 4; k++) sum = _mm256_add_epi32(sum, load(apart[k] + bin));
        store(bins + bin, sum);
    }
}

// Four rows and 16 columns are in registers while they are summed.
void hand_tile(const float *restrict a, const float *restrict b, float *restrict c) {
    enum { SIDE = 64 };
    for (int j = 0; j < SIDE; j += 16)
        for (int i = 0; i < SIDE; i += 4) {
            __m256 sums[4][2];
            for (int y = 0; y < 4; y++)
                for (int x = 0; x < 2; x++) sums[y][x] = _mm256_loadu_ps(c + (i + y) * SIDE + j + 8 * x);
            for (int k = 0; k < SIDE; k++) {
                __m256 left = _mm256_loadu_ps(b + k * SIDE + j), right = _mm256_loadu_ps(b + k * SIDE + j + 8);
                for (int y = 0; y < 4; y++) {
                    __m256 factor = _mm256_broadcast_ss(a + (i + y) * SIDE + k);
                    sums[y][0] = _mm256_fmadd_ps(factor, left, sums[y][0]);
                    sums[y][1] = _mm256_fmadd_ps(factor, right, sums[y][1]);
                }
            }
            for (int y = 0; y < 4; y++)
                for (int x = 0; x < 2; x++) _mm256_storeu_ps(c + (i + y) * SIDE + j + 8 * x, sums[y][x]);
        }
}
