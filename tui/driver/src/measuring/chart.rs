//! A report of measurements as lines of text: bars, rates, and the estimates beside them.

use report::lanes::costs::shown;

use native::protocol::HardwareCounts;

use super::{Bandwidth, Elements, Estimated, Measured, PerElement, Report};

/// Minimum time of a meaningful measurement: shorter runs are dominated by the start and end of the kernel, not its
/// loop.
const FEW_NANOSECONDS: f64 = 200.0;

/// Renders the measurements as lines: a bar for each, with the longest `widest` columns wide, and the rates that
/// follow.
pub fn chart(report: &Report, widest: usize) -> Vec<String> {
    let slowest = report.measured.iter().map(|one| one.median).fold(0.0, f64::max);
    let mut lines = Vec::new();
    for one in &report.measured {
        let bar = "#".repeat(((one.median / slowest * widest as f64).ceil() as usize).clamp(1, widest));
        let rate = report.bytes / one.median;
        let (name, time, spread) = (&one.name, shown_time(one.median), shown_time(one.spread));
        let operations = report.operations.filter(|count| *count > 0);
        let speed = operations.map_or_else(String::new, |count| format!(" {:7.2} Gflop/s", count as f64 / one.median));
        lines.push(format!("  {name:9} {time:>10} +- {spread:<10} {rate:7.2} GB/s{speed}  {bar}"));
    }
    if let [scalar, vector, divided @ ..] = &report.measured[..] {
        if scalar.median < FEW_NANOSECONDS {
            lines.push("  so few elements say little: the start of a kernel is most of this; measure more".to_owned());
        }
        let (name, times) = (&vector.name, scalar.median / vector.median);
        lines.push(format!("  {name} is {times:.2} times as fast as {}", scalar.name));
        let faster = divided.iter().map(|one| (&one.name, vector.median / one.median));
        lines.extend(faster.map(|(name, times)| match &**name {
            "1 thread" => format!("  {name} by blocks is {times:.2} times as fast as the whole"),
            _ => format!("  {name} are {times:.2} times as fast as one"),
        }));
    }
    lines.extend(each_element(report));
    lines.extend(counted(report));
    lines.extend(beside_estimates(report));
    let reached = reached(report);
    if !reached.is_empty() {
        lines.push(format!("  this machine: {}", reached.join(", ")));
    }
    lines
}

/// Says what this machine reaches. Rates that have not been measured, or not yet, are left out, and so is the bandwidth of
/// where the arrays lie if that is memory, whose bandwidth is measured on more.
fn reached(report: &Report) -> Vec<String> {
    let giga = |rate: f64, what: &str| format!("{:.1} {what}", rate / 1e9);
    let mut reached = Vec::new();
    let mut of_memory = "GB/s of memory".to_owned();
    if let Some(Bandwidth { of_bytes, level, rate }) = &report.bandwidth_here {
        let arrays = format!("where the {} of these arrays lie", shown_bytes(*of_bytes));
        match level.as_deref() {
            Some("memory") => of_memory += &format!(", {arrays}"),
            Some(level) => reached.push(giga(*rate, &format!("GB/s of {level}, {arrays}"))),
            None => reached.push(giga(*rate, &format!("GB/s {arrays}"))),
        }
    }
    reached.extend(report.bandwidth.map(|rate| giga(rate, &of_memory)));
    reached.extend(report.peak.map(|rate| giga(rate, "billion float operations a second")));
    reached
}

/// Says what an element is, and how much work it takes.
fn each_element(report: &Report) -> Option<String> {
    let (elements, PerElement { operations, bytes }) = (report.elements.as_ref()?, report.per_element.as_ref()?);
    let [operations, bytes] = [operations, bytes].map(|count| (count * 100.0).round() / 100.0);
    let Elements { are, arrays, number, exact } = elements;
    let s = if operations == 1.0 { "" } else { "s" };
    let about = if *exact { "" } else { " (counted on a sample)" };
    let (of, arrays) = (if arrays.is_empty() { "" } else { " of " }, arrays.join(", "));
    Some(format!(
        "  each of the {number} elements{of}{arrays} that are {are}: {operations} float operation{s}, {bytes} bytes loaded or \
         stored{about}"
    ))
}

/// Says what the processor counted for an element, or why it counted nothing.
fn counted(report: &Report) -> Vec<String> {
    if let Some(why) = &report.uncounted {
        return vec![format!("  counters of the processor: {why}")];
    }
    let number = report.elements.as_ref().map(|it| it.number as f64).filter(|number| *number > 0.0);
    let (each, of) = number.map_or((1.0, "a run"), |number| (number, "an element"));
    let line = |one: &Measured| {
        let HardwareCounts { cycles, instructions, l1_misses, branch_misses } = one.counts?;
        let named = [
            (cycles, "cycles"),
            (instructions, "instructions"),
            (l1_misses, "misses of the first cache"),
            (branch_misses, "branches not foreseen"),
        ];
        let parts = named.into_iter().filter_map(|(count, what)| Some(format!("{} {what}", shown(count? / each))));
        Some(format!("  {} counted for {of}: {}", one.name, parts.collect::<Vec<_>>().join(", ")))
    };
    report.measured.iter().filter_map(line).collect()
}

/// Says what was measured in cycles, and beside it what was estimated. An iteration of a loop need not be an element of an array: of a nest,
/// several iterations are.
fn beside_estimates(report: &Report) -> Vec<String> {
    let Some((cycles, clock)) = report.cycles_per_element.zip(report.clock) else { return Vec::new() };
    let mut lines = vec![format!("  measured: {} cycles an element, at {:.1} GHz", shown(cycles), clock / 1e9)];
    for Estimated { line, cycles, cycles_from_memory, bound } in &report.estimated {
        let [cycles, from_memory] = [cycles, cycles_from_memory].map(|cycles| shown(*cycles));
        let beside = if cycles == from_memory { String::new() } else { format!(", {from_memory} from memory") };
        lines.push(format!(
            "  estimated: {cycles} cycles an iteration of the loop in line {line}{beside}, bound by {bound}"
        ));
    }
    lines
}

pub(crate) fn shown_bytes(bytes: usize) -> String {
    match bytes {
        bytes if bytes < 10_000 => format!("{bytes} bytes"),
        bytes if bytes < 10_000_000 => format!("{} kB", bytes / 1_000),
        bytes => format!("{} MB", bytes / 1_000_000),
    }
}

pub(crate) fn shown_time(nanoseconds: f64) -> String {
    match nanoseconds {
        time if time < 1e3 => format!("{time:.1} ns"),
        time if time < 1e6 => format!("{:.2} us", time / 1e3),
        time => format!("{:.2} ms", time / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use native::work::{Work, WorkUnit};

    use super::*;

    fn report(level: Option<&str>) -> Report {
        let measured = |name: &str, median| Measured {
            name: String::from(name),
            runs: 9,
            median,
            least: median,
            spread: 10.0,
            counts: None,
        };
        let work = Work {
            unit: WorkUnit::Written,
            arrays: vec!["out".to_owned()],
            elements: 1000.0,
            operations: 10_000.0,
            bytes: 40_000.0,
            whole: level.is_some(),
        };
        Report {
            kernel: "blur".to_owned(),
            target: "avx2",
            chosen: Vec::new(),
            bytes: 12_000.0,
            elements: Some(Elements::of(&work)),
            per_element: PerElement::of(&work),
            operations: Some(10_000),
            measured: vec![measured("scalar", 4000.0), measured("avx2", 1000.0)],
            uncounted: None,
            bandwidth: Some(20e9),
            bandwidth_here: Some(Bandwidth { of_bytes: 80_000, level: level.map(str::to_owned), rate: 150e9 }),
            peak: Some(1e11),
            clock: Some(3e9),
            cycles_per_element: Some(3.0),
            estimated: vec![Estimated { line: 4, cycles: 0.25, cycles_from_memory: 0.5, bound: "stores" }],
        }
    }

    #[test]
    fn figures_are_told_for_elements_and_beside_the_level_that_the_data_lie_in() {
        let text = |level| format!("blur\n{}", chart(&report(level), 8).join("\n"));
        expect![[r#"
            blur
              scalar       4.00 us +- 10.0 ns       3.00 GB/s    2.50 Gflop/s  ########
              avx2         1.00 us +- 10.0 ns      12.00 GB/s   10.00 Gflop/s  ##
              avx2 is 4.00 times as fast as scalar
              each of the 1000 elements of out that are written: 10 float operations, 40 bytes loaded or stored
              measured: 3 cycles an element, at 3.0 GHz
              estimated: 0.25 cycles an iteration of the loop in line 4, 0.5 from memory, bound by stores
              this machine: 150.0 GB/s of the level 2 cache, where the 80 kB of these arrays lie, 20.0 GB/s of memory, 100.0 billion float operations a second"#]]
        .assert_eq(&text(Some("the level 2 cache")));
        let last = |level| text(level).lines().last().unwrap_or_default().to_owned();
        expect!["  this machine: 20.0 GB/s of memory, where the 80 kB of these arrays lie, 100.0 billion float operations a second"]
            .assert_eq(&last(Some("memory")));
        expect!["  this machine: 150.0 GB/s where the 80 kB of these arrays lie, 20.0 GB/s of memory, 100.0 billion float operations a second"]
            .assert_eq(&last(None));
        assert!(text(None).contains("(counted on a sample)"));
    }

    #[test]
    fn what_the_processor_counts_is_told_for_an_element_and_else_why_not() {
        let mut report = report(Some("memory"));
        report.measured[1].counts = Some(HardwareCounts {
            cycles: Some(3000.0),
            instructions: Some(5250.0),
            l1_misses: None,
            branch_misses: Some(10.0),
        });
        expect!["  avx2 counted for an element: 3 cycles, 5.2 instructions, 0.01 branches not foreseen"]
            .assert_eq(&counted(&report).join("\n"));
        report.uncounted = Some("this machine has none that programs see".to_owned());
        expect!["  counters of the processor: this machine has none that programs see"]
            .assert_eq(&counted(&report).join("\n"));
    }
}
