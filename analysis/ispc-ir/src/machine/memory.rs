//! The memory of a run: allocations, each in an address space of its own.
//!
//! An address holds the number of its allocation above and the offset below, so pointers can be computed with as numbers, and still
//! each access is held against the bytes of the allocation that the pointer came from. No number is given twice.

use crate::types::NumberType;

/// The offset of an allocation's first byte: addresses somewhat in front of it still lead to it, and are told to be outside.
const FIRST_BYTE: u64 = 1 << 20;
/// The addresses of functions.
const FUNCTIONS: u64 = 0xf << 60;

/// A stretch of memory.
#[derive(Clone, Debug)]
struct Allocation {
    name: String,
    bytes: Vec<u8>,
    /// True for memory that its function or `delete` has given back.
    is_gone: bool,
    /// True for what `new` has made.
    is_new: bool,
}

/// The two ways to use a cell.
#[derive(Clone, Copy)]
enum CellUse {
    Read,
    Write,
}

/// All memory.
#[derive(Clone, Debug, Default)]
pub struct GangMemory {
    allocations: Vec<Allocation>,
    n_bytes: u64,
}

/// The most bytes that a run may have at once.
const MOST_BYTES: u64 = 1 << 30;

impl GangMemory {
    /// New memory, all zero; the address of its first byte.
    pub fn allocate(&mut self, name: &str, n_bytes: u64) -> Result<u64, String> {
        self.n_bytes = self.n_bytes.saturating_add(n_bytes);
        if self.n_bytes > MOST_BYTES || self.allocations.len() > 1 << 27 {
            return Err(format!("wants {n_bytes} bytes more, which is more than a run may have ({MOST_BYTES} in all)"));
        }
        let bytes = vec![0; n_bytes as usize];
        self.allocations.push(Allocation { name: name.to_owned(), bytes, is_gone: false, is_new: false });
        Ok(((self.allocations.len() as u64) << 32) + FIRST_BYTE)
    }

    /// New memory that `delete` may give back.
    pub(crate) fn allocate_new(&mut self, n_bytes: u64) -> Result<u64, String> {
        let address = self.allocate("memory of `new`", n_bytes)?;
        if let Some(last) = self.allocations.last_mut() {
            last.is_new = true;
        }
        Ok(address)
    }

    /// The memory at its first address is no more.
    pub(crate) fn drop_local(&mut self, address: u64) {
        if let Some(allocation) = self.allocations.get_mut((address >> 32) as usize - 1) {
            self.n_bytes -= allocation.bytes.len() as u64;
            allocation.bytes = Vec::new();
            allocation.is_gone = true;
        }
    }

    /// Gives memory of `new` back.
    pub(crate) fn free(&mut self, address: u64) -> Result<(), String> {
        if address == 0 {
            return Ok(());
        }
        let found = (address >> 32).checked_sub(1).and_then(|index| self.allocations.get_mut(index as usize));
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

    fn find(&self, address: u64, n_bytes: u64, access: CellUse) -> Result<(usize, usize), String> {
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
        let Some((index, allocation)) = index.and_then(|index| Some((index, self.allocations.get(index)?))) else {
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
        Ok((index, offset as usize))
    }

    /// Reads a number.
    pub fn read(&self, address: u64, ty: NumberType) -> Result<u64, String> {
        let n_bytes = ty.bytes() as usize;
        let (index, offset) = self.find(address, n_bytes as u64, CellUse::Read)?;
        let mut bits = [0; 8];
        bits[..n_bytes].copy_from_slice(&self.allocations[index].bytes[offset..offset + n_bytes]);
        let bits = u64::from_le_bytes(bits);
        Ok(if ty == NumberType::Bool { u64::from(bits != 0) } else { bits })
    }

    /// Writes a number.
    pub fn write(&mut self, address: u64, ty: NumberType, bits: u64) -> Result<(), String> {
        let n_bytes = ty.bytes() as usize;
        let (index, offset) = self.find(address, n_bytes as u64, CellUse::Write)?;
        self.allocations[index].bytes[offset..offset + n_bytes].copy_from_slice(&bits.to_le_bytes()[..n_bytes]);
        Ok(())
    }

    /// Copies bytes, which may overlap.
    pub(crate) fn copy(&mut self, to: u64, from: u64, n_bytes: u64) -> Result<(), String> {
        if n_bytes == 0 {
            return Ok(());
        }
        let (from, start) = self.find(from, n_bytes, CellUse::Read)?;
        let bytes = self.allocations[from].bytes[start..start + n_bytes as usize].to_vec();
        let (to, start) = self.find(to, n_bytes, CellUse::Write)?;
        self.allocations[to].bytes[start..start + n_bytes as usize].copy_from_slice(&bytes);
        Ok(())
    }

    /// Sets bytes.
    pub(crate) fn fill(&mut self, to: u64, value: u8, n_bytes: u64) -> Result<(), String> {
        if n_bytes == 0 {
            return Ok(());
        }
        let (to, start) = self.find(to, n_bytes, CellUse::Write)?;
        self.allocations[to].bytes[start..start + n_bytes as usize].fill(value);
        Ok(())
    }
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
