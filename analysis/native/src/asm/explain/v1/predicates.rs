//! Instructions on predicates, with the figures of Neoverse V1.

use super::{L, L01, M, M0};
use crate::asm::explain::{InstructionRow, figures, of, once, times};

/// Instructions that name predicates, and no vector.
pub(super) const PREDICATES: &[InstructionRow] = &[
    of(
        &["and", "bic", "eor", "nand", "nor", "orn", "orr", "not", "mov", "sel"],
        "joins predicates, or copies one",
        "result after 1 cycle, one begins each cycle, on M0",
        figures(1, 1, &[once(M0)]),
    ),
    of(
        &["ands", "bics", "eors", "nands", "nors", "orns", "orrs", "nots", "movs"],
        "joins predicates, and sets the flags",
        "result after 2 cycles, one begins every 2 cycles, on M0",
        figures(2, 2, &[times(2, M0)]),
    ),
    of(
        &["ptrue", "pfalse", "pfirst", "pnext", "rev", "trn", "zip", "uzp", "punpk", "rdffr", "setffr", "wrffr"],
        "makes a predicate, or moves its lanes",
        "result after 2 cycles, one begins each cycle, on M0",
        figures(2, 1, &[once(M0)]),
    ),
    of(
        &["ptest"],
        "sets the flags by a predicate, for the branch behind it",
        "result after 2 cycles, one begins each cycle, on M0",
        figures(2, 1, &[once(M0)]),
    ),
    of(
        &["ptrues"],
        "makes a predicate, and sets the flags",
        "result after 3 cycles, one begins every 2 cycles, on M0",
        figures(3, 2, &[times(2, M0)]),
    ),
    of(
        &["while"],
        "makes a predicate of the lanes whose index is below the end, and sets the flags",
        "result after 3 cycles, one begins every 2 cycles, on M0",
        figures(3, 2, &[times(2, M0)]),
    ),
    of(
        &["brka.", "brkb.", "brkn.", "brkpa.", "brkpb."],
        "cuts a predicate off at the first lane of another",
        "result after 2 cycles, one begins each cycle, on M0",
        figures(2, 1, &[once(M0)]),
    ),
    of(
        &["brkas", "brkbs", "brkns", "brkpas", "brkpbs"],
        "cuts a predicate off at the first lane of another, and sets the flags",
        "result after 3 cycles, one begins every 2 cycles, on M0",
        figures(3, 2, &[times(2, M0)]),
    ),
    of(
        &["cntp", "incp", "decp", "sqincp", "uqincp", "sqdecp", "uqdecp"],
        "counts the lanes of a predicate",
        "result after 2 cycles, one begins each cycle, on M0",
        figures(2, 1, &[once(M0)]),
    ),
    of(
        &["ldr"],
        "loads a predicate",
        "result after 6 cycles, on the load units and M0 M1",
        figures(6, 2, &[once(L), once(M)]),
    ),
    of(&["str"], "stores a predicate", "2 begin each cycle, on L0 L1", figures(0, 1, &[once(L01)])),
    of(&["prf"], "asks for memory before it is needed", "2 begin each cycle, on L0 L1", figures(0, 1, &[once(L01)])),
];
