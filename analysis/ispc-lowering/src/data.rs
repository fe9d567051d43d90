//! Types as they lie in memory, and as registers hold them.
//!
//! A varying number has a cell a lane, side by side; in `soa<n>` data a number has `n` cells, of which an index chooses one. All else is
//! made of numbers: a value of any type is one register for each number in it, in their order in memory.

use std::rc::Rc;
use std::sync::Arc;

use ispc_ir::module::VariableNumber;
use ispc_ir::types::{GangType, NumberType};
use ispc_types::layer::{Entity, Layer};
use ispc_types::ty::{Atomic, Count, Lanes, Ty, TypeKind};

/// The deepest that types are nested.
const DEEPEST: u32 = 40;
/// The most numbers of a variable that have names.
const MOST_NAMED: usize = 16;
/// The most numbers that a value may have.
const MOST_NUMBERS: u64 = 1 << 14;

/// The cells of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NumberCells {
    /// One.
    One,
    /// One a lane.
    EachLane,
    /// So many, in `soa` data.
    Group(u32),
}

/// A type as it lies in memory.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum DataForm {
    Void,
    Number(NumberType, NumberCells),
    /// What it points to, which may be in groups: then it is an address and the index in that group.
    Pointer(Ty, NumberCells, Option<u32>),
    Array(Rc<DataForm>, u64),
    Vector(Rc<DataForm>, u64),
    Struct(Rc<StructData>),
    Function,
}

/// A struct.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct StructData {
    pub(crate) of: Entity,
    pub(crate) members: Vec<MemberData>,
    pub(crate) size: u64,
    pub(crate) align: u64,
}

/// A member of a struct.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct MemberData {
    pub(crate) name: Arc<str>,
    pub(crate) data: Rc<DataForm>,
    pub(crate) offset: u64,
    /// The number of registers in front.
    pub(crate) first: usize,
}

/// A number in a type: where it starts, and its cells.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct NumberAt {
    pub(crate) offset: u64,
    pub(crate) number: NumberType,
    pub(crate) cells: NumberCells,
}

impl NumberAt {
    /// The register of such a number that was read by one address for all lanes.
    pub(crate) fn ty(&self) -> GangType {
        GangType { number: self.number, is_varying: self.cells == NumberCells::EachLane }
    }
}

/// Reads types of a layer, for a number of lanes.
#[derive(Clone, Copy)]
pub(crate) struct DataReader<'l> {
    pub(crate) layer: &'l Layer,
    pub(crate) lanes: u64,
}

fn number_of(atomic: Atomic) -> Option<NumberType> {
    Some(match atomic {
        Atomic::Void => return None,
        Atomic::Bool => NumberType::Bool,
        Atomic::Int8 => NumberType::I8,
        Atomic::Uint8 => NumberType::U8,
        Atomic::Int16 => NumberType::I16,
        Atomic::Uint16 => NumberType::U16,
        Atomic::Int32 => NumberType::I32,
        Atomic::Uint32 => NumberType::U32,
        Atomic::Float16 => NumberType::F16,
        Atomic::Float => NumberType::F32,
        Atomic::Int64 => NumberType::I64,
        Atomic::Uint64 => NumberType::U64,
        Atomic::Double => NumberType::F64,
    })
}

impl DataReader<'_> {
    /// A type whose unbound parts are of these lanes; in words why it has no form in memory.
    pub(crate) fn of(&self, ty: Ty, unbound: Lanes) -> Result<Rc<DataForm>, String> {
        self.within(ty, unbound, 0)
    }

    fn within(&self, ty: Ty, unbound: Lanes, depth: u32) -> Result<Rc<DataForm>, String> {
        if depth > DEEPEST {
            return Err("this type holds itself".to_owned());
        }
        let cells = |own: Lanes| match if own == Lanes::Unbound { unbound } else { own } {
            Lanes::Varying => NumberCells::EachLane,
            Lanes::Soa(width) => NumberCells::Group(width),
            _ => NumberCells::One,
        };
        let unknown = || format!("the size of `{}` is not known", self.layer.show(ty));
        let data = match self.layer.kind(ty).clone() {
            TypeKind::Atomic(atomic, own) => match number_of(atomic) {
                Some(number) => DataForm::Number(number, cells(own)),
                None => DataForm::Void,
            },
            TypeKind::Enum(_, own) => DataForm::Number(NumberType::U32, cells(own)),
            TypeKind::Pointer(to, own) => DataForm::Pointer(to, cells(own), self.group_of(to)),
            TypeKind::Reference(of) => DataForm::Pointer(of, NumberCells::One, self.group_of(of)),
            TypeKind::Array(of, Count::Known(count)) => DataForm::Array(self.within(of, unbound, depth + 1)?, count),
            TypeKind::Array(of, Count::Unsized) => DataForm::Array(self.within(of, unbound, depth + 1)?, 0),
            TypeKind::Vector(of, Count::Known(count)) => DataForm::Vector(self.within(of, unbound, depth + 1)?, count),
            TypeKind::Struct(of, own) => {
                let unbound = if own == Lanes::Unbound { unbound } else { own };
                DataForm::Struct(Rc::new(self.struct_of(of, unbound, depth)?))
            }
            TypeKind::Function(..) => DataForm::Function,
            _ => return Err(unknown()),
        };
        Ok(Rc::new(data))
    }

    fn group_of(&self, to: Ty) -> Option<u32> {
        match self.layer.lanes(to) {
            Some(Lanes::Soa(width)) => Some(width),
            _ => None,
        }
    }

    fn struct_of(&self, of: Entity, unbound: Lanes, depth: u32) -> Result<StructData, String> {
        let Some(members) = self.layer.members(of) else {
            return Err(format!("the struct `{}` is declared and not defined", self.layer.entity(of).name));
        };
        let mut all = StructData { of, members: Vec::new(), size: 0, align: 1 };
        let mut first = 0;
        for member in members.iter() {
            let data = self.within(member.ty, unbound, depth + 1)?;
            let (size, align) = (self.size(&data), self.align(&data));
            let offset = all.size.next_multiple_of(align.max(1));
            all.align = all.align.max(align);
            all.size = offset + size;
            let n = n_numbers(&data);
            all.members.push(MemberData { name: member.name.clone(), data, offset, first });
            first += n as usize;
        }
        all.size = all.size.next_multiple_of(all.align).max(1);
        Ok(all)
    }

    fn cells(&self, cells: NumberCells) -> u64 {
        match cells {
            NumberCells::One => 1,
            NumberCells::EachLane => self.lanes,
            NumberCells::Group(width) => width.into(),
        }
    }

    /// The size in bytes.
    pub(crate) fn size(&self, data: &DataForm) -> u64 {
        match data {
            DataForm::Void | DataForm::Function => 0,
            DataForm::Number(number, cells) => number.bytes() * self.cells(*cells),
            DataForm::Pointer(_, cells, group) => 8 * self.cells(*cells) * if group.is_some() { 2 } else { 1 },
            DataForm::Array(of, count) => self.size(of).saturating_mul(*count),
            DataForm::Vector(of, count) => self.size(of).saturating_mul(self.padded(of, *count)),
            DataForm::Struct(of) => of.size,
        }
    }

    /// A short vector of uniform numbers fills a power of two of them.
    fn padded(&self, of: &DataForm, count: u64) -> u64 {
        match of {
            DataForm::Number(_, NumberCells::One) => count.next_power_of_two().max(4),
            _ => count,
        }
    }

    /// The alignment in bytes.
    pub(crate) fn align(&self, data: &DataForm) -> u64 {
        match data {
            DataForm::Void | DataForm::Function => 1,
            DataForm::Number(number, cells) => match cells {
                NumberCells::Group(_) => number.bytes(),
                _ => (number.bytes() * self.cells(*cells)).next_power_of_two(),
            },
            DataForm::Pointer(_, NumberCells::Group(_), _) => 8,
            DataForm::Pointer(_, cells, _) => (8 * self.cells(*cells)).next_power_of_two(),
            DataForm::Array(of, _) => self.align(of),
            DataForm::Vector(of, _) => match **of {
                DataForm::Number(_, NumberCells::One) => self.size(data).min(64),
                _ => self.align(of),
            },
            DataForm::Struct(of) => of.align,
        }
    }

    /// The numbers of a type, in their order; an error if there are too many for a value.
    pub(crate) fn numbers(&self, data: &DataForm) -> Result<Vec<NumberAt>, String> {
        if n_numbers(data) > MOST_NUMBERS {
            return Err(format!("a value of {} numbers is copied as a whole, which is too large", n_numbers(data)));
        }
        let mut found = Vec::new();
        self.collect(data, 0, &mut found);
        Ok(found)
    }

    fn collect(&self, data: &DataForm, offset: u64, found: &mut Vec<NumberAt>) {
        match data {
            DataForm::Void | DataForm::Function => {}
            DataForm::Number(number, cells) => found.push(NumberAt { offset, number: *number, cells: *cells }),
            DataForm::Pointer(_, cells, group) => {
                found.push(NumberAt { offset, number: NumberType::Pointer, cells: *cells });
                if group.is_some() {
                    let offset = offset + 8 * self.cells(*cells);
                    found.push(NumberAt { offset, number: NumberType::I64, cells: *cells });
                }
            }
            DataForm::Array(of, count) | DataForm::Vector(of, count) => {
                let size = self.size(of);
                for nth in 0..*count {
                    self.collect(of, offset + nth * size, found);
                }
            }
            DataForm::Struct(of) => {
                for member in &of.members {
                    self.collect(&member.data, offset + member.offset, found);
                }
            }
        }
    }

    /// Adds the numbers of a variable with their names, as long as there are few; addresses and those of `soa` data are left out.
    pub(crate) fn named(&self, data: &DataForm, name: &str, offset: u64, found: &mut Vec<VariableNumber>) {
        if found.len() >= MOST_NAMED {
            return;
        }
        match data {
            DataForm::Void | DataForm::Function | DataForm::Pointer(..) => {}
            DataForm::Number(number, cells) => {
                let ty = GangType { number: *number, is_varying: *cells == NumberCells::EachLane };
                if !matches!(cells, NumberCells::Group(_)) {
                    found.push(VariableNumber { name: name.to_owned(), offset, ty });
                }
            }
            DataForm::Array(of, count) | DataForm::Vector(of, count) => {
                let size = self.size(of);
                for nth in 0..(*count).min(MOST_NAMED as u64) {
                    self.named(of, &format!("{name}[{nth}]"), offset + nth * size, found);
                }
            }
            DataForm::Struct(of) => {
                for member in &of.members {
                    self.named(&member.data, &format!("{name}.{}", member.name), offset + member.offset, found);
                }
            }
        }
    }

    /// The type of a value that was read from here: one a lane if an address that varies led to it.
    pub(crate) fn value_of(&self, data: &Rc<DataForm>, is_varying: bool) -> Rc<DataForm> {
        let cells = |own: NumberCells| match own {
            NumberCells::EachLane => own,
            _ if is_varying => NumberCells::EachLane,
            _ => NumberCells::One,
        };
        Rc::new(match &**data {
            DataForm::Number(number, own) => DataForm::Number(*number, cells(*own)),
            DataForm::Pointer(to, own, group) => DataForm::Pointer(*to, cells(*own), *group),
            DataForm::Array(of, count) => DataForm::Array(self.value_of(of, is_varying), *count),
            DataForm::Vector(of, count) => DataForm::Vector(self.value_of(of, is_varying), *count),
            DataForm::Struct(of) => {
                let mut next = StructData { of: of.of, members: Vec::new(), size: 0, align: 1 };
                for member in &of.members {
                    let data = self.value_of(&member.data, is_varying);
                    let offset = next.size.next_multiple_of(self.align(&data).max(1));
                    next.align = next.align.max(self.align(&data));
                    next.size = offset + self.size(&data);
                    next.members.push(MemberData { data, offset, ..member.clone() });
                }
                next.size = next.size.next_multiple_of(next.align).max(1);
                DataForm::Struct(Rc::new(next))
            }
            DataForm::Void | DataForm::Function => return data.clone(),
        })
    }
}

/// The number of registers of a value.
pub(crate) fn n_numbers(data: &DataForm) -> u64 {
    match data {
        DataForm::Void | DataForm::Function => 0,
        DataForm::Number(..) => 1,
        DataForm::Pointer(_, _, group) => {
            if group.is_some() {
                2
            } else {
                1
            }
        }
        DataForm::Array(of, count) | DataForm::Vector(of, count) => n_numbers(of).saturating_mul(*count),
        DataForm::Struct(of) => of.members.iter().map(|member| n_numbers(&member.data)).sum(),
    }
}

/// Returns true if a number in it has a cell a lane.
pub(crate) fn is_varying(data: &DataForm) -> bool {
    match data {
        DataForm::Void | DataForm::Function => false,
        DataForm::Number(_, cells) | DataForm::Pointer(_, cells, _) => *cells == NumberCells::EachLane,
        DataForm::Array(of, _) | DataForm::Vector(of, _) => is_varying(of),
        DataForm::Struct(of) => of.members.iter().any(|member| is_varying(&member.data)),
    }
}

/// Returns true if its numbers are in groups.
pub(crate) fn group_width(data: &DataForm) -> Option<u32> {
    match data {
        DataForm::Void | DataForm::Function => None,
        DataForm::Number(_, cells) | DataForm::Pointer(_, cells, _) => match cells {
            NumberCells::Group(width) => Some(*width),
            _ => None,
        },
        DataForm::Array(of, _) | DataForm::Vector(of, _) => group_width(of),
        DataForm::Struct(of) => of.members.iter().find_map(|member| group_width(&member.data)),
    }
}
