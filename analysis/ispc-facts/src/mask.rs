//! The lanes that run: *regions* of a function in which it is always the same ones of those that came in.
//!
//! A region inside of another one has fewer lanes, or none, or those of another choice. Two statements of one region are run by the same lanes whenever
//! the region is passed through, which is what makes it safe to give a variable one value for all of them.

/// The number of the region that is the whole function.
pub const WHOLE: u32 = 0;

/// The cause of a region.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum RegionKind {
    /// The function, with the lanes that its caller runs.
    Function,
    /// The part of an `if`, `?:`, `&&` or `||` whose condition differs between lanes.
    Branch,
    /// The other part of an `if` or `?:`.
    Else,
    /// A `switch` over what differs.
    Switch,
    /// The rounds of a loop that lanes leave at different times.
    Loop,
    /// The rest behind a `break`, `continue` or `return` that some lanes have taken.
    Left,
    /// A `foreach`: all lanes, of the last group those that have an element.
    Foreach,
    /// `foreach_active` and `foreach_unique`: some lanes at a time.
    Each,
    /// `unmasked`: all lanes.
    Unmasked,
}

/// A region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MaskRegion {
    /// The kind of statement that makes it one.
    pub kind: RegionKind,
    /// The statement or expression that it belongs to.
    pub node: u32,
    /// The condition, or the jump that lanes have taken.
    pub because: Option<u32>,
    /// The region around it; its own number for the whole function.
    pub parent: u32,
}

/// The regions of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MaskRegions {
    all: Vec<MaskRegion>,
}

impl MaskRegions {
    pub(crate) fn new(function: u32) -> MaskRegions {
        let whole = MaskRegion { kind: RegionKind::Function, node: function, because: None, parent: WHOLE };
        MaskRegions { all: vec![whole] }
    }

    /// The region of a kind that a node makes inside of another one.
    pub(crate) fn enter(&mut self, kind: RegionKind, node: u32, because: Option<u32>, parent: u32) -> u32 {
        let region = MaskRegion { kind, node, because, parent };
        match self.all.iter().rposition(|other| other.kind == kind && other.node == node && other.parent == parent) {
            Some(index) => {
                self.all[index] = region;
                index as u32
            }
            None => {
                self.all.push(region);
                self.all.len() as u32 - 1
            }
        }
    }

    /// A region.
    pub fn get(&self, region: u32) -> &MaskRegion {
        &self.all[region as usize]
    }

    /// All regions.
    pub fn all(&self) -> impl Iterator<Item = &MaskRegion> {
        self.all.iter()
    }

    /// A region and those around it, innermost first.
    pub fn around(&self, region: u32) -> impl Iterator<Item = &MaskRegion> {
        let mut next = Some(region);
        std::iter::from_fn(move || {
            let at = next?;
            let region = self.get(at);
            next = (region.parent != at).then_some(region.parent);
            Some(region)
        })
    }

    /// Returns true if a region is another one or inside of it.
    pub fn is_within(&self, mut region: u32, outer: u32) -> bool {
        while region != outer {
            let parent = self.get(region).parent;
            if parent == region {
                return false;
            }
            region = parent;
        }
        true
    }
}
