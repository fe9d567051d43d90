//! What native code is held to: the interpreter's bits, and a worker that survives whatever it is given.
//!
//! Kernels are run by a worker, which this program is as well, so it has a `main` of its own: a kernel that does harm
//! costs a process, and is named. Without LLVM all is skipped, except where `CI` is set: there it has to be.

#[allow(dead_code, reason = "the generator's own tests use more of it")]
#[path = "../../../passes/tests/generator/mod.rs"]
mod generator;

mod checks;
mod edges;
mod emulated;
mod halves;
mod mishaps;
mod packed;
mod permutes;
mod picks;
mod random;
mod scratch;
mod shapes;
mod wasm;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Duration;

use native::client::Client;
use native::llvm;

/// How long anything that ends by itself may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A test, and what it is called.
type Test = (&'static str, fn(&Client));

const TESTS: &[Test] = &[
    ("random::agree", random::agree),
    ("edges::arithmetic", edges::arithmetic),
    ("edges::multiplication_with_addition", edges::multiplication_with_addition),
    ("edges::the_swap_under_a_mask", edges::the_swap_under_a_mask),
    ("edges::loops_near_the_end_of_the_range", edges::loops_near_the_end_of_the_range),
    ("edges::a_lone_nan", edges::a_lone_nan),
    ("edges::arrays_that_overlap", edges::arrays_that_overlap),
    ("edges::several_groups_at_a_time", edges::several_groups_at_a_time),
    ("edges::two_sides_of_a_branch", edges::two_sides_of_a_branch),
    ("edges::fused_multiplication", edges::fused_multiplication),
    ("halves::conversions", halves::conversions),
    ("halves::conversions_of_integers", halves::conversions_of_integers),
    ("halves::arithmetic", halves::arithmetic),
    ("halves::call_no_library", halves::call_no_library),
    ("permutes::agree", permutes::agree),
    ("permutes::columns_of_rows_agree", permutes::columns_of_rows_agree),
    ("permutes::threes_agree", permutes::threes_agree),
    ("permutes::sums_of_differences_agree", permutes::sums_of_differences_agree),
    ("packed::agree", packed::agree),
    ("picks::agree", picks::agree),
    ("picks::instructions", picks::instructions),
    ("emulated::agree", emulated::agree),
    ("wasm::agree", wasm::agree),
    ("shapes::scalar_loops_stay_scalar", shapes::scalar_loops_stay_scalar),
    ("shapes::of_accesses", shapes::of_accesses),
    ("shapes::of_loops", shapes::of_loops),
    ("checks::agree", checks::agree),
    ("checks::random_ones_agree", checks::random_ones_agree),
    ("checks::have_code_for_all_targets", checks::have_code_for_all_targets),
    ("checks::stop_a_measurement", checks::stop_a_measurement),
    ("scratch::agrees", scratch::agrees),
    ("scratch::holds_large_arrays", scratch::holds_large_arrays),
    ("scratch::is_passed_by_c", scratch::is_passed_by_c),
    ("scratch::is_guarded", scratch::is_guarded),
    ("scratch::refuses_what_cannot_be", scratch::refuses_what_cannot_be),
    ("mishaps::an_access_outside_names_its_array", mishaps::an_access_outside_names_its_array),
    ("mishaps::what_is_measured_is_run_between_guards_first", mishaps::what_is_measured_is_run_between_guards_first),
    ("mishaps::a_trap_says_what", mishaps::a_trap_says_what),
    ("mishaps::an_endless_kernel_is_stopped", mishaps::an_endless_kernel_is_stopped),
    ("mishaps::a_cancelled_request_makes_way", mishaps::a_cancelled_request_makes_way),
    ("mishaps::a_killed_worker_is_replaced", mishaps::a_killed_worker_is_replaced),
    ("mishaps::what_llvm_refuses_is_said", mishaps::what_llvm_refuses_is_said),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.first().is_some_and(|arg| arg == "worker") {
        return native::worker::serve(native::worker::Syntax::Att).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
    }
    if args.iter().any(|arg| arg == "--list") {
        TESTS.iter().for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    if let Err(error) = llvm::llvm() {
        println!("skipped, without LLVM: {error}");
        return if std::env::var_os("CI").is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    }
    let program = std::env::current_exe().expect("the path of this program");
    let client = Client::new(program, &["worker"]);
    let wanted =
        |name: &str| args.iter().filter(|arg| !arg.starts_with('-')).all(|filter| name.contains(filter.as_str()));
    let mut failed = Vec::new();
    for (name, test) in TESTS.iter().filter(|(name, _)| wanted(name)) {
        let ended = catch_unwind(AssertUnwindSafe(|| test(&client)));
        println!("test {name} ... {}", if ended.is_ok() { "ok" } else { "FAILED" });
        failed.extend(ended.is_err().then_some(*name));
    }
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
