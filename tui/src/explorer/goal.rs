//! What a kernel is made for, and how its machine code is written down.

use analysis::stages::Options;
use analysis::stages::target::Target;
use native::host;
use native::protocol::Spec;

use crate::machine_code::MachineForm;

/// What a kernel is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Goal {
    /// Target and lanes, as the passes are told.
    pub options: Options,
    /// Whether the target is this very machine: machine code is made for its own processor then.
    pub tuned: bool,
}

impl Goal {
    /// This machine, with as many lanes as fill its registers.
    pub fn native() -> Goal {
        Goal { options: Options { target: host::row(), lanes: None }, tuned: true }
    }

    /// The target's name, and the lanes where they are said: `avx2`, `native x16`.
    pub fn label(self) -> String {
        let target = if self.tuned { "native" } else { self.options.target.name };
        self.options.lanes.map_or(target.to_owned(), |lanes| format!("{target} x{lanes}"))
    }

    /// What machine code is made for, on a machine of which is known what it is.
    pub fn machine(self, host: &Spec) -> Target {
        let row = self.options.target.clone();
        if !self.tuned {
            return row;
        }
        let Spec { triple, cpu, features } = host.clone();
        Target { triple: triple.into(), cpu: cpu.into(), features: features.into(), ..row }
    }
}

/// How machine code is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Writing {
    /// Assembly; on x86 as AT&T wrote it, sources first.
    #[default]
    Att,
    /// Assembly; on x86 as Intel writes it, destination first.
    Intel,
    /// LLVM IR as LLVM has optimised it.
    LlvmOpt,
    /// LLVM IR as it is made of the last stage.
    Llvm,
}

impl Writing {
    /// All of them, in the order they are offered.
    pub const ALL: [Writing; 4] = [Writing::Att, Writing::Intel, Writing::LlvmOpt, Writing::Llvm];

    /// Those that the stages of `lower` end with, in their order.
    pub const BEHIND: [Writing; 3] = [Writing::Llvm, Writing::LlvmOpt, Writing::Att];

    /// The form of the program that it writes.
    pub fn form(self) -> MachineForm {
        match self {
            Writing::Att | Writing::Intel => MachineForm::Asm,
            Writing::LlvmOpt => MachineForm::LlvmOpt,
            Writing::Llvm => MachineForm::Llvm,
        }
    }

    /// The name of the stage that it is.
    pub fn stage(self) -> &'static str {
        self.form().stage().name
    }

    /// The name that the explorer offers it under.
    pub fn name(self) -> &'static str {
        match self {
            Writing::Att => "AT&T",
            Writing::Intel => "Intel",
            Writing::LlvmOpt | Writing::Llvm => self.stage(),
        }
    }

    /// What one sees.
    pub fn description(self) -> &'static str {
        match self {
            Writing::Att => "assembly; on x86 as AT&T wrote it, the destination last",
            Writing::Intel => "assembly; on x86 as Intel writes it, the destination first",
            Writing::LlvmOpt => self.form().stage().description,
            Writing::Llvm => "LLVM IR as it is made of the last stage",
        }
    }
}
