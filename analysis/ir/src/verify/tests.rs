//! Wrong kernels, at least one for each line of the list, and what the verifier says of them.

use std::collections::BTreeSet;

use expect_test::expect;

use super::{verify, verify_scalar};
use crate::entities::{Entity, Op, Origin, Region, Value};
use crate::ops::Code;
use crate::program::{Attr, Control, Def, DimSize, Kernel, LaneVerdict, OriginData};
use crate::read_unverified;
use crate::scalar::Scalar;
use crate::scratch::SizeFormula;
use crate::types::{Elem, Type};

/// A kernel with a bit of everything, to break.
const WHOLE: &str = "\
struct P:
    x: f32

kernel whole(a: f32[n], m: i32[n, 3], p: P[?], n) -> f32:
    let t = temp(n, type=f32)
    let s, r = for i in range(0, n) with s0 = 0.0 reducing + from 1.0:
        let x = (a[i] * p.x[i])
        yield (s0 + x), x
    let k = while (k0 < n) with k0 = 0:
        let k2 = (k0 + 1)
        yield k2
    let y = if (k > 3):
        yield s
    else:
        yield r
    foreach i2 in range(0, n), j in range(0, 3):
        m[i2, j] = k
    vector_for base in range(0, n, LANES):
        let v = (base + lane_id)
        let on = (v < n)
        let w = masked_load(a, v, on)
        masked_store(t, v, permute(w, pattern=[7, 6, 5, 4, 3, 2, 1, 0]), on)
    foreach i3 in range(0, n) in 4 lanes:
        let some = any((a[i3] > s))
        if some:
            pass
    let c = table(2, 2, i32=[5, 1, -7, 0])
    return y
";

fn whole() -> Kernel {
    read_unverified(WHOLE, Some(8)).expect("it reads").remove(0)
}

fn op(kernel: &Kernel, code: Code) -> Op {
    let mut found = None;
    kernel.walk(kernel.body, &mut |_, op| {
        if kernel.ops[op].code == code {
            found.get_or_insert(op);
        }
    });
    found.expect("an op of that kind")
}

fn named(kernel: &Kernel, name: &str) -> Value {
    let found = kernel.values.iter().find(|(_, data)| data.name.as_deref() == Some(name));
    found.expect("a value of that name").0
}

/// The region that lists an op.
fn home(kernel: &Kernel, wanted: Op) -> Region {
    let mut found = None;
    kernel.walk(kernel.body, &mut |region, op| {
        if op == wanted {
            found = Some(region);
        }
    });
    found.expect("a listed op")
}

/// The loop that an op stands in, and the loop's block.
fn loop_around(kernel: &Kernel, wanted: Op) -> (Op, Region) {
    let region = home(kernel, wanted);
    let around = kernel.ops.iter().find(|(_, data)| data.regions.contains(&region));
    (around.expect("a loop around it").0, region)
}

/// A way to break a kernel.
type Break = fn(&mut Kernel);

/// Each invariant with ways to break it.
const BREAKS: &[(&str, Break)] = &[
    ("listed-once", |k| {
        let store = op(k, Code::Store);
        let body = k.body;
        k.regions[body].ops.push(store);
    }),
    ("listed-once", |k| {
        let (first, second) = (op(k, Code::For), op(k, Code::Foreach));
        k.ops[second].regions = [k.ops[first].regions[0]].into_iter().collect();
    }),
    ("linked", |k| {
        let x = named(k, "x");
        k.values[x].def = Def::Result(Op::new(0), 0);
    }),
    ("linked", |k| {
        let i = named(k, "i");
        k.values[i].def = Def::Param(0);
    }),
    ("linked", |k| k.params[0].value = Value::new(9999)),
    ("in-scope", |k| {
        let (x, y) = (named(k, "x"), op(k, Code::If));
        let other = k.ops[y].regions[1];
        k.regions[other].yields[0] = x;
    }),
    ("in-scope", |k| {
        let body = k.body;
        k.regions[body].ops.reverse();
    }),
    ("in-scope", |k| {
        let load = op(k, Code::Load);
        k.ops[load].operands[1] = Value::new(9999);
    }),
    ("operands", |k| {
        let load = op(k, Code::Load);
        k.ops[load].operands.pop();
    }),
    ("operands", |k| {
        let (mul, n) = (op(k, Code::Mul), named(k, "n"));
        k.ops[mul].operands[1] = n;
    }),
    ("operands", |k| {
        let (load, n) = (op(k, Code::Load), named(k, "n"));
        k.ops[load].operands[0] = n;
    }),
    ("operands", |k| {
        let (store, v) = (op(k, Code::MaskedStore), named(k, "v"));
        k.ops[store].operands[3] = v;
    }),
    ("operands", |k| {
        let (branch, n) = (op(k, Code::If), named(k, "n"));
        k.ops[branch].operands[0] = n;
    }),
    ("operands", |k| {
        let (load, n) = (op(k, Code::MaskedLoad), named(k, "n"));
        let splat = k.add_op(
            Code::Splat,
            Attr::Lanes(4),
            [n].into_iter().collect(),
            &[Type::lanes_of(Elem::I32, 4)],
            Origin::new(0),
        );
        let region = home(k, load);
        k.regions[region].ops.insert(0, splat);
        k.ops[load].operands[1] = k.ops[splat].results[0];
    }),
    ("attribute", |k| {
        let permute = op(k, Code::Permute);
        k.ops[permute].attr = Attr::Pattern([8].into());
    }),
    ("attribute", |k| {
        let temp = op(k, Code::Temp);
        k.ops[temp].attr = Attr::None;
    }),
    ("attribute", |k| {
        let field = op(k, Code::Field);
        k.ops[field].attr = Attr::Field(1);
    }),
    ("attribute", |k| {
        let loops = op(k, Code::For);
        k.ops[loops].attr = Attr::None;
    }),
    ("results", |k| {
        let x = named(k, "x");
        k.values[x].ty = Type::scalar(Elem::F64);
    }),
    ("results", |k| {
        let store = op(k, Code::Store);
        let extra = k.add_value(Type::scalar(Elem::F32), Def::Result(store, 0), None);
        k.ops[store].results.push(extra);
    }),
    ("blocks", |k| {
        let branch = op(k, Code::If);
        k.ops[branch].regions.pop();
    }),
    ("blocks", |k| {
        let branch = op(k, Code::If);
        let region = k.ops[branch].regions[0];
        k.add_arg(region, Type::scalar(Elem::F32), None);
    }),
    ("blocks", |k| {
        let body = k.body;
        k.add_arg(body, Type::scalar(Elem::F32), None);
    }),
    ("carried", |k| {
        let branch = op(k, Code::If);
        let region = k.ops[branch].regions[0];
        k.regions[region].yields.clear();
    }),
    ("carried", |k| {
        let (loops, n) = (op(k, Code::For), named(k, "n"));
        k.ops[loops].operands[3] = n;
    }),
    ("carried", |k| {
        let (loops, n) = (op(k, Code::While), named(k, "n"));
        let test = k.ops[loops].regions[0];
        k.regions[test].yields[0] = n;
    }),
    ("ranges", |k| {
        let loops = op(k, Code::For);
        k.ops[loops].operands[2] = k.constant(Scalar::I64(1));
    }),
    ("reductions", |k| {
        let loops = op(k, Code::For);
        if let Attr::Control(control) = &mut k.ops[loops].attr {
            control.reductions[0] = crate::scalar::Fold::Xor;
        }
    }),
    ("one-range", |k| {
        let (loops, n) = (op(k, Code::Foreach), named(k, "n"));
        k.ops[loops].operands.push(n);
        let region = k.ops[loops].regions[0];
        let ty = k.ty(n);
        k.add_arg(region, ty, None);
        k.regions[region].yields.push(n);
        let result = k.add_value(ty, Def::Result(loops, 0), None);
        k.ops[loops].results.push(result);
    }),
    ("no-whole-arrays", |k| {
        let (branch, a, t) = (op(k, Code::If), named(k, "a"), named(k, "t"));
        let regions = k.ops[branch].regions.clone();
        k.regions[regions[0]].yields[0] = a;
        k.regions[regions[1]].yields[0] = t;
        let y = named(k, "y");
        k.values[y].ty = Type::view(Elem::F32, 1);
    }),
    ("no-whole-arrays", |k| {
        let (mul, a) = (op(k, Code::Mul), named(k, "a"));
        k.ops[mul].operands[0] = a;
        k.values[k.ops[mul].results[0]].ty = Type::view(Elem::F32, 1);
    }),
    ("one-array", |k| {
        let (mul, unknown) = (op(k, Code::Mul), Type::view(Elem::F32, 1));
        k.ops[mul].code = Code::Unknown;
        k.ops[mul].attr = Attr::Type(unknown);
        k.values[k.ops[mul].results[0]].ty = unknown;
    }),
    ("elements", |k| {
        let (branch, n) = (op(k, Code::For), named(k, "n"));
        k.ops[branch].code = Code::Reduce;
        k.ops[branch].operands = [n, n, n].into_iter().collect();
    }),
    ("parameters", |k| k.params[0].sizes.push(DimSize::Own)),
    ("parameters", |k| {
        let a = named(k, "a");
        k.params[1].sizes[0] = DimSize::Param(a);
    }),
    ("parameters", |k| {
        let a = named(k, "a");
        k.values[a].name = Some("n".into());
    }),
    ("parameters", |k| {
        let (a, n) = (named(k, "a"), named(k, "n"));
        k.marks.alias.push((a, n));
    }),
    ("result", |k| k.result = None),
    ("result", |k| {
        let (body, n) = (k.body, named(k, "n"));
        k.regions[body].yields[0] = n;
    }),
    ("lanes-known", |k| k.lanes = None),
    ("in-lanes", |k| {
        let any = op(k, Code::Any);
        let (together, _) = loop_around(k, any);
        k.ops[together].attr = Attr::Control(Default::default());
    }),
    ("in-lanes", |k| {
        let (any, load) = (op(k, Code::Any), op(k, Code::MaskedLoad));
        let ((together, _), (_, vector)) = (loop_around(k, any), loop_around(k, load));
        let body = k.body;
        k.regions[body].ops.retain(|&op| op != together);
        k.regions[vector].ops.push(together);
    }),
    ("in-lanes", |k| {
        let any = op(k, Code::Any);
        let number = Type::lanes_of(Elem::I32, 4);
        let number = k.add_op(Code::LaneId, Attr::Lanes(4), Default::default(), &[number], Origin::new(0));
        let (_, region) = loop_around(k, any);
        k.regions[region].ops.push(number);
    }),
    ("in-lanes", |k| {
        let (any, plain) = (op(k, Code::Any), op(k, Code::Foreach));
        let (_, region) = loop_around(k, any);
        let body = k.body;
        k.regions[body].ops.retain(|&op| op != plain);
        k.regions[region].ops.push(plain);
        k.ops[plain].attr = Attr::Control(Box::new(Control { width: Some(4), ..Control::default() }));
    }),
    ("in-lanes", |k| {
        let (any, w) = (op(k, Code::Any), named(k, "w"));
        let branch = k.ops[any].results[0];
        let branch = k.ops.iter().find(|(_, data)| data.operands.contains(&branch)).expect("an `if`").0;
        for region in k.ops[branch].regions.clone() {
            k.regions[region].yields.push(w);
        }
    }),
    ("counts", |k| {
        let branch = op(k, Code::If);
        if let Attr::Control(control) = &mut k.ops[branch].attr {
            control.marks.counts = true;
        }
    }),
    ("rolled", |k| {
        let branch = op(k, Code::If);
        if let Attr::Control(control) = &mut k.ops[branch].attr {
            control.marks.rolled = true;
        }
    }),
    ("together", |k| {
        let branch = op(k, Code::If);
        if let Attr::Control(control) = &mut k.ops[branch].attr {
            control.marks.together = Some(4);
        }
    }),
    ("in-turn", |k| {
        let branch = op(k, Code::If);
        if let Attr::Control(control) = &mut k.ops[branch].attr {
            control.marks.in_turn = true;
        }
    }),
    ("disjoint", |k| {
        let branch = op(k, Code::If);
        if let Attr::Control(control) = &mut k.ops[branch].attr {
            control.marks.disjoint = true;
        }
    }),
    ("verdict", |k| {
        let branch = op(k, Code::If);
        k.set_verdict(branch, Some(LaneVerdict::InOrder(None)));
    }),
    ("verdict", |k| {
        let counted = op(k, Code::For);
        k.lanes = None;
        k.set_verdict(counted, Some(LaneVerdict::InsideLanes));
    }),
    ("verdict", |k| {
        let counted = op(k, Code::For);
        k.lanes = None;
        k.set_verdict(counted, Some(LaneVerdict::InLanes(0)));
    }),
    ("checked", |k| k.marks.checked = true),
    ("tables", |k| {
        let table = op(k, Code::Table);
        k.ops[table].operands[1] = k.constant(Scalar::I64(3));
    }),
    ("tables", |k| {
        let (table, store) = (op(k, Code::Table), op(k, Code::Store));
        let home = k.body;
        let at = k.regions[home].ops.iter().position(|&other| other == table).expect("it is listed");
        let first = k.regions[home].ops.remove(at);
        k.regions[home].ops.insert(0, first);
        k.ops[store].operands[0] = k.ops[table].results[0];
    }),
    ("scratch", |k| {
        let temp = op(k, Code::Temp);
        let at = k.constant(Scalar::I64(0));
        k.ops[temp].operands.insert(0, at);
        k.ops[temp].code = Code::Scratch;
    }),
    ("scratch", |k| k.marks.scratch = Some(SizeFormula::Param(0))),
    ("names", |k| {
        let x = named(k, "x");
        k.values[x].name = Some("two words".into());
    }),
    ("names", |k| k.name = "".into()),
    ("origins", |k| {
        let load = op(k, Code::Load);
        k.ops[load].origin = Origin::new(9999);
    }),
    ("origins", |k| {
        k.origins.push(OriginData { place: 1, call: Some(Origin::new(9999)), rest_of: None });
    }),
];

#[test]
fn the_kernel_to_break_is_whole() {
    assert_eq!(verify(&whole()), Ok(()));
    assert_eq!(verify_scalar(&whole()), Ok(()));
}

#[test]
fn every_broken_invariant_is_named() {
    for (number, (invariant, how)) in BREAKS.iter().enumerate() {
        let mut kernel = whole();
        how(&mut kernel);
        let found = verify_scalar(&kernel).expect_err(&format!("break {number} of {invariant}"));
        assert!(found.iter().any(|violation| violation.invariant == *invariant), "{number}, {invariant}: {found:?}");
    }
}

#[test]
fn the_list_in_the_comment_is_the_list_that_is_checked() {
    let listed: BTreeSet<&str> = include_str!("../verify.rs")
        .lines()
        .filter_map(|line| line.strip_prefix("//! - `"))
        .filter_map(|line| line.split('`').next())
        .collect();
    let broken: BTreeSet<&str> = BREAKS.iter().map(|(invariant, _)| *invariant).collect();
    assert_eq!(listed, broken);
}

#[test]
fn what_is_wrong_is_said_in_words() {
    let mut said = String::new();
    for (_, how) in BREAKS {
        let mut kernel = whole();
        how(&mut kernel);
        let found = verify_scalar(&kernel).expect_err("a broken kernel");
        said += &format!("{}\n", found[0]);
    }
    expect![[r#"
        listed-once: op13 stands in region0, and in another place (op13)
        listed-once: region1 belongs to two ops (op12)
        linked: v14 is not Result(op5, 0) (op5)
        linked: v9 is not Arg(region1, 0) (op1)
        linked: parameter 0 is v9999, which is nothing
        in-scope: v14 is not made before it is used (op11)
        in-scope: v16 is not made before it is used (op22)
        in-scope: v9999 is not made before it is used (op2)
        operands: `load` takes 2 operands here, not 1 (op2)
        operands: operand 1 of `mul` is i32 where another is f32 (op5)
        operands: `load` takes 1 operands here, not 2 (op2)
        operands: operand 3 of `masked_store` has to be a mask, not i32x8 (op19)
        operands: the condition is i32 (op11)
        operands: 4 lanes meet 8 lanes (op17)
        attribute: `permute` does not say what it has to, or says it wrongly (op18)
        attribute: `temp` does not say what it has to, or says it wrongly (op0)
        attribute: `field` does not say what it has to (op3)
        attribute: `for` says nothing (op1)
        results: f64, not f32 (op5)
        results: f32, not nothing (op13)
        blocks: 1 blocks, not 2 (op11)
        blocks: a block of an `if` has arguments (op11)
        blocks: the body has arguments
        carried: blocks yield nothing and f32, results are f32 (op11)
        carried: it starts from i32, f32; its arguments are f32; it yields f32, f32; its results are f32, f32 (op1)
        carried: the test yields i32 (op7)
        ranges: an index i32 in a range of i32, i32, i64 (op1)
        reductions: `^` joins f32 (op1)
        one-range: it yields i32 (op12)
        no-whole-arrays: a view is carried or yielded (op11)
        no-whole-arrays: `mul` of whole arrays (op5)
        one-array: an unknown view (op5)
        no-whole-arrays: `reduce` of whole arrays (op1)
        parameters: view1 of f32 with 2 sizes
        parameters: a size is v0
        parameters: parameter 3 has no name of its own
        parameters: v0 and v3 may overlap, but are not both arrays
        result: the body yields f32, not nothing
        result: the body yields i32, not f32
        lanes-known: v28 is i32x8 (op15)
        in-lanes: `any` of scalars, outside of a `foreach` in lanes (op23)
        in-lanes: `foreach` inside of a loop in lanes (op20)
        in-lanes: `lane_id` in lanes, inside of a `foreach` in lanes (op26)
        in-lanes: `foreach` inside of a loop in lanes (op12)
        in-scope: v30 is not made before it is used (op24)
        counts: `if` counts (op11)
        rolled: `if` is not unrolled (op11)
        together: no iterations of `if` go together (op11)
        in-turn: `if` hands nothing on from lane to lane (op11)
        disjoint: what it tests is not whether arrays overlap (op11)
        verdict: `if` has a verdict (op11)
        verdict: `@inside_lanes` outside of lanes (op1)
        verdict: `@in_lanes(0)` outside of lanes (op1)
        checked: no sizes are compared first
        tables: 4 elements (op25)
        tables: `store` writes to a constant array (op13)
        scratch: nothing says how much scratch memory there is
        scratch: the bytes of scratch memory are no formula of the parameters
        names: `two words` is no identifier
        names: `` is no identifier
        origins: origin9999 is in no table (op2)
        origins: origin23 was inlined at Some(origin9999)
    "#]]
    .assert_eq(&said);
}

/// A kernel that works on whole arrays, to break.
const ARRAYS: &str = "\
kernel arrays(a: f32[n], m: f32[n, 3], n):
    let b = (a * 2.0)
    let c, d = map x in b, r in m:
        yield (x + 1.0), (r * x)
    let s = reduce x2 in c with s0 = 0.0:
        yield (s0 + x2)
    let t = reduce x3 in c reducing + from s:
        yield x3
    let u = scan x4 in c with u0 = t:
        yield (u0 + x4)
    let v = for i in range(0, n) with v0 = u:
        yield (v0 + b)
    assign(a, v)
    assign(m, d)
";

#[test]
fn ops_on_whole_arrays_are_held_to_their_rules() {
    let whole = read_unverified(ARRAYS, None).expect("it reads").remove(0);
    assert_eq!(verify(&whole), Ok(()));
    let found = verify_scalar(&whole).expect_err("it works on whole arrays");
    assert!(found.iter().all(|violation| violation.invariant == "no-whole-arrays"), "{found:?}");
    let breaks: &[Break] = &[
        |k| {
            let (map, n) = (op(k, Code::Map), named(k, "n"));
            k.ops[map].operands[0] = n;
        },
        |k| {
            let (map, m) = (op(k, Code::Map), named(k, "m"));
            k.ops[map].operands[0] = m;
        },
        |k| {
            let map = op(k, Code::Map);
            k.ops[map].operands.pop();
        },
        |k| {
            let map = op(k, Code::Map);
            let block = k.ops[map].regions[0];
            k.regions[block].yields.pop();
        },
        |k| {
            let map = op(k, Code::Map);
            let block = k.ops[map].regions[0];
            k.regions[block].yields.reverse();
        },
        |k| {
            let (reduce, n) = (op(k, Code::Reduce), named(k, "n"));
            k.ops[reduce].operands[1] = n;
        },
        |k| {
            let (reduce, m) = (op(k, Code::Reduce), named(k, "m"));
            let block = k.ops[reduce].regions[0];
            k.regions[block].yields[0] = m;
        },
        |k| {
            let reduce = op(k, Code::Reduce);
            k.ops[reduce].results.clear();
        },
        |k| {
            let scan = op(k, Code::Scan);
            if let Attr::Control(control) = &mut k.ops[scan].attr {
                control.reductions.push(crate::scalar::Fold::Add);
            }
        },
        |k| {
            let t = named(k, "t");
            let reduce = k.def_op(t).expect("an op");
            if let Attr::Control(control) = &mut k.ops[reduce].attr {
                control.reductions[0] = crate::scalar::Fold::Or;
            }
        },
        |k| {
            let scan = op(k, Code::Scan);
            let u = k.ops[scan].results[0];
            k.values[u].ty = Type::scalar(Elem::F32);
        },
        |k| {
            let (assign, m) = (op(k, Code::Assign), named(k, "m"));
            k.ops[assign].operands[1] = m;
        },
        |k| {
            let (mul, m) = (op(k, Code::Add), named(k, "m"));
            let (a, b) = (named(k, "a"), named(k, "b"));
            k.ops[mul].operands = [a, b].into_iter().collect();
            let mul = op(k, Code::Mul);
            k.ops[mul].operands = [a, m].into_iter().collect();
        },
        |k| {
            let (body, m) = (op(k, Code::For), named(k, "m"));
            let block = k.ops[body].regions[0];
            k.regions[block].yields[0] = m;
        },
    ];
    let mut said = String::new();
    for how in breaks {
        let mut kernel = whole.clone();
        how(&mut kernel);
        let found = verify(&kernel).expect_err("a broken kernel");
        said += &format!("{}\n", found[0]);
    }
    expect![[r#"
        elements: `map` of i32, view2 of f32 (op1)
        elements: elements f32, view1 of f32 of view2 of f32, view2 of f32 (op1)
        blocks: 2 arguments, not 1 (op1)
        elements: it yields f32, its results are view1 of f32, view2 of f32 (op1)
        elements: it yields view1 of f32, f32, its results are view1 of f32, view2 of f32 (op1)
        carried: it starts from i32; its arguments are f32; it yields f32; its results are f32 (op4)
        carried: it starts from f32; its arguments are f32; it yields view2 of f32; its results are f32 (op4)
        elements: `reduce` of view1 of f32, f32 (op4)
        reductions: `scan` reduces (op7)
        reductions: `|` joins f32 (op6)
        elements: it yields f32, its results are f32 (op7)
        operands: `assign` gives view2 of f32 to view1 of f32 (op11)
        operands: `mul` works on arrays of different ranks (op0)
        carried: it starts from view1 of f32; its arguments are view1 of f32; it yields view2 of f32; its results are view1 of f32 (op9)
    "#]].assert_eq(&said);
}
