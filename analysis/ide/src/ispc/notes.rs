//! Notes on what costs lanes, at the places of one file, and the changes that lift them.

use std::cell::OnceCell;

use queries::db::File;
use queries::ispc::facts::foreach::as_foreach;
use queries::ispc::facts::whole::{PlacedEdit, PlacedNote, SilencedLines, is_own, one_of_each, placed, placed_whole};
use queries::ispc::tree::NodeKind;
use queries::ispc::typing::{OwnBody, has_same_front, own_bodies, own_function, problems_with};
use queries::ispc::unit;
use queries::ispc::units::{FileId, Token};
use report::{TextEdit, TextRange, apply_edits};

use super::facts::known;
use super::{FileRange, range_of, site};

/// A note on what costs lanes, at a place of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneNote {
    /// The place.
    pub range: TextRange,
    /// A stable word for it.
    pub code: &'static str,
    /// The cause, the consequence, and what to do.
    pub message: String,
    /// Other places that explain it, each with a sentence.
    pub related: Vec<(FileRange, String)>,
    /// Changes that lift it.
    pub fixes: Vec<LaneFix>,
}

/// A change that lifts a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneFix {
    /// The change as an order.
    pub title: String,
    /// The edits of the file.
    pub edits: Vec<TextEdit>,
}

/// The notes of a file's own functions that touch a range of it, or of all of them.
pub fn lane_notes(db: &dyn salsa::Database, file: File, within: Option<TextRange>) -> Vec<LaneNote> {
    let unit = unit(db, file);
    let silenced = SilencedLines::of(unit);
    let mut all: Vec<PlacedNote> = Vec::new();
    for body in own_bodies(db, file) {
        let place = unit.place_of(unit.tree.tokens(body.place.node)).filter(|_| is_own(unit, body.place)).map(range_of);
        let is_wanted = |place: TextRange| within.is_none_or(|range| range.intersect(place).is_some());
        if !place.is_some_and(is_wanted) {
            continue;
        }
        let Some(known) = own_function(db, file, &body).and_then(|function| known(db, file, function)) else {
            continue;
        };
        let first = known.function.first().0;
        all.extend(known.facts.notes.iter().filter_map(|note| placed(unit, &silenced, first, note)));
    }
    one_of_each(&mut all);
    let notes = all.into_iter().filter(|note| note.place.file == FileId::MAIN).map(|note| {
        let message = match &note.help {
            Some(help) => format!("{}\n{help}", note.message),
            None => note.message.clone(),
        };
        let related = note.related.iter().filter_map(|(place, text)| Some((site(db, unit, *place)?, text.clone())));
        LaneNote {
            range: range_of(note.place),
            code: note.code,
            message,
            related: related.collect(),
            fixes: note.fixes.into_iter().map(fix).collect(),
        }
    });
    notes.filter(|note| within.is_none_or(|range| range.intersect(note.range).is_some())).collect()
}

fn fix((title, edits): (String, Vec<PlacedEdit>)) -> LaneFix {
    let edit = |(place, text): PlacedEdit| TextEdit { range: range_of(place), text };
    let mut edits: Vec<TextEdit> = edits.into_iter().map(edit).collect();
    edits.sort_by_key(|edit| (edit.range.start(), edit.range.end()));
    LaneFix { title, edits }
}

/// Changes that are tried, and what is wrong before them: behind the last `#include`, and in the whole file.
struct Trials<'db> {
    db: &'db dyn salsa::Database,
    file: File,
    before: [OnceCell<Vec<(&'static str, String)>>; 2],
}

impl Trials<'_> {
    /// Returns true if nothing is wrong after a change that was not before.
    fn leave_nothing_wrong(&self, edits: &[TextEdit]) -> bool {
        let (db, file) = (self.db, self.file);
        let text = file.text(db);
        let new = apply_edits(text, edits);
        let is_behind = has_same_front(db, file, &new);
        let before = self.before[usize::from(is_behind)].get_or_init(|| problems_with(db, file, text, is_behind));
        problems_with(db, file, &new, is_behind).iter().all(|problem| before.contains(problem))
    }
}

/// The notes that touch a range, with those of their changes after which nothing is wrong that was not before.
pub fn fixes(db: &dyn salsa::Database, file: File, range: TextRange) -> Vec<LaneNote> {
    let mut notes = lane_notes(db, file, Some(range));
    if notes.iter().all(|note| note.fixes.is_empty()) {
        return Vec::new();
    }
    let trials = Trials { db, file, before: Default::default() };
    notes.iter_mut().for_each(|note| note.fixes.retain(|fix| trials.leave_nothing_wrong(&fix.edits)));
    notes.retain(|note| !note.fixes.is_empty());
    notes
}

/// The forms that the statement whose word is at a range may have instead: the coherent one, and `foreach` for a loop over the lanes'
/// numbers. After each of them nothing is wrong that was not before.
pub fn other_forms(db: &dyn salsa::Database, file: File, range: TextRange) -> Vec<LaneFix> {
    let coherent = coherent_form(db, file, range);
    let Some(foreach) = foreach_form(db, file, range) else { return coherent.into_iter().collect() };
    let is_fine = Trials { db, file, before: Default::default() }.leave_nothing_wrong(&foreach.edits);
    coherent.into_iter().chain(is_fine.then_some(foreach)).collect()
}

/// `foreach` in the place of the loop whose word is at a range, if that means the same.
fn foreach_form(db: &dyn salsa::Database, file: File, range: TextRange) -> Option<LaneFix> {
    let unit = unit(db, file);
    let holds = |body: &OwnBody<'_>| {
        let place = unit.place_of(unit.tree.tokens(body.place.node)).filter(|_| is_own(unit, body.place)).map(range_of);
        place.is_some_and(|place| place.contains_range(range))
    };
    let body = own_bodies(db, file).into_iter().find(holds)?;
    let known = known(db, file, own_function(db, file, &body)?)?;
    // Who calls it from ISPC may have lanes off.
    let name = |decl: u32| unit.names.decls[decl as usize].name;
    let own = known.function.place.decl;
    let is_task = known.words.layer.entity(known.words.piece.function()).function.as_ref().is_some_and(|it| it.is_task);
    if !is_task && unit.names.uses.iter().any(|it| name(it.decl) == name(own)) {
        return None;
    }
    let first = known.function.first().0;
    let is_here = |node: &u32| {
        let data = known.words.piece_node(*node);
        let token = &unit.tokens[(first + data.first) as usize];
        let is_own = token.is(Token::WRITTEN) && token.expansion == 0 && token.place.file == FileId::MAIN;
        data.kind == NodeKind::For && is_own && range_of(token.place).contains_range(range)
    };
    let node = (0..known.function.types.types.len() as u32).find(is_here)?;
    let edits = as_foreach(known.words.piece, known.function.types, known.facts, node as usize)?;
    Some(fix(("write `foreach`".to_owned(), placed_whole(unit, first, &edits)?)))
}

/// The coherent form of the `if` or loop whose word is at a range, if lanes may part there: `cif` looks first if all lanes go one way. Nobody
/// knows here if that pays.
pub fn coherent_form(db: &dyn salsa::Database, file: File, range: TextRange) -> Option<LaneFix> {
    let unit = unit(db, file);
    for body in own_bodies(db, file) {
        let place = unit.place_of(unit.tree.tokens(body.place.node)).filter(|_| is_own(unit, body.place)).map(range_of);
        if !place.is_some_and(|place| place.contains_range(range)) {
            continue;
        }
        let known = own_function(db, file, &body).and_then(|function| known(db, file, function))?;
        for control in known.facts.controls.iter().filter(|control| control.parts) {
            let node = known.words.piece_node(control.node);
            let plain = matches!(node.kind, NodeKind::If | NodeKind::For | NodeKind::While | NodeKind::Do);
            let token = &unit.tokens[(known.function.first().0 + node.first) as usize];
            let is_own = token.is(Token::WRITTEN) && token.expansion == 0 && token.place.file == FileId::MAIN;
            let word = range_of(token.place);
            if plain && is_own && word.contains_range(range) {
                let text = format!("c{}", &file.text(db)[word]);
                return Some(LaneFix { title: format!("write `{text}`"), edits: vec![TextEdit { range: word, text }] });
            }
        }
    }
    None
}
