//! Rows of sweeps that a user keeps, to compare later ones with: "gathers 20 to 0, 3.1 times as fast".

use report::lanes::costs::OpCounts;

use super::SweepRow;
use crate::measuring::shown_time;

/// A row that is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Pin {
    /// The row.
    pub row: SweepRow,
    /// The number of the edit that the row is of.
    pub edit: u64,
}

impl Pin {
    /// Returns the name: that of the row, with the target where it does not say it.
    pub fn name(&self) -> String {
        let target = self.row.options.target.name;
        if self.row.name == target { target.to_owned() } else { format!("{target}, {}", self.row.name) }
    }

    /// Compares this row with an earlier one, in words. Rows on other data are compared by their elements.
    pub fn beside(&self, first: &Pin) -> String {
        let same_data = self.row.data == first.row.data;
        let times = match (same_data, self.row.per_element, first.row.per_element) {
            (true, ..) => Some(first.row.median / self.row.median),
            (false, Some(own), Some(other)) => Some(other / own),
            (false, ..) => None,
        };
        let mut parts = differing(&first.row.counts, &self.row.counts);
        parts.push(match times {
            Some(times) if times >= 1.0 => format!("{times:.1} times as fast"),
            Some(times) => format!("{:.1} times as slow", 1.0 / times),
            None => "on other data".to_owned(),
        });
        parts.join(", ")
    }

    /// Returns the time in words: that of a run, and of an element.
    pub fn time(&self) -> String {
        let element = self.row.per_element.map_or_else(String::new, |time| format!(", {time:.3} ns an element"));
        format!("{}{element}", shown_time(self.row.median))
    }
}

/// The counts that differ, as `gathers 20 to 0`.
fn differing(from: &OpCounts, to: &OpCounts) -> Vec<String> {
    let pairs = from.named().into_iter().zip(to.named());
    let differing = pairs.filter(|((name, from), (_, to))| from != to && *name != "ops");
    differing.map(|((name, from), (_, to))| format!("{name} {from} to {to}")).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use queries::stages::Options;
    use queries::stages::target::find;

    use super::*;

    pub(in crate::sweeping) fn row(name: &str, median: f64, gathers: u32) -> SweepRow {
        SweepRow {
            name: name.to_owned(),
            options: Options { lanes: None, target: find("avx2").expect("a target") },
            lanes: vec![8],
            data: vec!["n=1000".to_owned()],
            array_bytes: 8000,
            level: None,
            runs: 9,
            median,
            least: median,
            spread: 2.0,
            per_element: Some(median / 1000.0),
            bandwidth: 1e10,
            operations: Some(2e9),
            of_bandwidth: Some(0.92),
            of_operations: Some(0.1),
            verdict: "bound by memory: 92 % of what this machine copies there".to_owned(),
            counts: OpCounts { ops: 9, gathers, ..OpCounts::default() },
        }
    }

    #[test]
    fn a_row_is_compared_with_the_first_that_was_kept() {
        let pin = |median, gathers, edit| Pin { row: row("8 lanes", median, gathers), edit };
        let (slow, fast) = (pin(3100.0, 20, 0), pin(1000.0, 0, 3));
        assert_eq!(fast.beside(&slow), "gathers 20 to 0, 3.1 times as fast");
        assert_eq!(slow.beside(&fast), "gathers 0 to 20, 3.1 times as slow");
        assert_eq!((fast.name(), fast.time()), ("avx2, 8 lanes".to_owned(), "1.00 us, 1.000 ns an element".to_owned()));
        let mut other = fast.clone();
        other.row.data = vec!["n=500".to_owned()];
        other.row.per_element = Some(0.5);
        assert_eq!(other.beside(&slow), "gathers 20 to 0, 6.2 times as fast");
    }
}
