//! The arrangement of the panes at any screen size.
//!
//! Wide screens have three columns (source, stage, assembly), medium ones two, and small ones show the focused pane
//! only. The details about the position under the cursor are below the source. A second assembly is shown beside the
//! first, as a fourth column, or both share the lower half. The last two lines show verdicts and keys.
//!
//! The user may move the edges between panes. Otherwise the arrangement does not depend on the content of panes, except for
//! the outcome of a run, which is seen whole, and for the sentence that explains missing assembly before any was shown: a
//! pane that came and went with every error while a line is typed would distract from that line.

/// A pane of the explorer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pane {
    /// The source text, which can be edited.
    #[default]
    Source,
    /// The program at a stage.
    Stage,
    /// Machine code of the kernel.
    Assembly,
    /// Facts, problems or a run.
    Details,
    /// Machine code for a second goal.
    Beside,
}

impl Pane {
    /// All panes, in the order of Tab.
    pub const ALL: [Pane; 5] = [Pane::Source, Pane::Stage, Pane::Assembly, Pane::Details, Pane::Beside];

    /// The panes that show a page.
    pub const PAGES: [Pane; 4] = [Pane::Stage, Pane::Assembly, Pane::Details, Pane::Beside];
}

/// A rectangle of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Area {
    /// First column of the area.
    pub x: u16,
    /// First row of the area.
    pub y: u16,
    /// Number of columns.
    pub w: u16,
    /// Number of rows.
    pub h: u16,
}

impl Area {
    /// Returns true if the area contains a cell.
    pub fn contains(self, x: u16, y: u16) -> bool {
        (self.x..self.x + self.w).contains(&x) && (self.y..self.y + self.h).contains(&y)
    }

    /// Returns the part below the first row, which shows the title.
    pub fn body(self) -> Area {
        Area { y: self.y + self.h.min(1), h: self.h.saturating_sub(1), ..self }
    }

    fn rows(self, from: u16, n: u16) -> Area {
        let from = from.min(self.h);
        Area { y: self.y + from, h: n.min(self.h - from), ..self }
    }

    fn columns(self, from: u16, n: u16) -> Area {
        let from = from.min(self.w);
        Area { x: self.x + from, w: n.min(self.w - from), ..self }
    }
}

/// The panes and modes that the screen should show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// The pane that receives the keys.
    pub focus: Pane,
    /// True if the focused pane gets the whole screen.
    pub zoomed: bool,
    /// Content of the assembly's pane, if the pane is open.
    pub assembly: Option<Machine>,
    /// True if a second assembly is shown beside the first.
    pub beside: bool,
    /// True if the details are shown.
    pub details: bool,
    /// Number of rows that the details need to be seen whole, if they may grow for that.
    pub outcome: Option<u16>,
    /// Sizes that the user gave panes.
    pub sizes: Sizes,
}

/// The sizes that the user gave panes; whatever is not set follows from the size of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Sizes {
    /// Distances by which the edges between columns are to the right of their usual place.
    pub columns: [i16; 3],
    /// Height of the details.
    pub details: Option<u16>,
    /// Height of the assembly below the stage.
    pub assembly: Option<u16>,
    /// Height of the lower half with two assemblies.
    pub lower: Option<u16>,
}

/// An edge between panes, which can be moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// The edge behind the column with this number.
    Column(usize),
    /// The title of the details.
    Details,
    /// The title of the assembly below the stage.
    Assembly,
    /// The titles of the lower half.
    Lower,
}

/// The content of the assembly's pane, as far as its size depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Machine {
    /// Code, or a pending answer.
    Code,
    /// No code yet, but a sentence with the reason, of this many lines.
    Notice(u16),
}

/// The position of everything on the screen. A pane's first row is its title.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Arrangement {
    /// The visible panes and their areas.
    pub panes: Vec<(Pane, Area)>,
    /// The separator columns between panes, each as an area one column wide.
    pub separators: Vec<Area>,
    /// The edges that can be moved, and the cells to take them by.
    pub edges: Vec<(Edge, Area)>,
    /// Line of verdicts, empty on very low screens.
    pub status: Area,
    /// Line of keys, empty on very low screens.
    pub keys: Area,
}

impl Arrangement {
    /// Returns the area of a pane, if it is visible.
    pub fn area(&self, pane: Pane) -> Option<Area> {
        self.panes.iter().find(|(other, _)| *other == pane).map(|(_, area)| *area)
    }

    /// Returns the edge at a cell.
    pub fn edge_at(&self, x: u16, y: u16) -> Option<Edge> {
        self.edges.iter().find(|(_, area)| area.contains(x, y)).map(|(edge, _)| *edge)
    }

    /// Returns the pane at a cell.
    pub fn pane_at(&self, x: u16, y: u16) -> Option<Pane> {
        self.panes.iter().find(|(_, area)| area.contains(x, y)).map(|(pane, _)| *pane)
    }
}

/// Minimum size of the screen for more than one pane.
const LEAST_WIDTH: u16 = 70;
const LEAST_HEIGHT: u16 = 10;
/// Minimum width for assembly in a column of its own.
const THREE_COLUMNS: u16 = 150;
/// Minimum width for a column of the second assembly.
const FOUR_COLUMNS: u16 = 180;

/// Computes the arrangement of a screen.
pub fn arrange(width: u16, height: u16, wanted: Wanted) -> Arrangement {
    let screen = Area { x: 0, y: 0, w: width, h: height };
    let n_below = match height {
        0..=2 => 0,
        3..=5 => 1,
        _ => 2,
    };
    let body = screen.rows(0, height - n_below);
    let mut arranged = Arrangement {
        status: screen.rows(body.h, n_below.min(1)),
        keys: screen.rows(body.h + 1, n_below.saturating_sub(1)),
        ..Arrangement::default()
    };
    if wanted.zoomed || body.w < LEAST_WIDTH || body.h < LEAST_HEIGHT {
        arranged.panes.push((wanted.focus, body));
        return arranged;
    }
    let two = wanted.beside && wanted.assembly.is_some();
    if two && body.w < FOUR_COLUMNS {
        let lower = wanted.sizes.lower.unwrap_or(body.h / 2).clamp(LEAST_ROWS, body.h - 2 * LEAST_ROWS);
        let above = body.rows(0, body.h - lower);
        let below = body.rows(above.h, body.h);
        arranged.edges.push((Edge::Lower, below.rows(0, 1)));
        let below = columns(below, 2, 2, &wanted.sizes, &mut arranged);
        arranged.panes.extend([(Pane::Assembly, below[0]), (Pane::Beside, below[1])]);
        return upper(above, Wanted { assembly: None, ..wanted }, 2, arranged);
    }
    let three = body.w >= THREE_COLUMNS && wanted.assembly == Some(Machine::Code);
    upper(
        body,
        wanted,
        if two {
            4
        } else if three {
            3
        } else {
            2
        },
        arranged,
    )
}

/// Fewest columns and rows of a pane, with its title.
const LEAST_COLUMNS: u16 = 12;
const LEAST_ROWS: u16 = 3;

/// Divides an area into columns of nearly equal width, with separators between them. `first` is the number of the first edge
/// among those that the user may have moved.
fn columns(body: Area, n_columns: u16, first: usize, sizes: &Sizes, arranged: &mut Arrangement) -> Vec<Area> {
    let mut columns = Vec::new();
    let mut x = 0;
    for n in 0..n_columns {
        let usual = (body.w + 1) * (n + 1) / n_columns;
        let n_behind = n_columns - n - 1;
        let moved = sizes.columns.get(first + usize::from(n)).copied().filter(|_| n_behind > 0).unwrap_or(0);
        let (least, most) = (x + LEAST_COLUMNS + 1, (body.w + 1).saturating_sub(n_behind * (LEAST_COLUMNS + 1)));
        let end = if moved == 0 { usual } else { usual.saturating_add_signed(moved).min(most).max(least) };
        // An edge to the left may have been moved beyond the usual place of this one.
        let end = end.max(least.min(usual.max(least))).min(most);
        columns.push(body.columns(x, end - x - 1));
        if n_behind > 0 {
            let separator = body.columns(end - 1, 1);
            arranged.separators.push(separator);
            arranged.edges.push((Edge::Column(first + usize::from(n)), separator));
        }
        x = end;
    }
    columns
}

/// Places source and details in the first column, the stage in the second, and assembly below the stage or in further
/// columns.
fn upper(body: Area, wanted: Wanted, n_columns: u16, mut arranged: Arrangement) -> Arrangement {
    let columns = columns(body, n_columns, 0, &wanted.sizes, &mut arranged);
    let three = n_columns > 2;
    let least = LEAST_ROWS.min(body.h / 2);
    let usual = (body.h / 3).max(4);
    // The outcome of a run, or a task, is seen whole as far as two thirds of the height go.
    let usual = wanted.outcome.map_or(usual, |n_rows| n_rows.saturating_add(1).min(body.h * 2 / 3).max(usual));
    let details = match wanted.details {
        true => wanted.sizes.details.unwrap_or(usual).clamp(least, (body.h - least).max(least)),
        false => 0,
    };
    arranged.panes.push((Pane::Source, columns[0].rows(0, body.h - details)));
    let assembly = match wanted.assembly {
        None => 0,
        Some(_) if three => 0,
        Some(Machine::Code) => wanted.sizes.assembly.unwrap_or(body.h / 2).clamp(least, (body.h - least).max(least)),
        Some(Machine::Notice(n_lines)) => (n_lines + 1).min(body.h / 2),
    };
    arranged.panes.push((Pane::Stage, columns[1].rows(0, body.h - assembly)));
    if three {
        let panes = [Pane::Assembly, Pane::Beside].into_iter().zip(columns[2..].iter().copied());
        arranged.panes.extend(panes);
    } else if assembly > 0 {
        let area = columns[1].rows(body.h - assembly, assembly);
        arranged.panes.push((Pane::Assembly, area));
        if wanted.assembly == Some(Machine::Code) {
            arranged.edges.push((Edge::Assembly, area.rows(0, 1)));
        }
    }
    if details > 0 {
        arranged.edges.push((Edge::Details, columns[0].rows(body.h - details, 1)));
        arranged.panes.push((Pane::Details, columns[0].rows(body.h - details, details)));
    }
    arranged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_every_size_each_cell_belongs_to_one_part() {
        for (width, height) in (0..=220).step_by(7).flat_map(|w| (0..=70).map(move |h| (w, h))) {
            for (n, focus) in Pane::ALL.into_iter().enumerate() {
                let assembly = [None, Some(Machine::Notice(2)), Some(Machine::Code)][n % 3];
                let beside = (n + usize::from(width)) % 2 == 0;
                let far = i16::try_from(width).expect("small") - 90;
                let columns = [far, -far, far / 2].map(|to| if n % 2 == 0 { to } else { 0 });
                let own = (n > 2).then(|| height / (n as u16));
                let sizes = Sizes { columns, details: own, assembly: own, lower: own };
                let outcome = (n == 1).then_some(height);
                let wanted = Wanted { focus, zoomed: n == 3, assembly, beside, details: n % 2 == 0, outcome, sizes };
                let arranged = arrange(width, height, wanted);
                let parts = arranged.panes.iter().map(|(_, area)| *area).chain(arranged.separators.iter().copied());
                let parts: Vec<_> = parts.chain([arranged.status, arranged.keys]).collect();
                let cells: usize = parts.iter().map(|area| usize::from(area.w) * usize::from(area.h)).sum();
                assert_eq!(cells, usize::from(width) * usize::from(height), "{width}x{height} {wanted:?}");
                for area in parts {
                    assert!(area.x + area.w <= width && area.y + area.h <= height, "{width}x{height} {area:?}");
                }
            }
        }
    }

    #[test]
    fn a_sentence_about_assembly_takes_its_lines_and_no_more() {
        let assembly = Some(Machine::Notice(2));
        let wanted = Wanted {
            focus: Pane::Source,
            zoomed: false,
            assembly,
            beside: false,
            details: true,
            outcome: None,
            sizes: Sizes::default(),
        };
        let arranged = arrange(80, 24, wanted);
        assert_eq!(arranged.area(Pane::Assembly), Some(Area { x: 40, y: 19, w: 40, h: 3 }));
        assert_eq!(arranged.area(Pane::Details), Some(Area { x: 0, y: 15, w: 39, h: 7 }));
        let wide = arrange(200, 60, Wanted { assembly: Some(Machine::Code), ..wanted });
        assert_eq!(wide.area(Pane::Assembly).map(|area| (area.x, area.h)), Some((134, 58)));
        let wanted = Wanted { assembly: Some(Machine::Code), beside: true, ..wanted };
        let places = |width| {
            let arranged = arrange(width, 60, wanted);
            [Pane::Assembly, Pane::Beside].map(|pane| arranged.area(pane).map(|area| (area.x, area.y, area.w, area.h)))
        };
        assert_eq!(places(200), [Some((100, 0, 49, 58)), Some((150, 0, 50, 58))]);
        assert_eq!(places(120), [Some((0, 29, 59, 29)), Some((60, 29, 60, 29))]);
    }
}
