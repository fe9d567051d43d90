//! What a kernel means: names, types, the lowering to Lane IR, and what an editor or explorer asks of all that, each
//! worked out once and again only when its own text changes. It is empty so far.
//!
//! This room knows nothing of LLVM, language server types, terminals or files, and has no threads of its own.
