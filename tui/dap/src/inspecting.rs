//! Variables, lanes and arrays, as trees of text that a client opens level by level.

use queries::run::{Elem, Scalar};
use queries::stepping::{Cell, CellTouch, CellType, Reg, Stepping, Type, Value, Variable, View};
use serde_json::{Value as Json, json};

/// The number of elements that stand in the text of an array.
const SHOWN: usize = 8;

/// Something that a client can open.
#[derive(Debug, Clone)]
pub(crate) enum Container {
    /// The scalars in scope.
    Scalars,
    /// The arrays in scope.
    Arrays,
    /// The lanes, one by one.
    Lanes,
    /// The variables of a lane.
    Lane(usize),
    /// The values of one variable in all lanes.
    OfLanes(Value),
    /// The elements of an array in a lane.
    Elements(Value, usize),
    /// The values of an expression in all lanes.
    Values(Vec<Result<Scalar, String>>),
}

/// The containers that a client knows, until the run moves on. Their numbers start at 1.
#[derive(Default)]
pub(crate) struct Containers(Vec<Container>);

impl Containers {
    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Gives a container a number.
    pub(crate) fn add(&mut self, container: Container) -> usize {
        self.0.push(container);
        self.0.len()
    }

    /// The container with a number.
    pub(crate) fn get(&self, number: usize) -> Option<Container> {
        self.0.get(number.checked_sub(1)?).cloned()
    }
}

/// The tops of the trees.
pub(crate) fn scopes(stepping: &Stepping, containers: &mut Containers) -> Json {
    let mut scopes = vec![
        json!({ "name": "Variables", "presentationHint": "locals", "expensive": false, "variablesReference": containers.add(Container::Scalars) }),
        json!({ "name": "Arrays", "expensive": false, "variablesReference": containers.add(Container::Arrays) }),
    ];
    if let Some(n_lanes) = n_lanes(stepping) {
        scopes.push(json!({
            "name": "Lanes", "expensive": false, "namedVariables": n_lanes,
            "variablesReference": containers.add(Container::Lanes),
        }));
    }
    json!({ "scopes": scopes })
}

/// The number of lanes that run together, or that a variable in scope has.
pub(crate) fn n_lanes(stepping: &Stepping) -> Option<usize> {
    let of_variable = |variable: &Variable| match stepping.reg(variable.value) {
        Reg::Lanes(cells) => Some(cells.len()),
        Reg::Empty | Reg::One(_) => None,
    };
    let running = stepping.running_lanes().map(<[bool]>::len);
    running.or_else(|| stepping.variables().iter().filter_map(of_variable).max())
}

/// Lists the content of a container; of elements, those of a range.
pub(crate) fn inside(
    container: &Container,
    range: std::ops::Range<usize>,
    stepping: &Stepping,
    containers: &mut Containers,
) -> Vec<Json> {
    let variables = || stepping.variables();
    match container {
        Container::Scalars => {
            let scalars = variables().into_iter().filter(|variable| !variable.ty.is_view());
            scalars.map(|variable| scalar(&variable, stepping, containers)).collect()
        }
        Container::Arrays => {
            let arrays = variables().into_iter().filter(|variable| variable.ty.is_view());
            arrays.map(|variable| array(&variable.name, variable.value, variable.ty, 0, stepping, containers)).collect()
        }
        Container::Lanes => {
            let lanes = 0..n_lanes(stepping).unwrap_or_default();
            let summary = |lane| lane_summary(lane, stepping);
            lanes
                .map(|lane| {
                    let number = containers.add(Container::Lane(lane));
                    json!({ "name": format!("lane {lane}"), "value": summary(lane), "variablesReference": number })
                })
                .collect()
        }
        Container::Lane(lane) => {
            let of_lane = |variable: &Variable| matches!(stepping.reg(variable.value), Reg::Lanes(_));
            let variables = variables().into_iter().filter(of_lane);
            variables
                .map(|variable| match variable.ty.is_view() {
                    true => array(&variable.name, variable.value, variable.ty, *lane, stepping, containers),
                    false => leaf(&variable.name, &cell(stepping.reg(variable.value).lane(*lane)), variable.ty.elem()),
                })
                .collect()
        }
        Container::OfLanes(value) => match stepping.reg(*value) {
            Reg::Lanes(cells) => {
                let elem = stepping.kernel().ty(*value).elem();
                cells.iter().enumerate().map(|(lane, own)| leaf(&format!("[{lane}]"), &cell(Some(own)), elem)).collect()
            }
            Reg::Empty | Reg::One(_) => Vec::new(),
        },
        Container::Values(lanes) => {
            let text = |of: &Result<Scalar, String>| of.as_ref().map_or_else(Clone::clone, ToString::to_string);
            lanes.iter().enumerate().map(|(lane, of)| leaf(&format!("[{lane}]"), &text(of), None)).collect()
        }
        Container::Elements(value, lane) => elements(*value, *lane, range, stepping),
    }
}

fn leaf(name: &str, value: &str, elem: Option<Elem>) -> Json {
    let mut leaf = json!({ "name": name, "value": value, "variablesReference": 0 });
    if let Some(elem) = elem {
        leaf["type"] = json!(elem.name());
    }
    leaf
}

/// A scalar: its value, or those of all lanes.
fn scalar(variable: &Variable, stepping: &Stepping, containers: &mut Containers) -> Json {
    let elem = variable.ty.elem();
    match stepping.reg(variable.value) {
        Reg::Lanes(cells) => {
            let of_lanes: Vec<String> = cells.iter().map(|own| cell(Some(own))).collect();
            json!({
                "name": &*variable.name,
                "value": format!("[{}]", of_lanes.join(", ")),
                "type": format!("varying {}", elem.map_or("", Elem::name)),
                "variablesReference": containers.add(Container::OfLanes(variable.value)),
                "indexedVariables": cells.len(),
                "evaluateName": &*variable.name,
            })
        }
        Reg::Empty | Reg::One(_) => {
            let mut leaf = leaf(&variable.name, &cell(stepping.reg(variable.value).lane(0)), elem);
            leaf["evaluateName"] = json!(&*variable.name);
            leaf
        }
    }
}

/// An array: its shape and first elements.
pub(crate) fn array(
    name: &str,
    value: Value,
    ty: Type,
    lane: usize,
    stepping: &Stepping,
    containers: &mut Containers,
) -> Json {
    let (Some(Cell::View(view)), Some(item)) = (stepping.reg(value).lane(lane), ty.item()) else {
        return leaf(name, &cell(stepping.reg(value).lane(lane)), None);
    };
    let n_cells = n_cells(view);
    let first = stepping.elements(view, item, 0..SHOWN.min(n_cells));
    let first: Vec<String> = first.chunks(n_fields(item, stepping)).map(of_cell).collect();
    let more = if n_cells > SHOWN { ", …" } else { "" };
    let sizes: Vec<String> = view.dims.iter().map(|dim| dim.size.to_string()).collect();
    json!({
        "name": name,
        "value": format!("[{}{more}]", first.join(", ")),
        "type": format!("{}[{}]", item_name(item, stepping), sizes.join(", ")),
        "variablesReference": containers.add(Container::Elements(value, lane)),
        "indexedVariables": n_cells,
        "memoryReference": memory_reference(view),
        "evaluateName": name,
    })
}

/// The memory that an array starts at, as a client asks for it.
fn memory_reference(view: &View) -> String {
    format!("{}:{}", view.memory, view.start)
}

fn n_cells(view: &View) -> usize {
    view.dims.iter().map(|dim| dim.size.max(0) as usize).product()
}

fn n_fields(item: CellType, stepping: &Stepping) -> usize {
    match item {
        CellType::Elem(_) => 1,
        CellType::Struct(decl) => stepping.kernel().structs[decl].n_leaves().max(1),
    }
}

fn item_name(item: CellType, stepping: &Stepping) -> String {
    match item {
        CellType::Elem(elem) => elem.name().to_owned(),
        CellType::Struct(decl) => stepping.kernel().structs[decl].name.to_string(),
    }
}

/// An element: a number, or the fields of a struct.
fn of_cell(fields: &[Scalar]) -> String {
    match fields {
        [only] => only.to_string(),
        fields => format!("({})", fields.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    }
}

fn elements(value: Value, lane: usize, range: std::ops::Range<usize>, stepping: &Stepping) -> Vec<Json> {
    let ty = stepping.kernel().ty(value);
    let (Some(Cell::View(view)), Some(item)) = (stepping.reg(value).lane(lane), ty.item()) else { return Vec::new() };
    let range = range.start..range.end.min(n_cells(view));
    let values = stepping.elements(view, item, range.clone());
    let cells = values.chunks(n_fields(item, stepping)).zip(range);
    cells
        .map(|(fields, n)| {
            let (subscripts, byte) = place_of(view, n);
            let touched = touched(stepping, (view.memory, byte));
            leaf(&format!("[{subscripts}]"), &format!("{}{touched}", of_cell(fields)), ty.elem())
        })
        .collect()
}

/// The subscripts of a cell, and the byte at which it starts.
fn place_of(view: &View, n: usize) -> (String, usize) {
    let mut left = n as i64;
    let mut byte = view.start;
    let mut subscripts = Vec::new();
    for dim in view.dims.iter().rev() {
        let subscript = left % dim.size.max(1);
        left /= dim.size.max(1);
        byte += subscript * dim.stride;
        subscripts.push(subscript.to_string());
    }
    subscripts.reverse();
    (subscripts.join(", "), byte as usize)
}

/// Says who touched a cell since the last stop.
fn touched(stepping: &Stepping, at: (usize, usize)) -> String {
    let mut lanes: Vec<(bool, Option<u16>)> = Vec::new();
    for CellTouch { lane, is_write, .. } in stepping.touched().iter().filter(|touched| touched.at == at) {
        if !lanes.contains(&(*is_write, *lane)) {
            lanes.push((*is_write, *lane));
        }
    }
    let told = |is_write: bool, word: &str| {
        let by: Vec<_> = lanes.iter().filter(|(write, _)| *write == is_write).map(|(_, lane)| *lane).collect();
        let numbers: Vec<String> = by.iter().flatten().map(ToString::to_string).collect();
        match (by.len(), &numbers[..]) {
            (0, _) => String::new(),
            (_, []) => format!("  {word}"),
            (_, [lane]) => format!("  {word} by lane {lane}"),
            (_, numbers) => format!("  {word} by lanes {}", numbers.join(", ")),
        }
    };
    told(false, "read") + &told(true, "written")
}

/// Describes a lane in a line: its variables, or that it is not active.
fn lane_summary(lane: usize, stepping: &Stepping) -> String {
    if stepping.running_lanes().is_some_and(|running| !running.get(lane).copied().unwrap_or(false)) {
        return "not active here".to_owned();
    }
    let of_lane = |variable: &Variable| match stepping.reg(variable.value) {
        Reg::Lanes(cells) if !variable.ty.is_view() => Some(format!("{} = {}", variable.name, cell(cells.get(lane)))),
        _ => None,
    };
    stepping.variables().iter().filter_map(of_lane).collect::<Vec<_>>().join(", ")
}

/// The text of a cell.
fn cell(cell: Option<&Cell>) -> String {
    match cell {
        Some(Cell::Data(scalar)) => scalar.to_string(),
        Some(Cell::View(_)) => "an array".to_owned(),
        Some(Cell::Failed(error)) => format!("failed: {}", error.kind.code().name()),
        Some(Cell::Off) | None => "–".to_owned(),
    }
}

/// The values of lanes in a line; a lane without one has a dash.
pub(crate) fn of_lanes(lanes: &[Result<Scalar, String>]) -> String {
    let texts = lanes.iter().map(|lane| lane.as_ref().map_or_else(|_| "–".to_owned(), ToString::to_string));
    format!("[{}]", texts.collect::<Vec<_>>().join(", "))
}
