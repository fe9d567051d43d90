//! A header for C and C++: the exported functions of a unit, with the structs and enumerations that they take.
//!
//! It stands in the place of the header that ispc makes: functions are C's, in C++ all is in the namespace `ispc`, and each struct is defined
//! once, however many headers have it. What C has no type for (data of each lane, `soa` data, functions) is passed as `void *`.

use std::collections::BTreeSet;
use std::fmt::Write;

use ispc::names::DeclKind;
use ispc_types::layer::{Entity, Layer};
use ispc_types::ty::{Atomic, Count, Lanes, Ty, TypeKind};
use native::header::taken;

/// The deepest that structs are in each other.
const DEEPEST: u32 = 40;

/// A function of the header.
#[derive(Clone, Debug)]
pub struct HeaderFunction {
    /// The name.
    pub name: String,
    /// Its declaration.
    pub entity: Entity,
}

/// The header of a file's exported functions.
pub fn header(file: &str, layer: &Layer, functions: &[HeaderFunction]) -> String {
    let mut writer = HeaderWriter { layer, known: BTreeSet::new(), types: String::new() };
    let declared: Vec<[String; 2]> =
        functions.iter().map(|function| [true, false].map(|is_cpp| writer.function(function, is_cpp))).collect();
    let stem: String =
        file.chars().map(|char| if char.is_ascii_alphanumeric() { char.to_ascii_uppercase() } else { '_' }).collect();
    let guard = format!("LANESCOPE_{}_H", stem.trim_matches('_'));
    let mut text = format!("/* Made by lanescope from {}. */\n", file.replace("*/", "* /"));
    let _ = writeln!(
        text,
        "#ifndef {guard}\n#define {guard}\n\n#include <stdint.h>\n#ifndef __cplusplus\n#include <stdbool.h>\n#endif\n"
    );
    text += "#ifdef __cplusplus\nnamespace ispc {\n#endif\n\n";
    text += &writer.types;
    text += "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
    for [cpp, c] in declared {
        match cpp == c {
            true => text += &cpp,
            false => {
                let _ = write!(text, "#ifdef __cplusplus\n{cpp}#else\n{c}#endif\n");
            }
        }
    }
    text += "\n#ifdef __cplusplus\n} /* extern \"C\" */\n} /* namespace ispc */\n#endif\n\n#endif\n";
    text
}

struct HeaderWriter<'l> {
    layer: &'l Layer,
    /// Structs and enumerations that have their text.
    known: BTreeSet<String>,
    types: String,
}

impl HeaderWriter<'_> {
    fn function(&mut self, function: &HeaderFunction, is_cpp: bool) -> String {
        let data = self.layer.entity(function.entity);
        let TypeKind::Function(gives, takes) = self.layer.kind(data.ty).clone() else { return String::new() };
        let names: Vec<String> =
            data.function.iter().flat_map(|of| of.params.iter().map(|(name, _)| name.to_string())).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let params: Vec<String> = takes
            .iter()
            .enumerate()
            .map(|(nth, ty)| {
                let name =
                    names.get(nth).filter(|name| !name.is_empty()).map_or(String::new(), |name| taken(name, &names));
                self.declarator(*ty, &name, is_cpp, 0)
            })
            .collect();
        let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
        let result = self.declarator(gives, "", is_cpp, 0);
        format!("extern {} {}({params});\n", result.trim_end(), function.name)
    }

    /// A parameter or member: its type around its name.
    fn declarator(&mut self, ty: Ty, name: &str, is_cpp: bool, depth: u32) -> String {
        let with = |ty: String| if name.is_empty() { ty } else { format!("{ty} {name}") };
        match self.layer.kind(ty).clone() {
            TypeKind::Pointer(to, _) => with(self.pointer(to, "*", depth)),
            TypeKind::Reference(to) => with(self.pointer(to, if is_cpp { "&" } else { "*" }, depth)),
            // An array that is passed is its address.
            TypeKind::Array(of, _) if depth == 0 => with(self.pointer(of, "*", depth)),
            TypeKind::Array(..) => {
                let mut of = ty;
                let mut counts = String::new();
                while let TypeKind::Array(inner, Count::Known(count)) = *self.layer.kind(of) {
                    let _ = write!(counts, "[{count}]");
                    of = inner;
                }
                format!("{}{counts}", self.declarator(of, name, is_cpp, depth + 1))
            }
            _ => with(self.named(ty, depth).unwrap_or_else(|| "void *".to_owned())),
        }
    }

    fn pointer(&mut self, to: Ty, mark: &str, depth: u32) -> String {
        let constant = if self.layer.is_const(to) { "const " } else { "" };
        if let TypeKind::Pointer(inner, _) = *self.layer.kind(to) {
            return format!("{} {constant}{mark}", self.pointer(inner, "*", depth)).replace("* const *", "*const *");
        }
        if let TypeKind::Array(of, _) = *self.layer.kind(to) {
            return self.pointer(of, mark, depth);
        }
        match self.named(to, depth) {
            Some(name) => format!("{constant}{name} {mark}"),
            None => format!("{constant}void *"),
        }
    }

    /// The name of a type of one value; none if C has none for it.
    fn named(&mut self, ty: Ty, depth: u32) -> Option<String> {
        if depth > DEEPEST || matches!(self.layer.lanes(ty), Some(Lanes::Varying | Lanes::Soa(_))) {
            return None;
        }
        match self.layer.kind(ty).clone() {
            TypeKind::Atomic(atomic, _) => Some(Self::atomic(atomic).to_owned()),
            TypeKind::Enum(entity, _) => Some(self.enumeration(entity)),
            TypeKind::Struct(entity, _) => self.structure(entity, depth),
            TypeKind::Vector(of, Count::Known(count)) => self.short_vector(of, count, depth),
            _ => None,
        }
    }

    fn atomic(atomic: Atomic) -> &'static str {
        match atomic {
            Atomic::Void => "void",
            Atomic::Bool => "bool",
            Atomic::Int8 => "int8_t",
            Atomic::Uint8 => "uint8_t",
            Atomic::Int16 => "int16_t",
            Atomic::Uint16 => "uint16_t",
            Atomic::Int32 => "int32_t",
            Atomic::Uint32 => "uint32_t",
            Atomic::Int64 => "int64_t",
            Atomic::Uint64 => "uint64_t",
            Atomic::Float => "float",
            Atomic::Double => "double",
            Atomic::Float16 => "_Float16",
        }
    }

    /// Puts the text of a type in front of what uses it, once in all headers of a program.
    fn define(&mut self, kind: &str, name: &str, text: &str) {
        let guard = format!("__ISPC_{kind}_{name}__");
        let _ = write!(self.types, "#ifndef {guard}\n#define {guard}\n{text}#endif\n\n");
    }

    fn enumeration(&mut self, entity: Entity) -> String {
        let name = self.layer.entity(entity).name.to_string();
        if name.is_empty() {
            return "uint32_t".to_owned();
        }
        if self.known.insert(format!("enum {name}")) {
            let all = (0..self.layer.n_entities()).map(Entity);
            let values = all.filter(|at| {
                let data = self.layer.entity(*at);
                data.within == Some(entity) && data.kind == DeclKind::Enumerator
            });
            let lines: Vec<String> = values
                .map(|at| {
                    let data = self.layer.entity(at);
                    format!("    {} = {}", data.name, data.value.unwrap_or_default())
                })
                .collect();
            self.define("ENUM", &name, &format!("enum {name} {{\n{}\n}};\n", lines.join(",\n")));
        }
        format!("enum {name}")
    }

    fn structure(&mut self, entity: Entity, depth: u32) -> Option<String> {
        let name = self.layer.entity(entity).name.to_string();
        if name.is_empty() {
            return None;
        }
        let Some(members) = self.layer.members(entity).cloned() else {
            if self.known.insert(format!("struct {name}")) {
                let _ = writeln!(self.types, "struct {name};\n");
            }
            return Some(format!("struct {name}"));
        };
        let holds_lanes = |ty: Ty| self.layer.is_varying(ty) && !matches!(self.layer.kind(ty), TypeKind::Pointer(..));
        if members.iter().any(|member| holds_lanes(member.ty)) {
            return None;
        }
        // A struct that is being written is named by its pointers.
        if self.known.insert(format!("struct {name}")) {
            let mut text = format!("struct {name} {{\n");
            let names: Vec<&str> = members.iter().map(|member| &*member.name).collect();
            for member in members.iter() {
                let _ = writeln!(
                    text,
                    "    {};",
                    self.declarator(member.ty, &taken(&member.name, &names), true, depth + 1).replace(" &", " *")
                );
            }
            text += "};\n";
            self.define("STRUCT", &name, &text);
        }
        Some(format!("struct {name}"))
    }

    /// A short vector: of uniform numbers it fills a power of two of them.
    fn short_vector(&mut self, of: Ty, count: u64, depth: u32) -> Option<String> {
        let TypeKind::Atomic(atomic, _) = *self.layer.kind(of) else { return None };
        let element = self.named(of, depth)?;
        let size = match atomic {
            Atomic::Bool | Atomic::Int8 | Atomic::Uint8 => 1,
            Atomic::Int16 | Atomic::Uint16 | Atomic::Float16 => 2,
            Atomic::Int64 | Atomic::Uint64 | Atomic::Double => 8,
            _ => 4,
        };
        let align = (count.next_power_of_two().max(4) * size).min(64);
        let name = format!("{}{count}", atomic.word());
        if self.known.insert(format!("struct {name}")) {
            let text = format!("struct {name} {{\n    {element} v[{count}];\n}} __attribute__((aligned({align})));\n");
            self.define("VECTOR", &name, &text);
        }
        Some(format!("struct {name}"))
    }
}
