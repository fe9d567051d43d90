//! The handler for signals that stop a kernel: it sends a last frame that says what happened and where, and the process
//! ends.
//!
//! A signal may arrive anywhere, so the handler does nothing that could wait for anything: it looks into a table that was
//! made before, writes into a buffer of its own, and leaves. The process that asked starts another worker.
#![allow(unsafe_code, reason = "signal handlers")]

use std::io;
use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// An array, for the handler.
pub(super) struct Zone {
    /// The name of the array, escaped for JSON.
    pub(super) name: String,
    /// The addresses that a wrong access to it lies at.
    pub(super) reach: Range<usize>,
    /// The address of the array's first byte.
    pub(super) start: usize,
}

/// The request that is being worked on.
static REQUEST: AtomicU64 = AtomicU64::new(0);
/// The arrays of the kernel that is running; null while none is.
static ZONES: AtomicPtr<Vec<Zone>> = AtomicPtr::new(ptr::null_mut());

/// The signals that a processor's stop becomes.
const SIGNALS: &[(i32, &str)] = &[
    (libc::SIGSEGV, "it touched memory that is not there"),
    (libc::SIGBUS, "it touched memory that is not there"),
    (libc::SIGILL, "an instruction this machine does not have, or a place that cannot be reached"),
    (libc::SIGFPE, "a division by zero, or an overflow in a division"),
];

/// Notes which request is being worked on.
pub(super) fn working_on(id: u64) {
    REQUEST.store(id, Ordering::SeqCst);
}

/// Runs a kernel with its arrays known to the handler.
pub(super) fn guarded<T>(zones: Vec<Zone>, run: impl FnOnce() -> T) -> T {
    let zones = Box::into_raw(Box::new(zones));
    ZONES.store(zones, Ordering::SeqCst);
    let result = run();
    ZONES.store(ptr::null_mut(), Ordering::SeqCst);
    // SAFETY: made by the box above; the handler does not run behind the store before this.
    drop(unsafe { Box::from_raw(zones) });
    result
}

/// Sets the handlers, on a stack of their own, since a kernel's may be what ran out.
pub(super) fn install() -> io::Result<()> {
    const STACK_BYTES: usize = 1 << 16;
    let stack = Box::leak(vec![0u8; STACK_BYTES].into_boxed_slice());
    // SAFETY: the stack lives as long as the process; the action is filled in as the system wants it.
    unsafe {
        let stack = libc::stack_t { ss_sp: stack.as_mut_ptr().cast(), ss_flags: 0, ss_size: STACK_BYTES };
        if libc::sigaltstack(&stack, ptr::null_mut()) != 0 {
            return Err(io::Error::last_os_error());
        }
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        for (signal, _) in SIGNALS {
            if libc::sigaction(*signal, &action, ptr::null_mut()) != 0 {
                return Err(io::Error::last_os_error());
            }
        }
    }
    Ok(())
}

extern "C" fn handler(signal: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the system hands out a whole `siginfo_t`; the table is whole while it is not null.
    let (address, zones) = unsafe {
        let zones = ZONES.load(Ordering::SeqCst);
        ((*info).si_addr() as usize, zones.as_ref())
    };
    let mut frame = Frame::new();
    last_words(&mut frame, signal, address, zones.map(Vec::as_slice));
    frame.send();
    // SAFETY: ends the process without running anything of it.
    unsafe { libc::_exit(1) };
}

/// Composes the last frame, the message about a signal.
fn last_words(frame: &mut Frame, signal: i32, address: usize, zones: Option<&[Zone]>) {
    let what = SIGNALS.iter().find(|(own, _)| *own == signal).map_or("a signal", |(_, what)| what);
    frame.text("{\"id\":");
    frame.number(REQUEST.load(Ordering::SeqCst) as i64);
    frame.text(",\"outcome\":{\"failed\":{");
    let memory = signal == libc::SIGSEGV || signal == libc::SIGBUS;
    let zone = zones.and_then(|zones| zones.iter().find(|zone| zone.reach.contains(&address)));
    match (zones, zone) {
        (Some(_), Some(zone)) if memory => {
            frame.text("\"out-of-bounds\":{\"array\":");
            frame.text(&zone.name);
            frame.text(",\"offset\":");
            frame.number(address as i64 - zone.start as i64);
            frame.text("}");
        }
        (Some(_), None) if memory => frame.text("\"out-of-bounds\":{\"array\":null,\"offset\":0}"),
        (Some(_), _) => {
            frame.text("\"trap\":\"");
            frame.text(what);
            frame.text("\"");
        }
        (None, _) => {
            frame.text("\"died\":\"");
            frame.text(what);
            frame.text("\"");
        }
    }
    frame.text("}}}");
}

/// A frame without a payload, in a buffer that needs no allocation.
struct Frame {
    bytes: [u8; Frame::ROOM],
    len: usize,
}

impl Frame {
    const ROOM: usize = 1024;
    const HEAD: usize = 8;

    fn new() -> Frame {
        Frame { bytes: [0; Frame::ROOM], len: Frame::HEAD }
    }

    fn text(&mut self, text: &str) {
        let len = text.len().min(Frame::ROOM - self.len);
        self.bytes[self.len..self.len + len].copy_from_slice(&text.as_bytes()[..len]);
        self.len += len;
    }

    fn number(&mut self, number: i64) {
        if number < 0 {
            self.text("-");
        }
        let mut digits = [0; 20];
        let (mut at, mut rest) = (digits.len(), number.unsigned_abs());
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.text(std::str::from_utf8(&digits[at..]).unwrap_or_default());
    }

    /// Returns the whole frame, with its length in front.
    fn whole(&mut self) -> &[u8] {
        let length = (self.len - Frame::HEAD) as u32;
        self.bytes[..4].copy_from_slice(&length.to_le_bytes());
        &self.bytes[..self.len]
    }

    fn send(&mut self) {
        let whole = self.whole();
        // SAFETY: a buffer and its length; what cannot be written cannot be said.
        unsafe { libc::write(libc::STDOUT_FILENO, whole.as_ptr().cast(), whole.len()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Failure, Outcome, Response, read_frame};

    fn said(signal: i32, address: usize, zones: Option<&[Zone]>) -> Failure {
        let mut frame = Frame::new();
        last_words(&mut frame, signal, address, zones);
        let read = read_frame::<Response>(&mut frame.whole()).expect("a frame");
        match read {
            Some((Response { outcome: Outcome::Failed(failure), .. }, _)) => failure,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn last_words_are_frames() {
        let zones = [Zone { name: "\"out\"".to_owned(), reach: 1000..3000, start: 2000 }];
        assert_eq!(
            said(libc::SIGSEGV, 1996, Some(&zones)),
            Failure::OutOfBounds { array: Some("out".to_owned()), offset: -4 }
        );
        assert_eq!(said(libc::SIGSEGV, 9, Some(&zones)), Failure::OutOfBounds { array: None, offset: 0 });
        assert!(matches!(said(libc::SIGFPE, 9, Some(&zones)), Failure::Trap(what) if what.contains("division")));
        assert!(matches!(said(libc::SIGSEGV, 9, None), Failure::Died(_)));
    }
}
