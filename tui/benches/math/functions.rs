//! The functions to measure: builtins that are written in the prelude for each float type, and kernels that apply them.

use std::collections::BTreeMap;

use hir::builtins::{BUILTINS, Builtin, BuiltinId, Means, TypeRule};
use ir::Elem;
use queries::db::Database;
use queries::prelude;

/// A function of one or two arguments.
#[derive(Clone, Copy)]
pub(crate) struct Function(&'static Builtin);

/// The text of a function that a kernel uses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The one of kernels without attributes.
    Strict,
    /// The one of kernels under `@fast`.
    Fast,
}

impl Mode {
    pub(crate) const ALL: [Mode; 2] = [Mode::Strict, Mode::Fast];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Mode::Strict => "strict",
            Mode::Fast => "fast",
        }
    }
}

/// All functions that have a text for each float type.
pub(crate) fn all() -> Vec<Function> {
    BUILTINS.iter().filter(|row| matches!(row.means, Means::ByType)).map(Function).collect()
}

impl Function {
    pub(crate) fn name(self) -> &'static str {
        self.0.name
    }

    /// True for a function of two arguments.
    pub(crate) fn has_second(self) -> bool {
        matches!(self.0.shape, TypeRule::Same(_, 2) | TypeRule::Scale(_))
    }

    /// True if the prelude has a text of the function for a type.
    pub(crate) fn is_written(self, elem: &str) -> bool {
        let db = Database::default();
        let elem = if elem == "f32" { Elem::F32 } else { Elem::F64 };
        BuiltinId::from_name(self.0.name).is_some_and(|id| prelude::function(&db, id, elem, false).is_some())
    }

    /// A digest of the function's text in the prelude and of all that it reaches, without comments, by which a measurement tells what
    /// was measured; empty if there is no text.
    pub(crate) fn text(self, elem: &str, mode: Mode) -> String {
        let db = Database::default();
        let elem = if elem == "f32" { Elem::F32 } else { Elem::F64 };
        let item =
            BuiltinId::from_name(self.0.name).and_then(|id| prelude::function(&db, id, elem, mode == Mode::Fast));
        item.map_or(String::new(), |item| digest(&reached_from(item.name(&db))))
    }

    /// The type of the second argument, if there is one, where the first has the given type.
    pub(crate) fn second(self, elem: &str) -> Option<&str> {
        let is_int = matches!(self.0.shape, TypeRule::Scale(_));
        self.has_second().then_some(if is_int { "i32" } else { elem })
    }

    /// The type of the result, where the first argument has the given type.
    pub(crate) fn result(self, elem: &str) -> &str {
        if matches!(self.0.shape, TypeRule::To(..)) { "i32" } else { elem }
    }

    pub(crate) fn kernel_name(self, elem: &str, mode: Mode) -> String {
        format!("{}_{}_{elem}", mode.name(), self.0.name)
    }

    /// A kernel that applies the function to arrays of a type.
    pub(crate) fn kernel(self, elem: &str, mode: Mode) -> String {
        let name = self.0.name;
        let attribute = if mode == Mode::Fast { "@fast\n" } else { "" };
        let (parameter, argument) =
            self.second(elem).map_or((String::new(), ""), |second| (format!("y: {second}[n], "), ", y[i]"));
        let (kernel, result) = (self.kernel_name(elem, mode), self.result(elem));
        let header = format!("kernel {kernel}(x: {elem}[n], {parameter}out: {result}[n], n: i32):");
        format!("{attribute}{header}\n    for i in range(n):\n        out[i] = {name}(x[i]{argument})\n")
    }
}

/// The items of the prelude that one reaches, itself among them, by their names.
fn reached_from(name: &str) -> BTreeMap<&'static str, String> {
    let items = items();
    let mut reached = BTreeMap::new();
    let mut waiting = vec![name.to_owned()];
    while let Some(name) = waiting.pop() {
        let Some((name, text)) = items.get_key_value(name.as_str()) else { continue };
        if reached.insert(*name, text.clone()).is_none() {
            waiting.extend(text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned));
        }
    }
    reached
}

/// The functions and constants of the prelude by their names, as they are written, without comments.
fn items() -> BTreeMap<&'static str, String> {
    let mut items = BTreeMap::new();
    let mut current = None;
    for line in prelude::TEXT.lines().filter(|line| !line.trim().is_empty()) {
        let head = ["fn ", "const "].iter().find_map(|word| line.strip_prefix(word));
        if let Some(head) = head {
            current = head.split(['(', ':', ' ']).next();
        } else if line.starts_with(|c: char| c.is_alphabetic() || c == '#') {
            current = None;
        }
        if let Some(name) = current.filter(|_| !line.trim_start().starts_with('#')) {
            let text: &mut String = items.entry(name).or_default();
            *text += line;
            text.push('\n');
        }
    }
    items
}

/// The FNV-1a hash of some items.
fn digest(items: &BTreeMap<&str, String>) -> String {
    let bytes = items.values().flat_map(|text| text.bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}")
}
