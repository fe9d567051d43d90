//! The tables of instructions of RISC-V, with the figures of SiFive's P670, of vectors those of one register.

use super::{DIV, F, F0, F1, FDIV, LS, V, V0, V1, VDIV, VFDIV, VLD, VST, X, X0, X1, X23};
use crate::asm::explain::{BusyUnits, InstructionRow, by_width, figures, of, once, times};

/// A cycle with each register of a group.
const fn each(units: u16) -> BusyUnits {
    by_width(units, [1, 2, 4])
}

/// A cycle with each register of a group, and two with one.
const fn each_or_two(units: u16) -> BusyUnits {
    by_width(units, [2, 2, 4])
}

pub(super) const LOAD: InstructionRow = of(
    &["vle"],
    "loads a vector",
    "result after 8 cycles, one register of a group begins each cycle, on VLD",
    figures(8, 1, &[each(VLD)]),
);

pub(super) const STORE: InstructionRow =
    of(&["vse"], "stores a vector", "one register of a group begins each cycle, on VST", figures(0, 1, &[each(VST)]));

pub(super) const WHOLE_MOVE: InstructionRow = of(
    &["vmv1r", "vmv2r", "vmv4r", "vmv8r"],
    "copies registers of vectors",
    "result after 2 cycles, 2 registers begin each cycle, on VEXQ0 VEXQ1",
    figures(2, 1, &[each(V)]),
);

/// Instructions on vectors.
pub(super) const VECTORS: &[InstructionRow] = &[
    of(
        &["vsetvl", "vsetivl"],
        "sets how many elements the vector instructions behind it work on, and their type",
        "result after 1 cycle, one begins each cycle, on IEXQ0",
        figures(1, 1, &[once(X0)]),
    ),
    of(
        &["vle", "vlm"],
        "loads a vector",
        "result after 8 cycles, one register of a group begins each cycle, on VLD",
        figures(8, 1, &[each(VLD)]),
    ),
    of(
        &["vse8", "vse16", "vse32", "vse64", "vsm."],
        "stores a vector",
        "one register of a group begins each cycle, on VST",
        figures(0, 1, &[each(VST)]),
    ),
    of(
        &["vlse"],
        "loads elements that lie a stride apart",
        "result after 12 cycles, one element begins each cycle, on VLD",
        figures(12, 1, &[each(VLD)]),
    ),
    of(
        &["vsse8", "vsse16", "vsse32", "vsse64"],
        "stores elements a stride apart",
        "one element begins each cycle, on VST",
        figures(0, 1, &[each(VST)]),
    ),
    of(
        &["vlux", "vlox"],
        "loads an element from an address of its own for each lane",
        "result after 12 cycles, one element begins each cycle, on VLD",
        figures(12, 1, &[each(VLD)]),
    ),
    of(
        &["vsux", "vsox"],
        "stores an element to an address of its own for each lane",
        "one element begins each cycle, on VST",
        figures(0, 1, &[each(VST)]),
    ),
    of(
        &["vlseg", "vlsseg", "vluxseg", "vloxseg"],
        "loads vectors of elements that lie in turns",
        "result after 12 cycles and one for each element, for which it keeps VLD busy",
        figures(12, 1, &[each(VLD)]),
    ),
    of(
        &["vsseg", "vssseg", "vsuxseg", "vsoxseg"],
        "stores vectors with their elements in turns",
        "12 cycles and one for each element, for which it keeps VST busy",
        figures(0, 1, &[each(VST)]),
    ),
    of(
        &["vadd", "vsub", "vrsub", "vadc", "vsbc", "vneg"],
        "adds or subtracts integers in all lanes",
        "result after 2 cycles, 2 registers of a group begin each cycle, on VEXQ0 VEXQ1",
        figures(2, 1, &[each(V)]),
    ),
    of(
        &["vand", "vor", "vxor", "vnot"],
        "joins bits",
        "result after 2 cycles, 2 registers of a group begin each cycle, on VEXQ0 VEXQ1",
        figures(2, 1, &[each(V)]),
    ),
    of(
        &["vsll", "vsrl", "vsra", "vmin", "vmax"],
        "shifts bits, or takes the smaller or larger ones",
        "result after 2 cycles, 2 registers of a group begin each cycle, on VEXQ0 VEXQ1",
        figures(2, 1, &[each(V)]),
    ),
    of(
        &["vnsrl", "vnsra", "vnclip", "vncvt"],
        "makes integers narrower",
        "result after 2 cycles, 2 registers of a group begin each cycle, on VEXQ0 VEXQ1",
        figures(2, 1, &[each(V)]),
    ),
    of(
        &["vzext", "vsext"],
        "makes integers wider",
        "result after 2 cycles, 2 registers of a group begin each cycle, on VEXQ0 VEXQ1",
        figures(2, 1, &[each(V)]),
    ),
    of(
        &["vmul", "vmacc", "vmadd", "vnmsac", "vnmsub"],
        "multiplies integers in all lanes, or adds the products",
        "result after 6 cycles, 2 registers of a group begin each cycle, on VEXQ0 VEXQ1",
        figures(6, 1, &[each(V)]),
    ),
    of(
        &["vwadd", "vwsub", "vwmul", "vwmacc", "vwcvt"],
        "adds or multiplies integers to wider ones",
        "result after 6 cycles, 2 registers of a group begin each cycle, on VEXQ0 VEXQ1",
        figures(6, 1, &[each(V)]),
    ),
    of(
        &["vsadd", "vssub", "vaadd", "vasub", "vsmul", "vssrl", "vssra"],
        "works on integers that stop at their ends, or rounds",
        "result after 6 cycles, 2 registers of a group begin each cycle, on VEXQ0 VEXQ1",
        figures(6, 1, &[each(V)]),
    ),
    of(
        &["vdiv", "vrem"],
        "divides integers",
        "result after 42 cycles for each register of 4-byte integers, and 45 to 72 of others, on VEXQ1 and VDIV",
        figures(42, 1, &[each(V1), by_width(VDIV, [42, 84, 168])]),
    ),
    of(
        &[
            "vmseq", "vmsne", "vmslt", "vmsle", "vmsgt", "vmsge", "vmfeq", "vmfne", "vmflt", "vmfle", "vmfgt", "vmfge",
            "vmadc", "vmsbc",
        ],
        "compares, into a mask",
        "result after 2 cycles, one register of a group begins each cycle, on VEXQ0",
        figures(2, 1, &[each(V0)]),
    ),
    of(
        &["vmand", "vmor", "vmxor", "vmnand", "vmnor", "vmxnor", "vmnot", "vmmv", "vmset", "vmclr"],
        "joins masks, or makes one",
        "result after 2 cycles, one begins each cycle, on VEXQ0",
        figures(2, 1, &[once(V0)]),
    ),
    of(
        &["vmsbf", "vmsif", "vmsof"],
        "cuts a mask off at its first lane",
        "result after 2 cycles, one begins each cycle, on VEXQ0",
        figures(2, 1, &[once(V0)]),
    ),
    of(
        &["vcpop.m", "vfirst"],
        "counts the lanes of a mask, or finds the first",
        "result after 2 cycles, one begins every 2 cycles, on VEXQ0",
        figures(2, 1, &[times(2, V0)]),
    ),
    of(
        &["viota"],
        "counts the lanes of a mask in front of each lane",
        "result after 2 cycles, one register of a group begins each cycle, on VEXQ0",
        figures(2, 1, &[each(V0)]),
    ),
    of(
        &["vid"],
        "puts the number of each lane into it",
        "result after 1 cycle, 2 registers of a group begin each cycle, on VEXQ0 VEXQ1",
        figures(1, 1, &[each(V)]),
    ),
    of(
        &["vmerge", "vmv.v"],
        "chooses by a mask, or copies a vector or one value into all lanes",
        "result after 2 cycles, 2 registers of a group begin each cycle, on VEXQ0 VEXQ1",
        figures(2, 1, &[each(V)]),
    ),
    of(
        &["vfmerge", "vfmv.v", "vfclass"],
        "chooses by a mask, or puts one float into all lanes",
        "result after 2 cycles, one begins each cycle, on VEXQ0 VEXQ1",
        figures(2, 1, &[each_or_two(V)]),
    ),
    of(
        &["vmv.x.s", "vmv.s.x", "vfmv.f.s", "vfmv.s.f"],
        "moves one value between the first lane and another register",
        "result after 2 cycles, one begins each cycle, on VEXQ0 VEXQ1",
        figures(2, 1, &[times(2, V)]),
    ),
    of(
        &["vfadd", "vfsub", "vfrsub", "vfwadd", "vfwsub"],
        "adds or subtracts floats",
        "result after 6 cycles, 2 registers of a group begin each cycle, on VEXQ0 VEXQ1",
        figures(6, 1, &[each(V)]),
    ),
    of(
        &["vfmul", "vfwmul"],
        "multiplies floats",
        "result after 6 cycles, 2 registers of a group begin each cycle, on VEXQ0 VEXQ1",
        figures(6, 1, &[each(V)]),
    ),
    of(
        &[
            "vfmacc", "vfmadd", "vfmsac", "vfmsub", "vfnmacc", "vfnmadd", "vfnmsac", "vfnmsub", "vfwmacc", "vfwmsac",
            "vfwnmacc", "vfwnmsac",
        ],
        "multiplies and adds with one rounding",
        "result after 6 cycles, 2 registers of a group begin each cycle, on VEXQ0 VEXQ1",
        figures(6, 1, &[each(V)]),
    ),
    of(
        &["vfmin", "vfmax", "vfsgnj", "vfneg", "vfabs", "vfrec7", "vfrsqrt7"],
        "takes the smaller or larger ones, changes signs, or approximates reciprocals",
        "result after 2 cycles, 2 registers of a group begin each cycle, on VEXQ0 VEXQ1",
        figures(2, 1, &[each(V)]),
    ),
    of(
        &["vfdiv", "vfrdiv"],
        "divides floats",
        "result after 25 cycles for each register of 4-byte floats, and 37 of 8-byte ones, on VEXQ1 and VFDIV",
        figures(25, 1, &[each(V1), by_width(VFDIV, [25, 50, 100])]),
    ),
    of(
        &["vfsqrt"],
        "takes square roots",
        "result after 25 cycles for each register of 4-byte floats, and 37 of 8-byte ones, on VEXQ1 and VFDIV",
        figures(25, 1, &[each(V1), by_width(VFDIV, [25, 50, 100])]),
    ),
    of(
        &["vfcvt", "vfncvt"],
        "converts",
        "result after 3 cycles, one begins each cycle, on VEXQ0 VEXQ1",
        figures(3, 1, &[each_or_two(V)]),
    ),
    of(
        &["vfncvt.x", "vfncvt.rtz", "vfwcvt.f.x"],
        "converts to elements of another width",
        "result after 3 cycles, 2 registers of a group begin each cycle, on VEXQ0 VEXQ1",
        figures(3, 1, &[each(V)]),
    ),
    of(
        &["vfwcvt"],
        "converts to wider elements",
        "result after 6 cycles, 2 registers of a group begin each cycle, on VEXQ0 VEXQ1",
        figures(6, 1, &[each(V)]),
    ),
    of(
        &["vred", "vwred"],
        "joins the lanes of a vector of integers",
        "result after 2 cycles, 4 and more of groups, and up to 16 where it compares, on VEXQ1",
        figures(2, 1, &[each(V1)]),
    ),
    of(
        &["vfred", "vfwred"],
        "joins the lanes of a vector of floats",
        "result after 10 cycles, 16 and more of groups, on VEXQ1, which it keeps busy for 10",
        figures(10, 1, &[times(10, V1)]),
    ),
    of(
        &["vfredosum", "vfwredosum"],
        "adds the lanes of a vector of floats in order",
        "result after 10 cycles for each register of a group, on VEXQ1, which it keeps busy as long",
        figures(10, 1, &[by_width(V1, [10, 20, 40])]),
    ),
    of(
        &["vslide", "vfslide"],
        "moves elements up or down",
        "result after 2 cycles, and up to 20 of groups, on VEXQ0, by a register on VEXQ1",
        figures(2, 1, &[each(V0)]),
    ),
    of(
        &["vrgather", "vcompress"],
        "moves elements to other lanes",
        "result after 3 cycles, or 6 of groups, which keep VEXQ1 busy for 12 and more",
        figures(3, 1, &[each(V1)]),
    ),
];

/// Instructions on one integer or float, and branches.
pub(super) const SCALARS: &[InstructionRow] = &[
    of(
        &["add", "sub", "neg", "addw", "sh1add", "sh2add", "sh3add"],
        "adds or subtracts",
        "result after 1 cycle, 4 begin each cycle",
        figures(1, 1, &[once(X)]),
    ),
    of(
        &["and", "or", "xor", "xnor", "not", "orc", "rev8", "clz", "ctz", "bset", "bclr", "bext", "binv"],
        "joins bits, counts or turns them",
        "result after 1 cycle, 4 begin each cycle",
        figures(1, 1, &[once(X)]),
    ),
    of(
        &["sll", "srl", "sra", "rol", "ror", "sext", "zext"],
        "shifts bits, or makes an integer wider",
        "result after 1 cycle, 4 begin each cycle",
        figures(1, 1, &[once(X)]),
    ),
    of(
        &["slt", "seqz", "snez", "sltz", "sgtz", "sgt", "min", "max"],
        "compares, into an integer, or takes the smaller or larger one",
        "result after 1 cycle, 4 begin each cycle",
        figures(1, 1, &[once(X)]),
    ),
    of(
        &["mv", "li", "lui", "la", "lla", "auipc"],
        "puts a number or an address into a register",
        "result after 1 cycle, 4 begin each cycle",
        figures(1, 1, &[once(X)]),
    ),
    of(&["czero"], "makes zero by a condition", "result after 1 cycle, 4 begin each cycle", figures(1, 1, &[once(X)])),
    of(
        &["mul", "cpop"],
        "multiplies, or counts bits",
        "result after 2 cycles, one begins each cycle, on IEXQ1",
        figures(2, 1, &[once(X1)]),
    ),
    of(
        &["div", "rem"],
        "divides 8-byte integers",
        "result after 35 cycles, on IEXQ1 and DIV, which it keeps busy for 34",
        figures(35, 1, &[once(X1), times(34, DIV)]),
    ),
    of(
        &["divw", "divuw", "remw", "remuw"],
        "divides 4-byte integers",
        "result after 20 cycles, on IEXQ1 and DIV, which it keeps busy for 19",
        figures(20, 1, &[once(X1), times(19, DIV)]),
    ),
    of(
        &["beq", "bne", "blt", "bge", "bgt", "ble"],
        "goes on at a label where a comparison holds",
        "2 begin each cycle; a wrong guess costs 9 cycles or more",
        figures(0, 1, &[once(X23)]),
    ),
    of(&["j", "jr"], "goes on at a label", "2 begin each cycle", figures(0, 1, &[once(X23)])),
    of(&["jal", "jalr", "call"], "calls a function", "", figures(0, 1, &[once(X23)])),
    of(&["ret", "tail"], "goes back to the caller, or on to another function", "", figures(0, 1, &[once(X23)])),
    of(
        &["csr", "rdcycle", "fence", "fsrm", "frrm", "fscsr", "frcsr", "fsflags", "frflags"],
        "reads or sets a register of the system, such as the size of vectors or how floats round",
        "result after 1 cycle, one begins each cycle, on IEXQ0",
        figures(1, 1, &[once(X0)]),
    ),
    of(
        &["lb", "lh", "lw", "ld"],
        "loads an integer",
        "result after 4 cycles, 2 begin each cycle, on LDST0 LDST1",
        figures(4, 1, &[once(LS)]),
    ),
    of(
        &["flh", "flw", "fld"],
        "loads a float",
        "result after 5 cycles, 2 begin each cycle, on LDST0 LDST1",
        figures(5, 1, &[once(LS)]),
    ),
    of(
        &["sb", "sh", "sw", "sd", "fsh", "fsw", "fsd"],
        "stores an integer or a float",
        "2 begin each cycle, on LDST0 LDST1",
        figures(0, 1, &[once(LS)]),
    ),
    of(
        &["amo", "lr.", "sc."],
        "changes memory in one step, whatever others do there",
        "2 begin each cycle, on LDST0 LDST1, as far as nothing else is there",
        figures(4, 1, &[once(LS)]),
    ),
    of(
        &["fadd", "fsub", "fmin", "fmax", "fsgnj", "fneg", "fabs", "fmv.s", "fmv.d"],
        "adds or subtracts floats, takes the smaller or larger one, or changes signs",
        "result after 2 cycles, 2 begin each cycle, on FEXQ0 FEXQ1",
        figures(2, 1, &[once(F)]),
    ),
    of(
        &["fmul"],
        "multiplies floats",
        "result after 3 cycles, 2 begin each cycle, on FEXQ0 FEXQ1",
        figures(3, 1, &[once(F)]),
    ),
    of(
        &["fmadd", "fmsub", "fnmadd", "fnmsub"],
        "multiplies and adds with one rounding",
        "result after 4 cycles, 2 begin each cycle, on FEXQ0 FEXQ1",
        figures(4, 1, &[once(F)]),
    ),
    of(
        &["fdiv.s"],
        "divides 4-byte floats",
        "result after 6 cycles, on FEXQ1 and FDIV, which it keeps busy as long",
        figures(6, 1, &[once(F1), times(6, FDIV)]),
    ),
    of(
        &["fdiv.d"],
        "divides 8-byte floats",
        "result after 11 cycles, on FEXQ1 and FDIV, which it keeps busy as long",
        figures(11, 1, &[once(F1), times(11, FDIV)]),
    ),
    of(
        &["fsqrt.s"],
        "takes the square root of a 4-byte float",
        "result after 18 cycles, on FEXQ1 and FDIV, which it keeps busy for 17",
        figures(18, 1, &[once(F1), times(17, FDIV)]),
    ),
    of(
        &["fsqrt.d"],
        "takes the square root of an 8-byte float",
        "result after 33 cycles, on FEXQ1 and FDIV, which it keeps busy for 32",
        figures(33, 1, &[once(F1), times(32, FDIV)]),
    ),
    of(
        &["fcvt.s.d", "fcvt.d.s", "fcvt.h", "fcvt.s.h", "fcvt.d.h"],
        "converts between floats",
        "result after 2 cycles, 2 begin each cycle, on FEXQ0 FEXQ1",
        figures(2, 1, &[once(F)]),
    ),
    of(
        &["fcvt.s.w", "fcvt.s.l", "fcvt.d.w", "fcvt.d.l", "fmv.w.x", "fmv.d.x"],
        "takes an integer to a float's register",
        "result after 2 cycles, one begins each cycle, on IEXQ1",
        figures(2, 1, &[once(X1)]),
    ),
    of(
        &["fcvt.w", "fcvt.l", "feq", "flt", "fle", "fgt", "fge", "fclass", "fmv.x"],
        "takes a float to an integer, or compares floats into one",
        "result after 2 cycles, one begins each cycle, on FEXQ0",
        figures(2, 1, &[once(F0)]),
    ),
    of(&["nop"], "does nothing", "", figures(0, 1, &[])),
];
