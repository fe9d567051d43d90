//! The signatures of a call while its arguments are typed: all overloads, first the one that is called as it stands.

use queries::db::File;
use queries::ispc::kinds::Kind;
use queries::ispc::names::DeclKind;
use queries::ispc::tree::NodeKind;
use queries::ispc::typing::layers::{Entity, Layer};
use queries::ispc::typing::ty::TypeKind;
use queries::ispc::typing::{function_at, wholes};
use queries::ispc::unit;
use queries::ispc::units::{FileId, Token, Unit};
use report::{TextRange, TextSize};

use super::typed::{is_of_library, library_comment};

/// The most overloads that are offered.
const MOST: usize = 60;

/// The signatures of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IspcSignatureHelp {
    /// The overloads.
    pub signatures: Vec<IspcSignature>,
    /// The overload that is called as it stands, or that fits so far.
    pub active: usize,
    /// The number of the argument that the cursor is in.
    pub argument: usize,
}

/// One overload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IspcSignature {
    /// The function as it is declared, with all types written out.
    pub label: String,
    /// The parameters in the label.
    pub parameters: Vec<TextRange>,
    /// The comment of a function of the library.
    pub docs: Option<String>,
}

/// The signatures of the call whose arguments a place is in.
pub fn signature_help(db: &dyn salsa::Database, file: File, offset: TextSize) -> Option<IspcSignatureHelp> {
    let unit = unit(db, file);
    let token = token_in_front(unit, offset)?;
    let (call, args) = call_around(unit, token)?;
    let function = function_at(db, file, token)?;
    let callee = *unit.tree.children(call).first()?;
    let name = unit.token_text(&unit.tokens[unit.tree.nodes[callee].first as usize]).into_owned();
    let argument = commas(unit, unit.tree.nodes[args].first + 1..token + 1);
    let layer = &function.types.layer;
    let typed = function.types.calls.iter().find(|it| it.node as usize + function.first().1 == call);
    let (entities, chosen): (Vec<Entity>, Option<usize>) = match typed {
        Some(call) => (call.candidates.iter().map(|it| it.entity).collect(), call.chosen),
        None => {
            let all = function.declared.layer.named(&name).into_iter();
            (all.filter(|it| layer.entity(*it).kind == DeclKind::Function).collect(), None)
        }
    };
    let signatures: Vec<IspcSignature> = entities.iter().take(MOST).map(|entity| signature(layer, *entity)).collect();
    let has_room = |signature: &IspcSignature| signature.parameters.len() > argument;
    // The one that is called as it stands may have no parameter for the argument that is about to be written.
    let chosen = chosen.filter(|index| signatures.get(*index).is_some_and(has_room));
    let active = chosen.or_else(|| signatures.iter().position(has_room)).unwrap_or_default();
    (!signatures.is_empty()).then_some(IspcSignatureHelp { active: active.min(MOST - 1), signatures, argument })
}

/// The last token of the file that ends in front of a place.
fn token_in_front(unit: &Unit, offset: TextSize) -> Option<u32> {
    let own = unit.tokens.from(unit.first_own as usize).enumerate();
    let in_front = own.filter(|(_, token)| {
        let is_here = token.place.file == FileId::MAIN && token.is(Token::WRITTEN) && token.kind != Kind::End;
        is_here && token.place.end <= u32::from(offset)
    });
    in_front.last().map(|(index, _)| unit.first_own + index as u32)
}

/// The innermost call whose parentheses are open behind a token, and its arguments.
fn call_around(unit: &Unit, token: u32) -> Option<(usize, usize)> {
    let nodes = &unit.tree.nodes;
    let around: Vec<usize> = unit.tree.around(token).collect();
    let is_open = |node: usize| {
        let is_closed_here = nodes[node].end == token + 1 && unit.tokens[token as usize].kind == Kind::RParen;
        nodes[node].kind == NodeKind::Args && !(is_closed_here && nodes[node].first != token)
    };
    let at = around.iter().position(|node| is_open(*node))?;
    let call = *around.get(at + 1)?;
    (nodes[call].kind == NodeKind::Call).then_some((call, around[at]))
}

/// The commas among tokens that stand in no brackets.
fn commas(unit: &Unit, tokens: std::ops::Range<u32>) -> usize {
    let (mut depth, mut n) = (0, 0);
    for token in unit.tokens.from(tokens.start as usize).take(tokens.len()) {
        match token.kind {
            Kind::LParen | Kind::LBracket | Kind::LBrace => depth += 1,
            Kind::RParen | Kind::RBracket | Kind::RBrace => depth -= 1,
            Kind::Comma if depth == 0 => n += 1,
            _ => {}
        }
    }
    n
}

fn signature(layer: &Layer, entity: Entity) -> IspcSignature {
    let data = layer.entity(entity);
    let docs = is_of_library(entity).then(|| library_comment(entity)).flatten();
    let (Some(function), TypeKind::Function(gives, takes)) = (&data.function, layer.kind(data.ty)) else {
        return IspcSignature { label: wholes::signature(layer, entity), parameters: Vec::new(), docs };
    };
    let mut label = format!("{} {}(", layer.show(*gives), data.name);
    let mut parameters = Vec::new();
    for (nth, (ty, (name, _))) in takes.iter().zip(&function.params).enumerate() {
        if nth > 0 {
            label += ", ";
        }
        let start = TextSize::of(&label);
        label += format!("{} {name}", layer.show(*ty)).trim_end();
        parameters.push(TextRange::new(start, TextSize::of(&label)));
    }
    label.push(')');
    IspcSignature { label, parameters, docs }
}
