//! The shapes of expressions, as a person would give them.
//!
//! Each row is an expression and the best that can be said of it from lane to lane. Where less is known today, that stands
//! behind a second arrow; when it becomes better, the row says so by failing.

use std::sync::Arc;

use analysis::ide::explain::explain;
use analysis::{Database, File};

/// What the rows are about: lanes run along `i`, `d` is data, and everything else is the same in all lanes.
const HEADER: &str = "\
kernel k(a: f32[n], at: i32[n], mat: f32[n, n], n: i32, m: i32, w: u32, l: i64, f: f32, deep: bool):
    foreach i in range(n):
        let u = u32(i)
        let q = i64(i)
        let d = at[i]
        let b = a[i] > 0.5
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
    i ^ i                              -> uniform -> arbitrary
    d - d                              -> uniform -> arbitrary
    d * 0                              -> uniform -> arbitrary
    i / 4 - i / 4                      -> uniform
    i / 4 * 4 + i % 4 - i              -> uniform
    (i + 2) / 2 - i / 2                -> uniform

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
    i / -1                             -> linear, stride -1 -> arbitrary
    i & -1                             -> linear, stride 1
    i | 0                              -> linear, stride 1
    i ^ 0                              -> linear, stride 1 -> arbitrary
    i ^ -1                             -> linear, stride -1 -> arbitrary
    abs(i)                             -> linear, stride 1
    abs(-i)                            -> linear, stride 1 -> arbitrary
    abs(i + 5)                         -> linear, stride 1
    max(i, 0)                          -> linear, stride 1
    max(0, i)                          -> linear, stride 1
    max(i, -7)                         -> linear, stride 1
    min(i, n)                          -> linear, stride 1 -> arbitrary
    clamp(i, 0, n - 1)                 -> linear, stride 1 -> arbitrary
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
    (i & -4) | (i & 3)                 -> linear, stride 1 -> arbitrary
    (i >> 3 << 3) + (i & 7)            -> linear, stride 1
    i - 2 * (i / 2) + i / 2 * 2        -> linear, stride 1

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
    (i + n) / 2                        -> repeated, each 2 lanes -> arbitrary
    (n - 1 - i) / 2                    -> repeated, each 2 lanes -> arbitrary
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
    (i & 4) == 0                       -> repeated, each 4 lanes -> periodic, 8
    min(i / 2, 7)                      -> repeated, each 2 lanes
    max(i / 2, m)                      -> repeated, each 2 lanes
    i / 2 if deep else i / 2 + 1       -> repeated, each 2 lanes
    i / 2 if i / 4 > m else n          -> repeated, each 2 lanes -> arbitrary
    abs(i / 2 - 5)                     -> repeated, each 2 lanes
    u / 2                              -> repeated, each 2 lanes
    u >> 3                             -> repeated, each 8 lanes
    q / 2                              -> repeated, each 2 lanes
    q >> 3                             -> repeated, each 8 lanes
    i32(q / 2)                         -> repeated, each 2 lanes
    u8(i / 2)                          -> repeated, each 2 lanes

    i % 2                              -> periodic, 2
    i % 4                              -> periodic, 4
    i % 3                              -> periodic, 3
    i & 1                              -> periodic, 2
    i & 15                             -> periodic, 16
    i & 6                              -> periodic, 8
    i & 5                              -> periodic, 8
    (i + 1) % 4                        -> periodic, 4
    (i + n) & 3                        -> periodic, 4
    (n - i) & 3                        -> periodic, 4
    (i + n) % 4                        -> periodic, 4 -> arbitrary
    (n - 1 - i) % 4                    -> periodic, 4 -> arbitrary
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

#[test]
fn shapes_are_what_a_person_would_say() {
    let rows: Vec<Vec<&str>> = ROWS
        .lines()
        .filter(|row| !row.trim().is_empty())
        .map(|row| row.split(" -> ").map(str::trim).collect())
        .collect();
    let lines: String = rows.iter().enumerate().map(|(n, row)| format!("        let r{n} = {}\n", row[0])).collect();
    let text = format!("{HEADER}{lines}");
    let db = Database::default();
    let file = File::new(&db, Arc::from(&*text));
    let errors: Vec<_> = analysis::check::diagnostics(&db, file);
    let errors: Vec<_> = errors.iter().filter(|found| found.severity == syntax::Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let kernel = explain(&db, file).remove(0);
    let mut wrong = String::new();
    for (n, row) in rows.iter().enumerate() {
        let name = format!("r{n}");
        let value = kernel.values.iter().find(|value| value.is_definition && value.text == name);
        let found = value.map_or("nothing", |value| &*value.shape);
        // Less is known than a person would say: then that stands there, too.
        let expected = row.last().copied().unwrap_or_default();
        if found != expected {
            wrong += &format!("{:34} -> {} but is {found}\n", row[0], row[1..].join(" -> "));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    let n_worse = rows.iter().filter(|row| row.len() > 2).count();
    assert!(rows.len() > 200 && 10 * n_worse < rows.len(), "{n_worse} of {} are worse than they could be", rows.len());
}
