//! A program that machine code is made of: a kernel of Lane, or a function of an ISPC file. Who shows machine code asks this alone.

use std::rc::Rc;
use std::sync::Arc;

use ispc::unit::{FileId, Unit};
use native::asm::Function;
use native::asm::hot::{Hot, hot_loops};
use native::emit::{self, Input, Source};
use queries::stages::Kernel;
use queries::stages::target::Target;

use crate::ispc_building::{CompiledPart, NoIspcModule, compiled};
use crate::ispc_lines::{ListedLines, hot_loops as hot_loops_of_unit, source_loops};

/// A program that machine code is made of.
pub trait MachineProgram: Send {
    /// LLVM IR for a machine, before LLVM's optimisations; else the reason why there is none, as the end of a sentence.
    fn ir(&self, machine: &Target) -> Result<ProgramIr, String>;
    /// The text that it comes from.
    fn text(&self) -> &str;
    /// The hot loops of a function of the machine code.
    fn hot_loops(&self, function: &Function) -> Vec<Hot>;
}

/// LLVM IR, and the lines of the source that its debug information names.
pub struct ProgramIr {
    /// The module.
    pub ir: String,
    /// For each number that it names, from 1, the line of the file itself; none where numbers are those lines.
    numbers: Option<Vec<Option<u32>>>,
}

impl ProgramIr {
    /// LLVM IR that names lines of the source as they are.
    pub fn of_lines(ir: String) -> ProgramIr {
        ProgramIr { ir, numbers: None }
    }

    /// The line of the source that a number in machine code stands for; none for one of a header.
    pub fn line(&self, number: u32) -> Option<u32> {
        match &self.numbers {
            None => Some(number),
            Some(lines) => lines.get(number.checked_sub(1)? as usize).copied().flatten(),
        }
    }
}

/// A kernel that all passes have been through.
pub struct KernelProgram {
    /// The kernel.
    pub kernel: Arc<Kernel>,
    /// The origin of the kernel in the source.
    pub source: Source,
}

impl MachineProgram for KernelProgram {
    fn ir(&self, machine: &Target) -> Result<ProgramIr, String> {
        let input = Input { kernel: &self.kernel, source: &self.source };
        let ir = emit::emit(&[input], machine, emit::ModuleOptions::default());
        ir.map(ProgramIr::of_lines).map_err(|refused| refused.to_string())
    }

    fn text(&self) -> &str {
        &self.source.text
    }

    fn hot_loops(&self, function: &Function) -> Vec<Hot> {
        match function.is_of(&self.kernel.name) {
            true => hot_loops(function, &self.kernel, &self.source),
            false => Vec::new(),
        }
    }
}

/// A function of an ISPC file, with what it calls there.
pub struct FunctionProgram {
    /// The file with its headers.
    pub unit: Arc<Unit>,
    /// The number of lanes.
    pub lanes: u32,
    /// The function's name.
    pub name: String,
}

impl MachineProgram for FunctionProgram {
    fn ir(&self, machine: &Target) -> Result<ProgramIr, String> {
        let lines = Rc::new(ListedLines::of(&self.unit));
        let module = compiled(&self.unit, self.lanes, machine, CompiledPart::Function(&self.name), None, lines.clone());
        let module = module.map_err(|why| match why {
            NoIspcModule::Problems(problems) => {
                problems.first().map_or_else(String::new, |problem| problem.message.clone())
            }
            NoIspcModule::Trouble(message) => message,
        })?;
        let own = lines.listed().into_iter().map(|line| (line.file == FileId::MAIN.0).then_some(line.line));
        Ok(ProgramIr { ir: module.ir, numbers: Some(own.collect()) })
    }

    fn text(&self) -> &str {
        self.unit.text(FileId::MAIN)
    }

    fn hot_loops(&self, function: &Function) -> Vec<Hot> {
        hot_loops_of_unit(function, &source_loops(&self.unit), self.lanes)
    }
}
