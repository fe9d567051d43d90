//! The meaning of tokens by their types: the member of this very struct, the overload that is called, the type of an expression.

use queries::db::File;
use queries::ispc::names::DeclKind;
use queries::ispc::tree::NodeKind;
use queries::ispc::typing::layers::Entity;
use queries::ispc::typing::ty::Ty;
use queries::ispc::typing::{TypedFunction, function_at, library, types};
use queries::ispc::unit;
use queries::ispc::units::Unit;

/// The declaration for which a token stands by its type, if it is one of the unit.
pub(super) fn declaration_at(db: &dyn salsa::Database, file: File, token: u32) -> Option<u32> {
    let function = function_at(db, file, token)?;
    function.decl(function.meaning(token)?)
}

/// The innermost expression that a token belongs to and whose type is known. A bracket or operator belongs to what it makes.
pub(super) fn expression_at(
    db: &dyn salsa::Database,
    file: File,
    token: u32,
) -> Option<(TypedFunction<'_>, usize, Ty)> {
    let function = function_at(db, file, token)?;
    let around = function.unit.tree.around(token);
    let inside = around.take_while(|node| function.unit.tree.nodes[*node].kind != NodeKind::Block);
    let mut typed = inside.filter_map(|node| Some((node, function.ty(node).filter(|ty| ty.is_known())?)));
    let (node, ty) = typed.next()?;
    Some((function, node, ty))
}

/// The declarations of the function that one declares: its prototypes and its definition, and no other overload.
pub(super) fn same_function(db: &dyn salsa::Database, file: File, decl: u32) -> Vec<u32> {
    let (unit, declared) = (unit(db, file), types(db, file));
    let shown = |decl: u32| {
        let entity = declared.entity(decl)?;
        let ty = declared.layer.entity(entity).ty;
        Some(declared.layer.show(ty)).filter(|_| ty.is_known())
    };
    let own = shown(decl);
    let same = unit.names.same(decl);
    match own {
        Some(own) => same.into_iter().filter(|other| shown(*other).as_ref() == Some(&own)).collect(),
        None => same,
    }
}

/// The type of the function that a declaration of a unit declares, as it is shown.
pub(super) fn function_type(db: &dyn salsa::Database, file: File, decl: u32) -> Option<String> {
    let declared = types(db, file);
    let ty = declared.layer.entity(declared.entity(decl)?).ty;
    ty.is_known().then(|| declared.layer.show(ty))
}

/// The overload that a function's name stands for at a token: the one that is called, or that is declared there.
pub(super) fn overload_at(db: &dyn salsa::Database, file: File, unit: &Unit, token: u32) -> Option<u32> {
    let declared = unit.names.declared_at(token);
    let declared = declared.filter(|decl| unit.names.decls[*decl as usize].kind == DeclKind::Function);
    declared.or_else(|| declaration_at(db, file, token))
}

/// The overloads of a name that the library declares.
pub(super) fn of_library(name: &str) -> Vec<Entity> {
    let unit = &library::library().unit;
    let Some(name) = unit.interner.get(name) else { return Vec::new() };
    let decls = unit.names.decls.iter().enumerate();
    let named = decls.filter(|(_, decl)| decl.name == name && decl.kind == DeclKind::Function);
    named.map(|(index, _)| Entity(index as u32)).collect()
}

/// Returns true for a declaration of the library's.
pub(super) fn is_of_library(entity: Entity) -> bool {
    (entity.0 as usize) < library::library().unit.names.decls.len()
}

/// The comment of a declaration of the library's: that of its group.
pub(super) fn library_comment(entity: Entity) -> Option<String> {
    let unit = &library::library().unit;
    let decl = &unit.names.decls[entity.0 as usize];
    let start = unit.tokens[decl.token as usize].place.start as usize;
    let lines = library::TEXT.get(..start)?.lines().rev();
    let mut group = lines.take_while(|line| !line.is_empty());
    group.find_map(|line| line.strip_prefix("/// ")).map(str::to_owned)
}

/// The member tokens of a unit that have a name, each with the declaration that it stands for if types tell.
pub(super) fn members_named(db: &dyn salsa::Database, file: File, name: &str) -> Vec<(u32, Option<u32>)> {
    let unit = unit(db, file);
    let Some(name) = unit.interner.get(name) else { return Vec::new() };
    let tokens = unit.names.members.iter().copied();
    let named = tokens.filter(|token| unit.tokens[*token as usize].name == name);
    named.map(|token| (token, declaration_at(db, file, token))).collect()
}
