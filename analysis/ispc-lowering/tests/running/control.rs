//! Branches, loops and jumps: which lanes run what.

use expect_test::expect;

use super::{check, check_all_widths, outcome};

#[test]
fn branches_part_lanes() {
    check(
        r#"void f() {
            int x = programIndex;
            if (x < 2) { x += 10; } else if (x == 3) { x = 30; }
            print("%\n", x);
            if (programCount == 4) { print("all\n"); } else { print("none\n"); }
        }"#,
        expect![[r#"
            [10,11,2,30]
            all
        "#]],
    );
}

#[test]
fn what_is_printed_shows_lanes_that_are_off() {
    check(
        r#"void f() {
            bool b = programIndex != 0;
            if (b) { print("% % %\n", programIndex, b, 1.5f); }
        }"#,
        expect![[r#"
            [((0)),1,2,3] [_________,true,true,true] 1.500000
        "#]],
    );
}

#[test]
fn uniform_variables_are_set_once_if_any_lane_is_on() {
    check(
        r#"void f() {
            uniform int n = 0;
            if (programIndex > 1) { n += 1; }
            if (programIndex > 100) { n += 10; }
            print("%\n", n);
        }"#,
        expect![[r#"
            1
        "#]],
    );
}

#[test]
fn lanes_leave_loops_one_by_one() {
    check(
        r#"void f() {
            int n = 0;
            for (int i = 0; i < programIndex; i++) {
                if (i == 2) { continue; }
                n += i + 1;
            }
            int m = 0;
            while (true) {
                m++;
                if (m > programIndex * 2) { break; }
            }
            int k = 0;
            do { k += 3; } while (k < programIndex);
            print("% % %\n", n, m, k);
        }"#,
        expect![[r#"
            [0,1,3,3] [1,3,5,7] [3,3,3,3]
        "#]],
    );
}

#[test]
fn lanes_return_one_by_one() {
    check(
        r#"int g(int x) {
            if (x == 0) { return 100; }
            for (uniform int i = 0; i < 10; i++) {
                if (i == x) { return i * 10; }
            }
            return -1;
        }
        void f() { print("%\n", g(programIndex)); }"#,
        expect![[r#"
            [100,10,20,30]
        "#]],
    );
}

#[test]
fn switches_fall_through() {
    check(
        r#"void f() {
            int x = 0;
            switch (programIndex) {
            case 0: x = 1;
            case 1: x += 2; break;
            case 3: x = 7; break;
            default: x = -1;
            }
            uniform int y = 0;
            switch (2 + 3) { case 4: y = 4; break; case 5: y = 5; }
            print("% %\n", x, y);
        }"#,
        expect![[r#"
            [3,2,-1,7] 5
        "#]],
    );
}

#[test]
fn a_jump_out_of_a_loop_leads_out_of_a_switch_in_it() {
    check(
        r#"void f() {
            int n = 0;
            for (uniform int i = 0; i < 4; i++) {
                switch (programIndex - i) {
                case 0: continue;
                case 1: break;
                default: n += 1;
                }
                n += 10;
            }
            print("%\n", n);
        }"#,
        expect![[r#"
            [33,32,32,32]
        "#]],
    );
}

#[test]
fn foreach_turns_all_lanes_on_and_walks_all_cells() {
    check_all_widths(
        r#"void f() {
            uniform int cells[3][11];
            if (programIndex == 1) {
                foreach (j = 0 ... 3, i = 0 ... 11) { cells[j][i] = j * 100 + i; }
            }
            uniform int sum = 0;
            foreach (i = 2 ... 11) { sum += reduce_add(cells[2][i]); }
            uniform int count = 0;
            foreach_tiled (j = 0 ... 3, i = 0 ... 5) { count += reduce_add((int)1); }
            print("% % %\n", cells[1][10], sum, count);
        }"#,
        expect![[r#"
            110 1854 15
        "#]],
    );
}

#[test]
fn continue_in_foreach_goes_to_the_next_group() {
    check_all_widths(
        r#"void f() {
            uniform int cells[20];
            foreach (i = 0 ... 20) {
                cells[i] = 0;
                if (i % 3 == 0) { continue; }
                cells[i] = i;
            }
            print("% % %\n", cells[9], cells[10], cells[19]);
        }"#,
        expect![[r#"
            0 10 19
        "#]],
    );
}

#[test]
fn foreach_active_and_unique_walk_lanes() {
    check(
        r#"void f() {
            if (programIndex != 2) {
                foreach_active (i) { print("lane %: %\n", i, programIndex); }
            }
            int key = programIndex / 2 * 5;
            foreach_unique (k in key) { print("key %: %\n", k, programIndex); }
        }"#,
        expect![[r#"
            lane 0: [0,((1)),((2)),((3))]
            lane 1: [((0)),1,((2)),((3))]
            lane 3: [((0)),((1)),((2)),3]
            key 0: [0,1,((2)),((3))]
            key 5: [((0)),((1)),2,3]
        "#]],
    );
}

#[test]
fn unmasked_turns_lanes_on_that_see_first_values() {
    check(
        r#"void f() {
            if (programIndex < 1) {
                int x = 5;
                unmasked { print("%\n", x); }
            }
        }"#,
        expect![[r#"
            [5,5,5,5]
        "#]],
    );
}

#[test]
fn the_right_operand_is_run_by_lanes_that_need_it() {
    check(
        r#"bool told(int x) { print("asked %\n", x); return x > 1; }
        void f() {
            bool both = programIndex > 0 && told(programIndex);
            bool either = programIndex > 2 || told(programIndex);
            int chosen = programIndex == 0 ? 1 : 6 / programIndex;
            print("% % %\n", both, either, chosen);
        }"#,
        expect![[r#"
            asked [((0)),1,2,3]
            asked [0,1,2,((0))]
            [false,false,true,true] [false,false,true,true] [1,6,3,2]
        "#]],
    );
}

#[test]
fn goto_leads_all_lanes_back_and_on() {
    check(
        r#"void f() {
            uniform int n = 0;
        again:
            n++;
            if (n < 4) { goto again; }
            goto end;
            n = 100;
        end:
            print("%\n", n);
        }"#,
        expect![[r#"
            4
        "#]],
    );
}

#[test]
fn a_goto_by_some_lanes_is_no_run() {
    check(
        r#"void f() {
            while (true) {
                if (programIndex == 0) { break; }
                goto end;
            }
            print("never\n");
        end:
            print("end\n");
        }"#,
        expect![[r#"
            stopped: `f` jumps by `goto` with some of its lanes alone in lanes 1, 2 and 3: while (true) {
                            if (programIndex == 0) { break; }
                            goto end;
                        }
        "#]],
    );
}

#[test]
fn the_mask_itself_is_a_value() {
    check(
        r#"void f() {
            if (programIndex > 1) { bool on = __mask; unmasked { print("%\n", on); } }
        }"#,
        expect![[r#"
            [false,false,true,true]
        "#]],
    );
}

#[test]
fn tasks_have_their_numbers() {
    check(
        r#"static uniform int cells[6];
        task void fill(uniform int by) {
            cells[taskIndex] = by * (100 * taskIndex0 + 10 * taskIndex1 + taskCount);
        }
        void f() {
            launch[3, 2] fill(1);
            sync;
            for (uniform int i = 0; i < 6; i++) { print("% ", cells[i]); }
        }"#,
        expect!["6 106 206 16 116 216 "],
    );
}

#[test]
fn functions_call_themselves() {
    check(
        r#"int fib(int n) { if (n < 2) { return n; } return fib(n - 1) + fib(n - 2); }
        void f() { print("%\n", fib(programIndex * 3)); }"#,
        expect![[r#"
            [0,2,8,34]
        "#]],
    );
}

#[test]
fn templates_and_overloads_are_found() {
    check(
        r#"template <typename T> T twice(T x) { return x + x; }
        template <typename T, int N> uniform int size(T x) { return N * sizeof(uniform T); }
        template <> int twice<int>(int x) { return 1000; }
        int pick(uniform int x) { return 1; }
        int pick(int x) { return 2; }
        int pick(float x) { return 3; }
        int more(int x, int by = 5) { return x + by; }
        void f() {
            print("% % %\n", twice<float>(1.5f), twice<int>(1), twice((int8)100));
            print("% % %\n", pick(1), pick(programIndex), pick(1.5f));
            print("% %\n", more(1), more(1, 1));
        }"#,
        expect![[r#"
            [3.000000,3.000000,3.000000,3.000000] [1000,1000,1000,1000] -56
            [1,1,1,1] [2,2,2,2] [3,3,3,3]
            [6,6,6,6] [2,2,2,2]
        "#]],
    );
}

/// The loops that a fix makes a `foreach` run the same lanes in the same rounds.
#[test]
fn loops_over_the_lanes_numbers_are_a_foreach() {
    const BODY: &str = "sum += programIndex; rounds += 1; if (i % 3 == 1) continue; a[i] = a[i] * 2 + reduce_add(i); last = i == 5 ? rounds : last;";
    let forms = [
        "for (int i = START + programIndex; i < END; i += programCount) { BODY }",
        "for (uniform int g = START; g < END; g += programCount) { int i = g + programIndex; if (i < END) { BODY } }",
        "foreach (i = START ... END) { BODY }",
    ];
    for (start, end) in [(0, 0), (0, 1), (0, 8), (0, 21), (3, 24), (5, 2), (0, 32)] {
        for lanes in [4, 8, 16] {
            let run = |form: &str| {
                let form = form.replace("BODY", BODY).replace("START", &start.to_string());
                let form = form.replace("END", &end.to_string());
                let text = format!(
                    "void f() {{ uniform int a[48]; for (uniform int k = 0; k < 48; ++k) {{ a[k] = k; }} int sum = 0; uniform int rounds = 0; int last = 0;
                    {form} for (uniform int k = 0; k < 48; ++k) {{ print(\"% \", a[k]); }} print(\"% % %\\n\", sum, rounds, last); }}"
                );
                outcome(&text, lanes)
            };
            let [one, two, three] = forms.map(run);
            assert!(!three.contains("not run") && !three.contains("stopped"), "{three}");
            assert!(one == three && two == three, "{start} {end} {lanes}:\n{one}{two}{three}");
        }
    }
}
