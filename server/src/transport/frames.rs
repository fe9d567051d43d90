//! Frames on a byte stream: a header with a length, then a body of that length.
//!
//! A body ends without a line break, so after a wrong length the next header starts in the midst of a line. It is found again by
//! three rules:
//!
//! - A line that *ends* with `Content-Length: N` is a header, whatever stands before it.
//! - A body that has such a line in it is no message: in JSON no string holds a line break, and outside of strings there are no such
//!   words. The body ends there, and the header is that of the next message.
//! - A body that is no JSON may have swallowed the beginning of a header, so its end is also the start of the line behind it.

use std::io::{self, BufRead};

use serde_json::Value;
use tower_lsp::jsonrpc::Error;

/// Limit on the length of a message in bytes: a longer one is taken for a mistake, and skipped.
const LONGEST: u64 = 1 << 30;
/// Number of bytes of a line that are kept: more than any header has.
const LONGEST_HEADER: usize = 1 << 14;
/// Number of bytes at the end of a body that may be the beginning of a header.
const CARRIED: usize = 64;

/// A message as it was framed.
pub struct Frame {
    /// Number of bytes before it that belong to no message.
    pub skipped: u64,
    /// The JSON of the message, or the error to answer.
    pub message: Result<Value, Error>,
}

/// The frames of a stream.
pub struct Frames<R> {
    input: R,
    /// The length in a header that was found in a body.
    found: Option<u64>,
    /// The end of a body that was no message.
    carried: Vec<u8>,
}

/// A line of the stream, behind what was carried to it.
struct Line {
    /// The end of the line, with its line break.
    bytes: Vec<u8>,
    /// Number of bytes before those.
    n_dropped: u64,
    n_carried: u64,
}

impl Line {
    /// The part of the line that was read as a line.
    fn read(&self) -> &[u8] {
        let from = self.n_carried.saturating_sub(self.n_dropped) as usize;
        &self.bytes[from.min(self.bytes.len())..]
    }

    /// Number of bytes that were read and stand before a place in the line.
    fn n_before(&self, at: usize) -> u64 {
        (self.n_dropped + at as u64).saturating_sub(self.n_carried)
    }
}

impl<R: BufRead> Frames<R> {
    /// Creates the frames of a stream.
    pub fn new(input: R) -> Frames<R> {
        Frames { input, found: None, carried: Vec::new() }
    }

    /// Reads the next frame; `None` at the end of the stream.
    pub fn read(&mut self) -> io::Result<Option<Frame>> {
        let mut length = self.found.take();
        let mut is_wrong = false;
        let mut skipped = 0;
        loop {
            let Some(line) = self.line()? else { return Ok(None) };
            if let Some((given, at)) = content_length(&line.bytes) {
                length = Some(given);
                skipped += line.n_before(at);
            } else if !line.read().trim_ascii().is_empty() {
                // Other headers are ignored: the text is UTF-8, whatever charset a header names.
                if !is_other_header(&line.bytes) {
                    is_wrong = true;
                    skipped += line.n_before(line.bytes.len());
                }
            } else if let Some(length) = length {
                return Ok(self.body(length)?.map(|frame| Frame { skipped: skipped + frame.skipped, ..frame }));
            } else if is_wrong {
                let mut error = Error::parse_error();
                error.message = "expected a header `Content-Length: …`".into();
                // The error tells of what was read so far.
                return Ok(Some(Frame { skipped: 0, message: Err(error) }));
            }
            // Empty lines between messages are tolerated.
        }
    }

    /// Reads a line; `None` at the end of the stream.
    fn line(&mut self) -> io::Result<Option<Line>> {
        let bytes = std::mem::take(&mut self.carried);
        let mut line = Line { n_carried: bytes.len() as u64, bytes, n_dropped: 0 };
        let n_before = line.bytes.len();
        loop {
            let chunk = fill(&mut self.input)?;
            if chunk.is_empty() {
                return Ok((line.n_dropped > 0 || line.bytes.len() > n_before).then_some(line));
            }
            let end = chunk.iter().position(|&byte| byte == b'\n');
            let n = end.map_or(chunk.len(), |at| at + 1);
            line.bytes.extend_from_slice(&chunk[..n]);
            self.input.consume(n);
            if end.is_some() {
                return Ok(Some(line));
            }
            let n_more = line.bytes.len().saturating_sub(LONGEST_HEADER);
            if n_more > LONGEST_HEADER {
                line.bytes.drain(..n_more);
                line.n_dropped += n_more as u64;
            }
        }
    }

    /// Reads a body; `None` at the end of the stream. Of one that a header ends, all that stands before that belongs to no message.
    fn body(&mut self, length: u64) -> io::Result<Option<Frame>> {
        let mut body = Vec::new();
        let mut n_dropped = 0;
        let mut left = length;
        while left > 0 {
            let chunk = fill(&mut self.input)?;
            if chunk.is_empty() {
                return Ok(None);
            }
            let chunk = &chunk[..chunk.len().min(usize::try_from(left).unwrap_or(usize::MAX))];
            let end = chunk.iter().position(|&byte| byte == b'\n');
            let n = end.map_or(chunk.len(), |at| at + 1);
            body.extend_from_slice(&chunk[..n]);
            self.input.consume(n);
            left -= n as u64;
            if end.is_some()
                && let Some((length, at)) = content_length(&body)
            {
                self.found = Some(length);
                return Ok(Some(Frame { skipped: n_dropped + at as u64, message: Err(Error::parse_error()) }));
            }
            if length > LONGEST && body.len() > 2 * LONGEST_HEADER {
                let n_more = body.len() - LONGEST_HEADER;
                body.drain(..n_more);
                n_dropped += n_more as u64;
            }
        }
        let message = match serde_json::from_slice(&body) {
            _ if length > LONGEST => {
                let mut error = Error::invalid_request();
                error.message = "the message is too long".into();
                Err(error)
            }
            Ok(message) => Ok(message),
            Err(_) => Err(Error::parse_error()),
        };
        if message.is_err() {
            let line = body.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            self.carried = body.split_off(line.max(body.len().saturating_sub(CARRIED)));
        }
        Ok(Some(Frame { skipped: 0, message }))
    }
}

/// The bytes that can be read, after waiting for some; none at the end of the stream.
fn fill(input: &mut impl BufRead) -> io::Result<&[u8]> {
    while input.fill_buf().is_err_and(|error| error.kind() == io::ErrorKind::Interrupted) {}
    input.fill_buf()
}

/// Parses the `Content-Length: N` that ends a line; returns the length, and where the header starts.
fn content_length(line: &[u8]) -> Option<(u64, usize)> {
    const NAME: &[u8] = b"content-length";
    let line = line.trim_ascii_end();
    let digits = line.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (head, value) = line.split_at(line.len() - digits);
    let head = head.trim_ascii_end().strip_suffix(b":")?.trim_ascii_end();
    let at = head.len().checked_sub(NAME.len())?;
    let is_named = head[at..].eq_ignore_ascii_case(NAME);
    let length = std::str::from_utf8(value).ok()?.parse().ok()?;
    is_named.then_some((length, at))
}

/// Returns true if a line is a header other than `Content-Length`.
fn is_other_header(line: &[u8]) -> bool {
    let Some(end) = line.iter().position(|&byte| byte == b':') else { return false };
    let name = line[..end].trim_ascii();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !name.is_empty() && name.iter().all(is_name) && !name.eq_ignore_ascii_case(b"Content-Length")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The messages of a stream, or their errors' codes, and the number of bytes between them.
    fn frames(input: &[u8]) -> (Vec<Result<String, i64>>, u64) {
        // A small buffer, so that what belongs together arrives in parts.
        let mut frames = Frames::new(io::BufReader::with_capacity(7, input));
        let (mut found, mut skipped) = (Vec::new(), 0);
        while let Some(frame) = frames.read().expect("memory can be read") {
            found.push(frame.message.map(|json| json.to_string()).map_err(|error| error.code.code()));
            skipped += frame.skipped;
        }
        (found, skipped)
    }

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    const WRONG: Result<String, i64> = Err(-32700);

    #[test]
    fn headers_in_any_order_and_spelling() {
        let input = b"Content-Length: 2\r\n\r\n12Content-Type: x\r\ncontent-length:1\r\n\r\n3\r\nContent-Length: 0\n\n";
        assert_eq!(frames(input), (vec![Ok("12".to_owned()), Ok("3".to_owned()), WRONG], 0));
    }

    #[test]
    fn a_bad_header_is_one_error_and_what_follows_is_read() {
        let input = b"nonsense\r\nmore\r\n\r\nContent-Length: many\r\n\r\nContent-Length: 1\r\n\r\n7";
        assert_eq!(frames(input).0, [WRONG, WRONG, Ok("7".to_owned())]);
    }

    #[test]
    fn half_a_message_is_the_end() {
        assert_eq!(frames(b"Content-Length: 5\r\n\r\nabc"), (vec![], 0));
        assert_eq!(frames(b"Content-Len"), (vec![], 0));
    }

    #[test]
    fn the_next_header_is_found_in_the_midst_of_a_line() {
        let body = "{\"id\":12345}";
        let next = framed("8");
        for length in ["abc", "-1", "", "99999999999999999999"] {
            let (found, skipped) = frames(format!("Content-Length: {length}\r\n\r\n{body}{next}").as_bytes());
            assert_eq!((found, skipped > 0), (vec![WRONG, Ok("8".to_owned())], true), "{length:?}");
        }
        assert_eq!(frames(format!("\0\0\0\0{next}").as_bytes()), (vec![Ok("8".to_owned())], 4));
        assert_eq!(frames(format!("{}{next}", "x".repeat(100_000)).as_bytes()), (vec![Ok("8".to_owned())], 100_000));
    }

    #[test]
    fn a_wrong_length_costs_one_message() {
        let body = "{\"id\":12345}";
        let next = framed("{\"id\":6}");
        for length in (0..body.len() + 60).filter(|&length| length != body.len()).chain([1 << 20, 1 << 40]) {
            // A third message shows that the stream is in step again.
            let (found, skipped) = frames(format!("Content-Length: {length}\r\n\r\n{body}{next}{next}").as_bytes());
            let good = Ok("{\"id\":6}".to_owned());
            assert_eq!(found, [WRONG, good.clone(), good], "{length}");
            // A body that a header ends is skipped as a whole.
            if length > body.len() + next.len() {
                assert_eq!(skipped, body.len() as u64, "{length}");
            }
        }
    }
}
