//! The last group of a loop, where the target has no instructions for accesses under a mask: it begins where a whole group ends with
//! the last iteration. Some iterations are done twice then, to the same effect, and no access needs a mask.
//!
//! ```text
//! vector_for base in range(0, whole, LANES): …      whole groups
//! if (0 < whole) & (whole < n):
//!     vector_for base in range((n - 32), n, LANES): …
//! else:
//!     vector_for base in range(whole, n, LANES): …  under a mask, as what is left of it
//! ```
//!
//! An iteration may be done twice if it reads no array that the loop writes, hands nothing on, and does not ask for other lanes. What a
//! group does besides, for no lane of its own, does not count: stores are under the mask of the lanes that have an iteration.

use ir::effects::written_inside;
use ir::entities::{Op, Value};
use ir::ops::{Code, Effect};
use ir::program::Kernel;
use ir::scalar::Scalar;
use ir::target::{Sizes, Target};
use ir::types::Type;
use ir::typing::{self, OperandRole};
use smallvec::SmallVec;

/// Says whether the last group of a loop in lanes is to overlap the one before: it may, and some access would need a mask for which the
/// target has no instruction. `active`: the masks of the lanes that have an iteration.
pub(super) fn overlaps(kernel: &Kernel, op: Op, active: &[Value], target: &Target) -> bool {
    if target.masked_memory == Sizes::ALL {
        return false;
    }
    let data = &kernel.ops[op];
    let base = kernel.regions[data.regions[0]].args[0];
    let Some(control) = kernel.control(op) else { return false };
    let by_one = kernel.as_const(data.operands[2]).and_then(Scalar::wide) == Some(1);
    let hands_on = !data.results.is_empty() || !control.reductions.is_empty();
    let is_signed = kernel.ty(data.operands[0]).data_elem().is_some_and(|elem| elem.is_signed());
    if !by_one || hands_on || !is_signed || control.marks.stream {
        return false;
    }
    let written = written_inside(kernel, op);
    let (mut may, mut pays) = (true, false);
    kernel.walk_inside(op, &mut |inner| {
        let data = &kernel.ops[inner];
        may &= sees_one_lane(data.code) && (data.code == Code::LaneIndex || !data.operands.contains(&base));
        may &= data.regions.is_empty() || !yields(kernel, inner, base);
        if data.regions.is_empty() && kernel.effect(inner) == Effect::Writes {
            may &= mask_of(kernel, inner).is_some_and(|mask| is_part_of(kernel, mask, active));
        }
        let Some(&view) = data.operands.first().filter(|view| kernel.ty(**view).is_view()) else { return };
        let array = kernel.root(view);
        if data.regions.is_empty() && kernel.effect(inner) == Effect::Reads {
            may &= !written.iter().any(|&other| kernel.may_overlap(array, other));
        }
        pays |= mask_of(kernel, inner).is_some() && !is_instruction(kernel, view, target);
    });
    may && pays
}

/// Says whether an op is done for each lane by itself, so that it does not matter which lanes there are beside it.
fn sees_one_lane(code: Code) -> bool {
    let is_view = matches!(code, Code::Row | Code::Slice | Code::Field | Code::Flat | Code::Size);
    let is_in_lanes = matches!(code, Code::LaneIndex | Code::Splat);
    let loads = matches!(
        code,
        Code::Load
            | Code::VectorLoad
            | Code::MaskedLoad
            | Code::ReversedLoad
            | Code::StridedLoad
            | Code::RepeatedLoad
            | Code::PeriodicLoad
            | Code::Gather
            | Code::InterleavedLoad
    );
    let stores = matches!(
        code,
        Code::MaskedStore | Code::ReversedStore | Code::StridedStore | Code::Scatter | Code::InterleavedStore
    );
    let is_control = matches!(code, Code::If | Code::For | Code::While);
    code.is_elementwise() || is_view || is_in_lanes || loads || stores || is_control
}

/// Says whether a block of an op yields a value.
fn yields(kernel: &Kernel, op: Op, value: Value) -> bool {
    kernel.ops[op].regions.iter().any(|&region| kernel.regions[region].yields.contains(&value))
}

/// Says whether a mask is one of these, or leaves lanes of one of them.
fn is_part_of(kernel: &Kernel, mask: Value, masks: &[Value]) -> bool {
    let and = kernel.def_op(mask).map(|op| &kernel.ops[op]).filter(|data| data.code == Code::And);
    masks.contains(&mask) || and.is_some_and(|data| data.operands.iter().any(|&part| is_part_of(kernel, part, masks)))
}

/// The mask of an access.
fn mask_of(kernel: &Kernel, op: Op) -> Option<Value> {
    let data = &kernel.ops[op];
    let types: SmallVec<[Type; 4]> = data.operands.iter().map(|&value| kernel.ty(value)).collect();
    let roles = typing::roles(data.code, &types).ok()?;
    roles.iter().position(|role| *role == OperandRole::Mask).map(|mask| data.operands[mask])
}

/// Says whether the target accesses elements of a view under a mask by one instruction.
fn is_instruction(kernel: &Kernel, view: Value, target: &Target) -> bool {
    kernel.ty(view).elem().is_some_and(|elem| target.masked_memory.has(elem.bytes()))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::shown::at_stage;

    fn check(target: &str, text: &str, expect: Expect) {
        expect.assert_eq(&at_stage("specialised", target, text));
    }

    #[test]
    fn bytes_that_are_only_written_are_written_twice() {
        check(
            "avx2",
            "\
kernel k(a: u8[n], out: u8[n], n: i32):
    for i in range(1, n):
        out[i] = (a[i] ^ 255)
",
            expect![[r#"
                kernel k(a: u8[n], out: u8[n], n):
                    let _0 = u32((max(1, n) -% 1))
                    let whole = (1 +% i32((_0 -% (_0 % 32))))
                    vector_for base in range(1, whole, LANES):
                        let i = (base + lane_id)
                        vector_store(out, i, (vector_load(a, i) ^ 255))
                    if ((1 < whole) & (whole < n)):
                        vector_for base_1 in range((n - 32), n, LANES):
                            let i_1 = (base_1 + lane_id)
                            vector_store(out, i_1, (vector_load(a, i_1) ^ 255))
                    else:
                        vector_for base_2 in range(whole, n, LANES):
                            let i_2 = (base_2 + lane_id)
                            let active = (i_2 < n)
                            masked_store(out, i_2, (masked_load(a, i_2, active) ^ 255), active)
                # last-group-overlaps: the last 32 iterations are done together, though some of them were done before, to the same effect: for some of their accesses the target has no instruction under a mask
            "#]],
        );
    }

    #[test]
    fn masks_stay_where_they_are_instructions_or_an_iteration_counts() {
        let overlaps = |target: &str, text: &str| at_stage("specialised", target, text).contains("last-group-overlaps");
        let copy = "kernel k(a: u8[n], out: u8[n], n: i32):\n    for i in range(0, n):\n        out[i] = a[i]\n";
        assert!(overlaps("sse4", copy) && overlaps("avx2", copy) && overlaps("neon", copy));
        assert!(!overlaps("avx512", copy) && !overlaps("sve", copy) && !overlaps("rvv", copy));
        let words = copy.replace("u8", "f32");
        assert!(overlaps("sse4", &words) && !overlaps("avx2", &words));
        // Done twice, each of these would come to something else.
        let in_place = "kernel k(a: u8[n], n: i32):\n    for i in range(0, n):\n        a[i] = (a[i] ^ 255)\n";
        assert!(!overlaps("avx2", in_place));
        let aliased = copy.replace("kernel", "@alias(a, out)\nkernel").replace("for", "foreach");
        assert!(!overlaps("avx2", &aliased), "the arrays may be one");
        let counted = "\
kernel k(a: u8[n], out: u8[n], n: i32) -> i32:
    let s = for i in range(0, n) with s = 0:
        out[i] = (a[i] ^ 255)
        yield (s +% i32(a[i]))
    return s
";
        assert!(!overlaps("avx2", counted));
        let grouped = "\
kernel k(a: u8[n], out: u8[n], n: i32):
    foreach i in range(0, n) in 32 lanes:
        out[i] = reduce_max(a[i])
";
        assert!(!overlaps("avx2", grouped), "a group of other lanes");
    }
}
