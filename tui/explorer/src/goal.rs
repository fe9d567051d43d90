//! Compile targets of kernels, and the notations of machine code.

use driver::machine_code::MachineForm;
use native::host;
use native::protocol::Spec;
use queries::stages::Options;
use queries::stages::target::Target;

/// The target that a kernel is compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Goal {
    /// Target and lanes, as the passes receive them.
    pub options: Options,
    /// True if the target is this very machine; machine code is then tuned to its processor.
    pub tuned: bool,
}

impl Goal {
    /// Returns the goal for this machine, with as many lanes as fill its registers.
    pub fn native() -> Goal {
        Goal { options: Options { target: host::row(), lanes: None }, tuned: true }
    }

    /// Returns the target's name, with the lanes if they are set: `avx2`, `native x16`.
    pub fn label(self) -> String {
        let target = if self.tuned { "native" } else { self.options.target.name };
        self.options.lanes.map_or(target.to_owned(), |lanes| format!("{target} x{lanes}"))
    }

    /// Returns the target description for LLVM; `host` describes this machine.
    pub fn machine(self, host: &Spec) -> Target {
        let row = self.options.target.clone();
        if !self.tuned {
            return row;
        }
        let Spec { triple, cpu, features, .. } = host.clone();
        Target { triple: triple.into(), cpu: cpu.into(), features: features.into(), ..row }
    }
}

/// The notations of machine code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Writing {
    /// Assembly, on x86 in AT&T syntax, sources first.
    #[default]
    Att,
    /// Assembly, on x86 in Intel syntax, destination first.
    Intel,
    /// LLVM IR after LLVM's optimisations.
    LlvmOpt,
    /// LLVM IR as printed from the last stage.
    Llvm,
}

impl Writing {
    /// All notations, in the order they are offered.
    pub const ALL: [Writing; 4] = [Writing::Att, Writing::Intel, Writing::LlvmOpt, Writing::Llvm];

    /// The notations that the stages of `lower` end with, in their order.
    pub const BEHIND: [Writing; 3] = [Writing::Llvm, Writing::LlvmOpt, Writing::Att];

    /// Returns the form of the program that this is a notation of.
    pub fn form(self) -> MachineForm {
        match self {
            Writing::Att | Writing::Intel => MachineForm::Asm,
            Writing::LlvmOpt => MachineForm::LlvmOpt,
            Writing::Llvm => MachineForm::Llvm,
        }
    }

    /// Returns the name of the corresponding stage.
    pub fn stage(self) -> &'static str {
        self.form().stage().name
    }

    /// Returns the display name, as the picker of the explorer shows it.
    pub fn name(self) -> &'static str {
        match self {
            Writing::Att => "AT&T",
            Writing::Intel => "Intel",
            Writing::LlvmOpt | Writing::Llvm => self.stage(),
        }
    }

    /// Returns a short explanation for the picker.
    pub fn description(self) -> &'static str {
        match self {
            Writing::Att => "assembly; on x86 as AT&T wrote it, the destination last",
            Writing::Intel => "assembly; on x86 as Intel writes it, the destination first",
            Writing::LlvmOpt => self.form().stage().description,
            Writing::Llvm => "LLVM IR as it is made of the last stage",
        }
    }
}
