//! Names by which functions of several ISPC files find each other when they are linked.
//!
//! A function's symbol is its name, and behind a dot each the types that it takes: `shade.v_float.u_p_u_const_5Light`. A type is spelled
//! from the outside to the inside, with `_` between its words:
//!
//! - `u`, `v` and `s8`: `uniform`, `varying` and `soa<8>`; what says nothing is varying
//! - `const`, but for the parameter itself, which its caller knows nothing of
//! - ispc's own words for numbers: `float`, `uint8`, `bool`, …; what takes nothing takes `void`
//! - `5Light`: a struct or enumeration, its name behind the length of that
//! - `p_…`, `r_…`: a pointer or reference to what follows; `a4_…`, `a_…`: an array of four, or of nobody knows how many; `x3_…`: a short
//!   vector of three
//! - `f2_…`: a function that takes two things: what it gives, and what it takes
//!
//! Two functions have one symbol if and only if one may be declared for the other. A letter that no symbol of C may have is `$` and its
//! number in two hexadecimal digits.

use std::fmt::Write;

use crate::layer::{Entity, Layer};
use crate::ty::{Count, Lanes, Ty, TypeKind};

/// The symbol of a function; none if it is a template, or a type that it takes has no name.
pub fn symbol(layer: &Layer, function: Entity) -> Option<String> {
    let data = layer.entity(function);
    let TypeKind::Function(_, takes) = layer.kind(data.ty) else { return None };
    if data.function.as_ref().is_some_and(|it| !it.template.is_empty() || it.is_instance) {
        return None;
    }
    let mut text = String::new();
    for char in data.name.chars() {
        match char {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => text.push(char),
            other => write!(text, "${:02x}", u32::from(other)).ok()?,
        }
    }
    if takes.is_empty() {
        text += ".void";
    }
    for ty in takes {
        text.push('.');
        spell(layer, *ty, Lanes::Varying, true, &mut text)?;
    }
    Some(text)
}

/// Writes a type. What says nothing of lanes is of the given ones.
fn spell(layer: &Layer, ty: Ty, unbound: Lanes, is_outermost: bool, text: &mut String) -> Option<()> {
    let found = layer.get(ty);
    let is_const = found.is_const && !is_outermost;
    let of_lanes = |own: Lanes| {
        let word = match if own == Lanes::Unbound { unbound } else { own } {
            Lanes::Uniform => "u".to_owned(),
            Lanes::Varying | Lanes::Unbound => "v".to_owned(),
            Lanes::Soa(width) => format!("s{width}"),
        };
        if is_const { format!("{word}_const") } else { word }
    };
    match &found.kind {
        TypeKind::Atomic(crate::ty::Atomic::Void, _) if is_const => *text += "const_void",
        TypeKind::Atomic(crate::ty::Atomic::Void, _) => *text += "void",
        TypeKind::Atomic(atomic, own) => *text += &format!("{}_{}", of_lanes(*own), atomic.word()),
        TypeKind::Enum(of, own) | TypeKind::Struct(of, own) => {
            let name = &layer.entity(*of).name;
            let is_named = !name.is_empty() && layer.entity(*of).kind != ispc::names::DeclKind::Field;
            is_named.then_some(())?;
            *text += &format!("{}_{}{name}", of_lanes(*own), name.len());
        }
        TypeKind::Pointer(to, own) => {
            *text += &format!("{}_p_", of_lanes(*own));
            spell(layer, *to, Lanes::Uniform, false, text)?;
        }
        TypeKind::Reference(of) => {
            *text += "r_";
            spell(layer, *of, unbound, false, text)?;
        }
        TypeKind::Array(of, count) => {
            match count {
                Count::Known(count) => *text += &format!("a{count}_"),
                Count::Unsized => *text += "a_",
                Count::Of(_) | Count::Unknown => return None,
            }
            spell(layer, *of, unbound, false, text)?;
        }
        TypeKind::Vector(of, Count::Known(count)) => {
            *text += &format!("x{count}_");
            spell(layer, *of, unbound, is_outermost, text)?;
        }
        TypeKind::Function(gives, takes) => {
            *text += &format!("f{}_", takes.len());
            spell(layer, *gives, Lanes::Varying, true, text)?;
            for ty in takes {
                text.push('_');
                spell(layer, *ty, Lanes::Varying, true, text)?;
            }
        }
        TypeKind::Vector(..) | TypeKind::Unknown | TypeKind::Param(..) => return None,
    }
    Some(())
}
