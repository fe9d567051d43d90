//! Hovers about lanes: if a value varies and why, the class of an access and its dependences, and the verdict of a
//! loop.

use lane::tree::{SyntaxKind, SyntaxToken};
use queries::check;
use report::lanes::{Class, Flow, Stride};
use report::{Diagnostic, Severity, TextRange};

use super::Beside;
use crate::Located;
use crate::explain::{Access, Because, Branch, Loop, LoopCost, Reason, accesses_at, cost_of_loop, loops_of, value_at};
use crate::wording::{brief, line_link, shape_in_words, without_marks};

/// The number of reasons that a hover shows.
const MOST_REASONS: usize = 12;

/// The number of accesses that the hover of one says it meets.
const MOST_MEETINGS: usize = 3;

/// The notes that stand beside the hover of a place of the file.
struct Noted(Vec<Diagnostic>);

impl Noted {
    fn at(db: &dyn salsa::Database, located: &Located<'_>, range: TextRange, beside: Beside) -> Noted {
        if beside == Beside::Nothing {
            return Noted(Vec::new());
        }
        let found = check::report(db, located.item).at(db, located.item, located.start);
        Noted(found.into_iter().filter(|it| it.severity == Severity::Note && it.range == range).collect())
    }

    /// Says whether one of them has these words.
    fn says(&self, words: &str) -> bool {
        self.0
            .iter()
            .any(|it| it.message.contains(words) || it.help.as_deref().is_some_and(|help| help.contains(words)))
    }
}

/// The verdict about the loop whose header a token is in, if the token stands for it: its keyword, or the index that lanes
/// run along.
pub(super) fn of_loop(
    db: &dyn salsa::Database,
    located: &Located<'_>,
    token: &SyntaxToken,
    beside: Beside,
) -> Option<String> {
    let is_index = token.kind() == SyntaxKind::IDENT;
    if !is_index && !token.kind().is_keyword() {
        return None;
    }
    let at = token.text_range() + located.start;
    let loops = loops_of(db, located.item);
    // Its word may be misspelled, and is no keyword then.
    let is_word = |it: &Loop| it.range.start() == at.start();
    let is_named = |it: &Loop| is_index && it.range.contains_range(at) && it.index == token.text();
    let is_meant = |it: &&Loop| is_word(it) || is_named(it);
    let found = loops.iter().find(is_meant)?;
    // Several pairs of accesses in the same lines are told in the same words, once.
    let (mut told, mut words) = (Vec::new(), Vec::new());
    let noted = Noted::at(db, located, found.range, beside);
    for each in found.told() {
        let reason = of_reason(db, located, each.reason, &noted);
        let own = without_marks(&reason).0;
        if !words.contains(&own) {
            words.push(own);
            told.push(reason);
            told.extend(found.words_for_more(&each));
        }
    }
    let n_more = told.len().saturating_sub(MOST_REASONS);
    told.truncate(MOST_REASONS);
    let reasons = told.iter().map(|reason| format!("\n- {reason}"));
    let more =
        if n_more > 0 { format!("\n- and {n_more} more, which `lanescope explain` tells") } else { String::new() };
    let cost = cost_of_loop(db, located.item, found.range).map(|cost| of_cost(db, located, &cost)).unwrap_or_default();
    Some(headline(found) + &reasons.collect::<String>() + &more + &cost)
}

/// Describes what a loop is estimated to cost, as a paragraph of one line.
fn of_cost(db: &dyn salsa::Database, located: &Located<'_>, cost: &LoopCost) -> String {
    let at_once = cost.at_once().map_or(String::new(), |at_once| format!(" · {at_once}"));
    let line = |range: TextRange| line_link(db, located.item.file(db), range.start());
    let place = cost.largest().filter(|part| cost.share(part) < 1.0).and_then(|part| part.place);
    let place = place.map(|range| format!(" ({})", line(range))).unwrap_or_default();
    format!("\n\nEstimated: {}{place}{at_once}.", cost.in_words())
}

/// Describes the verdict of a loop, in a few words.
fn headline(found: &Loop) -> String {
    let along = if found.index.is_empty() { String::new() } else { format!(" along `{}`", found.index) };
    let headline = found.headline();
    // The words for that are a reason of their own, which leads to the other loop.
    let is_elsewhere = found.verdict.reasons.iter().any(|reason| reason.is_elsewhere);
    match (found.verdict.is_vector, headline.split_once(": ")) {
        (true, _) => format!("**{headline}**{along}."),
        (false, Some((how, _))) if is_elsewhere => format!("**{how}**."),
        (false, Some((how, why))) => format!("**{how}**: {why}."),
        (false, None) => format!("**{headline}**."),
    }
}

/// Returns what the verdicts of the loops around it say of an update of `target`. The `places` of the item's text are
/// the statement and the conditions that it stands under.
pub(super) fn of_update(
    db: &dyn salsa::Database,
    located: &Located<'_>,
    places: &[TextRange],
    target: &str,
) -> Option<String> {
    let places: Vec<_> = places.iter().map(|&place| place + located.start).collect();
    let target = format!("`{target}`");
    let is_of_update = |reason: &&Reason| {
        let is_there = |it: &Because| places.iter().any(|place| place.contains_range(it.place.range));
        reason.dependence.is_none() && reason.related.iter().any(is_there) && reason.message.contains(&target)
    };
    let loops = loops_of(db, located.item);
    let told = loops.iter().filter_map(|it| {
        let reasons = it.verdict.reasons.iter().filter(is_of_update);
        let reasons: String = reasons.map(|reason| format!("\n- {}: {}", reason.code, reason.message)).collect();
        let line = line_link(db, located.item.file(db), it.range.start());
        (!reasons.is_empty()).then(|| format!("The loop in {line}: {}{reasons}", headline(it)))
    });
    let told: Vec<_> = told.collect();
    (!told.is_empty()).then(|| told.join("\n\n"))
}

/// Describes a branch: if lanes agree about it, and why they may not.
pub(super) fn of_branch(db: &dyn salsa::Database, located: &Located<'_>, branch: &Branch) -> String {
    let tested = if branch.coherent { " It is tested at run time whether all of them agree." } else { "" };
    match branch.diverges {
        true => {
            let chain = chain(db, located, &branch.because);
            format!("**Lanes part here**: both ways are gone through, each with some lanes off.{tested}{chain}")
        }
        false => "**Uniform**: all lanes go the same way.".to_owned(),
    }
}

fn of_reason(db: &dyn salsa::Database, located: &Located<'_>, reason: &Reason, noted: &Noted) -> String {
    let line = |it: &Because| line_link(db, located.item.file(db), it.place.range.start());
    let places = reason.related.iter().map(|it| {
        let colon = if it.message.is_empty() { String::new() } else { format!(": {}", it.message) };
        format!("\n  - `{}` in {}{colon}", it.place.text, line(it))
    });
    let words = Some(brief(reason)).filter(|words| !noted.says(words));
    let words = words.map(|words| format!(": {words}")).unwrap_or_default();
    format!("{}{words}{}", reason.code, places.collect::<String>())
}

/// Describes the value at a place of the item's dense text, where there are lanes.
pub(super) fn of_value(db: &dyn salsa::Database, located: &Located<'_>, at: TextRange) -> Option<String> {
    let value = value_at(db, located.item, at)?;
    if value.lane_loop.is_none() && !value.varies {
        return None;
    }
    let in_order = value.lane_loop.is_some_and(|range| runs_in_order(&loops_of(db, located.item), range));
    let found = |what: &str, rest: &str| match in_order {
        true => format!("In lanes this would be: **{}**{rest}", what.to_lowercase()),
        false => format!("**{what}**{rest}"),
    };
    if !value.varies {
        return Some(match value.flow {
            Flow::Divergent => found("Uniform among active lanes", ": the same in all lanes that are active here."),
            _ => found("Uniform", ": the same in all lanes."),
        });
    }
    let shape = match value.shape.as_str() {
        "arbitrary" => "any value in each lane".to_owned(),
        shape => match shape.strip_prefix("linear, stride ") {
            Some(stride) if stride != Stride::UNNAMED => format!("{shape}: it changes by {stride} from lane to lane"),
            _ => shape_in_words(shape).to_owned(),
        },
    };
    let calls = if value.in_some_calls { ", in some calls" } else { "" };
    Some(found("Varying", &format!("{calls}: {shape}.{}", chain(db, located, &value.because))))
}

/// Says whether the loop with this header has no lanes.
fn runs_in_order(loops: &[Loop], header: TextRange) -> bool {
    loops.iter().any(|it| it.range == header && it.in_lanes.is_none() && it.n_lanes().is_none())
}

/// Describes the accesses at a place of the item's dense text: a load, a store, or both.
pub(super) fn of_accesses(
    db: &dyn salsa::Database,
    located: &Located<'_>,
    at: TextRange,
    beside: Beside,
) -> Vec<String> {
    let mut accesses = accesses_at(db, located.item, at);
    let place = accesses.first().map(|access| access.range);
    accesses.retain(|access| access.lane_loop.is_some());
    let noted = place.map_or_else(|| Noted(Vec::new()), |place| Noted::at(db, located, place, beside));
    let mut found = match accesses.as_slice() {
        // An update loads and stores the same cells, so one description serves both.
        [load, store] if load.class == store.class => vec![of_access(db, located, load, "load and store", &noted)],
        _ => {
            let kind = |access: &Access| if access.stores { "store" } else { "load" };
            accesses.iter().map(|access| of_access(db, located, access, kind(access), &noted)).collect()
        }
    };
    found.extend(place.and_then(|place| meetings(db, located, place)));
    found
}

/// Lists the accesses that the one at a place depends on, as far as the verdicts name them.
fn meetings(db: &dyn salsa::Database, located: &Located<'_>, place: TextRange) -> Option<String> {
    let loops = loops_of(db, located.item);
    let mut met = Vec::new();
    for (dependence, other) in loops.iter().flat_map(|it| it.meets_at(place)) {
        let line = line_link(db, located.item.file(db), other.range.start());
        let meeting = format!("\n- `{}` in {line}, {}: {}", other.text, dependence.describe(), dependence.sentence());
        if !met.contains(&meeting) {
            met.push(meeting);
        }
    }
    let n_more = met.len().saturating_sub(MOST_MEETINGS);
    met.truncate(MOST_MEETINGS);
    if n_more > 0 {
        met.push(format!("\n- and {n_more} more, which `lanescope explain --json` lists"));
    }
    (!met.is_empty()).then(|| format!("Meets{}", met.concat()))
}

fn of_access(db: &dyn salsa::Database, located: &Located<'_>, access: &Access, kind: &str, noted: &Noted) -> String {
    // The words for what moves lanes say themselves whether they load or store.
    let what = match access.class {
        Class::Gather | Class::Scatter | Class::Broadcast | Class::UniformStore => format!("**{}**", access.class),
        class => format!("**{class}** {kind}"),
    };
    let what = if access.is_in_lanes { what } else { format!("In lanes this would be: {what}") };
    let calls = if access.in_some_calls { ", in some calls" } else { "" };
    let reason = if noted.says(&access.reason) { String::new() } else { format!(": {}", access.reason) };
    let lift = access.lift.as_ref().filter(|lift| !noted.says(lift));
    let lift = lift.map(|lift| format!("\n\nTo lift it: {lift}.")).unwrap_or_default();
    format!("{what}{calls}{reason}.{}{lift}", chain(db, located, &access.because))
}

/// A chain of reasons as a list.
fn chain(db: &dyn salsa::Database, located: &Located<'_>, because: &[Because]) -> String {
    let line = |it: &Because| line_link(db, located.item.file(db), it.place.range.start());
    because.iter().map(|it| format!("\n- `{}` in {}: {}", it.place.text, line(it), it.message)).collect()
}
