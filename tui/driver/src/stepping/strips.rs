//! The cells that the next op touches: a strip of an array's memory round them, with the lanes that touch each, and how they lie.

use std::collections::BTreeMap;
use std::fmt;

use queries::stepping::{Cell, CellTouch, CellType, Elem, Op, Peek, Stepping, Value, View};

/// Limit on the cells of a strip: more than fit a screen.
const MOST_CELLS: usize = 256;

/// The cells of an array that an op touches, with those beside them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strip {
    /// The name of the array.
    pub array: String,
    /// Its type: `f32[8, 4]`.
    pub ty: String,
    /// The kind of access.
    pub does: Touches,
    /// The order of the cells.
    pub order: CellOrder,
    /// The cells, in the order of memory.
    pub cells: Vec<StripCell>,
    /// True if the array has more cells behind them.
    pub goes_on: bool,
    /// The number of touched cells that are left out.
    pub n_more: usize,
}

/// The kinds of access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touches {
    /// Cells are read.
    Reads,
    /// Cells are written.
    Writes,
    /// Cells are read and written.
    Updates,
}

impl Touches {
    /// Returns the verb.
    pub fn verb(self) -> &'static str {
        match self {
            Touches::Reads => "reads",
            Touches::Writes => "writes",
            Touches::Updates => "updates",
        }
    }
}

/// A cell of a strip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StripCell {
    /// Its subscripts, and the field of a struct: `3, 4`, `7.x`.
    pub subscripts: String,
    /// Its value before the op.
    pub value: String,
    /// The lanes that touch it; empty where no lanes run together.
    pub lanes: Vec<u16>,
    /// True if it is touched, and not only beside a cell that is.
    pub is_touched: bool,
    /// True if cells before it are left out.
    pub follows_gap: bool,
}

/// The order in which the cells of the lanes lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellOrder {
    /// One cell, of one lane or outside of lanes.
    One,
    /// One cell for all lanes.
    Broadcast,
    /// One after the other.
    Contiguous,
    /// One after the other, backwards.
    Reversed,
    /// So many cells from one lane to the next.
    Strided(i64),
    /// One after the other for the lanes that are active.
    Packed,
    /// Each lane has a cell of its own.
    Apart,
    /// Each lane has a cell of its own, but for these, which share one.
    Shared(Vec<u16>),
    /// These lanes write one cell.
    Colliding(Vec<u16>),
}

impl fmt::Display for CellOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CellOrder::One => f.write_str("one cell"),
            CellOrder::Broadcast => f.write_str("broadcast, one cell for all lanes"),
            CellOrder::Contiguous => f.write_str("contiguous"),
            CellOrder::Reversed => f.write_str("reversed, contiguous but backwards"),
            CellOrder::Strided(cells) => write!(f, "strided, {cells} cells from lane to lane"),
            CellOrder::Packed => f.write_str("packed, contiguous for the active lanes"),
            CellOrder::Apart => f.write_str("each lane's own cell"),
            CellOrder::Shared(lanes) => write!(f, "each lane's own cell, but one for lanes {}", of_lanes(lanes)),
            CellOrder::Colliding(lanes) => write!(f, "colliding, one cell for lanes {}", of_lanes(lanes)),
        }
    }
}

/// Writes numbers of lanes, neighbours as a range: `0-3, 5`.
pub fn of_lanes(lanes: &[u16]) -> String {
    let mut ranges: Vec<(u16, u16)> = Vec::new();
    for &lane in lanes {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == lane => *last = lane,
            _ => ranges.push((lane, lane)),
        }
    }
    let text = |(first, last): (u16, u16)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first}-{last}"),
    };
    ranges.into_iter().map(text).collect::<Vec<_>>().join(", ")
}

/// Collects the strips of the op that comes next.
pub(super) fn strips(stepping: &Stepping, peek: &Peek) -> Vec<Strip> {
    let mut memories: BTreeMap<usize, Vec<CellTouch>> = BTreeMap::new();
    for touch in &peek.touched {
        memories.entry(touch.at.0).or_default().push(*touch);
    }
    let op = stepping.next_op();
    memories.into_values().filter_map(|touched| strip(stepping, op?, &touched)).collect()
}

/// The array that an op touches, and how its cells lie.
struct TouchedArray<'s> {
    stepping: &'s Stepping,
    /// The whole array.
    whole: View,
    item: CellType,
    /// The bytes of an item.
    stride: i64,
    /// The type of the elements that are touched.
    elem: Elem,
}

fn strip(stepping: &Stepping, op: Op, touched: &[CellTouch]) -> Option<Strip> {
    let kernel = stepping.kernel();
    let operand = *kernel.ops[op].operands.first()?;
    let lane = touched.first()?.lane.map_or(0, usize::from);
    let view = as_view(stepping, operand, lane)?;
    let root = view.root;
    let whole = as_view(stepping, root, lane).filter(|whole| whole.memory == touched[0].at.0);
    let elem = kernel.ty(operand).elem()?;
    // A view that takes bytes as another type has cells of its own.
    let item = kernel.ty(root).item().filter(|_| whole.is_some()).filter(|&item| fits(stepping, item, elem));
    let whole = whole.filter(|_| item.is_some()).unwrap_or(view);
    let item = item.unwrap_or(CellType::Elem(elem));
    let array = TouchedArray { stepping, stride: kernel.item_bytes(item) as i64, whole, item, elem };
    let name = kernel.values[root].name.as_deref().filter(|name| !name.is_empty()).unwrap_or("an array");
    let sizes: Vec<String> = array.whole.dims.iter().map(|dim| dim.size.to_string()).collect();
    let of = match item {
        CellType::Elem(elem) => elem.name().to_owned(),
        CellType::Struct(decl) => kernel.structs[decl].name.to_string(),
    };
    let (cells, n_more) = array.cells(touched);
    let last = touched.iter().map(|touch| touch.at.1 as i64).max().unwrap_or(0);
    // The last cell that is shown is the one behind the last that is touched.
    let goes_on = n_more == 0 && array.contains(last + 2 * array.stride);
    let does = match (touched.iter().any(|touch| !touch.is_write), touched.iter().any(|touch| touch.is_write)) {
        (true, true) => Touches::Updates,
        (false, true) => Touches::Writes,
        _ => Touches::Reads,
    };
    Some(Strip {
        array: name.to_owned(),
        ty: format!("{of}[{}]", sizes.join(", ")),
        does,
        order: order(touched, does, array.stride, elem.bytes() as i64),
        cells,
        goes_on,
        n_more,
    })
}

fn as_view(stepping: &Stepping, value: Value, lane: usize) -> Option<View> {
    match stepping.reg(value).lane(lane) {
        Some(Cell::View(view)) => Some(View::clone(view)),
        _ => None,
    }
}

/// Returns true if elements of a type are items of an array, or fields of them.
fn fits(stepping: &Stepping, item: CellType, elem: Elem) -> bool {
    match item {
        CellType::Elem(own) => own.bytes() == elem.bytes(),
        CellType::Struct(_) => stepping.kernel().item_bytes(item) >= elem.bytes(),
    }
}

impl TouchedArray<'_> {
    /// Lists the touched cells and those beside them, and counts those that are left out.
    fn cells(&self, touched: &[CellTouch]) -> (Vec<StripCell>, usize) {
        let mut lanes: BTreeMap<i64, Vec<u16>> = BTreeMap::new();
        for touch in touched {
            let of_cell = lanes.entry(touch.at.1 as i64).or_default();
            of_cell.extend(touch.lane.filter(|lane| !of_cell.contains(lane)));
        }
        let n_more = lanes.len().saturating_sub(MOST_CELLS);
        let shown: Vec<i64> = lanes.keys().take(MOST_CELLS).copied().collect();
        let mut bytes = shown.clone();
        for &at in &shown {
            bytes.extend([at - self.stride, at + self.stride].into_iter().filter(|&at| self.contains(at)));
        }
        bytes.sort_unstable();
        bytes.dedup();
        // Beside a field that is touched stands the same field of the next item, unless all of it is touched.
        let nearest = |at: i64| shown.binary_search(&at).is_ok() || !self.lies_between(at, &shown);
        bytes.retain(|&at| nearest(at));
        let mut last: Option<i64> = None;
        let cells = bytes.into_iter().map(|at| {
            let of_cell = lanes.get(&at);
            let follows_gap = match last {
                None => at > self.whole.start + self.offset_in_item(at),
                Some(last) => at - last > self.stride,
            };
            last = Some(at);
            let value = self.stepping.element_at((self.whole.memory, at as usize), self.elem);
            StripCell {
                subscripts: self.subscripts(at),
                value: value.map_or_else(|| "?".to_owned(), |value| value.to_string()),
                lanes: of_cell.cloned().unwrap_or_default(),
                is_touched: of_cell.is_some(),
                follows_gap,
            }
        });
        (cells.collect(), n_more)
    }

    /// Returns true if cells that are touched lie on both sides of a byte within an item's length.
    fn lies_between(&self, at: i64, shown: &[i64]) -> bool {
        let n = shown.partition_point(|&other| other < at);
        let (before, behind) = (n.checked_sub(1).map(|n| shown[n]), shown.get(n));
        before.is_some_and(|before| at - before < self.stride) && behind.is_some_and(|behind| behind - at < self.stride)
    }

    fn offset_in_item(&self, at: i64) -> i64 {
        (at - self.whole.start).rem_euclid(self.stride.max(1))
    }

    fn contains(&self, at: i64) -> bool {
        let n_cells: i64 = self.whole.dims.iter().map(|dim| dim.size.max(0)).product();
        (self.whole.start..self.whole.start + n_cells * self.stride).contains(&at)
    }

    /// Writes the subscripts of a byte, with the name of a field.
    fn subscripts(&self, at: i64) -> String {
        let mut left = (at - self.whole.start) / self.stride.max(1);
        let mut subscripts = Vec::new();
        for (n, dim) in self.whole.dims.iter().enumerate().rev() {
            // The first takes what is left, should that be beyond its size.
            let size = if n == 0 { i64::MAX } else { dim.size.max(1) };
            subscripts.push((left % size).to_string());
            left /= size;
        }
        subscripts.reverse();
        let field = match self.item {
            CellType::Elem(_) => None,
            CellType::Struct(decl) => {
                let decl = &self.stepping.kernel().structs[decl];
                let offset = self.offset_in_item(at) as usize;
                decl.fields.iter().enumerate().find_map(|(number, field)| {
                    let cell = offset.checked_sub(decl.offset(number))? / field.elem.bytes();
                    let subscripts = field.cells().nth(cell)?;
                    let subscripts: Vec<_> = subscripts.iter().map(u32::to_string).collect();
                    Some(match &subscripts[..] {
                        [] => format!(".{}", field.name),
                        at => format!(".{}[{}]", field.name, at.join(",")),
                    })
                })
            }
        };
        subscripts.join(",") + &field.unwrap_or_default()
    }
}

/// Says how the cells of the lanes lie. `stride` is the distance of neighbours along the array, `bytes` the size of an element.
pub(crate) fn order(touched: &[CellTouch], does: Touches, stride: i64, bytes: i64) -> CellOrder {
    let mut of_lanes: BTreeMap<u16, Vec<i64>> = BTreeMap::new();
    let mut of_cells: BTreeMap<i64, Vec<u16>> = BTreeMap::new();
    for touch in touched {
        let at = touch.at.1 as i64;
        // A cell that is updated is touched twice by one lane.
        let lane = touch.lane.unwrap_or(0);
        let of_lane = of_lanes.entry(lane).or_default();
        if !of_lane.contains(&at) {
            of_lane.push(at);
            of_cells.entry(at).or_default().push(lane);
        }
    }
    if of_lanes.len() < 2 {
        return if of_cells.len() < 2 { CellOrder::One } else { CellOrder::Contiguous };
    }
    let shared = of_cells.values().find(|lanes| lanes.len() > 1);
    match (shared, does) {
        (Some(_), Touches::Reads) if of_cells.len() == 1 => return CellOrder::Broadcast,
        (Some(lanes), Touches::Reads) => return CellOrder::Shared(lanes.clone()),
        (Some(lanes), _) => return CellOrder::Colliding(lanes.clone()),
        (None, _) => {}
    }
    let firsts: Vec<(i64, i64)> = of_lanes.iter().map(|(&lane, cells)| (i64::from(lane), cells[0])).collect();
    let steps = || firsts.windows(2).map(|pair| (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1));
    let n_each = of_lanes.values().map(Vec::len).max().unwrap_or(1) as i64;
    // Cells of one lane that lie side by side are one wide cell.
    let unit = if n_each > 1 { n_each * bytes } else { stride };
    let (lanes, distance) = steps().next().unwrap_or((1, 0));
    let of_one = distance / lanes;
    if steps().all(|(lanes, distance)| distance == of_one * lanes) {
        return match of_one {
            _ if of_one == unit => CellOrder::Contiguous,
            _ if of_one == -unit => CellOrder::Reversed,
            _ => CellOrder::Strided(of_one / stride.max(1)),
        };
    }
    if steps().all(|(_, distance)| distance == unit) { CellOrder::Packed } else { CellOrder::Apart }
}
