//! Statement graphs as lines of text.
//!
//! ```text
//!   ┌╌┬─▶*3 | a[i] = b[i - 1] + c[i]
//!   └╌┴─▶*4 | b[i] = a[i] * 2
//! ```
//!
//! Each edge has a column of its own beside the statements, from the one that runs first to the one with the arrow: solid within an
//! iteration, dashed from one to a later one.

use super::{Edge, StatementGraph};

/// Number of edges that are drawn; a loop that has more is told in words alone.
const MOST_DRAWN: usize = 40;

/// A statement with the edges beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphRow {
    /// The edges, with the arrow if one ends here; as wide in all rows of a graph.
    pub edges: String,
    /// True if the statement needs itself, around a circle.
    pub is_in_circle: bool,
    /// The statement's line, from 1.
    pub line: u32,
    /// The statement's text.
    pub text: String,
}

/// The lines that meet in the middle of a cell.
#[derive(Debug, Clone, Copy, Default)]
struct Joint {
    up: bool,
    down: bool,
    left: bool,
    right: bool,
    /// True if a solid line goes through it.
    is_solid: bool,
}

impl Joint {
    fn glyph(self) -> char {
        match (self.up, self.down, self.left, self.right) {
            (true, true, false, false) if self.is_solid => '│',
            (true, true, false, false) => '╎',
            (true, true, false, true) => '├',
            (true, true, true, false) => '┤',
            (true, true, true, true) => '┼',
            (false, true, false, true) => '┌',
            (false, true, true, true) => '┬',
            (true, false, false, true) => '└',
            (true, false, true, true) => '┴',
            (false, true, true, false) => '┐',
            (true, false, true, false) => '┘',
            (false, false, true | false, true) | (false, false, true, false) if self.is_solid => '─',
            (false, false, true | false, true) | (false, false, true, false) => '╌',
            (false, true, false, false) | (true, false, false, false) => '│',
            (false, false, false, false) => ' ',
        }
    }
}

/// The statements of a graph, each with the edges beside it; [`words`] tells them.
pub fn rows(graph: &StatementGraph) -> Vec<GraphRow> {
    let drawn: Vec<&Edge> = graph.edges.iter().filter(|edge| edge.from != edge.to).collect();
    let columns = if drawn.len() <= MOST_DRAWN { columns(&drawn) } else { Vec::new() };
    let n_columns = columns.iter().map(|column| column + 1).max().unwrap_or(0);
    let statements = graph.statements.iter().enumerate();
    let rows = statements.map(|(n, statement)| {
        let mut joints = vec![Joint::default(); 2 * n_columns];
        let mut has_arrow = false;
        for (&column, edge) in columns.iter().zip(&drawn) {
            let (top, bottom) = (edge.from.min(edge.to), edge.from.max(edge.to));
            if !(top..=bottom).contains(&n) {
                continue;
            }
            let at = 2 * (n_columns - 1 - column);
            let own = &mut joints[at];
            own.up |= n != top;
            own.down |= n != bottom;
            own.is_solid |= !edge.is_carried;
            if n == top || n == bottom {
                own.right = true;
                for joint in &mut joints[at + 1..] {
                    (joint.left, joint.right) = (true, true);
                    joint.is_solid |= !edge.is_carried;
                }
            }
            has_arrow |= n == edge.to;
        }
        let end = match joints.last() {
            _ if has_arrow => '▶',
            Some(joint) if joint.right => Joint { left: true, right: false, up: false, down: false, ..*joint }.glyph(),
            _ => ' ',
        };
        let edges = joints.iter().map(|joint| joint.glyph()).chain([end]).collect();
        let (line, text) = (statement.line + 1, statement.text.clone());
        GraphRow { edges, is_in_circle: statement.is_in_circle, line, text }
    });
    rows.collect()
}

/// Gives each edge a column, the shorter ones nearer to the statements. Edges in one column do not touch.
fn columns(edges: &[&Edge]) -> Vec<usize> {
    let range = |edge: &Edge| edge.from.min(edge.to)..=edge.from.max(edge.to);
    let mut order: Vec<usize> = (0..edges.len()).collect();
    order.sort_by_key(|&n| (edges[n].from.abs_diff(edges[n].to), n));
    let mut columns = vec![0; edges.len()];
    let mut taken: Vec<Vec<usize>> = Vec::new();
    for n in order {
        let own = range(edges[n]);
        let is_free = |others: &Vec<usize>| {
            others.iter().all(|&other| {
                let other = range(edges[other]);
                other.end() < own.start() || own.end() < other.start()
            })
        };
        let column = taken.iter().position(is_free).unwrap_or(taken.len());
        if column == taken.len() {
            taken.push(Vec::new());
        }
        taken[column].push(n);
        columns[n] = column;
    }
    columns
}

/// Tells each edge in a line, and the circle if there is one.
pub fn words(graph: &StatementGraph) -> Vec<String> {
    let line = |n: usize| graph.statements[n].line + 1;
    let mut words = Vec::new();
    for edge in &graph.edges {
        let later = match (edge.is_carried, edge.distance) {
            (false, _) => String::new(),
            (true, Some(1)) => ", 1 iteration later".to_owned(),
            (true, Some(distance)) => format!(", {distance} iterations later"),
            (true, None) => ", in a later iteration".to_owned(),
        };
        let dash = if edge.is_carried { '╌' } else { '─' };
        let (from, to) = (line(edge.from), line(edge.to));
        words.push(format!("{from} {dash}▶ {to}  {} of `{}`{later}", edge.kind.name(), edge.through));
    }
    if graph.edges.is_empty() {
        words.push("no statement needs another one".to_owned());
    }
    let circle = (0..graph.statements.len()).filter(|&n| graph.statements[n].is_in_circle);
    let circle: Vec<String> = circle.map(|n| line(n).to_string()).collect();
    match &circle[..] {
        [] => {}
        [only] => words
            .push(format!("* line {only} needs what it made in an earlier iteration, so its iterations stay in order")),
        lines => words.push(format!(
            "* lines {} need each other around a circle, so their iterations stay in order",
            lines.join(", ")
        )),
    }
    words
}
