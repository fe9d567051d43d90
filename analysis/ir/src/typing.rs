//! Typing: the operands that an op accepts, and the types of its results, by the slots of the op table.
//!
//! Control ops are not here: what they take and give depends on their regions (see [`mod@crate::verify`]).

use smallvec::{SmallVec, smallvec};

use crate::entities::{EntityVec, Struct};
use crate::ops::{Code, Gives, Key, OperandShape, OperandSlot, Sharing};
use crate::program::{Attr, StructDecl};
use crate::types::{CellType, Elem, ElemSet, Type};

/// The role of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperandRole {
    /// Data, a scalar or a vector.
    Data(OperandShape, ElemSet, Sharing),
    /// A view with elements as cells.
    View,
    /// A view with structs as cells.
    Structs,
    /// A view with any cells.
    AnyView,
    /// A subscript of the view.
    Index(OperandShape),
    /// The elements that a cell is to hold.
    Stored(OperandShape),
    /// The mask of the active lanes.
    Mask,
    /// Data of any type.
    Anything,
    /// A scalar, or a view of elements.
    Whole,
}

/// The roles of an op's operands; an error where their number is wrong.
pub fn roles(code: Code, types: &[Type]) -> Result<SmallVec<[OperandRole; 4]>, String> {
    let mut roles: SmallVec<[OperandRole; 4]> = SmallVec::new();
    let mut rank = 0;
    for slot in code.row().slots {
        let left = types.len().saturating_sub(roles.len());
        match *slot {
            OperandSlot::Data(shape, class, sharing) => roles.push(OperandRole::Data(shape, class, sharing)),
            OperandSlot::View | OperandSlot::Structs | OperandSlot::AnyView => {
                rank = types.get(roles.len()).map_or(0, |ty| ty.rank());
                roles.push(match slot {
                    OperandSlot::View => OperandRole::View,
                    OperandSlot::Structs => OperandRole::Structs,
                    _ => OperandRole::AnyView,
                });
            }
            OperandSlot::Indices(shape) => roles.extend((0..rank).map(|_| OperandRole::Index(shape))),
            OperandSlot::Stored(shape) => roles.push(OperandRole::Stored(shape)),
            OperandSlot::Mask => roles.push(OperandRole::Mask),
            OperandSlot::OptionalMask | OperandSlot::Asked => roles.extend((left > 0).then_some(OperandRole::Mask)),
            OperandSlot::Rest(least, shape, class, sharing) => {
                roles.extend((0..left.max(least)).map(|_| OperandRole::Data(shape, class, sharing)));
            }
            OperandSlot::StoredRest(least, shape) => {
                roles.extend((0..left.max(least)).map(|_| OperandRole::Stored(shape)))
            }
            OperandSlot::Anything => roles.extend((0..left).map(|_| OperandRole::Anything)),
            OperandSlot::Whole => roles.push(OperandRole::Whole),
            OperandSlot::WholeRest => roles.extend((0..left.max(1)).map(|_| OperandRole::Whole)),
        }
    }
    match roles.len() == types.len() {
        true => Ok(roles),
        false => Err(format!("`{}` takes {} operands here, not {}", code.row().name, roles.len(), types.len())),
    }
}

/// The lanes that operands have in common; an error where they differ.
pub fn common_lanes(types: &[Type]) -> Result<Option<u16>, String> {
    let mut common = None;
    for lanes in types.iter().filter_map(|ty| ty.lanes()) {
        match common {
            Some(before) if before != lanes => return Err(format!("{before} lanes meet {lanes} lanes")),
            _ => common = Some(lanes),
        }
    }
    Ok(common)
}

/// The lanes that an op works in; an error where it needs operands to have the same, and they do not.
fn working_lanes(code: Code, types: &[Type]) -> Result<Option<u16>, String> {
    match code.row().gives {
        // Operands that are permuted lie side by side: their lanes are not the result's.
        Gives::Patterned | Gives::Regrouped => Ok(None),
        Gives::LookedUp => Ok(types.last().and_then(|numbers| numbers.lanes())),
        _ => common_lanes(types),
    }
}

/// The types that an elementwise op has for each element of whole arrays.
type Elements = SmallVec<[Type; 4]>;

/// The rank of the arrays that an elementwise op works on, if it works on whole arrays, and the types of their elements.
fn of_whole_arrays(code: Code, types: &[Type]) -> Result<Option<(u8, Elements)>, String> {
    if !code.is_elementwise() {
        return Ok(None);
    }
    let mut ranks = types.iter().filter(|ty| ty.is_view()).map(|ty| ty.rank());
    let Some(rank) = ranks.next() else { return Ok(None) };
    if ranks.any(|other| other != rank) {
        return Err(format!("`{}` works on arrays of different ranks", code.row().name));
    }
    let element = |ty: &Type| match ty {
        Type::View { item: CellType::Elem(elem), lanes: None, .. } => Ok(Type::scalar(*elem)),
        Type::View { .. } => Err(format!("`{}` works on {ty}", code.row().name)),
        Type::Data { .. } => Ok(*ty),
    };
    let elements = types.iter().map(element).collect::<Result<_, String>>()?;
    common_lanes(types)?.map_or(Ok(Some((rank, elements))), |_| Err("whole arrays meet lanes".to_owned()))
}

/// The types of an op's results. The element types of operands are taken as they are; [`check`] judges them.
pub fn results(
    structs: &EntityVec<Struct, StructDecl>,
    code: Code,
    attr: &Attr,
    types: &[Type],
) -> Result<SmallVec<[Type; 1]>, String> {
    if let Some((rank, elements)) = of_whole_arrays(code, types)? {
        let elements = results(structs, code, attr, &elements)?;
        return Ok(elements.iter().filter_map(|ty| Some(Type::view(ty.data_elem()?, rank))).collect());
    }
    let roles = roles(code, types)?;
    let shared = roles.iter().zip(types).find_map(|(role, ty)| match role {
        OperandRole::Data(_, _, Sharing::Shared) => ty.data_elem(),
        _ => None,
    });
    let need = || shared.ok_or_else(|| format!("`{}` has no data to work on", code.row().name));
    let lanes = working_lanes(code, types)?;
    let lanes_said = match *attr {
        Attr::Lanes(lanes) => Some(lanes),
        _ => None,
    };
    let data = |elem, lanes| Type::Data { elem, lanes };
    let in_lanes = |lanes: Option<u16>| lanes.ok_or_else(|| format!("`{}` works in lanes", code.row().name));
    let view = types.first().copied().filter(|ty| ty.is_view());
    let of_view = || view.ok_or_else(|| format!("`{}` starts with a view", code.row().name));
    let cell = || of_view()?.elem().ok_or_else(|| "a struct has to be reduced to a field first".to_owned());
    let wrong_attr = || format!("`{}` does not say what it has to", code.row().name);
    let ty = match code.row().gives {
        Gives::Nothing | Gives::Yielded => return Ok(SmallVec::new()),
        Gives::Same | Gives::LookedUp => data(need()?, lanes),
        Gives::Of(elem) => data(elem, lanes),
        Gives::Named => match *attr {
            Attr::Elem(elem) => data(elem, lanes),
            _ => return Err(wrong_attr()),
        },
        Gives::Typed => match *attr {
            Attr::Type(ty) => ty,
            _ => return Err(wrong_attr()),
        },
        Gives::SameScalar => data(need()?, None),
        Gives::ScalarOf(elem) => data(elem, None),
        Gives::SameLanes | Gives::Indexed => data(need()?, Some(in_lanes(lanes_said)?)),
        Gives::Packed => data(need()?, Some(types.len() as u16)),
        Gives::Patterned => match attr {
            Attr::Pattern(pattern) => data(need()?, Some(pattern.len() as u16)),
            _ => return Err(wrong_attr()),
        },
        Gives::Regrouped => match *attr {
            Attr::Type(ty) => ty,
            _ => return Err(wrong_attr()),
        },
        Gives::LaneNumbers => data(Elem::I32, lanes_said),
        Gives::LanesOf(elem) => data(elem, Some(in_lanes(lanes_said)?)),
        Gives::Loaded => data(cell()?, lanes),
        Gives::LoadedLanes => data(cell()?, Some(in_lanes(lanes.or(lanes_said))?)),
        Gives::LoadedGroup => match *attr {
            Attr::Number(members @ 1..=64) => {
                return Ok(smallvec![data(cell()?, Some(in_lanes(lanes)?)); members as usize]);
            }
            _ => return Err(wrong_attr()),
        },
        Gives::Row => match of_view()?.with_lanes(lanes) {
            Type::View { item, rank: rank @ 2.., lanes } => Type::View { item, rank: rank - 1, lanes },
            _ => return Err("an array of one dimension has no rows".to_owned()),
        },
        Gives::SameView => of_view()?.with_lanes(lanes),
        Gives::FieldView => match (of_view()?, attr) {
            (Type::View { item: CellType::Struct(decl), rank, lanes }, Attr::Field(field)) => {
                let fields = structs.get(decl).map_or(&[][..], |decl| &decl.fields);
                let field = fields.get(usize::from(*field)).ok_or_else(wrong_attr)?;
                let rank = u8::try_from(field.sizes.len()).ok().and_then(|inner| rank.checked_add(inner));
                Type::View { item: CellType::Elem(field.elem), rank: rank.ok_or_else(wrong_attr)?, lanes }
            }
            _ => return Err("only a struct has fields".to_owned()),
        },
        Gives::FlatView => match (of_view()?, attr) {
            (Type::View { item, lanes: None, .. }, Attr::Elem(elem)) if item_has(structs, item, elem.bytes()) => {
                Type::view(*elem, 1)
            }
            _ => return Err(wrong_attr()),
        },
        Gives::NewArray => match *attr {
            Attr::Elem(elem) | Attr::Unset(elem) | Attr::Cells(elem, _) => {
                let n_sizes = types.len() - usize::from(code == Code::Scratch);
                Type::view(elem, u8::try_from(n_sizes).map_err(|_| wrong_attr())?)
            }
            _ => return Err(wrong_attr()),
        },
        Gives::Counted => Type::view(need()?, 1),
        Gives::Repeated => match types.last() {
            Some(ty) if let Some(elem) = ty.elem() => Type::view(elem, ty.rank().saturating_add(1)),
            _ => return Err(wrong_attr()),
        },
    };
    Ok(smallvec![ty])
}

/// Says whether a cell is, or has a field, of so many bytes; then all of them lie at multiples of that.
fn item_has(structs: &EntityVec<Struct, StructDecl>, item: CellType, bytes: usize) -> bool {
    match item {
        CellType::Elem(elem) => elem.bytes() == bytes,
        CellType::Struct(decl) => {
            let fields = structs.get(decl).map_or(&[][..], |decl| &decl.fields);
            fields.iter().any(|field| field.elem.bytes() == bytes)
        }
    }
}

/// Checks that an op accepts operands of these types; the error says what is wrong first.
pub fn check(code: Code, types: &[Type]) -> Result<(), String> {
    if let Some((_, elements)) = of_whole_arrays(code, types)? {
        return check(code, &elements);
    }
    let roles = roles(code, types)?;
    let row = code.row();
    working_lanes(code, types)?;
    let shared = roles.iter().zip(types).find_map(|(role, ty)| match role {
        OperandRole::Data(_, _, Sharing::Shared) => ty.data_elem(),
        _ => None,
    });
    for (number, (role, ty)) in roles.iter().zip(types).enumerate() {
        let view = types.first().copied().filter(|ty| ty.is_view());
        check_operand(*role, *ty, shared, view).map_err(|what| format!("operand {number} of `{}` {what}", row.name))?;
    }
    let whole = roles.iter().zip(types).filter(|(role, _)| **role == OperandRole::Whole).map(|(_, ty)| *ty);
    check_whole(code, types, whole.collect())?;
    check_indices(code, &roles, types)
}

/// Checks that scalars and arrays that are the elements of one array, or given to the cells of a view, fit there.
fn check_whole(code: Code, types: &[Type], whole: Elements) -> Result<(), String> {
    let name = code.row().name;
    match (code, &whole[..]) {
        (Code::Assign, &[value]) => {
            let ranks = !value.is_view() || value.rank() == types[0].rank();
            let fits = value.elem() == types[0].elem() && ranks && types[0].lanes().is_none();
            fits.then_some(()).ok_or_else(|| format!("`{name}` gives {value} to {}", types[0]))
        }
        (_, [first, rest @ ..]) if rest.iter().any(|ty| ty != first) => {
            Err(format!("`{name}` joins {first} and others"))
        }
        _ => Ok(()),
    }
}

/// Checks that one operand fits its role; `shared` is the type that shared data has to have, `view` the op's view.
fn check_operand(role: OperandRole, ty: Type, shared: Option<Elem>, view: Option<Type>) -> Result<(), String> {
    let shape_fits = |shape: OperandShape| match shape {
        OperandShape::Both => Ok(()),
        OperandShape::Scalar if ty.lanes().is_none() => Ok(()),
        OperandShape::Lanes if ty.lanes().is_some() => Ok(()),
        OperandShape::Scalar => Err(format!("has to be a scalar, not {ty}")),
        OperandShape::Lanes => Err(format!("has to be in lanes, not {ty}")),
    };
    let elem = || ty.data_elem().ok_or_else(|| format!("has to be data, not {ty}"));
    match role {
        OperandRole::Data(shape, class, sharing) => {
            let elem = elem()?;
            if !class.contains(elem) {
                return Err(format!("has to be {}, not {elem}", class.describe()));
            }
            match shared {
                Some(shared) if sharing == Sharing::Shared && elem != shared => {
                    Err(format!("is {elem} where another is {shared}"))
                }
                _ => shape_fits(shape),
            }
        }
        OperandRole::View if matches!(ty, Type::View { item: CellType::Elem(_), .. }) => Ok(()),
        OperandRole::View => Err(format!("has to be a view of elements, not {ty}")),
        OperandRole::Structs if matches!(ty, Type::View { item: CellType::Struct(_), .. }) => Ok(()),
        OperandRole::Structs => Err(format!("has to be a view of structs, not {ty}")),
        OperandRole::AnyView if ty.is_view() => Ok(()),
        OperandRole::AnyView => Err(format!("has to be a view, not {ty}")),
        OperandRole::Index(_) if !elem()?.is_integer() => {
            Err(format!("is a subscript and has to be an integer, not {ty}"))
        }
        // If some subscript has to be a vector, that is checked for all of them together.
        OperandRole::Index(OperandShape::Scalar) => shape_fits(OperandShape::Scalar),
        OperandRole::Index(_) => Ok(()),
        OperandRole::Stored(shape) => match view.and_then(Type::elem) {
            Some(cell) if elem()? != cell => Err(format!("is stored to cells of {cell}, but is {ty}")),
            _ => shape_fits(shape),
        },
        OperandRole::Mask if matches!(ty, Type::Data { elem: Elem::Bool, lanes: Some(_) }) => Ok(()),
        OperandRole::Mask => Err(format!("has to be a mask, not {ty}")),
        OperandRole::Anything => Ok(()),
        OperandRole::Whole if ty.elem().is_some() && ty.lanes().is_none() => Ok(()),
        OperandRole::Whole => Err(format!("has to be a scalar or a view of elements, not {ty}")),
    }
}

/// Says whether each lane of an access may have a view of its own.
fn may_differ(code: Code) -> bool {
    matches!(code, Code::Gather | Code::Scatter | Code::Prefetch) || code.as_atomic().is_some()
}

/// Checks that subscripts are vectors where they have to be, and views only where they may.
fn check_indices(code: Code, roles: &[OperandRole], types: &[Type]) -> Result<(), String> {
    let name = code.row().name;
    let of_role = |wanted: fn(&OperandRole) -> bool| roles.iter().zip(types).filter(move |(role, _)| wanted(role));
    if of_role(|role| matches!(role, OperandRole::Index(_))).next().is_none() {
        return Ok(());
    }
    let needs_lanes = roles.contains(&OperandRole::Index(OperandShape::Lanes));
    if needs_lanes && of_role(|role| matches!(role, OperandRole::Index(_))).all(|(_, ty)| ty.lanes().is_none()) {
        return Err(format!("a subscript of `{name}` has to be in lanes"));
    }
    if types[0].lanes().is_some() && !may_differ(code) {
        return Err(format!("`{name}` works on one view, not on one for each lane"));
    }
    if let Some(rule) = code.as_atomic()
        && !types[0].elem().is_some_and(|elem| rule.takes().contains(elem))
    {
        return Err(format!("`{name}` does not work on cells of this type"));
    }
    let scalar_access = matches!(code, Code::Load | Code::Store | Code::VectorLoad | Code::Prefetch)
        || code.as_atomic().is_some()
        || code.asks_lanes();
    if !scalar_access && types.iter().all(|ty| ty.lanes().is_none()) {
        return Err(format!("`{name}` works in lanes"));
    }
    Ok(())
}

/// The bytes of all lanes of a vector.
fn bytes_in_lanes(ty: &Type) -> usize {
    usize::from(ty.lanes().unwrap_or(1)) * ty.data_elem().map_or(0, Elem::bytes)
}

/// Checks that an op has the attribute that its row's key asks for, within its bounds; its operands have been checked.
pub fn check_attr(code: Code, attr: &Attr, types: &[Type]) -> Result<(), String> {
    let fits = match (code.row().key, attr) {
        (Key::Type, Attr::Type(to)) if code == Code::Regroup => {
            let is_unsigned = to.data_elem().is_some_and(|elem| ElemSet::UNSIGNED.contains(elem));
            is_unsigned && to.lanes().is_some() && types.iter().map(bytes_in_lanes).sum::<usize>() == bytes_in_lanes(to)
        }
        (Key::Type, Attr::Type(to)) if code == Code::Sad => {
            let is_wide = to.data_elem().is_some_and(|elem| ElemSet::UNSIGNED.contains(elem) && elem.bytes() > 1);
            let same = types.iter().all(|ty| bytes_in_lanes(ty) == bytes_in_lanes(to));
            is_wide && to.lanes().is_some() && same
        }
        (Key::None, Attr::None) | (Key::Type, Attr::Type(_)) => true,
        (Key::Convert, Attr::Elem(_)) => true,
        (Key::NewElem, Attr::Elem(_) | Attr::Unset(_)) => true,
        (Key::Cells, Attr::Cells(elem, cells)) => cells.iter().all(|cell| cell.elem() == *elem),
        (Key::Elem, Attr::Elem(to)) => {
            code != Code::Bitcast || types[0].elem().is_some_and(|from| from.bytes() == to.bytes())
        }
        (Key::Lanes, Attr::None) => match code {
            Code::LaneId => true,
            _ => code == Code::VectorLoad && types.iter().any(|ty| ty.lanes().is_some()),
        },
        (Key::Lanes, Attr::Lanes(lanes)) => *lanes > 0 && types.iter().all(|ty| ty.lanes().is_none()),
        (Key::Dim, Attr::Number(dim)) => (0..i64::from(types[0].rank())).contains(dim),
        (Key::Number(_, least), Attr::Number(number)) => *number >= least,
        (Key::Pattern, Attr::Pattern(pattern)) => {
            let lanes: usize = types.iter().filter_map(|ty| ty.lanes()).map(usize::from).sum();
            !pattern.is_empty() && pattern.iter().all(|&lane| usize::from(lane) < lanes)
        }
        (Key::Field, Attr::Field(_)) => true,
        (Key::Through | Key::Past | Key::Order, Attr::None) | (Key::Past, Attr::PastCache) => true,
        (Key::Order, Attr::FreeOrder) => {
            let elem = types.first().and_then(|ty| ty.elem());
            code.as_atomic().zip(elem).is_some_and(|(rule, elem)| rule.commutes(elem))
        }
        (Key::Through, Attr::InMemory) => types.iter().any(|ty| ty.lanes().is_some()),
        (Key::Control, Attr::Control(_)) => true,
        _ => false,
    };
    if fits { Ok(()) } else { Err(format!("`{}` does not say what it has to, or says it wrongly", code.row().name)) }
}
