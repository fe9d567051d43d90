//! Notes at the places of a unit, but for those that the text silences.
//!
//! `#pragma ignore warning`, alone or with `(all)` or `(perf)`, silences the line behind it, as in ispc: that is the line on which the
//! expression ends, and for one that a macro brings, the line of the macro's call.

use ispc::unit::{FileId, SourcePlace, Token, Unit};
use ispc_types::source::{BodyPlace, Piece};
use ispc_types::unit::UnitTypes;

use crate::edits::TokenEdit;
use crate::notes::PerformanceNote;

/// A note at its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlacedNote {
    /// A stable word for it.
    pub code: &'static str,
    /// The place.
    pub place: SourcePlace,
    /// The cause and the consequence.
    pub message: String,
    /// The change that is advised.
    pub help: Option<String>,
    /// Places that explain it.
    pub related: Vec<(SourcePlace, String)>,
    /// Changes that lift it, each with a title.
    pub fixes: Vec<(String, Vec<PlacedEdit>)>,
}

/// A change of a file.
pub type PlacedEdit = (SourcePlace, String);

/// The lines that are silenced, in all files of a unit.
#[derive(Default)]
pub struct SilencedLines {
    /// Each line, counted from 0, with its file.
    pub lines: Vec<(FileId, u32)>,
}

impl SilencedLines {
    /// The silenced lines of a unit.
    pub fn of(unit: &Unit) -> SilencedLines {
        let silences = |place: &&SourcePlace| {
            let text = unit.text(place.file).get(place.range()).unwrap_or_default();
            let rest = text.trim().strip_prefix("ignore warning").map(str::trim);
            rest.is_some_and(|rest| {
                let inner = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).map(str::trim);
                rest.is_empty() || matches!(inner, Some("all" | "perf"))
            })
        };
        let pragmas = unit.pragmas.iter().filter(silences);
        SilencedLines { lines: pragmas.map(|place| (place.file, line_of(unit, place.file, place.start) + 1)).collect() }
    }

    /// Returns true if a place ends on a silenced line.
    pub fn have(&self, unit: &Unit, place: SourcePlace) -> bool {
        let mut of_file = self.lines.iter().filter(|(file, _)| *file == place.file).peekable();
        of_file.peek().is_some() && {
            let line = line_of(unit, place.file, place.end.saturating_sub(1).max(place.start));
            of_file.any(|(_, silenced)| *silenced == line)
        }
    }
}

fn line_of(unit: &Unit, file: FileId, offset: u32) -> u32 {
    let text = unit.text(file);
    text.get(..offset as usize).map_or(0, |before| before.bytes().filter(|byte| *byte == b'\n').count() as u32)
}

/// A note of the function whose first token this is, at its place; none if that is silenced.
pub fn placed(unit: &Unit, silenced: &SilencedLines, first_token: u32, note: &PerformanceNote) -> Option<PlacedNote> {
    let place_of = |tokens: &std::ops::Range<u32>| unit.place_of(first_token + tokens.start..first_token + tokens.end);
    let place = place_of(&note.tokens)?;
    if silenced.have(unit, place) {
        return None;
    }
    let related = note.related.iter().filter_map(|(tokens, text)| Some((place_of(tokens)?, text.clone())));
    let fixes = note.fixes.iter().filter_map(|(title, edits)| {
        let edits: Option<Vec<PlacedEdit>> = edits.iter().map(|edit| edited(unit, first_token, edit)).collect();
        Some((title.clone(), edits?))
    });
    Some(PlacedNote {
        code: note.code,
        place,
        message: note.message.clone(),
        help: note.help.clone(),
        related: related.collect(),
        fixes: fixes.collect(),
    })
}

/// A change of the function whose first token this is, at its places; none if a macro has a part in it, or if something is left out that is no
/// blank: a comment, or a line that the preprocessor reads.
pub fn placed_whole(unit: &Unit, first_token: u32, edits: &[TokenEdit]) -> Option<Vec<PlacedEdit>> {
    let placed: Option<Vec<PlacedEdit>> = edits.iter().map(|edit| edited(unit, first_token, edit)).collect();
    let keeps_all = edits.iter().all(|edit| {
        let tokens = first_token + edit.tokens.start..first_token + edit.tokens.end;
        let places: Vec<SourcePlace> = tokens.map(|token| unit.tokens[token as usize].place).collect();
        places.windows(2).all(|pair| {
            let between = unit.text(pair[0].file).get(pair[0].end as usize..pair[1].start as usize);
            between.is_some_and(|text| text.trim().is_empty())
        })
    });
    placed.filter(|_| keeps_all)
}

/// A change at its place; none if a macro has a part in it.
fn edited(unit: &Unit, first_token: u32, edit: &TokenEdit) -> Option<PlacedEdit> {
    let first = first_token + edit.tokens.start;
    let last = first_token + edit.tokens.end.max(edit.tokens.start + 1) - 1;
    let is_own = |token: u32| {
        let token = unit.tokens.get(token as usize)?;
        (token.is(Token::WRITTEN) && token.expansion == 0 && token.place.file == FileId::MAIN).then_some(token.place)
    };
    let (first, last) = (is_own(first)?, is_own(last)?);
    let end = if edit.tokens.is_empty() { first.start } else { last.end };
    Some((SourcePlace { end, ..first }, edit.text.clone()))
}

/// The notes of all functions that the file itself has, one for each place and code.
pub fn notes_of(unit: &Unit, types: &UnitTypes, is_partial: bool) -> Vec<PlacedNote> {
    notes_beside(unit, types, is_partial, &SilencedLines::of(unit))
}

/// The notes of all functions that the file itself has, but for those on some lines.
pub fn notes_beside(unit: &Unit, types: &UnitTypes, is_partial: bool, silenced: &SilencedLines) -> Vec<PlacedNote> {
    let mut all: Vec<PlacedNote> = Vec::new();
    for body in types.bodies.iter().filter(|body| is_own(unit, body)) {
        let first_entity = types.layer.n_entities();
        let piece = Piece::cut(unit, &types.entities, body, first_entity, is_partial);
        let typed = ispc_types::body::type_body(&types.layer, &piece);
        let Some(facts) = crate::facts(&types.layer, &piece, &typed) else { continue };
        let first = unit.tree.nodes[body.node].first;
        all.extend(facts.notes.iter().filter_map(|note| placed(unit, silenced, first, note)));
    }
    one_of_each(&mut all);
    all
}

/// Returns true for a function of the file that the unit is about; of a template nothing is told.
pub fn is_own(unit: &Unit, body: &BodyPlace) -> bool {
    let place = unit.place_of(unit.tree.tokens(body.node));
    !body.is_template && place.is_some_and(|place| place.file == FileId::MAIN)
}

/// Sorts notes by their places, and keeps one of those that say the same of one place: a macro may bring many.
pub fn one_of_each(all: &mut Vec<PlacedNote>) {
    all.sort_by_key(|note| (note.place.start, note.place.end, note.code));
    all.dedup_by(|one, other| one.code == other.code && one.place == other.place);
}
