//! The word-level information about an ISPC file: colours, hints, findings and the outline.

use std::sync::Arc;

use ide::hints::HintOptions;
use ide::ispc::FileRange;
use ide::ispc::diagnostics::diagnostics;
use ide::ispc::hints::lane_hints;
use ide::ispc::notes::lane_notes;
use ide::ispc::outline::{EntryKind, outline};
use ide::ispc::semantic_tokens::{IspcToken, TokenKind, semantic_tokens};
use queries::db::{Database, File};
use report::{Diagnostic, Fix, ItemKind, Related, ReportCode, Severity, TextRange, TextSize};
use syntax::text::LineIndex;

use super::functions;
use crate::colouring::{VARYING, operation_at};
use crate::page::Role;
use crate::questions::{Inlay, OutlineItem, Which, Words, WordsKey};

/// Computes the colours, hints, findings and outline of a file.
pub(super) fn words(db: &Database, file: File, key: &WordsKey) -> Words {
    let tokens = semantic_tokens(db, file, Some(key.range));
    let text = file.text(db);
    Words {
        roles: tokens.iter().map(|token| (token.range, role_in(text, token))).collect(),
        hints: inlays(db, file, key, &tokens),
        diagnostics: findings(db, file),
        outline: items(db, file),
    }
}

/// Returns the role of a token: what it does, else what it stands for.
fn role_in(text: &str, token: &IspcToken) -> Role {
    let stands_for = role_of(token);
    if !matches!(token.kind, TokenKind::Operator | TokenKind::Function | TokenKind::Parameter | TokenKind::Variable) {
        return stands_for;
    }
    let range = std::ops::Range::<usize>::from(token.range);
    if matches!(&text[range.clone()], "&&" | "||" | "!") {
        return Role::Mask;
    }
    let line = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at);
    operation_at(&text[line..end], range.start - line..range.end - line).unwrap_or(stands_for)
}

fn role_of(token: &IspcToken) -> Role {
    match token.kind {
        TokenKind::Variable | TokenKind::Parameter | TokenKind::Member if token.modifiers.varying => Role::Varying,
        TokenKind::Keyword => Role::Keyword,
        TokenKind::Type | TokenKind::Function if token.modifiers.definition => Role::Item,
        TokenKind::BuiltinType | TokenKind::Type | TokenKind::TypeParameter => Role::Type,
        TokenKind::Function => Role::Call,
        TokenKind::Parameter => Role::Param,
        TokenKind::Variable => Role::Variable,
        TokenKind::Member => Role::Field,
        TokenKind::Enumerator | TokenKind::Macro | TokenKind::Text => Role::Constant,
        TokenKind::Label => Role::Attribute,
        TokenKind::Number => Role::Number,
        TokenKind::Operator => Role::Operator,
        TokenKind::Comment => Role::Comment,
        TokenKind::DocComment => Role::Doc,
        TokenKind::Inactive => Role::Faint,
    }
}

/// Collects the hints, and a mark behind each variable that is varying.
fn inlays(db: &Database, file: File, key: &WordsKey, tokens: &[IspcToken]) -> Vec<Inlay> {
    let is_marked = |token: &&IspcToken| {
        token.modifiers.varying && matches!(token.kind, TokenKind::Variable | TokenKind::Parameter)
    };
    let mark = |token: &IspcToken| Inlay { at: token.range.end(), text: VARYING.to_owned(), role: Role::Varying };
    let mut inlays: Vec<_> = tokens.iter().filter(is_marked).map(mark).collect();
    let hints = lane_hints(db, file, key.range, &HintOptions::default()).into_iter();
    inlays.extend(hints.map(|hint| Inlay { at: hint.offset, text: hint.text, role: Role::Hint }));
    // At equal positions, the stable sort keeps the mark of a name in front of its hint.
    inlays.sort_by_key(|inlay| inlay.at);
    inlays
}

/// All that is wrong, and the notes on what costs lanes. Their fixes are not tried, which would take a while for each: the preview of one
/// counts what is wrong after it.
fn findings(db: &Database, file: File) -> Vec<Diagnostic> {
    let wrong = diagnostics(db, file).into_iter().map(|found| {
        let severity = if found.is_warning { Severity::Warning } else { Severity::Error };
        finding(db, file, (found.code, severity, found.range, found.message), found.related, Vec::new())
    });
    let notes = lane_notes(db, file, None).into_iter().map(|note| {
        let fixes = note.fixes.into_iter().map(|fix| Fix { title: fix.title, edits: fix.edits }).collect();
        finding(db, file, (note.code, Severity::Note, note.range, note.message), note.related, fixes)
    });
    let mut all: Vec<Diagnostic> = wrong.chain(notes).collect();
    all.sort_by_key(|found| (found.range.start(), found.range.end()));
    all
}

/// A finding in the form that all surfaces share. Places in other files are told in words.
fn finding(
    db: &Database,
    file: File,
    (code, severity, range, message): (&'static str, Severity, TextRange, String),
    related: Vec<(FileRange, String)>,
    fixes: Vec<Fix>,
) -> Diagnostic {
    let (own, other): (Vec<_>, Vec<_>) = related.into_iter().partition(|(site, _)| site.file == file);
    let (message, help) = match message.split_once('\n') {
        Some((message, help)) => (message.to_owned(), Some(help.to_owned())),
        None => (message, None),
    };
    let elsewhere = other.iter().map(|(site, what)| {
        let line = LineIndex::new(site.file.text(db)).line(site.range.start()) + 1;
        let path = site.file.name(db);
        format!("{what}, line {line} of {}", path.rsplit('/').next().unwrap_or(path))
    });
    let told: Vec<String> = elsewhere.chain(help).collect();
    Diagnostic {
        code: ReportCode::named(code),
        severity,
        range,
        message,
        help: (!told.is_empty()).then(|| told.join("; ")),
        related: own.into_iter().map(|(site, message)| Related { range: site.range, message }).collect(),
        fixes,
        targets: Vec::new(),
    }
}

/// The functions with a body, and what else the file declares.
fn items(db: &Database, file: File) -> Vec<OutlineItem> {
    let entries = outline(db, file);
    let written = |focus: TextSize| {
        let entry = entries.iter().find(|entry| entry.focus.start() == focus)?;
        entry.detail.clone()
    };
    let functions = functions(db, file).into_iter().map(|(which, function)| OutlineItem {
        which,
        detail: written(function.focus.start()).unwrap_or_default(),
        range: function.range,
        name: function.focus,
    });
    let mut items: Vec<OutlineItem> = functions.collect();
    for entry in &entries {
        let kind = match entry.kind {
            EntryKind::Struct => ItemKind::Struct,
            EntryKind::Enum => ItemKind::Enum,
            EntryKind::Variable => ItemKind::Const,
            _ => continue,
        };
        let is_same = |item: &&OutlineItem| item.which.kind == kind && *item.which.name == *entry.name;
        let nth = items.iter().filter(is_same).count() as u32;
        let which = Which { kind, name: Arc::from(&*entry.name), nth };
        let detail = entry.detail.clone().unwrap_or_default();
        items.push(OutlineItem { which, detail, range: entry.range, name: entry.focus });
    }
    items.sort_by_key(|item| item.name.start());
    items
}
