//! The outline of a file: what it declares itself outside of functions, and its macros, in the order of the text.

use queries::db::File;
use queries::ispc::names::DeclKind;
use queries::ispc::unit;
use queries::ispc::units::{FileId, Unit};
use report::TextRange;

use super::range_of;
use super::variability::written;

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum EntryKind {
    Function,
    Struct,
    Field,
    Enum,
    Enumerator,
    Type,
    Variable,
    Macro,
}

/// An entry of an outline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name.
    pub name: String,
    /// The kind.
    pub kind: EntryKind,
    /// A declaration as it is written, without its body.
    pub detail: Option<String>,
    /// The whole of it.
    pub range: TextRange,
    /// The name alone.
    pub focus: TextRange,
    /// Members of a struct, values of an enumeration.
    pub children: Vec<Entry>,
}

/// The outline of a file.
pub fn outline(db: &dyn salsa::Database, file: File) -> Vec<Entry> {
    let unit = unit(db, file);
    let mut entries: Vec<Entry> = Vec::new();
    // The entries of types, by the numbers of their declarations.
    let mut types: Vec<(u32, usize)> = Vec::new();
    for (number, decl) in unit.names.decls.iter().enumerate() {
        let Some(kind) = kind_of(decl.kind) else { continue };
        let Some(entry) = entry(unit, number as u32, kind) else { continue };
        match decl.within {
            None => {
                types.push((number as u32, entries.len()));
                entries.push(entry);
            }
            Some(within) => {
                if let Some((_, parent)) = types.iter().rev().find(|(number, _)| *number == within)
                    && matches!(kind, EntryKind::Field | EntryKind::Enumerator)
                {
                    entries[*parent].children.push(entry);
                }
            }
        }
    }
    let macros = unit.macros.iter().filter(|it| it.name_place.file == FileId::MAIN);
    entries.extend(macros.map(|it| Entry {
        name: unit.interner.text(it.name).to_owned(),
        kind: EntryKind::Macro,
        detail: None,
        range: range_of(it.place),
        focus: range_of(it.name_place),
        children: Vec::new(),
    }));
    entries.sort_by_key(|entry| entry.focus.start());
    entries.dedup_by_key(|entry| entry.focus);
    entries
}

pub(super) fn kind_of(kind: DeclKind) -> Option<EntryKind> {
    Some(match kind {
        DeclKind::Function => EntryKind::Function,
        DeclKind::Struct => EntryKind::Struct,
        DeclKind::Field => EntryKind::Field,
        DeclKind::Enum => EntryKind::Enum,
        DeclKind::Enumerator => EntryKind::Enumerator,
        DeclKind::Typedef => EntryKind::Type,
        DeclKind::Global => EntryKind::Variable,
        DeclKind::TemplateParam | DeclKind::Param | DeclKind::Local | DeclKind::Label => return None,
    })
}

fn entry(unit: &Unit, number: u32, kind: EntryKind) -> Option<Entry> {
    let decl = &unit.names.decls[number as usize];
    let token = &unit.tokens[decl.token as usize];
    let focus = unit.place(token);
    if focus.file != FileId::MAIN {
        return None;
    }
    let whole = unit.place_of(decl.head.0..decl.end.max(decl.head.1)).filter(|whole| whole.file == FileId::MAIN);
    let range = whole.map(range_of).filter(|whole| whole.contains_range(range_of(focus)));
    let has_detail = !matches!(kind, EntryKind::Struct | EntryKind::Enum | EntryKind::Enumerator);
    let detail = has_detail.then(|| written(unit, number));
    let name = unit.interner.text(decl.name);
    Some(Entry {
        name: if name.is_empty() { "(no name)".to_owned() } else { name.to_owned() },
        kind,
        detail,
        range: range.unwrap_or(range_of(focus)),
        focus: range_of(focus),
        children: Vec::new(),
    })
}
