//! Typed indices: what a kernel is made of is kept in arenas and named by number.
//!
//! An *entity* is an index into one arena, with a type of its own, so that a value can never be taken for
//! an op. It prints as the short name that messages use (`v3`, `op7`).

use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// An index into an arena of its own.
pub trait Entity: Copy + Eq + Ord + Hash + fmt::Debug + fmt::Display {
    /// The entity with this index.
    fn new(index: usize) -> Self;
    /// Returns the entity's index in its arena.
    fn index(self) -> usize;
}

/// Defines entity types, each with the prefix it prints with.
macro_rules! entities {
    ($($(#[$doc:meta])* $name:ident $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl Entity for $name {
            fn new(index: usize) -> Self {
                $name(u32::try_from(index).expect("fewer than 2^32 entities in a kernel"))
            }

            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    )*};
}

entities! {
    /// A value: a parameter, a constant, a result of an op, or an argument of a region.
    Value "v";
    /// An operation, in the table of a kernel.
    Op "op";
    /// A list of ops with arguments in front and yielded values at the end.
    Region "region";
    /// A struct declaration of a kernel.
    Struct "struct";
    /// The origin of an op: a place of the source.
    Origin "origin";
}

/// An arena: a vector whose index is an entity.
#[derive(Clone, PartialEq, Eq)]
pub struct EntityVec<K, V> {
    items: Vec<V>,
    key: PhantomData<fn(K) -> K>,
}

impl<K: Entity, V> EntityVec<K, V> {
    /// Returns an arena without items.
    pub fn new() -> Self {
        EntityVec { items: Vec::new(), key: PhantomData }
    }

    /// An arena of `len` copies of `item`: a side table.
    pub fn filled(len: usize, item: V) -> Self
    where
        V: Clone,
    {
        EntityVec { items: vec![item; len], key: PhantomData }
    }

    /// Makes room for so many items more.
    pub fn reserve(&mut self, n: usize) {
        self.items.reserve(n);
    }

    /// Adds an item and names it.
    pub fn push(&mut self, item: V) -> K {
        let key = K::new(self.items.len());
        self.items.push(item);
        key
    }

    /// Adds copies of `item` until there are `len` items: a side table of an arena that has grown.
    pub fn grow(&mut self, len: usize, item: V)
    where
        V: Clone,
    {
        if self.items.len() < len {
            self.items.resize(len, item);
        }
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Says whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The item, unless the entity is of another kernel.
    pub fn get(&self, key: K) -> Option<&V> {
        self.items.get(key.index())
    }

    /// Returns all entities, in the order of their indices.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator + use<K, V> {
        (0..self.items.len()).map(K::new)
    }

    /// All entities with their items, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> {
        self.items.iter().enumerate().map(|(index, item)| (K::new(index), item))
    }

    /// All items, in order, to change.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.items.iter_mut()
    }
}

impl<K: Entity, V> Default for EntityVec<K, V> {
    fn default() -> Self {
        EntityVec::new()
    }
}

impl<K: Entity, V> Index<K> for EntityVec<K, V> {
    type Output = V;

    fn index(&self, key: K) -> &V {
        &self.items[key.index()]
    }
}

impl<K: Entity, V> IndexMut<K> for EntityVec<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut self.items[key.index()]
    }
}

impl<K: Entity, V: fmt::Debug> fmt::Debug for EntityVec<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
