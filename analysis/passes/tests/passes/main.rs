//! Passes keep what kernels compute, on kernels made at random and on those written for it.

mod dependence;
mod docs;
mod facts;
#[path = "../generator/mod.rs"]
mod generator;
mod groups;
#[path = "../holds/mod.rs"]
mod holds;
mod polling;
mod random;
mod text;
