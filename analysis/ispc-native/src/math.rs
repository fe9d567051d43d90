//! Functions of real numbers: those of the platform's C library, in 64 bits, for each lane that is on.
//!
//! So a result is that of the machine of `ispc-ir` on the same platform, rounded once; its library has `asinh`, `acosh`, `atanh`, `erf`
//! and `erfc` of its own, which differ from these in last bits of 64.

use ispc_ir::op::OneOperand;

use crate::function::FunctionEmitter;
use crate::value::Operand;

/// A function of the C library.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LibraryFunction {
    /// The name there.
    name: &'static str,
    /// The operands: a constant in front of those that are given, or a whole number behind.
    form: LibraryForm,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LibraryForm {
    /// As they are given.
    Plain,
    /// Ten in front of them.
    OfTen,
    /// The second one is a whole number.
    WithWhole,
}

const fn plain(name: &'static str) -> LibraryFunction {
    LibraryFunction { name, form: LibraryForm::Plain }
}

/// A power.
pub(crate) const POW: LibraryFunction = plain("pow");
/// The angle of a point.
pub(crate) const ATAN2: LibraryFunction = plain("atan2");
/// A number times a power of two.
pub(crate) const SCALE: LibraryFunction = LibraryFunction { name: "ldexp", form: LibraryForm::WithWhole };

/// The function that an op of one operand is.
pub(crate) fn of_one(op: OneOperand) -> Option<LibraryFunction> {
    use OneOperand::*;
    Some(plain(match op {
        Sin => "sin",
        Cos => "cos",
        Tan => "tan",
        Asin => "asin",
        Acos => "acos",
        Atan => "atan",
        Sinh => "sinh",
        Cosh => "cosh",
        Tanh => "tanh",
        Asinh => "asinh",
        Acosh => "acosh",
        Atanh => "atanh",
        Exp => "exp",
        Exp2 => "exp2",
        Exp10 => return Some(LibraryFunction { name: "pow", form: LibraryForm::OfTen }),
        Log => "log",
        Log2 => "log2",
        Log10 => "log10",
        Cbrt => "cbrt",
        ExpMinusOne => "expm1",
        LogOnePlus => "log1p",
        Erf => "erf",
        Erfc => "erfc",
        _ => return None,
    }))
}

impl FunctionEmitter<'_> {
    /// Calls a function of the C library, once or for each lane that is on.
    pub(crate) fn library_call(&mut self, function: LibraryFunction, args: &[&str], varies: bool) -> Operand {
        let lanes = if varies { self.lanes } else { 1 };
        let name = format!("math.{}{}", function.name, if function.form == LibraryForm::OfTen { ".ten" } else { "" });
        let name = if varies { format!("{name}.lanes") } else { name };
        let types = match function.form {
            LibraryForm::WithWhole => "double, i32",
            LibraryForm::Plain if args.len() == 1 => "double",
            _ => "double, double",
        };
        self.parts.declare("double", function.name, types);
        let ty = self.shaped("double", varies);
        self.parts.helper(&name, || helper(function, &name, args.len(), lanes, varies));
        let mut given: Vec<String> = args.iter().map(|arg| format!("{ty} {arg}")).collect();
        if varies {
            let mask = self.mask_vector();
            given.push(format!("{} {mask}", self.mask_type()));
        }
        self.set(format!("call {ty} @{name}({})", given.join(", ")))
    }
}

/// A function that calls one of the C library, for each lane that is on. LLVM may not know what that one is, or it would take another.
fn helper(function: LibraryFunction, name: &str, n_args: usize, lanes: u32, varies: bool) -> String {
    let args = |of: &str| -> (String, String) {
        let all: Vec<String> = (0..n_args).map(|nth| format!("double %{of}{nth}")).collect();
        match function.form {
            LibraryForm::Plain => (String::new(), all.join(", ")),
            LibraryForm::OfTen => (String::new(), format!("double 10.0, {}", all.join(", "))),
            LibraryForm::WithWhole => {
                let held = "call i32 @llvm.fptosi.sat.i32.f64";
                (format!("  %whole = {held}(double %{of}1)\n"), format!("double %{of}0, i32 %whole"))
            }
        }
    };
    let callee = function.name;
    let (before, given) = args("x");
    if !varies {
        let params: Vec<String> = (0..n_args).map(|nth| format!("double %x{nth}")).collect();
        return format!(
            "define internal double @{name}({}) alwaysinline nounwind {{\n{before}  %r = call double @{callee}({given}) nobuiltin nounwind\n  ret double %r\n}}\n",
            params.join(", ")
        );
    }
    let vector = format!("<{lanes} x double>");
    let params: Vec<String> = (0..n_args).map(|nth| format!("{vector} %v{nth}, ")).collect();
    let mut text = format!(
        "define internal {vector} @{name}({}<{lanes} x i1> %on) noinline nounwind {{\nentry:\n",
        params.concat()
    );
    let mut loads = String::new();
    for nth in 0..n_args {
        text += &format!("  %m{nth} = alloca {vector}\n  store {vector} %v{nth}, ptr %m{nth}\n");
        loads +=
            &format!("  %p{nth} = getelementptr double, ptr %m{nth}, i64 %at\n  %x{nth} = load double, ptr %p{nth}\n");
    }
    text += &format!("  %out = alloca {vector}\n  store {vector} zeroinitializer, ptr %out\n");
    text += &format!("  %few = bitcast <{lanes} x i1> %on to i{lanes}\n");
    text += &match lanes {
        64 => "  %bits = add i64 %few, 0\n".to_owned(),
        _ => format!("  %bits = zext i{lanes} %few to i64\n"),
    };
    text + "  br label %test\ntest:\n  %rest = phi i64 [ %bits, %entry ], [ %less, %lane ]\n  %more = icmp ne i64 %rest, 0\n  \
        br i1 %more, label %lane, label %done\nlane:\n  %at = call i64 @llvm.cttz.i64(i64 %rest, i1 true)\n  \
        %minus = add i64 %rest, -1\n  %less = and i64 %rest, %minus\n"
        + &loads
        + &before
        + &format!(
            "  %r = call double @{callee}({given}) nobuiltin nounwind\n  %to = getelementptr double, ptr %out, i64 %at\n"
        )
        + &format!(
            "  store double %r, ptr %to\n  br label %test\ndone:\n  %all = load {vector}, ptr %out\n  ret {vector} %all\n}}\n"
        )
}
