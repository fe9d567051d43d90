//! Lane IR: what a kernel is once names, types and surface syntax are behind it.
//!
//! This room is for the IR itself (entities, text form, verifier), the targets as data, the facts about a kernel
//! (uniformity, access, dependence), the decisions they lead to, the passes, and the interpreter: plain functions over
//! plain data. It is empty so far.
//!
//! It knows nothing of salsa, rowan, `syntax`, LLVM, files or threads.
