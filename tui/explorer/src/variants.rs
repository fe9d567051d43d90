//! The page that compares a kernel's variants: a line for each target, number of lanes and attribute. Enter on a target or on lanes shows
//! their assembly beside the present one, and on an attribute what it would change in the text.

use driver::variants::{Compared, TableWidth, table};
use ide::variants::{KernelVariant, UntriedAttributes, VariantRow, WantedVariants, rows, untried_attributes};
use queries::db::{Database, File};
use report::{ItemKind, TextRange};

use crate::answers::find;
use crate::colouring::sentence;
use crate::goal::Goal;
use crate::page::{Line, Offer, Page, Role};
use crate::questions::VariantsKey;

/// The rows of a kernel so far, and what is left to try.
pub(crate) type Untried = Option<(Vec<VariantRow>, UntriedAttributes)>;

/// Compares a kernel with what needs no change of its text.
pub(crate) fn untried(db: &Database, file: File, key: &VariantsKey) -> Untried {
    let item = find(db, file, &key.item).filter(|_| key.item.kind == ItemKind::Kernel)?;
    Some((rows(db, item, &WantedVariants::all()), untried_attributes(db, item)))
}

/// Tries the attributes, and builds the page.
pub(crate) fn page(key: &VariantsKey, text: &str, untried: Untried) -> Page {
    let Some((mut rows, attributes)) = untried else {
        return Page::notice(format!("There is no kernel `{}` in this file any more.", key.item.name));
    };
    rows.extend(attributes.rows(&rows[0]));
    let compared = Compared::of(&key.item.name, text, rows);
    if compared.lines.is_empty() {
        let why = "has errors, or no loop of it is left, so there is nothing to estimate";
        return Page::notice(format!("{} {why}.", key.item.name));
    }
    let mut lines: Vec<Line> = Vec::new();
    for line in table(&compared, TableWidth::Narrow) {
        let role = match line.row {
            None => Role::Faint,
            Some(0) => Role::Strong,
            Some(_) if line.gains => Role::Added,
            Some(_) => Role::Text,
        };
        let row = line.row.map(|n| &compared.rows[n].row);
        let shown = Line::of(role, line.text).from_source(row.and_then(header));
        lines.push(match row.and_then(|row| offer(key.goal, row)) {
            Some(offer) => shown.offering(offer),
            None => shown,
        });
    }
    lines.push(Line::default());
    let results = compared.rows.iter().filter_map(|row| row.row.variant.change.as_ref());
    let mut notes: Vec<String> = results
        .filter(|change| !change.results.is_empty())
        .map(|change| format!("`{}`: {}.", change.title, change.results))
        .collect();
    notes.push("Cycles are estimated from each target's table, for arrays in the cache; `B` measures.".to_owned());
    lines.extend(notes.iter().map(|note| Line { is_sentence: true, ..sentence(note) }));
    Page { lines, ..Page::default() }
}

fn header(row: &VariantRow) -> Option<TextRange> {
    row.loops.first().map(|it| it.header)
}

fn offer(goal: Goal, row: &VariantRow) -> Option<Offer> {
    let KernelVariant { options, change } = &row.variant;
    match change {
        _ if row.is_present => None,
        Some(change) => {
            let write = if change.title.starts_with('@') { "write" } else { "go on" };
            Some(Offer::Change(format!("{write} {}", change.title), change.edits.clone()))
        }
        None => {
            let tuned = goal.tuned && options.target.name == goal.options.target.name;
            Some(Offer::Beside(Goal { options: *options, tuned }))
        }
    }
}
