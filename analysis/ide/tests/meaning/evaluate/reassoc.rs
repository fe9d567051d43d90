//! `@reassoc`: which sums and products have the fixed order, and what that order is.

use super::fixture::run;

/// Numbers whose sums and products tell one order from another.
fn cells(n: usize) -> Vec<f32> {
    (0..n).map(|k| if k % 3 == 0 { 1e4 + 0.37 * k as f32 } else { -0.1 * (k % 7 + 1) as f32 }).collect()
}

fn args(cells: &[f32]) -> String {
    format!("a = {cells:?}; n = {}", cells.len())
}

/// By hand: 64 partial results, joined by halves, and the initial value last.
fn by_hand(elements: &[f32], identity: f32, init: f32, join: fn(f32, f32) -> f32) -> f32 {
    let mut partials = vec![identity; 64];
    for (k, element) in elements.iter().enumerate() {
        partials[k % 64] = join(partials[k % 64], *element);
    }
    while partials.len() > 1 {
        let half = partials.len() / 2;
        partials = (0..half).map(|k| join(partials[k], partials[k + half])).collect();
    }
    join(init, partials[0])
}

#[test]
fn sums_and_products_have_the_fixed_order() {
    let text = "kernel k(a: f32[n], n: i32) -> f32:
    let s = 1.0
    @reassoc
    for i in range(n):
        s += a[i]
    return s
";
    for n in [0, 1, 63, 64, 65, 131] {
        let cells = cells(n);
        let wanted = by_hand(&cells, -0.0, 1.0, |a, b| a + b);
        assert_eq!(run(text, &args(&cells)), format!("result {wanted:?}\n"), "{n}");
        let fast = text.replace("@reassoc", "@fast");
        assert_eq!(run(&fast, &args(&cells)), format!("result {wanted:?}\n"), "{n}");
    }
    let cells: Vec<f32> = (0..131).map(|k| 0.9 + 0.001 * k as f32).collect();
    let text = text.replace("+= a", "*= a");
    let wanted = by_hand(&cells, 1.0, 1.0, |a, b| a * b);
    assert_eq!(run(&text, &args(&cells)), format!("result {wanted:?}\n"));
}

#[test]
fn functions_belong_to_the_kernel_that_calls_them() {
    let text = "fn total(a, n):
    let s = 0.0
    for i in range(n):
        s += a[i]
    return s

fn twice_total(a, n):
    return 2 * total(a, n)

@reassoc
kernel k(a: f32[n], n: i32) -> f32:
    return twice_total(a, n)
";
    let cells = cells(131);
    let wanted = 2.0 * by_hand(&cells, -0.0, 0.0, |a, b| a + b);
    assert_eq!(run(text, &args(&cells)), format!("result {wanted:?}\n"));
    let fast = text.replace("@reassoc", "@fast");
    assert_eq!(run(&fast, &args(&cells)), format!("result {wanted:?}\n"));
    let in_order = 2.0 * cells.iter().fold(0.0, |s, x| s + x);
    assert_ne!(in_order, wanted);
    assert_eq!(run(&text.replace("@reassoc\n", ""), &args(&cells)), format!("result {in_order:?}\n"));
    // Above a loop the attribute is about that loop alone.
    let around = "fn total(a, n):
    let s = 0.0
    for i in range(n):
        s += a[i]
    return s

kernel k(a: f32[n], n: i32) -> f32:
    let s = 0.0
    @reassoc
    for i in range(2):
        s += total(a, n)
    return s
";
    assert_eq!(run(around, &args(&cells)), format!("result {in_order:?}\n"));
}

#[test]
fn an_iteration_joins_what_it_makes_of_the_identity() {
    let text = "kernel k(a: f32[n], n: i32) -> f32:
    let s = 1.0
    @reassoc
    for i in range(n):
        s += a[i]
        if a[i] < 0:
            continue
        for j in range(2):
            s -= a[i] * 0.3
    return s
";
    let cells = cells(131);
    let element = |&x: &f32| if x < 0.0 { x } else { x - x * 0.3 - x * 0.3 };
    let elements: Vec<f32> = cells.iter().map(element).collect();
    let wanted = by_hand(&elements, -0.0, 1.0, |a, b| a + b);
    assert_eq!(run(text, &args(&cells)), format!("result {wanted:?}\n"));
}

/// Whether a loop body's sum has another order under `@reassoc`.
fn is_reordered(body: &str) -> bool {
    let kernel = |above: &str| {
        let body: String = body.split('\n').map(|line| format!("        {line}\n")).collect();
        format!(
            "{above}kernel k(a: f32[n], n: i32) -> f32:\n    let s = 1.0\n    let t = 1.0\n    for i in range(n):\n{body}    return s + 0 * t\n"
        )
    };
    let args = args(&cells(131));
    run(&kernel(""), &args) != run(&kernel("@reassoc\n"), &args)
}

#[test]
fn the_shapes_that_are_reordered() {
    for body in [
        "s += a[i]",
        "s -= a[i]",
        "s = s + a[i]",
        "s = a[i] + s",
        "s = a[i] + (s - 0.1) + 0.2",
        "s = s + a[i] if a[i] > 0 else s",
        "s += a[i] if i % 2 == 0 else 0.3",
        "s += a[i]\ns -= 0.1 * a[i]",
        "if i % 2 == 0: s += a[i]\nelse: s -= a[i]",
        "if i % 2 == 0: continue\ns += a[i]",
        "for j in range(5): s += a[i] * 0.3",
        "for j in range(9):\n    if j > 4: break\n    s += a[i] * 0.3",
        "t = a[i]\ns += t",
        "s *= 1 + 0.00001 * a[i]",
        "s = s * (1 + 0.00001 * a[i]) * 0.9999",
    ] {
        assert!(is_reordered(body), "{body}");
    }
}

#[test]
fn the_shapes_that_keep_their_order() {
    for body in [
        // More is done with the variable than one kind of joining, in several statements or by what is not linear.
        "s += a[i]\ns *= 0.5",
        "s += s * s",
        "s /= 1 + a[i]",
        "s = fma(a[i], 0.3, s)",
        "s = max(s, a[i])",
        "s += a[i]\ns = 2",
        "if s > 0: s += a[i]",
        "s += a[i] if s > 1 else 0.3",
        "s = s + a[i] if a[i] > 0 else 0.5",
        // The loop may be left.
        "s += a[i]\nif i > 100: break",
        "s += a[i]\nif i > 200: return s",
    ] {
        assert!(!is_reordered(body), "{body}");
    }
}

#[test]
fn an_attribute_is_about_its_own_loop_or_the_loops_of_its_item_and_of_what_that_calls() {
    let of_both = |above_fn: &str, above_loop: &str, above_kernel: &str| {
        let text = format!(
            "{above_fn}fn sum(a: f32[n], n: i32) -> f32:
    let s = 1.0
    for i in range(n):
        s += a[i]
    return s

{above_kernel}kernel k(a: f32[n], n: i32):
    let s = 0.0
{above_loop}    for r in range(1):
        for i in range(n):
            s += a[i]
    let t = sum(a, n)
    a[0] = s
    a[1] = t
"
        );
        run(&text, &args(&cells(131)))
    };
    let in_order = of_both("", "", "");
    assert_eq!(of_both("", "    @reassoc\n", ""), in_order);
    assert_ne!(of_both("@reassoc\n", "", ""), in_order);
    assert_ne!(of_both("", "", "@reassoc\n"), in_order);
    assert_eq!(of_both("", "", "@reassoc\n"), of_both("@reassoc\n", "", "@reassoc\n"));
}

#[test]
fn lanes_of_a_foreach_keep_the_order_of_their_own_sums() {
    let of_lanes = |above_fn: &str, above_loop: &str, above_kernel: &str| {
        let text = format!(
            "{above_fn}fn sum(a: f32[n], n: i32) -> f32:
    let s = 1.0
    for i in range(n):
        s += a[i]
    return s

{above_kernel}kernel k(a: f32[n], o: f32[3], n: i32):
    foreach k in range(2):
        let s = 0.0
        let y = f32(k)
        {above_loop}
        for i in range(n):
            s += a[i]
            y = 0.75 * y + a[i]
            o[k] = y
        o[k] += s + sum(a, n)
    let t = 0.0
    for i in range(n):
        t += a[i]
    o[2] = t
"
        );
        run(&text, &format!("{}; o = [0.0, 0.0, 0.0]", args(&cells(131))))
    };
    let in_order = of_lanes("", "", "");
    let of_first =
        |shown: &str| shown.split("o = [").nth(1).and_then(|cells| cells.split(", ").next()).map(str::to_owned);
    // Behind the `foreach` the attribute of the item is about loops again.
    for above in ["@reassoc\n", "@fast\n"] {
        assert_eq!(of_first(&of_lanes("", "", above)), of_first(&in_order), "{above}");
        assert_ne!(of_lanes("", "", above), in_order, "{above}");
        assert_ne!(of_first(&of_lanes(above, "", "")), of_first(&in_order), "{above}");
    }
    assert_ne!(of_first(&of_lanes("", "@reassoc", "")), of_first(&in_order));
}

#[test]
fn short_loops_keep_their_order_under_the_attribute_of_an_item() {
    let cells: Vec<f32> = (0..131).map(|k| (1e4 / (f64::from(k) + 3.0) - 300.0) as f32).collect();
    let of_range = |above_kernel: &str, above_loop: &str, range: &str| {
        let text = format!(
            "const SIDE = 16

{above_kernel}kernel k(a: f32[n], n: i32) -> f32:
    let s = 0.0
    {above_loop}
    for i in range({range}):
        s += a[i]
    return s
"
        );
        run(&text, &args(&cells))
    };
    for (range, is_short) in [
        ("SIDE", true),
        ("SIDE + 1", false),
        ("3, 3 + SIDE", true),
        ("40, 40 - SIDE, -1", true),
        ("0, 5 * SIDE, 5", true),
        ("0, 5 * SIDE + 1, 5", false),
        ("n", false),
        ("min(n, SIDE)", false),
    ] {
        let in_order = of_range("", "", range);
        assert_eq!(of_range("@reassoc\n", "", range) == in_order, is_short, "{range}");
        assert_ne!(of_range("", "@reassoc", range), in_order, "{range}");
    }
}

#[test]
fn rows_between_elements_of_an_array_keep_their_order_under_the_attribute_of_an_item() {
    let cells: Vec<f32> = (0..131).map(|k| (1e4 / (f64::from(k) + 3.0) - 300.0) as f32).collect();
    let of_range = |above_kernel: &str, above_loop: &str, range: &str| {
        let text = format!(
            "{above_kernel}kernel k(a: f32[n], starts: i32[2], ends: i32[2], n: i32) -> f32:
    let s = 0.0
    {above_loop}
    for i in range({range}):
        s += a[i]
    return s
"
        );
        run(&text, &format!("{}; starts = [2, 130]; ends = [131, 131]", args(&cells)))
    };
    for (range, is_row) in [
        ("starts[0], starts[1]", true),
        ("starts[n - n], starts[n - 130]", true),
        ("starts[0], ends[0]", false),
        ("0, starts[1]", false),
        ("starts[0], starts[1] + 1", false),
    ] {
        let in_order = of_range("", "", range);
        assert_eq!(of_range("@reassoc\n", "", range) == in_order, is_row, "{range}");
        assert_ne!(of_range("", "@reassoc", range), in_order, "{range}");
    }
}

/// The number that an iteration multiplies by, and the one that it adds.
type Step = (f32, f32);

/// By hand: in blocks of 8, each iteration joins its step behind those of the largest halves in front of it.
fn by_blocks(steps: &[Step], init: f32, join: fn(Step, Step) -> Step) -> Vec<f32> {
    fn prefix(steps: &[Step], join: fn(Step, Step) -> Step) -> Step {
        match steps.len() {
            1 => steps[0],
            n if n > 4 => join(prefix(&steps[..4], join), prefix(&steps[4..], join)),
            n if n > 2 => join(prefix(&steps[..2], join), prefix(&steps[2..], join)),
            _ => join(steps[0], steps[1]),
        }
    }
    let (mut front, mut values) = (init, Vec::new());
    for block in steps.chunks(8) {
        let of_block: Vec<f32> = (1..=block.len()).map(|n| join((1.0, front), prefix(&block[..n], join)).1).collect();
        front = of_block[of_block.len() - 1];
        values.extend(of_block);
    }
    values
}

/// The cells of `o` behind a loop whose body ends with `o[i] = s`.
fn running(statement: &str, cells: &[f32]) -> String {
    let text = format!(
        "kernel k(a: f32[n], o: f32[n], n: i32) -> f32:\n    let s = 1.5\n    @reassoc\n    for i in range(n):\n        {statement}\n        \
         o[i] = s\n    return s\n"
    );
    run(&text, &format!("{}; o = {:?}", args(cells), vec![0.0; cells.len()]))
}

fn shown(values: &[f32]) -> String {
    match values.last() {
        Some(last) => format!("result {last:?}\no = {values:?}\n"),
        None => "result 1.5\n".to_owned(),
    }
}

#[test]
fn what_runs_on_is_made_by_blocks() {
    for n in [0, 1, 2, 3, 5, 8, 9, 23, 64, 131] {
        let cells: Vec<f32> = (0..n).map(|k| 0.3 - 0.17 * (k % 11) as f32).collect();
        let sums: Vec<_> = cells.iter().map(|&a| (1.0, a)).collect();
        let sums = by_blocks(&sums, 1.5, |first, then| (1.0, first.1 + then.1));
        for statement in ["s += a[i]", "s = a[i] + s", "s = s + a[i]"] {
            assert_eq!(running(statement, &cells), shown(&sums), "{statement}, {n}");
        }
        let products: Vec<_> = cells.iter().map(|&a| (1.0, a)).collect();
        let products = by_blocks(&products, 1.5, |first, then| (1.0, first.1 * then.1));
        assert_eq!(running("s *= a[i]", &cells), shown(&products), "{n}");
        let linear = |factor: fn(f32) -> f32, term: fn(f32) -> f32| {
            let steps: Vec<_> = cells.iter().map(|&a| (factor(a), term(a))).collect();
            shown(&by_blocks(&steps, 1.5, |(f, t), (a, b)| (a * f, a * t + b)))
        };
        assert_eq!(running("s = a[i] * s + 0.5", &cells), linear(|a| a, |_| 0.5), "{n}");
        assert_eq!(running("s += 0.25 * (a[i] - s)", &cells), linear(|_| 1.0 + -0.25, |a| 0.25 * a), "{n}");
        assert_eq!(running("s = a[i] - (s - 0.1) * 0.7", &cells), linear(|_| -(0.7), |a| a - -0.1 * 0.7), "{n}");
        assert_eq!(running("s = -s + a[i]", &cells), linear(|_| -1.0, |a| a), "{n}");
    }
}

#[test]
fn what_does_not_run_on_keeps_its_order() {
    let is_reordered = |body: &str| {
        let kernel = |above: &str| {
            let body: String = body.split('\n').map(|line| format!("        {line}\n")).collect();
            format!(
                "{above}kernel k(a: f32[n], o: f32[n], n: i32):\n    let s = 1.0\n    let t = 1.0\n    for i in range(n):\n{body}        \
                 o[i] = s + 0 * t\n"
            )
        };
        let args = format!("{}; o = {:?}", args(&cells(131)), vec![0.0; 131]);
        run(&kernel(""), &args) != run(&kernel("@reassoc\n"), &args)
    };
    for body in [
        "s += a[i]",
        "let x = a[i] * 3\ns = x + s",
        "s = 0.5 * s + a[i]",
        "t = s\ns = 0.5 * s + a[i]",
        "s += 0.00001 * a[i] * s",
        "s = a[i] - s",
        "s = (s + a[i]) * 0.5",
        // A variable stands for what it is made of.
        "t = s * 0.5\ns = 0.25 * s + t + a[i]",
        "let x = a[i] - s\ns += 0.3 * x",
        "let x = s + a[i]\nlet y = x * 0.7\nif y > 1e9:\n    o[0] = x\ns = y",
        // Two run on together.
        "let x = s\ns = 0.7 * s - 0.3 * t + a[i]\nt = x",
        "s += 0.3 * t\nt += 0.3 * (a[i] - s)",
        "s, t = 0.6 * s - 0.5 * t, 0.5 * s + 0.6 * t + a[i]",
    ] {
        assert!(is_reordered(body), "{body}");
    }
    for body in [
        // Two statements give it its value, or one that some iterations leave out.
        "s += a[i]\ns += 0.1",
        "if a[i] < 0:\n    s += a[i]",
        "if a[i] > 1e4:\n    continue\ns += a[i]",
        "s += a[i]\nif s > 1e9:\n    break",
        // It is not linear in the variable, or what is added was computed from it.
        "s = s * s / 1e4 + a[i]",
        "s = s / 1.5 + a[i]",
        "s = max(s, 0.0) + a[i]",
        "t = s * s\ns = 0.25 * s + t",
        "let x = 0.5 * s\nif a[i] < 0:\n    x = 0.25\ns = x + a[i]",
        "s = a[i] + s if a[i] < 0 else s",
        // Of two, what is added behind the first statement was another number there, or there are three.
        "s += 0.5 * t\nlet x = s\no[i] = x\nt -= 0.5 * s + o[i]",
        "let u = t\ns += 0.5 * u * t\nt -= 0.25 * s",
    ] {
        assert!(!is_reordered(body), "{body}");
    }
}

/// The step of an iteration for two variables: four factors, row by row, and two terms.
#[derive(Clone, Copy)]
struct PairStep([f32; 4], [f32; 2]);

impl PairStep {
    fn apply(self, to: [f32; 2]) -> [f32; 2] {
        let PairStep([a, f, g, h], [b, e]) = self;
        [a * to[0] + (f * to[1] + b), g * to[0] + (h * to[1] + e)]
    }

    fn behind(self, first: PairStep) -> PairStep {
        let PairStep([a, f, g, h], _) = self;
        let [a1, f1, g1, h1] = first.0;
        PairStep([a * a1 + f * g1, a * f1 + f * h1, g * a1 + h * g1, g * f1 + h * h1], self.apply(first.1))
    }
}

/// By hand: both variables in each iteration, in blocks of 8.
fn pairs_by_blocks(steps: &[PairStep], mut front: [f32; 2]) -> Vec<[f32; 2]> {
    fn prefix(steps: &[PairStep]) -> PairStep {
        match steps.len() {
            1 => steps[0],
            n if n > 4 => prefix(&steps[4..]).behind(prefix(&steps[..4])),
            n if n > 2 => prefix(&steps[2..]).behind(prefix(&steps[..2])),
            _ => steps[1].behind(steps[0]),
        }
    }
    let mut values = Vec::new();
    for block in steps.chunks(8) {
        let of_block: Vec<_> = (1..=block.len()).map(|n| prefix(&block[..n]).apply(front)).collect();
        front = of_block[of_block.len() - 1];
        values.extend(of_block);
    }
    values
}

#[test]
fn two_run_on_together_by_blocks() {
    for n in [1, 2, 3, 7, 8, 9, 29, 64, 131] {
        let cells: Vec<f32> = (0..n).map(|k| 0.3 - 0.17 * (k % 11) as f32).collect();
        let both = |body: &str| {
            let text = format!(
                "@reassoc\nkernel k(a: f32[n], o: f32[n], n: i32) -> f32:\n    z = 1.5\n    w = -0.5\n    \
                 for i in range(n):\n        {body}\n        o[i] = z\n    return w\n"
            );
            run(&text, &format!("{}; o = {:?}", args(&cells), vec![0.0; n]))
        };
        let expected = |step: fn(f32) -> PairStep| {
            let steps: Vec<_> = cells.iter().map(|&a| step(a)).collect();
            let values = pairs_by_blocks(&steps, [1.5, -0.5]);
            let firsts: Vec<f32> = values.iter().map(|value| value[0]).collect();
            format!("result {:?}\no = {firsts:?}\n", values[values.len() - 1][1])
        };
        let filter =
            "let y = 0.25 * a[i] + z\n        z = 0.5 * a[i] - 0.125 * y + w\n        w = 0.25 * a[i] - 0.75 * y";
        let of_filter = |a: f32| {
            let y = 0.25 * a;
            PairStep([-0.125, 1.0, -0.75, 0.0], [0.5 * a - 0.125 * y, 0.25 * a - 0.75 * y])
        };
        assert_eq!(both(filter), expected(of_filter), "{n}");
        let turning = "z, w = 0.6 * z - 0.7 * w, 0.7 * z + 0.6 * w + a[i]";
        assert_eq!(both(turning), expected(|a| PairStep([0.6, -0.7, 0.7, 0.6], [0.0, a])), "{n}");
        // The second statement uses what the first one has made.
        let spring = "z -= 0.3 * w\n        w += 0.2 * z + a[i]";
        assert_eq!(both(spring), expected(|a| PairStep([1.0, -0.3, 0.2, 1.0 + 0.2 * -0.3], [0.0, a])), "{n}");
        // The statement that comes first is about `w`, so it is the first of the two.
        let shifted = "let y = a[i] - 0.5 * z - 0.25 * w\n        w = z\n        z = y";
        let steps: Vec<_> = cells.iter().map(|&a| PairStep([0.0, 1.0, -0.25, -0.5], [0.0, a])).collect();
        let values = pairs_by_blocks(&steps, [-0.5, 1.5]);
        let seconds: Vec<f32> = values.iter().map(|value| value[1]).collect();
        assert_eq!(both(shifted), format!("result {:?}\no = {seconds:?}\n", values[n - 1][0]), "{n}");
    }
}

#[test]
fn cells_run_on_by_blocks() {
    for n in [3, 5, 9, 10, 30, 64, 131] {
        let cells: Vec<f32> = (0..n).map(|k| 0.3 - 0.17 * (k % 11) as f32).collect();
        let in_cells = |from: usize, statement: &str| {
            let text = format!(
                "@reassoc\nkernel k(a: f32[n], o: f32[n], n: i32):\n    for i in range({from}, n):\n        {statement}\n"
            );
            run(&text, &format!("{}; o = {cells:?}", args(&cells)))
        };
        let shown = |front: &[f32], values: Vec<f32>| format!("o = {:?}\n", [front, &values].concat());
        let one: Vec<_> = cells[1..].iter().map(|&a| (0.5, a)).collect();
        let one = by_blocks(&one, cells[0], |(f, t), (a, b)| (a * f, a * t + b));
        assert_eq!(in_cells(1, "o[i] = 0.5 * o[i - 1] + a[i]"), shown(&cells[..1], one.clone()), "{n}");
        // What the cell was before may be a term.
        assert_eq!(in_cells(1, "o[i] += 0.5 * o[i - 1]"), shown(&cells[..1], one), "{n}");
        let two: Vec<_> = cells[2..].iter().map(|&a| PairStep([-0.5, -0.25, 1.0, 0.0], [a, 0.0])).collect();
        let two = pairs_by_blocks(&two, [cells[1], cells[0]]).iter().map(|value| value[0]).collect();
        assert_eq!(in_cells(2, "o[i] = a[i] - 0.5 * o[i - 1] - 0.25 * o[i - 2]"), shown(&cells[..2], two), "{n}");
    }
}
