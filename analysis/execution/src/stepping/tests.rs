//! Steps forth and back, on kernels in the form of Lane IR.

use super::*;

const SUM: &str = "\
kernel sum(a: f32[n], n: i32) -> f32:
    let s = for i in range(0, n) with s_1 = 0.0:
        let x = a[i]
        yield (s_1 + x)
    return s
";

fn started(text: &str, inputs: Inputs) -> Stepping {
    let kernel = ir::read(text, None).unwrap_or_else(|error| panic!("{error}")).remove(0);
    Stepping::new(Arc::new(kernel), inputs, FxHashMap::default()).expect("the inputs fit")
}

fn of_sum(n: usize) -> Stepping {
    let cells: Vec<Scalar> = (0..n).map(|n| Scalar::F32(n as f32)).collect();
    started(SUM, Inputs::new().array(&cells, &[n as i64]).scalar(n as i32))
}

/// The names in scope, each with its value.
fn scope(stepping: &Stepping) -> Vec<String> {
    let text = |variable: &Variable| match stepping.reg(variable.value) {
        Reg::One(Cell::Data(scalar)) => format!("{} = {scalar}", variable.name),
        _ => variable.name.to_string(),
    };
    stepping.variables().iter().map(text).collect()
}

#[test]
fn variables_are_those_in_scope_at_a_place() {
    let mut stepping = of_sum(3);
    assert_eq!(scope(&stepping), ["a", "n = 3"]);
    let to_add = |stepping: &mut Stepping| {
        let op = stepping.next_op().expect("it stands before an op");
        stepping.kernel().ops[op].code == ir::Code::Add
    };
    assert_eq!(stepping.forward(&mut { to_add }, &mut || false), Halt::Reached);
    assert_eq!(scope(&stepping), ["a", "n = 3", "i = 0", "s_1 = 0.0", "x = 0.0"]);
    assert_eq!((stepping.iteration(), stepping.depth()), (vec![0], 2));
    assert_eq!(stepping.forward(&mut { to_add }, &mut || false), Halt::Reached);
    assert_eq!(scope(&stepping), ["a", "n = 3", "i = 1", "s_1 = 0.0", "x = 1.0"]);
    assert_eq!(stepping.forward(&mut |_| false, &mut || false), Halt::Over);
    assert_eq!(stepping.result(), Some(Scalar::F32(3.0)));
    assert_eq!(stepping.back(&mut { to_add }, &mut || false), Halt::Reached);
    assert_eq!(scope(&stepping), ["a", "n = 3", "i = 2", "s_1 = 1.0", "x = 2.0"]);
    assert_eq!(stepping.back(&mut |_| false, &mut || false), Halt::Start);
    assert_eq!(scope(&stepping), ["a", "n = 3"]);
}

#[test]
fn a_movement_can_be_interrupted_and_goes_on() {
    let mut stepping = of_sum(100_000);
    let mut n_asked = 0;
    let mut interrupted = || {
        n_asked += 1;
        n_asked % 2 == 0
    };
    let mut n_parts = 0;
    while stepping.forward(&mut |_| false, &mut interrupted) == Halt::Interrupted {
        n_parts += 1;
    }
    assert!(n_parts > 10, "{n_parts}");
    let in_one = (0..100_000).fold(0.0, |sum: f32, n| sum + n as f32);
    assert_eq!(stepping.result(), Some(Scalar::F32(in_one)));
}

#[test]
fn of_a_long_run_the_end_is_remembered() {
    let mut stepping = of_sum(15_000);
    assert_eq!(stepping.forward(&mut |_| false, &mut || false), Halt::Over);
    assert!(stepping.machine.undoable() >= REMEMBERED, "{}", stepping.machine.undoable());
    // Back to the last remembered place, and to the end again.
    assert_eq!(stepping.back(&mut |_| false, &mut || false), Halt::Start);
    let iteration = stepping.iteration();
    assert!(iteration[0] > 0 && iteration[0] < 15_000, "{iteration:?}");
    assert_eq!(stepping.forward(&mut |_| false, &mut || false), Halt::Over);
    let in_one = (0..15_000).fold(0.0, |sum: f32, n| sum + n as f32);
    assert_eq!(stepping.result(), Some(Scalar::F32(in_one)));
}

#[test]
fn touched_cells_are_collected_until_they_are_forgotten() {
    let mut stepping = of_sum(3);
    stepping.forward(&mut |_| false, &mut || false);
    let bytes: Vec<usize> = stepping.touched().iter().map(|touched| touched.at.1).collect();
    assert_eq!(bytes, [0, 4, 8]);
    assert!(stepping.touched().iter().all(|touched| !touched.is_write && touched.lane.is_none()));
    stepping.forget_touched();
    assert!(stepping.touched().is_empty());
}

#[test]
fn a_peek_tells_what_an_op_does_and_changes_nothing() {
    let mut stepping = of_sum(3);
    let mut told = Vec::new();
    while !stepping.is_over() {
        let before = (stepping.machine.clone(), stepping.n_steps(), stepping.machine.undoable());
        if let Some(peek) = stepping.peek() {
            let made = peek.made.iter().map(|(value, reg)| format!("{value} = {reg:?}"));
            told.push((stepping.iteration(), peek.touched.len(), made.collect::<Vec<_>>().join(", ")));
        }
        assert!(stepping.machine.is_at_same_moment(&before.0));
        assert_eq!((stepping.n_steps(), stepping.machine.undoable()), (before.1, before.2));
        stepping.forward(&mut |_| true, &mut || false);
    }
    let n_loads = told.iter().filter(|(_, n_touched, _)| *n_touched == 1).count();
    assert_eq!((n_loads, stepping.touched().len()), (3, 3), "{told:?}");
    assert!(stepping.peek().is_none(), "nothing is next at the end");
}

#[test]
fn a_restart_is_the_start() {
    let mut stepping = of_sum(15_000);
    let start = stepping.machine.clone();
    stepping.forward(&mut |_| false, &mut || false);
    stepping.restart();
    assert!(stepping.machine.is_at_same_moment(&start));
    assert_eq!((stepping.n_steps(), stepping.back(&mut |_| true, &mut || false)), (0, Halt::Start));
}

#[test]
fn lanes_are_counted_once_however_often_they_run() {
    let text = "\
kernel f(a: f32[n], n: i32):
    vector_for base in range(0, n, LANES):
        let i = (base + lane_id)
        let active = (i < n)
        masked_store(a, i, (masked_load(a, i, active) * 2.0), active)
";
    let kernel = ir::read(text, Some(4)).unwrap_or_else(|error| panic!("{error}")).remove(0);
    let inputs = Inputs::new().array(&[Scalar::F32(1.0); 6], &[6]).scalar(6);
    let mut stepping = Stepping::new(Arc::new(kernel), inputs, FxHashMap::default()).expect("the inputs fit");
    let counts = |stepping: &Stepping| {
        let mut counts: Vec<_> = stepping.activity().of_ops().collect();
        counts.sort_by_key(|(op, _)| *op);
        counts.into_iter().map(|(_, count)| (count.n_runs, count.n_active, count.n_lanes)).collect::<Vec<_>>()
    };
    stepping.forward(&mut |_| false, &mut || false);
    assert_eq!(counts(&stepping), [(2, 6, 8), (2, 6, 8)]);
    stepping.back(&mut |_| false, &mut || false);
    // Before the first group there are no lanes; in the second, two of four are active.
    assert_eq!(stepping.lanes_here(), None);
    let is_second = |stepping: &mut Stepping| {
        stepping.iterations() == (vec![4], Some(7)) && stepping.lanes_here().is_some_and(|lanes| lanes.mask.is_some())
    };
    assert_eq!(stepping.forward(&mut { is_second }, &mut || false), Halt::Reached);
    stepping.forward(&mut |stepping| stepping.peek().is_some_and(|peek| peek.active.is_some()), &mut || false);
    let lanes = stepping.lanes_here().expect("lanes run here");
    assert_eq!((lanes.on, lanes.mask.as_deref()), (vec![true, true, false, false], Some("active")));
    stepping.forward(&mut |_| false, &mut || false);
    assert_eq!(counts(&stepping), [(2, 6, 8), (2, 6, 8)]);
}
