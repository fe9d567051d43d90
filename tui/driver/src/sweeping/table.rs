//! Sweeps as lines of text: a table for a wide screen, and for a pane two short lines for each row.

use super::{Sweep, SweepOver, SweepReport, SweepRow};
use crate::measuring::{shown_bytes, shown_time};

/// The columns of a bar that stands for all of a ceiling.
const BAR: usize = 10;

/// The room that a table has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SweepWidth {
    /// All columns, and the verdict behind them.
    Wide,
    /// Time and bar, with the verdict below them.
    Narrow,
}

/// A line of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SweepLine {
    /// Its text.
    pub text: String,
    /// The sweep and the row that it is about, where it is about one.
    pub row: Option<(usize, usize)>,
    /// True for the title of a sweep.
    pub is_title: bool,
}

/// Returns the lines of all sweeps.
pub fn table(report: &SweepReport, width: SweepWidth) -> Vec<SweepLine> {
    let mut lines = Vec::new();
    for (n, sweep) in report.sweeps.iter().enumerate() {
        let told = |text: String, row: Option<usize>| SweepLine { text, row: row.map(|row| (n, row)), is_title: false };
        lines.push(SweepLine { is_title: true, ..told(title(report, sweep), None) });
        let rows = sweep.rows.iter().map(|row| cells(row, sweep, width));
        let rows: Vec<Vec<String>> = std::iter::once(heads(width)).chain(rows).collect();
        if width == SweepWidth::Wide && !sweep.rows.is_empty() {
            lines.push(told(joined(&rows[0], &rows), None));
        }
        for (at, row) in sweep.rows.iter().enumerate() {
            let cells = joined(&rows[at + 1], &rows[usize::from(width == SweepWidth::Narrow)..]);
            match width {
                SweepWidth::Wide => lines.push(told(format!("{cells}  {}", row.verdict), Some(at))),
                SweepWidth::Narrow => {
                    lines.push(told(cells, Some(at)));
                    lines.push(told(format!("    {}", row.verdict), Some(at)));
                }
            }
        }
        lines.extend(sweep.left_out.iter().map(|why| told(format!("  {why}"), None)));
    }
    lines
}

fn title(report: &SweepReport, sweep: &Sweep) -> String {
    let on = || sweep.rows.first().map_or_else(String::new, |row| format!(", on {}", row.data.join(" ")));
    match sweep.over {
        SweepOver::Sizes => format!("sizes of all arrays together, for {}", report.target),
        SweepOver::Lanes => format!("lanes, for {}{}", report.target, on()),
        SweepOver::Targets => format!("targets that run here{}", on()),
    }
}

fn heads(width: SweepWidth) -> Vec<String> {
    let heads: &[&str] = match width {
        SweepWidth::Wide => &["", "a run", "spread", "element", "GB/s", "Gflop/s", "of the nearest ceiling"],
        SweepWidth::Narrow => &["", "", "", ""],
    };
    heads.iter().map(|head| (*head).to_owned()).collect()
}

/// The cells of a row. Times of an element stand beside each other in a sweep of sizes, where those of a run say nothing.
fn cells(row: &SweepRow, sweep: &Sweep, width: SweepWidth) -> Vec<String> {
    let name = match sweep.over {
        SweepOver::Sizes => row.name.clone(),
        SweepOver::Lanes | SweepOver::Targets => {
            let lanes: Vec<String> = row.lanes.iter().map(u16::to_string).collect();
            let used = if lanes.is_empty() { String::new() } else { format!(" ({})", lanes.join(", ")) };
            format!("{}{used}", row.name)
        }
    };
    let spread = format!("+- {:.0} %", row.spread / row.median * 100.0);
    let element = row.per_element.map_or_else(String::new, shown_element);
    let giga = |rate: f64| format!("{:.2}", rate / 1e9);
    match width {
        SweepWidth::Wide => vec![
            name,
            shown_time(row.median),
            spread,
            element,
            giga(row.bandwidth),
            row.operations.map_or_else(String::new, giga),
            bar(row),
        ],
        SweepWidth::Narrow => {
            let time = if sweep.over == SweepOver::Sizes && row.per_element.is_some() {
                element
            } else {
                shown_time(row.median)
            };
            vec![name, time, spread, bar(row)]
        }
    }
}

fn shown_element(nanoseconds: f64) -> String {
    if nanoseconds < 1.0 { format!("{nanoseconds:.3} ns") } else { shown_time(nanoseconds) }
}

/// How far a row comes up to the ceiling that it is closest to.
fn bar(row: &SweepRow) -> String {
    let part = row.of_bandwidth.unwrap_or(0.0).max(row.of_operations.unwrap_or(0.0));
    let n = ((part * BAR as f64).round() as usize).min(BAR);
    format!("[{}{}]", "#".repeat(n), ".".repeat(BAR - n))
}

/// The cells of a row below each other with those of all rows; names stand at the left, figures at the right.
fn joined(cells: &[String], rows: &[Vec<String>]) -> String {
    let wide = |n: usize| rows.iter().map(|row| row[n].chars().count()).max().unwrap_or(0);
    let last = cells.len() - 1;
    let shown = cells.iter().enumerate().map(|(n, cell)| {
        let wide = wide(n);
        match n {
            0 => format!("  {cell:wide$}"),
            n if n == last => format!("  {cell:wide$}"),
            _ => format!("  {cell:>wide$}"),
        }
    });
    shown.collect::<String>().trim_end().to_owned()
}

/// A number of bytes in words.
pub(super) fn bytes(bytes: usize) -> String {
    shown_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::sweeping::pins::tests::row;

    #[test]
    fn rows_stand_below_each_other_with_their_verdicts() {
        let sizes = Sweep {
            over: SweepOver::Sizes,
            rows: vec![row("4096 bytes", 120.0, 0), row("262 kB", 9000.0, 0)],
            left_out: vec!["data of 67 MB and more are left out: a run would take 2.0 seconds or longer".to_owned()],
        };
        let lanes = Sweep { over: SweepOver::Lanes, rows: vec![row("8 lanes", 500.0, 4)], left_out: Vec::new() };
        let report = SweepReport { kernel: "k".to_owned(), target: "avx2", sweeps: vec![sizes, lanes] };
        let text = |width| table(&report, width).iter().map(|line| format!("|{}\n", line.text)).collect::<String>();
        assert!(text(SweepWidth::Wide).contains("bound by memory: 92 %"), "{}", text(SweepWidth::Wide));
        expect![[r#"
            |sizes of all arrays together, for avx2
            |  4096 bytes  0.120 ns  +- 2 %  [#########.]
            |    bound by memory: 92 % of what this machine copies there
            |  262 kB        9.0 ns  +- 0 %  [#########.]
            |    bound by memory: 92 % of what this machine copies there
            |  data of 67 MB and more are left out: a run would take 2.0 seconds or longer
            |lanes, for avx2, on n=1000
            |  8 lanes (8)  500.0 ns  +- 0 %  [#########.]
            |    bound by memory: 92 % of what this machine copies there
        "#]]
        .assert_eq(&text(SweepWidth::Narrow));
    }
}
