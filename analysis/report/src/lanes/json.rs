//! Reports as the objects that `explain --json` prints, described in docs/json.md. Names and order of the fields are a promise:
//! some may be added, and none changes its meaning or goes away.

use std::collections::BTreeMap;

use serde_core::ser::{Serialize, SerializeStruct, Serializer};

use super::{
    Access, Because, Branch, CostPart, Decision, Dependence, Explained, InLanes, Loop, LoopCost, OpCounts, Quoted,
    Reason, Stride, Value, Witness,
};
use crate::ReportCode;

/// Writes an object with these fields, in order.
macro_rules! object {
    ($serializer:expr, { $($name:literal: $value:expr,)* }) => {{
        let mut object = $serializer.serialize_struct("object", [$($name),*].len())?;
        $(object.serialize_field($name, &$value)?;)*
        object.end()
    }};
}

impl<P: Serialize> Serialize for Explained<P> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        object!(to, {
            "name": self.name,
            "target": self.target,
            "range": self.range,
            "values": self.values,
            "accesses": self.accesses,
            "branches": self.branches,
            "loops": self.loops,
            "decisions": self.decisions,
            "scratch": self.scratch,
        })
    }
}

impl<P: Serialize> Serialize for Value<P> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        object!(to, {
            "range": self.range,
            "text": self.text,
            "type": self.ty,
            "uniformity": if self.varies { "varying" } else { "uniform" },
            "shape": self.shape,
            "in_some_calls": self.in_some_calls,
            "loop": self.lane_loop,
            "control": self.flow.name(),
            "because": self.because,
        })
    }
}

impl<P: Serialize> Serialize for Access<P> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        object!(to, {
            "range": self.range,
            "text": self.text,
            "array": self.array,
            "kind": if self.stores { "store" } else { "load" },
            "class": self.class.name(),
            "stride": self.stride,
            "in_some_calls": self.in_some_calls,
            "loop": self.lane_loop,
            "control": self.flow.name(),
            "reason": self.reason,
            "lift": self.lift,
            "because": self.because,
        })
    }
}

/// A number, or a formula as text.
impl Serialize for Stride {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Stride::Cells(cells) => cells.serialize(to),
            formula => formula.formula().serialize(to),
        }
    }
}

impl<P: Serialize> Serialize for Branch<P> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        object!(to, {
            "range": self.range,
            "text": self.text,
            "control": if self.diverges { "divergent" } else { "uniform" },
            "coherent": self.coherent,
            "loop": self.lane_loop,
            "because": self.because,
        })
    }
}

impl<P: Serialize> Serialize for Because<Quoted<P>> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        object!(to, {
            "range": self.place.range,
            "text": self.place.text,
            "message": self.message,
        })
    }
}

impl<P: Serialize> Serialize for Quoted<P> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        object!(to, {
            "range": self.range,
            "text": self.text,
        })
    }
}

impl<P: Serialize> Serialize for Decision<P> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        object!(to, {
            "range": self.range,
            "pass": self.pass,
            "code": self.code,
            "taken": self.taken,
            "because": self.because,
        })
    }
}

impl Serialize for ReportCode {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.name().serialize(to)
    }
}

impl<P: Serialize> Serialize for Loop<P> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let told = self.told_with_values();
        let mut more: BTreeMap<&str, usize> = BTreeMap::new();
        told.iter()
            .filter(|it| it.n_more > 0)
            .for_each(|it| *more.entry(it.reason.code.name()).or_default() += it.n_more);
        object!(to, {
            "range": self.range,
            "function": self.function.as_deref(),
            "index": self.index,
            "is_lane_loop": self.is_lane_loop,
            "in_lanes": self.in_lanes.map(InLanes::name),
            "verdict": if self.verdict.is_vector { "vector" } else { "scalar" },
            "in_part": self.verdict.in_part,
            "lanes": self.n_lanes().unwrap_or(1),
            "code": self.verdict.code(),
            "reasons": told.iter().map(|it| it.reason).collect::<Vec<_>>(),
            "more_reasons": more,
            "lifts": self.lifts,
            "dependences": self.dependences,
            "cost": self.cost,
        })
    }
}

impl<P: Serialize> Serialize for LoopCost<P> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let each = |quarters: u64| quarters as f64 / 4.0 / self.iterations.max(1) as f64;
        let part = |part: &CostPart<P>| {
            let share = if part.resource == self.bound { Some(self.share(part)) } else { None };
            (part.resource.name(), part.what, each(part.quarters), share)
        };
        let parts: Vec<_> = self.parts.iter().map(|it| Part { place: &it.place, told: part(it) }).collect();
        object!(to, {
            "cycles": self.cycles(),
            "cycles_from_memory": self.cycles_from_memory(),
            "bound": self.bound.name(),
            "lanes": self.lanes,
            "groups": self.groups(),
            "iterations": self.iterations,
            "besides_inner_loop": self.is_around,
            "parts": parts,
            "counts": self.counts,
        })
    }
}

/// A part of a cost: its resource, what it is, its cycles of an iteration, and its share of the estimate.
struct Part<'c, P> {
    place: &'c Option<P>,
    told: (&'static str, &'static str, f64, Option<f64>),
}

impl<P: Serialize> Serialize for Part<'_, P> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let (resource, what, cycles, share) = self.told;
        object!(to, {
            "resource": resource,
            "what": what,
            "range": self.place,
            "cycles": cycles,
            "share": share,
        })
    }
}

impl Serialize for OpCounts {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut object = to.serialize_struct("object", self.named().len())?;
        for (name, count) in self.named() {
            object.serialize_field(name, &count)?;
        }
        object.end()
    }
}

impl<P: Serialize> Serialize for Reason<Quoted<P>> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        object!(to, {
            "code": self.code,
            "blocks": self.blocks,
            "message": self.message,
            "related": self.related.iter().map(Related).collect::<Vec<_>>(),
            "dependence": self.dependence,
        })
    }
}

/// A place that a reason is about, without its source.
struct Related<'r, P>(&'r Because<Quoted<P>>);

impl<P: Serialize> Serialize for Related<'_, P> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        object!(to, {
            "range": self.0.place.range,
            "message": self.0.message,
        })
    }
}

impl<P: Serialize> Serialize for Dependence<Quoted<P>> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        object!(to, {
            "kind": self.kind.name(),
            "array": &*self.array,
            "source": self.source,
            "sink": self.sink,
            "carried": self.is_carried,
            "direction": self.direction,
            "distance": self.distance,
            "directions": self.directions,
            "distances": self.distances,
            "witness": self.witness.as_ref().map(|witness| witness.iterations),
            "at": self.witness,
            "test": self.test,
            "certain": self.doubts.is_empty(),
            "doubts": self.doubts,
            "message": self.sentence(),
        })
    }
}

/// All that a witness is besides the two iterations.
impl Serialize for Witness {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let symbols: BTreeMap<&str, i64> = self.symbols.iter().map(|(name, value)| (&**name, *value)).collect();
        let outer: BTreeMap<&str, i64> = self.outer.iter().map(|(name, index)| (&**name, *index)).collect();
        object!(to, {
            "symbols": symbols,
            "outer": outer,
            "cell": self.cell,
            "source": self.all[0],
            "sink": self.all[1],
        })
    }
}
