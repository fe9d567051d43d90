//! Tests of iterations that run together as lanes.

use super::*;

fn integers(cells: &[i32]) -> Vec<Scalar> {
    cells.iter().map(|&cell| Scalar::I32(cell)).collect()
}

/// Six iterations in groups of four: a whole group, and one with two lanes.
fn together(block: &str, expect: Expect) {
    let text = format!("kernel f(a: i32[?], b: i32[?], n):\n    foreach i in range(0, n) in 4 lanes:\n{block}");
    let a = integers(&[1, 2, 3, 4, 5, 6]);
    check(&text, Inputs::new().array(&a, &[6]).array(&integers(&[0; 6]), &[6]).scalar(6), expect);
}

#[test]
fn lanes_run_together_and_ask_each_other() {
    let expressions = [
        "((lane_id * 10) + count_on(true))",
        "reduce_add(a[i])",
        "scan_add(a[i])",
        "shuffle(a[i], (1 - (lane_id % 2)))",
        "rotate(a[i], (lane_id *% 2))",
        "((reduce_min(a[i]) * 100) + reduce_max(a[i]))",
        "select(any((a[i] > 5)), first_on((a[i] > 5)), -1)",
        "expand_load(a, (i - lane_id))",
    ];
    let mut given = String::new();
    for expression in expressions {
        let text = format!(
            "kernel f(a: i32[?], b: i32[?], n):\n    foreach i in range(0, n) in 4 lanes:\n        b[i] = {expression}\n"
        );
        let inputs = Inputs::new().array(&integers(&[1, 2, 3, 4, 5, 6]), &[6]).array(&integers(&[0; 6]), &[6]);
        let mut machine = Machine::new(kernel(&text), inputs.scalar(6)).expect("inputs that fit");
        machine.run_for(1000);
        given += &match machine.status() {
            MachineStatus::Failed(error) => format!("{expression}: {:?} in lane {:?}\n", error.kind, error.lane),
            _ => {
                let cells = scalars_of(&machine.memory()[1], Elem::I32);
                format!("{expression}: {}\n", cells.iter().map(Scalar::to_string).collect::<Vec<_>>().join(", "))
            }
        };
    }
    expect![[r#"
        ((lane_id * 10) + count_on(true)): 4, 14, 24, 34, 2, 12
        reduce_add(a[i]): 10, 10, 10, 10, 11, 11
        scan_add(a[i]): 0, 1, 3, 6, 0, 5
        shuffle(a[i], (1 - (lane_id % 2))): 2, 1, 2, 1, 6, 5
        rotate(a[i], (lane_id *% 2)): LaneNotActive(3) in lane Some(1)
        ((reduce_min(a[i]) * 100) + reduce_max(a[i])): 104, 104, 104, 104, 506, 506
        select(any((a[i] > 5)), first_on((a[i] > 5)), -1): -1, -1, -1, -1, 1, 1
        expand_load(a, (i - lane_id)): 1, 2, 3, 4, 5, 6
    "#]]
    .assert_eq(&given);
}

#[test]
fn lanes_part_and_come_together_again() {
    together(
        "        let x = a[i]
        let y = if ((x % 2) == 0):
            yield reduce_add(x)
        else:
            yield (100 + reduce_add(x))
        b[i] = (y + (1000 * count_on(true)))
",
        expect![[r#"
            a = [1, 2, 3, 4, 5, 6]
            b = [4104, 4006, 4104, 4006, 2105, 2006]
        "#]],
    );
    together(
        "        let rounds, sum = while (k < a[i]) with k = 0, s = 0:
            yield (k + 1), (s + count_on(true))
        b[i] = ((100 * rounds) + sum)
",
        expect![[r#"
            a = [1, 2, 3, 4, 5, 6]
            b = [104, 207, 309, 410, 510, 611]
        "#]],
    );
    together(
        "        let s, r = for j in range(lane_id, a[i]) with s0 = -1 reducing + from 10:
            yield j, reduce_max(j)
        b[i] = ((100 * s) + r)
",
        expect![[r#"
            a = [1, 2, 3, 4, 5, 6]
            b = [13, 113, 213, 313, 425, 525]
        "#]],
    );
    together(
        "        let own = temp(2, type=i32)
        own[(lane_id % 2)] = a[i]
        let row = slice(own, 1, -1, -1)
        b[i] = ((10 * row[0]) + row[1])
",
        expect![[r#"
            a = [1, 2, 3, 4, 5, 6]
            b = [1, 20, 3, 40, 5, 60]
        "#]],
    );
    together(
        "        if ((a[i] % 2) == 0):
            compress_store(b, (i - lane_id), a[i])
",
        expect![[r#"
            a = [1, 2, 3, 4, 5, 6]
            b = [2, 4, 0, 0, 6, 0]
        "#]],
    );
}

#[test]
fn an_error_names_the_first_lane_that_has_it() {
    together(
        "        b[i] = (12 / (a[i] - 3))\n",
        expect![[r#"
        line 3: Arithmetic(DivisionByZero) in lane Some(2) of iteration [2]
        a = [1, 2, 3, 4, 5, 6]
        b = [0, 0, 0, 0, 0, 0]
    "#]],
    );
    together(
        "        b[i] = rotate(a[i], 1)\n",
        expect![[r#"
        line 3: LaneNotActive(2) in lane Some(1) of iteration [5]
        a = [1, 2, 3, 4, 5, 6]
        b = [2, 3, 4, 1, 0, 0]
    "#]],
    );
    together(
        "        b[i] = shuffle(a[i], (i - 1))\n",
        expect![[r#"
        line 3: NoSuchLane(-1) in lane Some(0) of iteration [0]
        a = [1, 2, 3, 4, 5, 6]
        b = [0, 0, 0, 0, 0, 0]
    "#]],
    );
    together(
        "        b[i] = expand_load(a, i)\n",
        expect![[r#"
        line 3: LanesDiffer in lane Some(1) of iteration [1]
        a = [1, 2, 3, 4, 5, 6]
        b = [0, 0, 0, 0, 0, 0]
    "#]],
    );
    together(
        "        b[(i - lane_id)] = a[i]\n",
        expect![[r#"
        line 3: Collision { array: "b", cell: [0], first: [0], second: [1] } in lane Some(1) of iteration [1]
        a = [1, 2, 3, 4, 5, 6]
        b = [1, 0, 0, 0, 0, 0]
    "#]],
    );
    together(
        "        for j in range(0, 3):
            assert(((i + j) < 7))
",
        expect![[r#"
            line 4: AssertFailed in lane Some(1) of iteration [5, 2]
            a = [1, 2, 3, 4, 5, 6]
            b = [0, 0, 0, 0, 0, 0]
        "#]],
    );
    together(
        "        @counts
        let rounds = while (j < 4) with j = 1:
            b[i] = (7 / (((10 * i) + j) - 42))
            yield (j + 1)
",
        expect![[r#"
            line 5: Arithmetic(DivisionByZero) in lane Some(0) of iteration [4, 2]
            a = [1, 2, 3, 4, 5, 6]
            b = [0, 0, 0, 0, -7, 0]
        "#]],
    );
}

#[test]
fn a_step_runs_an_op_in_all_active_lanes() {
    let text = "\
kernel f(a: i32[?], n):
    foreach i in range(0, n) in 4 lanes:
        if (i > 4):
            a[i] = (i + 1)
";
    let mut machine =
        Machine::new(kernel(text), Inputs::new().array(&integers(&[0; 6]), &[6]).scalar(6)).expect("fits");
    machine.watch();
    let mut shown = String::new();
    while *machine.status() == MachineStatus::Running {
        let iteration = machine.iteration();
        machine.step();
        for event in machine.events() {
            if let Event::Active { op, lanes } = event {
                let lanes: String = lanes.iter().map(|on| if *on { '1' } else { '.' }).collect();
                shown += &format!("{} {lanes} {iteration:?}\n", machine.kernel().ops[*op].code.row().name);
            }
        }
    }
    expect![[r#"
        gt 1111 [0]
        if 1111 [0]
        gt 11.. [4]
        if 11.. [4]
        add .1.. [5]
        store .1.. [5]
    "#]]
    .assert_eq(&shown);
}

#[test]
fn a_foreach_around_lanes_finds_what_they_wrote() {
    let run = |block: &str, expect: Expect| {
        let text = format!("kernel f(a: i32[?], b: i32[?], n):\n    foreach j in range(0, 2):\n{block}");
        let a = integers(&[1, 2, 3, 4, 5, 6]);
        check(&text, Inputs::new().array(&a, &[6]).array(&integers(&[0; 6]), &[6]).scalar(6), expect);
    };
    run(
        "        a[j] = b[1]\n        foreach i in range(0, n) in 4 lanes:\n            b[i] = 7\n",
        expect![[r#"
        line 3: Collision { array: "b", cell: [1], first: [0], second: [1] } in lane None of iteration [1]
        a = [0, 2, 3, 4, 5, 6]
        b = [7, 7, 7, 7, 7, 7]
    "#]],
    );
    run(
        "        foreach i in range(0, n) in 4 lanes:\n            assert((b[i] < 9))\n        b[(2 + j)] = 7\n",
        expect![[r#"
            line 4: Collision { array: "b", cell: [2], first: [0], second: [1] } in lane Some(2) of iteration [1, 2]
            a = [1, 2, 3, 4, 5, 6]
            b = [0, 0, 7, 0, 0, 0]
        "#]],
    );
}
