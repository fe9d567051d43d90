//! The loops of a function: a *natural loop* is a block that dominates one which jumps back to it, and all between.

use std::collections::{BTreeSet, HashMap};

use super::decode::{Decoded, Flow};
use super::{InnerLoop, OuterLoop};

/// Code that is entered at its start and left at its end alone.
struct Block {
    /// The numbers of its lines, the first and the one behind the last.
    lines: (usize, usize),
    next: Vec<usize>,
}

/// Finds the loops that have no loop inside, and those that have some.
pub(super) fn loops(labels: &[Option<&str>], code: &[Option<Decoded<'_>>]) -> (Vec<InnerLoop>, Vec<OuterLoop>) {
    let blocks = blocks(labels, code);
    let dominators = dominators(&blocks);
    let mut loops: Vec<(usize, BTreeSet<usize>)> = Vec::new();
    for (from, block) in blocks.iter().enumerate() {
        for &head in block.next.iter().filter(|&&head| dominators[from].contains(&head)) {
            let body = body(&blocks, head, from);
            match loops.iter_mut().find(|(other, _)| *other == head) {
                Some((_, known)) => known.extend(body),
                None => loops.push((head, body)),
            }
        }
    }
    let inside = |head: &usize, body: &BTreeSet<usize>| -> Vec<&(usize, BTreeSet<usize>)> {
        loops.iter().filter(|(other, _)| other != head && body.contains(other)).collect()
    };
    let of_blocks = |head: usize, body: &BTreeSet<usize>, own: &BTreeSet<usize>| {
        let back = |&&block: &&usize| blocks[block].next.contains(&head);
        InnerLoop {
            lines: own.iter().flat_map(|&block| blocks[block].lines.0..blocks[block].lines.1).collect(),
            ends: body.iter().filter(back).map(|&block| blocks[block].lines.1 - 1).collect(),
        }
    };
    let innermost = loops.iter().filter(|(head, body)| inside(head, body).is_empty());
    let mut innermost: Vec<InnerLoop> = innermost.map(|(head, body)| of_blocks(*head, body, body)).collect();
    innermost.sort_by(|a, b| a.lines.cmp(&b.lines));
    let outer = loops.iter().filter_map(|(head, body)| {
        let inner = inside(head, body);
        let own: BTreeSet<usize> =
            body.iter().copied().filter(|block| !inner.iter().any(|(_, body)| body.contains(block))).collect();
        let lines: BTreeSet<usize> = of_blocks(*head, body, body).lines.into_iter().collect();
        let is_inside = |it: &InnerLoop| it.lines.iter().all(|line| lines.contains(line));
        let inside = (0..innermost.len()).filter(|&number| is_inside(&innermost[number])).collect();
        (!inner.is_empty()).then(|| OuterLoop { own: of_blocks(*head, body, &own), inside })
    });
    let mut outer: Vec<OuterLoop> = outer.collect();
    outer.sort_by(|a, b| a.own.lines.cmp(&b.own.lines));
    (innermost, outer)
}

fn blocks(labels: &[Option<&str>], code: &[Option<Decoded<'_>>]) -> Vec<Block> {
    let flow = |at: usize| code[at].as_ref().map_or(Flow::Next, |decoded| decoded.flow);
    let begins = |at: usize| at == 0 || labels[at].is_some() || flow(at - 1) != Flow::Next;
    let starts: Vec<usize> = (0..code.len()).filter(|&at| begins(at)).collect();
    let ends = starts.iter().skip(1).copied().chain([code.len()]);
    let of_label: HashMap<&str, usize> =
        starts.iter().enumerate().filter_map(|(number, &at)| Some((labels[at]?, number))).collect();
    let block = |(number, (&start, end)): (usize, (&usize, usize))| {
        let behind = (number + 1 < starts.len()).then_some(number + 1);
        let to = |label: &str| of_label.get(label).copied();
        let (to, behind) = match flow(end - 1) {
            Flow::Next => (None, behind),
            Flow::Branch(label) => (to(label), behind),
            Flow::Jump(label) => (to(label), None),
            Flow::Out => (None, None),
        };
        Block { lines: (start, end), next: to.into_iter().chain(behind).collect() }
    };
    starts.iter().zip(ends).enumerate().map(block).collect()
}

/// The blocks that every way to a block goes through, itself among them.
fn dominators(blocks: &[Block]) -> Vec<BTreeSet<usize>> {
    let mut before = vec![Vec::new(); blocks.len()];
    blocks.iter().enumerate().for_each(|(from, block)| block.next.iter().for_each(|&to| before[to].push(from)));
    // `None` for a block that no way is known to yet.
    let mut known: Vec<Option<BTreeSet<usize>>> = vec![None; blocks.len()];
    known.first_mut().into_iter().for_each(|entry| *entry = Some(BTreeSet::from([0])));
    loop {
        let mut changed = false;
        for block in 1..blocks.len() {
            let ways = before[block].iter().filter_map(|&from| known[from].as_ref());
            let common = ways.cloned().reduce(|a, b| &a & &b);
            let own = common.map(|mut common| {
                common.insert(block);
                common
            });
            if own != known[block] {
                known[block] = own;
                changed = true;
            }
        }
        if !changed {
            return known.into_iter().map(Option::unwrap_or_default).collect();
        }
    }
}

/// The blocks from which the end of a loop is reached without its head, and both of these.
fn body(blocks: &[Block], head: usize, end: usize) -> BTreeSet<usize> {
    let (mut body, mut left) = (BTreeSet::from([head]), vec![end]);
    while let Some(block) = left.pop() {
        if body.insert(block) {
            left.extend((0..blocks.len()).filter(|&from| blocks[from].next.contains(&block)));
        }
    }
    body
}
