//! Wide integers that are joined out of neighbouring narrow ones, and narrow ones that are all the parts of a vector's wide ones.

use std::collections::HashMap;

use ir::builder::Builder;
use ir::entities::{Op, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Kernel, Values};
use ir::types::{Elem, ElemSet, Type};

/// Regroups wherever a program joins or cuts; says whether it does.
pub(super) fn joined_and_cut(kernel: &mut Kernel) -> bool {
    let mut places = Vec::new();
    kernel.walk(kernel.body, &mut |region, op| {
        if matches!(kernel.ops[op].code, Code::Or | Code::Permute)
            && kernel.ty(kernel.ops[op].results[0]).lanes().is_some()
        {
            places.push((region, op));
        }
    });
    let mut made = HashMap::new();
    let mut changed = false;
    for (region, op) in places {
        if let Some(found) = Regrouped::of(kernel, op) {
            found.write(kernel, region, op, &mut made);
            changed = true;
        }
    }
    changed
}

/// A value that consists of elements of vectors seen as elements of another size.
struct Regrouped {
    parts: Values,
    to: Elem,
    /// The element of the regrouped vectors that each lane is.
    picks: Vec<u16>,
}

/// The regrouped vectors there are already.
type Made = HashMap<(Region, Values, Elem), Value>;

impl Regrouped {
    fn of(kernel: &Kernel, op: Op) -> Option<Regrouped> {
        if kernel.ops[op].code == Code::Or { Regrouped::of_parts(kernel, op) } else { Regrouped::of_whole(kernel, op) }
    }

    /// Wide elements that are joined from narrow ones by shifts.
    fn of_parts(kernel: &Kernel, op: Op) -> Option<Regrouped> {
        let result = kernel.ops[op].results[0];
        let to = unsigned(kernel, result)?;
        let mut leaves = Vec::new();
        joined(kernel, result, &mut leaves);
        let mut members: Vec<_> = leaves.iter().map(|&leaf| Member::of(kernel, leaf)).collect::<Option<_>>()?;
        members.sort_by_key(|member| member.shift);
        let first = members.first()?;
        let bits = first.elem.bits();
        let n_members = to.bits() / bits;
        let shared = |member: &Member| member.parts == first.parts && member.elem == first.elem;
        if members.len() != n_members as usize || n_members < 2 || !members.iter().all(shared) {
            return None;
        }
        let follows = |(number, member): (u32, &Member)| {
            let beside = |(own, other): (&u16, &u16)| u32::from(*own) == u32::from(*other) + number;
            member.shift == number * bits && member.picks.iter().zip(first.picks).all(beside)
        };
        let aligned = first.picks.iter().all(|pick| u32::from(*pick) % n_members == 0);
        let total: usize = first.parts.iter().map(|&part| usize::from(kernel.ty(part).lanes().unwrap_or(1))).sum();
        let fits = aligned && total.is_multiple_of(n_members as usize) && (0..).zip(&members).all(follows);
        let picks = first.picks.iter().map(|pick| pick / n_members as u16).collect();
        fits.then(|| Regrouped { parts: first.parts.iter().copied().collect(), to, picks })
    }

    /// Narrow elements, each a part of an element of one vector.
    fn of_whole(kernel: &Kernel, op: Op) -> Option<Regrouped> {
        let data = &kernel.ops[op];
        let Attr::Pattern(pattern) = &data.attr else { return None };
        let to = unsigned(kernel, *data.operands.first()?)?;
        let sources: Vec<_> =
            data.operands.iter().map(|&operand| source(kernel, operand, to)).collect::<Option<_>>()?;
        let (whole, _) = *sources.first()?;
        let lanes = kernel.ty(whole).lanes()?;
        let from = unsigned(kernel, whole)?;
        if from.bytes() <= to.bytes() || sources.iter().any(|(own, _)| *own != whole) || sources.len() < 2 {
            return None;
        }
        let n_members = (from.bits() / to.bits()) as u16;
        let pick = |&number: &u16| {
            let (_, shift) = sources[usize::from(number / lanes)];
            (number % lanes) * n_members + (shift / to.bits()) as u16
        };
        let picks = pattern.iter().map(pick).collect();
        Some(Regrouped { parts: [whole].into_iter().collect(), to, picks })
    }

    /// Puts the value in the place of the op's.
    fn write(self, kernel: &mut Kernel, region: Region, op: Op, made: &mut Made) {
        let total: usize = self.parts.iter().map(|&part| bytes(kernel, part)).sum();
        let lanes = (total / self.to.bytes()) as u16;
        let is_whole = self.picks.iter().copied().eq(0..lanes);
        let key = (region, self.parts, self.to);
        let attr = Attr::Type(Type::lanes_of(self.to, lanes));
        if is_whole {
            let (_, parts, _) = &key;
            let data = &mut kernel.ops[op];
            (data.code, data.attr, data.operands) = (Code::Regroup, attr, parts.clone());
            return;
        }
        let all = match made.get(&key) {
            Some(&all) => all,
            None => {
                let mut b = Builder::detached(std::mem::replace(kernel, Kernel::new("")));
                b.set_origin(b.kernel().ops[op].origin);
                let all = b.op_with(Code::Regroup, attr, &key.1);
                let (built, block) = b.detach();
                *kernel = built;
                let new = std::mem::take(&mut kernel.regions[block].ops);
                let ops = &mut kernel.regions[region].ops;
                let place = ops.iter().position(|&other| other == op).expect("the block lists the op");
                ops.splice(place..place, new);
                made.insert(key, all);
                all
            }
        };
        let data = &mut kernel.ops[op];
        (data.code, data.attr) = (Code::Permute, Attr::Pattern(self.picks.into_iter().collect()));
        data.operands = [all].into_iter().collect();
    }
}

/// An element of narrow ones, at its place in a wide one.
struct Member<'k> {
    elem: Elem,
    shift: u32,
    parts: &'k [Value],
    picks: &'k [u16],
}

impl<'k> Member<'k> {
    fn of(kernel: &'k Kernel, leaf: Value) -> Option<Member<'k>> {
        let (value, shift) = shifted(kernel, leaf, Code::Shl).unwrap_or((leaf, 0));
        let cast = &kernel.ops[kernel.def_op(value)?];
        let from = unsigned(kernel, *cast.operands.first()?).filter(|_| cast.code == Code::Cast)?;
        let permute = &kernel.ops[kernel.def_op(cast.operands[0])?];
        match (permute.code, &permute.attr) {
            (Code::Permute, Attr::Pattern(picks)) => {
                Some(Member { elem: from, shift, parts: &permute.operands, picks })
            }
            _ => None,
        }
    }
}

/// The values that an `or` of several is made of.
fn joined(kernel: &Kernel, value: Value, leaves: &mut Vec<Value>) {
    match kernel.def_op(value).map(|op| &kernel.ops[op]) {
        Some(or) if or.code == Code::Or && leaves.len() < 8 => {
            or.operands.iter().for_each(|&side| joined(kernel, side, leaves))
        }
        _ => leaves.push(value),
    }
}

/// The vector of which a value is a part of each element, and the number of bits below that part.
fn source(kernel: &Kernel, value: Value, part: Elem) -> Option<(Value, u32)> {
    let (mut value, mut below) = (value, 0);
    loop {
        let inner = match kernel.def_op(value).map(|op| &kernel.ops[op]) {
            Some(cast) if cast.code == Code::Cast => (cast.operands[0], 0),
            _ => match shifted(kernel, value, Code::Shr) {
                Some(inner) => inner,
                None => break,
            },
        };
        let Some(elem) = unsigned(kernel, inner.0) else { break };
        if below + inner.1 + part.bits() > elem.bits() || kernel.ty(inner.0).lanes().is_none() {
            break;
        }
        (value, below) = (inner.0, below + inner.1);
    }
    (below % part.bits() == 0).then_some((value, below))
}

/// A value that is shifted by a constant.
pub(super) fn shifted(kernel: &Kernel, value: Value, code: Code) -> Option<(Value, u32)> {
    let data = &kernel.ops[kernel.def_op(value)?];
    if data.code != code {
        return None;
    }
    let by = kernel.as_const(data.operands[1]).and_then(ir::Scalar::wide)?;
    Some((data.operands[0], u32::try_from(by).ok()?))
}

fn unsigned(kernel: &Kernel, value: Value) -> Option<Elem> {
    kernel.ty(value).data_elem().filter(|elem| ElemSet::UNSIGNED.contains(*elem))
}

fn bytes(kernel: &Kernel, value: Value) -> usize {
    let ty = kernel.ty(value);
    usize::from(ty.lanes().unwrap_or(1)) * ty.data_elem().map_or(1, Elem::bytes)
}
