// The loops of `classic.lane`, as C programmers write them.

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

void ahead(float *restrict a, const float *restrict b, int32_t n) {
    for (int i = 0; i < n - 1; i++) a[i] = a[i + 1] * 0.5f + b[i];
}

void ahead_backwards(float *restrict a, const float *restrict b, int32_t n) {
    for (int i = n - 2; i >= 0; i--) a[i + 1] = a[i] * 0.5f + b[i];
}

void odd_cells(float *restrict a, const float *restrict b, int32_t n) {
    for (int i = 1; i < n; i += 2) a[i] = a[i - 1] + b[i];
}

void first_cell(float *restrict a, const float *restrict b, int32_t n) {
    for (int i = 1; i < n; i++) a[i] = a[0] + b[i];
}

void last_cell(float *restrict a, const float *restrict b, int32_t n) {
    for (int i = 0; i < n - 1; i++) a[i] = a[n - 1] + b[i];
}

void middle_cell(float *restrict a, const float *restrict b, int32_t n) {
    for (int i = 0; i < n; i++) a[i] = a[n / 2] * 0.5f + b[i];
}

void halves(float *restrict a, const float *restrict b, int32_t n) {
    for (int i = 0; i < n / 2; i++) a[i + n / 2] = a[i] + b[i];
}

void mirrored(float *restrict a, const float *restrict b, int32_t n) {
    for (int i = 0; i < n; i++) a[i] = a[n - 1 - i] * 0.5f + b[i];
}

void four_apart(float *restrict a, const float *restrict b, int32_t n) {
    for (int i = 4; i < n; i++) a[i] = a[i - 4] * 0.5f + b[i];
}

void two_apart(float *restrict a, const float *restrict b, int32_t n) {
    for (int i = 2; i < n; i++) a[i] = a[i - 2] * 0.5f + b[i];
}

void one_apart(float *restrict a, const float *restrict b, int32_t n) {
    for (int i = 1; i < n; i++) a[i] = a[i - 1] * 0.5f + b[i];
}

void second_order(float *restrict a, const float *restrict b, int32_t n) {
    for (int i = 2; i < n; i++) a[i] = b[i] + a[i - 1] * 0.5f - a[i - 2] * 0.25f;
}

void offset_by_parameter(float *restrict a, const float *restrict b, int32_t n) {
    for (int i = 0; i < n; i++) a[i] = a[i + n] + b[i];
}

void filled_from_ahead(float *restrict a, const float *restrict b, int32_t n) {
    for (int i = 0; i < n; i++) a[i + n] = a[i] + b[i];
}

void echo(const float *restrict a, float *restrict out, int32_t n, int32_t delay) {
    for (int i = delay; i < n; i++) out[i] = a[i] + out[i - delay] * 0.5f;
}

void ways_to_pay(uint32_t *restrict ways, int32_t n, int32_t coin) {
    for (int i = coin; i < n; i++) ways[i] += ways[i - coin];
}

void just_stored(float *restrict a, float *restrict b, float *restrict out, int32_t n) {
    for (int i = 0; i < n - 1; i++) {
        a[i + 1] = b[i] * 0.5f;
        b[i] += 1.0f;
        out[i] = a[i] + b[i];
    }
}

void before_it_changed(float *restrict a, int32_t n) {
    float before = a[0];
    for (int i = 1; i < n - 1; i++) {
        float t = a[i];
        a[i] = 0.25f * before + 0.5f * t + 0.25f * a[i + 1];
        before = t;
    }
}

void by_a_step(float *restrict a, const float *restrict b, int32_t n, int32_t step) {
    for (int i = 0; i < n; i += step) a[i] += b[i];
}

void times_a_step(float *restrict a, const float *restrict b, int32_t n, int32_t step) {
    for (int i = 0; i < n; i++) a[i * step] += b[i];
}

void a_step_ahead(float *restrict a, const float *restrict b, int32_t n, int32_t step) {
    for (int i = 0; i < n; i += step) a[i] = a[i + step] * 0.5f + b[i];
}

void by_a_step_and_from_end(float *restrict a, const float *restrict b, int32_t n, int32_t step) {
    int k = 0;
    for (int i = 0; i < n; i += step) {
        k++;
        a[i] += b[n - k];
    }
}

void write_and_read_next(float *restrict a, float *restrict b, const float *restrict c, int32_t n) {
    for (int i = 0; i < n - 1; i++) {
        a[i] = a[i] * 0.5f + c[i];
        b[i] = b[i] * 0.5f + a[i + 1] * c[i];
    }
}

void write_and_read_last(float *restrict a, float *restrict b, const float *restrict c, int32_t n) {
    for (int i = 1; i < n - 1; i++) {
        a[i] = b[i - 1] + c[i] * 0.5f;
        b[i] = b[i + 1] - c[i] * 0.25f;
    }
}

void partly_in_order(float *restrict a, float *restrict b, const float *restrict c, const float *restrict e, int32_t n) {
    for (int i = 1; i < n; i++) {
        a[i] = a[i] * 0.5f + c[i] * e[i];
        b[i] = b[i - 1] * 0.5f + a[i] + e[i];
    }
}

void order_between(float *restrict a, float *restrict b, const float *restrict c, const float *restrict e, int32_t n) {
    for (int i = 1; i < n; i++) {
        a[i] += c[i] * e[i];
        b[i] = b[i - 1] * b[i - 1] * 0.25f + c[i];
        a[i] -= c[i] * e[i];
    }
}

void three_statements(float *restrict a, float *restrict b, const float *restrict c, const float *restrict e, int32_t n) {
    for (int i = 0; i < n - 1; i++) {
        a[i] = b[i] + c[i] * e[i];
        b[i] = a[i] * 0.5f + e[i];
        a[i] = b[i] + a[i + 1] * 0.25f;
    }
}

void five_by_hand(float *restrict a, const float *restrict b, int32_t n) {
    for (int i = 0; i < n - 4; i += 5) {
        a[i] += 0.5f * b[i];
        a[i + 1] += 0.5f * b[i + 1];
        a[i + 2] += 0.5f * b[i + 2];
        a[i + 3] += 0.5f * b[i + 3];
        a[i + 4] += 0.5f * b[i + 4];
    }
}

void dot_by_hand(const float *restrict a, const float *restrict b, float *restrict out, int32_t n) {
    float s = 0.0f;
    for (int i = 0; i < n - 4; i += 5)
        s += a[i] * b[i] + a[i + 1] * b[i + 1] + a[i + 2] * b[i + 2] + a[i + 3] * b[i + 3] + a[i + 4] * b[i + 4];
    out[0] = s;
}

void own_index(float *restrict a, const float *restrict b, int32_t n) {
    int j = -1;
    for (int i = 0; i < n / 2; i++) {
        int k = j + 1;
        a[i] = b[k] * 0.5f;
        j = k + 1;
        a[n / 2 + i] = b[k] + b[j];
    }
}

void index_from_end(float *restrict a, const float *restrict b, int32_t n) {
    int k = n - 1;
    for (int i = 0; i < n; i++) {
        a[i] += b[k];
        k -= 1;
    }
}

void on_both_branches(float *restrict a, const float *restrict b, const float *restrict c, int32_t n) {
    int j = 0;
    for (int i = 0; i < n; i++) {
        if (b[i] > 0.0f) {
            a[j] = b[i] + c[i];
            j += 1;
        } else {
            a[j] = b[i] * c[i];
            j += 1;
        }
    }
}

void two_of_each(float *restrict a, const float *restrict b, const float *restrict c, int32_t n) {
    int j = 0;
    for (int i = 0; i < n; i++) {
        a[j] = b[i] + c[i];
        j += 1;
        a[j] = b[i] - c[i];
        j += 1;
    }
}

void one_or_two(float *restrict a, const float *restrict b, const float *restrict c, int32_t n) {
    int j = 0;
    for (int i = 0; i < n; i++) {
        a[j] = b[i] + 1.0f;
        j += 1;
        if (c[i] > 0.0f) {
            a[j] = c[i];
            j += 1;
        }
    }
}

void pack(float *restrict a, const float *restrict b, int32_t *restrict count, int32_t n) {
    int j = 0;
    for (int i = 0; i < n; i++)
        if (b[i] > 0.0f) {
            a[j] = b[i];
            j += 1;
        }
    count[0] = j;
}

void pack_places(int32_t *restrict a, const float *restrict b, int32_t *restrict count, int32_t n) {
    int j = 0;
    for (int i = 0; i < n; i++)
        if (b[i] > 0.5f) {
            a[j] = i;
            j += 1;
        }
    count[0] = j;
}

void pack_in_place(float *restrict a, const float *restrict b, int32_t *restrict count, int32_t n) {
    int j = 0;
    for (int i = 0; i < n; i++)
        if (b[i] > 0.0f) {
            a[j] = a[i];
            j += 1;
        }
    count[0] = j;
}

void partition(float *restrict a, float *restrict c, const float *restrict b, int32_t *restrict count, int32_t n) {
    int j = 0, k = 0;
    for (int i = 0; i < n; i++)
        if (b[i] > 0.0f) {
            a[j] = b[i];
            j += 1;
        } else {
            c[k] = b[i];
            k += 1;
        }
    count[0] = j;
}

void unpack(float *restrict a, const float *restrict b, const float *restrict c, int32_t n) {
    int j = 0;
    for (int i = 0; i < n; i++)
        if (c[i] > 0.0f) {
            a[i] = b[j];
            j += 1;
        }
}

void pack_counting_first(float *restrict a, const float *restrict b, int32_t n) {
    int j = -1;
    for (int i = 0; i < n; i++)
        if (b[i] > 0.0f) {
            j += 1;
            a[j] = b[i];
        }
}

void unpack_counting_first(float *restrict a, const float *restrict b, const float *restrict c, int32_t n) {
    int j = -1;
    for (int i = 0; i < n; i++)
        if (c[i] > 0.0f) {
            j += 1;
            a[i] = b[j];
        }
}

void bytes_without_spaces(const uint8_t *restrict text, uint8_t *restrict out, int32_t *restrict count, int32_t n) {
    int j = 0;
    for (int i = 0; i < n; i++)
        if (text[i] != 32) {
            out[j] = text[i];
            j += 1;
        }
    count[0] = j;
}

void last_value(float *restrict a, const float *restrict b, const float *restrict c, int32_t n) {
    float x = b[n - 1];
    for (int i = 0; i < n; i++) {
        a[i] = (b[i] + x) * 0.5f;
        x = b[i];
    }
}

void last_two_values(float *restrict a, const float *restrict b, int32_t n) {
    float x = b[n - 1], y = b[n - 2];
    for (int i = 0; i < n; i++) {
        a[i] = (b[i] + x + y) * 0.333f;
        y = x;
        x = b[i];
    }
}

void last_index(float *restrict a, const float *restrict b, int32_t n) {
    int last = n - 1;
    for (int i = 0; i < n; i++) {
        a[i] = (b[i] + b[last]) * 0.5f;
        last = i;
    }
}

void last_two_indices(float *restrict a, const float *restrict b, int32_t n) {
    int last = n - 1, second = n - 2;
    for (int i = 0; i < n; i++) {
        a[i] = (b[i] + b[last] + b[second]) * 0.333f;
        second = last;
        last = i;
    }
}

void product_before(float *restrict a, const float *restrict b, const float *restrict c, int32_t n) {
    float t = 0.0f;
    for (int i = 0; i < n; i++) {
        float s = b[i] * c[i];
        a[i] = s + t;
        t = s;
    }
}

void last_that_held(float *restrict a, const float *restrict b, const float *restrict c, int32_t n) {
    float s = 0.0f;
    for (int i = 0; i < n; i++) {
        if (b[i] > 0.0f) s = c[i];
        a[i] = s * c[i];
    }
}

void since_last(int32_t *restrict a, const float *restrict b, int32_t n) {
    int run = 0;
    for (int i = 0; i < n; i++) {
        run = b[i] > 0.5f ? 0 : run + 1;
        a[i] = run;
    }
}

void running_greatest(int32_t *restrict a, const int32_t *restrict b, int32_t n) {
    int most = b[0];
    for (int i = 0; i < n; i++) {
        most = most > b[i] ? most : b[i];
        a[i] = most;
    }
}

void running_peak(const float *restrict a, float *restrict out, int32_t n) {
    float peak = 0.0f;
    for (int i = 0; i < n; i++) {
        float x = fabsf(a[i]);
        peak = peak > x ? peak : x;
        out[i] = peak;
    }
}

void running_low(const float *restrict a, float *restrict out, int32_t n) {
    float low = a[0];
    for (int i = 0; i < n; i++) {
        if (a[i] < low) low = a[i];
        out[i] = a[i] - low;
    }
}

void hash_of_words(const uint32_t *restrict a, uint32_t *restrict out, int32_t n) {
    uint32_t h = 5381;
    for (int i = 0; i < n; i++) h = h * 33 + a[i];
    out[0] = h;
}

void hashes_so_far(const uint32_t *restrict a, uint32_t *restrict out, int32_t n) {
    uint32_t h = 5381;
    for (int i = 0; i < n; i++) {
        h = h * 31 + a[i];
        out[i] = h;
    }
}

void running_product(uint32_t *restrict a, const uint32_t *restrict b, int32_t n) {
    uint32_t p = 1;
    for (int i = 0; i < n; i++) {
        p *= b[i] | 1;
        a[i] = p;
    }
}

void steps_by_two(float *restrict a, const float *restrict b, int32_t n) {
    float s = 0.0f;
    for (int i = 0; i < n; i++) {
        s += 2.0f;
        a[i] = s * b[i];
    }
}

void times_its_place(float *restrict a, const float *restrict b, const float *restrict c, int32_t n) {
    for (int i = 0; i < n; i++) a[i] = b[i] + c[i] * (float)(i + 1);
}

void parity(uint32_t *restrict out, const uint32_t *restrict b, int32_t n) {
    uint32_t p = 0;
    for (int i = 0; i < n; i++) p ^= b[i];
    out[0] = p;
}

void add_where(float *restrict a, const float *restrict b, const float *restrict c, int32_t n) {
    for (int i = 0; i < n; i++)
        if (b[i] > 0.0f) a[i] += b[i] * c[i];
}

void two_where(float *restrict a, float *restrict e, const float *restrict b, const float *restrict c, int32_t n, float t) {
    for (int i = 0; i < n; i++)
        if (b[i] >= t) {
            a[i] = a[i] * 0.5f + c[i] * b[i];
            e[i] = e[i] * 0.5f + c[i] * c[i];
        }
}

void guard_of_own(float *restrict a, float *restrict e, const float *restrict b, const float *restrict c, int32_t n) {
    for (int i = 0; i < n; i++) {
        a[i] = a[i] * 0.5f + b[i] * c[i];
        if (a[i] < 0.0f) e[i] = e[i] * 0.5f + b[i] * c[i];
    }
}

void sum_or_product(float *restrict a, float *restrict e, const float *restrict b, const float *restrict c, int32_t n) {
    for (int i = 0; i < n; i++) {
        a[i] = c[i] + b[i] * 0.5f;
        if (a[i] > 0.0f)
            e[i] = a[i] + b[i];
        else
            a[i] = c[i] * b[i];
    }
}

void before_the_middle(float *restrict a, const float *restrict b, const float *restrict c, int32_t n) {
    for (int i = 0; i < n; i++)
        if (i + 1 < n / 2)
            a[i] = b[i] * c[i];
        else
            a[i] = b[i] + c[i];
}

void three_ways(float *restrict a, const float *restrict b, const float *restrict c, int32_t n) {
    for (int i = 0; i < n; i++)
        if (b[i] < 0.0f)
            a[i] = c[i] * 2.0f;
        else if (b[i] < 0.5f)
            a[i] = c[i] + b[i];
        else
            a[i] = c[i] / b[i];
}

void by_number(float *restrict a, const float *restrict b, const int32_t *restrict at, int32_t n) {
    for (int i = 0; i < n; i++) switch (at[i] & 3) {
        case 0: a[i] = b[i] * 2.0f; break;
        case 1: a[i] = b[i] * b[i]; break;
        case 2: a[i] = b[i] + 1.0f; break;
        default: a[i] = -b[i];
        }
}

void nested_conditions(float *restrict a, float *restrict e, const float *restrict b, const float *restrict c, int32_t n) {
    for (int i = 0; i < n; i++) {
        if (b[i] > 0.0f) {
            if (c[i] > 0.0f)
                a[i] = b[i] * c[i];
            else
                e[i] = b[i] - c[i];
        } else if (c[i] > 0.5f)
            e[i] = c[i];
    }
}

void next_where(float *restrict a, const float *restrict b, const float *restrict c, int32_t n) {
    for (int i = 0; i < n - 1; i++)
        if (b[i] > 0.0f) a[i] = a[i + 1] * 0.5f + c[i];
}

void sign_of(int32_t *restrict a, const float *restrict b, int32_t n) {
    for (int i = 0; i < n; i++) a[i] = b[i] > 0.0f ? 1 : b[i] < 0.0f ? -1 : 0;
}

void sum_where(const float *restrict a, float *restrict out, int32_t n) {
    float s = 0.0f;
    for (int i = 0; i < n; i++)
        if (a[i] > 0.0f) s += a[i];
    out[0] = s;
}

void sum_of_places(const float *restrict a, int64_t *restrict out, int32_t n) {
    int64_t s = 0;
    for (int i = 0; i < n; i++)
        if (a[i] > 0.0f) s += i;
    out[0] = s;
}

void two_sums(const int32_t *restrict a, const int32_t *restrict b, int32_t *restrict out, int32_t n) {
    int s = 0, t = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
        t += b[i];
    }
    out[0] = s - t;
}

void least(const float *restrict a, float *restrict out, int32_t n) {
    float m = a[0];
    for (int i = 0; i < n; i++) m = a[i] < m ? a[i] : m;
    out[0] = m;
}

void greatest_size(const float *restrict a, float *restrict out, int32_t n) {
    float m = 0.0f;
    for (int i = 0; i < n; i++)
        if (fabsf(a[i]) > m) m = fabsf(a[i]);
    out[0] = m;
}

void place_of_greatest_size(const float *restrict a, int32_t *restrict out, int32_t n) {
    float m = fabsf(a[0]);
    int at = 0;
    for (int i = 1; i < n; i++)
        if (fabsf(a[i]) > m) {
            m = fabsf(a[i]);
            at = i;
        }
    out[0] = at;
}

void place_of_least(const int32_t *restrict a, int32_t *restrict out, int32_t n) {
    int m = a[0], at = 0;
    for (int i = 1; i < n; i++)
        if (a[i] < m) {
            m = a[i];
            at = i;
        }
    out[0] = at;
}

void last_place(const float *restrict a, int32_t *restrict out, int32_t n) {
    int at = -1;
    for (int i = 0; i < n; i++)
        if (a[i] < -0.5f) at = i;
    out[0] = at;
}

void first_above(const float *restrict a, int32_t *restrict out, int32_t n) {
    int at = -1;
    for (int i = 0; i < n; i++)
        if (a[i] > 1.25f) {
            at = i;
            break;
        }
    out[0] = at;
}

void any_above(const float *restrict a, int32_t *restrict out, int32_t n) {
    int found = 0;
    for (int i = 0; i < n; i++)
        if (a[i] > 2.0f) found = 1;
    out[0] = found;
}

void histogram(const uint8_t *restrict a, int32_t *restrict bins, int32_t n) {
    for (int i = 0; i < n; i++) bins[a[i]] += 1;
}

void sum_in_cell(const int32_t *restrict a, int32_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) out[0] += a[i] & 7;
}

void absolute_differences(const uint8_t *restrict a, const uint8_t *restrict b, int32_t *restrict out, int32_t n) {
    int s = 0;
    for (int i = 0; i < n; i++) s += abs(a[i] - b[i]);
    out[0] = s;
}

void equal_bytes(const uint8_t *restrict a, const uint8_t *restrict b, int32_t *restrict out, int32_t n) {
    int s = 0;
    for (int i = 0; i < n; i++) s += a[i] == b[i];
    out[0] = s;
}

void scatter(float *restrict a, const float *restrict b, const int32_t *restrict at, int32_t n) {
    for (int i = 0; i < n; i++) a[at[i]] = b[i];
}

void gather_and_add(float *restrict a, const float *restrict b, const int32_t *restrict at, int32_t n) {
    for (int i = 0; i < n; i++) a[i] += b[at[i]] * 0.5f;
}

void add_there(float *restrict a, const float *restrict b, const int32_t *restrict at, int32_t n) {
    for (int i = 0; i < n; i++) a[at[i]] += b[i];
}

void half_index(float *restrict a, const float *restrict b, const float *restrict c, int32_t n) {
    for (int i = 0; i < n; i++) a[i] = b[i] + c[i / 2] * 0.5f;
}

void wrapped_index(float *restrict a, const float *restrict b, const float *restrict c, int32_t n) {
    for (int i = 0; i < n; i++) a[i] = b[i] * c[i % 8];
}

void sum_there(const float *restrict a, const float *restrict b, const int32_t *restrict at, float *restrict out, int32_t n) {
    float s = 0.0f;
    for (int i = 0; i < n; i++) s += a[i] * b[at[i]];
    out[0] = s;
}

void turned(float *restrict a, const float *restrict b, int32_t n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i * n + j] = b[j * n + i];
}

void lower_from_upper(float *restrict a, const float *restrict b, int32_t n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) a[i * n + j] = a[j * n + i] + b[i * n + j];
}

void down_columns(float *restrict a, const float *restrict b, int32_t n) {
    for (int i = 0; i < n; i++)
        for (int j = 1; j < n; j++) a[j * n + i] = a[(j - 1) * n + i] * 0.5f + b[j * n + i];
}

void along_rows(float *restrict a, const float *restrict b, int32_t n) {
    for (int i = 0; i < n; i++)
        for (int j = 1; j < n; j++) a[i * n + j] = a[i * n + j - 1] * 0.5f + b[i * n + j];
}

void along_diagonals(float *restrict a, const float *restrict b, int32_t n) {
    for (int i = 1; i < n; i++)
        for (int j = 1; j < n; j++) a[i * n + j] = a[(i - 1) * n + j - 1] * 0.5f + b[i * n + j];
}

void wavefront(float *restrict a, int32_t n) {
    for (int i = 1; i < n; i++)
        for (int j = 1; j < n; j++) a[i * n + j] = (a[i * n + j - 1] + a[(i - 1) * n + j]) * 0.5f;
}

void jacobi(float *restrict a, const float *restrict b, int32_t n) {
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            a[i * n + j] =
                (b[i * n + j] + b[(i - 1) * n + j] + b[(i + 1) * n + j] + b[i * n + j - 1] + b[i * n + j + 1]) * 0.2f;
}

void identity(float *restrict a, int32_t n) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) a[i * n + j] = 0.0f;
        a[i * n + i] = 1.0f;
    }
}

void diagonal(float *restrict a, const float *restrict b, const float *restrict c, int32_t n) {
    for (int i = 0; i < n; i++) a[i * n + i] += b[i * n + i] * c[i * n + i];
}

void sums_of_rows(const float *restrict a, float *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        float s = 0.0f;
        for (int j = 0; j < n; j++) s += a[i * n + j];
        out[i] = s;
    }
}

void sums_of_columns(const float *restrict a, float *restrict out, int32_t n) {
    for (int j = 0; j < n; j++) out[j] = 0.0f;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) out[j] += a[i * n + j];
}

void back_substitution(const float *restrict a, float *restrict x, int32_t n) {
    for (int j = 0; j < n; j++)
        for (int i = j + 1; i < n; i++) x[i] -= a[j * n + i] * x[j] * 0.01f;
}

void outer_product(float *restrict a, const float *restrict x, const float *restrict y, int32_t n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i * n + j] += x[i] * y[j];
}

void convolution(float *restrict a, const float *restrict b, const float *restrict c, int32_t n) {
    for (int i = 0; i < n; i++) {
        float s = 0.0f;
        for (int j = 0; j < 8; j++) s += b[i + j] * c[j];
        a[i] = s;
    }
}

void flattened(float *restrict a, const float *restrict b, const float *restrict c, int32_t n) {
    int k = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (k < n) a[k] = b[i * n + j] + c[i * n + j];
            k += 1;
        }
}

void greatest_of_matrix(const float *restrict a, int32_t *restrict out, int32_t n) {
    float m = a[0];
    int at = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (a[i * n + j] > m) {
                m = a[i * n + j];
                at = i * n + j;
            }
    out[0] = at;
}

void row_by_condition(float *restrict a, const float *restrict b, const float *restrict c, int32_t n) {
    for (int i = 0; i < n; i++)
        if (c[i] > 0.0f)
            for (int j = 0; j < n; j++) a[i * n + j] = a[i * n + j] * 0.5f + b[i * n + j];
}

void distances_of_all(float *restrict out, const float *restrict x, const float *restrict y, int32_t n) {
    for (int i = 0; i < n; i++) {
        float nearest = 1000.0f;
        for (int j = 0; j < n; j++) {
            float dx = x[i] - x[j], dy = y[i] - y[j], far = dx * dx + dy * dy;
            if (far > 0.0f) nearest = far < nearest ? far : nearest;
        }
        out[i] = nearest;
    }
}

void add_saturated(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        int s = a[i] + b[i];
        out[i] = (uint8_t)(s < 255 ? s : 255);
    }
}

void threshold(const uint8_t *restrict a, uint8_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) out[i] = a[i] > 127 ? 255 : 0;
}

void upper_case(const uint8_t *restrict a, uint8_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        uint8_t c = a[i];
        out[i] = c >= 97 && c <= 122 ? c - 32 : c;
    }
}

void absolute_shorts(const int16_t *restrict a, int16_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) out[i] = (int16_t)(a[i] > -a[i] ? a[i] : -a[i]);
}

void blur_of_bytes(const uint8_t *restrict a, uint8_t *restrict out, int32_t n) {
    for (int i = 1; i < n - 1; i++) out[i] = (uint8_t)((a[i - 1] + 2 * a[i] + a[i + 1] + 2) >> 2);
}

void bits_of_words(const uint32_t *restrict a, uint32_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) out[i] = (uint32_t)__builtin_popcount(a[i]);
}

void swapped_bytes(const uint32_t *restrict a, uint32_t *restrict out, int32_t n) {
    for (int i = 0; i < n; i++) {
        uint32_t x = a[i];
        out[i] = (x >> 24) | ((x >> 8) & 0xff00) | ((x << 8) & 0xff0000) | (x << 24);
    }
}

void xorshift(uint32_t *restrict out, int32_t n) {
    uint32_t x = 2463534242u;
    for (int i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        out[i] = x;
    }
}
