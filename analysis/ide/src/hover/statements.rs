//! Hovers over the marks and words of statements: what `+=` and the other updates are to the loop, and if lanes diverge
//! at an `if` or `elif`.

use lane::tree::ast;
use lane::tree::ast::AstNode;
use lane::tree::{SyntaxKind, SyntaxNode, SyntaxToken};
use report::TextRange;

use super::{Beside, lane, lanes, typed_expression};
use crate::Located;
use crate::explain::branches_in;
use crate::symbol::{Symbol, SymbolNames, lowered_as};
use crate::wording::source;
use hir::infer::atom_name;
use hir::ty::Ty;

/// Returns the hover of a token that is the mark or word of a statement, and the range that it is about.
pub(super) fn statement(
    db: &dyn salsa::Database,
    located: &Located<'_>,
    names: &SymbolNames<'_, '_>,
    token: &SyntaxToken,
    beside: Beside,
) -> Option<(TextRange, Vec<String>)> {
    let node = token.parent()?;
    let sections = match node.kind() {
        SyntaxKind::ASSIGN_STMT => update(db, located, names, (&ast::AssignStmt::cast(node)?, token), beside)?,
        SyntaxKind::IF_STMT => {
            let of_if = ast::IfStmt::cast(node)?;
            let words = [of_if.if_word(), of_if.cif_word()];
            words.iter().flatten().find(|word| *word == token)?;
            branch(db, located, &of_if.condition()?)?
        }
        SyntaxKind::ELIF_BRANCH => branch(db, located, &ast::ElifBranch::cast(node)?.condition()?)?,
        _ => return None,
    };
    Some((token.text_range(), sections))
}

/// The value that an update gives its target, whether it varies, how the target is accessed, and what the verdicts of the
/// loops around say of it.
fn update(
    db: &dyn salsa::Database,
    located: &Located<'_>,
    names: &SymbolNames<'_, '_>,
    (statement, token): (&ast::AssignStmt, &SyntaxToken),
    beside: Beside,
) -> Option<Vec<String>> {
    let op = statement.applied().filter(|_| statement.op().as_ref() == Some(token))?;
    let (target, value) = (statement.target()?, statement.value()?);
    let (ty, name) = match &target {
        ast::Expr::NameRef(name) => {
            let Some(Symbol::Local(_, local)) = names.symbol(&name.ident()?) else { return None };
            (queries::infer(db, located.item).locals.get(local)?.clone(), name.ident())
        }
        _ => {
            let expr = lowered_as(db, located, target.syntax())?;
            (queries::infer(db, located.item).exprs.get(expr)?.clone(), None)
        }
    };
    if matches!(ty, Ty::Error | Ty::Nothing) {
        return None;
    }
    let ty = ty.display(&|atom| atom_name(queries::body(db, located.item), atom));
    let behind = source(value.syntax());
    let behind = match value {
        ast::Expr::BinExpr(_) | ast::Expr::CondExpr(_) | ast::Expr::LambdaExpr(_) => format!("({behind})"),
        _ => behind,
    };
    let made = format!("{} {} {behind}: {ty}", source(target.syntax()), op.text()?);
    let mut sections = vec![lane(&made)];
    sections.extend(name.and_then(|name| lanes::of_value(db, located, located.dense(db, &name)?)));
    if let Some(expr) = lowered_as(db, located, target.syntax()) {
        let at = queries::lowered(db, located.item).map.exprs[expr];
        sections.extend(lanes::of_accesses(db, located, at, beside));
    }
    sections.extend(lanes::of_update(db, located, &places(statement), &source(target.syntax())));
    Some(sections)
}

/// Returns the ranges at which a verdict can speak of a statement: its own, and those of the conditions that it stands
/// under.
fn places(statement: &ast::AssignStmt) -> Vec<TextRange> {
    let conditions = statement.syntax().ancestors().filter_map(|node| match node.kind() {
        SyntaxKind::IF_STMT => Some(ast::IfStmt::cast(node)?.condition()?.syntax().text_range()),
        SyntaxKind::ELIF_BRANCH => Some(ast::ElifBranch::cast(node)?.condition()?.syntax().text_range()),
        _ => None,
    });
    std::iter::once(statement.syntax().text_range()).chain(conditions).collect()
}

/// The condition, and what lanes make of it.
fn branch(db: &dyn salsa::Database, located: &Located<'_>, condition: &ast::Expr) -> Option<Vec<String>> {
    let node = without_parentheses(condition)?;
    let expr = lowered_as(db, located, &node)?;
    if queries::infer(db, located.item).exprs.get(expr).is_none_or(|ty| matches!(ty, Ty::Error | Ty::Nothing)) {
        return None;
    }
    let mut sections = vec![lane(&typed_expression(db, located.item, &node, expr))];
    let range = node.text_range() + located.start;
    let branches = branches_in(db, located.item);
    sections.extend(branches.iter().find(|branch| branch.range == range).map(|it| lanes::of_branch(db, located, it)));
    Some(sections)
}

fn without_parentheses(expr: &ast::Expr) -> Option<SyntaxNode> {
    let mut expr = expr.clone();
    while let ast::Expr::ParenExpr(paren) = &expr {
        expr = paren.expr()?;
    }
    Some(expr.syntax().clone())
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::hover::tests::check;

    /// Updates and branches, inside of lanes and outside.
    const UPDATES: &str = "\
kernel k(a: f32[n], b: i32[n], n: i32) -> i32:
    let count = 0
    let hits = 0
    let s = 0.0
    for i in range(n):
        count += b[i]
        b[i] *= 2 + n
        if b[i] > 3:
            hits += 1
        elif n > 2:
            pass
    for i in range(n):
        s *= a[i]
    while count > 2 and n > 4:
        count -= 1
    while count < 9:
        if a[count] > 1:
            break
        count += 1
    cif (n > 3):
        pass
    return count + hits + i32(s)
";

    fn check_update(at: &str, expected: Expect) {
        check(&UPDATES.replacen(&at.replace("$0", ""), at, 1), expected);
    }

    #[test]
    fn a_sum() {
        check_update(
            "count $0+= b",
            expect![[r#"
                count «+=» b[i]
                ----
                ```lane
                count + b[i]: i32
                ```

                **Varying**: any value in each lane.
                - `count` in line 6: each iteration hands this to the next
                - `b[i]` in line 6: computed from this, which varies
                - `i` in line 5: lanes run along `i`

                The loop in line 5: **8 lanes** along `i`.
                - sum: a sum over all iterations: `count`
            "#]],
        );
        check_update(
            "s $0*= a",
            expect![[r#"
                s «*=» a[i]
                ----
                ```lane
                s * a[i]: f32
                ```

                In lanes this would be: **varying**: any value in each lane.
                - `s` in line 13: each iteration hands this to the next
                - `a[i]` in line 13: computed from this, which varies
                - `i` in line 12: lanes run along `i`

                The loop in line 12: **in order**: ordered-float-product.
                - ordered-float-product: a product of floats keeps the order of its factors: `s`
            "#]],
        );
    }

    #[test]
    fn a_sum_under_a_condition() {
        check_update(
            "hits +$0= 1",
            expect![[r#"
            hits «+=» 1
            ----
            ```lane
            hits + 1: i32
            ```

            **Varying**: any value in each lane.
            - `b[i] > 3` in line 8: decided by this condition, which varies
            - `b[i]` in line 8: computed from this, which varies
            - `i` in line 5: lanes run along `i`

            The loop in line 5: **8 lanes** along `i`.
            - sum: a sum over all iterations: `hits` in those where a condition holds
        "#]],
        );
    }

    #[test]
    fn an_update_of_an_element() {
        check_update(
            "b[i] $0*= 2",
            expect![[r#"
            b[i] «*=» 2 + n
            ----
            ```lane
            b[i] * (2 + n): i32
            ```

            **contiguous** load and store: neighbouring lanes have neighbouring cells.
            - `i` in line 5: lanes run along `i`
        "#]],
        );
    }

    #[test]
    fn branches() {
        check_update(
            "$0if b[i]",
            expect![[r#"
            «if» b[i] > 3:
            ----
            ```lane
            b[i] > 3: bool
            ```

            **Lanes part here**: both ways are gone through, each with some lanes off.
            - `b[i]` in line 8: computed from this, which varies
            - `i` in line 5: lanes run along `i`
        "#]],
        );
        check_update(
            "$0elif n",
            expect![[r#"
            «elif» n > 2:
            ----
            ```lane
            n > 2: bool
            ```

            **Uniform**: all lanes go the same way.
        "#]],
        );
        check_update(
            "c$0if (n",
            expect![[r#"
            «cif» (n > 3):
            ----
            ```lane
            n > 3: bool
            ```
        "#]],
        );
    }

    #[test]
    fn loops_that_count_by_themselves() {
        check_update(
            "$0while count > 2",
            expect![[r#"
                «while» count > 2 and n > 4:
                ----
                **8 lanes** along `count`.
                - early-exit: any iteration may leave the loop

                Estimated: about 0.25 cycles an element, bound by branches.
            "#]],
        );
        check_update(
            "$0while count < 9",
            expect![[r#"
                «while» count < 9:
                ----
                **8 lanes** along `count`.
                - early-exit: any iteration may leave the loop

                Estimated: about 0.62 cycles an element, bound by arithmetic; the test is 40 % (line 17) · 2 groups at once.
            "#]],
        );
    }
}
