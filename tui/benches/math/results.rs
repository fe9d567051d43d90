//! What was measured, as it is kept: one row for each function, type, program and target. A new measurement takes the place of an
//! older one of the same row.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// All that was measured.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Results {
    /// The processor on which the speed of a target, and of `scalar` functions, was measured last.
    pub(crate) machines: BTreeMap<String, String>,
    pub(crate) rows: Vec<Row>,
}

/// The measurements of a function in a program for a target.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) function: String,
    #[serde(rename = "type")]
    pub(crate) elem: String,
    /// `strict` and `fast` for the function of Lane in that mode, or another library.
    pub(crate) program: String,
    pub(crate) target: String,
    /// A digest of the text in Lane whose results were measured, and of the one whose speed was; empty for other libraries.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) text: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) timed: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) accuracy: Option<Accuracy>,
    /// Cycles per element of the time-stamp counter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cycles: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) emulated: Option<Emulated>,
    /// The hashes of fewer inputs, as earlier runs of this text had them, by their number. Inputs depend on their place alone, so
    /// more of them begin with the fewer, and targets that ran on some and on others can still be held against each other.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) earlier: BTreeMap<u64, String>,
}

/// The errors of a function.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Accuracy {
    pub(crate) inputs: u64,
    /// The number of results that are not the correctly rounded ones.
    pub(crate) misrounded: u64,
    /// The largest error in ulp of those results; none if it is infinite, as for a number where NaN is due.
    pub(crate) error: Option<f64>,
    /// The bits of the arguments with the largest error.
    pub(crate) at: Vec<String>,
    /// A hash of all inputs and results.
    pub(crate) hash: String,
}

/// The results of a function on an emulated target, beside those of targets that ran on the same inputs without an emulator.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Emulated {
    pub(crate) inputs: u64,
    /// A hash of all inputs and results.
    pub(crate) hash: String,
    /// The targets whose results were the same for all inputs, and those whose results were not.
    pub(crate) same: Vec<String>,
    pub(crate) others: Vec<String>,
}

impl Row {
    pub(crate) fn new(function: &str, elem: &str, program: &str, target: &str) -> Row {
        let [function, elem, program, target] = [function, elem, program, target].map(str::to_owned);
        let (accuracy, cycles, emulated) = (None, None, None);
        let (text, timed, earlier) = (String::new(), String::new(), BTreeMap::new());
        Row { function, elem, program, target, text, timed, accuracy, cycles, emulated, earlier }
    }

    /// The hash of the results for the first so many inputs, if that was measured.
    pub(crate) fn hash_of_first(&self, inputs: u64) -> Option<&str> {
        let all = self.accuracy.as_ref().filter(|accuracy| accuracy.inputs == inputs).map(|accuracy| &accuracy.hash);
        all.or_else(|| self.earlier.get(&inputs)).map(String::as_str)
    }

    fn key(&self) -> (&str, &str, &str, &str) {
        (&self.function, &self.elem, &self.program, &self.target)
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:16} {} {:10} {:7}", self.function, self.elem, self.program, self.target)?;
        if let Some(Accuracy { inputs, misrounded, error, at, hash }) = &self.accuracy {
            match (misrounded, error) {
                (0, _) => write!(f, " {inputs} inputs, all correctly rounded, {hash}")?,
                (_, error) => {
                    let error = error.map_or("infinite".to_owned(), |error| format!("{error:.7}"));
                    write!(
                        f,
                        " {misrounded} of {inputs} misrounded, at most {error} ulp, at {}, {hash}",
                        at.join(" ")
                    )?;
                }
            }
        }
        if let Some(Emulated { inputs, hash, same, others }) = &self.emulated {
            let same = if same.is_empty() { "no target".to_owned() } else { same.join(", ") };
            write!(f, " {inputs} inputs, {hash}, same bits on {same}")?;
            if !others.is_empty() {
                write!(f, ", not on {}", others.join(", "))?;
            }
        }
        self.cycles.map_or(Ok(()), |cycles| write!(f, " {cycles:>7.2} cycles"))
    }
}

impl Results {
    /// Reads the file of results; without one nothing was measured.
    pub(crate) fn read(path: &Path) -> Result<Results, String> {
        let Ok(text) = fs::read_to_string(path) else { return Ok(Results::default()) };
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Adds a measurement, in place of an older one. Results of another text go with it.
    pub(crate) fn merge(&mut self, row: Row) {
        let Some(old) = self.rows.iter_mut().find(|old| old.key() == row.key()) else {
            self.rows.push(row);
            return;
        };
        if row.cycles.is_some() {
            (old.cycles, old.timed) = (row.cycles, row.timed);
        }
        if row.accuracy.is_none() && row.emulated.is_none() {
            return;
        }
        if old.text != row.text {
            (old.accuracy, old.emulated, old.text) = (None, None, row.text);
            old.earlier.clear();
        }
        let fewer = |old: &&Accuracy| row.accuracy.as_ref().is_some_and(|new| new.inputs > old.inputs);
        old.earlier.extend(old.accuracy.iter().filter(fewer).map(|old| (old.inputs, old.hash.clone())));
        old.accuracy = row.accuracy.or(old.accuracy.take());
        old.emulated = row.emulated.or(old.emulated.take());
    }

    /// What was measured on all inputs of an `f32` for a row's function, by whatever text had the results with this hash: on the row's
    /// target, or on any where none was misrounded.
    pub(crate) fn of_all_inputs(&self, row: &Row, hash: &str) -> Option<Accuracy> {
        let same = |old: &&Row| (&old.function, &old.elem, &old.program) == (&row.function, &row.elem, &row.program);
        let of = self.rows.iter().filter(same).filter_map(|old| Some((old, old.accuracy.as_ref()?)));
        let mut of = of.filter(|(_, all)| all.inputs == 1 << 32 && all.hash == hash);
        of.find(|(old, all)| old.target == row.target || all.misrounded == 0).map(|(_, all)| all.clone())
    }

    /// Writes the file, sorted, with a line for each row, so that a difference shows what was measured anew.
    pub(crate) fn write(&self, path: &Path) -> Result<(), String> {
        let sorted: BTreeMap<_, _> = self.rows.iter().map(|row| (row.key(), row)).collect();
        let json = |row: &&Row| serde_json::to_string(row);
        let rows: Result<Vec<_>, _> = sorted.values().map(json).collect();
        let text = rows.and_then(|rows| {
            Ok(format!(
                "{{\"machines\": {},\n\"rows\": [\n{}\n]}}\n",
                serde_json::to_string(&self.machines)?,
                rows.join(",\n")
            ))
        });
        let written = text.map_err(std::io::Error::from).and_then(|text| fs::write(path, text));
        written.map_err(|error| format!("{}: {error}", path.display()))
    }
}
