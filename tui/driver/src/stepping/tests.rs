//! Runs that are stepped through: the lanes, the cells that they touch, and movements of each size.

use expect_test::{Expect, expect};
use queries::stages::stage;

use super::looking::{LanesView, RunEnd};
use super::*;
use crate::arguments::argument;
use crate::spec;

/// Starts a kernel, the only one of a text, with 4 lanes.
fn start(text: &str, stage_name: &str, arguments: &[&str]) -> Stepper {
    let options = Options { lanes: Some(4), ..Options::default() };
    let document = Document::new("a.lane", text).made_for(&[options]);
    let item = document.kernel(None, "").expect("a kernel");
    let arguments = arguments.iter().map(|text| argument(&spec::parse(text)?));
    let arguments: Vec<Argument> = arguments.collect::<Result<_, _>>().expect("arguments");
    let stage = stage(stage_name).expect("a stage");
    Stepper::start(&document, item, stage, options, &arguments).expect("it runs")
}

fn go(stepper: &mut Stepper, movement: Movement) -> Arrival {
    stepper.go(movement, &Stops::default(), &mut || false)
}

/// Writes what is to be seen of lanes and cells.
fn sight(view: &LanesView) -> String {
    let mut text = match &view.op {
        Some(op) => format!("{}\n", op.text),
        None => "over\n".to_owned(),
    };
    if !view.grid.on.is_empty() {
        let on = view.grid.on.iter().map(|on| if *on { "on" } else { "off" });
        text += &format!("  {}: {}\n", view.grid.mask.as_deref().unwrap_or("all"), on.collect::<Vec<_>>().join(" "));
    }
    for row in view.grid.rows.iter().chain(&view.grid.same) {
        let cells: Vec<String> = row.cells.iter().map(super::grid::LaneCell::text).collect();
        text += &format!("  {:?} {} = {}\n", row.of, row.name, cells.join(" "));
    }
    for strip in &view.strips {
        text += &format!("  {} {} {}: {}\n   ", strip.does.verb(), strip.array, strip.ty, strip.order);
        for cell in &strip.cells {
            let gap = if cell.follows_gap { " …" } else { "" };
            let lanes = if cell.is_touched { format!(" by {}", strips::of_lanes(&cell.lanes)) } else { String::new() };
            text += &format!("{gap} [{}]={}{lanes}", cell.subscripts, cell.value);
        }
        text += if strip.goes_on { " …\n" } else { "\n" };
    }
    text
}

const LOOK_UP: &str = "\
kernel look_up(number: i32[n], colors: f32[m], out: f32[n], n: i32, m: i32):
    for i in range(n):
        if number[i] > 0:
            out[i] = colors[number[i]]
";

const LOOK_UP_DATA: [&str; 5] = ["number=[1,0,3,3,0,0,2]", "colors=[5,6,7,8]", "out=zeros(7)", "n=7", "m=4"];

#[test]
fn lanes_and_the_cells_they_touch_are_seen_op_by_op() {
    let mut stepper = start(LOOK_UP, "vector", &LOOK_UP_DATA);
    let mut seen = String::new();
    for _ in 0..200 {
        let view = stepper.look();
        if !view.strips.is_empty() {
            seen += &sight(&view);
        }
        if go(&mut stepper, Movement::OpOn) == Arrival::Over {
            break;
        }
    }
    let view = stepper.look();
    let Some(RunEnd::Done(None, arrays)) = &view.end else { panic!("{:?}", view.end) };
    seen += &format!("{:?}\n", arrays[0].elements.iter().map(ToString::to_string).collect::<Vec<_>>());
    seen += &format!("{:?}\n", view.activity.overall);
    seen += &format!("{:?}\n", view.activity.lines.iter().map(|line| (line.line, line.average)).collect::<Vec<_>>());
    expect![[r#"
        let _0 = (active & (masked_load(number, i, active) > 0))
          active: on on on on
          Source i = 0 1 2 3
          Pass active = true true true true
          Result result = 1 0 3 3
          Source n = 7
          Source m = 4
          Pass base = 0
          reads number i32[7]: contiguous
            [0]=1 by 0 [1]=0 by 1 [2]=3 by 2 [3]=3 by 3 [4]=0 …
        masked_store(out, i, gather(colors, masked_load(number, i, _0), _0), _0)
          all: on off on on
          Source i = 0 1 2 3
          Pass active = true true true true
          Operand and = true false true true
          Result result = 1 0 3 3
          Source n = 7
          Source m = 4
          Pass base = 0
          reads number i32[7]: contiguous
            [0]=1 by 0 [1]=0 [2]=3 by 2 [3]=3 by 3 [4]=0 …
        masked_store(out, i, gather(colors, masked_load(number, i, _0), _0), _0)
          all: on off on on
          Source i = 0 1 2 3
          Pass active = true true true true
          Operand masked_load = 1 0 3 3
          Operand and = true false true true
          Result result = 6.0 0.0 8.0 8.0
          Source n = 7
          Source m = 4
          Pass base = 0
          reads colors f32[4]: each lane's own cell, but one for lanes 2, 3
            [0]=5.0 [1]=6.0 by 0 [2]=7.0 [3]=8.0 by 2, 3
        masked_store(out, i, gather(colors, masked_load(number, i, _0), _0), _0)
          all: on off on on
          Source i = 0 1 2 3
          Pass active = true true true true
          Operand gather = 6.0 0.0 8.0 8.0
          Operand and = true false true true
          Source n = 7
          Source m = 4
          Pass base = 0
          writes out f32[7]: contiguous
            [0]=0.0 by 0 [1]=0.0 [2]=0.0 by 2 [3]=0.0 by 3 [4]=0.0 …
        let _0 = (active & (masked_load(number, i, active) > 0))
          active: on on on off
          Source i = 4 5 6 7
          Pass active = true true true false
          Result result = 0 0 2 0
          Source n = 7
          Source m = 4
          Pass base = 4
          reads number i32[7]: contiguous
            … [3]=3 [4]=0 by 0 [5]=0 by 1 [6]=2 by 2
        masked_store(out, i, gather(colors, masked_load(number, i, _0), _0), _0)
          all: off off on off
          Source i = 4 5 6 7
          Pass active = true true true false
          Operand and = false false true false
          Result result = 0 0 2 0
          Source n = 7
          Source m = 4
          Pass base = 4
          reads number i32[7]: one cell
            … [5]=0 [6]=2 by 2
        masked_store(out, i, gather(colors, masked_load(number, i, _0), _0), _0)
          all: off off on off
          Source i = 4 5 6 7
          Pass active = true true true false
          Operand masked_load = 0 0 2 0
          Operand and = false false true false
          Result result = 0.0 0.0 7.0 0.0
          Source n = 7
          Source m = 4
          Pass base = 4
          reads colors f32[4]: one cell
            … [1]=6.0 [2]=7.0 by 2 [3]=8.0
        masked_store(out, i, gather(colors, masked_load(number, i, _0), _0), _0)
          all: off off on off
          Source i = 4 5 6 7
          Pass active = true true true false
          Operand gather = 0.0 0.0 7.0 0.0
          Operand and = false false true false
          Source n = 7
          Source m = 4
          Pass base = 4
          writes out f32[7]: one cell
            … [5]=0.0 [6]=0.0 by 2
        ["6.0", "0.0", "8.0", "8.0", "0.0", "0.0", "7.0"]
        Some((2.5833333333333335, 4.0))
        [(2, (3.1666666666666665, 4.0)), (3, (2.0, 4.0))]
    "#]]
    .assert_eq(&seen);
}

fn orders(body: &str, expect: Expect) {
    let text =
        format!("kernel f(a: i32[k], b: i32[k], p: i32[8], n: i32, k: i32):\n    for i in range(n):\n        {body}\n");
    let data = ["a=ramp(16)", "b=zeros(16)", "p=[3,1,0,2,5,5,5,5]", "n=4", "k=16"];
    let mut stepper = start(&text, "vector", &data);
    let mut seen = String::new();
    loop {
        let view = stepper.look();
        for strip in &view.strips {
            let lanes = strip.cells.iter().filter(|cell| cell.is_touched);
            let lanes = lanes.map(|cell| format!("{}: {}", cell.subscripts, strips::of_lanes(&cell.lanes)));
            seen += &format!(
                "{} {}, {}; {}\n",
                strip.does.verb(),
                strip.array,
                strip.order,
                lanes.collect::<Vec<_>>().join(", ")
            );
        }
        if go(&mut stepper, Movement::OpOn) == Arrival::Over {
            break;
        }
    }
    expect.assert_eq(&seen);
}

#[test]
fn cells_of_lanes_lie_in_some_order() {
    orders(
        "b[i] = a[i]",
        expect![[r#"
        reads a, contiguous; 0: 0, 1: 1, 2: 2, 3: 3
        writes b, contiguous; 0: 0, 1: 1, 2: 2, 3: 3
    "#]],
    );
    orders(
        "b[i] = a[3 - i]",
        expect![[r#"
        reads a, reversed, contiguous but backwards; 0: 3, 1: 2, 2: 1, 3: 0
        writes b, contiguous; 0: 0, 1: 1, 2: 2, 3: 3
    "#]],
    );
    orders(
        "b[i] = a[3 * i]",
        expect![[r#"
        reads a, strided, 3 cells from lane to lane; 0: 0, 3: 1, 6: 2, 9: 3
        writes b, contiguous; 0: 0, 1: 1, 2: 2, 3: 3
    "#]],
    );
    orders(
        "b[i] = a[p[i]]",
        expect![[r#"
        reads p, contiguous; 0: 0, 1: 1, 2: 2, 3: 3
        reads a, each lane's own cell; 0: 2, 1: 1, 2: 3, 3: 0
        writes b, contiguous; 0: 0, 1: 1, 2: 2, 3: 3
    "#]],
    );
    orders(
        "b[i] = a[p[i + 4]]",
        expect![[r#"
        reads p, contiguous; 4: 0, 5: 1, 6: 2, 7: 3
        reads a, broadcast, one cell for all lanes; 5: 0-3
        writes b, contiguous; 0: 0, 1: 1, 2: 2, 3: 3
    "#]],
    );
    orders(
        "b[p[i]] += 1",
        expect![[r#"
        reads p, one cell; 0: 
        reads b, one cell; 3: 
        writes b, one cell; 3: 
        reads p, one cell; 1: 
        reads b, one cell; 1: 
        writes b, one cell; 1: 
        reads p, one cell; 2: 
        reads b, one cell; 0: 
        writes b, one cell; 0: 
        reads p, one cell; 3: 
        reads b, one cell; 2: 
        writes b, one cell; 2: 
    "#]],
    );
}

#[test]
fn lanes_that_update_one_cell_collide() {
    let text =
        "kernel count(p: i32[n], c: i32[3], n: i32):\n    foreach i in range(n):\n        atomic_add(c, p[i], 1)\n";
    let document = Document::new("a.lane", text);
    assert!(
        document.diagnostics().iter().all(|found| found.severity != report::Severity::Error),
        "{:?}",
        document.diagnostics()
    );
    let mut stepper = start(text, "vector", &["p=[1,0,1,1]", "c=zeros(3)", "n=4"]);
    let mut seen = String::new();
    while go(&mut stepper, Movement::OpOn) != Arrival::Over {
        let view = stepper.look();
        seen += &view
            .strips
            .iter()
            .map(|strip| format!("{} {}, {}\n", strip.does.verb(), strip.array, strip.order))
            .collect::<String>();
    }
    expect![[r#"
        reads p, contiguous
        updates c, colliding, one cell for lanes 0, 2, 3
    "#]]
    .assert_eq(&seen);
}

/// The same sight again, going back and then forth.
#[test]
fn back_and_forth_comes_to_the_same_sight() {
    for stage in ["arrays", "sequential", "vector", "final"] {
        let mut stepper = start(LOOK_UP, stage, &LOOK_UP_DATA);
        let mut sights = vec![stepper.look()];
        while go(&mut stepper, Movement::OpOn) == Arrival::There {
            sights.push(stepper.look());
        }
        let last = stepper.look();
        // What was counted on the way stays counted.
        let activity = last.activity.clone();
        let branches = last.branches.clone();
        let of_then = |view: &LanesView| {
            let lasts = branches.iter().map(|branch| {
                let then = view.branches.iter().find(|other| other.range == branch.range);
                BranchFlow { last: then.and_then(|then| then.last.clone()), ..branch.clone() }
            });
            LanesView { activity: activity.clone(), branches: lasts.collect(), ..view.clone() }
        };
        for sight in sights.iter().rev() {
            assert_eq!(go(&mut stepper, Movement::OpBack), Arrival::There);
            assert_eq!(stepper.look(), of_then(sight), "{stage}");
        }
        assert_eq!(go(&mut stepper, Movement::OpBack), Arrival::Start);
        for sight in &sights[1..] {
            assert_eq!(go(&mut stepper, Movement::OpOn), Arrival::There);
            assert_eq!(stepper.look(), of_then(sight), "{stage}");
        }
        assert_eq!(go(&mut stepper, Movement::OpOn), Arrival::Over);
        assert_eq!(stepper.look(), last);
        go(&mut stepper, Movement::ToStart);
        assert_eq!(stepper.look(), of_then(&sights[0]));
    }
}

/// The conditions tell which lanes went in, in the order of the source.
#[test]
fn branches_tell_which_lanes_went_where() {
    let text = "\
kernel nested(a: i32[n], out: i32[n], n: i32):
    for i in range(n):
        if a[i] > 0:
            if a[i] > 2:
                out[i] = a[i]
            else:
                out[i] = 1
";
    let data = ["a=[1,0,3,4,0,5,2]", "out=zeros(7)", "n=7"];
    for stage in ["vector", "specialised"] {
        let mut stepper = start(text, stage, &data);
        go(&mut stepper, Movement::ToEnd);
        let view = stepper.look();
        let told = view.branches.iter().map(|it| (it.line + 1, it.text.as_str(), it.n_held, it.last.clone()));
        let told: Vec<_> = told.collect();
        assert_eq!(told.len(), 2, "{stage}: {told:?}");
        assert_eq!((told[0].0, told[0].1, told[0].2), (3, "a[i] > 0", 5), "{stage}: {told:?}");
        assert_eq!((told[1].0, told[1].1, told[1].2), (4, "a[i] > 2", 3), "{stage}: {told:?}");
    }
}

/// The places met on the way on are met on the way back, in the opposite order.
#[test]
fn places_where_lanes_part_are_the_same_on_the_way_back() {
    for stage in ["vector", "final"] {
        let mut stepper = start(LOOK_UP, stage, &LOOK_UP_DATA);
        let mut places = Vec::new();
        while go(&mut stepper, Movement::ToDivergence) == Arrival::Diverged {
            places.push(stepper.stepping().n_steps());
        }
        assert!(places.len() > 1, "{stage}");
        let mut back = Vec::new();
        while go(&mut stepper, Movement::BackToDivergence) == Arrival::Diverged {
            back.push(stepper.stepping().n_steps());
        }
        places.reverse();
        assert_eq!(back, places, "{stage}");
        assert_eq!(stepper.stepping().n_steps(), 0);
    }
}

#[test]
fn groups_are_gone_to_one_by_one() {
    let mut stepper = start(LOOK_UP, "vector", &LOOK_UP_DATA);
    let mut stands = Vec::new();
    let mut note = |stepper: &mut Stepper, arrival: Arrival| {
        let view = stepper.look();
        stands.push(format!("{arrival:?} {:?} {:?}", view.iteration, view.last_lane));
    };
    for movement in [
        Movement::GroupOn,
        Movement::GroupOn,
        Movement::OpOn,
        Movement::GroupBack,
        Movement::GroupBack,
        Movement::GroupBack,
        Movement::GroupOn,
        Movement::GroupOn,
        Movement::GroupOn,
    ] {
        let arrival = go(&mut stepper, movement);
        note(&mut stepper, arrival);
    }
    expect![[r#"
        There [0] Some(3)
        There [4] Some(7)
        There [4] Some(7)
        There [4] Some(7)
        There [0] Some(3)
        Start [] None
        There [0] Some(3)
        There [4] Some(7)
        Over [] None"#]]
    .assert_eq(&stands.join("\n"));
}

#[test]
fn runs_stop_at_breakpoints_and_where_lanes_part() {
    let mut stepper = start(LOOK_UP, "vector", &LOOK_UP_DATA);
    let mut stands = Vec::new();
    let line = |n| Stops { lines: [(n, StopTerms::default())].into(), ..Stops::default() };
    for (movement, stops) in [
        (Movement::RunOn, line(3)),
        (Movement::RunOn, line(3)),
        (Movement::RunBack, line(3)),
        (Movement::RunBack, line(3)),
        (Movement::ToDivergence, Stops::default()),
        (Movement::ToDivergence, Stops::default()),
        (Movement::ToStart, Stops::default()),
        (Movement::LineOn, Stops::default()),
        (Movement::LineOn, Stops::default()),
        (Movement::LineBack, Stops::default()),
        // Nothing comes from the first line, so the next one is meant.
        (Movement::RunBack, line(0)),
        (Movement::RunOn, Stops { text_lines: [(2, StopTerms::default())].into(), ..Stops::default() }),
        (Movement::ToEnd, line(3)),
    ] {
        let arrival = stepper.go(movement, &stops, &mut || false);
        let view = stepper.look();
        let op = view.op.map_or_else(String::new, |op| op.text);
        stands.push(format!("{movement:?}: {arrival:?}, {op}"));
    }
    expect![[r#"
        RunOn: Breakpoint, masked_store(out, i, gather(colors, masked_load(number, i, _0), _0), _0)
        RunOn: Breakpoint, masked_store(out, i, gather(colors, masked_load(number, i, _0), _0), _0)
        RunBack: Breakpoint, masked_store(out, i, gather(colors, masked_load(number, i, _0), _0), _0)
        RunBack: Start, vector_for base in range(0, n, LANES):
        ToDivergence: Diverged, let _0 = (active & (masked_load(number, i, active) > 0))
        ToDivergence: Diverged, if any(_0):
        ToStart: Start, vector_for base in range(0, n, LANES):
        LineOn: There, let i = (base + lane_id)
        LineOn: There, let _0 = (active & (masked_load(number, i, active) > 0))
        LineBack: There, let i = (base + lane_id)
        RunBack: Breakpoint, vector_for base in range(0, n, LANES):
        RunOn: Breakpoint, let i = (base + lane_id)
        ToEnd: Over, "#]]
    .assert_eq(&stands.join("\n"));
}

#[test]
fn an_error_is_told_before_it_happens_and_stepped_back_from() {
    let text = "kernel k(a: i32[n], n: i32):\n    for i in range(n):\n        a[i] = 8 // (i - 3)\n";
    let mut stepper = start(text, "vector", &["a=zeros(8)", "n=8"]);
    assert_eq!(go(&mut stepper, Movement::ToEnd), Arrival::Over);
    let view = stepper.look();
    let Some(RunEnd::Failed(why)) = &view.end else { panic!("{:?}", view.end) };
    assert_eq!(go(&mut stepper, Movement::OpBack), Arrival::There);
    let view = stepper.look();
    assert_eq!(view.warning.as_ref(), Some(why));
    expect![[r#"
        an integer is divided by zero (in iteration 3, in lane 3)
        masked_store(a, i, (8 // (i - 3)), active)
          active: on on on on
          Source i = 0 1 2 3
          Pass active = true true true true
          Operand floor_div = -3 -4 -8 fails
          Source n = 8
          Pass base = 0
          writes a i32[8]: contiguous
            [0]=0 by 0 [1]=0 by 1 [2]=0 by 2 [3]=0 …
    "#]]
    .assert_eq(&format!("{why}\n{}", sight(&view)));
}

#[test]
fn an_endless_loop_can_be_interrupted() {
    let text = "kernel k(a: f32[1]):\n    n = 0\n    while n < 1:\n        a[0] = 1.0\n";
    let mut stepper = start(text, "sequential", &["a=zeros(1)"]);
    let mut n_asked = 0;
    let mut interrupted = || {
        n_asked += 1;
        n_asked == 5
    };
    assert_eq!(stepper.go(Movement::ToEnd, &Stops::default(), &mut interrupted), Arrival::Interrupted);
    assert!(stepper.look().op.is_some());
}

#[test]
fn breakpoints_stop_on_their_terms_both_ways() {
    let stands = |terms: &str, movements: &[Movement]| {
        let mut stepper = start(LOOK_UP, "sequential", &LOOK_UP_DATA);
        let terms = StopTerms::parse(terms).expect("terms");
        let stops = Stops { lines: [(2, terms)].into(), ..Stops::default() };
        let went = movements.iter().map(|movement| {
            let arrival = stepper.go(*movement, &stops, &mut || false);
            format!("{arrival:?} {:?}", stepper.stepping().iteration())
        });
        (went.collect::<Vec<_>>().join(", "), stepper.unasked_condition())
    };
    let (on, back) = (Movement::RunOn, Movement::RunBack);
    let went = |terms: &str, movements: &[Movement]| stands(terms, movements).0;
    assert_eq!(went("number[i] > 1", &[on, on, on, on]), "Breakpoint [2], Breakpoint [3], Breakpoint [6], Over []");
    assert_eq!(went("hits % 3", &[on, on, on]), "Breakpoint [2], Breakpoint [5], Over []");
    // The way back comes to the same hits, and they are not counted twice.
    assert_eq!(
        went("hits % 3", &[on, on, back, back, on, on]),
        "Breakpoint [2], Breakpoint [5], Breakpoint [2], Start [], Breakpoint [2], Breakpoint [5]"
    );
    assert_eq!(went("number[i] > 1 hits 2", &[on, on]), "Breakpoint [3], Over []");
    let (went, unasked) = stands("nothing > 1", &[on]);
    assert_eq!((went.as_str(), unasked.is_some_and(|why| why.contains("line 3"))), ("Over []", true));
}

#[test]
fn conditions_are_about_active_lanes() {
    let stands = |terms: &str| {
        let mut stepper = start(LOOK_UP, "vector", &LOOK_UP_DATA);
        let terms = StopTerms::parse(terms).expect("terms");
        let stops = Stops { lines: [(2, terms)].into(), ..Stops::default() };
        let arrival = stepper.go(Movement::RunOn, &stops, &mut || false);
        format!("{arrival:?} {:?}", stepper.stepping().iteration())
    };
    // Lane 3 of the second group has the index 7, and is not active.
    assert_eq!(stands("i >= 7"), "Over []");
    assert_eq!(stands("i >= 6"), "Breakpoint [4]");
    assert_eq!(stands("all(i >= 1)"), "Breakpoint [4]");
    assert_eq!(stands("any(i >= 1)"), "Breakpoint [0]");
}
