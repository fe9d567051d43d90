//! Does `lanescope faster` find what an expert does by hand? `cargo bench -p tui --bench faster`, followed by `--` and names of kernels to try only
//! those.
//!
//! `kernels.lane` has kernels as they are first written, each followed by the same as an expert changed it. The best that the search finds is
//! timed in turns with that: above 1 it is the faster one, and what seems to be behind is timed three times. Both are told beside the kernel as it
//! was.

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::Duration;

use driver::document::Document;
use driver::faster::{SpeedSearch, search, times_as_fast};
use driver::machine_code::NoCode;
use native::client::Client;
use native::protocol::Job;
use native::{host, llvm};
use queries::stages::Options;

/// The end of the names of kernels that an expert changed.
const BY_HAND: &str = "_by_hand";

/// The time for which each change is measured, in milliseconds.
const MILLISECONDS: u64 = 60;

/// The share of the expert's speed below which a kernel is told as one for which the search found less.
const BEHIND: f64 = 0.95;

fn main() -> ExitCode {
    if let Err(error) = llvm::llvm() {
        println!("nothing to measure: {error}");
        return ExitCode::SUCCESS;
    }
    let client = Client::new(env!("CARGO_BIN_EXE_lanescope"), &["worker"]);
    let ask = |job: Job, memory: &[u8]| {
        client.ask(job, memory).wait(Duration::from_secs(60)).map_err(|failure| NoCode::Stopped(failure.to_string()))
    };
    let options = Options { lanes: None, target: host::row() };
    let text = include_str!("kernels.lane");
    let all = Document::new("kernels.lane", text);
    let names: Vec<String> = all.kernels().iter().map(|item| item.name(all.db()).to_string()).collect();
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let written = names.iter().filter(|name| !name.ends_with(BY_HAND));
    let written = written.filter(|name| wanted.is_empty() || wanted.contains(name));
    println!("{:<18}{:>14}{:>14}{:>16}  changes", "times as fast", "found", "by hand", "found/by hand");
    let (mut behind, mut ratios) = (Vec::new(), Vec::new());
    for name in written {
        let before = Document::new("kernels.lane", text).made_for(&[options]);
        let by_hand = text.replace(&format!("kernel {name}("), &format!("kernel {name}_as_written("));
        let by_hand = by_hand.replace(&format!("kernel {name}{BY_HAND}("), &format!("kernel {name}("));
        let by_hand = Document::new("kernels.lane", by_hand).made_for(&[options]);
        // Loops written otherwise would have data of another size chosen for them.
        let item = before.kernel_named(name).expect("a kernel of the file");
        let data = queries::run::to_measure(before.db(), item, &[]).unwrap_or_default();
        let of = |given| SpeedSearch {
            kernel: name,
            row: options.target,
            machine: options.target.clone(),
            options,
            given,
            milliseconds: MILLISECONDS,
        };
        let (of, of_pair) = (of(&[]), of(&data));
        let report = match search(&before, &of, &ask, &mut |_, _, _| ControlFlow::Continue(())) {
            Ok(report) => report,
            Err(NoCode::Trouble(why) | NoCode::Stopped(why)) => panic!("{name}: {why}"),
            Err(NoCode::Errors(errors)) => panic!("{name}: {errors:?}"),
        };
        let best = report.any_bits.or(report.same_bits);
        let (changed, titles) = best.map_or_else(|| (text.to_owned(), Vec::new()), |best| (best.text, best.titles));
        let found = Document::new("kernels.lane", changed).made_for(&[options]);
        let beside = |one: &Document, other: &Document| {
            times_as_fast(one, other, &of_pair, &ask).unwrap_or_else(|why| panic!("{name}: {why}")).0
        };
        let (gain, hand, mut ratio) = (beside(&before, &found), beside(&before, &by_hand), beside(&by_hand, &found));
        if ratio < BEHIND {
            // The machine may have been busy with something else for a while.
            let mut all = [ratio, beside(&by_hand, &found), beside(&by_hand, &found)];
            all.sort_by(f64::total_cmp);
            ratio = all[1];
        }
        println!("{name:<18}{gain:>14.2}{hand:>14.2}{ratio:>16.2}  {}", titles.join(", "));
        ratios.push(ratio);
        if ratio < BEHIND {
            behind.push(name.as_str());
        }
    }
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len().max(1) as f64).exp();
    println!(
        "{} kernels, geometric mean of found/by hand {mean:.2}; less found than by hand: {}",
        ratios.len(),
        behind.join(", ")
    );
    ExitCode::SUCCESS
}
