//! Instructions of x86: the last operand is what they give, and what most of the old ones take besides.

use super::{Register, TouchedRegisters};

/// Starts of the names of instructions that read their last operand alone.
const READERS: &[&str] =
    &["cmp", "test", "ucomi", "comi", "vucomi", "vcomi", "ptest", "vptest", "vtest", "kortest", "ktest", "bt"];

/// Starts of the names of instructions of one register of integers that write without reading.
const WRITERS: &[&str] = &[
    "mov", "lea", "set", "popcnt", "lzcnt", "tzcnt", "bsf", "bsr", "bls", "cvt", "rdtsc", "pext", "pdep", "kmov",
    "pmovmsk", "movmsk",
];

/// Starts of the names of instructions of the old kind on vectors that write without reading.
const VECTOR_WRITERS: &[&str] = &[
    "mov",
    "cvt",
    "sqrtp",
    "rcpp",
    "rsqrtp",
    "pshufd",
    "pshufhw",
    "pshuflw",
    "pabs",
    "pmov",
    "roundp",
    "lddqu",
    "pextr",
    "extractps",
    "pcmpestr",
];

/// Starts of the names of instructions that set the flags.
const FLAGGERS: &[&str] = &[
    "add", "adc", "sub", "sbb", "and", "or", "xor", "inc", "dec", "neg", "shl", "shr", "sar", "sal", "imul", "mul",
    "div", "idiv", "bt", "popcnt", "lzcnt", "tzcnt", "bsf", "bsr", "bls",
];

fn starts(name: &str, with: &[&str]) -> bool {
    with.iter().any(|start| name.starts_with(start))
}

pub(super) fn touched(name: &str, operands: &[&str]) -> TouchedRegisters {
    let mut touched = TouchedRegisters::default();
    if name.starts_with('j') && name != "jmp" {
        touched.reads.push(Register::Flags);
        return touched;
    }
    let (a, d) = (Register::Integer(0), Register::Integer(2));
    match name {
        "cltq" | "cwtl" => return TouchedRegisters { reads: vec![a], writes: vec![a], ..touched },
        "cqto" | "cltd" => return TouchedRegisters { reads: vec![a], writes: vec![d], ..touched },
        _ if name.starts_with("nop") || name.starts_with("jmp") || name.starts_with("endbr") => return touched,
        _ => {}
    }
    let Some((last, sources)) = operands.split_last() else { return touched };
    let in_vectors = operands.iter().any(|operand| operand.contains("mm"));
    let is_new = name.starts_with('v') || name.starts_with('k');
    let is_idiom = zeroes(name, operands);
    for source in sources.iter().filter(|_| !is_idiom) {
        take(name, source, &mut touched);
    }
    // One that has a single operand multiplies or divides two registers that it does not name.
    if sources.is_empty() && starts(name, &["mul", "imul", "div", "idiv"]) {
        take(name, last, &mut touched);
        let wide = !name.contains("mul");
        touched.reads.push(a);
        touched.reads.extend(wide.then_some(d));
        touched.writes.extend([a, d, Register::Flags]);
        return touched;
    }
    let reads_only = starts(name, READERS) || starts(name, &["push", "prefetch"]);
    let place = last.split('{').next().unwrap_or(last).trim();
    let masks = last.split_once('{').map_or("", |(_, rest)| rest);
    let writes_only = match () {
        () if is_new => !starts(name, &["vfm", "vfn", "vpdp", "vpternlog", "vpermi2", "vpermt2"]) && !is_gather(name),
        () if in_vectors && merges(name, operands) => false,
        () if in_vectors => starts(name, VECTOR_WRITERS),
        () if operands.len() > 2 => !starts(name, &["shld", "shrd"]),
        () => starts(name, WRITERS) || name.starts_with("pop"),
    };
    if is_memory(place) {
        let by = address(place);
        match reads_only {
            true => touched.loads_by = Some(by),
            false => {
                // What works on memory loads it first.
                if !is_new && !in_vectors && !writes_only {
                    touched.loads_by = Some(by.clone());
                }
                touched.stores_by = by;
            }
        }
    } else if let Some(register) = register(place) {
        if reads_only || !writes_only && !is_idiom {
            touched.reads.push(register);
        }
        if !reads_only {
            touched.writes.push(register);
        }
    }
    for mask in masks.split(['{', '}', ' ']).filter_map(register) {
        if !masks.contains("{z}") && !touched.reads.contains(&touched.writes.first().copied().unwrap_or(mask)) {
            touched.reads.extend(touched.writes.first().copied());
        }
        touched.reads.push(mask);
        touched.writes.extend(is_gather(name).then_some(mask));
    }
    if is_gather(name) && masks.is_empty() {
        touched.writes.extend(sources.first().and_then(|mask| register(mask)));
    }
    if starts(name, &["cmov", "set", "adc", "sbb"]) {
        touched.reads.push(Register::Flags);
    }
    let is_shift_of_its_own = ["shlx", "shrx", "sarx"].iter().any(|it| name.starts_with(it));
    let flags = starts(name, READERS) || !in_vectors && !is_new && starts(name, FLAGGERS) && !is_shift_of_its_own;
    touched.writes.extend(flags.then_some(Register::Flags));
    touched
}

/// Notes what a source takes.
fn take(name: &str, operand: &str, touched: &mut TouchedRegisters) {
    match is_memory(operand) {
        true if name.starts_with("lea") => touched.reads.extend(address(operand)),
        true => touched.loads_by = Some(address(operand)),
        false => touched.reads.extend(register(operand)),
    }
}

fn is_gather(name: &str) -> bool {
    name.contains("gather")
}

/// True for instructions on one element of the old kind, which leave the others as they are.
fn merges(name: &str, operands: &[&str]) -> bool {
    let between_registers = operands.iter().all(|operand| operand.starts_with('%'));
    let to_vector = operands.last().is_some_and(|last| last.contains("mm"));
    let one = starts(name, &["cvtsi2", "cvtss2sd", "cvtsd2ss"]) && to_vector;
    let halves = starts(name, &["movhl", "movlh", "movhp", "movlp"]) && to_vector;
    one || halves || matches!(name, "movss" | "movsd") && between_registers
}

/// True for an instruction that gives the same whatever its operands are, so that it waits for none.
fn zeroes(name: &str, operands: &[&str]) -> bool {
    let kinds = ["xor", "vxor", "pxor", "vpxor", "sub", "pcmpeq", "vpcmpeq"];
    let same = operands.first().is_some_and(|first| {
        let n_sources = if operands.len() > 2 { 2 } else { operands.len() };
        n_sources == 2 && first.starts_with('%') && operands[..2].iter().all(|it| it == first)
    });
    same && starts(name, &kinds) && !name.starts_with("subs") && !name.starts_with("subp")
}

fn is_memory(operand: &str) -> bool {
    operand.contains('(') || !operand.starts_with(['%', '$', '{', '*'])
}

/// The registers of an address.
fn address(operand: &str) -> Vec<Register> {
    let inside = operand.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(inside, _)| inside);
    inside.split(',').filter_map(register).collect()
}

/// A register by its name.
fn register(operand: &str) -> Option<Register> {
    let name = operand.trim().strip_prefix('%')?;
    let digits = |rest: &str| rest.parse::<u8>().ok();
    for start in ["xmm", "ymm", "zmm"] {
        if let Some(number) = name.strip_prefix(start) {
            return digits(number).map(Register::Vector);
        }
    }
    if let Some(number) = name.strip_prefix('k') {
        return digits(number).map(Register::Mask);
    }
    if let Some(number) = name.strip_prefix('r').and_then(|rest| digits(rest.trim_end_matches(['d', 'w', 'b']))) {
        return Some(Register::Integer(number));
    }
    // `%rax`, `%eax`, `%ax`, `%al` and `%ah` are one.
    let core = name.strip_prefix(['r', 'e']).unwrap_or(name);
    let number = match core {
        "ax" | "al" | "ah" => 0,
        "cx" | "cl" | "ch" => 1,
        "dx" | "dl" | "dh" => 2,
        "bx" | "bl" | "bh" => 3,
        "sp" | "spl" => 4,
        "bp" | "bpl" => 5,
        "si" | "sil" => 6,
        "di" | "dil" => 7,
        _ => return None,
    };
    Some(Register::Integer(number))
}
