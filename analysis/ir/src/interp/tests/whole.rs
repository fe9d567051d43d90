//! Tests of ops on whole arrays.

use super::*;

fn integers(cells: &[i32]) -> Vec<Scalar> {
    cells.iter().map(|&cell| Scalar::I32(cell)).collect()
}

/// Runs a kernel as `check` does; then again, back to its start, and forth once more.
fn whole(text: &str, inputs: Inputs, expect: Expect) {
    check(text, inputs.clone(), expect);
    let start = Machine::new(kernel(text), inputs).expect("inputs that fit");
    let mut machine = start.clone();
    machine.record();
    machine.run_for(100_000);
    let end = machine.clone();
    while machine.undo() {}
    assert!(machine.is_at_same_moment(&start), "undone to the start");
    machine.run_for(100_000);
    assert!(machine.is_at_same_moment(&end), "and back to the end");
}

/// Runs the statements on `a = 1 … 6`, `b = 0 …`, a matrix of 2 rows and 3 columns and `n = 6`.
fn on_arrays(statements: &str, expect: Expect) {
    let text = format!("kernel f(a: i32[n], b: i32[n], m: i32[2, 3], n: i32):\n{statements}");
    let a = integers(&[1, 2, 3, 4, 5, 6]);
    let matrix = integers(&[10, 20, 30, 40, 50, 60]);
    whole(
        &text,
        Inputs::new().array(&a, &[6]).array(&integers(&[0; 6]), &[6]).array(&matrix, &[2, 3]).scalar(6),
        expect,
    );
}

#[test]
fn arithmetic_goes_element_by_element() {
    on_arrays(
        "    let c = (((a * a) + 1) - b)
    assign(b, select((c > 9), c, (-c)))
    let d = (slice(b, 0, 3, 1) + row(m, 1))
    assign(slice(a, 5, -1, -2), d)
    assign(slice(m, 0, 2, 1, dim=1), 7)
",
        expect![[r#"
            a = [1, 70, 3, 45, 5, 38]
            b = [-2, -5, 10, 17, 26, 37]
            m = [7, 7, 30, 7, 7, 60]
        "#]],
    );
}

#[test]
fn constant_arrays_hold_what_is_written() {
    on_arrays(
        "    let t = table(2, 3, i32=[7, 8, 9, 10, 11, 12])
    assign(slice(a, 0, 3, 1), row(t, 1))
    assign(m, (t * t))
    b[0] = t[0, 2]
    b[1] = i32(size(t, dim=1))
    b[2] = t[2, 0]
",
        expect![[r#"
            line 7: IndexOutOfRange { index: 2, size: 2 } in lane None of iteration []
            a = [10, 11, 12, 4, 5, 6]
            b = [9, 3, 0, 0, 0, 0]
            m = [49, 64, 81, 100, 121, 144]
        "#]],
    );
}

#[test]
fn what_overlaps_is_given_as_it_was_before() {
    on_arrays(
        "    assign(slice(a, 1, n, 1), slice(a, 0, (n - 1), 1))
    assign(b, slice(a, (n - 1), -1, -1))
    assign(slice(b, 0, 5, 1), slice(b, 1, 6, 1))
    assign(row(m, 0), row(m, 0))
",
        expect![[r#"
            a = [1, 1, 2, 3, 4, 5]
            b = [4, 3, 2, 1, 1, 1]
            m = [10, 20, 30, 40, 50, 60]
        "#]],
    );
}

#[test]
fn new_arrays_are_filled() {
    on_arrays(
        "    let i = iota(n)
    let r = replicate(2, row(m, 1))
    let e = elements(row(m, 1), row(m, 0))
    let z = replicate(n, 100)
    assign(b, (i + z))
    assign(m, (r + e))
    assign(slice(a, 0, 3, 1), elements(n, 8, 9))
    assign(slice(a, 0, 0, 1), iota(0))
",
        expect![[r#"
            a = [6, 8, 9, 4, 5, 6]
            b = [100, 101, 102, 103, 104, 105]
            m = [80, 100, 120, 50, 70, 90]
        "#]],
    );
}

#[test]
fn map_reduce_and_scan_go_over_elements() {
    on_arrays(
        "    let sums = map r in m:
        let s = reduce x in r with s = 0:
            yield (s + x)
        yield s
    let t, p = reduce x in a, y in a with t = 100, p = 1:
        yield (t - x), (p * y)
    let last = reduce x in a reducing max from 0:
        yield (x * 2)
    let q, k = scan x in a with q = 0, k = 1:
        yield (q + x), (q + k)
    assign(b, (q + k))
    a[0] = sums[0]
    a[1] = sums[1]
    a[2] = t
    a[3] = p
    a[4] = last
    let twice, flags = map r in m, j in iota(2):
        yield (r * (j + 1)), (r > 30)
    assign(m, select(flags, twice, 0))
",
        expect![[r#"
            a = [60, 150, 79, 720, 12, 6]
            b = [2, 5, 11, 21, 36, 57]
            m = [0, 0, 0, 80, 100, 120]
        "#]],
    );
}

#[test]
fn matrices_are_mapped_to_matrices() {
    on_arrays(
        "    let outer = map x in slice(a, 0, 2, 1):
        let inner = map y in row(m, 1):
            yield (x * y)
        yield inner
    let turned = map j in iota(3):
        let column = map r in outer:
            yield r[j]
        yield column
    assign(m, outer)
    let sums = reduce r in turned with s = replicate(2, 0):
        yield (s + r)
    assign(slice(b, 0, 2, 1), sums)
    let rows = scan r in outer with s = replicate(3, 1):
        yield (s + r)
    assign(slice(b, 2, 5, 1), row(rows, 1))
    b[5] = (i32(size(turned)) + i32(size(turned, dim=1)))
",
        expect![[r#"
            a = [1, 2, 3, 4, 5, 6]
            b = [150, 300, 121, 151, 181, 5]
            m = [40, 50, 60, 80, 100, 120]
        "#]],
    );
}

#[test]
fn nothing_maps_to_nothing() {
    on_arrays(
        "    let none = slice(a, 0, 0, 1)
    let e = map x in none:
        yield (x + 1)
    let known = map x in none:
        yield replicate(n, x)
    let unknown = map x in none:
        yield replicate(x, x)
    let s, t = scan x in none with s = 0, t = a:
        yield s, t
    let r = reduce x in none with r = 7:
        yield x
    let w = reduce x in none with w = a:
        yield (w + x)
    let sum = reduce x in none reducing + from 8:
        yield x
    b[0] = i32(size(e))
    b[1] = i32((size(known) + size(known, dim=1)))
    b[2] = i32((size(unknown) + size(unknown, dim=1)))
    b[3] = i32((size(s) + size(t, dim=1)))
    b[4] = (r + sum)
    b[5] = w[5]
",
        expect![[r#"
            a = [1, 2, 3, 4, 5, 6]
            b = [0, 6, 0, 6, 15, 6]
            m = [10, 20, 30, 40, 50, 60]
        "#]],
    );
}

#[test]
fn arrays_are_values() {
    on_arrays(
        "    let x, y = for i in range(0, 3) with x = a, y = b:
        let next = (x + y)
        x[i] = 100
        yield next, x
    let z = if (n > 5):
        yield x
    else:
        yield b
    let k, v = while (k < 3) with k = 0, v = z:
        let t = temp(n, type=i32)
        assign(t, (v * 2))
        t[k] = 0
        yield (k + 1), t
    assign(row(m, 0), slice(v, 0, 3, 1))
    assign(row(m, 1), slice(y, 0, 3, 1))
    z[0] = -1
    b[0] = x[0]
",
        expect![[r#"
            a = [100, 2, 3, 4, 5, 6]
            b = [-1, 0, 0, 0, 0, 0]
            m = [0, 0, 0, 101, 4, 100]
        "#]],
    );
}

#[test]
fn errors_are_at_the_op() {
    let run = |statements: &str, expect: Expect| on_arrays(statements, expect);
    run(
        "    assign(b, (a + slice(a, 1, n, 1)))\n",
        expect![[r#"
        line 2: SizesDiffer(6, 5) in lane None of iteration []
        a = [1, 2, 3, 4, 5, 6]
        b = [0, 0, 0, 0, 0, 0]
        m = [10, 20, 30, 40, 50, 60]
    "#]],
    );
    run(
        "    assign(b, slice(a, 1, n, 1))\n",
        expect![[r#"
        line 2: SizesDiffer(6, 5) in lane None of iteration []
        a = [1, 2, 3, 4, 5, 6]
        b = [0, 0, 0, 0, 0, 0]
        m = [10, 20, 30, 40, 50, 60]
    "#]],
    );
    run(
        "    let s = (slice(m, 0, 2, 1, dim=1) * m)\n",
        expect![[r#"
        line 2: SizesDiffer(2, 3) in lane None of iteration []
        a = [1, 2, 3, 4, 5, 6]
        b = [0, 0, 0, 0, 0, 0]
        m = [10, 20, 30, 40, 50, 60]
    "#]],
    );
    run(
        "    let s = (a // b)\n",
        expect![[r#"
        line 2: Arithmetic(DivisionByZero) in lane None of iteration []
        a = [1, 2, 3, 4, 5, 6]
        b = [0, 0, 0, 0, 0, 0]
        m = [10, 20, 30, 40, 50, 60]
    "#]],
    );
    run(
        "    let s = (a * 2147483647)\n",
        expect![[r#"
        line 2: Arithmetic(Overflow) in lane None of iteration []
        a = [1, 2, 3, 4, 5, 6]
        b = [0, 0, 0, 0, 0, 0]
        m = [10, 20, 30, 40, 50, 60]
    "#]],
    );
    run(
        "    let s = iota((n - 7))\n",
        expect![[r#"
        line 2: BadSize(-1) in lane None of iteration []
        a = [1, 2, 3, 4, 5, 6]
        b = [0, 0, 0, 0, 0, 0]
        m = [10, 20, 30, 40, 50, 60]
    "#]],
    );
    run(
        "    let s = replicate(-1, n)\n",
        expect![[r#"
        line 2: BadSize(-1) in lane None of iteration []
        a = [1, 2, 3, 4, 5, 6]
        b = [0, 0, 0, 0, 0, 0]
        m = [10, 20, 30, 40, 50, 60]
    "#]],
    );
    run(
        "    let s = replicate(100000000, a)\n",
        expect![[r#"
        line 2: BadSize(100000000) in lane None of iteration []
        a = [1, 2, 3, 4, 5, 6]
        b = [0, 0, 0, 0, 0, 0]
        m = [10, 20, 30, 40, 50, 60]
    "#]],
    );
    run(
        "    let s = elements(a, slice(a, 1, n, 1))\n",
        expect![[r#"
        line 2: SizesDiffer(6, 5) in lane None of iteration []
        a = [1, 2, 3, 4, 5, 6]
        b = [0, 0, 0, 0, 0, 0]
        m = [10, 20, 30, 40, 50, 60]
    "#]],
    );
    run(
        "    let s = map x in a, y in slice(a, 1, n, 1):\n        yield (x + y)\n",
        expect![[r#"
        line 2: SizesDiffer(6, 5) in lane None of iteration []
        a = [1, 2, 3, 4, 5, 6]
        b = [0, 0, 0, 0, 0, 0]
        m = [10, 20, 30, 40, 50, 60]
    "#]],
    );
    run(
        "    let s = map x in a:\n        yield iota((x % 2))\n",
        expect![[r#"
            line 2: SizesDiffer(1, 0) in lane None of iteration []
            a = [1, 2, 3, 4, 5, 6]
            b = [0, 0, 0, 0, 0, 0]
            m = [10, 20, 30, 40, 50, 60]
        "#]],
    );
    run(
        "    let s = scan x in a with s = a:\n        yield slice(s, 0, (n - x), 1)\n",
        expect![[r#"
            line 2: SizesDiffer(6, 5) in lane None of iteration []
            a = [1, 2, 3, 4, 5, 6]
            b = [0, 0, 0, 0, 0, 0]
            m = [10, 20, 30, 40, 50, 60]
        "#]],
    );
    run(
        "    let s = map x in a:\n        yield (12 / (4 - x))\n",
        expect![[r#"
            line 3: Arithmetic(DivisionByZero) in lane None of iteration []
            a = [1, 2, 3, 4, 5, 6]
            b = [0, 0, 0, 0, 0, 0]
            m = [10, 20, 30, 40, 50, 60]
        "#]],
    );
    run(
        "    let s = reduce x in a reducing + from 0:\n        yield (x * 500000000)\n",
        expect![[r#"
            line 2: Arithmetic(Overflow) in lane None of iteration []
            a = [1, 2, 3, 4, 5, 6]
            b = [0, 0, 0, 0, 0, 0]
            m = [10, 20, 30, 40, 50, 60]
        "#]],
    );
    run(
        "    foreach i in range(0, n):\n        assign(b, a)\n",
        expect![[r#"
        line 3: Collision { array: "b", cell: [0], first: [0], second: [1] } in lane None of iteration [1]
        a = [1, 2, 3, 4, 5, 6]
        b = [1, 2, 3, 4, 5, 6]
        m = [10, 20, 30, 40, 50, 60]
    "#]],
    );
    run(
        "    foreach i in range(0, 2):\n        let s = (m + i)\n        m[i, i] = s[i, 0]\n",
        expect![[r#"
        line 3: Collision { array: "m", cell: [0, 0], first: [0], second: [1] } in lane None of iteration [1]
        a = [1, 2, 3, 4, 5, 6]
        b = [0, 0, 0, 0, 0, 0]
        m = [10, 20, 30, 40, 50, 60]
    "#]],
    );
    run(
        "    let z = if (n > 5):\n        let t = (a + 0)\n        yield t\n    else:\n        yield b\n    foreach i in range(0, n):\n        z[0] = i\n",
        expect![[r#"
            line 8: Collision { array: "t", cell: [0], first: [0], second: [1] } in lane None of iteration [1]
            a = [1, 2, 3, 4, 5, 6]
            b = [0, 0, 0, 0, 0, 0]
            m = [10, 20, 30, 40, 50, 60]
        "#]],
    );
    run(
        "    let s = map r in m:\n        foreach i in range(0, n):\n            r[1] = i\n        yield 0\n",
        expect![[r#"
            line 4: Collision { array: "m", cell: [0, 1], first: [0], second: [1] } in lane None of iteration [1]
            a = [1, 2, 3, 4, 5, 6]
            b = [0, 0, 0, 0, 0, 0]
            m = [10, 0, 30, 40, 50, 60]
        "#]],
    );
}

#[test]
fn new_arrays_have_a_limit_together() {
    let text = "kernel f(n: i32):\n    for i in range(0, n):\n        let s = iota(5)\n";
    let mut machine = Machine::new(kernel(text), Inputs::new().scalar(100)).expect("inputs that fit");
    machine.record();
    machine.step();
    let before = machine.clone();
    // As if much had been made: even a small array counts for 64 bytes.
    machine.state.made_bytes = (1 << 30) - 128;
    assert_eq!(machine.run_for(1000), Stop::Over);
    let MachineStatus::Failed(error) = machine.status() else { panic!("there is room for all of them") };
    assert_eq!((&error.kind, &error.iteration[..]), (&ErrorKind::OutOfMemory, &[2][..]));
    while machine.undoable() > 1 {
        machine.undo();
    }
    machine.state.made_bytes -= (1 << 30) - 128;
    assert!(machine.is_at_same_moment(&before));
}

/// Six iterations in groups of four lanes.
#[test]
fn lanes_that_run_together_have_arrays_of_their_own() {
    on_arrays(
        "    foreach i in range(0, n) in 4 lanes:
        let own = (slice(a, 0, i, 1) * i)
        let sum = reduce x in own with s = 0:
            yield (s + x)
        let squares = map x in own:
            yield (x * x)
        let k = reduce x in squares reducing + from 0:
            yield x
        b[i] = ((1000 * sum) + k)
",
        expect![[r#"
            a = [1, 2, 3, 4, 5, 6]
            b = [0, 1001, 6020, 18126, 40480, 76375]
            m = [10, 20, 30, 40, 50, 60]
        "#]],
    );
    on_arrays(
        "    foreach i in range(0, n) in 4 lanes:
        let own = iota(i)
        let sums = scan x in own with s = i:
            yield (s + x)
        let rows = map x in own:
            let line = replicate(i, x)
            let y = if ((i % 2) == 0):
                yield line
            else:
                yield (line * 2)
            yield y
        let t = (replicate((i + 1), i) + count_on(true))
        let last = if (i > 0):
            yield (sums[(i - 1)] + rows[(i - 1), 0])
        else:
            let z = elements(i, 3)
            assign(z, 5)
            yield z[1]
        b[i] = ((1000 * t[i]) + last)
",
        expect![[r#"
            a = [1, 2, 3, 4, 5, 6]
            b = [4005, 5001, 6004, 7010, 6013, 7023]
            m = [10, 20, 30, 40, 50, 60]
        "#]],
    );
    on_arrays(
        "    foreach i in range(0, n) in 4 lanes:
        let own = slice(a, i, (i + 1), 1)
        assign(own, (own + 1))
        assign(b, own)
",
        expect![[r#"
            line 5: SizesDiffer(6, 1) in lane Some(0) of iteration [0]
            a = [2, 3, 4, 5, 5, 6]
            b = [0, 0, 0, 0, 0, 0]
            m = [10, 20, 30, 40, 50, 60]
        "#]],
    );
    on_arrays(
        "    foreach i in range(0, n) in 4 lanes:
        let none = slice(a, 0, 0, 1)
        let rows, ones = map x in none:
            yield replicate(n, x), 1
        let last = scan x in none with s = i:
            yield (s + x)
        let sum = reduce x in none with s = i:
            yield (s + x)
        b[i] = (i32(((size(rows, dim=1) * 10) + (size(ones) + size(last)))) + sum)
",
        expect![[r#"
            a = [1, 2, 3, 4, 5, 6]
            b = [60, 61, 62, 63, 64, 65]
            m = [10, 20, 30, 40, 50, 60]
        "#]],
    );
}

#[test]
fn a_long_op_can_be_cancelled() {
    let text = "kernel f(a: i32[n], n: i32):\n    assign(a, 1)\n    assign(a, 2)\n    assign(a, 3)\n";
    let inputs = Inputs::new().array(&integers(&[0; 3]), &[3]).scalar(3);
    let mut machine = Machine::new(kernel(text), inputs).expect("inputs that fit");
    let mut polls = 0;
    let mut cancelled = || {
        polls += 1;
        polls > 2
    };
    let mut limits = Limits { fuel: 1000, breakpoints: &HashSet::new(), cancelled: &mut cancelled };
    assert_eq!(machine.run(&mut limits), Stop::Cancelled);
    assert_eq!(scalars_of(&machine.memory()[0], Elem::I32), integers(&[2; 3]));
}
