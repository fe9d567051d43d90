//! Ops that work across lanes, or make lanes or a scalar of them.
//!
//! Sums of floats keep the order the language fixes, so they are written out: LLVM's own reductions are only asked for
//! where every order gives the same bits, and for sums in lane order.

use ir::{Attr, Code, Elem, Family, Fold, Op, Scalar, Value};

use super::NotEmitted;
use super::function::Function;
use super::values::{Ty, Unit, Val};

impl Function<'_> {
    /// An op that works across lanes.
    pub(super) fn lane_op(&mut self, op: Op) -> Result<(), NotEmitted> {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let result = data.results[0];
        let ty = self.ty(result);
        let val = match (data.code, &data.operands[..]) {
            (Code::LaneId, _) => Val::numbers(Unit::Int(32), (0..ty.lanes.unwrap_or(1)).map(i128::from)),
            (Code::LaneIndex, &[base, step]) => self.lane_index(base, step, ty),
            (Code::ActiveLanes, &[base, bound]) => self.active_lanes(base, bound, ty),
            (Code::Splat, &[x]) => self.get_in(x, ty.lanes),
            (Code::Pack, operands) => self.pack(operands, ty),
            (Code::Extract, &[x, lane]) => {
                let (x, lane) = (self.get(x), self.exact(lane));
                self.named(ty, format!("extractelement {x}, {lane}"))
            }
            // Which lanes are asked decides only what is an error.
            (Code::Rotate, &[x, by, ..]) => self.rotate(op, x, by, ty.lanes)?,
            (Code::Shuffle, &[x, from, ..]) => self.shuffle(op, x, from, ty.lanes)?,
            (Code::Lookup, &[table, numbers]) => self.lookup(op, table, numbers)?,
            (Code::Permute, operands) => {
                let Attr::Pattern(pattern) = &data.attr else { panic!("{op} has no pattern") };
                self.permute(operands, pattern)
            }
            (Code::Regroup, operands) => {
                let parts: Vec<Val> = operands.iter().map(|&part| self.get(part)).collect();
                let all = self.side_by_side(&parts);
                self.named(ty, format!("bitcast {all} to {ty}"))
            }
            (Code::Sad, &[x, y]) => {
                let (x, y) = (self.get(x), self.get(y));
                self.sums_of_differences(&x, &y, ty)
            }
            (Code::Reverse, &[x]) => {
                let x = self.get(x);
                let picks = Val::numbers(Unit::Int(32), (0..ty.lanes.unwrap_or(1)).rev().map(i128::from));
                self.named(ty, format!("shufflevector {x}, {ty} poison, {picks}"))
            }
            (Code::Any | Code::All | Code::None | Code::CountOn | Code::FirstOn | Code::LastOn, operands) => {
                let mask = self.asked(data.code, operands);
                self.ask_mask(data.code, &mask)
            }
            // Lanes choose together in front of this; what is left asks for values that all of them have.
            (Code::FirstOf, &[x, y, takes, ..]) => {
                let [takes, x, y] = [takes, x, y].map(|value| self.get(value));
                self.named(ty, format!("select {takes}, {x}, {y}"))
            }
            (Code::ScanAdd, &[x, ..]) => self.scan_add(x, data.operands.get(1).copied()),
            (code, operands) => self.reduce(code, operands),
        };
        self.set(result, val);
        Ok(())
    }

    /// The lanes that are on, of those that are asked; for `all`, those that are not asked too.
    fn asked(&mut self, code: Code, operands: &[Value]) -> Val {
        let Some(&active) = operands.get(1) else { return self.get(operands[0]) };
        let active = self.get(active);
        let mask = self.get_in(operands[0], active.ty.lanes);
        if code == Code::All {
            let on = Val::scalar(Scalar::Bool(true)).splat(active.ty.lanes.unwrap_or(1));
            let others = self.make("others", active.ty, format!("xor {active}, {}", on.text));
            return self.make("asked", mask.ty, format!("or {mask}, {}", others.text));
        }
        self.make("asked", mask.ty, format!("and {mask}, {}", active.text))
    }

    fn ask_mask(&mut self, code: Code, mask: &Val) -> Val {
        let suffix = mask.ty.suffix();
        match code {
            Code::Any => self.named(Ty::I1, format!("call i1 @llvm.vector.reduce.or.{suffix}({mask})")),
            Code::All => self.named(Ty::I1, format!("call i1 @llvm.vector.reduce.and.{suffix}({mask})")),
            Code::None => {
                let any = self.make("any", Ty::I1, format!("call i1 @llvm.vector.reduce.or.{suffix}({mask})"));
                self.named(Ty::I1, format!("xor {any}, true"))
            }
            Code::CountOn => {
                let bits = self.mask_bits(mask);
                let ty = bits.ty;
                let count = self.make("count", ty, format!("call {ty} @llvm.ctpop.{}({bits})", ty.suffix()));
                self.resized(&count, 32)
            }
            Code::LastOn => {
                let bits = self.mask_bits(mask);
                let (ty, suffix) = (bits.ty, bits.ty.suffix());
                let behind = self.make("behind", ty, format!("call {ty} @llvm.ctlz.{suffix}({bits}, i1 false)"));
                let behind = self.resized(&behind, 32);
                let last = i64::from(mask.ty.lanes.unwrap_or(1)) - 1;
                self.named(behind.ty, format!("sub i32 {last}, {}", behind.text))
            }
            _ => {
                let first = self.first_on(mask);
                self.resized(&first, 32)
            }
        }
    }

    fn pack(&mut self, operands: &[Value], ty: Ty) -> Val {
        let mut packed = Val::new("poison", ty);
        for (lane, &operand) in operands.iter().enumerate() {
            let operand = self.get(operand);
            packed = self.named(ty, format!("insertelement {packed}, {operand}, i64 {lane}"));
        }
        packed
    }

    /// Each lane's index, which stays at the last value of its type.
    fn lane_index(&mut self, base: Value, step: Value, ty: Ty) -> Val {
        let elem = self.elem(base);
        let lanes = ty.lanes.unwrap_or(1);
        let (least, greatest) = elem.integer_range().unwrap_or_default();
        let base = self.get(base);
        let all = self.in_lanes(base.clone(), Some(lanes));
        let one = Ty::one(ty.unit);
        let Some(step) = self.kernel.as_const(step).and_then(Scalar::wide) else {
            return self.lane_index_by(&all, step, elem);
        };
        // As far as the type goes: no lane goes further than that.
        let span = greatest - least;
        let steps = Val::numbers(ty.unit, (0..lanes).map(|lane| (step.abs() * i128::from(lane)).min(span)));
        let room = match step >= 0 {
            true => self.make("room", one, format!("sub {one} {greatest}, {}", base.text)),
            false => self.make("room", one, format!("sub {base}, {least}")),
        };
        // What is known of the first index, LLVM knows of this number, but not of a vector: in whole groups it is the last lane's distance.
        let last = (step.abs() * i128::from(lanes - 1)).min(span);
        let room = match last {
            0 => room,
            _ => self.make("room", one, format!("call {one} @llvm.umin.{}({room}, {one} {last})", one.suffix())),
        };
        let room = self.in_lanes(room, Some(lanes));
        let steps = self.make("steps", ty, format!("call {ty} @llvm.umin.{}({steps}, {room})", ty.suffix()));
        let name = if step >= 0 { "add" } else { "sub" };
        self.named(ty, format!("{name} {all}, {}", steps.text))
    }

    /// Computes the lane index for a step that is not known, in twice as many bits.
    fn lane_index_by(&mut self, base: &Val, step: Value, elem: Elem) -> Val {
        let ty = base.ty;
        let Unit::Int(bits) = ty.unit else { panic!("an index is an integer") };
        let wide = ty.with(Unit::Int(2 * bits));
        let extend = if elem.is_signed() { "sext" } else { "zext" };
        let (least, greatest) = elem.integer_range().unwrap_or_default();
        let step = self.get_in(step, ty.lanes);
        let step = self.make("step", wide, format!("{extend} {step} to {wide}"));
        let base = self.make("base", wide, format!("{extend} {base} to {wide}"));
        // Clamped before it is added: neither the product nor the sum leaves the doubled width then.
        let lanes = Val::numbers(wide.unit, (0..ty.lanes.unwrap_or(1)).map(i128::from));
        let product = self.make("distance", wide, format!("mul {step}, {}", lanes.text));
        let sum = self.make("sum", wide, format!("add {base}, {}", product.text));
        let [least, greatest] =
            [least, greatest].map(|number| Val::int(wide.unit, number).splat(ty.lanes.unwrap_or(1)));
        let suffix = wide.suffix();
        let low = self.make("low", wide, format!("call {wide} @llvm.smax.{suffix}({sum}, {least})"));
        let both = self.make("both", wide, format!("call {wide} @llvm.smin.{suffix}({low}, {greatest})"));
        self.named(ty, format!("trunc {both} to {ty}"))
    }

    /// The lanes whose index is less than a bound: exact near the top of the range.
    fn active_lanes(&mut self, base: Value, bound: Value, ty: Ty) -> Val {
        let sign = if self.elem(base) == Elem::U64 { "u" } else { "s" };
        let lanes = ty.lanes.unwrap_or(1);
        // As many lanes are before the bound as indices are left, and none if the base is not. In 64 bits, since it is
        // there that a loop knows its base to be before its end.
        let (base, bound) = (self.exact(base), self.exact(bound));
        let before = self.make("before", Ty::I1, format!("icmp {sign}lt {base}, {}", bound.text));
        let rest = self.sub(&bound, &base);
        let rest = self.make("rest", Ty::I64, format!("select {before}, {rest}, i64 0"));
        let rest = self.make("left", Ty::I64, format!("call i64 @llvm.umin.i64({rest}, i64 {lanes})"));
        let rest = self.resized(&rest, 32);
        let rest = self.in_lanes(rest, Some(lanes));
        let numbers = Val::numbers(Unit::Int(32), (0..lanes).map(i128::from));
        self.named(ty, format!("icmp sgt {rest}, {}", numbers.text))
    }

    fn rotate(&mut self, op: Op, x: Value, by: Value, lanes: Option<u16>) -> Result<Val, NotEmitted> {
        let known = self.kernel.as_const(by).and_then(Scalar::wide);
        let x = self.get_in(x, lanes);
        let lanes = x.ty.lanes.unwrap_or(1);
        if let Some(by) = known {
            let picks = (0..i128::from(lanes)).map(|lane| (lane + by).rem_euclid(lanes.into()));
            let picks = Val::numbers(Unit::Int(32), picks);
            return Ok(self.named(x.ty, format!("shufflevector {x}, {} poison, {picks}", x.ty)));
        }
        // As far round as it goes, less than all the way, in as few bits as what picks wants.
        let elem = self.elem(by);
        let by = self.get(by);
        let bits = 8 * self.picked_by(op).bytes;
        let by = if lanes.is_power_of_two() { by } else { self.rest_of(elem, &by, lanes) };
        let by = self.resized(&by, bits);
        let by = self.in_lanes(by, Some(lanes));
        let ty = by.ty;
        let numbers = Val::numbers(ty.unit, (0..lanes).map(i128::from));
        let sum = self.make("sum", ty, format!("add {by}, {}", numbers.text));
        let from = if lanes.is_power_of_two() {
            let last = Val::int(ty.unit, i128::from(lanes) - 1).splat(lanes);
            self.make("around", ty, format!("and {sum}, {}", last.text))
        } else {
            // A number below the end wraps to a very large one, so the minimum leaves it as it is.
            let count = Val::int(ty.unit, lanes.into()).splat(lanes);
            let before = self.make("before", ty, format!("sub {sum}, {}", count.text));
            self.make("around", ty, format!("call {ty} @llvm.umin.{}({sum}, {before})", ty.suffix()))
        };
        self.picked(op, &x, &from)
    }

    /// The remainder of a number after all whole rounds of so many lanes.
    fn rest_of(&mut self, elem: Elem, by: &Val, lanes: u16) -> Val {
        let ty = by.ty;
        let count = self.in_lanes(Val::int(ty.unit, lanes.into()), ty.lanes);
        if !elem.is_signed() {
            return self.make("rest", ty, format!("urem {by}, {}", count.text));
        }
        let rest = self.make("rest", ty, format!("srem {by}, {}", count.text));
        let sum = self.make("sum", ty, format!("add {rest}, {}", count.text));
        self.make("rest", ty, format!("urem {sum}, {}", count.text))
    }

    fn shuffle(&mut self, op: Op, x: Value, from: Value, lanes: Option<u16>) -> Result<Val, NotEmitted> {
        let (x, from) = (self.get_in(x, lanes), self.get_in(from, lanes));
        let ty = from.ty;
        // A number below zero is a great one here, in any number of bits.
        let last = Val::int(ty.unit, i128::from(x.ty.lanes.unwrap_or(1)) - 1).splat(ty.lanes.unwrap_or(1));
        let from = self.make("from", ty, format!("call {ty} @llvm.umin.{}({from}, {last})", ty.suffix()));
        self.picked(op, &x, &from)
    }

    /// Numbers around the end of a table of a power of two are their low bits.
    fn lookup(&mut self, op: Op, table: Value, numbers: Value) -> Result<Val, NotEmitted> {
        let elem = self.elem(numbers);
        let (table, numbers) = (self.get(table), self.get(numbers));
        let of_table = table.ty.lanes.unwrap_or(1);
        let bits = 8 * self.picked_by(op).bytes;
        if !of_table.is_power_of_two() {
            let rest = self.rest_of(elem, &numbers, of_table);
            let rest = self.resized(&rest, bits);
            return self.picked(op, &table, &rest);
        }
        let numbers = self.resized(&numbers, bits);
        let last = self.in_lanes(Val::int(numbers.ty.unit, i128::from(of_table) - 1), numbers.ty.lanes);
        let inside = self.make("from", numbers.ty, format!("and {numbers}, {}", last.text));
        self.picked(op, &table, &inside)
    }

    fn permute(&mut self, operands: &[Value], pattern: &[u16]) -> Val {
        let mut parts: Vec<Val> = operands.iter().map(|&operand| self.get(operand)).collect();
        if let Some(known) = self.columns_of_rows(&parts, pattern).or_else(|| self.by_threes(&parts, pattern)) {
            return known;
        }
        // Many are joined two by two, so that no odd number of lanes comes to be between.
        while parts.len() > 2 && parts.len().is_power_of_two() && parts.iter().all(|part| part.ty == parts[0].ty) {
            parts = parts.chunks(2).map(|pair| self.side_by_side(pair)).collect();
        }
        let all = self.side_by_side(&parts);
        if pattern.iter().copied().eq(0..all.ty.lanes.unwrap_or(1)) {
            return all;
        }
        if let Some(permuted) = self.permuted_by_rows(&all, pattern).or_else(|| self.every_third_byte(&all, pattern)) {
            return permuted;
        }
        let ty = Ty::lanes(all.ty.unit, pattern.len() as u16);
        let picks = Val::numbers(Unit::Int(32), pattern.iter().map(|&lane| lane.into()));
        self.named(ty, format!("shufflevector {all}, {} poison, {picks}", all.ty))
    }

    /// Columns of rows, beside each other, where there are as many rows as a row has elements. Each step picks every second element of two vectors:
    /// first inside of each 16 bytes, as cheap shuffles do, then of the 16 bytes. Columns share the first steps, where LLVM makes shuffles for
    /// each by itself.
    fn columns_of_rows(&mut self, rows: &[Val], pattern: &[u16]) -> Option<Val> {
        let (ty, count) = (rows[0].ty, rows.len() as u16);
        let bytes = match ty.unit {
            Unit::Float | Unit::Int(32) => 4,
            Unit::Double | Unit::Int(64) => 8,
            _ => return None,
        };
        let widest = if self.target.family == Family::X86 { self.target.register_bytes.max(16) } else { 16 };
        let is_square = rows.iter().all(|row| row.ty == ty) && ty.lanes == Some(count) && count.is_power_of_two();
        if !is_square || count < 4 || u32::from(count) * bytes > u32::from(widest) {
            return None;
        }
        let columns: Vec<u16> = pattern.iter().copied().step_by(count.into()).collect();
        let of_columns = columns.iter().flat_map(|&first| (0..count).map(move |row| first + count * row));
        if columns.iter().any(|&first| first >= count) || !of_columns.eq(pattern.iter().copied()) {
            return None;
        }
        let columns: Vec<Val> = columns.iter().map(|&column| self.column(rows, column, 16 / bytes as u16)).collect();
        Some(self.side_by_side(&columns))
    }

    /// A column of rows, given how many elements lie in 16 bytes.
    fn column(&mut self, rows: &[Val], column: u16, in_block: u16) -> Val {
        let (ty, count) = (rows[0].ty, rows.len() as u16);
        let mut parts = rows.to_vec();
        for step in 0..count.ilog2() {
            let second = column >> step & 1;
            // What is picked, and out of how many elements.
            let (piece, of) = if 1 << step < in_block { (1, in_block) } else { (in_block, count) };
            let pieces = |block: u16| (block..block + of).step_by(2 * usize::from(piece));
            let cells =
                |block: u16| pieces(block).map(move |at| at + second * piece).flat_map(move |at| at..at + piece);
            let picks =
                (0..count).step_by(of.into()).flat_map(|block| cells(block).chain(cells(block).map(|at| at + count)));
            let picks = Val::numbers(Unit::Int(32), picks.map(i128::from));
            let pairs = parts.chunks(2);
            parts = pairs
                .map(|pair| self.make("pair", ty, format!("shufflevector {}, {}, {picks}", pair[0], pair[1])))
                .collect();
        }
        parts.swap_remove(0)
    }

    /// Every third element of three vectors of 16 bytes, or 16 bytes of three vectors whose elements are taken in turns. Two elements side by side
    /// come from one vector, or out of two by a shuffle that serves two such results; LLVM makes one for each.
    fn by_threes(&mut self, parts: &[Val], pattern: &[u16]) -> Option<Val> {
        let ty = Ty::lanes(parts[0].ty.unit, 4);
        let fits = matches!(ty.unit, Unit::Float | Unit::Int(32)) && self.target.family == Family::X86;
        if !fits || parts.len() != 3 || pattern.len() != 4 || parts.iter().any(|part| part.ty != ty) {
            return None;
        }
        let is_third = pattern.windows(2).all(|pair| pair[1] == pair[0] + 3);
        // Of elements that are taken in turns, those from `start` on: element `at / 3` of the vector that `pattern` has in its place.
        let in_turns = |start: u16| {
            let source = move |at: u16| pattern[usize::from((at + 3 - start % 3) % 3)] / 4;
            (start..start + 4).map(move |at| 4 * source(at) + at / 3)
        };
        if !is_third && ![0, 4, 8].iter().any(|&start| in_turns(start).eq(pattern.iter().copied())) {
            return None;
        }
        let mut halves = Vec::new();
        for (number, cells) in pattern.chunks(2).enumerate() {
            let [(source, a), (other, b)] = [cells[0], cells[1]].map(|cell| (&parts[usize::from(cell / 4)], cell % 4));
            if cells[0] / 4 == cells[1] / 4 {
                halves.push((source.clone(), [a, b]));
                continue;
            }
            // Two results have elements of these two vectors side by side: neighbours, or elements two apart.
            let (firsts, seconds) = match (is_third, number) {
                (true, 0) => ([1, 2], [0, 1]),
                (true, _) => ([2, 3], [1, 2]),
                (false, _) => ([a % 2, a % 2 + 2], [b % 2, b % 2 + 2]),
            };
            let picks = firsts.into_iter().chain(seconds.map(|lane| lane + 4)).map(i128::from);
            let picks = Val::numbers(Unit::Int(32), picks);
            let pair = self.make("pair", ty, format!("shufflevector {source}, {other}, {picks}"));
            halves.push((pair, [u16::from(firsts[1] == a), 2 + u16::from(seconds[1] == b)]));
        }
        let [(low, of_low), (high, of_high)] = &halves[..] else { return None };
        let picks = of_low.iter().copied().chain(of_high.map(|lane| lane + 4)).map(i128::from);
        let picks = Val::numbers(Unit::Int(32), picks);
        Some(self.named(ty, format!("shufflevector {low}, {high}, {picks}")))
    }

    /// Concatenates vectors.
    pub(super) fn side_by_side(&mut self, parts: &[Val]) -> Val {
        let mut parts = parts.iter();
        let Some(mut all) = parts.next().cloned() else { panic!("nothing to join") };
        for part in parts {
            let (n, m) = (all.ty.lanes.unwrap_or(1), part.ty.lanes.unwrap_or(1));
            // Both operands have to have one type, so the narrower one is widened first.
            let [left, right] = [&all, part].map(|val| self.widened(val, n.max(m)));
            let picks = (0..n).chain((0..m).map(|lane| n.max(m) + lane)).map(i128::from);
            let picks = Val::numbers(Unit::Int(32), picks);
            let ty = Ty::lanes(all.ty.unit, n + m);
            all = self.make("joined", ty, format!("shufflevector {left}, {right}, {picks}"));
        }
        all
    }

    fn widened(&mut self, val: &Val, lanes: u16) -> Val {
        let own = val.ty.lanes.unwrap_or(1);
        if own == lanes {
            return val.clone();
        }
        let picks = Val::numbers(Unit::Int(32), (0..lanes).map(|lane| i128::from(lane.min(own - 1))));
        self.make("wider", Ty::lanes(val.ty.unit, lanes), format!("shufflevector {val}, {} poison, {picks}", val.ty))
    }

    /// Reduces the active lanes to one element.
    fn reduce(&mut self, code: Code, operands: &[Value]) -> Val {
        let (fold, in_order) = match code {
            Code::ReduceAdd => (Fold::Add, false),
            Code::ReduceMul => (Fold::Mul, false),
            Code::ReduceMin => (Fold::Min, false),
            Code::ReduceMax => (Fold::Max, false),
            Code::ReduceAnd => (Fold::And, false),
            Code::ReduceOr => (Fold::Or, false),
            Code::ReduceXor => (Fold::Xor, false),
            Code::FoldAdd => (Fold::Add, true),
            Code::FoldMul => (Fold::Mul, true),
            Code::FoldMin => (Fold::Min, true),
            Code::FoldMax => (Fold::Max, true),
            other => panic!("there is no rule for `{}`", other.row().name),
        };
        let (start, rest) = if in_order { (Some(operands[0]), &operands[1..]) } else { (None, operands) };
        let elem = self.elem(rest[0]);
        let mask = rest.get(1).map(|&mask| self.get(mask));
        let lanes = mask.as_ref().map_or(self.kernel.ty(rest[0]).lanes(), |mask| mask.ty.lanes);
        let x = self.get_in(rest[0], lanes);
        match start {
            Some(start) => {
                let start = self.get(start);
                self.fold_in_order(fold, elem, &start, &x, mask.as_ref())
            }
            None => {
                let x = self.with_identity(fold, elem, &x, mask.as_ref());
                match fold {
                    Fold::Min | Fold::Max if elem.is_float() => self.join_present(fold, elem, &x, mask),
                    _ => self.join_lanes(fold, elem, &x),
                }
            }
        }
    }

    /// Replaces the values of inactive lanes by the identity of the reduction, which changes nothing.
    fn with_identity(&mut self, fold: Fold, elem: Elem, x: &Val, mask: Option<&Val>) -> Val {
        let Some(mask) = mask else { return x.clone() };
        let identity = Val::scalar(fold.identity(elem)).splat(x.ty.lanes.unwrap_or(1));
        self.make("active", x.ty, format!("select {mask}, {x}, {identity}"))
    }

    /// All lanes joined in the fixed order: lane `k` joins lane `k + half`, halving.
    pub(super) fn join_lanes(&mut self, fold: Fold, elem: Elem, x: &Val) -> Val {
        let lanes = x.ty.lanes.unwrap_or(1);
        let one = Ty::one(x.ty.unit);
        if let Some(name) = reduction(fold, elem).filter(|_| lanes > 1) {
            return self.named(one, format!("call {one} @llvm.vector.reduce.{name}.{}({x})", x.ty.suffix()));
        }
        let mut all = x.clone();
        let full = lanes.next_power_of_two();
        if full != lanes {
            let identity = Val::scalar(fold.identity(elem)).splat(full - lanes);
            all = self.side_by_side(&[all, identity]);
        }
        let mut left = full;
        while left > 1 {
            let half = left / 2;
            let ty = Ty::lanes(x.ty.unit, half);
            let [low, high] = [0, half].map(|from| {
                let picks = Val::numbers(Unit::Int(32), (from..from + half).map(i128::from));
                self.make("half", ty, format!("shufflevector {all}, {} poison, {picks}", all.ty))
            });
            all = self.join(fold, elem, &low, &high);
            left = half;
        }
        self.named(one, format!("extractelement {all}, i64 0"))
    }

    /// Joins the active lanes alone: no identity can stand for the others, since `min(NaN, x)` is `x` whatever `x` is.
    fn join_present(&mut self, fold: Fold, elem: Elem, x: &Val, mask: Option<Val>) -> Val {
        let lanes = x.ty.lanes.unwrap_or(1);
        let flags = |on: bool, n: u16| Val::scalar(Scalar::Bool(on)).splat(n);
        let (mut all, mut there) = (x.clone(), mask.unwrap_or_else(|| flags(true, lanes)));
        let full = lanes.next_power_of_two();
        if full != lanes {
            let identity = Val::scalar(fold.identity(elem)).splat(full - lanes);
            all = self.side_by_side(&[all, identity]);
            there = self.side_by_side(&[there, flags(false, full - lanes)]);
        }
        let mut left = full;
        while left > 1 {
            let half = left / 2;
            let mut halves = |of: &Val| {
                let ty = Ty::lanes(of.ty.unit, half);
                [0, half].map(|from| {
                    let picks = Val::numbers(Unit::Int(32), (from..from + half).map(i128::from));
                    self.make("half", ty, format!("shufflevector {of}, {} poison, {picks}", of.ty))
                })
            };
            let ([low, high], [low_there, high_there]) = (halves(&all), halves(&there));
            let joined = self.join(fold, elem, &low, &high);
            let either = self.make("either", low.ty, format!("select {low_there}, {low}, {high}"));
            let both = self.make("both", low_there.ty, format!("and {low_there}, {}", high_there.text));
            all = self.make("joined", low.ty, format!("select {both}, {joined}, {either}"));
            there = self.make("there", low_there.ty, format!("or {low_there}, {}", high_there.text));
            left = half;
        }
        self.named(Ty::one(x.ty.unit), format!("extractelement {all}, i64 0"))
    }

    /// Joins two values by an operator.
    pub(super) fn join(&mut self, fold: Fold, elem: Elem, a: &Val, b: &Val) -> Val {
        if elem.is_half() && matches!(fold, Fold::Add | Fold::Mul) {
            let [a, b] = [a, b].map(|val| self.as_float(elem, val));
            let joined = self.join(fold, Elem::F32, &a, &b);
            return self.as_half(elem, &joined);
        }
        let name = match fold {
            Fold::Min => return self.least(Code::Min, elem, a, b),
            Fold::Max => return self.least(Code::Max, elem, a, b),
            Fold::Add if elem.is_float() => "fadd",
            Fold::Mul if elem.is_float() => "fmul",
            Fold::Add => "add",
            Fold::Mul => "mul",
            Fold::And => "and",
            Fold::Or => "or",
            Fold::Xor => "xor",
        };
        let contract = if elem.is_float() { self.contract() } else { "" };
        self.make("joined", a.ty, format!("{name}{contract} {a}, {}", b.text))
    }

    /// A scalar joined with each active lane, in lane order.
    pub(super) fn fold_in_order(&mut self, fold: Fold, elem: Elem, start: &Val, x: &Val, mask: Option<&Val>) -> Val {
        let one = start.ty;
        let suffix = x.ty.suffix();
        let lanes = x.ty.lanes.unwrap_or(1);
        if reduction(fold, elem).is_some() {
            let x = self.with_identity(fold, elem, x, mask);
            let all = self.join_lanes(fold, elem, &x);
            return self.join(fold, elem, start, &all);
        }
        let instruction = [(Fold::Add, "fadd"), (Fold::Mul, "fmul")].into_iter().find(|(own, _)| *own == fold);
        if let Some(name) = instruction.filter(|_| !elem.is_half()) {
            // The identity changes no bit of what it is joined to.
            let x = self.with_identity(fold, elem, x, mask);
            return self.named(one, format!("call {one} @llvm.vector.reduce.{}.{suffix}({start}, {x})", name.1));
        }
        let mut total = start.clone();
        for lane in 0..lanes {
            let element = self.lane(x, lane);
            let joined = self.join(fold, elem, &total, &element);
            total = match mask {
                None => joined,
                Some(mask) => {
                    let on = self.lane(mask, lane);
                    self.make("total", one, format!("select {on}, {joined}, {total}"))
                }
            };
        }
        total
    }

    /// Returns the element of a lane.
    pub(super) fn lane(&mut self, x: &Val, lane: u16) -> Val {
        self.make("lane", Ty::one(x.ty.unit), format!("extractelement {x}, i64 {lane}"))
    }

    /// Returns in each active lane the sum of the active lanes up to it.
    fn scan_add(&mut self, x: Value, mask: Option<Value>) -> Val {
        let elem = self.elem(x);
        let mask = mask.map(|mask| self.get(mask));
        let lanes = mask.as_ref().map_or(self.kernel.ty(x).lanes(), |mask| mask.ty.lanes);
        let x = self.get_in(x, lanes);
        let lanes = x.ty.lanes.unwrap_or(1);
        let active = self.with_identity(Fold::Add, elem, &x, mask.as_ref());
        // Each lane has the sum of those before it, from 0 on.
        let sums = if elem.is_float() {
            let mut total = Val::scalar(Scalar::zero(elem));
            let mut sums = x.clone();
            for lane in 0..lanes {
                sums = self.make("sums", x.ty, format!("insertelement {sums}, {total}, i64 {lane}"));
                let element = self.lane(&active, lane);
                total = self.join(Fold::Add, elem, &total, &element);
            }
            sums
        } else {
            let up_to = self.prefix_sums(&active);
            self.make("sums", x.ty, format!("sub {up_to}, {}", active.text))
        };
        match mask {
            None => sums,
            Some(mask) => self.named(x.ty, format!("select {mask}, {sums}, {} zeroinitializer", x.ty)),
        }
    }

    /// Returns in each lane the sum of the integers up to it, in as many steps as the number of lanes has bits. In a step a lane adds the
    /// sum of the lane so many lanes before it. x86 moves elements far more cheaply within 16 bytes than across them, so there the sums
    /// within each 16 bytes come first, and then whole blocks add what the last lane of the block before has.
    pub(super) fn prefix_sums(&mut self, x: &Val) -> Val {
        let lanes = x.ty.lanes.unwrap_or(1);
        let block = match x.ty.unit {
            Unit::Int(bits) if self.target.family == Family::X86 => 128 / bits.max(8),
            _ => lanes,
        };
        let mut sums = x.clone();
        let mut distance = 1;
        while distance < lanes {
            let from = |lane: u16| match distance < block {
                true => lane.checked_sub(distance).filter(|from| from / block == lane / block),
                false => (lane / distance % 2 == 1).then(|| lane / distance * distance - 1),
            };
            let picks = (0..lanes).map(|lane| i128::from(from(lane).unwrap_or(lanes)));
            let picks = Val::numbers(Unit::Int(32), picks);
            let moved = format!("shufflevector {sums}, {} zeroinitializer, {picks}", x.ty);
            let moved = self.make("moved", x.ty, moved);
            sums = self.make("sums", x.ty, format!("add {sums}, {}", moved.text));
            distance *= 2;
        }
        sums
    }
}

/// LLVM's name for a reduction in which every order gives the same bits.
fn reduction(fold: Fold, elem: Elem) -> Option<&'static str> {
    Some(match fold {
        _ if elem.is_float() => return None,
        Fold::Add => "add",
        Fold::Mul => "mul",
        Fold::Min if elem.is_signed() => "smin",
        Fold::Min => "umin",
        Fold::Max if elem.is_signed() => "smax",
        Fold::Max => "umax",
        Fold::And => "and",
        Fold::Or => "or",
        Fold::Xor => "xor",
    })
}
