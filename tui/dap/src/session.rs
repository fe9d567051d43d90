//! The requests of a client, and the run between them.

mod arguments;
mod looking;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use queries::run::RunFailure;
use queries::stepping::{Halt, Stepping};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use arguments::{AskedBreakpoints, AskedInstructions, Filters, Range, Restart};
use looking::line_of_address;

use crate::breakpoints::{ClientBreakpoints, Hit};
use crate::inspecting::{self, Containers};
use crate::launch::{self, Launch, Program};
use crate::protocol::{Output, capabilities};
use driver::stepping::breakpoints::StopTerms;
use driver::stepping::moving::{Goal, Position, back_by_line, to_start_of_line};

/// The one thread that there is, as the protocol has it.
const THREAD: u64 = 1;
/// The number by which a client asks for the text of the stage.
const STAGE_TEXT: u64 = 1;
/// Limit on the elements of an array that are sent at once, where a client names none.
const MOST_ELEMENTS: usize = 1000;

/// A session with one client.
pub(crate) struct Session<W> {
    out: Output<W>,
    lines_from_1: bool,
    columns_from_1: bool,
    launch: Option<Launch>,
    program: Option<Program>,
    breakpoints: ClientBreakpoints,
    containers: Containers,
    running: Option<Movement>,
    /// The number of frames that nobody has stepped into yet, innermost first.
    n_hidden: usize,
    /// Events that follow the answer to the request at hand.
    later: Vec<(&'static str, Value)>,
    has_ended: bool,
}

/// A movement that has not reached its end.
struct Movement {
    goal: Goal,
    is_back: bool,
    /// The reason that the client is told where the goal is reached.
    reason: &'static str,
}

impl<W: Write> Session<W> {
    /// Creates a session that writes to a stream.
    pub(crate) fn new(output: W) -> Session<W> {
        Session {
            out: Output::new(output),
            lines_from_1: true,
            columns_from_1: true,
            launch: None,
            program: None,
            breakpoints: ClientBreakpoints::new(),
            containers: Containers::default(),
            running: None,
            n_hidden: 0,
            later: Vec::new(),
            has_ended: false,
        }
    }

    /// Returns true when the client has disconnected.
    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Returns true while the program runs.
    pub(crate) fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Answers a message.
    pub(crate) fn receive(&mut self, message: &Value) -> io::Result<()> {
        if message["type"] != "request" {
            return Ok(());
        }
        let command = message["command"].as_str().unwrap_or_default();
        let answer = self.answer(command, &message["arguments"]);
        self.out.respond(message, answer)?;
        for (name, body) in std::mem::take(&mut self.later) {
            self.out.event(name, body)?;
        }
        Ok(())
    }

    fn answer(&mut self, command: &str, arguments: &Value) -> Result<Value, String> {
        match command {
            "initialize" => {
                self.lines_from_1 = arguments["linesStartAt1"].as_bool().unwrap_or(true);
                self.columns_from_1 = arguments["columnsStartAt1"].as_bool().unwrap_or(true);
                Ok(capabilities())
            }
            "launch" => {
                self.launch(Some(parsed(arguments)?))?;
                self.later.push(("initialized", json!({})));
                Ok(Value::Null)
            }
            "restart" => {
                let new = parsed::<Restart>(arguments).ok().and_then(|restart| restart.arguments);
                self.launch(new)?;
                self.start()
            }
            "attach" => Err("there is no process to attach to; use `launch`, with the file in `program`".to_owned()),
            "configurationDone" => self.start(),
            "setBreakpoints" => self.set_breakpoints(arguments),
            "setInstructionBreakpoints" => self.set_instruction_breakpoints(arguments),
            "setExceptionBreakpoints" => {
                let filters: Filters = parsed(arguments)?;
                self.breakpoints.at_errors = filters.filters.iter().any(|filter| filter == "error");
                self.breakpoints.at_divergence = filters.filters.iter().any(|filter| filter == "diverge");
                Ok(json!({ "breakpoints": [] }))
            }
            "setFunctionBreakpoints" | "setDataBreakpoints" => Ok(json!({ "breakpoints": [] })),
            "breakpointLocations" => self.breakpoint_locations(arguments),
            "threads" => {
                let name = self.program.as_ref().map_or("kernel", |program| &program.kernel);
                Ok(json!({ "threads": [{ "id": THREAD, "name": name }] }))
            }
            "disconnect" => {
                self.has_ended = true;
                self.running = None;
                Ok(Value::Null)
            }
            "terminate" => {
                self.running = None;
                self.end();
                Ok(Value::Null)
            }
            "pause" => {
                if self.running.is_some() {
                    self.running = Some(Movement { goal: Goal::Op, is_back: false, reason: "pause" });
                }
                Ok(Value::Null)
            }
            _ => self.answer_about_run(command, arguments),
        }
    }

    /// Answers a request about a program that was launched and stands still.
    fn answer_about_run(&mut self, command: &str, arguments: &Value) -> Result<Value, String> {
        match command {
            "stackTrace" => self.stack_trace(arguments),
            "scopes" => {
                let program = standing(&self.program, &self.running)?;
                Ok(inspecting::scopes(&program.stepping, &mut self.containers))
            }
            "variables" => self.variables(arguments),
            "evaluate" => self.evaluate(arguments),
            "source" => {
                let program = self.program.as_ref().ok_or_else(nothing_launched)?;
                Ok(json!({ "content": program.places.text.join("\n") + "\n", "mimeType": "text/x-lane-ir" }))
            }
            "disassemble" => self.disassemble(arguments),
            "readMemory" => self.read_memory(arguments),
            "exceptionInfo" => {
                let failure = self.failure().ok_or("the program has no error here")?;
                let lane = failure.lane.map_or_else(String::new, |lane| format!(", in lane {lane}"));
                let iteration: Vec<String> = failure.iteration.iter().map(ToString::to_string).collect();
                let iteration = if iteration.is_empty() {
                    String::new()
                } else {
                    format!(", in iteration {}", iteration.join(", "))
                };
                Ok(json!({
                    "exceptionId": failure.code.to_string(),
                    "description": format!("{}{lane}{iteration}", failure.message),
                    "breakMode": "unhandled",
                }))
            }
            "continue" => {
                self.go(Goal::End, false, "breakpoint", arguments)?;
                Ok(json!({ "allThreadsContinued": true }))
            }
            "next" => self.go_from(Goal::Line, arguments),
            "stepIn" if self.n_hidden > 0 && arguments["granularity"] != "instruction" => {
                standing(&self.program, &self.running)?;
                self.containers.clear();
                self.n_hidden -= 1;
                self.stopped("step", None, None);
                Ok(Value::Null)
            }
            "stepIn" => self.go_from(Goal::Into, arguments),
            "stepOut" => self.go_from(Goal::Out, arguments),
            "stepBack" => self.step_back(arguments),
            "reverseContinue" => self.go(Goal::End, true, "breakpoint", arguments),
            "" => Err("a request has no command".to_owned()),
            other => Err(format!("this adapter knows no request `{other}`")),
        }
    }

    /// Prepares the program of a launch: the last one again, if none is given.
    fn launch(&mut self, launch: Option<Launch>) -> Result<(), String> {
        let launch = launch.or_else(|| self.launch.clone()).ok_or_else(nothing_launched)?;
        self.running = None;
        self.n_hidden = 0;
        self.containers.clear();
        let program = launch::launch(&launch)?;
        if let Some(note) = &program.note {
            self.say("console", note);
        }
        self.program = Some(program);
        self.launch = Some(launch);
        Ok(())
    }

    /// Starts the run, or stops before its first op.
    fn start(&mut self) -> Result<Value, String> {
        let first = u32::from(self.lines_from_1);
        let program = self.program.as_ref().ok_or_else(nothing_launched)?;
        for breakpoint in self.breakpoints.set_again(first, &program.places) {
            self.later.push(("breakpoint", json!({ "reason": "changed", "breakpoint": breakpoint })));
        }
        self.breakpoints.start();
        let launch = self.launch.as_ref().ok_or_else(nothing_launched)?;
        if launch.no_debug {
            self.breakpoints.clear();
        }
        let stops = launch.stop_on_entry.unwrap_or(!self.breakpoints.are_set() && !launch.no_debug);
        if stops {
            self.stopped("entry", None, None);
        } else {
            self.running = Some(Movement { goal: Goal::End, is_back: false, reason: "breakpoint" });
        }
        Ok(Value::Null)
    }

    fn set_breakpoints(&mut self, arguments: &Value) -> Result<Value, String> {
        let asked: AskedBreakpoints = parsed(arguments)?;
        let first = u32::from(self.lines_from_1);
        let is_own = |program: &&Program| {
            asked.source.source_reference.unwrap_or(0) == 0 && is_same_file(asked.source.path.as_ref(), &program.path)
        };
        let program = self.program.as_ref().filter(is_own);
        if self.program.is_some() && program.is_none() {
            // Other files have breakpoints of their own, which say nothing of this program.
            let told = asked
                .breakpoints
                .iter()
                .map(|_| json!({ "verified": false, "message": "no kernel of this file runs" }));
            return Ok(json!({ "breakpoints": told.collect::<Vec<_>>() }));
        }
        let told = self.breakpoints.set(asked.breakpoints, first, program.map(|program| &program.places));
        Ok(json!({ "breakpoints": told }))
    }

    fn set_instruction_breakpoints(&mut self, arguments: &Value) -> Result<Value, String> {
        let asked: AskedInstructions = parsed(arguments)?;
        let n_lines = self.program.as_ref().map_or(0, |program| program.places.text.len());
        let mut lines = BTreeMap::new();
        let told = asked.breakpoints.iter().map(|asked| {
            let line = line_of_address(&asked.instruction_reference, asked.offset).filter(|line| *line < n_lines);
            match (line, StopTerms::of(asked.condition.as_deref(), asked.hit_condition.as_deref())) {
                (Some(line), Ok(terms)) => {
                    lines.insert(line, terms);
                    json!({ "verified": true })
                }
                (None, _) => json!({ "verified": false }),
                (_, Err(why)) => json!({ "verified": false, "message": why }),
            }
        });
        let told: Vec<Value> = told.collect();
        self.breakpoints.set_in_text(lines);
        Ok(json!({ "breakpoints": told }))
    }

    fn breakpoint_locations(&self, arguments: &Value) -> Result<Value, String> {
        let asked: Range = parsed(arguments)?;
        let first = u32::from(self.lines_from_1);
        let from = asked.line.saturating_sub(first);
        let to = asked.end_line.map_or(from, |line| line.saturating_sub(first));
        let places = self.program.as_ref().map(|program| &program.places);
        let lines = places.into_iter().flat_map(|places| places.reached(from, to));
        let lines: Vec<Value> = lines.map(|line| json!({ "line": line + first })).collect();
        Ok(json!({ "breakpoints": lines }))
    }

    fn go_from(&mut self, goal: fn(Option<Position>) -> Goal, arguments: &Value) -> Result<Value, String> {
        let program = standing(&self.program, &self.running)?;
        let from = Position::of(&program.stepping, &program.places, self.n_hidden);
        self.go(goal(from), false, "step", arguments)
    }

    /// Begins a movement; by single ops, if the client asks for that.
    fn go(&mut self, goal: Goal, is_back: bool, reason: &'static str, arguments: &Value) -> Result<Value, String> {
        let program = standing(&self.program, &self.running)?;
        let by_op = arguments["granularity"] == "instruction";
        if program.stepping.is_over() && !is_back {
            self.stays();
            return Ok(Value::Null);
        }
        self.breakpoints.leave(&program.stepping, &program.places);
        self.containers.clear();
        self.running = Some(Movement { goal: if by_op { Goal::Op } else { goal }, is_back, reason });
        Ok(Value::Null)
    }

    fn step_back(&mut self, arguments: &Value) -> Result<Value, String> {
        if arguments["granularity"] == "instruction" {
            return self.go(Goal::Op, true, "step", arguments);
        }
        standing(&self.program, &self.running)?;
        self.containers.clear();
        let Some(program) = &mut self.program else { return Err(nothing_launched()) };
        let from = Position::of(&program.stepping, &program.places, self.n_hidden);
        let (halt, n_hidden) = back_by_line(&mut program.stepping, &program.places, from);
        self.halted(halt, "step", n_hidden, None);
        Ok(Value::Null)
    }

    /// Goes on with the movement at hand, until it ends or `interrupted` says that a message waits.
    pub(crate) fn go_on(&mut self, interrupted: &mut dyn FnMut() -> bool) -> io::Result<()> {
        let (Some(movement), Some(program)) = (self.running.take(), &mut self.program) else { return Ok(()) };
        let Program { stepping, places, .. } = program;
        let breakpoints = &mut self.breakpoints;
        if !movement.is_back {
            stepping.forget_touched();
        }
        let stops_at_breakpoints = !matches!(movement.goal, Goal::Op);
        let (mut hit, mut log, mut n_hidden) = (None, Vec::new(), None);
        let mut is_there = |stepping: &mut Stepping| {
            if stops_at_breakpoints {
                hit = breakpoints.hit(stepping, places, movement.is_back, &mut log);
            }
            n_hidden = movement.goal.reached(stepping, places);
            // Each message is sent before the run goes on.
            hit.is_some() || !log.is_empty() || n_hidden.is_some()
        };
        let mut halt = match movement.is_back {
            false => stepping.forward(&mut is_there, interrupted),
            true => stepping.back(&mut is_there, interrupted),
        };
        if let Some(Hit::Line(_, n_inside)) = hit {
            n_hidden = Some(n_inside);
            if movement.is_back {
                let (to_start, n_inside) = to_start_of_line(stepping, places, n_inside);
                (halt, n_hidden) = (to_start, Some(n_inside));
            }
        }
        let goes_on = halt == Halt::Interrupted || halt == Halt::Reached && hit.is_none() && n_hidden.is_none();
        for message in log {
            self.say("console", &message);
        }
        if goes_on {
            self.running = Some(movement);
        } else {
            self.halted(halt, movement.reason, n_hidden.unwrap_or(0), hit);
        }
        for (name, body) in std::mem::take(&mut self.later) {
            self.out.event(name, body)?;
        }
        Ok(())
    }

    /// Tells the client why the run stands still.
    fn halted(&mut self, halt: Halt, reason: &'static str, n_hidden: usize, hit: Option<Hit>) {
        self.running = None;
        self.n_hidden = n_hidden;
        match (halt, hit) {
            (Halt::Over, _) => self.over(),
            (Halt::Start, _) => self.stopped("entry", Some("Nothing before this place is remembered"), None),
            (_, Some(Hit::Line(id, _))) => self.stopped("breakpoint", None, Some(id)),
            (_, Some(Hit::Instruction)) => self.stopped("instruction breakpoint", None, None),
            (_, Some(Hit::Divergence)) => self.stopped("exception", Some("A condition holds in some lanes only"), None),
            (_, None) => self.stopped(reason, None, None),
        }
    }

    fn stopped(&mut self, reason: &str, description: Option<&str>, breakpoint: Option<u64>) {
        let mut body = json!({ "reason": reason, "threadId": THREAD, "allThreadsStopped": true });
        if let Some(description) = description {
            body["description"] = json!(description);
            body["text"] = json!(description);
        }
        if let Some(id) = breakpoint {
            body["hitBreakpointIds"] = json!([id]);
        }
        self.later.push(("stopped", body));
    }

    /// The run is over: its error stops it, or its results are told and the session ends.
    fn over(&mut self) {
        if let Some(failure) = self.failure() {
            self.say("stderr", &format!("error[{}]: {}", failure.code, failure.message));
            if self.breakpoints.at_errors {
                self.stays();
            } else {
                self.exit(1);
            }
            return;
        }
        let Some(program) = &self.program else { return };
        let mut results: Vec<String> = program.stepping.result().iter().map(ToString::to_string).collect();
        for array in program.stepping.written() {
            let elements: Vec<String> = array.elements.iter().take(MOST_ELEMENTS).map(ToString::to_string).collect();
            let more = if array.elements.len() > MOST_ELEMENTS { ", …" } else { "" };
            results.push(format!("{} = [{}{more}]", array.name, elements.join(", ")));
        }
        let stays = self.launch.as_ref().is_some_and(|launch| launch.stop_at_end);
        results.iter().for_each(|line| self.say("stdout", line));
        if stays {
            self.stays();
        } else {
            self.exit(0);
        }
    }

    /// Stops where the run is over.
    fn stays(&mut self) {
        match self.failure() {
            Some(failure) => self.stopped("exception", Some(&failure.message), None),
            None => self.stopped("step", Some("The run is over; stepping back leads into it again"), None),
        }
    }

    fn exit(&mut self, code: u8) {
        self.later.push(("exited", json!({ "exitCode": code })));
        self.end();
    }

    fn end(&mut self) {
        self.later.push(("terminated", json!({})));
    }

    fn say(&mut self, category: &str, line: &str) {
        self.later.push(("output", json!({ "category": category, "output": format!("{line}\n") })));
    }

    fn failure(&self) -> Option<RunFailure> {
        self.program.as_ref()?.stepping.failure()
    }
}

fn nothing_launched() -> String {
    "nothing has been launched".to_owned()
}

/// The program, if it was launched and stands still.
fn standing<'p>(program: &'p Option<Program>, running: &Option<Movement>) -> Result<&'p Program, String> {
    match (program, running) {
        (Some(program), None) => Ok(program),
        (Some(_), Some(_)) => Err("the program runs; pause it first".to_owned()),
        (None, _) => Err(nothing_launched()),
    }
}

fn parsed<T: DeserializeOwned>(arguments: &Value) -> Result<T, String> {
    let arguments = if arguments.is_null() { json!({}) } else { arguments.clone() };
    serde_json::from_value(arguments).map_err(|error| format!("the request is not understood: {error}"))
}

/// Returns true if a client's path is that of the program's file.
fn is_same_file(path: Option<&PathBuf>, program: &PathBuf) -> bool {
    let whole = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
    path.is_some_and(|path| path == program || whole(path) == whole(program))
}

#[cfg(test)]
mod tests;
