//! Tests of the interpreter: the results of runs, and the messages of runs that fail.

mod generated;
mod together;
mod whole;

use std::collections::HashSet;
use std::sync::Arc;

use expect_test::{Expect, expect};

use super::*;
use crate::program::Kernel;
use crate::types::{Elem, Type};
use crate::{Code, read};

fn kernel(text: &str) -> Arc<Kernel> {
    Arc::new(read(text, Some(4)).unwrap_or_else(|error| panic!("{error}")).remove(0))
}

fn floats(cells: &[f32]) -> Vec<Scalar> {
    cells.iter().map(|&cell| Scalar::F32(cell)).collect()
}

/// Runs a kernel; shows its result or error, and every array afterwards.
fn check(text: &str, inputs: Inputs, expect: Expect) {
    let kernel = kernel(text);
    let mut machine = Machine::new(Arc::clone(&kernel), inputs.clone()).unwrap_or_else(|problem| panic!("{problem}"));
    assert_eq!(machine.run_for(100_000), Stop::Over);
    let mut shown = match machine.status() {
        MachineStatus::Done(result) => result.map_or(String::new(), |result| format!("{result:?}\n")),
        MachineStatus::Failed(error) => {
            let line = kernel.origins[error.origin].place;
            format!("line {line}: {:?} in lane {:?} of iteration {:?}\n", error.kind, error.lane, error.iteration)
        }
        MachineStatus::Running => unreachable!("the run is over"),
    };
    for (param, arg) in kernel.params.iter().zip(&inputs.args) {
        if let (Arg::Array { memory, .. }, Type::View { item: crate::CellType::Elem(elem), .. }) =
            (arg, kernel.ty(param.value))
        {
            let name = kernel.values[param.value].name.as_deref().unwrap_or_default();
            let cells: Vec<String> =
                scalars_of(&machine.memory()[*memory], elem).iter().map(Scalar::to_string).collect();
            shown += &format!("{name} = [{}]\n", cells.join(", "));
        }
    }
    expect.assert_eq(&shown);
}

#[test]
fn the_first_programs_run() {
    let scale_audio = "\
kernel scale_audio(samples, out, n, volume):
    vector_for base in range(0, n, LANES):
        let i = (base + lane_id)
        let active = (i < n)
        masked_store(out, i, (masked_load(samples, i, active) * volume), active)
";
    let inputs = Inputs::new().array(&floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), &[6]).array(&floats(&[0.0; 6]), &[6]);
    check(
        scale_audio,
        inputs.scalar(6).scalar(0.5f32),
        expect![[r#"
        samples = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
        out = [0.5, 1.0, 1.5, 2.0, 2.5, 3.0]
    "#]],
    );
    let color_by_number = "\
kernel color_by_number(color_number, colors, out, n):
    vector_for base in range(0, n, LANES):
        let i = (base + lane_id)
        let active = (i < n)
        let number = masked_load(color_number, i, active)
        masked_store(out, i, gather(colors, number, active), active)
";
    let numbers: Vec<Scalar> = [2, 0, 1, 1, 2].map(Scalar::I32).to_vec();
    let inputs = || Inputs::new().array(&floats(&[0.1, 0.2, 0.3]), &[3]).array(&floats(&[0.0; 5]), &[5]).scalar(5);
    let with = |numbers: &[Scalar]| {
        let mut all = Inputs::new().array(numbers, &[5]);
        for (arg, memory) in inputs().args.into_iter().zip([Some(0), Some(1), None]) {
            all.args.push(match arg {
                Arg::Array { start, sizes, .. } => {
                    Arg::Array { memory: memory.map_or(0, |memory: usize| memory + 1), start, sizes }
                }
                scalar => scalar,
            });
        }
        all.memory.extend(inputs().memory);
        all
    };
    check(
        color_by_number,
        with(&numbers),
        expect![[r#"
        color_number = [2, 0, 1, 1, 2]
        colors = [0.1, 0.2, 0.3]
        out = [0.3, 0.1, 0.2, 0.2, 0.3]
    "#]],
    );
    let wrong: Vec<Scalar> = [2, 0, 1, 1, 3].map(Scalar::I32).to_vec();
    check(
        color_by_number,
        with(&wrong),
        expect![[r#"
            line 6: IndexOutOfRange { index: 3, size: 3 } in lane Some(0) of iteration [4]
            color_number = [2, 0, 1, 1, 3]
            colors = [0.1, 0.2, 0.3]
            out = [0.3, 0.1, 0.2, 0.2, 0.0]
        "#]],
    );
}

#[test]
fn near_the_top_of_the_range_active_is_exact() {
    // i32 ends within the group: a wrapped sum would be below the bound again.
    let text = "\
kernel count(n) -> i32:
    let total = for start in range(2147483644, n) with t = 0:
        let lanes = vector_for base in range(start, n, LANES) with c = 0:
            yield (c + count_on(((base + lane_id) < n)))
        yield (t + lanes)
    return total
";
    check(
        text,
        Inputs::new().scalar(i32::MAX),
        expect![[r#"
        i32(6)
    "#]],
    );
}

#[test]
fn errors_name_place_lane_and_iteration() {
    let run = |body: &str, expect: Expect| {
        let text = format!("kernel f(a: i32[n, 3], x, n: i32):\n{body}    x[0] = 0.0\n");
        let cells: Vec<Scalar> = (0..12).map(Scalar::I32).collect();
        let inputs = Inputs::new().array(&cells, &[4, 3]).array(&floats(&[1.5, f32::NAN, -3e9]), &[3]).scalar(4);
        let kernel = kernel(&text);
        let mut machine = Machine::new(Arc::clone(&kernel), inputs).expect("inputs that fit");
        machine.run_for(100_000);
        let MachineStatus::Failed(error) = machine.status() else { panic!("{body} is fine") };
        let line = kernel.origins[error.origin].place;
        let lane = error.lane.map_or(String::new(), |lane| format!(", lane {lane}"));
        expect.assert_eq(&format!("line {line}{lane}, {:?}: {:?}", error.iteration, error.kind));
    };
    run(
        "    for i in range(0, n):\n        for j in range(0, 4):\n            a[i, j] = i\n",
        expect!["line 4, [0, 3]: IndexOutOfRange { index: 3, size: 3 }"],
    );
    run(
        "    for i in range(n, -2, -1):\n        a[(i - 1), 0] = i\n",
        expect!["line 3, [0]: IndexOutOfRange { index: -1, size: 4 }"],
    );
    run("    a[0, 0] = (a[3, 2] / a[0, 0])\n", expect!["line 2, []: Arithmetic(DivisionByZero)"]);
    run("    a[0, 0] = (2147483647 + a[0, 1])\n", expect!["line 2, []: Arithmetic(Overflow)"]);
    run("    a[0, 0] = (1 << (n * 8))\n", expect!["line 2, []: Arithmetic(ShiftTooFar)"]);
    run("    for i in range(0, 3):\n        a[0, 0] = i32(x[i])\n", expect!["line 3, [1]: Arithmetic(CastOutOfRange)"]);
    run("    assert((n < 4))\n", expect!["line 2, []: AssertFailed"]);
    run("    for i in range(0, n, a[0, 0]):\n        pass\n", expect!["line 2, []: ZeroStep"]);
    run("    let r = row(a, n)\n    r[0] = 1\n", expect!["line 2, []: IndexOutOfRange { index: 4, size: 4 }"]);
    run(
        "    let s = slice(a, 1, 4, 1, dim=1)\n    s[0, 0] = 1\n",
        expect!["line 2, []: IndexOutOfRange { index: 3, size: 3 }"],
    );
    run("    let t = temp((n - 5), type=f32)\n    t[0] = 1.0\n", expect!["line 2, []: BadSize(-1)"]);
    run("    x[0] = unknown(n, type=f32)\n", expect!["line 2, []: Unknown"]);
    run(
        "    foreach i in range(0, n), j in range(0, 3):\n        a[i, (j / 2)] = i\n",
        expect![[r#"line 3, [0, 1]: Collision { array: "a", cell: [0, 0], first: [0, 0], second: [0, 1] }"#]],
    );
    run(
        "    foreach i in range(1, n):\n        a[i, 0] = a[(i - 1), 0]\n",
        expect![[r#"line 3, [2]: Collision { array: "a", cell: [1, 0], first: [1], second: [2] }"#]],
    );
    let lanes = "    vector_for base in range(0, n, LANES):\n        let i = (base + lane_id)\n";
    run(
        &format!("{lanes}        scatter(a, i, 0, i, (i < 5))\n        scatter(a, (3 / (i - 2)), 0, 1)\n"),
        expect!["line 5, lane 0, [0]: IndexOutOfRange { index: -1, size: 4 }"],
    );
    run(
        &format!("{lanes}        scatter(a, 0, (i * 2), 1, (i < 3))\n"),
        expect!["line 4, lane 2, [2]: IndexOutOfRange { index: 4, size: 3 }"],
    );
    run(&format!("{lanes}        vector_store(a, 0, (i * 2), 1)\n"), expect!["line 4, [0]: BrokenPromise"]);
    run(&format!("{lanes}        a[0, 0] = extract(i, n)\n"), expect!["line 4, [0]: NoSuchLane(4)"]);
    run(
        &format!("{lanes}        a[0, 0] = reduce_add((i / (i - 1)), (i > 1))\n        assert(all((i < 3)))\n"),
        expect!["line 5, [0]: AssertFailed"],
    );
}

#[test]
fn inactive_lanes_cause_no_error() {
    let text = "\
kernel f(a, d: i32[?], n) -> i32:
    vector_for base in range(0, n, LANES):
        let i = (base + lane_id)
        let on = (i < n)
        let divisor = masked_load(d, i, on)
        let whole = (on & (divisor != 0))
        let quotient = (100 / divisor)
        let safe = select(whole, quotient, 0)
        masked_store(a, i, f32(safe), on)
        scatter(a, quotient, 1.0, (whole & (quotient < 5)))
    return n
";
    let divisors: Vec<Scalar> = [50, 0, 100, 25, 0].map(Scalar::I32).to_vec();
    let inputs = Inputs::new().array(&floats(&[9.0; 5]), &[5]).array(&divisors, &[5]).scalar(5);
    check(
        text,
        inputs,
        expect![[r#"
        i32(5)
        a = [2.0, 1.0, 1.0, 4.0, 0.0]
        d = [50, 0, 100, 25, 0]
    "#]],
    );
}

#[test]
fn reductions_keep_the_order_that_the_language_fixes() {
    let scalar = "\
kernel sum(a, n) -> f32:
    let s = for i in range(0, n) reducing + from 1.0:
        yield a[i]
    return s
";
    let in_lanes = "\
kernel sum(a, n) -> f32:
    let s = vector_for base in range(0, n, LANES) reducing + from 1.0:
        let i = (base + lane_id)
        yield select((i < n), masked_load(a, i, (i < n)), -0.0)
    return s
";
    let cells: Vec<f32> = (0..131).map(|k| if k % 3 == 0 { 1e7 + k as f32 } else { -0.1 * k as f32 }).collect();
    // By hand: 64 partial sums, joined by halves, and the initial value last.
    let mut partials = [-0.0f32; 64];
    cells.iter().enumerate().for_each(|(k, cell)| partials[k % 64] += cell);
    let mut half = 32;
    while half > 0 {
        (0..half).for_each(|k| partials[k] += partials[k + half]);
        half /= 2;
    }
    let wanted = 1.0 + partials[0];
    let in_order: f32 = cells.iter().fold(1.0, |sum, cell| sum + cell);
    assert_ne!(wanted, in_order, "the test has to tell the orders apart");
    for text in [scalar, in_lanes] {
        let inputs = Inputs::new().array(&floats(&cells), &[131]).scalar(131);
        let mut machine = Machine::new(kernel(text), inputs).expect("inputs that fit");
        machine.run_for(100_000);
        assert_eq!(*machine.status(), MachineStatus::Done(Some(Scalar::F32(wanted))));
    }
}

#[test]
fn lanes_move_as_they_say() {
    let text = "\
kernel moves(a, b):
    vector_for base in range(0, 4, LANES):
        let x = vector_load(a, base)
        vector_store(b, 0, rotate(x, 1))
        vector_store(b, 4, reverse(x))
        vector_store(b, 8, permute(x, x, pattern=[0, 4, 1, 5]))
        vector_store(b, 12, shuffle(x, ((base + lane_id) ^ 1)))
        reversed_store(b, lane_index(19, -1), x)
        strided_store(b, lane_index(20, 2), x, stride=2)
        compress_store(b, 28, x, (x > 1.5))
        masked_store(b, 32, expand_load(a, 1, (x > 1.5)), (x > 0.0))
        masked_store(b, 36, scan_add(x, (x > 1.5)), (x > 0.0))
        b[40] = reduce_add(x, (x < 3.5))
        b[41] = fold_mul(0.5, x)
        b[42] = f32(first_on((x > 2.5)))
        b[43] = f32(count_on((x > 2.5)))
        let p, q = interleaved_load(b, 20, (x > 0.0), members=2)
        interleaved_store(b, 44, (x > 0.0), q, p)
        masked_store(b, 52, repeated_load(a, ((base + lane_id) / 2), times=2), (x > 0.0))
";
    let inputs = Inputs::new().array(&floats(&[1.0, 2.0, 3.0, 4.0]), &[4]).array(&floats(&[0.0; 56]), &[56]);
    check(
        text,
        inputs,
        expect![[r#"
            a = [1.0, 2.0, 3.0, 4.0]
            b = [2.0, 3.0, 4.0, 1.0, 4.0, 3.0, 2.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 1.0, 4.0, 3.0, 4.0, 3.0, 2.0, 1.0, 1.0, 0.0, 2.0, 0.0, 3.0, 0.0, 4.0, 0.0, 2.0, 3.0, 4.0, 0.0, 0.0, 2.0, 3.0, 4.0, 0.0, 0.0, 2.0, 5.0, 6.0, 12.0, 2.0, 2.0, 0.0, 1.0, 0.0, 2.0, 0.0, 3.0, 0.0, 4.0, 1.0, 1.0, 2.0, 2.0]
        "#]],
    );
}

#[test]
fn views_are_parts_of_arrays() {
    let text = "\
struct P:
    flag: bool
    x: f64
    k: i16

kernel parts(m: i32[n, n], p: P[2], n) -> f64:
    let r = row(m, 1)
    r[0] = 10
    let s = slice(r, 2, -1, -2)
    s[0] = i32(size(s))
    s[1] = (s[1] + 5)
    let column = slice(slice(m, 2, 3, 1, dim=1), 0, n, 2)
    column[1, 0] = 77
    p.x[1] = (p.x[0] * 2.0)
    p.k[0] = -2
    return p.x[1]
";
    let cells: Vec<Scalar> = (0..9).map(Scalar::I32).collect();
    let mut structs = vec![0; 48];
    structs[8..16].copy_from_slice(&1.25f64.to_le_bytes());
    let inputs = Inputs::new().array(&cells, &[3, 3]).bytes(structs, &[2]).scalar(3);
    check(
        text,
        inputs,
        expect![[r#"
        f64(2.5)
        m = [0, 1, 2, 15, 4, 2, 6, 7, 77]
    "#]],
    );
}

#[test]
fn rows_may_differ_from_lane_to_lane() {
    let text = "\
kernel rows(m: f32[?, ?], out, n):
    vector_for base in range(0, 4, LANES):
        let i = (base + lane_id)
        let r = row(m, i)
        vector_store(out, i, splat(0.0))
        masked_store(out, i, gather(r, (1 - i), (i < n)), (i < n))
";
    let inputs = Inputs::new().array(&floats(&[1.0, 2.0, 3.0, 4.0]), &[2, 2]).array(&floats(&[5.0; 4]), &[4]).scalar(2);
    check(
        text,
        inputs,
        expect![[r#"
        m = [1.0, 2.0, 3.0, 4.0]
        out = [2.0, 3.0, 0.0, 0.0]
    "#]],
    );
}

const COUNTING: &str = "\
kernel counting(a: i32[?], n):
    for i in range(0, n):
        a[0] = (a[0] + i)
";

fn counting(n: i32) -> Machine {
    let inputs = Inputs::new().array(&[Scalar::I32(0)], &[1]).scalar(n);
    Machine::new(kernel(COUNTING), inputs).expect("inputs that fit")
}

#[test]
fn a_run_stops_at_its_limits_and_goes_on() {
    let mut machine = counting(100);
    assert_eq!(machine.run_for(7), Stop::Fuel);
    let store = kernel(COUNTING).ops.iter().find(|(_, op)| op.code == Code::Store).expect("a store").1.origin;
    let breakpoints = HashSet::from([store]);
    let mut limits = Limits { fuel: 1000, breakpoints: &breakpoints, cancelled: &mut || false };
    let Stop::Breakpoint(_) = machine.run(&mut limits) else { panic!("no breakpoint") };
    let first = machine.iteration();
    let Stop::Breakpoint(_) = machine.run(&mut limits) else { panic!("no second breakpoint") };
    assert!(machine.iteration() >= first);
    let mut polls = 0;
    let mut cancelled = || {
        polls += 1;
        polls > 1
    };
    let mut limits = Limits { fuel: 1000, breakpoints: &HashSet::new(), cancelled: &mut cancelled };
    assert_eq!(machine.run(&mut limits), Stop::Cancelled);
    assert_eq!(*machine.status(), MachineStatus::Running);
    assert_eq!(machine.run_for(10_000), Stop::Over);
    assert_eq!(scalars_of(&machine.memory()[0], Elem::I32), [Scalar::I32(4950)]);
}

#[test]
fn what_a_step_did_can_be_watched() {
    let mut machine = counting(1);
    machine.watch();
    let mut seen = String::new();
    while *machine.status() == MachineStatus::Running {
        seen += &format!("{:?}\n", machine.place());
        machine.step();
        for event in machine.events() {
            seen += &format!("    {event:?}\n");
        }
    }
    expect![[r#"
        Op(op0)
            Made(v4)
        Op(op1)
            Touched { op: op1, lane: None, memory: 0, byte: 0, value: i32(0), write: false }
            Made(v5)
        Op(op2)
            Made(v6)
        Op(op3)
            Touched { op: op3, lane: None, memory: 0, byte: 0, value: i32(0), write: true }
        End(region1)
        End(region0)
    "#]]
    .assert_eq(&seen);
}

#[test]
fn inputs_have_to_fit() {
    let problem =
        |inputs: Inputs| Machine::new(kernel("kernel f(a: f32[(2 * n)], b, n):\n    a[0] = b[0]\n"), inputs).err();
    let cells = floats(&[0.0; 4]);
    let fine = || Inputs::new().array(&cells, &[4]).array(&cells, &[4]);
    assert_eq!(problem(fine().scalar(2)), None);
    let mut shared = fine().scalar(2);
    shared.args[1] = Arg::Array { memory: 0, start: 8, sizes: vec![1] };
    let mut outside = fine().scalar(2);
    outside.args[1] = Arg::Array { memory: 1, start: 8, sizes: vec![3] };
    let problems = [fine(), fine().scalar(2.0f32), fine().scalar(3), fine().array(&cells, &[4]), shared, outside];
    let problems: Vec<String> = problems.into_iter().map(|inputs| problem(inputs).unwrap_or_default()).collect();
    expect![[r#"
        2 arguments for 3 parameters
        dimension 0 of `a` has a size that no number stands for
        dimension 0 of `a` is 4, but should be 6
        dimension 0 of `a` has a size that no number stands for
        `a` and `b` overlap, which the kernel does not expect
        `b` ends at byte 20 of 16"#]]
    .assert_eq(&problems.join("\n"));
}
