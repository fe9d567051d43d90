//! The latency from a key to the screen, at 200x60 with a file of 5,000 lines, on the thread that handles the keys.
//!
//! Each row is a kind of key, with the median and the 95th percentile over 100 presses of the time from the key to a
//! frame in memory, and the latter as a fraction of a frame's budget of 16 ms. Answers arrive in between, as in real
//! use. Then every key of the explorer is pressed, and what it opens is gone through: the slowest of all is told. The last row is a run
//! of more than a million steps that goes back to its start.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use driver::arguments::argument;
use driver::document::Document;
use driver::spec::parse;
use driver::stepping::{Movement, Stepper, Stops};
use explorer::actions::ACTIONS;
use explorer::assembling::Nobody;
use explorer::event::{Effect, Event};
use explorer::questions::Answer;
use explorer::state::file::OpenFile;
use explorer::state::{Settings, State};
use explorer::views::draw;
use explorer::worker::Worker;
use queries::stages::{Options, stage};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

const N_LINES: usize = 5_000;
const N_KEYS: usize = 300;
const FRAME: Duration = Duration::from_millis(16);

fn main() {
    let kernel = "## Turns the volume up or down.\nkernel scale_N(samples, out, n, volume):\n    for i in range(n):\n        \
                  out[i] = samples[i] * volume + 1.0\n\n";
    let text: String = (0..N_LINES / 5).map(|n| kernel.replace("_N", &format!("_{n}"))).collect();
    let file = OpenFile::new("a.lane", Some(PathBuf::from("a.lane")), text);
    let mut state = State::new(vec![file], Settings::default(), (200, 60));
    let mut terminal = Terminal::new(TestBackend::new(200, 60)).expect("a screen");
    let (sender, answers) = channel::<Answer>();
    let nobody = Arc::new(Nobody("not in a bench".to_owned()));
    let mut worker = Worker::start(nobody, Arc::new(move |answer| drop(sender.send(answer)))).expect("a thread");
    let mut ask = |effects: Vec<Effect>| {
        for effect in effects {
            match effect {
                Effect::Ask(question) => worker.ask(*question),
                Effect::Lanes(number, ask) => worker.step(number, ask),
                _ => {}
            }
        }
    };
    ask(state.apply(Event::Resize(200, 60)));
    while state.waits() {
        ask(state.apply(Event::Answer(answers.recv().expect("an answer"))));
    }
    println!("{:24} {:>10} {:>10} {:>10}", "", "median", "95th", "of 16 ms");
    let rows: [(&str, &[&str], &[&str]); 7] = [
        ("down a line", &[], &["j"]),
        ("down a page", &["g"], &["pagedown"]),
        ("type a letter", &["g", "pagedown", "end", "i"], &["x"]),
        ("step to another stage", &["esc", "u"], &[".", ","]),
        ("open and close a picker", &[], &["o", "esc"]),
        ("step by ops of lanes", &["D"], &[")"]),
        ("iterations at a stage", &["1", "g", "j", "j", "I"], &[".", ","]),
    ];
    for (name, before, keys) in rows {
        for key in before {
            ask(state.apply(Event::Key(key.parse().expect("a key"))));
        }
        let times: Vec<Duration> = (0..N_KEYS)
            .map(|n| {
                let key = keys[n % keys.len()].parse().expect("a key");
                let start = Instant::now();
                ask(state.apply(Event::Key(key)));
                terminal.draw(|frame| draw(&state, frame)).expect("a frame");
                let time = start.elapsed();
                // Answers that have arrived are processed as separate events, and drawn with the next key.
                while let Ok(answer) = answers.try_recv() {
                    ask(state.apply(Event::Answer(answer)));
                }
                time
            })
            .collect();
        print(name, times);
    }
    // What each key opens.
    let mut slowest = (Duration::ZERO, "", Vec::new());
    for row in ACTIONS {
        for key in ["esc", "esc", "1", "g", "j", "j", row.keys[0]] {
            ask(state.apply(Event::Key(key.parse().expect("a key"))));
        }
        // A run that a key starts has no answer here.
        while state.waits()
            && let Ok(answer) = answers.recv_timeout(Duration::from_millis(300))
        {
            ask(state.apply(Event::Answer(answer)));
        }
        let mut frame = |key: &str| {
            let start = Instant::now();
            ask(state.apply(Event::Key(key.parse().expect("a key"))));
            terminal.draw(|frame| draw(&state, frame)).expect("a frame");
            start.elapsed()
        };
        let mut times: Vec<Duration> =
            ["down", "right", "tab", "down", "up"].iter().cycle().take(40).map(|key| frame(key)).collect();
        times.sort_unstable();
        let high = times[times.len() * 95 / 100];
        if high > slowest.0 {
            slowest = (high, row.name, times);
        }
        while let Ok(answer) = answers.try_recv() {
            ask(state.apply(Event::Answer(answer)));
        }
    }
    print(&format!("behind {} keys: {}", ACTIONS.len(), slowest.1), slowest.2);
    steps_back();
}

/// Prints the times of a kind of key.
fn print(name: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let (median, high) = (times[times.len() / 2], times[times.len() * 95 / 100]);
    let part = high.as_secs_f64() / FRAME.as_secs_f64();
    println!("{name:24} {median:>10.2?} {high:>10.2?} {part:>9.2}x");
}

/// Prints the time of more than a million steps back.
fn steps_back() {
    let text = "kernel k(a: f32[n], n: i32):\n    for i in range(n):\n        a[i] = a[i] * 2.0 + 1.0\n";
    let document = Document::new("a.lane", text);
    let item = document.kernel(None, "").expect("a kernel");
    let arguments = ["a=zeros(1200000)", "n=1200000"].map(|text| argument(&parse(text).expect("data")).expect("data"));
    let vector = stage("vector").expect("a stage");
    let mut stepper = Stepper::start(&document, item, vector, Options::default(), &arguments).expect("it runs");
    let stops = Stops::default();
    stepper.go(Movement::ToEnd, &stops, &mut || false);
    let n_steps = stepper.stepping().n_steps();
    let start = Instant::now();
    stepper.go(Movement::RunBack, &stops, &mut || false);
    println!("{} steps back {:>10.2?}", n_steps - stepper.stepping().n_steps(), start.elapsed());
}
