// Runs every loop of several libraries on the same data, in turns, and prints for each loop the least time a call took
// in each, in nanoseconds, and whether its results agree with the first library's: `driver LIBRARY... [-- NAME...]`, where
// a name is that of a loop, or what those of several begin with. With HAND, kernels by hand are there, too.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "classic.h"
#include "exits.h"
#include "fast.h"
#ifdef HAND
#include "hand.h"
#endif
#include "media.h"
#include "numeric.h"
#include "packs.h"
#include "reassoc.h"
#include "records.h"
#include "strict.h"

enum { N = 4096, SIDE = 64, LIBRARIES = 8, ROUNDS = 60, VARIANTS = 8 };
static const double SHORTEST = 30e3;

// Everything that loops read and write, in one piece: to begin again is one copy, to compare one comparison.
static struct Data {
    float a[3 * N], b[3 * N], out[3 * N];
    double da[N], db[N], dout[N];
    int32_t ia[N], ib[N], iout[N], at[N], rows[N + 1], sorted[N], others[N];
    int64_t la[N], lb[N], lout[N];
    uint32_t wa[N], wout[N];
    int16_t sa[2 * N], sb[N], sout[2 * N];
    uint8_t ua[3 * N], ub[N], uc[N], uout[3 * N], text[N], other[N], runs[N];
    struct Spark sparks[N];
} d, start, expected;

#define STRICT(LOOP)                                                                                                   \
    LOOP(add, d.a, d.b, d.out, N)                                                                                      \
    LOOP(saxpy, d.a, d.out, N, 0.375f)                                                                                 \
    LOOP(triad, d.da, d.db, d.dout, N, 0.375)                                                                          \
    LOOP(divide, d.a, d.b, d.out, N)                                                                                   \
    LOOP(distance, d.a, d.b, d.out, N)                                                                                 \
    LOOP(polynomial, d.a, d.out, N)                                                                                    \
    LOOP(increment, d.ia, N)                                                                                           \
    LOOP(stencil_3, d.a, d.out, N)                                                                                     \
    LOOP(stencil_5, d.da, d.dout, N)                                                                                   \
    LOOP(limit, d.a, d.out, N, -0.5f, 0.5f)                                                                            \
    LOOP(store_where, d.a, d.b, d.out, N)                                                                              \
    LOOP(either, d.a, d.b, d.out, N)                                                                                   \
    LOOP(divide_where, d.a, d.b, d.out, N)                                                                             \
    LOOP(swap_where, d.a, d.b, N)                                                                                      \
    LOOP(reverse, d.a, d.out, N)                                                                                       \
    LOOP(every_second, d.a, d.out, N)                                                                                  \
    LOOP(every_third, d.a, d.out, N)                                                                                   \
    LOOP(spread, d.a, d.out, N)                                                                                        \
    LOOP(complex_product, d.a, d.b, d.out, N)                                                                          \
    LOOP(gray, d.ua, d.uout, N)                                                                                        \
    LOOP(fly, d.sparks, N, 0.01f)                                                                                      \
    LOOP(look_up, d.a, d.at, d.out, N)                                                                                 \
    LOOP(window, d.a, d.b, d.out, N)                                                                                   \
    LOOP(double_up, d.a, d.out, N)                                                                                     \
    LOOP(mean_of_bytes, d.ua, d.ub, d.uout, N)                                                                         \
    LOOP(blend, d.ua, d.ub, d.uc, d.uout, N)                                                                           \
    LOOP(wide_product, d.sa, d.sb, d.iout, N)                                                                          \
    LOOP(to_floats, d.ua, d.out, N)                                                                                    \
    LOOP(to_doubles, d.a, d.db, d.dout, N)                                                                             \
    LOOP(mix_bits, d.wa, d.wout, N)                                                                                    \
    LOOP(difference, d.ia, d.ib, d.iout, N)                                                                            \
    LOOP(wide_sum, d.la, d.lb, d.lout, N)                                                                              \
    LOOP(sum, d.ia, d.iout, N)                                                                                         \
    LOOP(dot_of_shorts, d.sa, d.sb, d.iout, N)                                                                         \
    LOOP(count, d.a, d.iout, N, 0.25f)                                                                                 \
    LOOP(greatest, d.a, d.out, N)                                                                                      \
    LOOP(place_of_greatest, d.a, d.iout, N)                                                                            \
    LOOP(find, d.a, d.iout, N, 1.0f)                                                                                   \
    LOOP(running_sum, d.ia, d.iout, N)                                                                                 \
    LOOP(decay, d.a, d.out, N)                                                                                         \
    LOOP(matrix_vector, d.a, d.b, d.out, SIDE, SIDE)                                                                   \
    LOOP(matmul, d.a, d.b, d.out, SIDE, SIDE)                                                                          \
    LOOP(blur, d.a, d.out, SIDE, SIDE)                                                                                 \
    LOOP(transpose, d.a, d.out, SIDE, SIDE)                                                                            \
    LOOP(mandelbrot, d.iout, SIDE, SIDE)

#define PACKS(LOOP)                                                                                                    \
    LOOP(complex_products, d.a, d.b, d.out)                                                                            \
    LOOP(quaternion, d.a, d.b, d.out)                                                                                  \
    LOOP(matrix4_vector, d.a, d.b, d.out)                                                                              \
    LOOP(columns4_vector, d.a, d.b, d.out)                                                                             \
    LOOP(matrix4_matrix, d.a, d.b, d.out)                                                                              \
    LOOP(rgb_to_yuv, d.a, d.out)                                                                                       \
    LOOP(rgb_to_planes, d.a, d.out, d.out + 8, d.out + 16)                                                             \
    LOOP(butterfly2, d.a, d.b, d.out)                                                                                  \
    LOOP(butterfly4, d.a, d.b)                                                                                         \
    LOOP(dct8, d.a, d.out)                                                                                             \
    LOOP(hadamard, d.ia, d.iout)                                                                                       \
    LOOP(quarter_rounds, d.wa)                                                                                         \
    LOOP(polynomials, d.a, d.out)                                                                                      \
    LOOP(normalise, d.a, d.out)                                                                                        \
    LOOP(distances, d.a, d.b, d.out)                                                                                   \
    LOOP(roots, d.da, d.db, d.da + 8, d.dout)                                                                          \
    LOOP(blend4, d.a, d.b, 0.25f, d.out)                                                                               \
    LOOP(mean16, d.ua, d.ub, d.uout)                                                                                   \
    LOOP(cross4, d.a, d.b, d.out)                                                                                      \
    LOOP(reflect, d.a, d.b, d.out)                                                                                     \
    LOOP(box_union, d.a, d.b, d.out)                                                                                   \
    LOOP(clamp8, d.a, -0.5f, 0.5f, d.out)                                                                              \
    LOOP(haar, d.a, d.out)                                                                                             \
    LOOP(bilinear, d.a, 0.25f, 0.75f, d.out)                                                                           \
    LOOP(rotate2, d.a, 0.6f, 0.8f, d.out)                                                                              \
    LOOP(widen, d.sa, d.sb, d.iout)                                                                                    \
    LOOP(dct8x8, d.a, d.out)                                                                                           \
    LOOP(planes_to_rgb, d.a, d.a + 8, d.a + 16, d.out)                                                                 \
    LOOP(bytes_to_yuv, d.ua, d.uout, d.uout + 16, d.uout + 32)                                                         \
    LOOP(normalise3, d.a, d.out)                                                                                       \
    LOOP(distances3, d.a, d.b, d.out)                                                                                  \
    LOOP(fft16, d.a, d.b, d.a + 64, d.b + 64)                                                                          \
    LOOP(double_round, d.wa)                                                                                           \
    LOOP(channel_sums, d.a, d.out, N)                                                                                  \
    LOOP(stereo, d.a, d.out, N, 0.5f, 0.25f)                                                                           \
    LOOP(generators, d.wout, N, 7)                                                                                     \
    LOOP(springs, d.out, N, 0.01f)                                                                                     \
    LOOP(biquads, d.a, d.out, N, 0.3f, 0.2f, 0.1f, 0.2f, 0.1f)

#define EXITS(LOOP)                                                                                                    \
    LOOP(copy_until, d.a, d.out, N)                                                                                    \
    LOOP(store_then_exit, d.a, d.out, N)                                                                               \
    LOOP(two_exits, d.a, d.out, d.iout, N)                                                                             \
    LOOP(in_place_until, d.a, N)                                                                                       \
    LOOP(sum_until, d.ia, d.iout, N)                                                                                   \
    LOOP(text_length, d.text, d.iout, N)                                                                               \
    LOOP(text_copy, d.text, d.uout, N)                                                                                 \
    LOOP(upper_until, d.text, d.uout, d.iout, N)                                                                       \
    LOOP(first_difference, d.text, d.other, d.iout, N)                                                                 \
    LOOP(count_until, d.text, d.iout, N)                                                                               \
    LOOP(find_and_mark, d.a, d.out, d.iout, N)                                                                         \
    LOOP(gather_until, d.a, d.at, d.out, N)                                                                            \
    LOOP(roots_by_steps, d.a, d.out, N)                                                                                \
    LOOP(row_sums_until, d.a, d.out, SIDE, SIDE)                                                                       \
    LOOP(least_until, d.ia, d.iout, N)                                                                                 \
    LOOP(append_until, d.a, d.out, d.iout, N, N / 8)                                                                   \
    LOOP(hash_until, d.text, d.wout, N)                                                                                \
    LOOP(budget, d.a, d.out, N, 1500.0f)                                                                               \
    LOOP(scale_down_from_end, d.a, d.out, N)                                                                           \
    LOOP(merge_until, d.ia, d.ib, d.iout, N)

#define CLASSIC(LOOP)                                                                                                  \
    LOOP(ahead, d.out, d.b, N)                                                                                         \
    LOOP(ahead_backwards, d.out, d.b, N)                                                                               \
    LOOP(odd_cells, d.out, d.b, N)                                                                                     \
    LOOP(first_cell, d.out, d.b, N)                                                                                    \
    LOOP(last_cell, d.out, d.b, N)                                                                                     \
    LOOP(middle_cell, d.out, d.b, N)                                                                                   \
    LOOP(halves, d.out, d.b, N)                                                                                        \
    LOOP(mirrored, d.out, d.b, N)                                                                                      \
    LOOP(four_apart, d.out, d.b, N)                                                                                    \
    LOOP(two_apart, d.out, d.b, N)                                                                                     \
    LOOP(one_apart, d.out, d.b, N)                                                                                     \
    LOOP(second_order, d.out, d.b, N)                                                                                  \
    LOOP(offset_by_parameter, d.out, d.b, N)                                                                           \
    LOOP(filled_from_ahead, d.out, d.b, N)                                                                             \
    LOOP(echo, d.a, d.out, N, 300)                                                                                     \
    LOOP(ways_to_pay, d.wout, N, 50)                                                                                   \
    LOOP(just_stored, d.a, d.b, d.out, N)                                                                              \
    LOOP(before_it_changed, d.a, N)                                                                                    \
    LOOP(by_a_step, d.out, d.b, N, 1)                                                                                  \
    LOOP(times_a_step, d.out, d.b, N, 1)                                                                               \
    LOOP(a_step_ahead, d.out, d.b, N, 1)                                                                               \
    LOOP(by_a_step_and_from_end, d.out, d.b, N, 1)                                                                     \
    LOOP(write_and_read_next, d.out, d.out + N, d.b, N)                                                                \
    LOOP(write_and_read_last, d.out, d.out + N, d.b, N)                                                                \
    LOOP(partly_in_order, d.out, d.out + N, d.a, d.b, N)                                                               \
    LOOP(order_between, d.out, d.out + N, d.a, d.b, N)                                                                 \
    LOOP(three_statements, d.out, d.out + N, d.a, d.b, N)                                                              \
    LOOP(five_by_hand, d.out, d.b, N)                                                                                  \
    LOOP(dot_by_hand, d.a, d.b, d.out, N)                                                                              \
    LOOP(own_index, d.out, d.b, N)                                                                                     \
    LOOP(index_from_end, d.out, d.b, N)                                                                                \
    LOOP(on_both_branches, d.out, d.a, d.b, N)                                                                         \
    LOOP(two_of_each, d.out, d.a, d.b, N)                                                                              \
    LOOP(one_or_two, d.out, d.a, d.b, N)                                                                               \
    LOOP(pack, d.out, d.b, d.iout, N)                                                                                  \
    LOOP(pack_places, d.at, d.b, d.iout, N)                                                                            \
    LOOP(pack_in_place, d.a, d.b, d.iout, N)                                                                           \
    LOOP(partition, d.out, d.out + N, d.b, d.iout, N)                                                                  \
    LOOP(unpack, d.out, d.a, d.b, N)                                                                                   \
    LOOP(pack_counting_first, d.out, d.b, N)                                                                           \
    LOOP(unpack_counting_first, d.out, d.a, d.b, N)                                                                    \
    LOOP(bytes_without_spaces, d.ua, d.uout, d.iout, N)                                                                \
    LOOP(last_value, d.out, d.a, d.b, N)                                                                               \
    LOOP(last_two_values, d.out, d.b, N)                                                                               \
    LOOP(last_index, d.out, d.b, N)                                                                                    \
    LOOP(last_two_indices, d.out, d.b, N)                                                                              \
    LOOP(product_before, d.out, d.a, d.b, N)                                                                           \
    LOOP(last_that_held, d.out, d.a, d.b, N)                                                                           \
    LOOP(since_last, d.iout, d.b, N)                                                                                   \
    LOOP(running_greatest, d.iout, d.ib, N)                                                                            \
    LOOP(running_product, d.wout, d.wa, N)                                                                             \
    LOOP(running_peak, d.a, d.out, N)                                                                                  \
    LOOP(running_low, d.a, d.out, N)                                                                                   \
    LOOP(hash_of_words, d.wa, d.wout, N)                                                                               \
    LOOP(hashes_so_far, d.wa, d.wout, N)                                                                               \
    LOOP(steps_by_two, d.out, d.b, N)                                                                                  \
    LOOP(times_its_place, d.out, d.a, d.b, N)                                                                          \
    LOOP(parity, d.wout, d.wa, N)                                                                                      \
    LOOP(add_where, d.out, d.a, d.b, N)                                                                                \
    LOOP(two_where, d.out, d.out + N, d.a, d.b, N, 0.375f)                                                             \
    LOOP(guard_of_own, d.out, d.out + N, d.a, d.b, N)                                                                  \
    LOOP(sum_or_product, d.out, d.out + N, d.a, d.b, N)                                                                \
    LOOP(before_the_middle, d.out, d.a, d.b, N)                                                                        \
    LOOP(three_ways, d.out, d.a, d.b, N)                                                                               \
    LOOP(by_number, d.out, d.b, d.at, N)                                                                               \
    LOOP(nested_conditions, d.out, d.out + N, d.a, d.b, N)                                                             \
    LOOP(next_where, d.out, d.a, d.b, N)                                                                               \
    LOOP(sign_of, d.iout, d.b, N)                                                                                      \
    LOOP(sum_where, d.a, d.out, N)                                                                                     \
    LOOP(sum_of_places, d.a, d.lout, N)                                                                                \
    LOOP(two_sums, d.ia, d.ib, d.iout, N)                                                                              \
    LOOP(least, d.a, d.out, N)                                                                                         \
    LOOP(greatest_size, d.a, d.out, N)                                                                                 \
    LOOP(place_of_greatest_size, d.a, d.iout, N)                                                                       \
    LOOP(place_of_least, d.ia, d.iout, N)                                                                              \
    LOOP(last_place, d.a, d.iout, N)                                                                                   \
    LOOP(first_above, d.a, d.iout, N)                                                                                  \
    LOOP(any_above, d.a, d.iout, N)                                                                                    \
    LOOP(histogram, d.ua, d.iout, N)                                                                                   \
    LOOP(sum_in_cell, d.ia, d.iout, N)                                                                                 \
    LOOP(absolute_differences, d.ua, d.ub, d.iout, N)                                                                  \
    LOOP(equal_bytes, d.ua, d.ub, d.iout, N)                                                                           \
    LOOP(scatter, d.out, d.b, d.at, N)                                                                                 \
    LOOP(gather_and_add, d.out, d.b, d.at, N)                                                                          \
    LOOP(add_there, d.out, d.b, d.at, N)                                                                               \
    LOOP(half_index, d.out, d.a, d.b, N)                                                                               \
    LOOP(wrapped_index, d.out, d.a, d.b, N)                                                                            \
    LOOP(sum_there, d.a, d.b, d.at, d.out, N)                                                                          \
    LOOP(turned, d.out, d.b, SIDE)                                                                                     \
    LOOP(lower_from_upper, d.out, d.b, SIDE)                                                                           \
    LOOP(down_columns, d.out, d.b, SIDE)                                                                               \
    LOOP(along_rows, d.out, d.b, SIDE)                                                                                 \
    LOOP(along_diagonals, d.out, d.b, SIDE)                                                                            \
    LOOP(wavefront, d.out, SIDE)                                                                                       \
    LOOP(jacobi, d.out, d.b, SIDE)                                                                                     \
    LOOP(identity, d.out, SIDE)                                                                                        \
    LOOP(diagonal, d.out, d.a, d.b, SIDE)                                                                              \
    LOOP(sums_of_rows, d.a, d.out, SIDE)                                                                               \
    LOOP(sums_of_columns, d.a, d.out, SIDE)                                                                            \
    LOOP(back_substitution, d.a, d.out, SIDE)                                                                          \
    LOOP(outer_product, d.out, d.a, d.b, SIDE)                                                                         \
    LOOP(convolution, d.out, d.b, d.a, N)                                                                              \
    LOOP(flattened, d.out, d.a, d.b, SIDE)                                                                             \
    LOOP(greatest_of_matrix, d.a, d.iout, SIDE)                                                                        \
    LOOP(row_by_condition, d.out, d.a, d.b, SIDE)                                                                      \
    LOOP(distances_of_all, d.out, d.a, d.b, SIDE)                                                                      \
    LOOP(add_saturated, d.ua, d.ub, d.uout, N)                                                                         \
    LOOP(threshold, d.ua, d.uout, N)                                                                                   \
    LOOP(upper_case, d.text, d.uout, N)                                                                                \
    LOOP(absolute_shorts, d.sa, d.sb, N)                                                                               \
    LOOP(blur_of_bytes, d.ua, d.uout, N)                                                                               \
    LOOP(bits_of_words, d.wa, d.wout, N)                                                                               \
    LOOP(swapped_bytes, d.wa, d.wout, N)                                                                               \
    LOOP(xorshift, d.wout, N)

#define NUMERIC(LOOP)                                                                                                  \
    LOOP(matrix_and_transposed, d.da, d.db, d.dout, SIDE)                                                              \
    LOOP(both_products, d.a, d.b, d.b + N, d.out, d.out + N, SIDE)                                                     \
    LOOP(rank_two_update, d.da, d.db, d.db + SIDE, SIDE)                                                               \
    LOOP(sum_of_products, d.da, d.db, d.db, d.dout, SIDE)                                                              \
    LOOP(solve_lower, d.da, d.db, d.dout, SIDE)                                                                        \
    LOOP(eliminate, d.da, d.dout, SIDE)                                                                                \
    LOOP(cholesky, d.a, d.out, SIDE)                                                                                   \
    LOOP(lower_product, d.a, d.b, d.out, SIDE)                                                                         \
    LOOP(rank_k_update, d.a, d.out, SIDE)                                                                              \
    LOOP(covariance, d.da, d.db, d.dout, SIDE)                                                                         \
    LOOP(shortest_paths, d.wa, SIDE)                                                                                   \
    LOOP(heat_there_and_back, d.da, d.dout, N)                                                                         \
    LOOP(heat_in_space, d.a, d.out, 16)                                                                                \
    LOOP(field_step, d.a, d.b, d.out, SIDE)                                                                            \
    LOOP(implicit_sweep, d.a, d.out, d.out + N, SIDE)                                                                  \
    LOOP(longest_common, d.text, d.ua, d.iout, SIDE - 1)                                                               \
    LOOP(hydro_fragment, d.out, d.a, d.b, N, 0.5f, 0.25f, 0.125f)                                                      \
    LOOP(incomplete_cholesky, d.a, d.b, N)                                                                             \
    LOOP(tridiagonal, d.out, d.a, d.b, N)                                                                              \
    LOOP(equation_of_state, d.out, d.a, d.a + N, d.b, N, 0.5f, 0.25f, 0.125f)                                          \
    LOOP(predictors, d.a, 3 * N / 13)                                                                                  \
    LOOP(differences_of_rows, d.a, d.b, 3 * N / 8)                                                                     \
    LOOP(push_particles, d.ia, d.ib, d.sorted, d.iout, N)                                                              \
    LOOP(implicit_conduction, d.a, d.b, d.a + N, d.out, N)                                                             \
    LOOP(hydro_in_plane, d.a, d.a + N, d.b, d.b + N, d.out, SIDE)                                                      \
    LOOP(linear_recurrence, d.out, d.b, SIDE)                                                                          \
    LOOP(flow_limits, d.a, d.b, d.out, SIDE)                                                                           \
    LOOP(transport, d.da, d.db, d.dout, N)

#define MEDIA(LOOP)                                                                                                    \
    LOOP(luma_of_planes, d.ua, d.ub, d.uc, d.uout, N)                                                                  \
    LOOP(premultiply, d.ua, d.uout, 3 * N / 4)                                                                         \
    LOOP(sobel, d.ua, d.uout, 96, 128)                                                                                 \
    LOOP(median_of_nine, d.ua, d.uout, 96, 128)                                                                        \
    LOOP(local_threshold, d.ua, d.uout, 96, 128)                                                                       \
    LOOP(equalise, d.ua, d.ub, d.uout, N)                                                                              \
    LOOP(stretch_row, d.ua, d.uout, N)                                                                                 \
    LOOP(halve_image, d.ua, d.uout, 48, 64)                                                                            \
    LOOP(yuv_to_rgb, d.ua, d.ub, d.uc, d.uout, N)                                                                      \
    LOOP(dither_row, d.ua, d.uout, N)                                                                                  \
    LOOP(summed_area, d.ua, d.wout, SIDE, SIDE)                                                                        \
    LOOP(mirror_rows, d.ua, d.uout, 96, 128)                                                                           \
    LOOP(pack_565, d.ua, (uint16_t *)d.sout, N)                                                                        \
    LOOP(gain_ramp, d.a, d.out, N, 0.25f)                                                                              \
    LOOP(mix_clipped, d.sa, d.sb, d.sout, N)                                                                           \
    LOOP(envelope, d.a, d.out, N)                                                                                      \
    LOOP(transposed_biquad, d.a, d.out, N)                                                                             \
    LOOP(crossfade, d.a, d.b, d.out, N)                                                                                \
    LOOP(without_offset, d.a, d.out, N)                                                                                \
    LOOP(channels_apart, d.sa, d.sout, d.sout + N, N)                                                                  \
    LOOP(channels_together, d.a, d.b, d.out, N)                                                                        \
    LOOP(mid_and_side, d.sa, N)                                                                                        \
    LOOP(soft_clip, d.a, d.out, N, 1.5f)                                                                               \
    LOOP(peak_and_energy, d.sa, d.lout, N)                                                                             \
    LOOP(fir_of_shorts, d.sa, d.sb, d.sout, N)                                                                         \
    LOOP(floats_to_shorts, d.a, d.sout, N)                                                                             \
    LOOP(zero_crossings, d.a, d.iout, N)

#define RECORDS(LOOP)                                                                                                  \
    LOOP(count_words, d.text, d.iout, N)                                                                               \
    LOOP(count_characters, d.ua, d.iout, N)                                                                            \
    LOOP(leading_spaces, d.uout, d.iout, N)                                                                            \
    LOOP(only_ascii, d.text, d.iout, N)                                                                                \
    LOOP(order_of_texts, d.text, d.other, d.iout, N)                                                                   \
    LOOP(hex_encode, d.ua, d.uout, N)                                                                                  \
    LOOP(hex_decode, d.text, d.uout, N / 2)                                                                            \
    LOOP(fletcher_sums, d.ua, d.wout, N)                                                                               \
    LOOP(adler_sums, d.ua, d.wout, N)                                                                                  \
    LOOP(sextets, d.ua, d.uout, 3 * N / 4)                                                                             \
    LOOP(four_digits, d.text, d.iout, N / 4)                                                                           \
    LOOP(escaped, d.text, d.uout, d.iout, N)                                                                           \
    LOOP(under_key, d.ua, d.ub, N)                                                                                     \
    LOOP(record_hashes, d.ua, d.wout, 3 * N / 8)                                                                       \
    LOOP(sparse_rows, d.rows, d.at, d.a, d.b, d.out, N / 16, N, N)                                                     \
    LOOP(sparse_columns, d.rows, d.at, d.da, d.db, d.dout, N / 16, N, N)                                               \
    LOOP(rows_in_range, d.la, d.ua, d.iout, d.ib, N)                                                                   \
    LOOP(sums_by_key, d.ua, d.ia, d.lout, N)                                                                           \
    LOOP(places_of_flagged, d.ua, d.iout, N)                                                                           \
    LOOP(extent_where, d.la, d.ib, d.lout, N)                                                                          \
    LOOP(decode_words, d.ua, d.la, d.lout, N)                                                                          \
    LOOP(rows_in_both, (uint64_t *)d.la, (uint64_t *)d.lb, (uint64_t *)d.lout, N)                                      \
    LOOP(decode_deltas, d.wa, d.lout, N)                                                                               \
    LOOP(encode_deltas, d.la, d.lout, N)                                                                               \
    LOOP(run_starts, d.runs, d.iout, d.ib, N)                                                                          \
    LOOP(shared_keys, d.sorted, d.others, d.iout, N)                                                                   \
    LOOP(bits_of_flags, d.a, d.uout, 3 * N / 8)                                                                        \
    LOOP(probe, d.wa, d.wa + 16, d.uout, N)                                                                            \
    LOOP(revenue, d.ia, d.ib, d.sa, d.lout, N)                                                                         \
    LOOP(lower_bounds, d.sorted, d.ia, d.iout, N)

#define REASSOC(LOOP)                                                                                                  \
    LOOP(dot, d.a, d.b, d.out, N)                                                                                      \
    LOOP(total, d.da, d.dout, N)                                                                                       \
    LOOP(norm, d.a, d.out, N)                                                                                          \
    LOOP(running_total, d.a, d.out, N)                                                                                 \
    LOOP(running_total_wide, d.da, d.dout, N)                                                                          \
    LOOP(smoothed, d.a, d.out, N)                                                                                      \
    LOOP(level, d.a, d.b, d.out, N)                                                                                    \
    LOOP(growth, d.a, d.out, N)                                                                                        \
    LOOP(faded_sum, d.da, d.dout, N)                                                                                   \
    LOOP(filtered, d.a, d.out, N)                                                                                      \
    LOOP(filtered_directly, d.a, d.out, N, 0.25f, 0.5f, 0.25f, -0.75f, 0.5f)                                           \
    LOOP(filtered_wide, d.da, d.dout, N)                                                                               \
    LOOP(state_variable, d.a, d.out, N, 0.25f, 0.5f)                                                                   \
    LOOP(oscillator, d.out, N, 0.9998f, 0.0199987f)                                                                    \
    LOOP(filtered_in_cells, d.a, d.out, N, 0.25f, 0.5f, -0.75f, 0.5f)                                                  \
    LOOP(decay_of_updates, d.a, d.b, d.out, N)                                                                         \
    LOOP(cells_before, d.a, d.b, N)

#define FAST(LOOP)                                                                                                     \
    LOOP(fused_dot, d.a, d.b, d.out, N)                                                                                \
    LOOP(horner, d.a, d.out, N)                                                                                        \
    LOOP(unit_length, d.a, d.b, N)

#ifdef HAND
#define HAND_EXACT(LOOP)                                                                                               \
    LOOP(hand_blur, d.ua, d.uout, 96, 128)                                                                             \
    LOOP(hand_gray, d.ua, d.uout, N)                                                                                   \
    LOOP(hand_blend, d.ua, d.ub, d.uout, N / 4)                                                                        \
    LOOP(hand_base64, d.ua, d.uout, 3 * N / 4)                                                                         \
    LOOP(hand_characters, d.ua, d.iout, 3 * N)                                                                         \
    LOOP(hand_prefix_sum, d.ia, d.iout, N)                                                                             \
    LOOP(hand_histogram, d.ua, d.iout, N)
#define HAND_CLOSE(LOOP)                                                                                               \
    LOOP(hand_saxpy, d.a, d.out, N, 0.375f)                                                                            \
    LOOP(hand_dot, d.a, d.b, d.out, N)                                                                                 \
    LOOP(hand_tile, d.a, d.b, d.out)
#else
#define HAND_EXACT(LOOP)
#define HAND_CLOSE(LOOP)
#endif

#define CALL(name, ...)                                                                                                \
    static void call_##name(void *code) { ((__typeof__(name) *)code)(__VA_ARGS__); }
// Kernels of a few instructions would take as long as the calls through which they are measured, so that all were alike.
#define OFTEN 16
#define FOUR_TIMES(statement) statement statement statement statement
#define CALL_OFTEN(name, ...)                                                                                          \
    static void call_##name(void *code) {                                                                              \
        __typeof__(name) *kernel = (__typeof__(name) *)code;                                                           \
        FOUR_TIMES(FOUR_TIMES(kernel(__VA_ARGS__);))                                                                   \
    }
STRICT(CALL)
PACKS(CALL_OFTEN)
EXITS(CALL)
CLASSIC(CALL)
NUMERIC(CALL)
MEDIA(CALL)
RECORDS(CALL)
REASSOC(CALL)
FAST(CALL)
HAND_EXACT(CALL)
HAND_CLOSE(CALL)

#define EXACT_ROW(name, ...) {#name, call_##name, 0, 1},
#define OFTEN_ROW(name, ...) {#name, call_##name, 0, OFTEN},
#define CLOSE_ROW(name, ...) {#name, call_##name, 1, 1},
static const struct Loop {
    const char *name;
    void (*call)(void *code);
    int close;
    // How many times it calls the kernel.
    int times;
} LOOPS[] = {STRICT(EXACT_ROW) PACKS(OFTEN_ROW) EXITS(EXACT_ROW) CLASSIC(EXACT_ROW) NUMERIC(EXACT_ROW)
                 MEDIA(EXACT_ROW) RECORDS(EXACT_ROW) REASSOC(CLOSE_ROW) FAST(CLOSE_ROW) HAND_EXACT(EXACT_ROW)
                     HAND_CLOSE(CLOSE_ROW)};

static uint32_t random_bits(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

// From -1 to 1.
static double random_number(void) { return random_bits() / (double)(1u << 30) - 1.0; }

static void fill(void) {
    for (int i = 0; i < 3 * N; i++) {
        start.a[i] = (float)random_number();
        start.b[i] = (float)random_number();
        start.ua[i] = (uint8_t)random_bits();
    }
    // What `find` looks for lies far behind.
    start.a[3 * N / 4] = 1.5f;
    for (int i = 0; i < N; i++) {
        start.da[i] = random_number();
        start.db[i] = random_number();
        start.ia[i] = (int32_t)(random_bits() % 2000) - 1000;
        start.ib[i] = (int32_t)(random_bits() % 2000) - 1000;
        start.at[i] = (int32_t)(random_bits() % N);
        start.la[i] = (int64_t)random_bits() - 1000;
        start.lb[i] = (int64_t)random_bits() - 1000;
        start.wa[i] = random_bits();
        start.sa[i] = (int16_t)(random_bits() % 200 - 100);
        start.sb[i] = (int16_t)(random_bits() % 200 - 100);
        start.ub[i] = (uint8_t)random_bits();
        start.uc[i] = (uint8_t)random_bits();
        start.text[i] = start.other[i] = (uint8_t)(random_bits() % 90 + 32);
        start.sparks[i] = (struct Spark){(float)random_number(), (float)random_number(), 1.0f, -1.0f};
    }
    // Filled behind the others, whose random numbers stay the ones they were.
    for (int i = 0; i < N; i++) {
        start.sa[N + i] = (int16_t)(random_bits() % 200 - 100);
        start.rows[i + 1] = start.rows[i] + (int32_t)(random_bits() % 32);
        if (start.rows[i + 1] > N) start.rows[i + 1] = N;
        start.sorted[i] = (i > 0 ? start.sorted[i - 1] : 0) + (int32_t)(random_bits() % 16);
        start.others[i] = (i > 0 ? start.others[i - 1] : 0) + (int32_t)(random_bits() % 16);
        start.runs[i] = (uint8_t)((i > 0 ? start.runs[i - 1] : 0) + (random_bits() % 8 == 0));
    }
    // The marks at which loops are left lie far behind, too.
    start.ia[3 * N / 4] = 5000;
    start.text[3 * N / 4] = 0;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

// One sample: a call to warm the caches, then as many as fill the time.
static double sample(const struct Loop *loop, void *code, int calls) {
    memcpy(&d, &start, sizeof d);
    loop->call(code);
    double begun = now();
    for (int k = 0; k < calls; k++) loop->call(code);
    return (now() - begun) / calls / loop->times;
}

static int calls_for(const struct Loop *loop, void *code) {
    int calls = 1;
    while (calls < 1 << 16 && sample(loop, code, calls) * calls * loop->times < SHORTEST) calls *= 2;
    return calls;
}

static int close_enough(const void *x, const void *y, size_t bytes, int doubles) {
    for (size_t i = 0; i < bytes / (doubles ? 8 : 4); i++) {
        double a = doubles ? ((const double *)x)[i] : (double)((const float *)x)[i];
        double b = doubles ? ((const double *)y)[i] : (double)((const float *)y)[i];
        if (fabs(a - b) > 1e-3 * (1.0 + fabs(a))) return 0;
    }
    return 1;
}

// What loops write whose bits may differ are floats and doubles, at the start of the data.
static int same(const struct Loop *loop) {
    if (!loop->close) return memcmp(&d, &expected, sizeof d) == 0;
    size_t floats = offsetof(struct Data, da), doubles = offsetof(struct Data, ia) - floats;
    return close_enough(d.a, expected.a, floats, 0) && close_enough(d.da, expected.da, doubles, 1);
}

// Says whether two programs do the same to all of some data: a sum that one of them rounds once and the other twice may well be the same for
// one of them.
static int agrees_with(const struct Loop *loop, void *ours, void *theirs) {
    for (int variant = 0; variant < VARIANTS; variant++) {
        static struct Data data;
        memcpy(&data, &start, sizeof data);
        for (int i = 0; i < N; i++) {
            data.a[i] = start.a[(i + 4 * variant) % N];
            data.b[i] = start.b[(i + 12 * variant) % N];
        }
        memcpy(&d, &data, sizeof d);
        loop->call(ours);
        memcpy(&expected, &d, sizeof d);
        memcpy(&d, &data, sizeof d);
        loop->call(theirs);
        if (!same(loop)) return 0;
    }
    return 1;
}

// Says whether a loop is one of those that are wanted: all are, if there is no name.
static int is_wanted(const struct Loop *loop, int n_names, char **names) {
    for (int k = 0; k < n_names; k++)
        if (strncmp(loop->name, names[k], strlen(names[k])) == 0) return 1;
    return n_names == 0;
}

int main(int n_args, char **args) {
    int n = 0, n_names = 0;
    while (n < LIBRARIES && n + 1 < n_args && strcmp(args[n + 1], "--") != 0) n++;
    char **names = args + n + 2;
    if (n + 2 < n_args) n_names = n_args - n - 2;
    void *library[LIBRARIES];
    for (int k = 0; k < n; k++) {
        library[k] = dlopen(args[k + 1], RTLD_NOW | RTLD_LOCAL);
        if (!library[k]) return fprintf(stderr, "%s\n", dlerror()), 1;
    }
    cpu_set_t cpu;
    CPU_ZERO(&cpu);
    CPU_SET(sched_getcpu(), &cpu);
    sched_setaffinity(0, sizeof cpu, &cpu);
    fill();
    for (size_t l = 0; l < sizeof LOOPS / sizeof *LOOPS; l++) {
        const struct Loop *loop = &LOOPS[l];
        if (!is_wanted(loop, n_names, names)) continue;
        void *code[LIBRARIES];
        int calls[LIBRARIES], agrees[LIBRARIES];
        double least[LIBRARIES];
        for (int k = 0; k < n; k++) {
            code[k] = dlsym(library[k], loop->name);
            if (!code[k]) return fprintf(stderr, "%s: no `%s`\n", args[k + 1], loop->name), 1;
            agrees[k] = agrees_with(loop, code[0], code[k]);
            calls[k] = calls_for(loop, code[k]);
            least[k] = INFINITY;
        }
        for (int round = 0; round < ROUNDS; round++)
            for (int k = 0; k < n; k++) least[k] = fmin(least[k], sample(loop, code[k], calls[k]));
        printf("%s", loop->name);
        for (int k = 0; k < n; k++) printf(" %.2f %s", least[k], agrees[k] ? "agrees" : "differs");
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
