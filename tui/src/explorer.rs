//! The explorer: a kernel, what becomes of it pass by pass, and why, on the whole screen.
//!
//! In reading order:
//!
//! - [`keys`], [`actions`]: keys by name, and what a person can do, as a table
//! - [`glyphs`], [`buffer`]: text in cells, and a text that is edited
//! - [`page`], [`page_view`]: what a pane shows, and where one is on it
//! - [`layout`]: where the panes are, at any size
//! - [`goal`]: what a kernel is made for, and how machine code is written
//! - [`questions`], [`answers`], [`worker`]: what is asked of the analysis, on a thread of its own
//! - [`why`]: what is known about a place, and the loops around it
//! - [`running`]: runs of kernels
//! - [`assembling`], [`listing`]: machine code, made by another process, as lines
//! - [`picker`], [`prompt`], [`overlay`], [`help`]: what lies over the panes
//! - [`event`], [`state`]: what happens, and all that is known
//! - [`theme`], [`colouring`]: how things look, as data
//! - [`config`], [`session`]: what is set by a file, and what is kept between runs
//! - [`disk`]: saving, and noticing what other programs save
//! - [`views`]: the state on the screen
//! - [`terminal`]: the real terminal's modes, keys and signals
//! - [`main_loop`]: events in, effects out, frames
//!
//! What holds throughout: the state knows no terminal, and the views alone know ratatui; whatever takes time happens on
//! another thread and comes back as an event; what is out of date when it comes is dropped.

pub mod actions;
pub mod answers;
pub mod assembling;
pub mod buffer;
pub mod colouring;
pub mod config;
pub mod disk;
pub mod event;
pub mod glyphs;
pub mod goal;
pub mod help;
pub mod keys;
pub mod layout;
pub mod listing;
pub mod main_loop;
pub mod overlay;
pub mod page;
pub mod page_view;
pub mod picker;
pub mod prompt;
pub mod questions;
pub mod running;
pub mod session;
pub mod state;
pub mod terminal;
pub mod theme;
pub mod views;
pub mod why;
pub mod worker;
