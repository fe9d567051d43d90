//! The ranges that an editor can fold: what stands between brackets, comments, and the branches of `#if`. They follow from the file's own
//! text.

use queries::db::File;
use queries::ispc::file::FileText;
use queries::ispc::kinds::Kind;
use queries::ispc::text;
use report::{TextRange, TextSize};

use crate::folding::{FoldKind, FoldRange};

/// The folds of a file, by where they start.
pub fn folding(db: &dyn salsa::Database, file: File) -> Vec<FoldRange> {
    let text = text(db, file);
    let mut folds = brackets(text);
    comments(text, &mut folds);
    branches(text, &mut folds);
    let has_lines = |fold: &FoldRange| text.text[fold.range].contains('\n');
    folds.retain(has_lines);
    folds.sort_by_key(|fold| (fold.range.start(), std::cmp::Reverse(fold.range.end())));
    folds
}

fn range(start: usize, end: usize) -> TextRange {
    TextRange::new(TextSize::new(start as u32), TextSize::new(end.max(start) as u32))
}

/// The text between brackets. A branch of a condition may close what was opened outside: a bracket then closes the last one of its kind.
fn brackets(text: &FileText) -> Vec<FoldRange> {
    let mut folds = Vec::new();
    let mut open: Vec<(Kind, usize)> = Vec::new();
    for index in 0..text.tokens.len() {
        let place = text.range(index);
        match text.tokens[index].kind {
            Kind::LBrace => open.push((Kind::RBrace, place.end)),
            Kind::LParen => open.push((Kind::RParen, place.end)),
            Kind::LBracket => open.push((Kind::RBracket, place.end)),
            kind @ (Kind::RBrace | Kind::RParen | Kind::RBracket) => {
                let Some(at) = open.iter().rposition(|(close, _)| *close == kind) else { continue };
                let (_, start) = open[at];
                open.truncate(at);
                folds.push(FoldRange { range: range(start, place.start), kind: FoldKind::Block });
            }
            _ => {}
        }
    }
    folds
}

/// Long comments, and runs of comments on lines of their own.
fn comments(text: &FileText, folds: &mut Vec<FoldRange>) {
    let mut run: Option<(usize, usize)> = None;
    let mut is_first_of_line = true;
    let mut n_breaks = 0;
    let end_run = |run: &mut Option<(usize, usize)>, folds: &mut Vec<FoldRange>| {
        if let Some((start, end)) = run.take() {
            // The first line stays.
            let start = text.text[start..end].find('\n').map_or(end, |length| start + length);
            folds.push(FoldRange { range: range(start, end), kind: FoldKind::Comment });
        }
    };
    for index in 0..text.tokens.len() {
        let place = text.range(index);
        match text.tokens[index].kind {
            Kind::Newline => {
                n_breaks += 1;
                if n_breaks > 1 {
                    end_run(&mut run, folds);
                }
                is_first_of_line = true;
                continue;
            }
            Kind::Space => continue,
            Kind::LineComment if is_first_of_line => {
                run = Some((run.map_or(place.start, |(start, _)| start), place.end));
            }
            Kind::BlockComment => {
                end_run(&mut run, folds);
                let start = text.text[place.clone()].find('\n').map_or(place.end, |length| place.start + length);
                folds.push(FoldRange { range: range(start, place.end), kind: FoldKind::Comment });
            }
            _ => end_run(&mut run, folds),
        }
        (is_first_of_line, n_breaks) = (false, 0);
    }
    end_run(&mut run, folds);
}

/// The branches of conditions: from the end of a directive's line to the end of the line in front of the next one.
fn branches(text: &FileText, folds: &mut Vec<FoldRange>) {
    let mut open: Vec<usize> = Vec::new();
    for hash in text.directives.iter().map(|hash| *hash as usize) {
        let word = (hash + 1..text.tokens.len()).find(|index| text.tokens[*index].kind != Kind::Space);
        let word = word.map_or("", |index| text.token_text(index));
        let (opens, goes_on, ends) = (word.starts_with("if"), word.starts_with("el"), word == "endif");
        if goes_on || ends {
            let line_start = text.text[..text.range(hash).start].rfind('\n');
            if let (Some(start), Some(end)) = (open.pop(), line_start) {
                folds.push(FoldRange { range: range(start, end), kind: FoldKind::Region });
            }
        }
        if opens || goes_on {
            let end = (hash..text.tokens.len()).find(|index| text.tokens[*index].kind == Kind::Newline);
            open.push(end.map_or(text.text.len(), |index| text.range(index).start));
        }
    }
}
