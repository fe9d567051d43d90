//! The shapes of expressions, as a person would give them.
//!
//! Each row is an expression and the best that can be said of it from lane to lane.

use std::sync::Arc;

use ide::explain::explain;
use queries::db::{Database, File};

/// What the rows are about: lanes run along `i`, `d` is data, and everything else is the same in all lanes.
const HEADER: &str = "\
struct P:
    x: f32
    y: f32
    k: i32

kernel k(a: f32[n], at: i32[n], mat: f32[n, n], p: P[n], n: i32, m: i32, w: u32, l: i64, f: f32, deep: bool):
    foreach i in range(n):
        let u = u32(i)
        let q = i64(i)
        let d = at[i]
        let b = a[i] > 0.5
        let row = mat[m]
";

const ROWS: &str = "
    n                                  -> uniform
    n + m * 3                          -> uniform
    m / 2                              -> uniform
    sqrt(f) * 2.0                      -> uniform
    n < m                              -> uniform
    not deep                           -> uniform
    at[0]                              -> uniform
    a[n - 1]                           -> uniform
    mat[0, 1]                          -> uniform
    mat[m, at[m]]                      -> uniform
    min(n, m)                          -> uniform
    clamp(m, 0, n)                     -> uniform
    select(deep, n, m)                 -> uniform
    f if deep else 0.0                 -> uniform
    a[0] if deep else a[1]             -> uniform
    f32(n)                             -> uniform
    i64(m) * l                         -> uniform
    i - i                              -> uniform
    i * 0                              -> uniform
    0 * i + m                          -> uniform
    3 * i - 2 * i - i                  -> uniform
    i * m - m * i                      -> uniform
    (i + n) - (i - n)                  -> uniform
    (i + 1) - i                        -> uniform
    i % 1                              -> uniform
    i & 0                              -> uniform
    (4 * i) % 4                        -> uniform
    (8 * i) & 7                        -> uniform
    (2 * i + 1) % 2                    -> uniform
    a[i - i]                           -> uniform
    i == i                             -> uniform
    i < i + 1                          -> uniform
    i <= i - 1                         -> uniform
    i ^ i                              -> uniform
    d - d                              -> uniform
    d * 0                              -> uniform
    i / 4 - i / 4                      -> uniform
    i / 4 * 4 + i % 4 - i              -> uniform
    (i + 2) / 2 - i / 2                -> uniform
    d / d                              -> uniform
    d % d                              -> uniform
    d ^ d                              -> uniform
    d & 0                              -> uniform
    0 * d + m                          -> uniform
    d == d                             -> uniform
    d < d + 1                          -> uniform
    i < n                              -> uniform
    i >= 0                             -> uniform
    i + 1 <= n                         -> uniform
    i != n                             -> uniform
    not (i < 0)                        -> uniform
    d if i < 0 else m                  -> uniform
    f if i < n else 0.0                -> uniform
    select(b, m, m)                    -> uniform
    n // n                             -> uniform
    i % 4 < 4                          -> uniform
    min(i, 0)                          -> uniform
    (i & 12) % 4                       -> uniform
    (4 * i + 2) & 3                    -> uniform

    i                                  -> linear, stride 1
    +i                                 -> linear, stride 1
    i + 1                              -> linear, stride 1
    7 + i                              -> linear, stride 1
    i - 1                              -> linear, stride 1
    i + n                              -> linear, stride 1
    i - n + m                          -> linear, stride 1
    i + at[0]                          -> linear, stride 1
    n - i                              -> linear, stride -1
    n - 1 - i                          -> linear, stride -1
    -i                                 -> linear, stride -1
    -(i - 4)                           -> linear, stride -1
    ~i                                 -> linear, stride -1
    2 * i                              -> linear, stride 2
    i * 2                              -> linear, stride 2
    i + i                              -> linear, stride 2
    i * 4 + 3                          -> linear, stride 4
    2 * (i + 1)                        -> linear, stride 2
    3 * i - i                          -> linear, stride 2
    5 - 3 * i                          -> linear, stride -3
    i * m                              -> linear, stride m
    m * i + n                          -> linear, stride m
    i * m + i                          -> linear, stride m + 1
    i * (m + 1)                        -> linear, stride m + 1
    i * (m - n)                        -> linear, stride -n + m
    m * (n - i)                        -> linear, stride -m
    i * n * m                          -> linear, stride n * m
    i * -1                             -> linear, stride -1
    i << 0                             -> linear, stride 1
    i * 2 / 2                          -> linear, stride 1
    (4 * i) / 2                        -> linear, stride 2
    (4 * i + 2) / 2                    -> linear, stride 2
    (4 * i + 3) / 2                    -> linear, stride 2
    (i * 6) // 3                       -> linear, stride 2
    (i * 8) >> 3                       -> linear, stride 1
    (8 * i + 5) >> 2                   -> linear, stride 2
    i / 1                              -> linear, stride 1
    i // 1                             -> linear, stride 1
    i >> 0                             -> linear, stride 1
    i / -1                             -> linear, stride -1
    i & -1                             -> linear, stride 1
    i | 0                              -> linear, stride 1
    i ^ 0                              -> linear, stride 1
    i ^ -1                             -> linear, stride -1
    abs(i)                             -> linear, stride 1
    abs(-i)                            -> linear, stride 1
    abs(i + 5)                         -> linear, stride 1
    max(i, 0)                          -> linear, stride 1
    max(0, i)                          -> linear, stride 1
    max(i, -7)                         -> linear, stride 1
    min(i, n)                          -> linear, stride 1
    clamp(i, 0, n - 1)                 -> linear, stride 1
    max(i, i + 3)                      -> linear, stride 1
    min(i, i - 3)                      -> linear, stride 1
    i64(i)                             -> linear, stride 1
    i64(i) * 4 + l                     -> linear, stride 4
    i64(i) * i64(m)                    -> linear, stride m
    i32(q)                             -> linear, stride 1
    u32(i)                             -> linear, stride 1
    i32(u)                             -> linear, stride 1
    i64(u) * 3                         -> linear, stride 3
    u + 1                              -> linear, stride 1
    u * 2                              -> linear, stride 2
    i if deep else i + 4               -> linear, stride 1
    n - i if deep else m - i           -> linear, stride -1
    select(deep, i, i - m)             -> linear, stride 1
    i if b else i                      -> linear, stride 1
    select(b, 2 * i, i + i)            -> linear, stride 2
    i / 4 * 4 + i % 4                  -> linear, stride 1
    8 * (i / 8) + i % 8 + 2            -> linear, stride 1
    (i & -4) + (i & 3)                 -> linear, stride 1
    (i & -4) | (i & 3)                 -> linear, stride 1
    (i >> 3 << 3) + (i & 7)            -> linear, stride 1
    i - 2 * (i / 2) + i / 2 * 2        -> linear, stride 1
    i / 4 * 4 | i % 4                  -> linear, stride 1
    i + d - d                          -> linear, stride 1
    (d + i) - d                        -> linear, stride 1
    max(min(i, n - 1), 0)              -> linear, stride 1
    clamp(i + 1, 1, n)                 -> linear, stride 1
    clamp(i, -1, n)                    -> linear, stride 1
    min(i + 1, n)                      -> linear, stride 1
    max(n - i, 1)                      -> linear, stride -1
    max(n - 1 - i, 0)                  -> linear, stride -1
    abs(n - i)                         -> linear, stride -1
    abs(i - n)                         -> linear, stride -1
    (2 * i) / -2                       -> linear, stride -1
    i // -1                            -> linear, stride -1
    i64(n) - q                         -> linear, stride -1
    q * i64(n) + q                     -> linear, stride n + 1
    select(i < n, i, 0)                -> linear, stride 1
    i if i < n else -1                 -> linear, stride 1
    2 * i | 1                          -> linear, stride 2
    (4 * i) ^ 3                        -> linear, stride 4
    q << 2                             -> linear, stride 4
    (q << 1) | 1                       -> linear, stride 2
    u64(u) * 3                         -> linear, stride 3
    n - ~i                             -> linear, stride 1
    ~i + 1                             -> linear, stride -1
    i | i                              -> linear, stride 1
    i & i                              -> linear, stride 1

    i / 2                              -> repeated, each 2 lanes
    i // 2                             -> repeated, each 2 lanes
    i >> 1                             -> repeated, each 2 lanes
    i / 3                              -> repeated, each 3 lanes
    i >> 4                             -> repeated, each 16 lanes
    (i + 1) / 2                        -> repeated, each 2 lanes
    (i + 1) // 2                       -> repeated, each 2 lanes
    (i - 4) // 2                       -> repeated, each 2 lanes
    (i - 4) >> 1                       -> repeated, each 2 lanes
    (i + n) // 2                       -> repeated, each 2 lanes
    (i + n) / 2                        -> repeated, each 2 lanes
    (n - 1 - i) / 2                    -> repeated, each 2 lanes
    (n - i) >> 2                       -> repeated, each 4 lanes
    i / 2 + 1                          -> repeated, each 2 lanes
    i / 2 * 3                          -> repeated, each 2 lanes
    i / 2 * m + n                      -> repeated, each 2 lanes
    n - i / 2                          -> repeated, each 2 lanes
    -(i / 2)                           -> repeated, each 2 lanes
    i / 4 * 4                          -> repeated, each 4 lanes
    i & -8                             -> repeated, each 8 lanes
    i & ~3                             -> repeated, each 4 lanes
    i | 1                              -> repeated, each 2 lanes
    i | 7                              -> repeated, each 8 lanes
    i / 2 / 2                          -> repeated, each 4 lanes
    (i / 2 + 1) / 3                    -> repeated, each 6 lanes
    (2 * i) / 4                        -> repeated, each 2 lanes
    (2 * i) / 6                        -> repeated, each 3 lanes
    (3 * i) / 6                        -> repeated, each 2 lanes
    (2 * i + 1) / 4                    -> repeated, each 2 lanes
    i / 2 + i / 4                      -> repeated, each 2 lanes
    i / 4 + i / 6                      -> repeated, each 2 lanes
    i / 4 * (i / 8)                    -> repeated, each 4 lanes
    i / 2 * (i / 2)                    -> repeated, each 2 lanes
    f32(i / 2) * f                     -> repeated, each 2 lanes
    sqrt(f32(i / 4))                   -> repeated, each 4 lanes
    a[i / 2]                           -> repeated, each 2 lanes
    at[i / 4] + i / 4                  -> repeated, each 4 lanes
    mat[i / 2, 3]                      -> repeated, each 2 lanes
    mat[i / 2, i / 4]                  -> repeated, each 2 lanes
    a[i & -2]                          -> repeated, each 2 lanes
    i / 2 == 3                         -> repeated, each 2 lanes
    i / 2 == i / 4                     -> repeated, each 2 lanes
    (i / 2) % 2                        -> repeated, each 2 lanes
    (i / 4) & 1                        -> repeated, each 4 lanes
    (i & 4) == 0                       -> repeated, each 4 lanes
    min(i / 2, 7)                      -> repeated, each 2 lanes
    max(i / 2, m)                      -> repeated, each 2 lanes
    i / 2 if deep else i / 2 + 1       -> repeated, each 2 lanes
    i / 2 if i / 4 > m else n          -> repeated, each 2 lanes
    abs(i / 2 - 5)                     -> repeated, each 2 lanes
    u / 2                              -> repeated, each 2 lanes
    u >> 3                             -> repeated, each 8 lanes
    q / 2                              -> repeated, each 2 lanes
    q >> 3                             -> repeated, each 8 lanes
    i32(q / 2)                         -> repeated, each 2 lanes
    u8(i / 2)                          -> repeated, each 2 lanes
    i & 4                              -> repeated, each 4 lanes
    i & 6                              -> repeated, each 2 lanes
    i & 12                             -> repeated, each 4 lanes
    (i & 2) != 0                       -> repeated, each 2 lanes
    (i >> 1) & 1                       -> repeated, each 2 lanes
    (i / 2) ^ 1                        -> repeated, each 2 lanes
    (i + 2 * n) / 4                    -> repeated, each 4 lanes
    (n - i) / 2                        -> repeated, each 2 lanes
    i // -2                            -> repeated, each 2 lanes
    i / -2                             -> repeated, each 2 lanes
    select(i / 4 < m, 0, 1)            -> repeated, each 4 lanes
    i / 2 if not (i / 4 > m) else n    -> repeated, each 2 lanes
    max(i / 4, 0)                      -> repeated, each 4 lanes
    min(i / 4, n)                      -> repeated, each 4 lanes
    a[i / 2] > 0.5                     -> repeated, each 2 lanes
    f if i / 8 == 0 else 1.0           -> repeated, each 8 lanes
    at[i / 2] * at[i / 4]              -> repeated, each 2 lanes
    p[i / 2].x + p[i / 4].y            -> repeated, each 2 lanes
    row[i / 4]                         -> repeated, each 4 lanes
    sqrt(row[i >> 1])                  -> repeated, each 2 lanes
    mat[i / 2][m]                      -> repeated, each 2 lanes
    at[i / 2] - i / 2                  -> repeated, each 2 lanes

    i % 2                              -> periodic, 2
    i % 4                              -> periodic, 4
    i % 3                              -> periodic, 3
    i & 1                              -> periodic, 2
    i & 15                             -> periodic, 16
    i & 5                              -> periodic, 8
    (i + 1) % 4                        -> periodic, 4
    (i + n) & 3                        -> periodic, 4
    (n - i) & 3                        -> periodic, 4
    (i + n) % 4                        -> periodic, 4
    (n - 1 - i) % 4                    -> periodic, 4
    (3 * i) % 4                        -> periodic, 4
    (2 * i) % 4                        -> periodic, 2
    (6 * i) % 4                        -> periodic, 2
    (5 * i + 2) & 7                    -> periodic, 8
    (m * i) & 3                        -> periodic, 4
    i % 4 + 1                          -> periodic, 4
    i % 4 * 2                          -> periodic, 4
    n - i % 4                          -> periodic, 4
    i % 4 + i % 6                      -> periodic, 12
    i % 4 * (i % 4)                    -> periodic, 4
    i % 4 % 2                          -> periodic, 2
    i % 8 / 2                          -> repeated, each 2 lanes
    i % 8 & 3                          -> periodic, 4
    i - i / 4 * 4                      -> periodic, 4
    i - (i & -4)                       -> periodic, 4
    i - 4 * (i >> 2)                   -> periodic, 4
    i % 4 == 0                         -> periodic, 4
    i % 4 < 2                          -> periodic, 4
    i % 2 == 0 and i % 3 == 0          -> periodic, 6
    not (i % 2 == 0)                   -> periodic, 2
    1 if i % 2 == 0 else m             -> periodic, 2
    n if i & 1 == 0 else -n            -> periodic, 2
    f32(i % 4) * f                     -> periodic, 4
    sqrt(f32(i & 7))                   -> periodic, 8
    a[i % 4]                           -> periodic, 4
    at[i & 3] * (i % 2)                -> periodic, 4
    mat[m, i % 8]                      -> periodic, 8
    mat[i % 2, i % 3]                  -> periodic, 6
    min(i % 4, m)                      -> periodic, 4
    u % 8                              -> periodic, 8
    u & 7                              -> periodic, 8
    (u + w) & 7                        -> periodic, 8
    (u + w) % 16                       -> periodic, 16
    (u * 3 - w) % 8                    -> periodic, 8
    q % 5                              -> periodic, 5
    u8(i)                              -> periodic, 256
    i8(i + n)                          -> periodic, 256
    u16(i)                             -> periodic, 65536
    u8(4 * i)                          -> periodic, 64
    (n + i) % 4                        -> periodic, 4
    (2 * n - i) % 8                    -> periodic, 8
    i % 4 == m                         -> periodic, 4
    i % 4 if deep else i % 2           -> periodic, 4
    (i % 4) ^ 3                        -> periodic, 4
    i % -4                             -> periodic, 4
    u8(i) & 15                         -> periodic, 16
    i8(i % 4)                          -> periodic, 4
    row[i % 4]                         -> periodic, 4
    a[i & 1] if deep else 0.0          -> periodic, 2
    (5 * i) % 8                        -> periodic, 8
    i & 3 == 0                         -> periodic, 4
    i % 3 * 2 + i % 2                  -> periodic, 6
    clamp(i % 4, 1, 2)                 -> periodic, 4
    p[i % 4].k + p[i % 2].k            -> periodic, 4
    i % 4 / 3                          -> periodic, 4
    (i & 1) * m + (i & 2)              -> periodic, 4

    i < m                              -> prefix
    m > i                              -> prefix
    i <= m                             -> prefix
    i + 3 < m                          -> prefix
    i - n < m                          -> prefix
    2 * i < m                          -> prefix
    2 * i + 1 <= n - m                 -> prefix
    i < m and i < n                    -> prefix
    i < m or i < at[0]                 -> prefix
    i < m and deep                     -> prefix
    deep or i < m                      -> prefix
    i / 2 < m                          -> prefix
    n - 1 - i >= m                     -> prefix
    m < n - i                          -> prefix
    not (i >= m)                       -> prefix
    i64(i) < l                         -> prefix
    u < w                              -> prefix
    i < m if deep else i < n - 4       -> prefix
    i + 1 < m                          -> prefix
    i < min(n, m)                      -> prefix
    i < n - 1                          -> prefix
    i == 0                             -> prefix
    i != n - 1                         -> prefix
    n - i > m                          -> prefix
    i < m or not deep                  -> prefix
    abs(i) < m                         -> prefix
    i * i < m                          -> prefix
    i / 2 + i < m                      -> prefix
    i64(i) * 2 <= l                    -> prefix
    i >= m                             -> suffix
    i > m                              -> suffix
    m <= i                             -> suffix
    not (i < m)                        -> suffix
    n - i < m                          -> suffix
    -i < m                             -> suffix
    i / 4 >= m                         -> suffix
    i >= m or i >= 7                   -> suffix
    i > 3 and deep                     -> suffix
    u >= w                             -> suffix
    i != 0                             -> suffix
    i == n - 1                         -> suffix
    i > 0                              -> suffix
    i >= n - 1                         -> suffix
    not (i < m or deep)                -> suffix
    i64(i) >= l                        -> suffix
    u != 0                             -> suffix
    i + i / 2 >= m                     -> suffix

    d                                  -> arbitrary
    d + i                              -> arbitrary
    d % 4                              -> arbitrary
    a[i]                               -> arbitrary
    a[d]                               -> arbitrary
    a[2 * i] * f                       -> arbitrary
    i * i                              -> arbitrary
    i * d                              -> arbitrary
    i % m                              -> arbitrary
    i / m                              -> arbitrary
    m / (i + 1)                        -> arbitrary
    (3 * i) / 2                        -> arbitrary
    (i - 4) / 2                        -> arbitrary
    (i - 4) % 4                        -> arbitrary
    i / 2 + i                          -> arbitrary
    i / 2 + i / 3                      -> arbitrary
    a[i & 2] + a[i & 1] * f            -> periodic, 4
    i % 4 + i / 4                      -> arbitrary
    abs(i - 5)                         -> arbitrary
    max(i, m)                          -> arbitrary
    i if b else i + 1                  -> arbitrary
    n if b else m                      -> arbitrary
    i == m                             -> arbitrary
    i < m and i > 3                    -> arbitrary
    i < d                              -> arbitrary
    b and i < m                        -> arbitrary
    u * 4                              -> arbitrary
    i << 2                             -> arbitrary
    u + w                              -> arbitrary
    i ^ 5                              -> arbitrary
    i * m < n                          -> arbitrary
    f32(i)                             -> arbitrary
";

/// What stands in blocks: each definition with its shape behind it.
const KERNELS: &str = "\
struct P:
    x: f32
    k: i32

fn half(x):
    let rounded = x / 2                      # repeated, each 2 lanes
    return rounded

kernel loops(a: f32[n], at: i32[n], mat: f32[n, n], n: i32, m: i32):
    foreach i in range(n):
        let d = at[i]                        # arbitrary
        let sum = 0                          # uniform
        for j in range(m):
            let here = j                     # uniform
            let beside = i + j               # linear, stride 1
            let cell = i * m + j             # linear, stride m
            let below = m - 1 - j            # uniform
            let pair = (i + j) / 2           # repeated, each 2 lanes
            sum += j
        let total = sum                      # uniform
        for j in range(i, i + 4):
            let near = j                     # linear, stride 1
            let ahead = j - i                # uniform
        for j in range(d, d + 2):
            let third = j - d                # uniform
        for j in range(m):
            for q in range(j):
                let inner = q * m + i        # linear, stride 1
                let turned = i * m + q       # linear, stride m
        for j in range(i):
            let before = j                   # uniform
            let back = i - j                 # linear, stride 1
            let even = (i - j) / 2           # repeated, each 2 lanes
        let power = 1                        # uniform
        while power < m:
            power = power * 2
        let reached = power                  # uniform
        let moving = i                       # linear, stride 1
        let turn = i % 4                     # periodic, 4
        let t = 0                            # uniform
        while t < m:
            moving += n
            turn += m
            t += 1
        let moved = moving                   # linear, stride 1
        let turned_by = turn                 # periodic, 4
        let left = i                         # arbitrary
        let taken = 0                        # arbitrary
        while left > 0:
            let rest = left / 2              # arbitrary
            left = rest
            taken += 1
        let gone = left                      # arbitrary
        let counted = taken                  # arbitrary
        let at_data = 0                      # arbitrary
        while at_data < d:
            at_data += 1
        let stopped = at_data                # arbitrary
        a[i] = mat[total, i]

kernel branches(a: f32[n], at: i32[n], out: f32[n], n: i32, m: i32, deep: bool):
    foreach i in range(n):
        let d = at[i]                        # arbitrary
        let x = i                            # linear, stride 1
        if m > 3:
            x = i + 1
        let chosen = x                       # linear, stride 1
        if i > 0:
            let before = (i - 1) / 2         # repeated, each 2 lanes
            let phase = (i - 1) % 4          # periodic, 4
            let least = max(i - 1, 0)        # linear, stride 1
        if i >= m and m > 8:
            let behind = (i - m) / 4         # repeated, each 4 lanes
            let known = m > 0                # uniform
        if i < m:
            let inside = min(i, m)           # linear, stride 1
        else:
            let outside = max(i, m)          # linear, stride 1
        if d > i:
            let above = max(d, i) - d        # uniform
        let y = m                            # arbitrary
        if d > 3:
            y = n
        let either = y                       # arbitrary
        if i < 4:
            y = 0
        let first = 0                        # repeated, each 4 lanes
        if i / 4 == m:
            first = 1
        let block = first                    # repeated, each 4 lanes
        let h = half(i)                      # repeated, each 2 lanes
        if a[i] > 0.5:
            continue
        let after = i + m                    # linear, stride 1
        let same = m * n                     # uniform
        out[i] = a[after]

kernel asserted(a: f32[n], out: f32[n], n: i32, m: i32, k: i32):
    assert m > 0 and k >= 0
    foreach i in range(n):
        let ahead = (i + m) / 2              # repeated, each 2 lanes
        let phase = (i + k) % 8              # periodic, 8
        let grown = i * m < n                # prefix
        let high = max(i + m, 1)             # linear, stride 1
        out[i] = a[ahead]

kernel parts(a: f32[n], mat: f32[n, n], p: P[n], out: f32[n], n: i32, m: i32):
    let tail = a[m:]
    let column = mat[:, m]
    foreach i in range(n):
        let row = mat[i / 4]
        let field = p[i].x                   # arbitrary
        let shared = p[i / 2].k              # repeated, each 2 lanes
        let again = p[i % 4].x               # periodic, 4
        let one = p[m].x                     # uniform
        let scaled = p[m].k * 0 + i          # linear, stride 1
        let of_row = row[m]                  # repeated, each 4 lanes
        let own = mat[i][m]                  # arbitrary
        let of_tail = tail[i / 2]            # repeated, each 2 lanes
        let of_column = column[i % 4]        # periodic, 4
        let corner = mat[0][0]               # uniform
        let size = n - n / 2 * 2             # uniform
        out[i] = field

kernel both(mat: f32[n, m], out: f32[n, m], n: i32, m: i32):
    foreach i in range(n), j in range(m):
        let line = i                         # uniform
        let place = i * m + j                # linear, stride 1
        let halves = mat[i, j / 2]           # repeated, each 2 lanes
        let upper = i + j < m                # prefix
        let diagonal = i == j                # arbitrary
        let odd = (i + j) % 2                # periodic, 2
        out[i, j] = halves

kernel steps(a: f32[n], n: i32, m: i32):
    let twos = 0                             # uniform
    let far = m                              # uniform
    let squares = 0                          # uniform
    for i in range(n - 1, -1, -1):
        let down = i                         # linear, stride -1
        let pair = (n - 1 - i) / 2           # repeated, each 2 lanes
        let at_end = i == 0                  # suffix
    for i in range(0, n, 2):
        let whole = i / 2                    # linear, stride 1
        let even = i % 2                     # uniform
        let next = i + 1                     # linear, stride 2
        let two = twos                       # linear, stride 2
        let off = far                        # linear, stride m
        let square = squares                 # arbitrary
        twos += 2
        far += m
        squares += i
        a[i] = a[i] * 2.0

kernel lanes(a: f32[n], at: i32[n], out: f32[n], n: i32):
    foreach i in range(n):
        let number = lane_id                 # linear, stride 1
        let pair = lane_id / 2               # repeated, each 2 lanes
        let start = i - lane_id              # uniform
        let all = LANES                      # uniform
        let sum = reduce_add(a[i])           # uniform
        let least = reduce_min(i)            # uniform
        let some = any(a[i] > 0.5)           # uniform
        let first = broadcast(at[i], 0)      # uniform
        let turned = rotate(i, 1)            # arbitrary
        let so_far = scan_add(i)             # arbitrary
        out[i] = sum
";

#[test]
fn shapes_are_what_a_person_would_say() {
    let rows = ROWS.lines().filter_map(|row| row.split_once(" -> "));
    let rows: Vec<(&str, &str)> = rows.map(|(written, shape)| (written.trim(), shape.trim())).collect();
    let lines: String =
        rows.iter().enumerate().map(|(n, (written, _))| format!("        let r{n} = {written}\n")).collect();
    let text = format!("{HEADER}{lines}");
    let found = definitions(&text);
    let mut wrong = String::new();
    for (n, (written, expected)) in rows.iter().enumerate() {
        let name = format!("r{n}");
        let found = found.iter().find(|(_, found, _)| *found == name).map_or("nothing", |(_, _, shape)| shape);
        if found != *expected {
            wrong += &format!("{written:34} -> {expected} but is {found}\n");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(rows.len() > 300, "{} rows", rows.len());
}

#[test]
fn shapes_in_blocks_are_what_a_person_would_say() {
    let found = definitions(KERNELS);
    let mut wrong = String::new();
    let expected = KERNELS.lines().enumerate().filter_map(|(n, line)| Some((n, line.trim().split_once(" # ")?)));
    let mut n_expected = 0;
    for (n, (definition, expected)) in expected {
        n_expected += 1;
        let name = definition.trim_start_matches("let ").split(' ').next().unwrap_or_default();
        let shape = found.iter().find(|(line, found, _)| *line == n && found == name).map(|(_, _, shape)| &**shape);
        if shape != Some(expected) {
            wrong += &format!("{definition} -> {expected} but is {}\n", shape.unwrap_or("nothing"));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(n_expected > 60, "{n_expected}");
}

/// The names that a program defines, each with its line, from 0, and its shape.
fn definitions(text: &str) -> Vec<(usize, String, String)> {
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let errors: Vec<_> = queries::check::diagnostics(&db, file);
    let errors: Vec<_> = errors.iter().filter(|found| found.severity == syntax::Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let line = |at: usize| text[..at].matches('\n').count();
    let values = explain(&db, file).into_iter().flat_map(|explained| explained.values);
    let defined = values.filter(|value| value.is_definition);
    defined.map(|value| (line(value.range.start().into()), value.text, value.shape)).collect()
}
