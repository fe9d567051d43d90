//! Pictures of a kernel: the iterations of a loop with their dependences and their order, its statements with what they need of each
//! other, and the arrays of a run.
//!
//! A [`Drawing`] is what there is to draw, as data of the analysis; a page is how it looks in a pane of some width, on a screen of some
//! colours. So a pane that changes its size asks nothing again.
//!
//! - `space`: iteration spaces
//! - `grid`: characters on a plane, from which lines of a page are made
//! - `statements`: statement graphs, and the packs of the loop
//! - [`arrays`]: plots, waveforms, heat maps and images
//! - `files`: pictures as SVG, panes as HTML

pub mod arrays;
pub(crate) mod files;
mod grid;
mod space;
mod statements;

use std::sync::Arc;

use ide::graph::{StatementGraph, statement_graphs};
use ide::iterations::{IterationSpace, iteration_space};
use queries::db::{Database, File};
use queries::stages::{Options, STAGES};
use report::{ItemKind, TextRange, TextSize};

use crate::answers::find;
use crate::page::{Line, Page, Role};
use crate::questions::{Version, Which};
use crate::running::arguments_of;
use crate::why::loop_headers;

/// The pictures that follow from the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PictureKind {
    /// The iterations of a loop, their dependences and their order.
    #[default]
    Iterations,
    /// The statements of a loop, and what they need of each other.
    Statements,
    /// The arrays of the last run.
    Arrays,
}

/// Request for a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureKey {
    /// Version of the text.
    pub of: Version,
    /// Kernel that the picture is of.
    pub item: Which,
    /// The picture.
    pub kind: PictureKind,
    /// Byte offset of the position whose loop is drawn.
    pub at: TextSize,
    /// Index of the stage whose order is drawn.
    pub stage: usize,
    /// Target and lanes that the stage is made for.
    pub options: Options,
    /// Data to run on, as name and typed text.
    pub arguments: Vec<(String, String)>,
}

/// The content of a picture.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Drawing {
    /// Nothing yet.
    #[default]
    Nothing,
    /// The reason why there is no picture.
    Absent(String),
    /// The iterations of a nest.
    Iterations(Arc<IterationSpace>),
    /// The statements of a loop, and lines about its packs.
    Statements(Arc<StatementGraph>, Arc<Vec<Line>>),
}

/// The way in which a screen shows shades of colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shades {
    /// Colours of their own for both halves of a cell.
    Colours,
    /// Blocks of some densities.
    #[default]
    Blocks,
    /// Characters of ASCII, by how dark they are.
    Ascii,
}

/// Computes a picture.
pub(crate) fn drawing(db: &Database, file: File, key: &PictureKey) -> Drawing {
    let Some(item) = find(db, file, &key.item).filter(|_| key.item.kind == ItemKind::Kernel) else {
        return Drawing::Absent(format!("{} is no kernel; put the cursor in one, or pick one with o", key.item.name));
    };
    let headers = loop_headers(db, file, key.at);
    let Some(header) = headers.first().copied() else {
        return Drawing::Absent("the cursor is in no loop; put it on one, or on a statement inside".to_owned());
    };
    match key.kind {
        PictureKind::Iterations => {
            let space = arguments_of(&key.arguments)
                .and_then(|arguments| iteration_space(db, item, header, &STAGES[key.stage], key.options, &arguments));
            space.map_or_else(Drawing::Absent, |space| Drawing::Iterations(Arc::new(space)))
        }
        PictureKind::Statements => {
            let graph = statement_graphs(db, item).into_iter().find(|graph| graph.header.start() == header);
            let absent = || Drawing::Absent("nothing is known of this loop: the kernel has errors".to_owned());
            let packs = |graph: &StatementGraph| statements::packs(db, item, graph, key.options);
            graph.map_or_else(absent, |graph| Drawing::Statements(Arc::new(graph.clone()), Arc::new(packs(&graph))))
        }
        PictureKind::Arrays => Drawing::Nothing,
    }
}

impl Drawing {
    /// Returns the page of a picture in a pane with so many columns of text.
    pub(crate) fn page(&self, text: &str, columns: usize) -> Page {
        match self {
            Drawing::Nothing => Page::notice("The picture is being made."),
            Drawing::Absent(why) => Page::notice(format!("No picture: {why}.")),
            Drawing::Iterations(space) => Page::prose(space::lines(space, text, columns)),
            Drawing::Statements(graph, packs) => Page::prose(statements::lines(graph, packs, text)),
        }
    }
}

/// A line that is shown as it is, and not broken at the edge of the pane.
pub(crate) fn whole(line: Line) -> Line {
    Line { is_whole: true, ..line }
}

/// The start of a line of the text, by its number from 0.
pub(crate) fn line_start(text: &str, line: u32) -> TextRange {
    let start = text.split_inclusive('\n').take(line as usize).map(str::len).sum::<usize>();
    let indent = text[start..].len() - text[start..].trim_start_matches([' ', '\t']).len();
    TextRange::empty(TextSize::new((start + indent) as u32))
}

/// The role of a kind of dependence.
pub(crate) fn role_of(kind: report::lanes::DependenceKind) -> Role {
    match kind {
        report::lanes::DependenceKind::Flow => Role::Note,
        report::lanes::DependenceKind::Anti => Role::Warning,
        report::lanes::DependenceKind::Output => Role::Error,
    }
}
