//! Programs: functions, globals, blocks.

use crate::op::GangOp;
use crate::types::GangType;

/// A register of a function: set once in each run of its op.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GangReg(pub u32);

/// A global variable's number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GlobalId(pub u32);

/// The number of a function's local variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SlotId(pub u32);

/// The number of what jumps lead to, in its function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct JumpId(pub u32);

/// A place in the source: the number of the file, and the bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct TextPlace {
    /// The file.
    pub file: u16,
    /// The first byte.
    pub start: u32,
    /// Behind the last byte.
    pub end: u32,
}

/// The function that a call means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CallTarget {
    /// This one.
    Known(usize),
    /// The one at an address, or at each lane's address; the types that it gives.
    Address(GangReg, Vec<GangType>),
}

/// An op with what it sets.
#[derive(Clone, PartialEq, Debug)]
pub struct GangInst {
    /// The registers that it sets.
    pub results: Vec<GangReg>,
    /// The op.
    pub op: GangOp,
    /// Where it stands.
    pub place: TextPlace,
}

/// Ops that run one behind the other.
pub type GangBlock = Vec<GangInst>;

/// The programs that know a stretch of memory by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MemorySharing {
    /// This one alone.
    #[default]
    Own,
    /// This one has it, and others use it.
    Given,
    /// Another one has it.
    Taken,
}

/// A stretch of memory that a function or program has by name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedMemory {
    /// The name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// The programs that know it.
    pub sharing: MemorySharing,
}

/// A variable of the source, for who looks at a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GangVariable {
    /// The register with its address, or each lane's.
    pub address: GangReg,
    /// Where it is declared.
    pub declared: TextPlace,
    /// The statement within which it is known.
    pub scope: TextPlace,
    /// Its numbers; of a large one the first.
    pub numbers: Vec<VariableNumber>,
}

/// A number of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VariableNumber {
    /// How it is written: `x`, `ray.dir[1]`.
    pub name: String,
    /// Its distance from the variable's address, in bytes.
    pub offset: u64,
    /// Its type; a varying one has the numbers of all lanes side by side.
    pub ty: GangType,
}

/// A function.
#[derive(Clone, PartialEq, Debug)]
pub struct GangFunction {
    /// The name.
    pub name: String,
    /// The registers that calls set.
    pub params: Vec<GangReg>,
    /// The types that it gives.
    pub gives: Vec<GangType>,
    /// The types of all registers.
    pub regs: Vec<GangType>,
    /// The local variables.
    pub slots: Vec<NamedMemory>,
    /// The names that these and others have in the source.
    pub variables: Vec<GangVariable>,
    /// The number of [`JumpId`]s.
    pub n_jumps: u32,
    /// The ops.
    pub body: GangBlock,
    /// True for a function without a body, which another program has.
    pub is_external: bool,
    /// True for a function that C has, and that is called as C does.
    pub is_of_c: bool,
    /// The name by which ISPC functions of other files know it, or by which it is known if another file has it.
    pub symbol: Option<String>,
}

/// A program.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct GangModule {
    /// The number of lanes.
    pub lanes: u32,
    /// The functions.
    pub functions: Vec<GangFunction>,
    /// The globals.
    pub globals: Vec<NamedMemory>,
    /// The function that gives globals their first values, if there is one.
    pub start: Option<usize>,
}

impl GangModule {
    /// The function of a name.
    pub fn function(&self, name: &str) -> Option<usize> {
        self.functions.iter().position(|function| function.name == name && !function.is_external)
    }
}
