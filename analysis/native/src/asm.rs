//! Assembly as people read it: without what is only for the assembler, each line with the source line it came from, and
//! inner loops found.
//!
//! A *listing* has the functions of a module in order. The kind of a line follows from its instruction: a *gather* or
//! *call* from the name, the rest from the registers that it names and from whether it touches memory. A *spill* is a
//! store of a register to the stack frame for lack of registers, or the load that brings it back.

use std::collections::HashMap;

use ir::Family;

/// The kinds of instructions that are counted separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Arithmetic on vectors.
    Vector,
    /// Arithmetic on single elements, addresses, counters, jumps.
    Scalar,
    /// A load, contiguous or scalar.
    Load,
    /// A store, contiguous or scalar.
    Store,
    /// A gather: a load of scattered cells.
    Gather,
    /// A scatter: a store to scattered cells.
    Scatter,
    /// A move of elements between lanes.
    Shuffle,
    /// A store to the stack frame, or a load from it.
    Spill,
    /// A call of another function.
    Call,
}

impl Kind {
    /// All kinds, in the order they are listed.
    pub const ALL: [Kind; 9] = [
        Kind::Vector,
        Kind::Scalar,
        Kind::Load,
        Kind::Store,
        Kind::Gather,
        Kind::Scatter,
        Kind::Shuffle,
        Kind::Spill,
        Kind::Call,
    ];

    /// The name of the kind in reports.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Vector => "vector",
            Kind::Scalar => "scalar",
            Kind::Load => "load",
            Kind::Store => "store",
            Kind::Gather => "gather",
            Kind::Scatter => "scatter",
            Kind::Shuffle => "shuffle",
            Kind::Spill => "spill",
            Kind::Call => "call",
        }
    }
}

/// A line of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The text of the line: a label in column 0, or an instruction behind a tab.
    pub text: String,
    /// The source line that it came from.
    pub source_line: Option<u32>,
    /// The kind of the instruction; nothing for labels and data.
    pub kind: Option<Kind>,
    /// True if the line lies in a loop that has no loop inside.
    pub in_inner_loop: bool,
}

impl Line {
    /// True if the instruction divides one integer by another, without vectors.
    pub fn divides_one(&self) -> bool {
        const DIVISIONS: &[&str] = &[
            "idivb", "idivw", "idivl", "idivq", "divb", "divw", "divl", "divq", "sdiv", "udiv", "div", "divu", "divuw",
            "rem", "remu", "remw", "remuw",
        ];
        let name = self.text.split_whitespace().next().unwrap_or_default();
        self.kind == Some(Kind::Scalar) && DIVISIONS.contains(&name)
    }
}

/// The machine code of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// The symbol of the function.
    pub name: String,
    /// The lines of the function; the first is its label.
    pub lines: Vec<Line>,
}

impl Function {
    /// True if the function is a kernel's own code, rather than an entry or helper that surrounds it.
    pub fn is_of(&self, kernel: &str) -> bool {
        match self.name.strip_prefix(kernel) {
            Some(suffix) => matches!(suffix, "" | ".sized"),
            None => false,
        }
    }

    /// Returns the number of instructions of a kind; in inner loops only, if asked.
    pub fn count(&self, kind: Kind, in_inner_loops: bool) -> usize {
        let counts = |line: &&Line| line.kind == Some(kind) && (line.in_inner_loop || !in_inner_loops);
        self.lines.iter().filter(counts).count()
    }
}

/// The assembly of a module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// Constants that instructions name, each label with what is there.
    pub constants: Vec<Line>,
    /// The functions, in the order of the text.
    pub functions: Vec<Function>,
}

/// Reads the assembly that LLVM writes.
pub fn listing(text: &str, family: Family) -> Listing {
    let lines = sections(text);
    let used = used_labels(&lines);
    let mut functions: Vec<Function> = Vec::new();
    let mut constants = Vec::new();
    // Constants lie under labels, and only those that code names are of interest.
    let mut of_interest = false;
    for raw in &lines {
        let label = label_of(raw.text);
        let used = label.is_none_or(|name| used.contains(&name));
        if label.is_some() && !raw.code {
            of_interest = used;
        }
        let kind = (raw.code && label.is_none()).then(|| kind(raw.text, family));
        let source_line = raw.source_line.filter(|_| label.is_none());
        let line = Line { text: shown(raw.text), source_line, kind, in_inner_loop: false };
        match label {
            Some(name) if raw.code && !is_local(name) => {
                functions.push(Function { name: name.to_owned(), lines: vec![line] });
            }
            _ if raw.code && used => {
                functions.last_mut().into_iter().for_each(|function| function.lines.push(line.clone()))
            }
            _ if !raw.code && of_interest => constants.push(line),
            _ => {}
        }
    }
    functions.iter_mut().for_each(mark_inner_loops);
    Listing { constants, functions }
}

/// A line of the text that may be shown.
struct Raw<'t> {
    text: &'t str,
    source_line: Option<u32>,
    /// True for code, false for data.
    code: bool,
}

/// The lines of code and of constants, without what is for the assembler and the debugger.
fn sections(text: &str) -> Vec<Raw<'_>> {
    let (mut lines, mut section, mut source_line) = (Vec::new(), Some(true), None);
    for line in text.lines() {
        let line = without_comment(line);
        let bare = line.trim();
        let mut words = bare.split_whitespace();
        let Some(first) = words.next() else { continue };
        if let Some(named) = section_named(first, words.next().unwrap_or_default()) {
            section = named;
            continue;
        }
        let Some(code) = section else { continue };
        if first == ".loc" {
            source_line =
                bare.split_whitespace().nth(2).and_then(|number| number.parse().ok()).filter(|&line| line > 0);
            continue;
        }
        let is_data = DATA.contains(&first);
        let is_shown = is_data && !code;
        if first.starts_with('.') && label_of(line).is_none() && !is_shown {
            continue;
        }
        lines.push(Raw { text: line, source_line: source_line.filter(|_| code), code });
    }
    lines
}

/// Directives that say what lies somewhere.
const DATA: &[&str] = &[
    ".byte", ".short", ".half", ".hword", ".2byte", ".long", ".word", ".4byte", ".quad", ".xword", ".dword", ".8byte",
    ".zero", ".ascii", ".asciz",
];

/// The section that a directive begins: `Some(Some(true))` for code, `Some(Some(false))` for constants, `Some(None)` for a
/// section that no reader needs; `None` if the directive begins none.
fn section_named(directive: &str, name: &str) -> Option<Option<bool>> {
    match directive {
        ".text" => Some(Some(true)),
        ".section" if name.starts_with(".text") || name.contains("__text") => Some(Some(true)),
        ".section" if name.starts_with(".rodata") || name.contains("__literal") || name.contains("__const") => {
            Some(Some(false))
        }
        ".section" | ".data" | ".bss" => Some(None),
        _ => None,
    }
}

/// A line without the assembler's comment behind it.
fn without_comment(line: &str) -> &str {
    let starts = [line.find("# "), line.find("// "), line.find("\t#"), line.find("\t//")];
    let end = starts.into_iter().flatten().min().unwrap_or(line.len());
    let end = if line.trim_start().starts_with('#') { 0 } else { end };
    line[..end].trim_end()
}

fn label_of(line: &str) -> Option<&str> {
    let name = line.strip_suffix(':')?;
    let plain = !line.starts_with([' ', '\t']) && !name.contains(char::is_whitespace);
    plain.then(|| name.trim_matches('"'))
}

/// True if a label is local to the assembler, and not the name of a function.
fn is_local(name: &str) -> bool {
    name.starts_with(".L")
        || name.starts_with("LBB")
        || name.starts_with("LCPI")
        || name.starts_with("Ltmp")
        || name.starts_with("L_")
}

fn used_labels<'t>(lines: &[Raw<'t>]) -> Vec<&'t str> {
    let instructions = lines.iter().filter(|line| label_of(line.text).is_none());
    let words = instructions.flat_map(|line| line.text.split(|c: char| !is_label_char(c)));
    words.filter(|word| is_local(word)).collect()
}

fn is_label_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '$')
}

/// A line with a single tab before the instruction and one space behind its name.
fn shown(line: &str) -> String {
    if label_of(line).is_some() {
        return line.to_owned();
    }
    let bare = line.trim();
    match bare.split_once(char::is_whitespace) {
        Some((name, rest)) => format!("\t{name} {}", rest.trim()),
        None => format!("\t{bare}"),
    }
}

/// Marks the loops of a function that have no loop inside. A loop lies from a label to the last jump back to it.
fn mark_inner_loops(function: &mut Function) {
    let mut labels: HashMap<String, usize> = HashMap::new();
    let mut loops: Vec<(usize, usize)> = Vec::new();
    for (at, line) in function.lines.iter().enumerate() {
        if let Some(label) = label_of(&line.text) {
            labels.insert(label.to_owned(), at);
            continue;
        }
        let words = line.text.split(|c: char| !is_label_char(c));
        for head in words.filter_map(|word| labels.get(word)).copied().filter(|&head| head > 0) {
            match loops.iter_mut().find(|(own, _)| *own == head) {
                Some((_, end)) => *end = at,
                None => loops.push((head, at)),
            }
        }
    }
    for &(head, end) in &loops {
        let has_inner = loops
            .iter()
            .any(|&(other, other_end)| (other, other_end) != (head, end) && other >= head && other_end <= end);
        if !has_inner {
            function.lines[head..=end].iter_mut().for_each(|line| line.in_inner_loop = true);
        }
    }
}

/// The kind of an instruction, told from its text.
fn kind(line: &str, family: Family) -> Kind {
    let mut parts = line.trim().splitn(2, char::is_whitespace);
    let name = parts.next().unwrap_or_default();
    let operands = parts.next().unwrap_or_default().trim();
    match family {
        Family::X86 => kind_on_x86(name, operands),
        Family::Arm => kind_on_arm(name, operands),
        Family::RiscV => kind_on_riscv(name, operands),
    }
}

fn kind_on_x86(name: &str, operands: &str) -> Kind {
    const SHUFFLES: &[&str] = &[
        "perm",
        "shuf",
        "unpck",
        "blend",
        "broadcast",
        "insert",
        "pinsr",
        "extract",
        "pextr",
        "align",
        "pack",
        "expand",
        "compress",
        "movhl",
        "movlh",
        "movddup",
        "movshdup",
        "movsldup",
    ];
    if name.starts_with("call") {
        return Kind::Call;
    }
    if name.contains("gather") {
        return Kind::Gather;
    }
    if name.contains("scatter") {
        return Kind::Scatter;
    }
    let in_vector_registers = operands.contains("%xmm") || operands.contains("%ymm") || operands.contains("%zmm");
    let moves = name.contains("mov");
    let shuffles = SHUFFLES.iter().any(|shuffle| name.contains(shuffle));
    if let Some(memory) = operands.find('(').filter(|_| !name.starts_with("lea") && !name.starts_with('j')) {
        // AT&T's order: what is written stands last.
        let stores = operands[memory..].find(')').is_some_and(|end| !operands[memory + end..].contains(", %"));
        let on_stack = operands.contains("(%rsp") || operands.contains("(%rbp");
        return match (moves, stores) {
            (true, _) if on_stack => Kind::Spill,
            (_, true) if moves => Kind::Store,
            (true, false) => Kind::Load,
            _ if name.contains("broadcast") => Kind::Load,
            _ if shuffles => Kind::Shuffle,
            // Arithmetic with an operand in memory is counted as what it computes.
            _ if in_vector_registers && !is_single(name) => Kind::Vector,
            _ => Kind::Scalar,
        };
    }
    match () {
        () if !in_vector_registers && !operands.contains("%k") => Kind::Scalar,
        () if shuffles => Kind::Shuffle,
        () if is_single(name) => Kind::Scalar,
        () => Kind::Vector,
    }
}

/// True if an x86 instruction in a vector register works on its first element alone. (`pabsd` is named for its double words:
/// packed instructions begin with a `p`.)
fn is_single(name: &str) -> bool {
    let is_packed = name.trim_start_matches('v').starts_with('p');
    (name.ends_with("ss") || name.ends_with("sd")) && !is_packed
        || ["si2s", "ss2", "sd2"].iter().any(|conversion| name.contains(conversion))
        || matches!(name, "vmovd" | "vmovq" | "movd" | "movq")
}

fn kind_on_arm(name: &str, operands: &str) -> Kind {
    if matches!(name, "bl" | "blr") {
        return Kind::Call;
    }
    let mut words = operands.split(|c: char| !c.is_alphanumeric());
    let vector = words.any(|word| is_register(word, 'z') || is_register(word, 'v'));
    let addressed_by_vector = operands.split('[').nth(1).is_some_and(|address| address.contains('z'));
    match name {
        _ if name.starts_with("ld1") && addressed_by_vector => Kind::Gather,
        _ if name.starts_with("st1") && addressed_by_vector => Kind::Scatter,
        _ if operands.contains("[sp") && (name.starts_with("ld") || name.starts_with("st")) => Kind::Spill,
        _ if name.starts_with("ld") => Kind::Load,
        _ if name.starts_with("st") => Kind::Store,
        _ if !vector => Kind::Scalar,
        "tbl" | "tbx" | "ext" | "rev" | "rev64" | "rev32" | "zip1" | "zip2" | "uzp1" | "uzp2" | "trn1" | "trn2"
        | "dup" | "ins" | "splice" | "compact" | "sel" => Kind::Shuffle,
        _ => Kind::Vector,
    }
}

fn is_register(word: &str, letter: char) -> bool {
    word.strip_prefix(letter)
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn kind_on_riscv(name: &str, operands: &str) -> Kind {
    match name {
        "call" | "jalr" => Kind::Call,
        _ if name.starts_with("vlux") || name.starts_with("vlox") => Kind::Gather,
        _ if name.starts_with("vsux") || name.starts_with("vsox") => Kind::Scatter,
        _ if name.starts_with("vrgather") || name.starts_with("vslide") || name.starts_with("vcompress") => {
            Kind::Shuffle
        }
        _ if name.starts_with("vset") => Kind::Scalar,
        _ if operands.contains("(sp)") => Kind::Spill,
        _ if name.starts_with("vl") && operands.contains('(') => Kind::Load,
        _ if name.starts_with("vs") && operands.contains('(') => Kind::Store,
        _ if name.starts_with('v') => Kind::Vector,
        "lb" | "lh" | "lw" | "ld" | "lbu" | "lhu" | "lwu" | "flw" | "fld" => Kind::Load,
        "sb" | "sh" | "sw" | "sd" | "fsw" | "fsd" => Kind::Store,
        _ => Kind::Scalar,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, family: Family, expect: Expect) {
        let listing = listing(text, family);
        let mut shown = String::new();
        for line in listing.functions.iter().flat_map(|function| &function.lines).chain(&listing.constants) {
            let source = line.source_line.map_or(String::new(), |line| line.to_string());
            let kind = line.kind.map_or("", Kind::name);
            let mark = if line.in_inner_loop { "|" } else { "" };
            shown += format!("{source:1} {mark:1} {kind:7} {}", line.text.replace('\t', "    ")).trim_end();
            shown.push('\n');
        }
        expect.assert_eq(&shown);
    }

    #[test]
    fn what_is_for_the_assembler_is_left_out() {
        check(
            "\t.file\t\"a.lane\"\n\t.section\t.rodata.cst4,\"aM\",@progbits,4\n\t.p2align\t2, 0x0\n.LCPI0_0:\n\t.long\t0x3f800000\n\
             .LCPI0_1:\n\t.long\t1\n\t.text\n\t.globl\tk\n\t.type\tk,@function\nk:\n.Lfunc_begin0:\n\t.loc\t1 2 5\n\
             \ttestl\t%edi, %edi\n\tjle\t.LBB0_3\n.LBB0_1:\n\tvbroadcastss\t.LCPI0_0(%rip), %ymm0\n.LBB0_2:\n.Ltmp1:\n\t.loc\t1 3 9\n\
             \tvaddps\t(%rsi,%rax,4), %ymm0, %ymm1\n\tvmovups\t%ymm1, (%rsi,%rax,4)\n\taddq\t$8, %rax\n\t.loc\t1 2 5\n\
             \tcmpq\t%rdi, %rax\n\tjl\t.LBB0_2\n.LBB0_3:\n\tvzeroupper\n\tretq\n.Lfunc_end0:\n\t.size\tk, .Lfunc_end0-k\n\
             \t.section\t.debug_info,\"\",@progbits\n\t.long\t1\n",
            Family::X86,
            expect![[r#"
                             k:
                 2   scalar      testl %edi, %edi
                 2   scalar      jle .LBB0_3
                 2   load        vbroadcastss .LCPI0_0(%rip), %ymm0
                   |         .LBB0_2:
                 3 | vector      vaddps (%rsi,%rax,4), %ymm0, %ymm1
                 3 | store       vmovups %ymm1, (%rsi,%rax,4)
                 3 | scalar      addq $8, %rax
                 2 | scalar      cmpq %rdi, %rax
                 2 | scalar      jl .LBB0_2
                             .LBB0_3:
                 2   scalar      vzeroupper
                 2   scalar      retq
                             .LCPI0_0:
                                 .long 0x3f800000
            "#]],
        );
    }

    #[test]
    fn kinds_are_told_on_every_family() {
        let x86 = |line: &str| kind(line, Family::X86);
        assert_eq!(x86("vgatherdps (%rdi,%ymm0,4), %ymm1 {%k1}"), Kind::Gather);
        assert_eq!(x86("vscatterdps %zmm0, (%rdi,%zmm1,4) {%k1}"), Kind::Scatter);
        assert_eq!(x86("vmovups 32(%rsp), %ymm0"), Kind::Spill);
        assert_eq!(x86("vpermps %ymm0, %ymm1, %ymm2"), Kind::Shuffle);
        assert_eq!(x86("vaddss %xmm0, %xmm1, %xmm2"), Kind::Scalar);
        assert_eq!(x86("vcvttss2si %xmm0, %eax"), Kind::Scalar);
        assert_eq!(x86("vcvtps2pd %xmm0, %ymm1"), Kind::Vector);
        assert_eq!(x86("vpabsd %ymm0, %ymm1"), Kind::Vector);
        assert_eq!(x86("pabsd (%rdi), %xmm1"), Kind::Vector);
        assert_eq!(x86("pinsrd $1, (%rdi), %xmm1"), Kind::Shuffle);
        assert_eq!(x86("callq fmod@PLT"), Kind::Call);
        assert_eq!(x86("leaq (%rdi,%rax,4), %rcx"), Kind::Scalar);
        assert_eq!(x86("vmovaps %zmm0, (%rdi) {%k1}"), Kind::Store);
        let arm = |line: &str| kind(line, Family::Arm);
        assert_eq!(arm("ld1w { z0.s }, p0/z, [x0, z1.s, sxtw #2]"), Kind::Gather);
        assert_eq!(arm("ld1w { z0.s }, p0/z, [x0, x8, lsl #2]"), Kind::Load);
        assert_eq!(arm("fadd v0.4s, v0.4s, v1.4s"), Kind::Vector);
        assert_eq!(arm("fadd s0, s0, s1"), Kind::Scalar);
        assert_eq!(arm("str q0, [sp, #16]"), Kind::Spill);
        let riscv = |line: &str| kind(line, Family::RiscV);
        assert_eq!(riscv("vluxei32.v v8, (a0), v10"), Kind::Gather);
        assert_eq!(riscv("vle32.v v8, (a0)"), Kind::Load);
        assert_eq!(riscv("vfadd.vf v8, v8, fa0"), Kind::Vector);
        assert_eq!(riscv("vsetvli zero, a0, e32"), Kind::Scalar);
    }
}
