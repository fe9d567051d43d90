//! The page of a kernel's sweeps, and below it the rows that are kept. Enter on a row keeps it, so that others, of this text or of a later one,
//! are compared with it.

use driver::sweeping::SweepReport;
use driver::sweeping::pins::Pin;
use driver::sweeping::table::{SweepWidth, table};

use crate::page::{Line, Offer, Page, Role};
use crate::pictures::whole;

/// Builds the page of what has been measured, and of what is being measured next.
pub(crate) fn page(report: &SweepReport, next: Option<&str>) -> Page {
    let lines = table(report, SweepWidth::Narrow).into_iter().map(|line| {
        let role = match line.row {
            _ if line.is_title => Role::Strong,
            Some(_) if !line.text.starts_with("    ") => Role::Text,
            _ => Role::Faint,
        };
        let is_row = line.row.is_some();
        let shown = Line::of(role, line.text);
        match line.row.filter(|_| next.is_none()) {
            Some((sweep, row)) => shown.offering(Offer::Keep(sweep, row)),
            None if is_row => whole(shown),
            None => shown,
        }
    });
    let mut lines: Vec<Line> = lines.collect();
    lines.push(match next {
        Some(next) => Line::of(Role::Faint, format!("measuring {next} … (esc stops)")),
        None => Line::of(Role::Faint, "Enter on a row keeps it, to compare others with"),
    });
    Page::prose(lines)
}

/// Returns the lines of the rows that are kept, each compared with the first.
pub(crate) fn kept(pins: &[Pin]) -> Vec<Line> {
    let Some(first) = pins.first() else { return Vec::new() };
    let title = Line::of(Role::Strong, "kept").and(Role::Faint, "; enter on one lets it go");
    let rows = pins.iter().enumerate().map(|(n, pin)| {
        let edits = match pin.edit.saturating_sub(first.edit) {
            0 => String::new(),
            1 => ", an edit later".to_owned(),
            n => format!(", {n} edits later"),
        };
        let line = Line::of(Role::Text, format!("  {}{edits}: {}", pin.name(), pin.time()));
        let line = if n == 0 { line } else { line.and(Role::Note, format!("; {}", pin.beside(first))) };
        line.offering(Offer::LetGo(n))
    });
    std::iter::once(title).chain(rows).collect()
}
