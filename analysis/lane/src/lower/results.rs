//! Results of kernels that are no scalars: a struct, or several values.
//!
//! A kernel that gives one has a parameter more for each, an array of one element, and stores to it what it returns:
//!
//! ```text
//! kernel nearest(a: f32[n], n: i32) -> (f32, i32):     kernel nearest(a: f32[n], n: i32, result0: f32[1], result1: i32[1]):
//!     ...                                                  ...
//!     return x, at                                         result0[0] = x
//!                                                          result1[0] = at
//!                                                          return
//! ```

use hir::{Block, Expr, ExprId, Literal, Local, LocalId, LocalKind, Name, Stmt, StmtId, Subscript, TypeRef};
use report::ItemKind;

use super::Lower;

impl Lower<'_> {
    /// Makes parameters of the results of a kernel that are no scalars.
    pub(super) fn results(&mut self) {
        if self.kind != ItemKind::Kernel || self.body.in_doubt {
            return;
        }
        let Some(ty) = self.body.result.clone() else { return };
        let parts = match &ty.parts[..] {
            [] => std::slice::from_ref(&ty),
            parts => parts,
        };
        let is_struct = |ty: &TypeRef| {
            let of = ty.name.as_ref().and_then(|name| self.item_kind(name));
            ty.sizes.is_empty() && ty.parts.is_empty() && of.is_some_and(ItemKind::is_type)
        };
        let is_scalar = |ty: &TypeRef| {
            let name = ty.name.as_deref().and_then(ir::Elem::from_name);
            ty.sizes.is_empty() && ty.parts.is_empty() && name.is_some()
        };
        // What else is written has a finding about the result.
        let fits = match &ty.parts[..] {
            [] => is_struct(&ty),
            parts => parts.iter().all(|part| is_struct(part) || is_scalar(part)),
        };
        if !fits {
            return;
        }
        let is_alone = ty.parts.is_empty();
        let outs: Vec<LocalId> = parts.iter().enumerate().map(|(n, part)| self.result(n, part, is_alone)).collect();
        self.body.result = None;
        let block = std::mem::take(&mut self.body.block);
        self.body.block = self.with_stores(block, &outs, is_alone);
        let blocks: Vec<StmtId> = self.body.stmts.iter().map(|(id, _)| id).collect();
        for id in blocks {
            let mut stmt = std::mem::replace(&mut self.body.stmts[id], Stmt::Pass);
            for block in stmt.blocks_mut() {
                *block = self.with_stores(std::mem::take(block), &outs, is_alone);
            }
            self.body.stmts[id] = stmt;
        }
    }

    /// The parameter that a result goes out by.
    fn result(&mut self, number: usize, ty: &TypeRef, is_alone: bool) -> LocalId {
        let unnamed = if is_alone { "result".to_owned() } else { format!("result{number}") };
        let mut name = ty.label.as_deref().map_or(unnamed, str::to_owned);
        // A name that was written may also be that of the variable which is returned.
        let taken = |name: &str| {
            let mut locals = self.body.locals.iter();
            locals.any(|(id, local)| *local.name == *name && (ty.label.is_none() || self.body.params.contains(&id)))
        };
        while taken(&name) {
            name.push('_');
        }
        let one = self.alloc(Expr::Literal(Literal::Int(1)), ty.at);
        let ty = TypeRef { sizes: vec![one], ..ty.clone() };
        let at = ty.at;
        let data = Local { name: Name::from(name), kind: LocalKind::Param, ty: Some(ty), updated: false };
        let local = self.body.locals.alloc(data);
        self.map.locals.insert(local, at);
        self.body.params.push(local);
        self.body.defaults.push(None);
        self.body.results.push(local);
        local
    }

    /// A block whose `return`s store what they give.
    fn with_stores(&mut self, block: Block, outs: &[LocalId], is_alone: bool) -> Block {
        let mut out = Block::new();
        for id in block {
            if let Stmt::Return(Some(value)) = self.body.stmts[id] {
                for (n, store) in self.values(id, value, outs.len(), is_alone, &mut out).into_iter().enumerate() {
                    self.store(id, outs[n], store, &mut out);
                }
                self.body.stmts[id] = Stmt::Return(None);
            }
            out.push(id);
        }
        out
    }

    /// The values of a `return`, one for each result.
    fn values(&mut self, id: StmtId, value: ExprId, count: usize, is_alone: bool, out: &mut Block) -> Vec<ExprId> {
        if is_alone {
            return vec![value];
        }
        match &self.body.exprs[value] {
            Expr::Tuple(parts) if parts.len() == count => parts.clone(),
            _ => {
                let held = self.hold(self.map.stmts[id], value, out);
                let at = self.map.exprs[value];
                let part = |lower: &mut Self, number: usize| {
                    let tuple = lower.alloc(Expr::Local(held.local), at);
                    lower.alloc(Expr::Part { tuple, number: number as u32, of: count as u32 }, at)
                };
                (0..count).map(|number| part(self, number)).collect()
            }
        }
    }

    fn store(&mut self, id: StmtId, result: LocalId, value: ExprId, out: &mut Block) {
        let (at, stmt) = (self.map.exprs[value], self.map.stmts[id]);
        let array = self.alloc(Expr::Local(result), at);
        let zero = self.alloc(Expr::Literal(Literal::Int(0)), at);
        let target = self.alloc(Expr::Index(array, vec![Subscript::At(zero)]), at);
        let store = self.body.stmts.alloc(Stmt::Assign { target, op: None, value });
        self.map.stmts.insert(store, stmt);
        out.push(store);
    }
}
