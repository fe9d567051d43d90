//! Findings about lanes: broken promises, and accesses and branches that cost much.

use ir::ReasonCode;
use report::lanes::{Lift, Reason, Site};
use report::{ReportCode, TextRange};

use super::CheckCode;
use crate::finding::{Edit, Finding, Intent};

/// `what`: the name of a variable, or "the result".
pub fn broken_uniform(word: TextRange, what: &str) -> Finding {
    Finding::error(
        CheckCode::BrokenUniform,
        word,
        format!("{what} is promised to be uniform, and varies from lane to lane"),
    )
    .with_fix("write `varying`", Edit::Replace(word, "varying".to_owned()))
}

pub fn broken_varying(word: TextRange, what: &str) -> Finding {
    Finding::error(
        CheckCode::BrokenVarying,
        word,
        format!("{what} is promised to be varying, and is the same in all lanes"),
    )
    .with_fix("write `uniform`", Edit::Replace(word, "uniform".to_owned()))
}

/// `why`: what keeps the loop from running as lanes, as sentences with their codes.
pub fn broken_simd(attribute: TextRange, why: &[(&str, &str)]) -> Finding {
    let mut message = String::from("`@simd` promises that this loop becomes vector code, and it does not");
    for (number, (meaning, code)) in why.iter().enumerate() {
        let joint = if number == 0 { ": " } else { "; and " };
        message.push_str(&format!("{joint}{meaning} ({code})"));
    }
    Finding::error(CheckCode::BrokenSimd, attribute, message)
}

/// `word`: the `foreach`; `single`: it has one index.
pub fn foreach_collides(word: TextRange, single: bool) -> Finding {
    let message = "iterations of this `foreach` touch one cell, whatever the data: they are not independent";
    super::for_fix(Finding::error(CheckCode::ForeachCollides, word, message), word, single)
}

pub fn broken_no_gather(at: TextRange, array: &str, reason: &str, lift: Option<&str>) -> Finding {
    let message = format!(
        "`@no_gather` promises that no load here becomes a gather, and this load of `{array}` is one: {reason}"
    );
    promised_access(Finding::error(CheckCode::BrokenNoGather, at, message), lift)
}

pub fn broken_no_scatter(at: TextRange, array: &str, reason: &str, lift: Option<&str>) -> Finding {
    let message = format!(
        "`@no_scatter` promises that no store here becomes a scatter, and this store to `{array}` is one: {reason}"
    );
    promised_access(Finding::error(CheckCode::BrokenNoScatter, at, message), lift)
}

/// `because`: why an array is copied all the same.
pub fn broken_no_copy(attribute: TextRange, because: &str) -> Finding {
    let message = format!("`@no_copy` promises that no array is copied here, and one is: {because}");
    Finding::error(CheckCode::BrokenNoCopy, attribute, message)
        .with_help("store to an array that the right side does not read, or to the elements one by one")
}

/// `bytes`: those of the whole memory, as a formula.
pub fn broken_no_scratch(attribute: TextRange, bytes: &str) -> Finding {
    let message = format!(
        "`@no_scratch` promises that no scratch memory is needed, and the caller has to pass {bytes} bytes of it"
    );
    Finding::error(CheckCode::BrokenNoScratch, attribute, message).with_help(
        "an array of a known small size lies on the stack, and one that is only used element by element needs no memory",
    )
}

/// `allowed`: the cycles of an iteration that `@cost` allows; `estimate`: what the loop costs, and what it is bound by, on the target `on`
/// where there are several.
pub fn broken_cost(attribute: TextRange, allowed: &str, estimate: &str, on: Option<&str>) -> Finding {
    let s = if allowed == "1" { "" } else { "s" };
    let on = on.map(|target| format!(" on {target}")).unwrap_or_default();
    let message = format!(
        "`@cost` promises that this loop takes at most {allowed} cycle{s} an element, and it is estimated to take{on} {estimate}"
    );
    Finding::error(CheckCode::BrokenCost, attribute, message).with_help(
        "lighten what it is bound by, or allow more cycles; `lanescope compare` shows what other lanes and attributes would change",
    )
}

/// `because`: why the iterations cannot be divided, and what to do.
pub fn broken_threads(attribute: TextRange, because: &str, way_out: &str) -> Finding {
    let message = format!(
        "`@threads` promises that threads may divide the iterations of the outermost loop, and they cannot: {because}"
    );
    Finding::error(CheckCode::BrokenThreads, attribute, message).with_help(way_out)
}

fn promised_access(finding: Finding, lift: Option<&str>) -> Finding {
    match lift {
        Some(lift) => finding.with_help(lift),
        None => finding,
    }
}

fn access_note(code: CheckCode, at: TextRange, message: String, lift: Option<&str>) -> Finding {
    let finding = Finding::note(code, at, message);
    match lift {
        Some(lift) => finding.with_help(lift),
        None => finding,
    }
}

pub fn gather_varying_index(at: TextRange, array: &str, reason: &str, lift: Option<&str>) -> Finding {
    access_note(CheckCode::GatherVaryingIndex, at, format!("this load of `{array}` is a gather: {reason}"), lift)
}

pub fn scatter_varying_index(at: TextRange, array: &str, reason: &str, lift: Option<&str>) -> Finding {
    access_note(CheckCode::ScatterVaryingIndex, at, format!("this store to `{array}` is a scatter: {reason}"), lift)
}

pub fn strided_load(at: TextRange, array: &str, reason: &str, lift: Option<&str>) -> Finding {
    access_note(CheckCode::StridedLoad, at, format!("this load of `{array}` is strided: {reason}"), lift)
}

pub fn strided_store(at: TextRange, array: &str, reason: &str, lift: Option<&str>) -> Finding {
    access_note(CheckCode::StridedStore, at, format!("this store to `{array}` is strided: {reason}"), lift)
}

/// `why`: the reason, as the end of a sentence.
pub fn not_streamed(at: TextRange, array: &str, why: &str) -> Finding {
    let message = format!(
        "`@stream` asks for stores past the cache, and this store to `{array}` takes its place in the cache: {why}"
    );
    Finding::note(CheckCode::NotStreamed, at, message)
        .with_help("the results are the same; have the lanes of the loop store to `a[i]` and its neighbours, or take `@stream` away")
}

pub fn varying_division(at: TextRange) -> Finding {
    Finding::note(CheckCode::VaryingDivision, at, "this divides integers in lanes, for which the target has no instruction, so they are divided one after the other")
        .with_help("a divisor that is a constant becomes a multiplication or a shift; floats are divided in lanes")
}

pub fn wide_conversion(at: TextRange) -> Finding {
    Finding::note(
        CheckCode::WideConversion,
        at,
        "this converts between floats and integers of 64 bits in lanes, for which the target has no instruction",
    )
    .with_help("integers of 32 bits are converted in lanes everywhere")
}

/// An array that is copied or kept in temporary memory, and why.
pub fn array_cost(at: TextRange, code: ReasonCode, because: &str) -> Finding {
    let what = match code {
        ReasonCode::ArrayCopied => "an array is copied here",
        _ => "this array is stored",
    };
    Finding::note(code, at, format!("{what}: {because}"))
}

const SELECTS: &str =
    "where the sides only compute a value, `select(c, x, y)` computes both for all lanes, without a branch";

/// `word`: the `if`, if it is one that could be a `cif`.
pub fn divergent_branch(condition: TextRange, word: Option<TextRange>) -> Finding {
    let finding = Finding::note(
        CheckCode::DivergentBranch,
        condition,
        "this condition varies from lane to lane; where lanes differ, all of them run both sides, one of which costs much",
    );
    match word {
        Some(word) => finding
            .with_help(format!(
                "`cif` tests at run time whether all lanes take the same side, and then runs it without masks; {SELECTS}"
            ))
            .with_fix("write `cif`", Edit::Replace(word, "cif".to_owned())),
        None => finding.with_help(SELECTS),
    }
}

/// The places in a loop's header that fixes of its note change.
pub struct LoopPlace {
    /// The header, without its colon.
    pub header: TextRange,
    /// The word `for`, if the loop starts with it.
    pub word: Option<TextRange>,
    /// An argument of the `@alias` that names two arrays and no more, if there is one.
    pub alias: Option<TextRange>,
    /// False for an operation on whole arrays, which has no place for attributes.
    pub is_statement: bool,
    /// True if each iteration computes a cell of floats from the one or two before, which `@reassoc` lets lanes do.
    pub has_running_cells: bool,
}

/// A loop that does not run as lanes, or only in part; its code is that of the first reason. `others` are the codes of all
/// else that stands against lanes.
pub fn in_order(place: &LoopPlace, reason: &Reason<Site>, in_part: bool, others: &[ReportCode]) -> Finding {
    let what = if in_part { "only a part of this loop runs as lanes" } else { "this loop runs in order" };
    let mut finding = Finding::note(reason.code, place.header, format!("{what}: {}", reason.message));
    let others: Vec<_> = others.iter().map(|code| format!("`{code}`")).collect();
    let also = Some(format!("lifting this alone gives the loop no lanes: {} would remain", others.join(", ")));
    if let Some(help) = also.filter(|_| !others.is_empty()).or_else(|| advice(reason)) {
        finding = finding.with_help(help);
    }
    if !place.is_statement {
        return finding;
    }
    if place.has_running_cells && others.is_empty() && ReasonCode::of(reason.code) == Some(ReasonCode::LoopCarriedFlow)
    {
        finding.fixes.push(reassoc(place, None));
    }
    if let Some(name) = &reason.not_positive {
        let assert = format!("assert {name} > 0");
        finding = finding.with_fix(
            format!("write `{assert}` above the loop, if that is so"),
            Edit::LineBefore(place.header, assert),
        );
    }
    reason.lifts.iter().fold(finding, |finding, lift| lifted(finding, place, *lift))
}

/// Advice about the only reason against a loop's lanes, where no edit is sure to be meant.
fn advice(reason: &Reason<Site>) -> Option<String> {
    match ReasonCode::of(reason.code)? {
        ReasonCode::Histogram => Some(String::from(
            "with four rows that iterations take in turn, `h[i % 4, x[i]]`, four lanes run together; add up the rows behind the loop",
        )),
        ReasonCode::PrefixSum | ReasonCode::LinearRecurrence | ReasonCode::Recurrence => Some(String::from(
            "each iteration waits for the one before; a loop around this one, over independent data, can have the lanes",
        )),
        _ => None,
    }
}

/// Two iterations of a `foreach` may collide; that they do not is the programmer's word.
pub fn may_collide(place: &LoopPlace, reason: &Reason<Site>) -> Finding {
    let finding = Finding::note(reason.code, place.header, reason.message.clone())
        .with_help("if they do touch one cell, a run ends in an error; `for` keeps their order");
    reason.lifts.iter().fold(finding, |finding, lift| lifted(finding, place, *lift))
}

/// Lets a loop add up floats in the fixed order, which lanes can keep. `index`: that of the loop, where it is another one than the
/// finding is about.
pub fn reassoc(place: &LoopPlace, index: Option<&str>) -> Intent {
    let over = index.map(|index| format!(" over `{index}`")).unwrap_or_default();
    let title = format!("write `@reassoc` above the loop{over}");
    Intent { title, edits: vec![Edit::LineBefore(place.header, "@reassoc".to_owned())] }
}

fn lifted(finding: Finding, place: &LoopPlace, lift: Lift) -> Finding {
    match (lift, place.word, place.alias) {
        (Lift::Reassoc, ..) => {
            let mut finding = finding;
            finding.fixes.push(reassoc(place, None));
            finding
        }
        (Lift::Foreach, Some(word), _) => finding.with_fix(
            "write `foreach`, if no iteration touches what another one writes",
            Edit::Replace(word, "foreach".to_owned()),
        ),
        (Lift::NoAlias, _, Some(argument)) => {
            finding.with_fix("remove `@alias`, if the arrays never overlap", Edit::RemoveLine(argument))
        }
        _ => finding,
    }
}
