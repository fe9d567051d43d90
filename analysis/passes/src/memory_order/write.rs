//! Plans become ops: in front of the first shuffle of a group, and in the place of each.

use rustc_hash::FxHashMap;

use super::Group;
use super::plan::{Node, Operand, Plan};
use ir::builder::Builder;
use ir::entities::{Op, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Kernel, Values};
use ir::types::Type;

/// The ops that are put in front of others, by the block of these.
type Additions = FxHashMap<Region, FxHashMap<Op, Vec<Op>>>;

/// Carries out the plans of groups.
pub(super) fn write(kernel: &mut Kernel, plans: &[(Group, Plan)]) {
    let mut additions = Additions::default();
    plans.iter().for_each(|(group, plan)| write_group(kernel, group, plan, &mut additions));
    // Each block is gone through once, however many groups it has.
    for (region, mut new) in additions {
        let old = std::mem::take(&mut kernel.regions[region].ops);
        let ops = &mut kernel.regions[region].ops;
        for op in old {
            ops.extend(new.remove(&op).into_iter().flatten());
            ops.push(op);
        }
    }
}

/// Carries out the plan of a group, but for what stands in front of other ops.
fn write_group(kernel: &mut Kernel, group: &Group, plan: &Plan, additions: &mut Additions) {
    let origin = kernel.ops[group.shuffles[0]].origin;
    let mut b = Builder::detached(std::mem::replace(kernel, Kernel::new("")));
    let mut values: Vec<Option<Value>> = Vec::new();
    let mut packs: Vec<Op> = Vec::new();
    for (number, node) in plan.nodes.iter().enumerate() {
        // An operation comes from where the first of those that it stands for does.
        b.set_origin(if let Node::Like { op, .. } = node { b.kernel().ops[*op].origin } else { origin });
        let value = match node {
            _ if plan.roots.contains(&number) => None,
            Node::Known(value) => Some(*value),
            Node::Pack(scalars) => {
                let op = b.push(Code::Pack, Attr::None, scalars);
                packs.push(op);
                Some(b.kernel().ops[op].results[0])
            }
            _ => {
                let (code, attr, operands) = parts(b.kernel(), node, &values);
                Some(b.op_with(code, attr, &operands))
            }
        };
        values.push(value);
    }
    for (&op, &root) in group.shuffles.iter().zip(&plan.roots) {
        let (code, attr, operands) = parts(b.kernel(), &plan.nodes[root], &values);
        let place = if let Node::Like { op, .. } = &plan.nodes[root] { b.kernel().ops[*op].origin } else { origin };
        let data = &mut b.kernel_mut().ops[op];
        (data.code, data.attr, data.operands, data.origin) = (code, attr, operands, place);
    }
    let (built, block) = b.detach();
    *kernel = built;
    let new = std::mem::take(&mut kernel.regions[block].ops);
    let (before, new): (Vec<Op>, Vec<Op>) = new.into_iter().partition(|op| packs.contains(op));
    let (region, op) = (group.region, group.shuffles[0]);
    let (outer, around) = group.around.unwrap_or((region, op));
    // Without an op around, both stand in front of the first shuffle, the scalars' vectors first.
    for (region, op, ops) in [(outer, around, before), (region, op, new)] {
        additions.entry(region).or_default().entry(op).or_default().extend(ops);
    }
}

/// The code, the attribute and the operands of a node.
fn parts(kernel: &Kernel, node: &Node, values: &[Option<Value>]) -> (Code, Attr, Values) {
    let value = |node: usize| values[node].expect("a shuffle is no operand of another one");
    match node {
        Node::Like { op, operands } => {
            let operands = operands.iter().map(|operand| match operand {
                Operand::Scalar(scalar) => *scalar,
                Operand::Node(node) => value(*node),
            });
            (kernel.ops[*op].code, kernel.ops[*op].attr.clone(), operands.collect())
        }
        Node::Permute { sources, pattern } => {
            let sources = sources.iter().map(|source| value(*source)).collect();
            (Code::Permute, Attr::Pattern(pattern.iter().copied().collect()), sources)
        }
        Node::Part(regrouped, number) => {
            let op = kernel.def_op(*regrouped).expect("a regrouping");
            let part = kernel.ops[op].operands[usize::from(*number)];
            let (ty, elem) = (kernel.ty(part), kernel.ty(*regrouped).data_elem().expect("integers"));
            let bytes = usize::from(ty.lanes().unwrap_or(1)) * ty.data_elem().map_or(1, ir::Elem::bytes);
            let attr = Attr::Type(Type::lanes_of(elem, (bytes / elem.bytes()) as u16));
            (Code::Regroup, attr, Values::from_slice(&[part]))
        }
        Node::Known(_) | Node::Pack(_) => unreachable!("these are values already"),
    }
}
