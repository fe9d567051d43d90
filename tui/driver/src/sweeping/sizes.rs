//! Data for a sweep of sizes: the lengths of a kernel's arrays for each number of bytes.
//!
//! A kernel's arrays grow with its lengths, or with their squares or cubes. Two small lengths tell which, and from there the length for
//! any number of bytes is near.

use queries::run::{Argument, DataSource};

use super::Wanted;
use crate::document::Document;

/// The bytes of all arrays that are wanted: through each cache of a usual machine, and beyond them.
const WANTED: [usize; 8] = [4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20];

/// The lengths that tell how arrays grow.
const PROBES: [i128; 2] = [64, 128];

/// Lengths are multiples of this, so that the remainder behind the groups of lanes is the same everywhere.
const MULTIPLE: i128 = 16;

/// Data for one row.
pub(super) struct SizedData {
    /// The bytes of all arrays.
    pub bytes: usize,
    pub arguments: Vec<Argument>,
}

/// The data of all rows, smallest first; else why the data cannot grow.
pub(super) fn steps(document: &Document, wanted: &Wanted<'_>) -> Result<Vec<SizedData>, String> {
    let is_array = |argument: &&Argument| !matches!(argument.source, DataSource::Number(_));
    if let Some(given) = wanted.given.iter().find(is_array) {
        return Err(format!(
            "sizes are left out: `{}` is given, and so are the sizes that go with it; they are swept on data that are chosen",
            given.name
        ));
    }
    let [few, twice] = PROBES.map(|length| of_length(document, wanted, length).bytes);
    if few == 0 || twice <= few {
        return Err("sizes are left out: the kernel's arrays do not grow with the numbers that it takes".to_owned());
    }
    let power = (twice as f64 / few as f64).log2();
    let length = |bytes: usize| {
        let length = PROBES[0] as f64 * (bytes as f64 / few as f64).powf(1.0 / power);
        ((length / MULTIPLE as f64).round() as i128).max(1) * MULTIPLE
    };
    let mut lengths: Vec<i128> = WANTED.into_iter().map(length).collect();
    lengths.dedup();
    Ok(lengths.into_iter().map(|length| of_length(document, wanted, length)).collect())
}

fn of_length(document: &Document, wanted: &Wanted<'_>, length: i128) -> SizedData {
    let db = document.db();
    let chosen = queries::run::of_length(db, wanted.item, wanted.given, length).unwrap_or_default();
    let arguments: Vec<Argument> = wanted.given.iter().cloned().chain(chosen).collect();
    let inputs = queries::run::prepare(db, wanted.item, &arguments).ok();
    let bytes = inputs.map_or(0, |(_, inputs)| inputs.memory.iter().map(Vec::len).sum());
    SizedData { bytes, arguments }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queries::stages::Options;
    use queries::stages::target::find;

    fn bytes_of(text: &str, given: &[Argument]) -> Result<Vec<usize>, String> {
        let document = Document::new("k.lane", text);
        let item = document.kernel_named("k").expect("a kernel");
        let row = find("avx2").expect("a target");
        let options = Options { lanes: None, target: row };
        let wanted = Wanted { item, row, machine: row.clone(), options, given, threads: None, milliseconds: 1 };
        steps(&document, &wanted).map(|steps| steps.iter().map(|step| step.bytes).collect())
    }

    #[test]
    fn data_grow_from_the_first_cache_to_memory_however_the_arrays_do() {
        let line = "kernel k(a: f32[n], out: f32[n], n: i32):\n    for i in range(n):\n        out[i] = a[i]\n";
        let plane = "kernel k(a: f32[n, n], n: i32):\n    for y in range(n):\n        for x in range(n):\n            a[y, x] += 1.0\n";
        for text in [line, plane] {
            let bytes = bytes_of(text, &[]).expect("sizes");
            assert!(bytes.len() >= 7, "{bytes:?}");
            assert!(bytes.is_sorted_by(|a, b| a < b), "{bytes:?}");
            assert!((2 << 10..8 << 10).contains(&bytes[0]), "{bytes:?}");
            assert!((48 << 20..80 << 20).contains(bytes.last().expect("a size")), "{bytes:?}");
        }
    }

    #[test]
    fn data_that_are_given_do_not_grow() {
        let text = "kernel k(a: f32[n], n: i32):\n    for i in range(n):\n        a[i] = 1.0\n";
        let given = [Argument { name: "a".to_owned(), source: DataSource::Zeros(8) }];
        assert!(bytes_of(text, &given).expect_err("a reason").contains("`a` is given"));
        let fixed = "kernel k(a: f32[8], n: i32):\n    for i in range(8):\n        a[i] = f32(n)\n";
        assert!(bytes_of(fixed, &[]).expect_err("a reason").contains("do not grow"));
    }
}
