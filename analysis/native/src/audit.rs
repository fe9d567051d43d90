//! The audit: compares the machine code of a kernel with what its vector ops promise.
//!
//! Lane IR says what is done for all lanes at once: a gather, a division, a remainder. But LLVM decides in the end if
//! the target does so too; otherwise lanes are done one by one, or in calls. Such code is no vector code, whatever is
//! around it. So each difference is a decision with a code of its own, shown beside the assembly.

use ir::{Code, Kernel, Op};
use passes::{Decision, Said};

use crate::asm::{Function, Kind};

report::codes! {
    /// The findings of the audit. Each has a page in `docs/reasons.md`.
    pub enum AuditCode {
        /// Lanes that end in calls.
        CallsInLanes = "calls-in-lanes",
        /// Divisions of one lane at a time.
        DivisionOneByOne = "division-one-by-one",
        /// Gathers of one lane at a time.
        GatherOneByOne = "gather-one-by-one",
        /// Scatters of one lane at a time.
        ScatterOneByOne = "scatter-one-by-one",
    }
}

/// A promise of Lane IR, and how it shows that machine code has broken it.
struct Promise {
    code: AuditCode,
    /// True if a vector op makes the promise.
    made_by: fn(&Kernel, Op) -> bool,
    /// True if the promise is broken in a function one of whose ops has this many lanes.
    broken: fn(&Function, usize) -> bool,
    /// The code found in place of the promised one, as a phrase for the message.
    instead: &'static str,
}

const PROMISES: &[Promise] = &[
    Promise {
        code: AuditCode::CallsInLanes,
        made_by: |kernel, op| {
            let data = &kernel.ops[op];
            let of_floats =
                data.results.iter().any(|&value| kernel.ty(value).data_elem().is_some_and(|elem| elem.is_float()));
            of_floats && data.code.is_elementwise()
        },
        broken: |function, _| function.count(Kind::Call, false) > 0,
        instead: "the lanes end in calls, one for each lane",
    },
    Promise {
        code: AuditCode::DivisionOneByOne,
        made_by: |kernel, op| {
            let data = &kernel.ops[op];
            let divides = matches!(data.code, Code::Div | Code::FloorDiv | Code::Rem);
            divides && kernel.ty(data.results[0]).data_elem().is_some_and(|elem| elem.is_integer())
        },
        broken: |function, _| function.lines.iter().any(|line| line.divides_one()),
        instead: "each lane is divided by itself",
    },
    Promise {
        code: AuditCode::GatherOneByOne,
        made_by: |kernel, op| kernel.ops[op].code == Code::Gather,
        broken: |function, lanes| {
            function.count(Kind::Gather, false) == 0
                && function.count(Kind::Load, false) + function.count(Kind::Shuffle, false) >= lanes
        },
        instead: "each lane's cell is loaded by itself",
    },
    Promise {
        code: AuditCode::ScatterOneByOne,
        made_by: |kernel, op| kernel.ops[op].code == Code::Scatter,
        broken: |function, lanes| {
            function.count(Kind::Scatter, false) == 0
                && function.count(Kind::Store, false) + function.count(Kind::Shuffle, false) >= lanes
        },
        instead: "each lane's cell is stored by itself",
    },
];

/// Finds the promises of the kernel's lanes that machine code does not keep: a decision for each, about the first op
/// that makes it.
pub fn audit(kernel: &Kernel, function: &Function) -> Vec<Decision<AuditCode>> {
    let mut ops = Vec::new();
    kernel.walk(kernel.body, &mut |_, op| ops.push(op));
    let broken = |promise: &Promise| {
        let (op, lanes) = ops.iter().find_map(|&op| {
            let lanes = lanes_of(kernel, op)?;
            (promise.made_by)(kernel, op).then_some((op, lanes))
        })?;
        let is_broken = (promise.broken)(function, lanes.into());
        is_broken.then(|| Decision::left(kernel.ops[op].origin, promise.code, vec![Said::from(promise.instead)]))
    };
    PROMISES.iter().filter_map(broken).collect()
}

/// Returns the number of lanes of a vector op; `None` for a scalar one.
fn lanes_of(kernel: &Kernel, op: Op) -> Option<u16> {
    let data = &kernel.ops[op];
    data.results.iter().chain(&data.operands).find_map(|&value| kernel.ty(value).lanes())
}

#[cfg(test)]
mod tests {
    use ir::Family;

    use super::*;
    use crate::asm::listing;

    const TEXT: &str = "\
kernel k(a: i32[n], at: i32[n], out: i32[n], n: i32):
    vector_for base in range(0, n, LANES):
        let i = (base + lane_id)
        vector_store(out, i, (gather(a, vector_load(at, i)) / vector_load(a, i)))
";

    fn codes(assembly: &str) -> Vec<&'static str> {
        let kernel = ir::read(TEXT, Some(4)).expect("a kernel").remove(0);
        let listing = listing(assembly, Family::X86);
        audit(&kernel, &listing.functions[0]).iter().map(|decision| decision.code.name()).collect()
    }

    #[test]
    fn promises_that_are_kept_are_no_news() {
        assert_eq!(codes("k:\n\tvpgatherdd (%rdi,%ymm0,4), %ymm1 {%k1}\n\tvdivps %ymm1, %ymm2, %ymm3\n"), [""; 0]);
    }

    #[test]
    fn lanes_that_are_taken_apart_are_told() {
        let loads = "\tmovl (%rdi,%rax,4), %ecx\n".repeat(4);
        assert_eq!(codes(&format!("k:\n{loads}\tidivl %ecx\n")), ["division-one-by-one", "gather-one-by-one"]);
    }
}
