//! Requests about a program that stands still: its frames, variables, expressions, text and memory.

use std::io::Write;

use serde_json::{Value, json};

use super::arguments::{AskedExpression, AskedMemory, AskedText, AskedVariables, Levels};
use super::{MOST_ELEMENTS, STAGE_TEXT, Session, nothing_launched, parsed, standing};
use crate::inspecting::{self, Container};
use driver::stepping::expressions::{Evaluated, Expression};
use driver::stepping::places::Lines;

impl<W: Write> Session<W> {
    pub(super) fn stack_trace(&mut self, arguments: &Value) -> Result<Value, String> {
        let program = standing(&self.program, &self.running)?;
        let op = program.stepping.next_op().or_else(|| program.stepping.failed_at().map(|(op, _)| op));
        let calls = op.map_or(&[][..], |op| program.places.calls(op));
        let source =
            json!({ "name": program.path.file_name().map(|name| name.to_string_lossy()), "path": program.path });
        let mut frames: Vec<Value> = Vec::new();
        let n_hidden = self.n_hidden.min(calls.len().saturating_sub(1));
        for (n, call) in calls.iter().enumerate().skip(n_hidden) {
            let mut frame = self.placed(call.at);
            frame["id"] = json!(n + 1);
            frame["name"] = json!(self.frame_name(&call.item, n + 1 == calls.len()));
            frame["source"] = source.clone();
            frames.push(frame);
        }
        let line = op.and_then(|op| program.places.line_in_text(op));
        if let Some(line) = line {
            let at = Lines { line: line as u32, column: 0, end_line: line as u32, end_column: 0 };
            let mut frame = self.placed(at);
            frame["id"] = json!(calls.len() + 1);
            frame["name"] = json!(format!("stage {}", program.stage.name));
            frame["source"] = json!({
                "name": format!("{}.{}.laneir", program.kernel, program.stage.name),
                "sourceReference": STAGE_TEXT,
                "presentationHint": "deemphasize",
            });
            if frames.is_empty() {
                frame["name"] = json!(self.frame_name(&program.kernel, true));
            }
            frames.push(frame);
        }
        if let (None, Some(line)) = (op, program.places.last_reached()) {
            let mut frame = self.placed(Lines { line, column: 0, end_line: line, end_column: 0 });
            frame["id"] = json!(1);
            frame["name"] = json!(format!("{} (at its end)", program.kernel));
            frame["source"] = source;
            frames.push(frame);
        }
        if let (Some(line), Some(frame)) = (line, frames.first_mut()) {
            frame["instructionPointerReference"] = json!(address_of_line(line));
        }
        let total = frames.len();
        let asked: Levels = parsed(arguments)?;
        let levels = asked.levels.filter(|levels| *levels > 0).unwrap_or(total);
        let frames: Vec<Value> = frames.into_iter().skip(asked.start_frame.unwrap_or(0)).take(levels).collect();
        Ok(json!({ "stackFrames": frames, "totalFrames": total }))
    }

    /// The name of a frame; the outermost says in which iteration it is.
    fn frame_name(&self, item: &str, is_outermost: bool) -> String {
        let iteration = self.program.as_ref().map(|program| program.stepping.iteration()).unwrap_or_default();
        if !is_outermost || iteration.is_empty() {
            return item.to_owned();
        }
        let indices: Vec<String> = iteration.iter().map(ToString::to_string).collect();
        format!("{item} (iteration {})", indices.join(", "))
    }

    fn placed(&self, at: Lines) -> Value {
        let (first, column) = (u32::from(self.lines_from_1), u32::from(self.columns_from_1));
        json!({
            "line": at.line + first, "column": at.column + column,
            "endLine": at.end_line + first, "endColumn": at.end_column + column,
        })
    }

    pub(super) fn variables(&mut self, arguments: &Value) -> Result<Value, String> {
        let asked: AskedVariables = parsed(arguments)?;
        let program = standing(&self.program, &self.running)?;
        let container =
            self.containers.get(asked.variables_reference).ok_or("the run has moved on since this was shown")?;
        let start = asked.start.unwrap_or(0);
        let count = asked.count.filter(|count| *count > 0).unwrap_or(MOST_ELEMENTS);
        let mut inside =
            inspecting::inside(&container, start..start.saturating_add(count), &program.stepping, &mut self.containers);
        // Elements are cut to the range where they are made.
        if !matches!(container, Container::Elements(..)) {
            inside = inside.into_iter().skip(start).take(count).collect();
        }
        Ok(json!({ "variables": inside }))
    }

    pub(super) fn evaluate(&mut self, arguments: &Value) -> Result<Value, String> {
        let asked: AskedExpression = parsed(arguments)?;
        let program = standing(&self.program, &self.running)?;
        let stepping = &program.stepping;
        match Expression::parse(&asked.expression)?.evaluate(stepping)? {
            Evaluated::One(scalar) => {
                Ok(json!({ "result": scalar.to_string(), "type": scalar.elem().name(), "variablesReference": 0 }))
            }
            Evaluated::Lanes(lanes) => {
                let text = inspecting::of_lanes(&lanes);
                let n_lanes = lanes.len();
                let reference = self.containers.add(Container::Values(lanes));
                Ok(
                    json!({ "result": text, "type": "varying", "variablesReference": reference, "indexedVariables": n_lanes }),
                )
            }
            Evaluated::Array(value) => {
                let ty = stepping.kernel().ty(value);
                let mut array = inspecting::array(&asked.expression, value, ty, 0, stepping, &mut self.containers);
                array["result"] = array["value"].take();
                Ok(array)
            }
        }
    }

    /// The lines of the stage's text, as instructions.
    pub(super) fn disassemble(&self, arguments: &Value) -> Result<Value, String> {
        let asked: AskedText = parsed(arguments)?;
        let program = self.program.as_ref().ok_or_else(nothing_launched)?;
        let start =
            line_of_address(&asked.memory_reference, asked.offset).ok_or("no line of the stage has this address")?;
        let start = start as i64 + asked.instruction_offset.unwrap_or(0);
        let instruction = |line: i64| {
            let text = usize::try_from(line).ok().and_then(|line| Some((line, program.places.text.get(line)?)));
            let Some((line, text)) = text else {
                return json!({ "address": format!("{:#x}", (line + 1).max(0)), "instruction": "", "presentationHint": "invalid" });
            };
            let mut instruction = json!({ "address": address_of_line(line), "instruction": text });
            let source = program.places.ops_of_line(line).first().and_then(|&op| program.places.line(op));
            if let Some(source) = source {
                instruction["location"] = json!({ "name": program.path.file_name().map(|name| name.to_string_lossy()), "path": program.path });
                instruction["line"] = json!(source + u32::from(self.lines_from_1));
            }
            instruction
        };
        let count = i64::try_from(asked.instruction_count).unwrap_or(0).min(10_000);
        let instructions: Vec<Value> = (start..start + count).map(instruction).collect();
        Ok(json!({ "instructions": instructions }))
    }

    pub(super) fn read_memory(&self, arguments: &Value) -> Result<Value, String> {
        let asked: AskedMemory = parsed(arguments)?;
        let program = standing(&self.program, &self.running)?;
        let reference = asked.memory_reference.split_once(':');
        let reference =
            reference.and_then(|(memory, start)| Some((memory.parse::<usize>().ok()?, start.parse::<i64>().ok()?)));
        let (memory, start) = reference.ok_or("there is no such memory")?;
        let bytes = program.stepping.memory(memory).ok_or("there is no such memory")?;
        let at = usize::try_from(start + asked.offset.unwrap_or(0)).unwrap_or(bytes.len()).min(bytes.len());
        let end = at.saturating_add(asked.count).min(bytes.len());
        Ok(json!({
            "address": format!("{at:#x}"),
            "unreadableBytes": asked.count - (end - at),
            "data": base64(&bytes[at..end]),
        }))
    }
}

fn address_of_line(line: usize) -> String {
    format!("{:#x}", line + 1)
}

/// The line of the stage's text at an address, and so many instructions behind it.
pub(super) fn line_of_address(address: &str, offset: Option<i64>) -> Option<usize> {
    let number = i64::from_str_radix(address.strip_prefix("0x")?, 16).ok()?;
    usize::try_from(number + offset.unwrap_or(0) - 1).ok()
}

/// Bytes as the protocol writes them.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        let digit = |n: usize| char::from(DIGITS[(bits >> (18 - 6 * n) & 63) as usize]);
        (0..4).for_each(|n| text.push(if n <= group.len() { digit(n) } else { '=' }));
    }
    text
}
