//! Loading an object file into this process and finding its functions.
//!
//! The object loaded is the very one that `build` writes, so that what runs is what ships.
#![allow(unsafe_code, reason = "LLVM's C functions are called, and one hands out the address of code")]

use std::ptr;

use super::module::c_string;
use super::table::{Handle, Llvm};

/// Code in this process, as long as it lives.
pub(crate) struct Loaded<'l> {
    llvm: &'l Llvm,
    jit: Handle,
}

/// The signature of a kernel's entry for runs, which reads each argument from its slot, and writes the result behind them.
pub(crate) type Entry = unsafe extern "C" fn(*mut u64);

impl<'l> Loaded<'l> {
    /// Loads an object file for this machine.
    pub(crate) fn load(llvm: &'l Llvm, object: &[u8]) -> Result<Loaded<'l>, String> {
        let mut loaded = Loaded { llvm, jit: ptr::null_mut() };
        // SAFETY: a null builder asks for the defaults; the buffer is a copy, which adding consumes, as the library
        // does its generator.
        unsafe {
            llvm.check((llvm.jit_create)(&mut loaded.jit, ptr::null_mut()))?;
            let library = (llvm.jit_library)(loaded.jit);
            let mut symbols = ptr::null_mut();
            let prefix = (llvm.jit_prefix)(loaded.jit);
            llvm.check((llvm.process_symbols)(&mut symbols, prefix, ptr::null_mut(), ptr::null_mut()))?;
            (llvm.library_add_generator)(library, symbols);
            let buffer = (llvm.buffer_copy)(object.as_ptr().cast(), object.len(), c"kernels".as_ptr());
            llvm.check((llvm.jit_add_object)(loaded.jit, library, buffer))?;
        }
        Ok(loaded)
    }

    /// The entry of that name.
    pub(crate) fn entry(&self, name: &str) -> Result<Entry, String> {
        let name = c_string(name)?;
        let mut address = 0;
        // SAFETY: the name lives through the call, and the address is that of a function which `emit::entry` wrote
        // with this type.
        unsafe {
            self.llvm.check((self.llvm.jit_lookup)(self.jit, &mut address, name.as_ptr()))?;
            Ok(std::mem::transmute::<usize, Entry>(address as usize))
        }
    }
}

impl Drop for Loaded<'_> {
    fn drop(&mut self) {
        if !self.jit.is_null() {
            // SAFETY: it is ours; nothing of it is used any more. What goes wrong on the way out is of no use to know.
            let error = unsafe { (self.llvm.jit_dispose)(self.jit) };
            let _ = self.llvm.check(error);
        }
    }
}
