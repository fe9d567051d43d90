//! What is found out about lanes.

use expect_test::expect;

use super::check;

#[test]
fn promises_that_are_broken() {
    check(
        r"
fn twice(x: uniform f32) -> varying f32:
    return x * 2.0

kernel k(a: f32[n], b: f32[n], at: i32[n], n: i32):
    let sum: uniform i32 = 0
    foreach i in range(n):
        let j: uniform i32 = at[i]
        let half: varying i32 = n / 2
        b[i] = twice(a[half]) + a[j]
    for i in range(n):
        sum += at[i]
    b[sum] = 0
",
        expect![[r#"
            error[broken-varying]: the result is promised to be varying, and is the same in all lanes
              1 |fn twice(x: uniform f32) -> varying f32:
                |                            ^^^^^^^
              fix: write `uniform`
                |fn twice(x: uniform f32) -> uniform f32:
            error[broken-uniform]: `sum` is promised to be uniform, and varies from lane to lane
              5 |    let sum: uniform i32 = 0
                |             ^^^^^^^
              5 |    let sum: uniform i32 = 0
                |        ^^^ this varies
             11 |        sum += at[i]
                |        ^^^ each iteration hands this to the next
             11 |        sum += at[i]
                |               ^^^^^ computed from this, which varies
             10 |    for i in range(n):
                |        ^ lanes run along `i`
              fix: write `varying`
                |    let sum: varying i32 = 0
            error[broken-uniform]: `j` is promised to be uniform, and varies from lane to lane
              7 |        let j: uniform i32 = at[i]
                |               ^^^^^^^
              7 |        let j: uniform i32 = at[i]
                |            ^ this varies
              7 |        let j: uniform i32 = at[i]
                |                             ^^^^^ its value, which varies
              6 |    foreach i in range(n):
                |            ^ lanes run along `i`
              fix: write `varying`
                |        let j: varying i32 = at[i]
            error[broken-varying]: `half` is promised to be varying, and is the same in all lanes
              8 |        let half: varying i32 = n / 2
                |                  ^^^^^^^
              fix: write `uniform`
                |        let half: uniform i32 = n / 2
            note[gather-varying-index]: this load of `a` is a gather: each lane has a cell of its own; the subscript is data, or made of it
              9 |        b[i] = twice(a[half]) + a[j]
                |                                ^^^^
              9 |        b[i] = twice(a[half]) + a[j]
                |                                  ^ the subscript, which varies
              7 |        let j: uniform i32 = at[i]
                |                             ^^^^^ its value, which varies
              6 |    foreach i in range(n):
                |            ^ lanes run along `i`
              = store the elements in the order in which iterations use them: then they are contiguous
        "#]],
    );
}

#[test]
fn where_data_chooses_cells_advice_is_given_if_some_helps() {
    check(
        r"
kernel k(t: f32[256], x: u8[n], at: i32[n], o: f32[n], h: i32[4, 256], n: i32):
    for i in range(n):
        o[i] = t[x[i]]
    for i in range(n):
        o[i] = t[at[i]]
    for i in range(n):
        h[i % 4, x[i]] += 1
",
        expect![[r#"
            note[gather-varying-index]: this load of `t` is a gather: each lane has a cell of its own; the subscript is data, or made of it
              3 |        o[i] = t[x[i]]
                |               ^^^^^^^
              3 |        o[i] = t[x[i]]
                |                 ^^^^ the subscript, which varies
              2 |    for i in range(n):
                |        ^ lanes run along `i`
              = the subscript has only 256 values: a formula that gives the same elements needs no gather
            note[gather-varying-index]: this load of `t` is a gather: each lane has a cell of its own; the subscript is data, or made of it
              5 |        o[i] = t[at[i]]
                |               ^^^^^^^^
              5 |        o[i] = t[at[i]]
                |                 ^^^^^ the subscript, which varies
              4 |    for i in range(n):
                |        ^ lanes run along `i`
              = store the elements in the order in which iterations use them: then they are contiguous
            note[gather-varying-index]: this load of `h` is a gather: each lane has a cell of its own; the subscript is data, or made of it
              7 |        h[i % 4, x[i]] += 1
                |        ^^^^^^^^^^^^^^
              7 |        h[i % 4, x[i]] += 1
                |                 ^^^^ the subscript, which varies
              6 |    for i in range(n):
                |        ^ lanes run along `i`
            note[scatter-varying-index]: this store to `h` is a scatter: each lane has a cell of its own; the subscript is data, or made of it
              7 |        h[i % 4, x[i]] += 1
                |        ^^^^^^^^^^^^^^
              7 |        h[i % 4, x[i]] += 1
                |                 ^^^^ the subscript, which varies
              6 |    for i in range(n):
                |        ^ lanes run along `i`
        "#]],
    );
}

#[test]
fn cells_that_another_loop_stores_are_not_changed_where_they_lie() {
    check(
        r"
kernel k(t: f32[n], at: i32[n], o: f32[n], n: i32):
    foreach i in range(n):
        t[at[i]] = o[i]
    for i in range(n):
        o[i] = t[at[i]]
",
        expect![[r#"
            note[iterations-may-collide]: two iterations of a `foreach` may touch one cell; the compiler takes the programmer's word that they do not: perhaps iteration 0 writes `t[0]`, iteration 1 writes `t[0]`; that depends on `at[i]`, which is data
              2 |    foreach i in range(n):
                |    ^^^^^^^^^^^^^^^^^^^^^
              3 |        t[at[i]] = o[i]
                |        ^^^^^^^^ iteration 0 writes `t[0]`
              3 |        t[at[i]] = o[i]
                |        ^^^^^^^^ iteration 1 writes `t[0]`
              = if they do touch one cell, a run ends in an error; `for` keeps their order
            note[scatter-varying-index]: this store to `t` is a scatter: each lane has a cell of its own; the subscript is data, or made of it
              3 |        t[at[i]] = o[i]
                |        ^^^^^^^^
              3 |        t[at[i]] = o[i]
                |          ^^^^^ the subscript, which varies
              2 |    foreach i in range(n):
                |            ^ lanes run along `i`
              = store the elements in the order in which iterations use them: then they are contiguous
            note[gather-varying-index]: this load of `t` is a gather: each lane has a cell of its own; the subscript is data, or made of it
              5 |        o[i] = t[at[i]]
                |               ^^^^^^^^
              5 |        o[i] = t[at[i]]
                |                 ^^^^^ the subscript, which varies
              4 |    for i in range(n):
                |        ^ lanes run along `i`
              = store the elements in the order in which iterations use them: then they are contiguous
        "#]],
    );
}

#[test]
fn a_promise_that_a_branch_breaks() {
    check(
        r"
kernel k(a: f32[n], n: i32, deep: uniform bool):
    foreach i in range(n):
        let x: uniform f32 = 0.0
        if deep:
            x = 1.0
        let y: uniform f32 = 0.0
        if a[i] > 0.0:
            y = 1.0
        a[i] = x + y
",
        expect![[r#"
            error[broken-uniform]: `y` is promised to be uniform, and varies from lane to lane
              6 |        let y: uniform f32 = 0.0
                |               ^^^^^^^
              6 |        let y: uniform f32 = 0.0
                |            ^ this varies
              7 |        if a[i] > 0.0:
                |           ^^^^^^^^^^ decided by this condition, which varies
              7 |        if a[i] > 0.0:
                |           ^^^^ computed from this, which varies
              2 |    foreach i in range(n):
                |            ^ lanes run along `i`
              fix: write `varying`
                |        let y: varying f32 = 0.0
        "#]],
    );
}

#[test]
fn gathers_and_scatters() {
    check(
        r"
kernel k(a: f32[n], at: i32[n], u: u32[n], out: f32[n], n: i32, m: u32):
    foreach i in range(n):
        let number = at[i]
        let last = 0
        if a[i] > 0.5:
            last = i
        out[number] = a[last] + a[(i * i) % n]
        out[i] = a[(u32(i) + m) * 2]
",
        expect![[r#"
            warning[unused-name]: the parameter `u` is never used
              1 |kernel k(a: f32[n], at: i32[n], u: u32[n], out: f32[n], n: i32, m: u32):
                |                                ^
              fix: write `_u` to say that this is meant
                |kernel k(a: f32[n], at: i32[n], _u: u32[n], out: f32[n], n: i32, m: u32):
            note[iterations-may-collide]: two iterations of a `foreach` may touch one cell; the compiler takes the programmer's word that they do not: perhaps iteration 0 writes `out[0]`, iteration 1 writes `out[0]`; that depends on `number`, which is data
              2 |    foreach i in range(n):
                |    ^^^^^^^^^^^^^^^^^^^^^
              7 |        out[number] = a[last] + a[(i * i) % n]
                |        ^^^^^^^^^^^ iteration 0 writes `out[0]`
              7 |        out[number] = a[last] + a[(i * i) % n]
                |        ^^^^^^^^^^^ iteration 1 writes `out[0]`
              = if they do touch one cell, a run ends in an error; `for` keeps their order
            note[scatter-varying-index]: this store to `out` is a scatter: each lane has a cell of its own; the subscript is data, or made of it
              7 |        out[number] = a[last] + a[(i * i) % n]
                |        ^^^^^^^^^^^
              7 |        out[number] = a[last] + a[(i * i) % n]
                |            ^^^^^^ the subscript, which varies
              3 |        let number = at[i]
                |                     ^^^^^ its value, which varies
              2 |    foreach i in range(n):
                |            ^ lanes run along `i`
              = store the elements in the order in which iterations use them: then they are contiguous
            note[gather-varying-index]: this load of `a` is a gather: each lane has a cell of its own; a condition that varies decides the subscript
              7 |        out[number] = a[last] + a[(i * i) % n]
                |                      ^^^^^^^
              7 |        out[number] = a[last] + a[(i * i) % n]
                |                        ^^^^ the subscript, which varies
              5 |        if a[i] > 0.5:
                |           ^^^^^^^^^^ decided by this condition, which varies
              5 |        if a[i] > 0.5:
                |           ^^^^ computed from this, which varies
              2 |    foreach i in range(n):
                |            ^ lanes run along `i`
              = use one subscript on both sides, and choose between the elements
            note[gather-varying-index]: this load of `a` is a gather: each lane has a cell of its own; the subscript grows by no fixed step
              7 |        out[number] = a[last] + a[(i * i) % n]
                |                                ^^^^^^^^^^^^^^
              7 |        out[number] = a[last] + a[(i * i) % n]
                |                                  ^^^^^^^^^^^ the subscript, which varies
              2 |    foreach i in range(n):
                |            ^ lanes run along `i`
              = a subscript that is a multiple of the loop's index, plus a value that no iteration changes, has a pattern
            note[varying-division]: this divides integers in lanes, for which the target has no instruction, so they are divided one after the other
              7 |        out[number] = a[last] + a[(i * i) % n]
                |                                  ^^^^^^^^^^^
              7 |        out[number] = a[last] + a[(i * i) % n]
                |                                   ^^^^^ this varies
              2 |    foreach i in range(n):
                |            ^ lanes run along `i`
              = a divisor that is a constant becomes a multiplication or a shift; floats are divided in lanes
            note[gather-varying-index]: this load of `a` is a gather: each lane has a cell of its own; the subscript grows by no fixed step
              8 |        out[i] = a[(u32(i) + m) * 2]
                |                 ^^^^^^^^^^^^^^^^^^^
              8 |        out[i] = a[(u32(i) + m) * 2]
                |                   ^^^^^^^^^^^^^^^^ the subscript, which varies
              2 |    foreach i in range(n):
                |            ^ lanes run along `i`
              = the subscript is unsigned and may wrap around; with a signed type it is known not to
              fix: count in `i64`, which does not wrap around
                |        out[i] = a[(i64(u32(i)) + i64(m)) * 2]
        "#]],
    );
}

#[test]
fn strides() {
    check(
        r"
struct P:
    x: f32
    y: f32

kernel k(p: P[n], m: f32[n, n], out: f32[2 * n], n: i32, j: i32):
    foreach i in range(n):
        out[2 * i] = p[i].x + m[i, j]
",
        expect![[r#"
            note[strided-store]: this store to `out` is strided: the cells of neighbouring lanes lie 2 cells apart
              7 |        out[2 * i] = p[i].x + m[i, j]
                |        ^^^^^^^^^^
              7 |        out[2 * i] = p[i].x + m[i, j]
                |            ^^^^^ the subscript, which varies
              6 |    foreach i in range(n):
                |            ^ lanes run along `i`
              = split the array into 2, one for each remainder of the subscript by 2: then this is contiguous
            note[strided-load]: this load of `p` is strided: the cells of neighbouring lanes lie 2 cells apart
              7 |        out[2 * i] = p[i].x + m[i, j]
                |                     ^^^^^^
              6 |    foreach i in range(n):
                |            ^ lanes run along `i`
              = an array of its own for each field makes this contiguous
              fix: give each field of `p` that is used an array of its own, if callers pass them so
                |kernel k(p_x: f32[n], m: f32[n, n], out: f32[2 * n], n: i32, j: i32):
                |    foreach i in range(n):
                |        out[2 * i] = p_x[i] + m[i, j]
            note[strided-load]: this load of `m` is strided: the cells of neighbouring lanes lie n cells apart
              7 |        out[2 * i] = p[i].x + m[i, j]
                |                              ^^^^^^^
              6 |    foreach i in range(n):
                |            ^ lanes run along `i`
              = lanes along the last subscript make this contiguous
              fix: exchange the subscripts of `m`, if callers pass it the other way around
                |        out[2 * i] = p[i].x + m[j, i]
        "#]],
    );
}

#[test]
fn arithmetic_that_has_no_instruction() {
    check(
        r"
kernel k(a: i32[n], wide: i64[n], out: f32[n], n: i32):
    for i in range(n):
        let rest = a[i] % (n + 1)
        out[i] = f32(rest) + f32(wide[i])
",
        expect![[r#"
            note[varying-division]: this divides integers in lanes, for which the target has no instruction, so they are divided one after the other
              3 |        let rest = a[i] % (n + 1)
                |                   ^^^^^^^^^^^^^^
              3 |        let rest = a[i] % (n + 1)
                |                   ^^^^ this varies
              2 |    for i in range(n):
                |        ^ lanes run along `i`
              = a divisor that is a constant becomes a multiplication or a shift; floats are divided in lanes
            note[wide-conversion]: this converts between floats and integers of 64 bits in lanes, for which the target has no instruction
              4 |        out[i] = f32(rest) + f32(wide[i])
                |                             ^^^^^^^^^^^^
              4 |        out[i] = f32(rest) + f32(wide[i])
                |                                 ^^^^^^^ this varies
              2 |    for i in range(n):
                |        ^ lanes run along `i`
              = integers of 32 bits are converted in lanes everywhere
              fix: go through `i32`, if it fits there
                |        out[i] = f32(rest) + f32(i32(wide[i]))
        "#]],
    );
}

#[test]
fn a_branch_with_a_costly_side() {
    check(
        r"
kernel k(a: f32[n], out: f32[n], n: i32):
    foreach i in range(n):
        let x = a[i]
        if x > 1.0:
            x = 1.0 / x
        elif x < -1.0:
            for j in range(n):
                x = x / 2.0 + a[j]
        if x > 0.0 and x < 0.5:
            while x < 0.5:
                x = x * 1.5
        out[i] = x
",
        expect![[r#"
            note[divergent-branch]: this condition varies from lane to lane; where lanes differ, all of them run both sides, one of which costs much
              6 |        elif x < -1.0:
                |             ^^^^^^^^
              6 |        elif x < -1.0:
                |             ^ computed from this, which varies
              3 |        let x = a[i]
                |                ^^^^ its value, which varies
              2 |    foreach i in range(n):
                |            ^ lanes run along `i`
              = where the sides only compute a value, `select(c, x, y)` computes both for all lanes, without a branch
            note[divergent-branch]: this condition varies from lane to lane; where lanes differ, all of them run both sides, one of which costs much
              9 |        if x > 0.0 and x < 0.5:
                |           ^^^^^^^^^^^^^^^^^^^
              9 |        if x > 0.0 and x < 0.5:
                |           ^ computed from this, which varies
              4 |        if x > 1.0:
                |           ^^^^^^^ decided by this condition, which varies
              3 |        let x = a[i]
                |                ^^^^ its value, which varies
              2 |    foreach i in range(n):
                |            ^ lanes run along `i`
              = `cif` tests at run time whether all lanes take the same side, and then runs it without masks; where the sides only compute a value, `select(c, x, y)` computes both for all lanes, without a branch
              fix: write `cif`
                |        cif x > 0.0 and x < 0.5:
        "#]],
    );
}

#[test]
fn a_function_is_told_once_and_where_it_is_called_from() {
    check(
        r"
fn pick(a: f32[n], k: i32) -> f32:
    return a[k]

kernel k(a: f32[n], at: i32[n], out: f32[n], n: i32):
    foreach i in range(n):
        out[i] = pick(a, at[i]) + pick(a, at[i] + 1) + pick(a, i) + pick(a, 0)
",
        expect![[r#"
            note[gather-varying-index]: this load of `a` is a gather: each lane has a cell of its own; the subscript is data, or made of it
              2 |    return a[k]
                |           ^^^^
              2 |    return a[k]
                |             ^ the subscript, which varies
              4 |kernel k(a: f32[n], at: i32[n], out: f32[n], n: i32):
                |       ^ which comes from in here
              = store the elements in the order in which iterations use them: then they are contiguous
        "#]],
    );
}

#[test]
fn promises_of_loops_that_are_broken() {
    check(
        r"
kernel k(a: f32[n], b: f32[n], at: i32[n], n: i32) -> f32:
    let s = 0.0
    @simd
    for i in range(1, n):
        a[i] = a[i - 1] * 2.0
        s += b[i]
    @no_gather
    for i in range(n):
        b[i] = a[at[i]]
    return s
",
        expect![[r#"
            error[broken-simd]: `@simd` promises that this loop becomes vector code, and it does not: a sum of floats keeps the order of its terms: `s` (ordered-float-sum); and an iteration reads what an earlier one has written; as a lane it would read too early: iteration 1 writes `a[1]`, iteration 2 reads `a[1]` (loop-carried-flow)
              3 |    @simd
                |    ^^^^^
              6 |        s += b[i]
                |        ^ here `s` gets its next value
              5 |        a[i] = a[i - 1] * 2.0
                |        ^^^^ iteration 1 writes `a[1]`
              5 |        a[i] = a[i - 1] * 2.0
                |               ^^^^^^^^ iteration 2 reads `a[1]`
            note[ordered-float-sum]: this loop runs in order: a sum of floats keeps the order of its terms: `s`
              4 |    for i in range(1, n):
                |    ^^^^^^^^^^^^^^^^^^^^
              6 |        s += b[i]
                |        ^ here `s` gets its next value
              = lifting this alone gives the loop no lanes: `loop-carried-flow` would remain
              fix: write `@reassoc` above the loop
                |    @reassoc
            error[broken-no-gather]: `@no_gather` promises that no load here becomes a gather, and this load of `a` is one: each lane has a cell of its own; the subscript is data, or made of it
              9 |        b[i] = a[at[i]]
                |               ^^^^^^^^
              9 |        b[i] = a[at[i]]
                |                 ^^^^^ the subscript, which varies
              8 |    for i in range(n):
                |        ^ lanes run along `i`
              = store the elements in the order in which iterations use them: then they are contiguous
        "#]],
    );
}

#[test]
fn a_promise_about_memory_that_is_broken() {
    check(
        r"
@no_scratch
kernel k(a: i32[n], out: i32[n], n: i32):
    let s = scan(+, 0, a)
    for i in range(n):
        out[i] = s[n - 1 - i]
",
        expect![[r#"
            error[broken-no-scratch]: `@no_scratch` promises that no scratch memory is needed, and the caller has to pass 4 * n bytes of it
              1 |@no_scratch
                |^^^^^^^^^^^
              3 |    let s = scan(+, 0, a)
                |            ^^^^^^^^^^^^^ this array takes 4 * n bytes
              = an array of a known small size lies on the stack, and one that is only used element by element needs no memory
        "#]],
    );
}

#[test]
fn a_budget_that_is_broken() {
    check(
        r"
kernel k(a: f32[m], at: i32[n], out: f32[n], m: i32, n: i32):
    @cost(1)
    for i in range(n):
        out[i] = a[at[i]]
",
        expect![[r#"
            error[broken-cost]: `@cost` promises that this loop takes at most 1 cycle an element, and it is estimated to take about 1.3 cycles an element, bound by loads; the gather is 95 %
              2 |    @cost(1)
                |    ^^^^^^^^
              = lighten what it is bound by, or allow more cycles; `lanescope compare` shows what other lanes and attributes would change
            note[gather-varying-index]: this load of `a` is a gather: each lane has a cell of its own; the subscript is data, or made of it
              4 |        out[i] = a[at[i]]
                |                 ^^^^^^^^
              4 |        out[i] = a[at[i]]
                |                   ^^^^^ the subscript, which varies
              3 |    for i in range(n):
                |        ^ lanes run along `i`
              = store the elements in the order in which iterations use them: then they are contiguous
        "#]],
    );
    check(
        r"
kernel k(a: f32[n], n: i32):
    @cost(0)
    for i in range(n):
        @cost(n)
        for j in range(n):
            a[j] += 1.0
    @cost
    for i in range(n):
        a[i] += 1.0
",
        expect![[r#"
            error[attribute-arguments]: `@cost` takes a number above 0: `@cost(2.5)`
              2 |    @cost(0)
                |    ^^^^^^^^
            error[attribute-arguments]: `@cost` takes a number above 0: `@cost(2.5)`
              4 |        @cost(n)
                |        ^^^^^^^^
            error[attribute-arguments]: `@cost` takes a number above 0: `@cost(2.5)`
              7 |    @cost
                |    ^^^^^
        "#]],
    );
}

#[test]
fn a_promise_that_nothing_is_copied_that_is_broken() {
    check(
        r"
@no_copy
kernel k(a: i32[n], n: i32):
    a[1:n - 1] = a[: n - 2] + a[2:]
",
        expect![[r#"
            error[broken-no-copy]: `@no_copy` promises that no array is copied here, and one is: all of it is computed first, since an iteration would read in `a[2:]` what an earlier one has written to `a[1:n - 1]`
              1 |@no_copy
                |^^^^^^^^
              3 |    a[1:n - 1] = a[: n - 2] + a[2:]
                |    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this is copied
              = store to an array that the right side does not read, or to the elements one by one
        "#]],
    );
}

#[test]
fn kernels_whose_results_no_threads_can_join() {
    check(
        r"
@threads
kernel adds(a: f32[n], n: i32) -> f32:
    let s = 0.0
    for i in range(n):
        s += a[i]
    return s

@threads
kernel forgets(a: f32[n], n: i32) -> f32:
    let most = 0.0
    for i in range(n):
        most = max(most, a[i])
    return most

@threads
kernel late(a: f32[n], n: i32) -> bool:
    let all = true
    for i in range(n):
        all = all and a[i] > 0.0
    return all

@threads
kernel place(a: f32[n], n: i32) -> i32:
    let most = 0.0
    let at = -1
    for i in range(n):
        if a[i] > most:
            most = a[i]
            at = i
    return at

@threads
kernel several(a: i32[n], b: i32[m], n: i32, m: i32) -> i32:
    let s = 0
    for i in range(n):
        s += a[i]
    for i in range(m):
        s += b[i]
    return s

@threads
kernel no_loop(a: f32[n], n: i32) -> f32:
    return a[n - 1]

@threads
kernel under_a_condition(a: i32[n], n: i32, c: bool) -> i32:
    let s = 0
    if c:
        for i in range(n):
            s += a[i]
    return s

@threads
kernel filled(a: f32[n], out: f32[n], n: i32) -> f32:
    let last: f32[1]
    foreach i in range(n):
        out[i] = a[i]
        last[0] = a[i]
    return last[0]

@threads
kernel named(a: i32[n], n: i32) -> i32:
    let s = 0
    for i in range(n):
        s += a[i]
    return s

kernel named_join(a: i32[n], n: i32):
    a[0] = n
",
        expect![[r#"
            error[broken-threads]: `@threads` promises that threads may divide the iterations of the outermost loop, and they cannot: the iterations have to add to `s`, or multiply it, one after the other: floats round at each step
              1 |@threads
                |^^^^^^^^
              4 |    for i in range(n):
                |    ^^^^^^^^^^^^^^^^^^... this loop
              = write `@reassoc` above the loop or the kernel, which lets sums and products of floats be joined in another fixed order
            note[ordered-float-sum]: this loop runs in order: a sum of floats keeps the order of its terms: `s`
              4 |    for i in range(n):
                |    ^^^^^^^^^^^^^^^^^
              5 |        s += a[i]
                |        ^ here `s` gets its next value
              fix: write `@reassoc` above the loop
                |    @reassoc
            error[broken-threads]: `@threads` promises that threads may divide the iterations of the outermost loop, and they cannot: `most` takes a NaN for the least or greatest, and then forgets what came before
              8 |@threads
                |^^^^^^^^
             11 |    for i in range(n):
                |    ^^^^^^^^^^^^^^^^^^... this loop
              = write `max(x, m)` in place of `max(m, x)`, or `if x > m: m = x`, which leave NaNs out
            error[broken-threads]: `@threads` promises that threads may divide the iterations of the outermost loop, and they cannot: what is joined to `all` is computed only as long as that does not decide
             15 |@threads
                |^^^^^^^^
             18 |    for i in range(n):
                |    ^^^^^^^^^^^^^^^^^^... this loop
              = compute it first, by `let c = ...`, and join `c`
            error[broken-threads]: `@threads` promises that threads may divide the iterations of the outermost loop, and they cannot: its iterations hand on `at`, each to the next
             22 |@threads
                |^^^^^^^^
             26 |    for i in range(n):
                |    ^^^^^^^^^^^^^^^^^^... this loop
              = let them only join to it, by `+`, `*`, `min`, `max`, `and`, `or`, `&`, `|` or `^`, or keep it within each iteration
            error[broken-threads]: `@threads` promises that threads may divide the iterations of the outermost loop, and they cannot: its result comes from several loops, and threads divide one
             32 |@threads
                |^^^^^^^^
             35 |    for i in range(n):
                |    ^^^^^^^^^^^^^^^^^^... this loop
             37 |    for i in range(m):
                |    ^^^^^^^^^^^^^^^^^^... this one as well
              = make a kernel of each, and pass what the first one gives to the second
            error[broken-threads]: `@threads` promises that threads may divide the iterations of the outermost loop, and they cannot: its result comes from no loop
             41 |@threads
                |^^^^^^^^
              = compute the result in a loop over a range, or leave `@threads` out
            error[broken-threads]: `@threads` promises that threads may divide the iterations of the outermost loop, and they cannot: the loop stands under a condition, or there are several, one for each case
             45 |@threads
                |^^^^^^^^
             48 |    if c:
                |       ^ this branch
              = let the kernel be one loop over a range, `for i in range(n)` or `foreach i in range(n)`, which nothing leaves early
            error[broken-threads]: `@threads` promises that threads may divide the iterations of the outermost loop, and they cannot: what stands behind that loop reads `last`, a new array of which each part would fill some
             53 |@threads
                |^^^^^^^^
             59 |    return last[0]
                |           ^^^^^^^ this reads it
              = store to an array parameter, and read that in another kernel
            error[foreach-collides]: iterations of this `foreach` touch one cell, whatever the data: they are not independent
             56 |    foreach i in range(n):
                |    ^^^^^^^
             58 |        last[0] = a[i]
                |        ^^^^^^^ iteration 0 writes `last[0]`
             58 |        last[0] = a[i]
                |        ^^^^^^^ iteration 1 writes `last[0]`
              fix: use `for`
                |    for i in range(n):
            error[broken-threads]: `@threads` promises that threads may divide the iterations of the outermost loop, and they cannot: the function that they call would be `named_join`, and this file has a kernel of that name
             61 |@threads
                |^^^^^^^^
              = give one of the two kernels another name
        "#]],
    );
}

#[test]
fn kernels_whose_iterations_no_threads_can_divide() {
    check(
        r"
@threads
kernel meets(a: f32[n], n: i32):
    for i in range(1, n):
        a[i] = a[i - 1] * 0.5

@threads
kernel may_meet(a: f32[n], at: i32[n], n: i32):
    for i in range(n):
        a[at[i]] = 0.5

@threads
kernel sums(a: f32[n], n: i32) -> f32:
    return sum(a)

@threads
kernel counts(a: i32[n], out: i32[n], n: i32):
    let c = 0
    for i in range(n):
        c += a[i]
        out[i] = c

@threads
kernel twice(a: f32[n], out: f32[n], n: i32):
    for i in range(n):
        a[i] = 1.0
    for i in range(1, n):
        out[i] = a[n - i]

@threads
kernel reads_before(a: i32[n], n: i32):
    let most = maximum(a)
    for i in range(n):
        a[i] = most - a[i]

@threads
kernel sometimes(a: f32[n], n: i32, c: bool):
    if c:
        for i in range(n):
            a[i] = 1.0

@threads
kernel halves(a: f32[n], n: i32):
    let i = n
    while i > 0:
        i //= 2
        a[i] = 1.0

@threads
kernel steps(a: f32[n], n: i32, step: i32):
    for i in range(0, n, step):
        a[i] = 1.0

@threads
kernel nothing(a: f32[n], n: i32):
    pass

@threads
kernel taken(a: f32[n], n: i32):
    for i in range(n):
        a[i] = 1.0

kernel taken_part(a: f32[n], n: i32):
    a[0] = 1.0

kernel inside(a: f32[n], n: i32):
    @threads
    for i in range(n):
        a[i] = 1.0

@threads
fn f(x: f32) -> f32:
    return x
",
        expect![[r#"
            error[broken-threads]: `@threads` promises that threads may divide the iterations of the outermost loop, and they cannot: iteration 1 writes `a[1]`, iteration 2 reads `a[1]`
              1 |@threads
                |^^^^^^^^
              4 |        a[i] = a[i - 1] * 0.5
                |        ^^^^ one of the two accesses
              4 |        a[i] = a[i - 1] * 0.5
                |               ^^^^^^^^ the other one
              = store to another array than the one that is read
            note[loop-carried-flow]: this loop runs in order: an iteration reads what an earlier one has written; as a lane it would read too early: iteration 1 writes `a[1]`, iteration 2 reads `a[1]`
              3 |    for i in range(1, n):
                |    ^^^^^^^^^^^^^^^^^^^^
              4 |        a[i] = a[i - 1] * 0.5
                |        ^^^^ iteration 1 writes `a[1]`
              4 |        a[i] = a[i - 1] * 0.5
                |               ^^^^^^^^ iteration 2 reads `a[1]`
              fix: write `@reassoc` above the loop
                |    @reassoc
            error[broken-threads]: `@threads` promises that threads may divide the iterations of the outermost loop, and they cannot: two iterations may touch the same cell of `a`, as far as can be told
              6 |@threads
                |^^^^^^^^
              9 |        a[at[i]] = 0.5
                |        ^^^^^^^^ both of them do it here
              = if they never do, write `foreach` in place of `for`: that promises it, and runs check it
            note[scatter-varying-index]: this store to `a` is a scatter: each lane has a cell of its own; the subscript is data, or made of it
              9 |        a[at[i]] = 0.5
                |        ^^^^^^^^
              9 |        a[at[i]] = 0.5
                |          ^^^^^ the subscript, which varies
              8 |    for i in range(n):
                |        ^ lanes run along `i`
              = store the elements in the order in which iterations use them: then they are contiguous
            error[broken-threads]: `@threads` promises that threads may divide the iterations of the outermost loop, and they cannot: the iterations have to add to `s`, or multiply it, one after the other: floats round at each step
             11 |@threads
                |^^^^^^^^
              = write `@reassoc` above the loop or the kernel, which lets sums and products of floats be joined in another fixed order
            error[broken-threads]: `@threads` promises that threads may divide the iterations of the outermost loop, and they cannot: its iterations hand on `c`, each to the next
             15 |@threads
                |^^^^^^^^
             18 |    for i in range(n):
                |    ^^^^^^^^^^^^^^^^^^... this loop
              = keep it in an array, or within each iteration
            error[broken-threads]: `@threads` promises that threads may divide the iterations of the outermost loop, and they cannot: this kernel stores to its arrays outside of that loop, too
             22 |@threads
                |^^^^^^^^
             26 |    for i in range(1, n):
                |    ^^^^^^^^^^^^^^^^^^^^^... this stores as well
              = make a kernel of each of the two, or one loop of both
            error[broken-threads]: `@threads` promises that threads may divide the iterations of the outermost loop, and they cannot: what stands before that loop reads `a`, which the loop writes
             29 |@threads
                |^^^^^^^^
              = compute it in another kernel and pass it, or store to another array
            error[broken-threads]: `@threads` promises that threads may divide the iterations of the outermost loop, and they cannot: the loop stands under a condition, or there are several, one for each case
             35 |@threads
                |^^^^^^^^
             37 |    if c:
                |       ^ this branch stores
              = let the kernel be one loop over a range, `for i in range(n)` or `foreach i in range(n)`, which nothing leaves early
            error[broken-threads]: `@threads` promises that threads may divide the iterations of the outermost loop, and they cannot: how many iterations there are is known only behind the last
             41 |@threads
                |^^^^^^^^
             44 |    while i > 0:
                |    ^^^^^^^^^^^^... this loop counts no range
              = let the kernel be one loop over a range, `for i in range(n)` or `foreach i in range(n)`, which nothing leaves early
            error[broken-threads]: `@threads` promises that threads may divide the iterations of the outermost loop, and they cannot: the step of its range is known only when it runs
             48 |@threads
                |^^^^^^^^
             50 |    for i in range(0, n, step):
                |    ^^^^^^^^^^^^^^^^^^^^^^^^^^^... this loop
              = give the range a constant step, and multiply its index
            note[strided-store]: this store to `a` is strided: the cells of neighbouring lanes lie step cells apart
             51 |        a[i] = 1.0
                |        ^^^^
             50 |    for i in range(0, n, step):
                |        ^ lanes run along `i`
              = a subscript that grows by 1 from iteration to iteration makes this contiguous
            error[broken-threads]: `@threads` promises that threads may divide the iterations of the outermost loop, and they cannot: no loop of this kernel stores to an array that it is given
             53 |@threads
                |^^^^^^^^
              = store to an array parameter in a loop over a range
            warning[unused-name]: the parameter `a` is never used
             54 |kernel nothing(a: f32[n], n: i32):
                |               ^
              fix: write `_a` to say that this is meant
                |kernel nothing(_a: f32[n], n: i32):
            error[broken-threads]: `@threads` promises that threads may divide the iterations of the outermost loop, and they cannot: the function that they call would be `taken_part`, and this file has a kernel of that name
             57 |@threads
                |^^^^^^^^
              = give one of the two kernels another name
            error[misplaced-attribute]: `@threads` has no effect here: it belongs above a kernel
             66 |    @threads
                |    ^^^^^^^^
            error[misplaced-attribute]: `@threads` has no effect here: it belongs above a kernel
             70 |@threads
                |^^^^^^^^
        "#]],
    );
}

#[test]
fn iterations_that_are_known_to_collide() {
    check(
        r"
kernel k(a: f32[n], b: f32[n], at: i32[n], n: i32):
    foreach i in range(1, n):
        a[i] = a[i - 1]
    @no_scatter
    foreach i in range(n):
        b[at[i]] = a[i]
",
        expect![[r#"
            error[foreach-collides]: iterations of this `foreach` touch one cell, whatever the data: they are not independent
              2 |    foreach i in range(1, n):
                |    ^^^^^^^
              3 |        a[i] = a[i - 1]
                |        ^^^^ iteration 1 writes `a[1]`
              3 |        a[i] = a[i - 1]
                |               ^^^^^^^^ iteration 2 reads `a[1]`
              fix: use `for`
                |    for i in range(1, n):
            note[iterations-may-collide]: two iterations of a `foreach` may touch one cell; the compiler takes the programmer's word that they do not: perhaps iteration 0 writes `b[0]`, iteration 1 writes `b[0]`; that depends on `at[i]`, which is data
              5 |    foreach i in range(n):
                |    ^^^^^^^^^^^^^^^^^^^^^
              6 |        b[at[i]] = a[i]
                |        ^^^^^^^^ iteration 0 writes `b[0]`
              6 |        b[at[i]] = a[i]
                |        ^^^^^^^^ iteration 1 writes `b[0]`
              = if they do touch one cell, a run ends in an error; `for` keeps their order
            error[broken-no-scatter]: `@no_scatter` promises that no store here becomes a scatter, and this store to `b` is one: each lane has a cell of its own; the subscript is data, or made of it
              6 |        b[at[i]] = a[i]
                |        ^^^^^^^^
              6 |        b[at[i]] = a[i]
                |          ^^^^^ the subscript, which varies
              5 |    foreach i in range(n):
                |            ^ lanes run along `i`
              = store the elements in the order in which iterations use them: then they are contiguous
        "#]],
    );
}

/// What a function of the prelude does to a value is said with places of the program alone.
#[test]
fn the_prelude_is_no_place() {
    check(
        "\
kernel k(t: f32[m], x: f32[n], y: f32[n], n: i32, m: i32):
    for i in range(n):
        let p = clamp(x[i], 0.0, 0.999) * f32(m - 1)
        y[i] = t[i32(p)]
",
        expect![[r#"
            note[gather-varying-index]: this load of `t` is a gather: each lane has a cell of its own; the subscript is data, or made of it
              4 |        y[i] = t[i32(p)]
                |               ^^^^^^^^^
              4 |        y[i] = t[i32(p)]
                |                 ^^^^^^ the subscript, which varies
              4 |        y[i] = t[i32(p)]
                |                     ^ computed from this, which varies
              3 |        let p = clamp(x[i], 0.0, 0.999) * f32(m - 1)
                |                      ^^^^ its value, which varies
              2 |    for i in range(n):
                |        ^ lanes run along `i`
              = store the elements in the order in which iterations use them: then they are contiguous
        "#]],
    );
}

#[test]
fn an_assert_is_proposed_where_it_lifts_the_dependences() {
    check(
        "
kernel shifted(y: f32[n], n: i32, k: i32):
    for i in range(1, n):
        y[i] = y[i + k] * 2.0

kernel in_row(y: f32[m, n], n: i32, m: i32, k: i32):
    for i in range(1, n):
        y[k, i] = y[k, i - 1] * y[k, i - 1]

kernel in_place(y: f32[m, n], a: f32[m], m: i32, n: i32, k: i32):
    let r = replicate(n, a[0])
    for i in range(1, n):
        r[i] = r[i - 1] + 2.0
    y[k] = r

kernel both(y: f32[n], n: i32, k: i32):
    for i in range(1, n):
        y[i] = y[i + k] * y[i - 1]
",
        expect![[r#"
            note[loop-carried-flow]: only a part of this loop runs as lanes: an iteration reads what an earlier one has written; as a lane it would read too early: iteration 1 writes `y[1]`, iteration 2 reads `y[1]`, with `k` = -1
              2 |    for i in range(1, n):
                |    ^^^^^^^^^^^^^^^^^^^^
              3 |        y[i] = y[i + k] * 2.0
                |        ^^^^ iteration 1 writes `y[1]`
              3 |        y[i] = y[i + k] * 2.0
                |               ^^^^^^^^ iteration 2 reads `y[1]`
              fix: write `assert k > 0` above the loop, if that is so
                |    assert k > 0
            note[loop-carried-flow]: this loop runs in order: an iteration reads what an earlier one has written; as a lane it would read too early: iteration 1 writes `y[0, 1]`, iteration 2 reads `y[0, 1]`, with `k` = 0
              6 |    for i in range(1, n):
                |    ^^^^^^^^^^^^^^^^^^^^
              7 |        y[k, i] = y[k, i - 1] * y[k, i - 1]
                |        ^^^^^^^ iteration 1 writes `y[0, 1]`
              7 |        y[k, i] = y[k, i - 1] * y[k, i - 1]
                |                  ^^^^^^^^^^^ iteration 2 reads `y[0, 1]`
            note[loop-carried-flow]: this loop runs in order: an iteration reads what an earlier one has written; as a lane it would read too early: iteration 1 writes `y[0, 1]`, iteration 2 reads `y[0, 1]`, with `k` = 0
             11 |    for i in range(1, n):
                |    ^^^^^^^^^^^^^^^^^^^^
             12 |        r[i] = r[i - 1] + 2.0
                |        ^^^^ iteration 1 writes `y[0, 1]`
             12 |        r[i] = r[i - 1] + 2.0
                |               ^^^^^^^^ iteration 2 reads `y[0, 1]`
              fix: write `@reassoc` above the loop
                |    @reassoc
            note[loop-carried-flow]: this loop runs in order: an iteration reads what an earlier one has written; as a lane it would read too early: iteration 1 writes `y[1]`, iteration 2 reads `y[1]`, with `k` = -1
             16 |    for i in range(1, n):
                |    ^^^^^^^^^^^^^^^^^^^^
             17 |        y[i] = y[i + k] * y[i - 1]
                |        ^^^^ iteration 1 writes `y[1]`
             17 |        y[i] = y[i + k] * y[i - 1]
                |               ^^^^^^^^ iteration 2 reads `y[1]`
        "#]],
    );
}

#[test]
fn whole_arrays_meet_by_the_iterations_that_are_written() {
    check(
        "
kernel whole(a: f32[n], b: f32[m], n: i32, m: i32):
    foreach i in range(n):
        b[:] = a[i]

kernel nested(a: f32[n, r], b: f32[m, r], n: i32, m: i32, r: i32):
    foreach i in range(n):
        for j in range(m):
            b[j] = a[i]

kernel carried(b: f32[m, n], n: i32, m: i32):
    for k in range(m):
        b[k, 1:] = cumsum(b[k, : n - 1])
",
        expect![[r#"
            error[foreach-collides]: iterations of this `foreach` touch one cell, whatever the data: they are not independent
              2 |    foreach i in range(n):
                |    ^^^^^^^
              3 |        b[:] = a[i]
                |        ^^^^ iteration 0 writes `b[0]`
              3 |        b[:] = a[i]
                |        ^^^^ iteration 1 writes `b[0]`
              fix: use `for`
                |    for i in range(n):
            error[foreach-collides]: iterations of this `foreach` touch one cell, whatever the data: they are not independent
              6 |    foreach i in range(n):
                |    ^^^^^^^
              8 |            b[j] = a[i]
                |            ^^^^ iteration i = 0, j = 0 writes `b[0, 0]`
              8 |            b[j] = a[i]
                |            ^^^^ iteration i = 1, j = 0 writes `b[0, 0]`
              fix: use `for`
                |    for i in range(n):
            note[array-stored]: this array is stored: its elements are not computed one by one, and it is not built where it is assigned to, because it is computed from the same array, in `b[k, :n - 1]`, so it takes temporary memory for `f32[n - 1]`
             12 |        b[k, 1:] = cumsum(b[k, : n - 1])
                |                   ^^^^^^^^^^^^^^^^^^^^^
        "#]],
    );
}

#[test]
fn lanes_along_another_loop_are_told_as_what_they_are() {
    check(
        "
kernel settled(a: f32[n, m], y: f32[m], n: i32, m: i32):
    foreach i in range(n):
        for j in range(m):
            a[i, j] = y[j] * 2.0

kernel product(a: f32[n, m], x: f32[m], y: f32[n], n: i32, m: i32):
    for i in range(n):
        let s = 0.0
        for j in range(m):
            s += a[i, j] * x[j]
        y[i] = s

kernel filled(y: f32[m, n], a: f32[m], m: i32, n: i32):
    for k in range(m):
        let r = replicate(n, a[k])
        for i in range(1, n):
            r[i] = r[i - 1] + 2.0
        y[k] = r
",
        expect![[r#"
            note[strided-store]: this store to `a` is strided: the cells of neighbouring lanes lie m cells apart
              4 |            a[i, j] = y[j] * 2.0
                |            ^^^^^^^
              2 |    foreach i in range(n):
                |            ^ lanes run along `i`
              = with lanes along `j` this would be contiguous, but the `foreach` has them; a `for` in its place leaves the choice to the target's costs; with its subscripts exchanged this would be contiguous, too
              fix: exchange the subscripts of `a`, if callers pass it the other way around
                |kernel settled(a: f32[m, n], y: f32[m], n: i32, m: i32):
                |    foreach i in range(n):
                |        for j in range(m):
                |            a[j, i] = y[j] * 2.0
            note[strided-load]: this load of `a` is strided: the cells of neighbouring lanes lie m cells apart
             10 |            s += a[i, j] * x[j]
                |                 ^^^^^^^
              7 |    for i in range(n):
                |        ^ lanes run along `i`
              = with lanes along `j` this is contiguous: `@reassoc` above that loop, or above the item, lets its float operations be reordered, so that it can have them
              fix: write `@reassoc` above the loop over `j`
                |        @reassoc
              fix: exchange the subscripts of `a`, if callers pass it the other way around
                |kernel product(a: f32[m, n], x: f32[m], y: f32[n], n: i32, m: i32):
                |    for i in range(n):
                |        let s = 0.0
                |        for j in range(m):
                |            s += a[j, i] * x[j]
            note[loop-carried-flow]: this loop runs in order: an iteration reads what an earlier one has written; as a lane it would read too early: iteration k = 0, i = 1 writes `y[0, 1]`, iteration k = 0, i = 2 reads `y[0, 1]`
             16 |        for i in range(1, n):
                |        ^^^^^^^^^^^^^^^^^^^^
             17 |            r[i] = r[i - 1] + 2.0
                |            ^^^^ iteration k = 0, i = 1 writes `y[0, 1]`
             17 |            r[i] = r[i - 1] + 2.0
                |                   ^^^^^^^^ iteration k = 0, i = 2 reads `y[0, 1]`
              fix: write `@reassoc` above the loop
                |        @reassoc
        "#]],
    );
}

#[test]
fn a_choice_between_costly_values_may_be_a_select() {
    check(
        "
kernel k(a: f32[n], out: f32[n], n: i32):
    foreach i in range(n):
        let x = a[i]
        out[i] = (x / 3.0 / a[i] / (x + 1.0) / (x + 2.0) / (x + 5.0) if x > 1.0 else x) + 1.0
",
        expect![[r#"
            note[divergent-branch]: this condition varies from lane to lane; where lanes differ, all of them run both sides, one of which costs much
              4 |        out[i] = (x / 3.0 / a[i] / (x + 1.0) / (x + 2.0) / (x + 5.0) if x > 1.0 else x) + 1.0
                |                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              4 |        out[i] = (x / 3.0 / a[i] / (x + 1.0) / (x + 2.0) / (x + 5.0) if x > 1.0 else x) + 1.0
                |                                                                        ^^^^^^^ this varies
              4 |        out[i] = (x / 3.0 / a[i] / (x + 1.0) / (x + 2.0) / (x + 5.0) if x > 1.0 else x) + 1.0
                |                                                                        ^ computed from this, which varies
              3 |        let x = a[i]
                |                ^^^^ its value, which varies
              2 |    foreach i in range(n):
                |            ^ lanes run along `i`
              = where the sides only compute a value, `select(c, x, y)` computes both for all lanes, without a branch
              fix: write `select`, if both values can be computed in all lanes
                |        out[i] = (select(x > 1.0, x / 3.0 / a[i] / (x + 1.0) / (x + 2.0) / (x + 5.0), x)) + 1.0
        "#]],
    );
}

#[test]
fn gathers_through_one_variable_have_one_cause() {
    check(
        "
kernel k(a: f32[n], x: i32[n], o: f32[n], n: i32):
    for i in range(n):
        let k = x[i]
        o[i] = a[k] + a[k + 1] * a[k + 2] + a[2 * k]
",
        expect![[r#"
            note[gather-varying-index]: this load of `a` is a gather: each lane has a cell of its own; the subscript is data, or made of it
              4 |        o[i] = a[k] + a[k + 1] * a[k + 2] + a[2 * k]
                |               ^^^^
              4 |        o[i] = a[k] + a[k + 1] * a[k + 2] + a[2 * k]
                |                 ^ the subscript, which varies
              3 |        let k = x[i]
                |                ^^^^ its value, which varies
              2 |    for i in range(n):
                |        ^ lanes run along `i`
              4 |        o[i] = a[k] + a[k + 1] * a[k + 2] + a[2 * k]
                |                      ^^^^^^^^ and here
              4 |        o[i] = a[k] + a[k + 1] * a[k + 2] + a[2 * k]
                |                                 ^^^^^^^^ and here
              4 |        o[i] = a[k] + a[k + 1] * a[k + 2] + a[2 * k]
                |                                            ^^^^^^^^ and here
              = store the elements in the order in which iterations use them: then they are contiguous
        "#]],
    );
}

#[test]
fn stores_that_take_their_place_in_the_cache() {
    check(
        r"
kernel k(a: f32[n], m: f32[n, 3], n: i32):
    @stream
    foreach i in range(n):
        m[i, 1] = a[i]
",
        expect![[r#"
            note[strided-store]: this store to `m` is strided: the cells of neighbouring lanes lie 3 cells apart
              4 |        m[i, 1] = a[i]
                |        ^^^^^^^
              3 |    foreach i in range(n):
                |            ^ lanes run along `i`
              = lanes along the last subscript make this contiguous
              fix: exchange the subscripts of `m`, if callers pass it the other way around
                |kernel k(a: f32[n], m: f32[3, n], n: i32):
                |    @stream
                |    foreach i in range(n):
                |        m[1, i] = a[i]
            note[not-streamed]: `@stream` asks for stores past the cache, and this store to `m` takes its place in the cache: only neighbouring cells are stored past it, and the cells of these lanes lie apart
              4 |        m[i, 1] = a[i]
                |        ^^^^^^^
              = the results are the same; have the lanes of the loop store to `a[i]` and its neighbours, or take `@stream` away
        "#]],
    );
}

/// An index that is counted by hand is known as well as one that is a formula.
#[test]
fn interleaved_stores_by_a_counter_are_no_scatters() {
    check(
        "\
kernel pairs(a: f32[n], b: f32[n], n: i32):
    let j = -1
    for i in range(n / 2):
        j += 1
        a[j] = b[i] * 2.0
        j += 1
        a[j] = b[i] + 1.0
",
        expect![[""]],
    );
}

/// The witness tells nothing that contradicts itself, each doubt once, and no turn that both iterations are in.
#[test]
fn witnesses_say_what_they_know() {
    check(
        "\
kernel reversed_bits(x: f32[n], n: i32):
    let bits = 31 - clz(n)
    for i in range(n):
        j = i32(reverse_bits(u32(i)) >> u32(32 - bits))
        if i < j:
            x[i], x[j] = x[j], x[i]

kernel runs(a: i32[n], lengths: i32[n], n: i32):
    let count = 0
    for i in range(n):
        if i > 0 and a[i] == a[i - 1]:
            lengths[count - 1] += 1
        else:
            lengths[count] = 1
            count += 1

kernel bitonic(a: f32[n], n: i32):
    let size = 2
    while size <= n:
        let stride = size // 2
        while stride > 0:
            foreach i in range(n // 2):
                let low = i // stride * 2 * stride + i % stride
                if a[low] > a[low + stride]:
                    a[low], a[low + stride] = a[low + stride], a[low]
            stride //= 2
        size *= 2
",
        expect![[r#"
            note[non-linear-cell]: this loop runs in order: whether iterations touch one cell stays open, as a subscript is not linear in the loops' indices: perhaps iteration 0 writes `x[2]`, iteration 1 reads `x[2]`, with `n` = 3; `reverse_bits(u32(i)) >> u32(32 - bits)` is not linear in the iterations
              3 |    for i in range(n):
                |    ^^^^^^^^^^^^^^^^^
              6 |            x[i], x[j] = x[j], x[i]
                |                  ^^^^ iteration 0 writes `x[2]`
              6 |            x[i], x[j] = x[j], x[i]
                |                         ^^^^ iteration 1 reads `x[2]`
              fix: write `foreach`, if no iteration touches what another one writes
                |    foreach i in range(n):
            note[histogram]: this loop runs in order: iterations update cells that data chooses, perhaps one cell several times: perhaps iteration 1 writes `lengths[0]`, iteration 2 reads `lengths[0]`; that depends on `count`, `a[i]` and `a[i - 1]`, which are data
             10 |    for i in range(n):
                |    ^^^^^^^^^^^^^^^^^
             12 |            lengths[count - 1] += 1
                |            ^^^^^^^^^^^^^^^^^^ iteration 1 writes `lengths[0]`
             12 |            lengths[count - 1] += 1
                |            ^^^^^^^^^^^^^^^^^^ iteration 2 reads `lengths[0]`
              = lifting this alone gives the loop no lanes: `data-dependent-cell` would remain
            note[iterations-may-collide]: two iterations of a `foreach` may touch one cell; the compiler takes the programmer's word that they do not: perhaps iteration 0 reads `a[0]`, iteration 1 writes `a[0]`, with `stride` = 1; `i // stride` is not linear in the iterations; `i % stride` is not linear in the iterations; `a[low] > a[low + stride]` is not linear in the iterations
             22 |            foreach i in range(n // 2):
                |            ^^^^^^^^^^^^^^^^^^^^^^^^^^
             24 |                if a[low] > a[low + stride]:
                |                   ^^^^^^ iteration 0 reads `a[0]`
             25 |                    a[low], a[low + stride] = a[low + stride], a[low]
                |                    ^^^^^^ iteration 1 writes `a[0]`
              = if they do touch one cell, a run ends in an error; `for` keeps their order
            note[varying-division]: this divides integers in lanes, for which the target has no instruction, so they are divided one after the other
             23 |                let low = i // stride * 2 * stride + i % stride
                |                          ^^^^^^^^^^^
             22 |            foreach i in range(n // 2):
                |                    ^ lanes run along `i`
              = a divisor that is a constant becomes a multiplication or a shift; floats are divided in lanes
              fix: divide as `f64`, which is exact for 32 bits, if no divisor is 0
                |                let low = i32(floor(f64(i) / f64(stride))) * 2 * stride + i % stride
            note[varying-division]: this divides integers in lanes, for which the target has no instruction, so they are divided one after the other
             23 |                let low = i // stride * 2 * stride + i % stride
                |                                                     ^^^^^^^^^^
             22 |            foreach i in range(n // 2):
                |                    ^ lanes run along `i`
              = a divisor that is a constant becomes a multiplication or a shift; floats are divided in lanes
              fix: divide as `f64`, which is exact for 32 bits, if no divisor is 0
                |                let low = i // stride * 2 * stride + (i - stride * i32(f64(i) / f64(stride)))
            note[gather-varying-index]: this load of `a` is a gather: each lane has a cell of its own; the subscript grows by no fixed step
             24 |                if a[low] > a[low + stride]:
                |                   ^^^^^^
             22 |            foreach i in range(n // 2):
                |                    ^ lanes run along `i`
             24 |                if a[low] > a[low + stride]:
                |                            ^^^^^^^^^^^^^^^ and here
              = a subscript that is a multiple of the loop's index, plus a value that no iteration changes, has a pattern
            note[divergent-branch]: this condition varies from lane to lane; where lanes differ, all of them run both sides, one of which costs much
             24 |                if a[low] > a[low + stride]:
                |                   ^^^^^^^^^^^^^^^^^^^^^^^^
             24 |                if a[low] > a[low + stride]:
                |                   ^^^^^^ computed from this, which varies
             24 |                if a[low] > a[low + stride]:
                |                     ^^^ loaded from where this says, which varies
             22 |            foreach i in range(n // 2):
                |                    ^ lanes run along `i`
              = `cif` tests at run time whether all lanes take the same side, and then runs it without masks; where the sides only compute a value, `select(c, x, y)` computes both for all lanes, without a branch
              fix: write `cif`
                |                cif a[low] > a[low + stride]:
            note[scatter-varying-index]: this store to `a` is a scatter: each lane has a cell of its own; the subscript grows by no fixed step
             25 |                    a[low], a[low + stride] = a[low + stride], a[low]
                |                    ^^^^^^
             22 |            foreach i in range(n // 2):
                |                    ^ lanes run along `i`
             25 |                    a[low], a[low + stride] = a[low + stride], a[low]
                |                            ^^^^^^^^^^^^^^^ and here
              = a subscript that is a multiple of the loop's index, plus a value that no iteration changes, has a pattern
        "#]],
    );
}
