//! A module of LLVM IR and the machine it is for: parsed, optimised, printed, and turned into assembly or an object.
//!
//! Every handle is owned by one of the types here and given back when it goes.
#![allow(unsafe_code, reason = "LLVM's C functions are called with handles that the types here own")]

use std::ffi::{CString, c_int};
use std::ptr;

use super::table::{Handle, Llvm};
use crate::protocol::Spec;

/// The forms that machine code is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileType {
    /// Assembly, as text.
    Assembly,
    /// An object file.
    Object,
}

/// A module, the context it lives in, and the machine it is for.
pub(crate) struct Module<'l> {
    llvm: &'l Llvm,
    context: Handle,
    module: Handle,
    machine: Handle,
}

/// LLVM's numbers for what a target machine is asked to be.
const AGGRESSIVE: c_int = 3;
const POSITION_INDEPENDENT: c_int = 2;
/// Of WebAssembly, position-independent code is only for modules that are loaded beside a main one.
const STATIC: c_int = 1;
const DEFAULT_MODEL: c_int = 0;

/// The passes that are run, in order. LLVM's own selection would make vectors of scalar loops, and calls of loops that
/// look like a copy; here every lane in the code is one that Lanescope decided on.
const PASSES: &[&str] = &[
    "sroa",
    "early-cse<memssa>",
    // A loop is left where a condition says so, before conditions become choices: Lane IR has flags in place of jumps.
    "loop(loop-rotate)",
    "jump-threading",
    "simplifycfg",
    // Before addresses are taken apart: what an iteration loads of the one before stays in a register.
    "gvn",
    COMBINE,
    "loop-mssa(licm,loop-rotate,licm,simple-loop-unswitch)",
    "simplifycfg",
    COMBINE,
    "loop(indvars,loop-deletion)",
    "gvn",
    "constraint-elimination",
    "correlated-propagation",
    COMBINE,
    "dse",
    "loop-mssa(licm)",
    // What a round stores and the next one loads stays in a register, where `gvn` does not see that they are one cell.
    "loop-load-elim",
    "simplifycfg",
    "vector-combine",
    COMBINE,
    "loop-unroll<O2>",
    "sroa",
    "early-cse<memssa>",
    COMBINE,
    "loop-mssa(licm)",
    "adce",
    "simplifycfg",
    "div-rem-pairs",
];

/// Named by itself, this pass ends the process where one round of it leaves work for a second.
const COMBINE: &str = "instcombine<no-verify-fixpoint>";

impl<'l> Module<'l> {
    /// Reads a module for a machine.
    pub(crate) fn parse(llvm: &'l Llvm, text: &str, spec: &Spec) -> Result<Module<'l>, String> {
        let machine = machine(llvm, spec)?;
        // SAFETY: the context and the buffer are ours; parsing consumes the buffer, whatever comes of it.
        unsafe {
            let context = (llvm.context_create)();
            let mut module = Module { llvm, context, module: ptr::null_mut(), machine };
            let buffer = (llvm.buffer_copy)(text.as_ptr().cast(), text.len(), c"kernels".as_ptr());
            let mut message = ptr::null_mut();
            if (llvm.parse_ir)(context, buffer, &mut module.module, &mut message) != 0 {
                return Err(format!("LLVM does not read its IR: {}", llvm.take_text(message)));
            }
            let layout = (llvm.machine_layout)(machine);
            (llvm.module_set_layout)(module.module, layout);
            (llvm.layout_dispose)(layout);
            let triple = c_string(&spec.triple)?;
            (llvm.module_set_triple)(module.module, triple.as_ptr());
            module.verify()?;
            Ok(module)
        }
    }

    fn verify(&self) -> Result<(), String> {
        const RETURN_STATUS: c_int = 2;
        let mut message = ptr::null_mut();
        // SAFETY: the module is a whole one.
        let broken = unsafe { (self.llvm.module_verify)(self.module, RETURN_STATUS, &mut message) } != 0;
        let message = self.llvm.take_text(message);
        if broken { Err(format!("LLVM refuses its IR: {message}")) } else { Ok(()) }
    }

    /// Runs LLVM's optimisations on the module.
    pub(crate) fn optimise(&mut self) -> Result<(), String> {
        let llvm = self.llvm;
        let passes = c_string(&format!("always-inline,function({})", PASSES.join(",")))?;
        // SAFETY: the options are ours, and the module and machine are whole.
        unsafe {
            let options = (llvm.options_create)();
            let error = (llvm.run_passes)(self.module, passes.as_ptr(), self.machine, options);
            (llvm.options_dispose)(options);
            llvm.check(error)
        }
    }

    /// Returns the module as text.
    pub(crate) fn text(&self) -> String {
        // SAFETY: the module is a whole one.
        self.llvm.take_text(unsafe { (self.llvm.module_print)(self.module) })
    }

    /// Compiles the module to machine code.
    pub(crate) fn emit(&mut self, file_type: FileType) -> Result<Vec<u8>, String> {
        let llvm = self.llvm;
        let kind = match file_type {
            FileType::Assembly => 0,
            FileType::Object => 1,
        };
        let (mut message, mut buffer) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: places to write to; the buffer is ours if the call says so, and is copied before it goes.
        unsafe {
            if (llvm.machine_emit)(self.machine, self.module, kind, &mut message, &mut buffer) != 0 {
                return Err(format!("LLVM makes no code: {}", llvm.take_text(message)));
            }
            let start = (llvm.buffer_start)(buffer).cast::<u8>();
            let bytes = std::slice::from_raw_parts(start, (llvm.buffer_size)(buffer)).to_vec();
            (llvm.buffer_dispose)(buffer);
            Ok(bytes)
        }
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: all three are ours, and the module goes before its context.
        unsafe {
            if !self.module.is_null() {
                (self.llvm.module_dispose)(self.module);
            }
            (self.llvm.context_dispose)(self.context);
            (self.llvm.machine_dispose)(self.machine);
        }
    }
}

/// The machine of a target.
fn machine(llvm: &Llvm, spec: &Spec) -> Result<Handle, String> {
    let [triple, cpu, features] = [&spec.triple, &spec.cpu, &spec.features].map(|text| c_string(text));
    let (triple, cpu, features) = (triple?, cpu?, features?);
    let (mut target, mut message) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: texts that live through the calls, and places to write to.
    unsafe {
        if (llvm.target_from_triple)(triple.as_ptr(), &mut target, &mut message) != 0 {
            return Err(format!("this LLVM makes no code for {}: {}", spec.triple, llvm.take_text(message)));
        }
        let (triple, cpu, features) = (triple.as_ptr(), cpu.as_ptr(), features.as_ptr());
        let places = if spec.position_independent { POSITION_INDEPENDENT } else { STATIC };
        let machine = (llvm.machine_create)(target, triple, cpu, features, AGGRESSIVE, places, DEFAULT_MODEL);
        match machine.is_null() {
            true => Err(format!("this LLVM has no machine for {}", spec.triple)),
            false => Ok(machine),
        }
    }
}

pub(crate) fn c_string(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| format!("{text:?} has a zero in it"))
}
