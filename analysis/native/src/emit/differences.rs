//! Sums of absolute differences of bytes: by the instruction that x86 has for each eight of them, elsewhere in halves, each as
//! wide as two of those before.

use ir::Family;

use super::function::Function;
use super::values::{Ty, Unit, Val};

impl Function<'_> {
    /// The sums of the differences between the bytes of two vectors, for each element of the result as many as it has.
    pub(super) fn sums_of_differences(&mut self, x: &Val, y: &Val, ty: Ty) -> Val {
        if self.target.family == Family::X86 && ty.unit == Unit::Int(64) {
            return self.sums_of_eight(x, y, ty);
        }
        let [larger, smaller] = ["umax", "umin"].map(|name| {
            let suffix = x.ty.suffix();
            self.make(name, x.ty, format!("call {} @llvm.{name}.{suffix}({x}, {y})", x.ty))
        });
        let mut sums = self.make("difference", x.ty, format!("sub {larger}, {}", smaller.text));
        let Unit::Int(wanted) = ty.unit else { panic!("sums are integers") };
        let (mut bits, mut lanes) = (8, x.ty.lanes.unwrap_or(1));
        while bits < wanted {
            (bits, lanes) = (2 * bits, lanes / 2);
            let pairs = Ty::lanes(Unit::Int(bits), lanes);
            let sum = self.make("pairs", pairs, format!("bitcast {sums} to {pairs}"));
            let low = Val::int(pairs.unit, (1 << (bits / 2)) - 1).splat(lanes);
            let by = Val::int(pairs.unit, i128::from(bits / 2)).splat(lanes);
            let low = self.make("low", pairs, format!("and {sum}, {}", low.text));
            let high = self.make("high", pairs, format!("lshr {sum}, {}", by.text));
            sums = self.make("sums", pairs, format!("add {low}, {}", high.text));
        }
        sums
    }

    /// Sums of eight differences each, by x86's instruction.
    fn sums_of_eight(&mut self, x: &Val, y: &Val, ty: Ty) -> Val {
        let bytes = x.ty.lanes.unwrap_or(1);
        let register = bytes.next_power_of_two().clamp(16, self.target.register_bytes.max(16));
        let name = match register {
            16 => "sse2.psad.bw",
            32 => "avx2.psad.bw",
            _ => "avx512.psad.bw.512",
        };
        let sums = Ty::lanes(ty.unit, register / 8);
        let parts: Vec<Val> = (0..bytes)
            .step_by(register.into())
            .map(|first| {
                let [x, y] = [x, y].map(|all| self.cut(all, first, register));
                self.make("sums", sums, format!("call {sums} @llvm.x86.{name}({x}, {y})"))
            })
            .collect();
        let all = self.side_by_side(&parts);
        self.cut(&all, 0, ty.lanes.unwrap_or(1))
    }
}
