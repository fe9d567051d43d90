//! The language server: the protocol between an editor and `analysis`, and nothing else. It is empty so far.
//!
//! This room knows nothing of LLVM or terminals; what it shows of native code comes as plain data.
