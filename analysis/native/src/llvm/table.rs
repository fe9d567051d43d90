//! The C functions of LLVM that are used, each with its type, looked up once in the library.
//!
//! The library is opened when the program runs, so that nothing has to be installed to build it. This is the one place
//! where its functions' types are written down; calls are made by `machine` and `jit`, which own what LLVM hands out.
#![allow(unsafe_code, reason = "functions of a C library are looked up by name and called")]

use std::error::Error as _;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::path::{Path, PathBuf};

use libloading::Library;

/// An object that LLVM owns or hands out.
pub(crate) type Handle = *mut c_void;
/// A text that LLVM hands out.
pub(crate) type Text = *mut c_char;
/// An error of newer functions; null is none.
pub(crate) type ErrorRef = *mut c_void;

/// The reason why a library cannot be used.
#[derive(Debug)]
pub(crate) enum Problem {
    /// The library cannot be opened.
    CannotOpen(String),
    /// The library is an LLVM from before it could be asked for its version.
    IsOlder,
    /// A function is not in it.
    Lacks(&'static str),
}

/// The system's reason why a library does not open, without the path before it.
fn why_not_opened(path: &Path, error: &libloading::Error) -> String {
    let why = error.source().map_or_else(|| error.to_string(), |source| source.to_string());
    why.strip_prefix(&format!("{}: ", path.display())).unwrap_or(&why).to_owned()
}

/// Defines the table: a field for each function, filled by its name.
macro_rules! functions {
    ($($field:ident = $name:literal: fn($($arg:ty),*) $(-> $result:ty)?;)*) => {
        /// An LLVM that is open. It stays open as long as the process lives.
        pub struct Llvm {
            path: PathBuf,
            $(pub(crate) $field: unsafe extern "C" fn($($arg),*) $(-> $result)?,)*
            initializers: Vec<unsafe extern "C" fn()>,
            _library: Library,
        }

        impl Llvm {
            /// Opens a library and looks every function up.
            pub(crate) fn open(path: &Path) -> Result<Llvm, Problem> {
                // SAFETY: opening runs the library's own start-up code, which for LLVM sets up its own tables only.
                let library = unsafe { Library::new(path) };
                let library = library.map_err(|error| Problem::CannotOpen(why_not_opened(path, &error)))?;
                let has = |name: &[u8]| {
                    // SAFETY: it is looked up, and not called.
                    unsafe { library.get::<unsafe extern "C" fn()>(name) }.is_ok()
                };
                if has(b"LLVMContextCreate\0") && !has(b"LLVMGetVersion\0") {
                    return Err(Problem::IsOlder);
                }
                $(
                    // SAFETY: the type is that of LLVM's C header for the function of that name.
                    let $field = unsafe {
                        *library
                            .get::<unsafe extern "C" fn($($arg),*) $(-> $result)?>(concat!($name, "\0").as_bytes())
                            .map_err(|_| Problem::Lacks($name))?
                    };
                )*
                let initializers = initializers(&library);
                let llvm = Llvm { path: path.to_owned(), $($field,)* initializers, _library: library };
                llvm.initialize();
                Ok(llvm)
            }
        }
    };
}

functions! {
    get_version = "LLVMGetVersion": fn(*mut c_uint, *mut c_uint, *mut c_uint);
    dispose_message = "LLVMDisposeMessage": fn(Text);
    get_error_message = "LLVMGetErrorMessage": fn(ErrorRef) -> Text;
    dispose_error_message = "LLVMDisposeErrorMessage": fn(Text);
    default_triple = "LLVMGetDefaultTargetTriple": fn() -> Text;
    host_cpu = "LLVMGetHostCPUName": fn() -> Text;
    host_features = "LLVMGetHostCPUFeatures": fn() -> Text;
    parse_options = "LLVMParseCommandLineOptions": fn(c_int, *const *const c_char, *const c_char);

    context_create = "LLVMContextCreate": fn() -> Handle;
    context_dispose = "LLVMContextDispose": fn(Handle);
    buffer_copy = "LLVMCreateMemoryBufferWithMemoryRangeCopy": fn(*const c_char, usize, *const c_char) -> Handle;
    buffer_start = "LLVMGetBufferStart": fn(Handle) -> *const c_char;
    buffer_size = "LLVMGetBufferSize": fn(Handle) -> usize;
    buffer_dispose = "LLVMDisposeMemoryBuffer": fn(Handle);
    parse_ir = "LLVMParseIRInContext": fn(Handle, Handle, *mut Handle, *mut Text) -> c_int;
    module_dispose = "LLVMDisposeModule": fn(Handle);
    module_print = "LLVMPrintModuleToString": fn(Handle) -> Text;
    module_set_triple = "LLVMSetTarget": fn(Handle, *const c_char);
    module_set_layout = "LLVMSetModuleDataLayout": fn(Handle, Handle);
    module_verify = "LLVMVerifyModule": fn(Handle, c_int, *mut Text) -> c_int;

    target_from_triple = "LLVMGetTargetFromTriple": fn(*const c_char, *mut Handle, *mut Text) -> c_int;
    machine_create = "LLVMCreateTargetMachine":
        fn(Handle, *const c_char, *const c_char, *const c_char, c_int, c_int, c_int) -> Handle;
    machine_dispose = "LLVMDisposeTargetMachine": fn(Handle);
    machine_layout = "LLVMCreateTargetDataLayout": fn(Handle) -> Handle;
    layout_dispose = "LLVMDisposeTargetData": fn(Handle);
    machine_emit = "LLVMTargetMachineEmitToMemoryBuffer":
        fn(Handle, Handle, c_int, *mut Text, *mut Handle) -> c_int;

    options_create = "LLVMCreatePassBuilderOptions": fn() -> Handle;
    options_dispose = "LLVMDisposePassBuilderOptions": fn(Handle);
    run_passes = "LLVMRunPasses": fn(Handle, *const c_char, Handle, Handle) -> ErrorRef;

    jit_create = "LLVMOrcCreateLLJIT": fn(*mut Handle, Handle) -> ErrorRef;
    jit_dispose = "LLVMOrcDisposeLLJIT": fn(Handle) -> ErrorRef;
    jit_library = "LLVMOrcLLJITGetMainJITDylib": fn(Handle) -> Handle;
    jit_prefix = "LLVMOrcLLJITGetGlobalPrefix": fn(Handle) -> c_char;
    jit_add_object = "LLVMOrcLLJITAddObjectFile": fn(Handle, Handle, Handle) -> ErrorRef;
    jit_lookup = "LLVMOrcLLJITLookup": fn(Handle, *mut u64, *const c_char) -> ErrorRef;
    process_symbols = "LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess":
        fn(*mut Handle, c_char, *mut c_void, *mut c_void) -> ErrorRef;
    library_add_generator = "LLVMOrcJITDylibAddGenerator": fn(Handle, Handle);
}

// SAFETY: the functions may be called from any thread; what they hand out is owned by one thread at a time.
unsafe impl Send for Llvm {}
// SAFETY: as above; nothing here changes once the library is open.
unsafe impl Sync for Llvm {}

/// The families that code is made for; a library may be built without some of them.
const FAMILIES: &[&str] = &["X86", "AArch64", "RISCV", "WebAssembly"];

/// The initialisers that make a family's code generator known, in the order that LLVM prescribes.
const PARTS: &[&str] = &["TargetInfo", "Target", "TargetMC", "AsmPrinter", "AsmParser"];

fn initializers(library: &Library) -> Vec<unsafe extern "C" fn()> {
    let names =
        FAMILIES.iter().flat_map(|family| PARTS.iter().map(move |part| format!("LLVMInitialize{family}{part}\0")));
    // SAFETY: LLVM's initializers take and give nothing.
    names.filter_map(|name| unsafe { library.get(name.as_bytes()).ok().map(|function| *function) }).collect()
}

impl Llvm {
    fn initialize(&self) {
        // SAFETY: these only fill LLVM's tables of targets.
        self.initializers.iter().for_each(|initialize| unsafe { initialize() });
    }

    /// Returns the path of the library's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the version: major, minor, patch.
    pub fn version(&self) -> (u32, u32, u32) {
        let (mut major, mut minor, mut patch) = (0, 0, 0);
        // SAFETY: three places to write to.
        unsafe { (self.get_version)(&mut major, &mut minor, &mut patch) };
        (major, minor, patch)
    }

    /// The triple, processor and features of this machine.
    pub(crate) fn host(&self) -> [String; 3] {
        // SAFETY: each hands out a text that is ours.
        let texts = unsafe { [(self.default_triple)(), (self.host_cpu)(), (self.host_features)()] };
        texts.map(|text| self.take_text(text))
    }

    /// Writes x86 assembly as Intel does from now on. LLVM takes this option once in the life of a process.
    pub fn write_as_intel(&self) {
        static ONCE: std::sync::Once = std::sync::Once::new();
        let words = [c"lanescope".as_ptr(), c"--x86-asm-syntax=intel".as_ptr()];
        // SAFETY: two texts that live as long as the program, which the call reads.
        ONCE.call_once(|| unsafe { (self.parse_options)(2, words.as_ptr(), std::ptr::null()) });
    }

    /// Copies a text that LLVM handed out, and gives it back.
    pub(crate) fn take_text(&self, text: Text) -> String {
        if text.is_null() {
            return String::new();
        }
        // SAFETY: LLVM's texts end in a zero, and are ours until we give them back.
        unsafe {
            let copy = std::ffi::CStr::from_ptr(text).to_string_lossy().into_owned();
            (self.dispose_message)(text);
            copy
        }
    }

    /// The error's words, if it is one.
    pub(crate) fn check(&self, error: ErrorRef) -> Result<(), String> {
        if error.is_null() {
            return Ok(());
        }
        // SAFETY: a non-null error is ours; asking for its message consumes it.
        unsafe {
            let text = (self.get_error_message)(error);
            let copy = std::ffi::CStr::from_ptr(text).to_string_lossy().into_owned();
            (self.dispose_error_message)(text);
            Err(copy)
        }
    }
}

impl std::fmt::Debug for Llvm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LLVM {:?} at {}", self.version(), self.path.display())
    }
}
