//! Messages to the client: responses and events, numbered and framed.

use std::io::{self, Write};

use serde_json::{Value, json};

/// The output of a session.
pub(crate) struct Output<W> {
    stream: W,
    last: u64,
}

impl<W: Write> Output<W> {
    /// Creates the output on a stream.
    pub(crate) fn new(stream: W) -> Output<W> {
        Output { stream, last: 0 }
    }

    /// Returns the stream, for tests.
    #[cfg(test)]
    pub(crate) fn stream(&mut self) -> &mut W {
        &mut self.stream
    }

    /// Answers a request, with a body or with a sentence that says why there is none.
    pub(crate) fn respond(&mut self, request: &Value, answer: Result<Value, String>) -> io::Result<()> {
        let mut message = json!({
            "type": "response",
            "request_seq": request["seq"],
            "command": request["command"],
            "success": answer.is_ok(),
        });
        match answer {
            Ok(body) => message["body"] = body,
            Err(why) => {
                message["message"] = json!(why);
                message["body"] = json!({ "error": { "id": 1, "format": why, "showUser": true } });
            }
        }
        self.send(message)
    }

    /// Sends an event.
    pub(crate) fn event(&mut self, name: &str, body: Value) -> io::Result<()> {
        self.send(json!({ "type": "event", "event": name, "body": body }))
    }

    fn send(&mut self, mut message: Value) -> io::Result<()> {
        self.last += 1;
        message["seq"] = json!(self.last);
        let text = message.to_string();
        write!(self.stream, "Content-Length: {}\r\n\r\n{text}", text.len())?;
        self.stream.flush()
    }
}

/// The capabilities of this adapter, for the answer to `initialize`.
pub(crate) fn capabilities() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsConditionalBreakpoints": true,
        "supportsHitConditionalBreakpoints": true,
        "supportsLogPoints": true,
        "supportsEvaluateForHovers": true,
        "supportsStepBack": true,
        "supportsSteppingGranularity": true,
        "supportsInstructionBreakpoints": true,
        "supportsDisassembleRequest": true,
        "supportsReadMemoryRequest": true,
        "supportsBreakpointLocationsRequest": true,
        "supportsExceptionInfoRequest": true,
        "supportsRestartRequest": true,
        "supportsTerminateRequest": true,
        "supportsClipboardContext": true,
        "exceptionBreakpointFilters": [
            {
                "filter": "error",
                "label": "Errors of the program",
                "description": "Stops where the program fails: an index out of range, an overflow, iterations that collide",
                "default": true,
            },
            {
                "filter": "diverge",
                "label": "Lanes that differ in a condition",
                "description": "Stops behind a condition that holds in some lanes and not in others",
                "default": false,
            },
        ],
    })
}
