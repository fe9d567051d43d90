//! Sizes and offsets in memory, as ispc lays data out.
//!
//! A varying value has a cell a lane, the lanes side by side. A struct's members stand in the order of their declaration, each at a multiple of its
//! alignment, which is the size of a number, and of a vector of all lanes where it varies. A short vector of uniform elements is padded to a power of two of them, and to no fewer than four of 32 bits.

use ispc_types::layer::{Entity, Layer};
use ispc_types::ty::{Atomic, Count, Lanes, Ty, TypeKind};

/// The deepest that types are nested: a struct that has itself as a member has no size.
const DEEPEST: u32 = 40;

/// Sizes of types, for a number of lanes.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'l> {
    layer: &'l Layer,
    /// The lanes of a gang.
    pub lanes: u64,
}

/// The size and alignment of a type, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ByteSize {
    /// The size.
    pub size: u64,
    /// The alignment.
    pub align: u64,
}

impl<'l> Layout<'l> {
    /// The layout in a layer; the target's number of lanes is that of `programCount`.
    pub fn new(layer: &'l Layer, outside: &Layer) -> Layout<'l> {
        let counts = outside.named("programCount").into_iter();
        let lanes = counts.filter_map(|entity| outside.entity(entity).value).next_back();
        Layout { layer, lanes: lanes.and_then(|lanes| u64::try_from(lanes).ok()).unwrap_or(8).max(1) }
    }

    /// The size of a type whose unbound parts are of these lanes; none if it is not known.
    pub fn of(&self, ty: Ty, unbound: Lanes) -> Option<ByteSize> {
        self.within(ty, unbound, 0)
    }

    fn within(&self, ty: Ty, unbound: Lanes, depth: u32) -> Option<ByteSize> {
        if depth > DEEPEST {
            return None;
        }
        let cell = |bytes: u64, own: Lanes| {
            let lanes = if own == Lanes::Unbound { unbound } else { own };
            let n = if lanes == Lanes::Varying { self.lanes } else { 1 };
            Some(ByteSize { size: bytes * n, align: (bytes * n).next_power_of_two() })
        };
        match *self.layer.kind(ty) {
            TypeKind::Atomic(atomic, own) => cell(bytes_of(atomic)?, own),
            TypeKind::Enum(_, own) => cell(4, own),
            TypeKind::Pointer(_, own) => cell(8, own),
            TypeKind::Reference(_) => Some(ByteSize { size: 8, align: 8 }),
            TypeKind::Array(of, Count::Known(count)) => {
                let of = self.within(of, unbound, depth + 1)?;
                Some(ByteSize { size: of.size.checked_mul(count)?, align: of.align })
            }
            TypeKind::Vector(of, Count::Known(count)) => {
                let element = self.within(of, unbound, depth + 1)?;
                let is_uniform = !matches!(self.lanes_of(of, unbound), Lanes::Varying);
                let count = if is_uniform { count.checked_next_power_of_two()?.max(4) } else { count };
                let size = element.size.checked_mul(count)?;
                Some(ByteSize { size, align: if is_uniform { size.min(64) } else { element.align } })
            }
            TypeKind::Struct(of, own) => {
                let unbound = if own == Lanes::Unbound { unbound } else { own };
                self.struct_size(of, unbound, depth)
            }
            _ => None,
        }
    }

    fn struct_size(&self, of: Entity, unbound: Lanes, depth: u32) -> Option<ByteSize> {
        let mut all = ByteSize { size: 0, align: 1 };
        for member in self.layer.members(of)?.iter() {
            let own = self.within(member.ty, unbound, depth + 1)?;
            all.align = all.align.max(own.align);
            all.size = all.size.checked_next_multiple_of(own.align.max(1))?.checked_add(own.size)?;
        }
        all.size = all.size.checked_next_multiple_of(all.align)?;
        Some(all)
    }

    /// The offset of a member, by its declaration.
    pub fn offset(&self, of: Entity, member: Entity, unbound: Lanes) -> Option<u64> {
        let mut offset: u64 = 0;
        for other in self.layer.members(of)?.iter() {
            let own = self.of(other.ty, unbound)?;
            offset = offset.checked_next_multiple_of(own.align.max(1))?;
            if other.entity == member {
                return Some(offset);
            }
            offset = offset.checked_add(own.size)?;
        }
        None
    }

    /// The variability of a type whose unbound parts are of these lanes.
    pub fn lanes_of(&self, ty: Ty, unbound: Lanes) -> Lanes {
        match self.layer.lanes(ty) {
            Some(Lanes::Unbound) | None => unbound,
            Some(own) => own,
        }
    }
}

/// The bytes of a number; those of a lane for a varying one.
pub(crate) fn bytes_of(atomic: Atomic) -> Option<u64> {
    Some(match atomic {
        Atomic::Void => return None,
        Atomic::Bool | Atomic::Int8 | Atomic::Uint8 => 1,
        Atomic::Int16 | Atomic::Uint16 | Atomic::Float16 => 2,
        Atomic::Int32 | Atomic::Uint32 | Atomic::Float => 4,
        Atomic::Int64 | Atomic::Uint64 | Atomic::Double => 8,
    })
}
