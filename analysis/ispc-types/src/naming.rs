//! Names that tell functions apart. Overloads share a name, and are told from each other by the types that they take: `shade(varying float)`.

use crate::layer::{Entity, Layer};
use crate::ty::TypeKind;

/// The name of a function, with the types that it takes if there is another function of that name which takes others.
pub fn telling_name(layer: &Layer, function: Entity) -> String {
    let own = with_types(layer, function);
    let name = &layer.entity(function).name;
    let has_others = layer.named(name).into_iter().any(|other| {
        let is_function = matches!(layer.kind(layer.entity(other).ty), TypeKind::Function(..));
        is_function && with_types(layer, other) != own
    });
    if has_others { own } else { name.to_string() }
}

/// The name of a function, with the types that it takes.
pub fn with_types(layer: &Layer, function: Entity) -> String {
    let data = layer.entity(function);
    let takes = match layer.kind(data.ty) {
        TypeKind::Function(_, takes) => &takes[..],
        _ => &[],
    };
    let shown: Vec<String> = takes.iter().map(|ty| layer.show(*ty)).collect();
    format!("{}({})", data.name, shown.join(", "))
}

/// Returns true if a name means a function: its own, which all its overloads have, or that with the types which it takes, however blanks
/// stand in it.
pub fn is_meant(layer: &Layer, function: Entity, name: &str) -> bool {
    *layer.entity(function).name == *name || name.contains('(') && is_same(&with_types(layer, function), name)
}

/// Compares names with types, but for blanks.
pub fn is_same(one: &str, other: &str) -> bool {
    let dense = |name: &str| name.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    dense(one) == dense(other)
}
