//! Tiles: the iterations that lanes of a `foreach` over two or three ranges run together lie close to each other in all of them.
//!
//! ```text
//! @tiled                                       for row in range(0, h, 4):
//! foreach row in range(0, h),                      for column in range(0, w, 4):
//!         column in range(0, w):       =>              foreach lane in range(0, 16):
//!     out[row, column] = …                                 if ((lane / 4) < (h - row)) and ((lane % 4) < (w - column)):
//!                                                              out[row + lane / 4, column + lane % 4] = …
//! ```
//!
//! Rays through neighbouring pixels, or steps of a search from them, take the same turns for longer than those of a whole row of lanes, and
//! what they load lies in fewer lines of memory. The lanes of a tile are those of a group: a square of them, or twice as many columns as rows.

use rustc_hash::FxHashMap;

use super::Context;
use crate::decision::{Decision, Said};
use ir::builder::Builder;
use ir::codes::ReasonCode;
use ir::copy::Copied;
use ir::entities::{Op, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Control, Kernel, LaneVerdict, Marks};
use ir::scalar::Scalar;
use ir::types::Elem;

/// The most ranges that a tile is a part of.
const MOST_RANGES: usize = 3;

/// The largest step of a range in tiles: what a lane is ahead of its tile stays far within the index's type.
const MOST_STEP: i128 = 1 << 8;

/// Writes the loops that are marked `@tiled` as loops over tiles, once their lanes are known; says whether there are any.
pub fn tiles(kernel: &mut Kernel, context: &mut Context) -> bool {
    let mut found = Vec::new();
    kernel.walk(kernel.body, &mut |home, op| {
        if kernel.control(op).is_some_and(|control| control.marks.tiled) {
            found.push((op, Tiled::of(kernel, home, op)));
        }
    });
    for &(op, ref tiled) in &found {
        let origin = kernel.ops[op].origin;
        context.decide(match tiled {
            Ok(tiled) => Decision::taken(origin, ReasonCode::InTiles, tiled.shape()),
            Err(why) => Decision::left(origin, ReasonCode::InTiles, vec![(*why).into()]),
        });
        match (tiled, &mut kernel.ops[op].attr) {
            (Ok(tiled), _) => tiled.write(kernel),
            // Its lanes run along the last range, and facts are to know that.
            (Err(_), Attr::Control(control)) => control.marks.tiled = false,
            (Err(_), _) => {}
        }
    }
    !found.is_empty()
}

/// A loop in tiles.
struct Tiled {
    home: Region,
    op: Op,
    /// The steps of its ranges.
    steps: Vec<i128>,
    /// How many iterations of each range a tile has, powers of two.
    spans: Vec<u16>,
}

impl Tiled {
    /// A loop that is marked so, or the reason why its lanes run along one range.
    fn of(kernel: &Kernel, home: Region, op: Op) -> Result<Tiled, &'static str> {
        let data = &kernel.ops[op];
        let control = kernel.control(op).cloned().unwrap_or_default();
        let n_ranges = kernel.n_ranges(op);
        if !(2..=MOST_RANGES).contains(&n_ranges) || !data.results.is_empty() || !control.reductions.is_empty() {
            return Err("what the loop updates is handed from range to range, so that lanes run along the last one");
        }
        if control.width.is_some() {
            return Err("lanes ask each other, and which those are is said by the last range");
        }
        let Some(LaneVerdict::InLanes(lanes)) = control.marks.verdict else { return Err("the loop has no lanes") };
        if lanes < 2 || !lanes.is_power_of_two() {
            return Err("the number of lanes is no power of two");
        }
        let steps = (0..n_ranges).map(|n| kernel.as_const(data.operands[3 * n + 2]).and_then(Scalar::wide));
        let steps: Option<Vec<i128>> = steps.collect();
        match steps.filter(|steps| steps.iter().all(|step| (1..=MOST_STEP).contains(step))) {
            Some(steps) => Ok(Tiled { home, op, steps, spans: spans(n_ranges, lanes) }),
            None => Err("the step of a range is not known, negative or large"),
        }
    }

    /// The words for the shape of a tile.
    fn shape(&self) -> Vec<Said> {
        let mut words: Vec<Said> = vec!["the iterations that run together are".into()];
        for (n, &span) in self.spans.iter().enumerate() {
            words.extend((n > 0).then(|| "by".into()));
            words.push(i128::from(span).into());
        }
        words
    }

    fn write(&self, kernel: &mut Kernel) {
        let data = kernel.ops[self.op].clone();
        let body = kernel.regions[data.regions[0]].clone();
        let control = kernel.control(self.op).cloned().unwrap_or_default();
        let name = |value: Value| kernel.values[value].name.as_deref().unwrap_or("i").to_owned();
        let names: Vec<String> = body.args.iter().map(|&arg| name(arg)).collect();

        let mut b = Builder::detached(std::mem::replace(kernel, Kernel::new("")));
        b.set_origin(data.origin);
        let mut firsts = Vec::new();
        for (n, name) in names.iter().enumerate() {
            let range = &data.operands[3 * n..3 * n + 3];
            let step = self.number(&mut b, self.steps[n] * i128::from(self.spans[n]), range[0]);
            firsts.push(b.open_for(name, [range[0], range[1], step], &[])[0]);
            *b.marks() =
                Marks { verdict: Some(LaneVerdict::InOrder(Some(ReasonCode::LanesElsewhere))), ..Marks::default() };
        }
        let lanes: u16 = self.spans.iter().product();
        let range = [0, i32::from(lanes), 1].map(|number| b.constant(Scalar::I32(number)));
        let control = Control { marks: Marks { tiled: false, ..control.marks }, ..Control::default() };
        let lane = b.open_foreach_with(&[("lane", range)], control, &[], &[])[0];

        // How far the lane is from the first of its tile, in each range, and whether the range has it.
        let (mut rest, mut ahead) = (lane, Vec::new());
        for n in (0..names.len()).rev() {
            let span = b.constant(Scalar::I32(self.spans[n].into()));
            let own = if n == 0 { rest } else { b.op(Code::Rem, &[rest, span]) };
            if n > 0 {
                rest = b.op(Code::Div, &[rest, span]);
            }
            ahead.push(self.in_steps(&mut b, n, own, firsts[n]));
        }
        ahead.reverse();
        let mut is_there: Option<Value> = None;
        for (n, &ahead) in ahead.iter().enumerate() {
            let elem = b.kernel().ty(ahead).data_elem().expect("an index is a number");
            // The end lies behind the first lane, so this is the distance, whatever sign it has in the index's own type.
            let left = b.op(Code::WrappingSub, &[data.operands[3 * n + 1], firsts[n]]);
            let [left, ahead] = [left, ahead].map(|it| b.op_with(Code::Cast, Attr::Elem(elem.to_unsigned()), &[it]));
            let own = b.op(Code::Lt, &[ahead, left]);
            is_there = Some(is_there.map_or(own, |all| b.op(Code::And, &[all, own])));
        }
        b.open_if(is_there.expect("a tile is a part of ranges"));
        let mut copied: Copied = FxHashMap::default();
        for (n, &arg) in body.args.iter().enumerate() {
            let index = b.op(Code::WrappingAdd, &[firsts[n], ahead[n]]);
            b.name(index, &names[n]);
            copied.insert(arg, index);
        }
        for &op in &body.ops {
            b.copy(op, &mut copied);
        }
        b.next_block(&[]);
        b.close(&[]);
        b.close(&[]);
        for _ in &names {
            b.close(&[]);
        }
        let (made, block) = b.detach();
        *kernel = made;
        let made = std::mem::take(&mut kernel.regions[block].ops);
        let ops = &mut kernel.regions[self.home].ops;
        let place = ops.iter().position(|&op| op == self.op).expect("the block lists the loop");
        ops.splice(place..=place, made);
    }

    /// A number of a range's type.
    fn number(&self, b: &mut Builder, number: i128, like: Value) -> Value {
        let elem = b.kernel().ty(like).data_elem().expect("an index is a number");
        b.constant(Scalar::wrap(elem, number))
    }

    /// How far so many iterations of a range are ahead of its first one.
    fn in_steps(&self, b: &mut Builder, n: usize, iterations: Value, first: Value) -> Value {
        let elem = b.kernel().ty(first).data_elem().expect("an index is a number");
        let iterations = match elem {
            Elem::I32 => iterations,
            _ => b.op_with(Code::Cast, Attr::Elem(elem), &[iterations]),
        };
        if self.steps[n] == 1 {
            return iterations;
        }
        let step = self.number(b, self.steps[n], first);
        b.op(Code::WrappingMul, &[iterations, step])
    }
}

/// How many iterations of each range a tile of so many lanes has: as near to a square or cube as powers of two come, with the longer
/// sides along the last ranges.
fn spans(n_ranges: usize, lanes: u16) -> Vec<u16> {
    let mut spans = vec![1; n_ranges];
    for n in 0..lanes.ilog2() as usize {
        spans[n_ranges - 1 - n % n_ranges] *= 2;
    }
    spans
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::pipeline::{self, Options};

    /// A kernel at the stage `vector`.
    fn in_lanes(text: &str, lanes: u16) -> String {
        let kernel = ir::read(text, None).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
        let options = Options { lanes: Some(lanes), ..Options::default() };
        let reached = pipeline::run(kernel, &options, true).expect("stages");
        let stage = reached.iter().find(|stage| stage.stage == "vector").expect("a stage");
        ir::print(&stage.kernel).text
    }

    fn check(text: &str, expect: Expect) {
        expect.assert_eq(&in_lanes(text, 8));
    }

    #[test]
    fn lanes_are_neighbours_in_both_ranges() {
        check(
            "\
kernel k(out: f32[h, w], h: i32, w: i32):
    @tiled
    foreach y in range(0, h), x in range(0, w, 3):
        out[y, x] = f32((y * x))
",
            expect![[r#"
                kernel k(out: f32[h, w], h, w):
                    @in_order(lanes-elsewhere)
                    for y in range(0, h, 2):
                        @in_order(lanes-elsewhere)
                        for x in range(0, w, 12):
                            vector_for base in range(0, 8, LANES):
                                let lane = (base + lane_id)
                                let active = (lane < 8)
                                let _0 = (lane / 4)
                                let _1 = ((lane % 4) *% 3)
                                let _2 = (active & ((u32(_0) < u32((h -% y))) & (u32(_1) < u32((w -% x)))))
                                if any(_2):
                                    let y_1 = (y +% _0)
                                    let x_1 = (x +% _1)
                                    scatter(out, y_1, x_1, f32((y_1 * x_1)), _2)
            "#]],
        );
    }

    #[test]
    fn what_has_no_tiles_stays_as_it_is() {
        let text = "\
kernel k(out: f32[h, w], h: i32, w: i32):
    @tiled
    foreach y in range(0, h), x in range(0, w):
        out[y, x] = 1.0
";
        assert!(in_lanes(text, 2).contains("let lane = "));
        // A number of lanes that is no power of two, and steps whose sign is not known.
        assert!(!in_lanes(text, 3).contains("let lane = "));
        assert!(!in_lanes(&text.replace("(0, w)", "(0, w, h)"), 8).contains("let lane = "));
    }

    #[test]
    fn tiles_are_near_to_squares() {
        assert_eq!([2, 4, 8, 16, 64].map(|lanes| spans(2, lanes)), [[1, 2], [2, 2], [2, 4], [4, 4], [8, 8]]);
        assert_eq!([8, 16, 64].map(|lanes| spans(3, lanes)), [[2, 2, 2], [2, 2, 4], [4, 4, 4]]);
    }
}
