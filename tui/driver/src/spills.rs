//! `@no_spill`, held against machine code: what a loop or a kernel that promises to keep its values in registers has on the stack.
//!
//! Before LLVM has chosen registers nobody knows, so the promise is held where there is machine code, by `asm` and `build`, and not by `check`.

use std::collections::BTreeMap;

use native::asm::hot::hot_loops;
use native::asm::{Kind, Line, Listing, listing};
use native::emit::ModuleOptions;
use native::protocol::CompiledForm;
use queries::check::reachable;
use queries::db::Item;
use queries::lanes::contracts::{RegisterPromise, register_promises};
use queries::stages::Options;
use queries::stages::target::Target;
use report::{Diagnostic, Related, Severity, TextRange, TextSize};

use crate::document::Document;
use crate::machine_code::{self, Kernel, NoCode, source};

report::codes! {
    /// The codes of promises about registers. Each has a page in `docs/reasons.md`.
    pub enum RegisterCode {
        /// Values lie on the stack in spite of `@no_spill`.
        BrokenNoSpill = "broken-no-spill",
    }
}

/// The most lines of the source that are shown for a broken promise.
const MOST_LINES: usize = 3;

/// The promises of a kernel, and of the functions of the same file that become part of it.
fn promises_of(document: &Document, item: Item<'_>) -> Vec<RegisterPromise> {
    let db = document.db();
    let mut items = reachable(db, &[item]);
    items.retain(|other| other.file(db) == document.file());
    items.into_iter().flat_map(|item| register_promises(db, item)).collect()
}

/// The promises of a kernel that its machine code breaks. `kernel` is what the code was made of, and `on` names the target.
pub fn broken(document: &Document, item: Item<'_>, kernel: &Kernel, listing: &Listing, on: &str) -> Vec<Diagnostic> {
    let promises = promises_of(document, item);
    let function = listing.functions.iter().find(|function| function.is_of(&kernel.name));
    let Some(function) = function.filter(|_| !promises.is_empty()) else { return Vec::new() };
    let source = source(document, item);
    let hot = hot_loops(function, kernel, &source);
    let whole = item.name(document.db());
    let judged = promises.into_iter().filter_map(|promise| {
        // The text of an item ends where the next one starts.
        let end = promise.about.end() - TextSize::from(u32::from(!promise.about.is_empty()));
        let [first, last] = [promise.about.start(), end].map(|at| document.lines().line(at) + 1);
        let is_in = |line: Option<u32>| line.is_some_and(|line| (first..=last).contains(&line));
        let spilled: Vec<&Line> = match promise.is_of_loop {
            // Of a loop only what happens in each turn counts: what is put on the stack before it costs once.
            true => {
                let hot = hot.iter().filter(|hot| is_in(hot.source_line));
                hot.flat_map(|hot| hot.lines.iter().map(|&at| &function.lines[at])).collect()
            }
            false => {
                let is_kernel = promise.about.start() == document.start(item);
                function.lines.iter().filter(|line| is_kernel || is_in(line.source_line)).collect()
            }
        };
        let spills = Spills::of(spilled.into_iter());
        (spills.accesses > 0).then(|| spills.told(document, &promise, whole, on))
    });
    judged.collect()
}

/// The kernels of some that break a promise on a target, each with what is broken. Only those that promise something are compiled for that.
pub fn compiled<'d>(
    document: &'d Document,
    items: &[Item<'d>],
    options: Options,
    machine: &Target,
) -> Result<Vec<(Item<'d>, Vec<Diagnostic>)>, NoCode> {
    let promised: Vec<_> = items.iter().copied().filter(|&item| !promises_of(document, item).is_empty()).collect();
    if promised.is_empty() {
        return Ok(Vec::new());
    }
    let ir = machine_code::llvm_ir(document, &promised, options, machine, ModuleOptions::default())?;
    let listing = listing(&machine_code::text(ir, machine, CompiledForm::Assembly)?, machine.family);
    let judged = promised.into_iter().filter_map(|item| {
        let kernel = machine_code::finished(document, item, options)?;
        let broken = broken(document, item, &kernel, &listing, options.target.name);
        (!broken.is_empty()).then_some((item, broken))
    });
    Ok(judged.collect())
}

/// Sorts findings, and leaves one of those that tell of one promise: of a function that several kernels call, or on several targets.
pub fn told_once(errors: &mut Vec<Diagnostic>) {
    errors.sort_by_key(|error| (error.range.start(), error.range.end()));
    errors.dedup_by(|a, b| (a.code, a.range) == (b.code, b.range) && a.code == RegisterCode::BrokenNoSpill);
}

/// The values that some machine code has on the stack for lack of registers.
#[derive(Debug, Default, PartialEq, Eq)]
struct Spills {
    /// The loads and stores of them.
    accesses: usize,
    /// The number of values in each place of the stack, and whether they are vectors.
    slots: BTreeMap<String, (usize, bool)>,
    /// The number of accesses that come from each line of the source.
    lines: BTreeMap<u32, usize>,
}

impl Spills {
    fn of<'l>(lines: impl Iterator<Item = &'l Line>) -> Spills {
        let mut spills = Spills::default();
        for line in lines {
            let number = line.counts.of(Kind::Spill);
            if number == 0 {
                continue;
            }
            spills.accesses += number;
            let is_pair = ["stp", "ldp"].iter().any(|pair| line.text.trim_start().starts_with(pair));
            let slot = spills.slots.entry(slot_of(&line.text).to_owned()).or_default();
            *slot = (slot.0.max(1 + usize::from(is_pair)), slot.1 || moves_vector(&line.text));
            if let Some(source) = line.source_line {
                *spills.lines.entry(source).or_default() += number;
            }
        }
        spills
    }

    fn told(&self, document: &Document, promise: &RegisterPromise, kernel: &str, on: &str) -> Diagnostic {
        let number = |is_vector: bool| -> usize {
            self.slots.values().filter(|slot| slot.1 == is_vector).map(|slot| slot.0).sum()
        };
        let counted = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let what = match (number(true), number(false)) {
            (vectors, 0) => counted(vectors, "vector"),
            (0, others) => counted(others, "number"),
            (vectors, others) => format!("{} and {}", counted(vectors, "vector"), counted(others, "number")),
        };
        let (about, each) = if promise.is_of_loop { ("this loop", " a turn") } else { ("this item", "") };
        let accesses = if self.accesses == 1 { "1 access".to_owned() } else { format!("{} accesses", self.accesses) };
        let message = format!(
            "`@no_spill` promises that {about} keeps its values in registers, and the machine code of `{kernel}` for {on} has {what} of it on \
             the stack: {accesses}{each}"
        );
        let mut lines: Vec<(&u32, &usize)> = self.lines.iter().collect();
        lines.sort_by_key(|(line, number)| (std::cmp::Reverse(**number), **line));
        let related = lines.into_iter().take(MOST_LINES).map(|(&line, &number)| Related {
            range: code_of(document, line),
            message: format!("{number} of the accesses"),
        });
        Diagnostic {
            code: RegisterCode::BrokenNoSpill.into(),
            severity: Severity::Error,
            range: promise.at,
            message,
            help: Some(
                "fewer lanes (`@lanes`), `@unroll(1)` above a loop inside, or fewer values that are needed at the same time leave more registers; \
                 `lanescope compare --asm` counts the spills of each"
                    .to_owned(),
            ),
            related: related.collect(),
            fixes: Vec::new(),
            targets: Vec::new(),
        }
    }
}

/// The range of a line of the source, counted from 1, without its indentation.
fn code_of(document: &Document, line: u32) -> TextRange {
    let range = document.lines().line_range(line - 1);
    let text = &document.text[range];
    let indent = TextSize::of(text) - TextSize::of(text.trim_start());
    TextRange::at(range.start() + indent, TextSize::of(text.trim()))
}

/// The operand of an instruction that names its place on the stack.
fn slot_of(text: &str) -> &str {
    if let Some((_, behind)) = text.split_once('[') {
        return behind.split(']').next().unwrap_or(behind);
    }
    let operand = |operand: &&str| operand.ends_with(')');
    text.split([',', ' ', '\t']).find(operand).unwrap_or(text)
}

/// Returns true if an instruction moves or reads a whole vector.
fn moves_vector(text: &str) -> bool {
    let mut words = text.split([',', ' ', '\t']).filter(|word| !word.is_empty());
    let name = words.next().unwrap_or_default();
    let is_one_float = name.ends_with("ss") || name.ends_with("sd");
    let is_numbered = |word: &str, letters: &[char]| {
        let mut chars = word.chars();
        chars.next().is_some_and(|first| letters.contains(&first)) && chars.next().is_some_and(|c| c.is_ascii_digit())
    };
    words.any(|word| {
        let is_wide = word.starts_with("%ymm") || word.starts_with("%zmm");
        is_wide || word.starts_with("%xmm") && !is_one_float || is_numbered(word, &['q', 'z', 'v'])
    })
}

#[cfg(test)]
mod tests {
    use native::asm::listing;
    use queries::stages::target::Family;

    use super::*;

    #[test]
    fn values_on_the_stack_are_counted_by_their_places() {
        let code = "k:\n\tsubq $96, %rsp\n\tvmovups %ymm1, (%rsp)\n\tvaddps (%rsp), %ymm0, %ymm0\n\tvmovss %xmm2, 32(%rsp)\n\tmovq %rcx, 40(%rsp)\n\tmovups %xmm3, 48(%rsp)\n\tret\n";
        let listing = listing(code, Family::X86);
        let spills = Spills::of(listing.functions[0].lines.iter());
        assert_eq!(spills.accesses, 5);
        let slots: Vec<_> = spills.slots.values().copied().collect();
        assert_eq!(slots, [(1, true), (1, false), (1, false), (1, true)]);
    }

    #[test]
    fn the_place_of_a_pair_holds_two_values() {
        let code = "k:\n\tsub sp, sp, #96\n\tstp q1, q2, [sp, #64]\n\tldr q1, [sp, #16]\n\tstr x9, [sp, #8]\n\tret\n";
        let listing = listing(code, Family::Arm);
        let spills = Spills::of(listing.functions[0].lines.iter());
        let vectors = spills.slots.values().filter(|slot| slot.1).map(|slot| slot.0).sum::<usize>();
        assert_eq!((vectors, spills.accesses), (3, 4));
    }
}
