//! The memory of a run: allocations, each in an address space of its own.
//!
//! An address holds the number of its allocation above and the offset below, so pointers can be computed with as numbers, and still
//! each access is held against the bytes of the allocation that the pointer came from. No number is given twice.

use std::rc::Rc;

use crate::types::NumberType;

/// The offset of an allocation's first byte: addresses somewhat in front of it still lead to it, and are told to be outside.
const FIRST_BYTE: u64 = 1 << 20;
/// The addresses of functions.
const FUNCTIONS: u64 = 0xf << 60;

/// A stretch of memory. Copies share name and bytes until one of them changes.
#[derive(Clone, Debug)]
struct Allocation {
    name: Rc<str>,
    bytes: Rc<Vec<u8>>,
    /// True for memory that its function or `delete` has given back.
    is_gone: bool,
    /// True for what `new` has made.
    is_new: bool,
}

/// A stretch of memory as who looks at a run sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeenMemory<'a> {
    /// Its number.
    pub number: u64,
    /// The words for it: ``array `a` ``.
    pub name: &'a str,
    /// Its size, in bytes.
    pub bytes: u64,
    /// The byte of it that was asked for.
    pub offset: u64,
}

/// The two ways to use a cell.
#[derive(Clone, Copy)]
enum CellUse {
    Read,
    Write,
}

/// The number of allocations that copies of a memory share or not.
const GROUP: usize = 256;

/// All memory. A copy takes little: groups of allocations are shared until one of the copies changes something in them.
#[derive(Clone, Debug, Default)]
pub struct GangMemory {
    /// The allocations in their order, in groups of [`GROUP`].
    groups: Vec<Rc<Vec<Allocation>>>,
    n_bytes: u64,
}

/// The most bytes that a run may have at once.
const MOST_BYTES: u64 = 1 << 30;

impl GangMemory {
    /// New memory, all zero; the address of its first byte.
    pub fn allocate(&mut self, name: &str, n_bytes: u64) -> Result<u64, String> {
        self.n_bytes = self.n_bytes.saturating_add(n_bytes);
        let nth = self.n_allocations();
        if self.n_bytes > MOST_BYTES || nth > 1 << 27 {
            return Err(format!("wants {n_bytes} bytes more, which is more than a run may have ({MOST_BYTES} in all)"));
        }
        if nth.is_multiple_of(GROUP) {
            self.groups.push(Rc::default());
        }
        if let Some(group) = self.groups.last_mut() {
            let bytes = Rc::new(vec![0; n_bytes as usize]);
            Rc::make_mut(group).push(Allocation { name: name.into(), bytes, is_gone: false, is_new: false });
        }
        Ok(GangMemory::address(nth as u64, 0))
    }

    fn n_allocations(&self) -> usize {
        self.groups.last().map_or(0, |last| (self.groups.len() - 1) * GROUP + last.len())
    }

    fn allocation(&self, index: usize) -> Option<&Allocation> {
        self.groups.get(index / GROUP)?.get(index % GROUP)
    }

    fn allocation_mut(&mut self, index: usize) -> Option<&mut Allocation> {
        Rc::make_mut(self.groups.get_mut(index / GROUP)?).get_mut(index % GROUP)
    }

    /// New memory that `delete` may give back.
    pub(crate) fn allocate_new(&mut self, n_bytes: u64) -> Result<u64, String> {
        let address = self.allocate("memory of `new`", n_bytes)?;
        if let Some(last) = self.allocation_mut((address >> 32) as usize - 1) {
            last.is_new = true;
        }
        Ok(address)
    }

    /// The memory at its first address is no more.
    pub(crate) fn drop_local(&mut self, address: u64) {
        if let Some(allocation) = self.allocation_mut((address >> 32) as usize - 1) {
            let bytes = std::mem::take(&mut allocation.bytes);
            allocation.is_gone = true;
            self.n_bytes -= bytes.len() as u64;
        }
    }

    /// Gives memory of `new` back.
    pub(crate) fn free(&mut self, address: u64) -> Result<(), String> {
        if address == 0 {
            return Ok(());
        }
        let found = (address >> 32).checked_sub(1).and_then(|index| self.allocation(index as usize));
        match found {
            Some(allocation) if allocation.is_gone => Err(format!("gives {} back a second time", allocation.name)),
            Some(allocation) if allocation.is_new && address & 0xffff_ffff == FIRST_BYTE => {
                self.drop_local(address);
                Ok(())
            }
            Some(allocation) => {
                Err(format!("gives {} back, which is not where `new` has made something", allocation.name))
            }
            None => Err("gives back what is no address of memory".to_owned()),
        }
    }

    /// The allocation that bytes lie in, its number, and the first of them.
    fn find(&self, address: u64, n_bytes: u64, access: CellUse) -> Result<(&Allocation, usize, usize), String> {
        let (verb, what) = match access {
            CellUse::Read => ("reads", "reads"),
            CellUse::Write => ("writes", "writes to"),
        };
        if address == 0 {
            return Err(format!("{verb} by a null pointer"));
        }
        if address >= FUNCTIONS {
            return Err(format!("{verb} by the address of a function"));
        }
        let index = (address >> 32).checked_sub(1).map(|index| index as usize);
        let Some((index, allocation)) = index.and_then(|index| Some((index, self.allocation(index)?))) else {
            return Err(match address < 1 << 20 {
                true => format!("{verb} by a null pointer that was moved by {address} bytes"),
                false => format!("{verb} by a number that is no address ({address:#x})"),
            });
        };
        let offset = (address & 0xffff_ffff) as i64 - FIRST_BYTE as i64;
        if allocation.is_gone {
            return Err(format!("{what} {}, which is given back already", within(allocation)));
        }
        let size = allocation.bytes.len() as u64;
        if offset < 0 || offset as u64 + n_bytes > size {
            return Err(format!("{what} {} out of range: byte {offset} of {size}", within(allocation)));
        }
        Ok((allocation, index, offset as usize))
    }

    /// The stretch of memory that an address leads into, if it does.
    pub fn seen(&self, address: u64) -> Option<SeenMemory<'_>> {
        let (allocation, index, offset) = self.find(address, 1, CellUse::Read).ok()?;
        let (name, bytes) = (within(allocation), allocation.bytes.len() as u64);
        Some(SeenMemory { number: index as u64, name, bytes, offset: offset as u64 })
    }

    /// The address of a byte of a stretch of memory.
    pub fn address(number: u64, offset: u64) -> u64 {
        ((number + 1) << 32) + FIRST_BYTE + offset
    }

    fn bytes_mut(&mut self, index: usize) -> &mut [u8] {
        match self.allocation_mut(index) {
            Some(allocation) => Rc::make_mut(&mut allocation.bytes).as_mut_slice(),
            None => &mut [],
        }
    }

    /// Reads a number.
    pub fn read(&self, address: u64, ty: NumberType) -> Result<u64, String> {
        let (allocation, _, offset) = self.find(address, ty.bytes(), CellUse::Read)?;
        let bytes = &allocation.bytes[offset..];
        let bits = match ty.bytes() {
            1 => bytes[0].into(),
            2 => u16::from_le_bytes(chunk(bytes)).into(),
            4 => u32::from_le_bytes(chunk(bytes)).into(),
            _ => u64::from_le_bytes(chunk(bytes)),
        };
        Ok(if ty == NumberType::Bool { u64::from(bits != 0) } else { bits })
    }

    /// Writes a number.
    pub fn write(&mut self, address: u64, ty: NumberType, bits: u64) -> Result<(), String> {
        let (_, index, offset) = self.find(address, ty.bytes(), CellUse::Write)?;
        let (bytes, bits) = (&mut self.bytes_mut(index)[offset..], bits.to_le_bytes());
        match ty.bytes() {
            1 => bytes[0] = bits[0],
            2 => bytes[..2].copy_from_slice(&bits[..2]),
            4 => bytes[..4].copy_from_slice(&bits[..4]),
            _ => bytes[..8].copy_from_slice(&bits),
        }
        Ok(())
    }

    /// Copies bytes, which may overlap.
    pub(crate) fn copy(&mut self, to: u64, from: u64, n_bytes: u64) -> Result<(), String> {
        if n_bytes == 0 {
            return Ok(());
        }
        let (from, _, start) = self.find(from, n_bytes, CellUse::Read)?;
        let bytes = from.bytes[start..start + n_bytes as usize].to_vec();
        let (_, to, start) = self.find(to, n_bytes, CellUse::Write)?;
        self.bytes_mut(to)[start..start + n_bytes as usize].copy_from_slice(&bytes);
        Ok(())
    }

    /// Sets bytes.
    pub(crate) fn fill(&mut self, to: u64, value: u8, n_bytes: u64) -> Result<(), String> {
        if n_bytes == 0 {
            return Ok(());
        }
        let (_, to, start) = self.find(to, n_bytes, CellUse::Write)?;
        self.bytes_mut(to)[start..start + n_bytes as usize].fill(value);
        Ok(())
    }
}

/// The first bytes, of which there are as many.
fn chunk<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or([0; N])
}

fn within(allocation: &Allocation) -> &str {
    &allocation.name
}

/// The address of a function.
pub(crate) fn function_address(index: usize) -> u64 {
    FUNCTIONS + ((index as u64 + 1) << 4)
}

/// The function at an address.
pub(crate) fn function_at(address: u64) -> Option<usize> {
    ((address.checked_sub(FUNCTIONS)?) >> 4).checked_sub(1).map(|index| index as usize)
}
