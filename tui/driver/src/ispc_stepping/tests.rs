//! Runs of ISPC's functions that are stepped through: movements of each size, what is to be seen, and runs that come back.

use expect_test::{Expect, expect};

use super::*;
use crate::arguments::argument;
use crate::ispc_files::{HeaderArguments, read_text};
use crate::ispc_running::lowered_for;
use crate::spec;
use crate::stepping::StopTerms;
use crate::stepping::looking::RunEnd;
use crate::stepping::strips::of_lanes;

/// Steps through a function with 4 lanes.
fn stepping(text: &str, name: &str, arguments: &[&str], serve: impl FnOnce(&mut dyn SteppedRun)) {
    let unit = read_text("a.ispc", text, &HeaderArguments::default().command(Default::default()));
    let errors: Vec<&String> = unit.problems.iter().map(|problem| &problem.message).collect();
    assert_eq!(errors, Vec::<&String>::new());
    let lowered = lowered_for(&unit, 4, Some(name));
    let arguments = arguments.iter().map(|text| argument(&spec::parse(text)?));
    let arguments: Vec<Argument> = arguments.collect::<Result<_, _>>().expect("arguments");
    stepped(&lowered, text, name, &arguments, serve).expect("it runs");
}

fn go(run: &mut dyn SteppedRun, movement: Movement) -> Arrival {
    run.go(movement, &Stops::default(), &mut || false)
}

/// Writes what is to be seen of lanes and cells.
fn sight(view: &LanesView, text: &str) -> String {
    let mut told = match &view.op {
        Some(op) => {
            let function = op.function.as_ref().map_or_else(String::new, |name| format!(" in {name}"));
            let source = op.range.map_or("", |range| &text[range]);
            format!("{}: {}{function} <- {source}\n", op.op, op.text)
        }
        None => "over\n".to_owned(),
    };
    let on = view.grid.on.iter().map(|on| if *on { "on" } else { "off" });
    told += &format!("  {}\n", on.collect::<Vec<_>>().join(" "));
    for row in view.grid.rows.iter().chain(&view.grid.same) {
        let cells: Vec<String> = row.cells.iter().map(crate::stepping::grid::LaneCell::text).collect();
        told += &format!("  {:?} {} = {}\n", row.of, row.name, cells.join(" "));
    }
    for strip in &view.strips {
        told += &format!("  {} {} {}: {}\n   ", strip.does.verb(), strip.array, strip.ty, strip.order);
        for cell in &strip.cells {
            let gap = if cell.follows_gap { " …" } else { "" };
            let lanes = if cell.is_touched { format!(" by {}", of_lanes(&cell.lanes)) } else { String::new() };
            told += &format!("{gap} [{}]={}{lanes}", cell.subscripts, cell.value);
        }
        told += if strip.goes_on { " …\n" } else { "\n" };
    }
    told
}

fn line_of(run: &mut dyn SteppedRun, text: &str) -> Option<usize> {
    let range = run.look().op?.range?;
    Some(text[..usize::from(range.start())].lines().count())
}

const STEPS: &str = "\
static inline float twice(float x) {
    float y = x + x;
    return y;
}

export void steps(uniform float a[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n) {
        float x = a[i];
        float left = 8;
        int n_rounds = 0;
        while (x < left) {
            x = twice(x);
            n_rounds++;
        }
        if (n_rounds > 2)
            out[i] = x;
        else
            out[i] = n_rounds;
    }
}
";

const DATA: [&str; 3] = ["a=[1,2,3,4,5,6]", "out=zeros(6)", "n=6"];

fn check_at(line: usize, nth: usize, expected: &Expect) {
    stepping(STEPS, "steps", &DATA, |run| {
        let stops = Stops { lines: [(line as u32 - 1, StopTerms::default())].into(), text_lines: Default::default() };
        for _ in 0..nth {
            assert_eq!(run.go(Movement::RunOn, &stops, &mut || false), Arrival::Breakpoint);
        }
        expected.assert_eq(&sight(&run.look(), STEPS));
    });
}

#[test]
fn lanes_at_a_load() {
    check_at(
        8,
        2,
        &expect![[r#"
            load: %18: uniform pointer = load [%3] <- a
              on on off off
              Source i = 4 5 6 7
              Source x = 8.0 8.0 12.0 8.0
              Source n = 6
        "#]],
    );
}

/// Goes on to each op that touches arrays, and writes what it touches.
fn strips_of(text: &str, name: &str, arguments: &[&str]) -> String {
    let mut told = String::new();
    stepping(text, name, arguments, |run| {
        while go(run, Movement::OpOn) != Arrival::Over {
            let view = run.look();
            if !view.strips.is_empty() {
                told += &sight(&view, text);
            }
        }
    });
    told
}

#[test]
fn cells_that_are_touched() {
    let text = "\
struct Pair { float x, y; };
export void f(uniform Pair pairs[], uniform int at[], uniform float out[]) {
    int i = at[programIndex];
    if (i < 3) {
        float y = pairs[i].y;
        out[i & 1] = y;
    }
    uniform int last = packed_store_active(&at[4], i);
    float both[2];
    both[1] = last;
}
";
    let arguments = ["pairs=[1,2,3,4,5,6,7,8]", "at=[1,0,3,1,0,0,0,0]", "out=zeros(2)"];
    expect![[r#"
        load: %16: varying int32 = load [%15] <- at[programIndex]
          on on on on
          Source i = 0 0 0 0
          Result %16 = 1 0 3 1
          reads at int32[8]: contiguous
            [0]=1 by 0 [1]=0 by 1 [2]=3 by 2 [3]=1 by 3 [4]=0 …
        load: %34: varying float = load [%33] <- pairs[i].y
          on on off on
          Source i = 1 0 3 1
          Source y = 0.0 0.0 0.0 0.0
          Result %34 = 4.0 2.0 0.0 4.0
          reads pairs float[8]: each lane's own cell, but one for lanes 0, 3
            [0.1]=2.0 by 1 [1.1]=4.0 by 0, 3 [2.1]=6.0 …
        store: store [%47], %35 <- out[i & 1] = y
          on on off on
          Source i = 1 0 3 1
          Source y = 4.0 2.0 0.0 4.0
          Operand %35 = 4.0 2.0 0.0 4.0
          writes out float[2]: colliding, one cell for lanes 0, 3
            [0]=0.0 by 1 [1]=0.0 by 0, 3
        packed: %57: uniform int32 = packed store [%55], %56 <- packed_store_active(&at[4], i)
          on on on on
          Source i = 1 0 3 1
          Operand %56 = 1 0 3 1
          Source last = 0
          Result %57 = 4
          writes at int32[8]: contiguous
            … [3]=1 [4]=0 by 0 [5]=0 by 1 [6]=0 by 2 [7]=0 by 3
        store: store [%65], %67 <- both[1] = last
          on on on on
          Source i = 1 0 3 1
          Source both[0] = 0.0 0.0 0.0 0.0
          Source both[1] = 0.0 0.0 0.0 0.0
          Operand %67 = 4.0 4.0 4.0 4.0
          Source last = 4
          writes both float[8]: contiguous
            … [3]=0.0 [4]=0.0 by 0 [5]=0.0 by 1 [6]=0.0 by 2 [7]=0.0 by 3
    "#]]
    .assert_eq(&strips_of(text, "f", &arguments));
}

#[test]
fn a_function_that_is_called() {
    check_at(
        3,
        2,
        &expect![[r#"
        load: %6: varying float = load [%2] in twice <- y
          on on on off
          Source x = 2.0 4.0 6.0 0.0
          Source y = 4.0 8.0 12.0 0.0
          Result %6 = 4.0 8.0 12.0 0.0
    "#]],
    );
}

#[test]
fn lanes_that_are_off() {
    check_at(
        16,
        1,
        &expect![[r#"
        load: %49: varying float = load [%17] <- x
          on off off off
          Source i = 0 1 2 3
          Source x = 8.0 8.0 12.0 8.0
          Source left = 8.0 8.0 8.0 8.0
          Source n_rounds = 3 2 2 1
          Result %49 = 8.0 8.0 12.0 8.0
          Source n = 6
    "#]],
    );
}

#[test]
fn each_op_has_a_step_back() {
    stepping(STEPS, "steps", &DATA, |run| {
        let mut views = vec![run.look()];
        while go(run, Movement::OpOn) != Arrival::Over {
            views.push(run.look());
        }
        assert!(views.len() > 100, "{}", views.len());
        assert!(matches!(run.look().end, Some(RunEnd::Done(None, _))));
        // What was counted is that of the whole run by then.
        let without_counts = |view: &LanesView| {
            let (activity, branches) = (Default::default(), Vec::new());
            LanesView { activity, branches, ..view.clone() }
        };
        for view in views.iter().rev() {
            assert_eq!(go(run, Movement::OpBack), Arrival::There);
            assert_eq!(without_counts(&run.look()), without_counts(view));
        }
        assert_eq!(go(run, Movement::OpBack), Arrival::Start);
        assert_eq!(go(run, Movement::ToStep(57)), Arrival::There);
        assert_eq!(without_counts(&run.look()), without_counts(&views[57]));
    });
}

#[test]
fn lines_are_stepped_over_and_back() {
    stepping(STEPS, "steps", &DATA, |run| {
        let mut lines = vec![line_of(run, STEPS)];
        while go(run, Movement::LineOn) != Arrival::Over {
            lines.push(line_of(run, STEPS));
        }
        // The function that is called is stepped over.
        assert!(!lines.contains(&Some(2)), "{lines:?}");
        let mut back = Vec::new();
        while go(run, Movement::LineBack) == Arrival::There {
            back.push(line_of(run, STEPS));
        }
        assert_eq!(run.look().n_steps, 0);
        back.reverse();
        assert_eq!(lines, back);
    });
}

#[test]
fn groups_are_rounds_of_loops() {
    stepping(STEPS, "steps", &DATA, |run| {
        let mut seen = Vec::new();
        loop {
            seen.push(run.look().iteration);
            if go(run, Movement::GroupOn) == Arrival::Over {
                break;
            }
        }
        let mut back = Vec::new();
        while go(run, Movement::GroupBack) == Arrival::There {
            back.push(run.look().iteration);
        }
        expect![[r#"
            [[], [0], [1], [2]]
            [[2], [1], [0]]
        "#]]
        .assert_eq(&format!("{seen:?}\n{back:?}\n"));
    });
}

#[test]
fn breakpoints_have_terms() {
    let at = |line: u32, terms: &str| Stops {
        lines: [(line - 1, StopTerms::parse(terms).expect("terms"))].into(),
        text_lines: Default::default(),
    };
    stepping(STEPS, "steps", &DATA, |run| {
        // Of both groups, the second has a lane with 5.
        let stops = at(9, "any(x == 5)");
        assert_eq!(run.go(Movement::RunOn, &stops, &mut || false), Arrival::Breakpoint);
        assert_eq!(run.look().iteration, [1]);
        assert_eq!(run.go(Movement::RunOn, &stops, &mut || false), Arrival::Over);
        assert_eq!(run.go(Movement::RunBack, &stops, &mut || false), Arrival::Breakpoint);
        assert_eq!(run.look().iteration, [1]);
        assert_eq!(run.go(Movement::RunBack, &stops, &mut || false), Arrival::Start);
        let third = at(12, "hits 3");
        assert_eq!(run.go(Movement::RunOn, &third, &mut || false), Arrival::Breakpoint);
        assert_eq!(run.look().iteration, [0, 2]);
        let of_array = at(9, "a[5] == 6 and n == 6 and x[1] == 2");
        go(run, Movement::ToStart);
        assert_eq!(run.go(Movement::RunOn, &of_array, &mut || false), Arrival::Breakpoint);
        assert_eq!(run.look().iteration, [0]);
        let unknown = at(9, "nobody > 1");
        assert_eq!(run.go(Movement::RunOn, &unknown, &mut || false), Arrival::Over);
        expect![
            "the condition in line 9 was never asked: `nobody > 1`: there is no `nobody` here, or it has no value yet"
        ]
        .assert_eq(&run.unasked_condition().unwrap_or_default());
    });
}

#[test]
fn lanes_part_and_are_counted() {
    stepping(STEPS, "steps", &DATA, |run| {
        assert_eq!(go(run, Movement::ToDivergence), Arrival::Diverged);
        let first = run.look().n_steps;
        assert_eq!(go(run, Movement::ToDivergence), Arrival::Diverged);
        assert_eq!(go(run, Movement::BackToDivergence), Arrival::Diverged);
        assert_eq!(run.look().n_steps, first);
        assert_eq!(go(run, Movement::ToEnd), Arrival::Over);
        let view = run.look();
        let flows = view.branches.iter().map(|it| format!("{}: {} of {}\n", it.text, it.n_held, it.n_came));
        expect![[r#"
            foreach (i = 0 ... n): 6 of 8
            x < left: 10 of 16
            n_rounds > 2: 1 of 6
        "#]]
        .assert_eq(&flows.collect::<String>());
        assert!(view.activity.is_whole && !view.activity.lines.is_empty());
    });
}

#[test]
fn an_error_stays_where_it_is() {
    let text = "export void f(uniform int a[], uniform int n) {\n    int x = a[programIndex + n];\n    print(\"%\", x);\n    a[programIndex] = 8 / x;\n}\n";
    stepping(text, "f", &["a=[1,2,3,4,5,0,7,8]", "n=4"], |run| {
        assert_eq!(go(run, Movement::ToEnd), Arrival::Over);
        let view = run.look();
        let told = |view: &LanesView| format!("{:?}\n{:?}\n{}", view.end, view.printed, sight(view, text));
        expect![[r#"
            Some(Failed("`f` divides by zero, in lane 1"))
            "[5,0,7,8]"
            div: %22: varying int32 = div %21, %20 <- 8 / x
              on on on on
              Source x = 5 0 7 8
              Operand %21 = 8 8 8 8
              Operand %20 = 5 0 7 8
              Source n = 4
        "#]]
        .assert_eq(&told(&view));
        assert_eq!(go(run, Movement::OpBack), Arrival::There);
        let before = run.look();
        assert_eq!(before.end, None);
        expect!["`f` divides by zero, in lane 1"].assert_eq(&before.warning.clone().unwrap_or_default());
    });
    let no_run = |arguments: &[&str]| {
        let unit = read_text("a.ispc", text, &HeaderArguments::default().command(Default::default()));
        let lowered = lowered_for(&unit, 4, Some("f"));
        let arguments: Vec<Argument> =
            arguments.iter().map(|it| argument(&spec::parse(it).expect("data")).expect("one")).collect();
        stepped(&lowered, text, "f", &arguments, |_| ()).expect_err("no run")
    };
    expect!["parameter `a` has no numbers; add `--arg a=...`"].assert_eq(&no_run(&["n=4"]));
}

#[test]
fn a_long_run_comes_back_quickly() {
    let text = "export void f(uniform int a[], uniform int n) {\n    uniform int sum = 0;\n    for (uniform int i = 0; i < n; i++)\n        sum += i & 7;\n    a[0] = sum;\n}\n";
    stepping(text, "f", &["a=[0]", "n=20000"], |run| {
        assert_eq!(go(run, Movement::ToEnd), Arrival::Over);
        let n_steps = run.look().n_steps;
        assert!(n_steps > 200_000, "{n_steps}");
        for back in 1..40 {
            assert_eq!(go(run, Movement::OpBack), Arrival::There);
            assert_eq!(run.look().n_steps, n_steps - back);
        }
        assert_eq!(go(run, Movement::ToStart), Arrival::Start);
        // A movement that takes long ends where it is when somebody asks for it.
        assert_eq!(run.go(Movement::ToEnd, &Stops::default(), &mut || true), Arrival::Interrupted);
        assert!((1..n_steps).contains(&run.look().n_steps));
    });
}
