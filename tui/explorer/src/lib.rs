//! The explorer: a full-screen view of a kernel, of its code after each pass, and of the reasons behind it.
//!
//! Modules in reading order:
//!
//! - `keys`, [`actions`]: keys by name, and the table of user actions
//! - `glyphs`, `buffer`: text as terminal cells, and the editable text of a file
//! - [`page`], `page_view`: the content of a pane, and the cursor and scroll position on it
//! - [`layout`]: the arrangement of the panes at any screen size
//! - [`goal`]: compile targets, and the notations of machine code
//! - `surfaces`: the answers about a file, by the language that it is in
//! - [`questions`], `answers`, [`comparing`], [`worker`]: requests to the analysis, which runs on a thread of its own
//! - `why`: the facts known about a source position, and the loops that enclose it
//! - `running`: runs of kernels
//! - [`lanes`]: the run that is stepped through, lane by lane
//! - [`pictures`]: iteration spaces, statement graphs and arrays as pictures
//! - `sweeps`: kernels measured on many sizes, lanes and targets
//! - `variants`: kernels on other targets, with other lanes and attributes
//! - [`start`]: the page of who names no file
//! - [`lessons`]: programs with a task that is checked
//! - [`assembling`], `listing`: machine code, made by another process, as lines
//! - `picker`, `prompt`, [`overlay`], `help`: overlays drawn on top of the panes
//! - [`event`], [`state`]: events and effects, and the whole state of the explorer
//! - [`graphics`]: pictures as pixels, on terminals that have them
//! - [`theme`], [`colouring`]: colours and weights as data
//! - [`config`], [`session`]: the config file, and the state that is kept between runs
//! - `disk`: saving, and detecting changes that other programs make
//! - [`views`]: drawing the state
//! - [`editor`]: editors of the user's choice, and how they open a file at a place
//! - [`recording`]: what the terminal shows, in a file
//! - [`terminal`]: the modes, keys and signals of the real terminal
//! - [`main_loop`]: the loop that takes events, performs effects and draws frames
//!
//! Three rules hold throughout. The state knows no terminal, and the views alone know ratatui. Work that takes time
//! runs on another thread and comes back as an event. An answer that is out of date when it arrives is dropped.

pub mod actions;
mod answers;
pub mod assembling;
mod buffer;
pub mod colouring;
pub mod comparing;
pub mod config;
mod disk;
pub mod editor;
pub mod event;
mod glyphs;
pub mod goal;
pub mod graphics;
mod help;
mod keys;
pub mod lanes;
pub mod layout;
pub mod lessons;
mod listing;
pub mod main_loop;
pub mod overlay;
pub mod page;
mod page_view;
mod picker;
pub mod pictures;
mod prompt;
pub mod questions;
pub mod recording;
mod running;
pub mod session;
pub mod start;
pub mod state;
mod surfaces;
mod sweeps;
pub mod terminal;
pub mod theme;
mod variants;
pub mod views;
mod why;
pub mod worker;
