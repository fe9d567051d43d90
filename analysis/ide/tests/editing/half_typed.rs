//! Half-typed programs: whatever stands on the line that is being typed, the other lines keep their meaning.
//!
//! A line is cut at every place. There is no panic; the line itself has at most what the parser and the names on it are worth;
//! and other lines have errors only where the missing half really is missing: a name that nothing defines any more. What
//! is lowered holds together, and what is known of the lanes of other lines stays known.

use crate::common;

use std::collections::BTreeMap;
use std::sync::Arc;

use hir::errors::{CheckCode, RuleCode};
use ide::Located;
use lowering::Role;
use queries::db::{Database, File};
use queries::db::{cut_file, file_items};
use queries::host::Host;
use queries::stages::Options;
use queries::{reached, sequential};
use syntax::errors::SyntaxCode;
use syntax::text::LineIndex;
use syntax::{Diagnostic, Severity, TextRange, TextSize};

const PROGRAM: &str = r"const WIDTH = 4
const RATE: f64 = 2 * 3.5

struct Particle:
    x: f32
    alive: bool

fn lerp(a, b, t):
    return a + (b - a) * t

fn dot(a: f32[k], b: f32[k]) -> f32:
    let total = 0.0
    for i in range(k):
        total += a[i] * b[i]
    return total

@fast
@lanes(WIDTH)
kernel step(p: Particle[n], out: f32[n], m: f32[n, n], n: i32, dt: f32) -> f32:
    let total = 0.0
    let rows = map(\row -> dot(row, row), m)
    foreach i in range(n):
        if p[i].alive and dt > 0:
            p[i].x += lerp(p[i].x, dt, 0.5)
        elif not p[i].alive:
            p[i].x = f32(RATE)
        else:
            continue
        out[i] = reduce_add(p[i].x)
    for j in range(1, n, 2):
        while total < 3:
            total = total + out[j] + rows[j]
            if total > 5:
                break
    out[: n / 2] = reduce(max, 0, out[1:3]) if n > 3 else total
    assert total >= 0
    return total
";

/// What may be wrong elsewhere while one line is half typed: what it defines is not there yet, or not what it was. The
/// layout of what follows may be off too; those errors are the parser's.
const ELSEWHERE: &[&str] = &[
    "foreach-update",
    "lanes-outside-foreach",
    "missing-return",
    "not-a-value",
    "type-mismatch",
    "unknown-field",
    "unknown-name",
    "unknown-type",
];

#[test]
fn the_program_is_fine() {
    let mut found = common::diagnostics(PROGRAM);
    // What its lanes pay for is another matter.
    found.retain(|found| found.severity != Severity::Note && RuleCode::of(found.code).is_none());
    assert!(found.is_empty(), "{}", common::render(PROGRAM, &found));
}

#[test]
fn a_half_typed_line_leaves_the_others_alone() {
    let (mut n_cuts, mut n_alone) = (0, 0);
    let mut start = 0;
    for line in PROGRAM.split_inclusive('\n') {
        let indentation = line.len() - line.trim_start().len();
        // Without any of its header line, an item is part of the one above.
        for cut in indentation.max(1)..line.trim_end().len() {
            let text = [&PROGRAM[..start + cut], "\n", &PROGRAM[start + line.len()..]].concat();
            let errors = errors(&text);
            let lines = LineIndex::new(&text);
            let own = lines.line(TextSize::new(start as u32));
            let elsewhere: Vec<_> = errors.iter().filter(|error| lines.line(error.range.start()) != own).collect();
            for error in &elsewhere {
                let of_syntax = SyntaxCode::of(error.code).is_some();
                assert!(of_syntax || ELSEWHERE.contains(&error.code.name()), "{}", common::render(&text, &errors));
            }
            // The parser's and the analysis's opinion of one line are never both shown.
            let here = || errors.iter().filter(|error| lines.line(error.range.start()) == own);
            let both = here().any(|error| SyntaxCode::of(error.code).is_some())
                && here().any(|error| CheckCode::of(error.code).is_some());
            assert!(!both, "{}", common::render(&text, &errors));
            n_cuts += 1;
            n_alone += usize::from(elsewhere.is_empty());
        }
        start += line.len();
    }
    assert!(n_alone * 100 > n_cuts * 80, "{n_alone} of {n_cuts}");
}

/// Inside an item that is half typed, nothing that an item of the same file says about itself changes.
#[test]
fn a_half_typed_body_leaves_other_items_alone() {
    let other = "\nkernel other(a: f32[n], n: i32):\n    a[0] = missing\n    a[1] = n\n";
    let wanted = ["unknown-name", "type-mismatch"];
    for (n, line) in PROGRAM.lines().enumerate().filter(|(_, line)| line.starts_with(' ')) {
        for cut in 0..line.len() {
            let lines = PROGRAM.lines().enumerate().map(|(m, other)| if m == n { &line[..cut] } else { other });
            let program: String = lines.flat_map(|line| [line, "\n"]).collect();
            let text = [&program, other].concat();
            let found = errors(&text);
            let in_other = found.iter().filter(|error| usize::from(error.range.start()) > program.len());
            let codes: Vec<_> = in_other.map(|error| error.code.name()).collect();
            assert_eq!(codes, wanted, "{}", common::render(&text, &found));
        }
    }
}

#[test]
fn long_chains_and_deep_nests_are_refused_and_not_followed() {
    let elifs: String = (1..20_000).map(|n| format!("    elif n == {n}:\n        a[{n}] = 1\n")).collect();
    let chain = format!("kernel k(a: i32[n], n: i32):\n    if n == 0:\n        pass\n{elifs}");
    let codes: Vec<_> = errors(&chain).iter().map(|error| error.code.name()).collect();
    assert_eq!(codes, ["too-deep"]);
    let sum = "1 + ".repeat(20_000);
    let codes: Vec<_> = errors(&format!("const N = {sum} 1\n")).iter().map(|error| error.code.name()).collect();
    assert_eq!(codes, ["too-deep"]);
}

#[test]
fn what_is_lowered_of_half_a_program_holds_together() {
    let mut programs = vec![PROGRAM.to_owned()];
    programs.extend(common::files("examples", "lane").into_iter().map(|(_, text)| text));
    let mut n_kernels = 0;
    for program in &programs {
        let mut start = 0;
        // One database for all texts of a program, so that items which stay are lowered once.
        let mut host = Host::default();
        for line in program.split_inclusive('\n') {
            // Every other place of long programs is enough of them.
            for cut in (0..line.trim_end().len()).step_by(1 + program.len() / 2_000) {
                if !line.is_char_boundary(cut) {
                    continue;
                }
                let text = [&program[..start + cut], "\n", &program[start + line.len()..]].concat();
                let file = host.set_text("a.lane", &text);
                let snapshot = host.snapshot();
                let db = snapshot.db();
                for &item in file_items(db, file) {
                    let Some(kernel) = &sequential(db, item).kernel else { continue };
                    // Where a bracket of the header is open still, two parameters may come to have one name.
                    let names: Vec<_> = kernel.params.iter().map(|param| &kernel.values[param.value].name).collect();
                    if (1..names.len()).any(|n| names[..n].contains(&names[n])) {
                        continue;
                    }
                    let found = ir::verify(kernel);
                    assert!(found.is_ok(), "{}\n{}\n{found:?}", line.trim_end(), ir::print(kernel).text);
                    n_kernels += 1;
                }
            }
            start += line.len();
        }
    }
    assert!(n_kernels > 2_000, "{n_kernels}");
}

/// Lines as people leave them while they think. None of them defines what a program uses.
const HALF_LINES: &[&str] = &[
    "let fresh = 1 +",
    "let fresh = 1 + true",
    "let fresh =",
    "let fresh",
    "fresh",
    "lerp(1,",
    "let fresh = dt[",
    "let fresh = absent.x * 2",
];

/// Names that no program has, or that two parameters have.
#[test]
fn what_has_no_meaning_becomes_nothing() {
    for header in ["kernel k(a: f32[n], a: f32[n], n: i32):", "kernel k(a: f32[n], n: i32, o\u{301}: i32):"] {
        let text = format!("{header}\n    for i in range(n):\n        a[i] = 1.0\n");
        assert!(!errors(&text).is_empty(), "{text}");
        let db = Database::default();
        let file = File::new(&db, Arc::from(&*text));
        for &item in file_items(&db, file) {
            assert!(reached(&db, item, Options::default()).is_empty(), "{text}");
            assert!(queries::lanes::of_kernel(&db, item).loops.is_empty(), "{text}");
        }
    }
}

#[test]
fn facts_of_other_lines_stay_while_a_line_is_typed() {
    let mut programs = vec![PROGRAM.to_owned()];
    programs.extend(common::files("examples", "lane").into_iter().map(|(_, text)| text));
    let mut n_facts = 0;
    for program in &programs {
        let mut host = Host::default();
        let whole = known(&mut host, program, None);
        let lines: Vec<&str> = program.lines().collect();
        let mut is_code = false;
        // The number of brackets that are open where a line starts: inside of them it is part of an expression.
        let mut n_open = 0;
        for (number, line) in lines.iter().enumerate() {
            let code = line.split('#').next().unwrap_or_default();
            let n_open_before = n_open;
            n_open += code.matches(['(', '[']).count() as i32 - code.matches([')', ']']).count() as i32;
            if !line.starts_with(' ') && !line.is_empty() {
                let ends_header = ["fn ", "kernel ", ")"].iter().any(|word| line.starts_with(word));
                is_code = ends_header && line.ends_with(':');
            }
            // Where a statement may stand: before one. In front of another side of a branch no line may be.
            let text = line.trim_start();
            let is_statement =
                is_code && line.starts_with(' ') && !text.is_empty() && !text.starts_with(['#', '@', ')', ']']);
            let goes_on = ["el", "if", "for", "while", "foreach", "return"].iter().any(|word| text.starts_with(word));
            if !is_statement || n_open_before > 0 || goes_on || lines[number - 1].trim_start().starts_with('@') {
                continue;
            }
            for half in HALF_LINES {
                let typed = [&" ".repeat(line.len() - text.len()), *half].concat();
                let mut edited = lines.clone();
                edited.insert(number, &typed);
                let edited = edited.join("\n") + "\n";
                let found = known(&mut host, &edited, Some(number));
                for (place, fact) in &whole {
                    assert_eq!(found.get(place), Some(fact), "{place:?} with `{half}` before `{text}`\n{edited}");
                }
            }
            n_facts += whole.len();
        }
    }
    assert!(n_facts > 5_000, "{n_facts}");
}

/// What stands at a place: its line, if the one that is left out were not there, its column, and which kind of fact.
type At = (usize, usize, &'static str);

/// What is known of values and accesses, by their places in the text.
fn known(host: &mut Host, text: &str, left_out: Option<usize>) -> BTreeMap<At, String> {
    let file = host.set_text("a.lane", text);
    let snapshot = host.snapshot();
    let db = snapshot.db();
    let lines = LineIndex::new(text);
    let mut found = BTreeMap::new();
    let cut = cut_file(db, file);
    for (&item, &start) in cut.items.iter().zip(&cut.starts) {
        let facts = queries::lanes::of_item(db, item);
        let located = Located::new(db, item, start);
        let mut add = |at: TextRange, kind: &'static str, what: String| {
            let at = located.range(db, at);
            let line = lines.line(at.start()) as usize;
            if left_out == Some(line) {
                return;
            }
            let column = usize::from(at.start() - lines.line_range(line as u32).start());
            let line = line - usize::from(left_out.is_some_and(|left_out| left_out < line));
            found.insert((line, column, kind), what);
        };
        for joined in &facts.values {
            let (_, step) = facts.step(joined);
            // What a variable comes to be later is not what stands there.
            if step.role != Role::Later {
                add(joined.at, "value", step.shape.to_string());
            }
        }
        for joined in &facts.accesses {
            let (_, access) = facts.access(joined);
            add(joined.at, if access.stores { "store" } else { "load" }, access.class.name().to_owned());
        }
    }
    found
}

fn errors(text: &str) -> Vec<Diagnostic> {
    // That it breaks a rule of kernels does not depend on what is typed.
    let counts = |finding: &Diagnostic| finding.severity == Severity::Error && RuleCode::of(finding.code).is_none();
    common::diagnostics(text).into_iter().filter(counts).collect()
}
