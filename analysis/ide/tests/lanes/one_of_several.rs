//! Programs in which a name is one of several arrays, or of several functions, and those in which lanes move rows: each is an array
//! `m` of two rows of three, an array `a` of four, and what is done to them.

/// Bodies of kernels.
pub(crate) const BODIES: &[&str] = &[
    // A slice of an array that is there on some ways alone has no step on the others, where its size is computed, too.
    "    let t = replicate(1, m)
    for i in range(1):
        let u = -(t if true else reduce((\\s e -> map((\\g -> t[0]), iota(1))), t[:, ::-1], a))
        u[:, 0] = u[:, 0] if true else t[0:1, 1]
        t = u
    m[:] = t[0]
",
    // A loop hands on names, and what they stand for is written to.
    "    let t = a * 2
    let u = a
    for i in range(2):
        let v = u
        if true:
            u ^= 0
        if true:
            t = v
        t[i] = 7 + i
    t[3] = 9
",
    "    let t = filter(\\x -> x > 2, a)
    for i in range(2):
        t = filter(\\x -> x > 3, t)
    a[0] = length(t)
",
    // An iteration makes the array, or there is none.
    "    let t = m[0]
    for i in range(a[0]):
        t = iota(3)
    t[1] = 9
",
    "    let t = m[0]
    for i in range(a[1]):
        t = iota(3)
        t[i] = 5
    t[1] = 9
    a[:3] = t
",
    "    let t = m[0]
    for i in range(a[1]):
        if a[i] > 2:
            t = t * 2
        t[i] += 5
    t[1] = 9
    a[:3] = t
",
    // The index of a part is handed on.
    "    let best = m[0]
    for i in range(2):
        if sum(m[i]) > sum(best):
            best = m[i]
        best[i] += 1
    best[2] = 9
    a[0] = best[0]
",
    "    let best = m[0]
    for i in range(2):
        best[i] += 1
        if sum(m[i]) > 3:
            best = m[1 - i]
    best[2] = 9
    best[:] = best[::-1]
    a[1] = best[1]
",
    "    let w = a[0:2]
    for i in range(3):
        w[0] += 1
        w = a[i:i + 2]
        w[1] -= 1
    w[:] = w * 2
    m[0, 0] = w[0]
",
    "    let w = a[0:2]
    let i = 0
    while w[0] < 5 and i < 2:
        w[0] += 1
        i += 1
        w = a[i:i + 2]
    w[1] = 77
    m[0, 0] = i
",
    "    let w = m[:]
    for i in range(2):
        w = w[::-1]
        w[0, i] += 1
    w[1] = a[:3]
",
    // Parts of either of two parts, which only differ in what they take.
    "    let t = reduce(\\s e -> a[2::-1], a[:3], a)
    let u = reduce(\\s e -> t[0:3], t, iota(1))
    u[0] = 50
    m[0] = u
",
    // More names than there is code for each order of.
    "    let p = m[0]
    let q = m[1]
    let r = a[:3]
    let s = a[1:]
    for i in range(a[1]):
        p[i] += q[0]
        p, q, r, s = q, r, s, p
        if a[i] > 2:
            p, q = q, p
    p[0] = 99
    q[1] = 98
    r[:] = s + 1
",
    // Lanes that run together choose one array, or each its own.
    "    let b = [10, 20, 30, 40]
    foreach i in range(4):
        let t = a if reduce_add(a[i]) > 0 else b
        t[i] = 1 + i
    a[0] += sum(b)
    m[0, 0] = 1
",
    "    let b = [10, 20, 30, 40]
    foreach i in range(4):
        let t = a if a[i] > 2 else b
        t[i] = 1 + i + reduce_max(i)
    a[:] += b
    m[0, 0] = 1
",
    "    foreach i in range(4):
        let t = a[:2] if i < 2 else a[2:]
        t[i % 2] += lane_id * 10
    m[0, 0] = 1
",
    "    foreach i in range(2):
        let t = m[0] if i < 1 else m[1]
        if a[i] == 3 or a[i] == 0:
            t[1] = 5
            t[:] += lane_id
",
    "    foreach i in range(4):
        let x = reduce_max(a[i])
        let own = [i, x, a[i]]
        let t = own if a[i] > 2 else [1, 2, 3]
        t[i % 3] += 7
        a[i] = sum(t) + own[0]
    m[0, 0] = 1
",
    "    foreach i in range(4):
        let x = reduce_max(a[i])
        let own = [i, x, a[i]]
        let t = own
        for j in range(i):
            if j > 0:
                t = [j, x, 3]
            t[j % 3] += 7
        a[i] = sum(t) + own[0] * 100
    m[0, 0] = 1
",
    "    foreach i in range(4):
        let x = reduce_max(a[i])
        let own = [i, x, a[i]]
        let other = [1, 2, 3]
        let t = own
        let u = other
        for j in range(i):
            t, u = u, t
            t[j % 3] += 7
        a[i] = sum(t) + own[0] * 100 + u[1] * 1000
    m[0, 0] = 1
",
    // A reduction gives one of the rows.
    "    let r = reduce(\\s r -> r if sum(r) > sum(s) else s, m[0], m)
    r[1] = 50
    a[0] = r[0]
",
    // Functions write to the rows of an array that is made for them.
    "    a[:2] = map(first_is_100, map(\\r -> r * 2, m))
",
    "    a[:2] = map(first_is_100, m)
",
    // Tuples with functions in them, and functions that give functions.
    "    let f, x = (\\y -> y + a[0], 5) if a[1] > 2 else (abs, 6)
    a[1] = f(-x)
    m[0, 0] = 1
",
    "    let p = (\\y -> y + a[0], 5)
    if a[1] > 2:
        p = (abs, 6)
    let f, x = p
    a[1] = f(-x)
    m[0, 0] = 1
",
    "    let f = abs
    let g = abs
    if a[1] > 2:
        f = \\x -> x + 1
        g = \\x -> x + 2
    a[1] = f(a[0]) + g(a[2])
    m[0, 0] = 1
",
    "    let f = (\\y -> (abs, y)) if a[1] > 4 else (\\y -> ((\\x -> x + y), 3))
    let g, y = f(a[2])
    a[1] = g(y)
    m[0, 0] = 1
",
    // A branch gives a function with an array that it made, or a part of one.
    "    let f = abs
    if a[1] > 2:
        let t = a * 2
        f = \\x -> x + t[1]
    a[1] = f(a[0])
    m[0, 0] = 1
",
    "    let f = \\i -> a[i]
    if a[1] > 2:
        let t = a * 2
        let w = m[1]
        f = \\i -> t[i] + w[1]
        t[2] = 9
    a[1] = f(2)
",
    "    let f = \\i -> a[i]
    if a[1] > 2:
        let w = m[a[1] - 3]
        f = \\i -> w[i]
    m[0, 2] = 55
    a[1] = f(2)
",
    "    foreach i in range(4):
        let f = \\k -> a[i] + k
        if a[i] > 2:
            let w = [a[i], i, 5]
            f = \\k -> w[k % 3]
        a[i] = f(i)
    m[0, 0] = 1
",
    "    let f = looked_up(a[1], a)
    a[0] = f(1)
    m[0, 0] = 1
",
    // Rows, packed and unpacked.
    "    let out: i32[4, 3]
    let n = 0
    foreach i in range(4):
        if a[i] > 2:
            n += compress_store(out, n, [i, a[i], lane_id])
    m[0] = out[1] + out[0]
    a[3] = n
",
    "    let w = [[1, 2], [3, 4], [5, 6], [7, 8]]
    let n = 0
    @lanes(2)
    foreach i in range(4):
        if a[i] > 2:
            n += compress_store(w, n, w[i, ::-1])
    a[0] = w[0, 0] * 10 + w[0, 1]
    m[0, 0] = w[1, 0] * 10 + w[1, 1]
",
    "    foreach i in range(4):
        if a[i] > 2:
            let r = expand_load(m, 0)
            r[0] += 5
            a[i] = sum(r)
",
    // The lanes do not start at one place; there are no such rows.
    "    foreach i in range(4):
        if a[i] > 2:
            let r = expand_load(m, a[i])
            a[i] = sum(r)
",
    "    foreach i in range(4):
        let r = expand_load(m, 0)
        a[i] = sum(r)
",
    // Sizes that stand in sums.
    "    a[0] = half(a) + half(a[:2])
    m[0, 0] = 1
",
    "    a[0] = half(a[:a[1]])
    m[0, 0] = 1
",
    "    a[0] = half(filter(\\x -> x > 2, a))
    m[0, 0] = 1
",
    "    a[0] = beside(m, a)
",
    // A lambda asks the lanes that are active where it is called.
    "    foreach i in range(4):
        let f = \\x -> reduce_add(x)
        if i > 1:
            a[i] = f(i)
    m[0, 0] = 1
",
];

/// The functions that they call.
pub(crate) const FUNCTIONS: &str = "fn first_is_100(r: i32[k]) -> i32:
    r[0] = 100
    return sum(r)

fn looked_up(k, v: i32[n]):
    if k > 2:
        let t = v * k
        return \\i -> t[i]
    return \\i -> v[i] + k

fn half(x: i32[2 * n]) -> i32:
    return n + length(x)

fn beside(y: i32[j, j + 1], x: i32[2 * n + j]) -> i32:
    return n * 10 + j + x[0] + y[0, 0]

";
