//! Memory for a kernel's arrays, with pages on both sides that nothing may touch.
//!
//! Only one end of an array can lie at the end of a page, so only there the very next byte is guarded; at the other end
//! there is room up to the page's, which is filled with a pattern, so that a write shows afterwards.
#![allow(unsafe_code, reason = "pages are mapped, and a kernel writes to them")]

use std::io;
use std::ops::Range;

use crate::protocol::Guard;

/// The bytes on each side that may not be touched: further than any stride that goes wrong in practice.
const GUARD_BYTES: usize = 1 << 20;

/// The byte that fills the guard room beside an array.
const PATTERN: u8 = 0xA5;

/// An array in memory of its own, between guard pages.
pub(super) struct Guarded {
    map: *mut u8,
    map_bytes: usize,
    /// The part of the map that may be touched.
    room: Range<usize>,
    /// The part of the map that is the array.
    array: Range<usize>,
}

impl Guarded {
    /// Maps memory for an array, with this content.
    pub(super) fn new(content: &[u8], guard: Guard) -> io::Result<Guarded> {
        let mut guarded = Guarded::map(content.len(), 1, guard)?;
        guarded.bytes_mut().copy_from_slice(content);
        Ok(guarded)
    }

    /// Maps scratch memory, in which nothing is written yet that a kernel could start from.
    pub(super) fn unset(bytes: usize, guard: Guard) -> io::Result<Guarded> {
        Guarded::map(bytes, ir::scratch::ALIGN as usize, guard)
    }

    /// Maps memory of so many bytes at a multiple of `align`, filled with a pattern.
    fn map(bytes: usize, align: usize, guard: Guard) -> io::Result<Guarded> {
        // SAFETY: asks for a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
        let beside = if guard == Guard::Away { page } else { 0 };
        let too_large = || io::Error::other("it needs more memory than there is");
        let room = bytes.max(1).checked_next_multiple_of(page).ok_or_else(too_large)? + 2 * beside;
        let guard_bytes = GUARD_BYTES.next_multiple_of(page);
        let map_bytes = room + 2 * guard_bytes;
        // SAFETY: a new map, of our own size and nobody else's; its middle is made ours to touch.
        let map = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let map = libc::mmap(std::ptr::null_mut(), map_bytes, libc::PROT_NONE, flags, -1, 0);
            if map == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            map.cast::<u8>()
        };
        let start = match guard {
            Guard::Start | Guard::Away => guard_bytes + beside,
            Guard::End => (guard_bytes + room - bytes) / align * align,
        };
        let (array, touchable) = (start..start + bytes, guard_bytes..guard_bytes + room);
        let mut guarded = Guarded { map, map_bytes, room: touchable, array };
        // SAFETY: the range lies within the map.
        if unsafe { libc::mprotect(map.add(guard_bytes).cast(), room, libc::PROT_READ | libc::PROT_WRITE) } != 0 {
            return Err(io::Error::last_os_error());
        }
        guarded.room().fill(PATTERN);
        Ok(guarded)
    }

    /// The pages that may be touched.
    fn room(&mut self) -> &mut [u8] {
        // SAFETY: these pages are mapped to be read and written, and borrowed with the map.
        unsafe { std::slice::from_raw_parts_mut(self.map.add(self.room.start), self.room.len()) }
    }

    /// Returns the address of the array's first byte.
    pub(super) fn address(&self) -> usize {
        self.map as usize + self.array.start
    }

    /// The addresses that belong to it, guards with them.
    pub(super) fn reach(&self) -> Range<usize> {
        self.map as usize..self.map as usize + self.map_bytes
    }

    /// Returns the content of the array.
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: the array lies in pages that are mapped to be read.
        unsafe { std::slice::from_raw_parts(self.map.add(self.array.start), self.array.len()) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the array lies in pages that are mapped to be written.
        unsafe { std::slice::from_raw_parts_mut(self.map.add(self.array.start), self.array.len()) }
    }

    /// Returns true if the guard room beside the array is unchanged.
    pub(super) fn is_whole(&mut self) -> bool {
        let (start, end) = (self.array.start - self.room.start, self.array.end - self.room.start);
        let room = self.room();
        room[..start].iter().chain(&room[end..]).all(|byte| *byte == PATTERN)
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the map is ours, and nothing borrows it any more.
        unsafe { libc::munmap(self.map.cast(), self.map_bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_lie_at_either_end_and_writes_beside_them_show() {
        for guard in [Guard::Start, Guard::End, Guard::Away] {
            let mut guarded = Guarded::new(&[1, 2, 3], guard).expect("memory");
            assert_eq!(guarded.bytes(), [1, 2, 3]);
            assert!(guarded.is_whole());
            let [before, behind] = [guarded.array.start - guarded.room.start, guarded.room.end - guarded.array.end];
            assert_eq!([before > 0, behind > 0], [guard != Guard::Start, guard != Guard::End]);
            let beside = if before > 0 { before - 1 } else { 3 };
            guarded.room()[beside] = 7;
            assert!(!guarded.is_whole());
        }
        let mut empty = Guarded::new(&[], Guard::End).expect("memory");
        assert!(empty.bytes().is_empty() && empty.is_whole());
    }
}
