//! Narrow elements as parts of wide ones. A *word* is an integer that several neighbouring elements fill.
//!
//! - Elements at even distances that are converted to something wider are parts of words at the same place: shifts and masks
//!   take them out of the words, and no lane has to change its place.
//! - Elements that are stored in turns with others, after a conversion from something wider, are put into words before.

use rustc_hash::{FxHashMap, FxHashSet};

use ir::builder::Builder;
use ir::entities::{Op, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Kernel, OpData, Values};
use ir::scalar::Scalar;
use ir::types::{Elem, Type};

use super::joined::shifted;

/// The most steps from a value to those that its range is taken from.
const MOST_STEPS: usize = 6;

/// Takes elements out of words, and puts them into words; says whether there are any.
pub(super) fn words(kernel: &mut Kernel) -> bool {
    let mut places = Vec::new();
    kernel.walk(kernel.body, &mut |region, op| {
        let is_one = match kernel.ops[op].code {
            Code::Cast => Part::converted(kernel, op).is_some(),
            Code::Permute => Turns::of(kernel, op).is_some(),
            _ => false,
        };
        if is_one {
            places.push((region, op));
        }
    });
    if places.is_empty() {
        return false;
    }
    let mut writer = Writer::on(std::mem::replace(kernel, Kernel::new("")));
    for (region, op) in places {
        writer.region = region;
        writer.rewrite(op);
    }
    *kernel = writer.finish();
    true
}

/// Elements of vectors, each the same part of a word.
struct Part {
    /// The vectors, side by side.
    vectors: Values,
    elem: Elem,
    /// The integer that has all bits of a word.
    word: Elem,
    /// The place of the elements in their words, the lowest first.
    place: u32,
    /// The words that they are in.
    words: Vec<u16>,
}

impl Part {
    /// The elements that an op converts to something wider.
    fn converted(kernel: &Kernel, op: Op) -> Option<Part> {
        let data = &kernel.ops[op];
        let most_bits = match kernel.ty(data.results[0]).data_elem()? {
            Elem::Bool | Elem::F16 | Elem::Bf16 => return None,
            Elem::F64 => Elem::F32.bits(),
            to => to.bits(),
        };
        Part::of(kernel, data.operands[0], most_bits)
    }

    /// The elements that a permute takes at even distances, in words of at most so many bits.
    fn of(kernel: &Kernel, value: Value, most_bits: u32) -> Option<Part> {
        let data = &kernel.ops[kernel.def_op(value)?];
        let (Code::Permute, Attr::Pattern(pattern)) = (data.code, &data.attr) else { return None };
        let elem = kernel.ty(value).data_elem().filter(|elem| elem.is_integer())?;
        let &[first, second, ..] = &pattern[..] else { return None };
        let step = second.checked_sub(first).filter(|step| *step >= 2)?;
        if !(0..).zip(pattern).all(|(lane, pick)| *pick == first + lane * step) {
            return None;
        }
        let mut n = 1;
        while step % (2 * n) == 0 && u32::from(2 * n) * elem.bits() <= most_bits {
            n *= 2;
        }
        let lanes = |part: &Value| kernel.ty(*part).lanes();
        let total = data.operands.iter().map(lanes).sum::<Option<u16>>()?;
        let word = integer(u32::from(n) * elem.bits()).filter(|_| n > 1 && total % n == 0)?;
        // Not all targets shift these to the right with their sign.
        if elem.is_signed() && word == Elem::U64 {
            return None;
        }
        let words = pattern.iter().map(|pick| pick / n).collect();
        Some(Part { vectors: data.operands.clone(), elem, word, place: u32::from(first % n), words })
    }
}

/// Vectors whose elements take turns in one, several neighbours of each lane in one word.
struct Turns {
    /// The integer that the vectors were converted from.
    wide: Elem,
    word: Elem,
    /// The vectors whose elements fill a word, the lowest first, for each kind of word.
    kinds: Vec<Values>,
    /// The words, as lanes of the kinds side by side.
    picks: Vec<u16>,
}

impl Turns {
    fn of(kernel: &Kernel, op: Op) -> Option<Turns> {
        let data = &kernel.ops[op];
        let Attr::Pattern(pattern) = &data.attr else { return None };
        let elem = kernel.ty(data.results[0]).data_elem().filter(|elem| elem.is_integer())?;
        let lanes = kernel.ty(*data.operands.first()?).lanes()?;
        if data.operands.len() < 2 || data.operands.iter().any(|&operand| kernel.ty(operand).lanes() != Some(lanes)) {
            return None;
        }
        // Conversions that are not needed any more have to pay for those that come in.
        let sources = data.operands.iter().filter_map(|&operand| converted(kernel, operand, elem));
        let sources: Vec<Elem> = sources.map(|source| kernel.ty(source).data_elem().unwrap_or(elem)).collect();
        let &wide = sources.first()?;
        if sources.iter().any(|source| source.bits() != wide.bits()) || 2 * sources.len() < data.operands.len() {
            return None;
        }
        let wide = wide.to_unsigned();
        let mut n = wide.bits() / elem.bits();
        while n > 1 {
            if let Some((kinds, picks)) = kinds(&data.operands, pattern, lanes, n as usize) {
                return Some(Turns { wide, word: integer(n * elem.bits())?, kinds, picks });
            }
            n /= 2;
        }
        None
    }
}

/// The vectors that fill words of `n` elements, and the pattern of the words; `None` if neighbours are from different lanes.
fn kinds(operands: &[Value], pattern: &[u16], lanes: u16, n: usize) -> Option<(Vec<Values>, Vec<u16>)> {
    let (mut kinds, mut picks) = (Vec::<Values>::new(), Vec::new());
    if !pattern.len().is_multiple_of(n) {
        return None;
    }
    for neighbours in pattern.chunks(n) {
        let lane = neighbours[0] % lanes;
        if neighbours.iter().any(|pick| pick % lanes != lane) {
            return None;
        }
        let kind: Values = neighbours.iter().map(|pick| operands[usize::from(pick / lanes)]).collect();
        let number = kinds.iter().position(|known| *known == kind).unwrap_or_else(|| {
            kinds.push(kind);
            kinds.len() - 1
        });
        picks.push(number as u16 * lanes + lane);
    }
    Some((kinds, picks))
}

/// The wider integer that a value of some element type was converted from.
fn converted(kernel: &Kernel, value: Value, elem: Elem) -> Option<Value> {
    let data = &kernel.ops[kernel.def_op(value)?];
    let source = *data.operands.first().filter(|_| data.code == Code::Cast)?;
    let from = kernel.ty(source).data_elem().filter(|from| from.is_integer() && from.bits() > elem.bits());
    from.filter(|_| kernel.ty(source).lanes().is_some()).map(|_| source)
}

/// The unsigned integer of so many bits.
fn integer(bits: u32) -> Option<Elem> {
    [Elem::U8, Elem::U16, Elem::U32, Elem::U64].into_iter().find(|elem| elem.bits() == bits)
}

/// Writes ops in front of others, and shares what is written twice.
struct Writer {
    b: Builder,
    /// The block of what is rewritten.
    region: Region,
    /// What was written, by what it is made of.
    made: FxHashMap<(Region, Key), Value>,
    /// The new ops in front of each that was rewritten.
    new: FxHashMap<Op, Vec<Op>>,
    regions: FxHashSet<Region>,
}

/// What a value that is shared is made of.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    /// Vectors, seen as other elements.
    Regrouped(Values, Elem),
    /// Some elements of a vector.
    Picked(Value, Vec<u16>),
    /// A vector in words of a type.
    Word(Value, Elem),
    /// Vectors that fill words of a type.
    Filled(Values, Elem),
}

impl Writer {
    fn on(kernel: Kernel) -> Writer {
        let region = kernel.body;
        let (made, new, regions) = Default::default();
        Writer { b: Builder::detached(kernel), region, made, new, regions }
    }

    fn kernel(&self) -> &Kernel {
        self.b.kernel()
    }

    /// Rewrites an op of the block, if something is gained by that.
    fn rewrite(&mut self, op: Op) {
        let origin = self.kernel().ops[op].origin;
        self.b.set_origin(origin);
        let changed = match self.kernel().ops[op].code {
            Code::Cast => self.take_out(op),
            _ => self.put_in(op),
        };
        if changed {
            let block = self.b.block();
            let ops = std::mem::take(&mut self.b.kernel_mut().regions[block].ops);
            self.new.insert(op, ops);
            self.regions.insert(self.region);
        }
    }

    /// Puts the new ops in their places.
    fn finish(self) -> Kernel {
        let (mut kernel, _) = self.b.detach();
        for region in self.regions {
            let ops = std::mem::take(&mut kernel.regions[region].ops);
            let with_new = |op: Op| self.new.get(&op).into_iter().flatten().copied().chain([op]);
            kernel.regions[region].ops = ops.into_iter().flat_map(with_new).collect();
        }
        kernel
    }

    /// Takes what is converted out of words.
    fn take_out(&mut self, op: Op) -> bool {
        let Some(part) = Part::converted(self.kernel(), op) else { return false };
        let to = self.kernel().ty(self.kernel().ops[op].results[0]).data_elem();
        let number = self.number(&part);
        let number = match to {
            // Fewer instructions convert signed ones, and all of these are far below the largest.
            Some(Elem::F32 | Elem::F64) if part.word == Elem::U32 => self.cast(number, Elem::I32),
            _ => number,
        };
        if self.kernel().ty(number).data_elem() == to {
            // The op itself is the last step.
            let last = self.kernel().def_op(number).expect("it was just made");
            let block = self.b.block();
            let kernel = self.b.kernel_mut();
            kernel.regions[block].ops.retain(|&op| op != last);
            let OpData { code, attr, operands, .. } = kernel.ops[last].clone();
            let data = &mut kernel.ops[op];
            (data.code, data.attr, data.operands) = (code, attr, operands);
        } else {
            self.b.kernel_mut().ops[op].operands = [number].into_iter().collect();
        }
        true
    }

    /// Elements as integers as wide as their words, signed ones as signed ones.
    fn number(&mut self, part: &Part) -> Value {
        let words = self.words(part);
        let bits = part.elem.bits();
        let above = part.word.bits() - (part.place + 1) * bits;
        if part.elem.is_signed() {
            let high = self.shift(Code::Shl, words, above);
            let high = self.cast(high, part.word.to_signed());
            return self.shift(Code::Shr, high, part.word.bits() - bits);
        }
        let low = self.shift(Code::Shr, words, part.place * bits);
        if above == 0 { low } else { self.low_bits(low, bits) }
    }

    fn words(&mut self, part: &Part) -> Value {
        let total: u16 = part.vectors.iter().filter_map(|&vector| self.kernel().ty(vector).lanes()).sum();
        let lanes = (u32::from(total) * part.elem.bits() / part.word.bits()) as u16;
        let all = self.shared(Key::Regrouped(part.vectors.clone(), part.word), |it| {
            let vectors: Vec<Value> =
                part.vectors.iter().map(|&vector| it.cast(vector, part.elem.to_unsigned())).collect();
            it.b.op_with(Code::Regroup, Attr::Type(Type::lanes_of(part.word, lanes)), &vectors)
        });
        if part.words.iter().copied().eq(0..lanes) {
            return all;
        }
        self.shared(Key::Picked(all, part.words.clone()), |it| {
            it.b.op_with(Code::Permute, Attr::Pattern(part.words.iter().copied().collect()), &[all])
        })
    }

    /// Puts what takes turns into words, and sees those as the elements.
    fn put_in(&mut self, op: Op) -> bool {
        let Some(turns) = Turns::of(self.kernel(), op) else { return false };
        let elem = self.kernel().ty(self.kernel().ops[op].results[0]).data_elem().expect("elements");
        let words: Vec<Value> = turns.kinds.iter().map(|kind| self.filled(kind, &turns, elem)).collect();
        let lanes: u16 = words.iter().filter_map(|&word| self.kernel().ty(word).lanes()).sum();
        let words = match turns.picks.iter().copied().eq(0..lanes) {
            true => words,
            false => vec![self.b.op_with(Code::Permute, Attr::Pattern(turns.picks.into_iter().collect()), &words)],
        };
        let result = self.kernel().ty(self.kernel().ops[op].results[0]);
        let as_unsigned = Attr::Type(Type::lanes_of(elem.to_unsigned(), result.lanes().unwrap_or(1)));
        let (code, attr, operands) = match elem.is_signed() {
            true => (Code::Cast, Attr::Elem(elem), vec![self.b.op_with(Code::Regroup, as_unsigned, &words)]),
            false => (Code::Regroup, as_unsigned, words),
        };
        let data = &mut self.b.kernel_mut().ops[op];
        (data.code, data.attr, data.operands) = (code, attr, operands.into_iter().collect());
        true
    }

    /// Words of elements of these vectors, the lowest first.
    fn filled(&mut self, kind: &Values, turns: &Turns, elem: Elem) -> Value {
        let bits = elem.bits();
        self.shared(Key::Filled(kind.clone(), turns.word), |it| {
            let mut all: Option<Value> = None;
            for (number, &vector) in (0..).zip(kind) {
                let wide = it.in_words(vector, turns.wide, elem);
                // What is above the word is dropped by a shift or by the conversion to the word.
                let fits = number + 1 == kind.len() as u32 || range(it.kernel(), wide, MOST_STEPS).1 < 1i128 << bits;
                let own = if fits { wide } else { it.low_bits(wide, bits) };
                let own = it.shift(Code::Shl, own, number * bits);
                all = Some(match all {
                    Some(all) => it.b.op(Code::Or, &[all, own]),
                    None => own,
                });
            }
            it.cast(all.expect("a word has elements"), turns.word)
        })
    }

    /// A vector as unsigned integers of a type, whose low bits are the elements.
    fn in_words(&mut self, vector: Value, to: Elem, elem: Elem) -> Value {
        match converted(self.kernel(), vector, elem) {
            Some(source) => self.cast(source, to),
            None => self.shared(Key::Word(vector, to), |it| match Part::of(it.kernel(), vector, to.bits()) {
                Some(part) if !elem.is_signed() => {
                    let number = it.number(&part);
                    it.cast(number, to)
                }
                _ => {
                    let vector = it.cast(vector, elem.to_unsigned());
                    it.cast(vector, to)
                }
            }),
        }
    }

    fn shared(&mut self, key: Key, make: impl FnOnce(&mut Writer) -> Value) -> Value {
        let key = (self.region, key);
        if let Some(&made) = self.made.get(&key) {
            return made;
        }
        let made = make(self);
        self.made.insert(key, made);
        made
    }

    fn cast(&mut self, value: Value, to: Elem) -> Value {
        match self.kernel().ty(value).data_elem() == Some(to) {
            true => value,
            false => self.b.op_with(Code::Cast, Attr::Elem(to), &[value]),
        }
    }

    fn shift(&mut self, code: Code, value: Value, by: u32) -> Value {
        if by == 0 {
            return value;
        }
        let by = self.constant_like(value, by.into());
        self.b.op(code, &[value, by])
    }

    fn low_bits(&mut self, value: Value, bits: u32) -> Value {
        let mask = self.constant_like(value, (1i128 << bits) - 1);
        self.b.op(Code::And, &[value, mask])
    }

    fn constant_like(&mut self, value: Value, number: i128) -> Value {
        let elem = self.kernel().ty(value).data_elem().expect("an integer");
        self.b.constant(Scalar::wrap(elem, number))
    }
}

/// The least and the greatest number that an integer can be, as far as a few ops tell.
fn range(kernel: &Kernel, value: Value, steps: usize) -> (i128, i128) {
    let elem = kernel.ty(value).data_elem().filter(|elem| elem.is_integer());
    let Some((least, greatest)) = elem.and_then(Elem::integer_range) else { return (i128::MIN, i128::MAX) };
    if let Some(number) = kernel.as_const(value).and_then(Scalar::wide) {
        return (number, number);
    }
    let Some(data) = kernel.def_op(value).map(|op| &kernel.ops[op]).filter(|_| steps > 0) else {
        return (least, greatest);
    };
    let of = |n: usize| range(kernel, data.operands[n], steps - 1);
    let (lo, hi) = match data.code {
        Code::And => match (of(0), of(1)) {
            ((0.., a), (0.., b)) => (0, a.min(b)),
            ((0.., a), _) | (_, (0.., a)) => (0, a),
            _ => (least, greatest),
        },
        Code::Shr => match shifted(kernel, value, Code::Shr) {
            Some((from, by)) => {
                let (lo, hi) = range(kernel, from, steps - 1);
                (lo >> by.min(64), hi >> by.min(64))
            }
            None => (least, greatest),
        },
        Code::Min => (of(0).0.min(of(1).0), of(0).1.min(of(1).1)),
        Code::Max => (of(0).0.max(of(1).0), of(0).1.max(of(1).1)),
        Code::Cast => of(0),
        _ => (least, greatest),
    };
    // What a conversion does not keep can be anything.
    if lo >= least && hi <= greatest { (lo, hi) } else { (least, greatest) }
}
