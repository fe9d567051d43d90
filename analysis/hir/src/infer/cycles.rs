//! Functions and constants that lead back to themselves.
//!
//! Inference never follows such a call, so it needs no cycles of queries. Each strongly connected component of items has
//! one finding, at a call in the last of them: the one that closes the cycle for someone who reads from the top.
//!
//! Every inference asks, so an answer must be cheap to confirm after an edit elsewhere. That is why it is looked for in two
//! steps: the words of items, which need nothing but their text, say where there may be a cycle; only there are resolved
//! names looked at.

use std::collections::VecDeque;
use std::sync::Arc;

use report::ItemKey;
use rustc_hash::FxHashMap;

use crate::Name;

/// Items that lead back to themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycle {
    /// The item that has the finding.
    pub reporter: ItemKey,
    /// The names on a shortest way from that item back to it, its own last.
    pub way: Vec<Name>,
}

/// A function or constant that may be on a cycle.
pub struct Node<'a> {
    /// The key of the item.
    pub key: ItemKey,
    /// The words in it that may stand for others, each once.
    pub words: &'a [Name],
}

/// The cycles of a file, by the items that are on them.
pub type Cycles = FxHashMap<ItemKey, Arc<Cycle>>;

impl Cycle {
    /// The cycles among functions and constants, which come in the order of their file. `references` gives the names that
    /// the one with a number resolves to others; it is asked of those alone whose words lead back to them.
    pub fn all(nodes: &[Node<'_>], references: impl Fn(usize) -> Vec<Name>) -> Cycles {
        let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
        for (n, node) in nodes.iter().enumerate() {
            numbers.entry(&node.key.name).or_insert(n);
        }
        let number = |name: &Name| numbers.get(&**name).copied();
        let mut next: Vec<Vec<usize>> =
            nodes.iter().map(|node| node.words.iter().filter_map(number).collect()).collect();
        let suspects: Vec<_> =
            components(&next).into_iter().filter(|members| is_cyclic(&next, members)).flatten().collect();
        for &n in &suspects {
            next[n] = references(n).iter().filter_map(number).collect();
        }
        let mut out = Cycles::default();
        if suspects.is_empty() {
            return out;
        }
        for members in components(&next) {
            let Some(&reporter) = members.iter().max() else { continue };
            let Some(way) = way_back(&next, reporter) else { continue };
            let way = way.into_iter().map(|n| nodes[n].key.name.clone()).collect();
            let cycle = Arc::new(Cycle { reporter: nodes[reporter].key.clone(), way });
            out.extend(members.into_iter().map(|n| (nodes[n].key.clone(), cycle.clone())));
        }
        out
    }
}

/// The nodes of a component lead back to themselves.
fn is_cyclic(next: &[Vec<usize>], members: &[usize]) -> bool {
    members.len() > 1 || members.iter().any(|member| next[*member].contains(member))
}

/// A shortest way from a node back to itself, without its start.
fn way_back(next: &[Vec<usize>], from: usize) -> Option<Vec<usize>> {
    let mut before: Vec<Option<usize>> = vec![None; next.len()];
    let mut queue = VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        for &to in &next[node] {
            if before[to].is_some() {
                continue;
            }
            before[to] = Some(node);
            if to != from {
                queue.push_back(to);
                continue;
            }
            let mut way = vec![from];
            let mut at = node;
            while at != from {
                way.push(at);
                at = before[at]?;
            }
            way.reverse();
            return Some(way);
        }
    }
    None
}

/// The strongly connected components, by Tarjan's algorithm without recursion.
fn components(next: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut index = vec![usize::MAX; next.len()];
    let mut low = vec![0; next.len()];
    let mut on_stack = vec![false; next.len()];
    let (mut stack, mut count, mut out) = (Vec::new(), 0, Vec::new());
    for root in 0..next.len() {
        if index[root] != usize::MAX {
            continue;
        }
        let mut waiting = vec![(root, 0)];
        while let Some((node, edge)) = waiting.pop() {
            if edge == 0 {
                index[node] = count;
                low[node] = count;
                count += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            if let Some(&to) = next[node].get(edge) {
                waiting.push((node, edge + 1));
                if index[to] == usize::MAX {
                    waiting.push((to, 0));
                } else if on_stack[to] {
                    low[node] = low[node].min(index[to]);
                }
                continue;
            }
            if low[node] == index[node] {
                let start = stack.iter().rposition(|&other| other == node).expect("a root is on the stack");
                let members = stack.split_off(start);
                members.iter().for_each(|&member| on_stack[member] = false);
                out.push(members);
            }
            if let Some(&(parent, _)) = waiting.last() {
                low[parent] = low[parent].min(low[node]);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_found_and_a_way_back_is_shortest() {
        // 0 -> 1 -> 2 -> 0, 2 -> 1, 3 -> 0, 4 -> 4
        let next = [vec![1], vec![2], vec![0, 1], vec![0], vec![4]];
        let mut found = components(&next);
        found.iter_mut().for_each(|members| members.sort());
        found.sort();
        assert_eq!(found, [vec![0, 1, 2], vec![3], vec![4]]);
        assert_eq!(way_back(&next, 2), Some(vec![1, 2]));
        assert_eq!(way_back(&next, 4), Some(vec![4]));
        assert_eq!(way_back(&next, 3), None);
    }
}
