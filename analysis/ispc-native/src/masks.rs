//! Masks: the lanes that are on, as truth values and as they are kept from block to block.

use crate::function::{Compiles, FunctionEmitter, Mask, vector};
use crate::value::Operand;

/// The mark in front of the name of a mask as it is kept, where a mask is expected.
const KEPT: &str = "kept ";

impl FunctionEmitter<'_> {
    /// The type in which masks are kept from block to block: on targets whose masks are vectors of whole numbers LLVM would pack truth values
    /// for that, and unpack them.
    pub(crate) fn kept_type(&self) -> String {
        self.shaped(self.parts.mask_element(), true)
    }

    /// A mask as it is kept.
    pub(crate) fn kept(&mut self, mask: &str) -> Operand {
        let element = self.parts.mask_element();
        if element == "i1" {
            return mask.into();
        }
        if mask.starts_with('<') {
            return self.constant(element, "-1", true).into();
        }
        match mask.strip_prefix(KEPT) {
            Some(kept) => kept.into(),
            None => {
                let (from, to) = (self.mask_type(), self.kept_type());
                self.set(format!("sext {from} {mask} to {to}"))
            }
        }
    }

    /// A mask that was kept. Its truth values are made where they are wanted: between blocks there would be two forms of it.
    pub(crate) fn unkept(&mut self, kept: Operand) -> Operand {
        if self.parts.mask_element() == "i1" { kept } else { format!("{KEPT}{kept}").into() }
    }

    /// The truth values of a mask.
    pub(crate) fn truths(&mut self, mask: &str) -> Operand {
        match mask.strip_prefix(KEPT) {
            Some(kept) => {
                let ty = self.kept_type();
                self.set(format!("icmp slt {ty} {kept}, zeroinitializer"))
            }
            None => mask.into(),
        }
    }

    /// The lanes of two masks.
    pub(crate) fn both(&mut self, one: &str, other: &str) -> Operand {
        let (ty, one, other) = (self.kept_type(), self.kept(one), self.kept(other));
        let both = self.operation("and", &ty, &one, &other);
        self.unkept(both)
    }

    /// The lanes of either mask.
    pub(crate) fn either(&mut self, one: &str, other: &str) -> Operand {
        let (ty, one, other) = (self.kept_type(), self.kept(one), self.kept(other));
        let all = self.operation("or", &ty, &one, &other);
        self.unkept(all)
    }

    /// The lanes of a mask that are not in another one.
    pub(crate) fn apart(&mut self, mask: &str, other: &str) -> Operand {
        let (ty, mask, other) = (self.kept_type(), self.kept(mask), self.kept(other));
        let all = self.constant(self.parts.mask_element(), if ty.contains("i1>") { "true" } else { "-1" }, true);
        let off = self.operation("xor", &ty, &other, &all);
        let rest = self.operation("and", &ty, &off, &mask);
        self.unkept(rest)
    }

    /// The lanes that are on, as a vector of truth values.
    pub(crate) fn mask_vector(&mut self) -> Operand {
        match self.mask.clone() {
            Mask::All => self.constant("i1", "true", true).into(),
            Mask::Some(mask) => self.truths(&mask),
        }
    }

    pub(crate) fn mask_type(&self) -> String {
        self.shaped("i1", true)
    }

    /// Lanes as bits of a number of as many bits as there are lanes.
    pub(crate) fn lane_bits(&mut self, mask: &str) -> Operand {
        let (ty, lanes, mask) = (self.mask_type(), self.lanes, self.truths(mask));
        self.set(format!("bitcast {ty} {mask} to i{lanes}"))
    }

    /// Lanes as bits of a number of 64 bits.
    pub(crate) fn wide_bits(&mut self, mask: &str) -> Operand {
        let bits = self.lane_bits(mask);
        match self.lanes {
            64 => bits,
            lanes => self.set(format!("zext i{lanes} {bits} to i64")),
        }
    }

    /// True if a lane is on.
    pub(crate) fn any(&mut self, mask: &str) -> Operand {
        if mask.starts_with(KEPT)
            && let Some(any) = self.any_by_test(mask)
        {
            return any;
        }
        let mask = &*self.truths(mask);
        if self.target.family == ir::Family::X86 || self.lanes == 1 {
            let (bits, lanes) = (self.lane_bits(mask), self.lanes);
            return self.set(format!("icmp ne i{lanes} {bits}, 0"));
        }
        let (ty, lanes) = (self.mask_type(), self.lanes);
        self.call("i1", &format!("llvm.vector.reduce.or.v{lanes}i1"), &[(&ty, mask)])
    }

    /// True if a lane of a mask that is kept is on, by the instruction that x86 has for it. LLVM does not look into that, and so leaves the
    /// mask in the form in which it is kept.
    fn any_by_test(&mut self, mask: &str) -> Option<Operand> {
        const BYTES: u32 = 4;
        let widest = u32::from(self.target.register_bytes).max(16) / BYTES;
        if self.target.family != ir::Family::X86 || self.lanes * BYTES < 16 {
            return None;
        }
        let (mut all, mut lanes) = (self.kept(mask), self.lanes);
        while lanes > widest {
            let half = lanes / 2;
            let part = |from: u32| vector((from..from + half).map(|lane| format!("i32 {lane}")));
            let [low, high] = [part(0), part(half)].map(|part| {
                self.set(format!("shufflevector <{lanes} x i32> {all}, <{lanes} x i32> poison, <{half} x i32> {part}"))
            });
            all = self.operation("or", &format!("<{half} x i32>"), &low, &high);
            lanes = half;
        }
        let (name, ty) = match lanes * BYTES {
            32 => ("llvm.x86.avx.ptestz.256", "<4 x i64>"),
            _ => ("llvm.x86.sse41.ptestz", "<2 x i64>"),
        };
        let bits = self.set(format!("bitcast <{lanes} x i32> {all} to {ty}"));
        let none = self.call("i32", name, &[(ty, &bits), (ty, &bits)]);
        Some(self.set(format!("icmp eq i32 {none}, 0")))
    }

    /// Runs something for one lane that is on after the other, which is given its number.
    pub(crate) fn each_on(&mut self, run: impl FnOnce(&mut Self, &str) -> Compiles) -> Compiles {
        let mask = self.mask_vector();
        let bits = self.wide_bits(&mask);
        let left = self.allocate("i64");
        self.line(format!("store i64 {bits}, ptr {left}"));
        let [round, end] = [self.new_label(), self.new_label()];
        self.jump_to(&round);
        self.label(&round);
        let now = self.set(format!("load i64, ptr {left}"));
        let lane = self.call("i64", "llvm.cttz.i64", &[("i64", &now), ("i1", "true")]);
        run(self, &lane)?;
        let less = self.set(format!("add i64 {now}, -1"));
        let rest = self.set(format!("and i64 {now}, {less}"));
        self.line(format!("store i64 {rest}, ptr {left}"));
        let more = self.set(format!("icmp ne i64 {rest}, 0"));
        self.branch_on(&more, &round, &end);
        self.label(&end);
        Ok(())
    }
}
