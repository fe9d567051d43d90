//! Random programs: their native code on every target that runs here, with the target's number of lanes and with
//! others.

use std::cell::Cell;
use std::sync::Arc;

use native::client::Client;
use native::protocol::Guard;
use queries::db::{Database, File};
use queries::stages::Options;

use crate::generate::{self, Generated};
use crate::{Configuration, client, differs, interpreted, kernel_named, targets};

/// The numbers of lanes to compile for besides the target's own.
const LANES: [u16; 6] = [1, 2, 4, 8, 16, 64];

#[test]
fn generated_programs_give_the_same_bits() {
    let Some(client) = client() else { return };
    gives_the_same_bits(client, generate::cases(250), generate::program);
}

#[test]
fn generated_programs_with_whole_arrays_give_the_same_bits() {
    let Some(client) = client() else { return };
    gives_the_same_bits(client, generate::cases(150), generate::array_program);
}

#[test]
fn statements_in_a_row_give_the_same_bits() {
    let Some(client) = client() else { return };
    gives_the_same_bits(client, generate::cases(150), generate::program_of_rows);
}

#[test]
fn what_loops_hand_on_gives_the_same_bits() {
    let Some(client) = client() else { return };
    gives_the_same_bits(client, generate::cases(150), generate::program_of_turns);
}

#[test]
fn subscripts_that_loops_hand_on_give_the_same_bits() {
    let Some(client) = client() else { return };
    gives_the_same_bits(client, generate::cases(150), generate::program_of_counters);
}

#[test]
fn cells_that_iterations_share_give_the_same_bits() {
    let Some(client) = client() else { return };
    gives_the_same_bits(client, generate::cases(150), generate::program_of_places);
}

#[test]
fn neighbouring_cells_give_the_same_bits() {
    let Some(client) = client() else { return };
    gives_the_same_bits(client, generate::cases(150), generate::program_of_neighbours);
}

#[test]
fn what_both_sides_access_gives_the_same_bits() {
    let Some(client) = client() else { return };
    gives_the_same_bits(client, generate::cases(100), generate::program_of_sides);
}

#[test]
fn lanes_along_rows_give_the_same_bits() {
    let Some(client) = client() else { return };
    gives_the_same_bits(client, generate::cases(100), generate::program_of_nests);
}

#[test]
fn rows_that_iterations_share_give_the_same_bits() {
    let Some(client) = client() else { return };
    gives_the_same_bits(client, generate::cases(150), generate::program_of_products);
}

#[test]
fn what_lanes_have_in_common_gives_the_same_bits() {
    let Some(client) = client() else { return };
    gives_the_same_bits(client, generate::cases(150), generate::program_of_lanes_together);
}

#[test]
fn totals_of_rows_give_the_same_bits() {
    let Some(client) = client() else { return };
    gives_the_same_bits(client, generate::cases(100), generate::program_of_totals);
}

#[test]
fn loops_that_are_left_early_give_the_same_bits() {
    let Some(client) = client() else { return };
    gives_the_same_bits(client, generate::cases(150), generate::program_of_exits);
}

fn gives_the_same_bits(client: &Client, cases: u64, program: fn(u64) -> Generated) {
    let n_compared = Cell::new(0u64);
    for seed in generate::seeds(cases) {
        let generated = program(seed);
        if compare(client, &generated, &n_compared).is_some() {
            let small = generate::shrink(generated, &mut |it| compare(client, it, &n_compared).is_some());
            let how = compare(client, &small, &n_compared).expect("shrinking keeps what it looks for");
            panic!("seed {seed}\n{}\n{:?}\n{how}", small.text, small.args);
        }
    }
    assert!(n_compared.get() > cases, "{} runs were compared", n_compared.get());
}

/// Returns the first target on which a program's native results differ, with the difference.
fn compare(client: &Client, generated: &Generated, n_compared: &Cell<u64>) -> Option<String> {
    let db = Database::default();
    // Where threads cannot divide the kernel, that is a finding, and it is run in one piece.
    let header = format!("kernel {}(", generated.kernel);
    let text = generated.text.replacen(&header, &format!("@threads\n{header}"), 1);
    let file = File::new(&db, Arc::from(text));
    let item = kernel_named(&db, file, &generated.kernel);
    let expected = interpreted(&db, item, &generated.args)?;
    let turn = generated.text.len();
    targets().enumerate().find_map(|(number, target)| {
        let own = !(turn + number).is_multiple_of(3);
        let lanes = if own { None } else { Some(LANES[(turn / 3 + number) % LANES.len()]) };
        let guard = if (turn + number).is_multiple_of(2) { Guard::Start } else { Guard::End };
        n_compared.set(n_compared.get() + 1);
        let threads = 1 + (turn + number) % 3;
        let place = Configuration { options: Options { lanes, target }, guard, threads };
        differs(client, &db, item, &generated.args, &place, &expected)
    })
}
