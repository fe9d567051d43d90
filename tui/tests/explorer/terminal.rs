//! The real command on a real terminal: its screen, the files that it writes, and the restored terminal.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::num::NonZero;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};
use tempfile::TempDir;

use super::*;

/// Longer than any step takes; a test that waits this long has failed.
const PATIENCE: Duration = Duration::from_secs(60);

struct Session {
    folder: TempDir,
    child: Child,
    ours: File,
    screen: Arc<Mutex<vt100::Parser>>,
    /// All that was sent to the terminal.
    sent: Arc<Mutex<Vec<u8>>>,
}

impl Session {
    fn start(text: &str, size: (u16, u16), variables: &[(&str, &str)]) -> Session {
        Session::open(&[("a.lane", text)], size, variables)
    }

    fn open(files: &[(&str, &str)], size: (u16, u16), variables: &[(&str, &str)]) -> Session {
        Session::with_background(files, size, variables, None)
    }

    /// Starts a session on a terminal that answers, when it is asked for its background, with these bytes.
    fn with_background(
        files: &[(&str, &str)],
        size: (u16, u16),
        variables: &[(&str, &str)],
        answer: Option<(Duration, &'static str)>,
    ) -> Session {
        Session::with_answers(files, size, variables, answer, None)
    }

    /// Starts a session in a folder with files, on these words.
    fn on(files: &[(&str, &str)], words: &[&str], size: (u16, u16), variables: &[(&str, &str)]) -> Session {
        Session::on_a_terminal(files, words, size, variables, None, None)
    }

    /// Starts a session on a terminal that answers, when it is asked for its background or for its graphics, with these bytes.
    fn with_answers(
        files: &[(&str, &str)],
        size: (u16, u16),
        variables: &[(&str, &str)],
        answer: Option<(Duration, &'static str)>,
        graphics: Option<&'static str>,
    ) -> Session {
        let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
        Session::on_a_terminal(files, &names, size, variables, answer, graphics)
    }

    fn on_a_terminal(
        files: &[(&str, &str)],
        words: &[&str],
        (width, height): (u16, u16),
        variables: &[(&str, &str)],
        answer: Option<(Duration, &'static str)>,
        graphics: Option<&'static str>,
    ) -> Session {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&ours).expect("a terminal");
        unlockpt(&ours).expect("a terminal");
        let path = ptsname(&ours, Vec::new()).expect("a terminal's name");
        let theirs = OpenOptions::new().read(true).write(true).open(path.to_str().expect("UTF-8")).expect("a terminal");
        resize(&ours, width, height);
        let mut command = Command::new(env!("CARGO_BIN_EXE_lanescope"));
        command
            .args(words)
            .current_dir(folder.path())
            .env_remove("VISUAL")
            .env_remove("EDITOR")
            .env_remove("NO_COLOR")
            .env_remove("COLORFGBG")
            .env_remove("LC_ALL")
            .env_remove("LC_CTYPE")
            .env("LANG", "C.UTF-8")
            .env("TERM", "xterm-256color");
        command.env("LANESCOPE_STATE", folder.path().join("state.json"));
        command.env("LANESCOPE_CONFIG", folder.path().join("config.toml"));
        command.envs(variables.iter().copied());
        command.stdin(theirs.try_clone().expect("a copy")).stdout(theirs.try_clone().expect("a copy"));
        command.stderr(Stdio::from(theirs));
        let child = command.spawn().expect("the command starts");
        drop(command);
        let ours = File::from(ours);
        let screen = Arc::new(Mutex::new(vt100::Parser::new(cells(height), cells(width), 0)));
        let (mut reader, parser) = (ours.try_clone().expect("a copy"), screen.clone());
        let mut writer = ours.try_clone().expect("a copy");
        let sent = Arc::new(Mutex::new(Vec::new()));
        let record = sent.clone();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            let (mut answer, mut graphics) = (answer, graphics);
            while let Ok(n @ 1..) = reader.read(&mut bytes) {
                let asked = bytes[..n].windows(7).any(|part| part == b"\x1b]11;?\x1b");
                if let Some((delay, answer)) = answer.take_if(|_| asked) {
                    thread::sleep(delay);
                    writer.write_all(answer.as_bytes()).expect("the terminal takes keys");
                }
                let asked = bytes[..n].windows(3).any(|part| part == b"\x1b[c");
                if let Some(graphics) = graphics.take_if(|_| asked) {
                    writer.write_all(graphics.as_bytes()).expect("the terminal takes keys");
                }
                record.lock().expect("no panic").extend_from_slice(&bytes[..n]);
                parser.lock().expect("no panic").process(&bytes[..n]);
            }
        });
        Session { folder, child, ours, screen, sent }
    }

    fn type_keys(&mut self, keys: &str) {
        self.ours.write_all(keys.as_bytes()).expect("the terminal takes keys");
    }

    fn text(&self) -> String {
        self.screen.lock().expect("no panic").screen().contents()
    }

    /// Waits until the screen fulfils a condition.
    fn until(&self, what: &str, is_so: impl Fn(&vt100::Screen) -> bool) {
        let start = Instant::now();
        while !is_so(self.screen.lock().expect("no panic").screen()) {
            assert!(start.elapsed() < PATIENCE, "not seen: {what}\n{}", self.text());
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn until_text(&self, text: &str) {
        self.until(text, |screen| screen.contents().contains(text));
    }

    /// Waits until some bytes were sent, and forgets all that were sent before.
    fn until_sent(&self, bytes: &str) {
        let start = Instant::now();
        loop {
            let mut sent = self.sent.lock().expect("no panic");
            if let Some(at) = sent.windows(bytes.len()).position(|part| part == bytes.as_bytes()) {
                sent.drain(..at + bytes.len());
                return;
            }
            drop(sent);
            assert!(start.elapsed() < PATIENCE, "not sent: {bytes:?}\n{}", self.text());
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.child.id().cast_signed()).expect("a process");
        kill_process(pid, signal).expect("it is there");
    }

    /// Waits for the end, and returns the exit code and the folder; checks that the terminal is restored.
    fn end(mut self) -> (Option<i32>, TempDir) {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a process") {
                break status;
            }
            if start.elapsed() > PATIENCE {
                let _ = self.child.kill();
                panic!("it does not end\n{}", self.text());
            }
            thread::sleep(Duration::from_millis(10));
        };
        self.until("the terminal as it was", |screen| !screen.alternate_screen() && !screen.hide_cursor());
        let modes = tcgetattr(&self.ours).expect("a terminal").local_modes;
        assert!(modes.contains(LocalModes::ICANON | LocalModes::ECHO), "keys are echoed again");
        assert!(!self.screen.lock().expect("no panic").screen().bracketed_paste());
        (status.code(), self.folder)
    }
}

fn cells(n: u16) -> NonZero<u16> {
    NonZero::new(n).expect("some cells")
}

fn resize(terminal: impl std::os::fd::AsFd, width: u16, height: u16) {
    let size = Winsize { ws_row: height, ws_col: width, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal, size).expect("a size");
}

#[test]
fn a_person_opens_edits_steps_resizes_saves_and_quits() {
    let mut session = Session::start(SCALE, (290, 30), &[]);
    session.until_text("masked_store(out");
    session.type_keys("jj$i + 1.0");
    session.until_text("* volume + 1.0");
    session.until_text("* volume) + 1.0), active)");
    session.type_keys("\x13");
    session.until_text("a.lane saved");
    // Escape, with time for the terminal's reader to see that no further bytes belong to it.
    session.type_keys("\x1b");
    session.until("not editing", |screen| !screen.contents().contains("esc done"));
    session.type_keys(",");
    session.until_text("for i in range(0, n):");
    resize(&session.ours, 50, 12);
    session.screen.lock().expect("no panic").screen_mut().set_size(cells(12), cells(50));
    session.signal(Signal::WINCH);
    session.until("one pane", |screen| !screen.contents().contains('│') && screen.contents().contains("1 a.lane"));
    session.type_keys("q");
    let (code, folder) = session.end();
    assert_eq!(code, Some(0));
    let saved = std::fs::read_to_string(folder.path().join("a.lane")).expect("a file");
    assert_eq!(saved, SCALE.replace("* volume", "* volume + 1.0"));
    let state = std::fs::read_to_string(folder.path().join("state.json")).expect("kept");
    assert!(state.contains("\"stage\": \"parallel\""), "{state}");
}

#[test]
fn the_file_that_is_named_first_is_shown_first() {
    let mut session = Session::open(&[("b.lane", TWO), ("a.lane", SCALE)], (100, 30), &[]);
    session.until_text("1 b.lane  1/2");
    session.type_keys("q");
    assert_eq!(session.end().0, Some(0));
}

#[test]
fn no_key_is_lost_to_a_resize() {
    let mut session = Session::start(SCALE, (100, 30), &[]);
    session.until_text("masked_store(out");
    let help = |screen: &vt100::Screen| screen.contents().contains("Esc closes this");
    for _ in 0..20 {
        session.signal(Signal::WINCH);
        session.type_keys("?");
        session.until("every key", help);
        session.type_keys("?");
        session.signal(Signal::WINCH);
        session.until("no help any more", |screen| !help(screen));
    }
    session.signal(Signal::WINCH);
    session.type_keys("q");
    assert_eq!(session.end().0, Some(0));
}

#[test]
fn assembly_comes_from_a_worker_of_its_own() {
    if !has_llvm() {
        return;
    }
    let mut session = Session::start(SCALE, (180, 40), &[]);
    session.until_text("# hot loop");
    session.type_keys("Csse4\r");
    session.until("two of them", |screen| screen.contents().matches("# hot loop").count() == 2);
    session.type_keys("q");
    assert_eq!(session.end().0, Some(0));
}

#[test]
fn without_llvm_the_pane_says_so() {
    let nowhere = ("LANESCOPE_LLVM", "/nowhere/libLLVM.so");
    let mut session = Session::start(SCALE, (180, 40), &[nowhere]);
    session.until_text("masked_store(out");
    session.until_text("No machine code:");
    session.type_keys("q");
    assert_eq!(session.end().0, Some(0));
}

#[test]
fn what_another_program_saves_is_seen() {
    let mut session = Session::start(SCALE, (100, 30), &[]);
    session.until_text("masked_store(out");
    std::fs::write(session.folder.path().join("a.lane"), SCALE.replace("scale", "theirs")).expect("written");
    session.until_text("kernel theirs(");
    session.type_keys("q");
    assert_eq!(session.end().0, Some(0));
}

#[test]
fn a_signal_to_end_gives_the_terminal_back_and_keeps_what_was_typed() {
    let mut session = Session::start(SCALE, (100, 30), &[]);
    session.until_text("masked_store(out");
    session.type_keys("imy_");
    session.until_text("my_scale(");
    session.signal(Signal::TERM);
    let (code, folder) = session.end();
    assert_eq!(code, Some(1));
    let kept = std::fs::read_to_string(folder.path().join("a.lane.unsaved")).expect("kept");
    assert_eq!(kept, SCALE.replace("kernel scale", "kernel my_scale"));
}

#[test]
fn every_signal_that_ends_a_program_gives_the_terminal_back() {
    for signal in [Signal::QUIT, Signal::ABORT, Signal::HUP, Signal::INT] {
        let mut session = Session::start(SCALE, (100, 30), &[]);
        session.until_text("masked_store(out");
        session.type_keys("imy_");
        session.until_text("my_scale(");
        session.signal(signal);
        let (code, folder) = session.end();
        assert_eq!(code, Some(1), "{signal:?}");
        assert!(folder.path().join("a.lane.unsaved").exists(), "{signal:?}");
    }
}

/// Returns the background of the cell in the middle of the line of the first code.
fn background(screen: &vt100::Screen) -> vt100::Color {
    screen.cell(1, 30).expect("a cell").bgcolor()
}

#[test]
fn the_background_of_the_terminal_decides_and_its_answer_is_no_key() {
    let is_light = |screen: &vt100::Screen| matches!(background(screen), vt100::Color::Idx(231 | 255));
    let is_dark = |screen: &vt100::Screen| matches!(background(screen), vt100::Color::Idx(234 | 235));
    let files = [("a.lane", SCALE)];
    let at_once = Duration::ZERO;
    let late = Duration::from_millis(400);
    for (delay, answer, light) in [
        (at_once, "\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\", true),
        (at_once, "\x1b]11;rgb:0000/2b2b/3636\x07", false),
        // Keys that were typed meanwhile stand before and behind an answer that is late.
        (late, "j\x1b]11;rgb:ff/ff/ff\x1b\\j", true),
    ] {
        let mut session = Session::with_background(&files, (100, 30), &[], Some((delay, answer)));
        session.until_text("masked_store(out");
        session.until("its colours", if light { is_light } else { is_dark });
        if delay == late {
            session.until_text("4:8");
        }
        assert!(!session.text().contains("rgb"), "{}", session.text());
        session.type_keys("q");
        assert_eq!(session.end().0, Some(0));
    }
    // Without an answer the environment decides, and without that it is dark.
    for (variables, light) in [(&[("COLORFGBG", "0;15")][..], true), (&[], false)] {
        let mut session = Session::start(SCALE, (100, 30), variables);
        session.until_text("masked_store(out");
        session.until("its colours", if light { is_light } else { is_dark });
        session.type_keys("q");
        assert_eq!(session.end().0, Some(0));
    }
}

#[test]
fn a_terminal_with_graphics_gets_pixels_and_loses_them_again() {
    const KITTY: [&str; 2] = ["\x1b_Ga=T,f=24,", "\x1b_Ga=d,d=I,"];
    // What stands over the cells goes when all of them are drawn anew.
    const SIXEL: [&str; 2] = ["\x1bP0;1;0q", "\x1b[2J"];
    for (setting, answer, [shown, taken]) in [
        ("auto", Some("\x1b_Gi=31;OK\x1b\\\x1b[6;18;9t\x1b[?62;c"), KITTY),
        ("auto", Some("\x1b[6;20;10t\x1b[?62;4;22;28;29c"), SIXEL),
        // One that does not answer is not asked, if the setting says what it has.
        ("kitty", None, KITTY),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let config = folder.path().join("config.toml");
        std::fs::write(&config, format!("graphics = \"{setting}\"\n")).expect("written");
        let variables = [("LANESCOPE_CONFIG", config.to_str().expect("UTF-8"))];
        let mut session = Session::with_answers(&[("a.lane", SCALE)], (120, 40), &variables, None, answer);
        session.until_text("masked_store(out");
        session.type_keys("jjA");
        session.until_sent(shown);
        session.type_keys("w");
        session.until_sent(taken);
        session.type_keys("A");
        session.until_sent(shown);
        // Answers are no keys: the cursor is where keys have led it.
        session.until_text("3:");
        session.type_keys("q");
        assert_eq!(session.end().0, Some(0));
    }
    // One that answers without graphics has characters.
    let mut session = Session::with_answers(&[("a.lane", SCALE)], (120, 40), &[], None, Some("\x1b[?1;2c"));
    session.until_text("masked_store(out");
    session.type_keys("jjA");
    session.until_text("plot");
    let sent = session.sent.lock().expect("no panic").clone();
    assert!(!sent.windows(6).any(|part| part == b"\x1b_Ga=T") && !sent.windows(2).any(|part| part == b"\x1bP"));
    session.type_keys("q");
    assert_eq!(session.end().0, Some(0));
}

#[test]
fn of_the_sixteen_colours_those_are_used_that_can_be_read() {
    // Solarized Dark tells its colours: blue has a contrast of 4.1, violet of 3.4, and colour 8 is the background.
    let answer = "\x1b]4;8;rgb:0000/2b2b/3636\x1b\\\x1b]4;12;rgb:8383/9494/9696\x1b\\\x1b]4;3;rgb:b5b5/8989/0000\x1b\\\
                  \x1b]4;11;rgb:6565/7b7b/8383\x1b\\\x1b]11;rgb:0000/2b2b/3636\x1b\\";
    let mut session = Session::with_background(
        &[("a.lane", SCALE)],
        (160, 30),
        &[("TERM", "xterm"), ("COLORTERM", "")],
        Some((Duration::ZERO, answer)),
    );
    session.until_text("masked_store(out");
    let colour = |screen: &vt100::Screen, text: &str| {
        let contents = screen.contents();
        let (row, line) = contents.lines().enumerate().find(|(_, line)| line.contains(text)).expect("it is there");
        let column = line[..line.find(text).expect("it is there")].chars().count();
        screen.cell(row as u16, column as u16).expect("a cell").fgcolor()
    };
    session.until("the yellow of stores", |screen| colour(screen, "masked_store") == vt100::Color::Idx(3));
    session.until("the grey of loads", |screen| colour(screen, "masked_load") == vt100::Color::Idx(12));
    let cells = (0..30).flat_map(|y| (0..160).map(move |x| (y, x)));
    {
        let parser = session.screen.lock().expect("no panic");
        let mut cells = cells.filter_map(|(y, x)| parser.screen().cell(y, x));
        assert!(cells.all(|cell| cell.fgcolor() != vt100::Color::Idx(8)), "text in the background's colour");
    }
    session.type_keys("q");
    assert_eq!(session.end().0, Some(0));
}

#[test]
fn where_the_locale_has_no_utf8_all_is_ascii() {
    for variables in [&[("LC_ALL", "C")][..], &[("LANG", "")], &[("LANG", "de_DE.ISO-8859-1")]] {
        let mut session = Session::start(SCALE, (150, 30), variables);
        session.until_text("masked_store(out");
        session.type_keys("?");
        session.until_text("Esc closes this");
        let text = session.text();
        assert!(text.is_ascii(), "{text}");
        session.type_keys("q");
        session.until("no help", |screen| !screen.contents().contains("Esc closes this"));
        assert!(session.text().is_ascii() && session.text().contains("out[i'] = samples[i']"), "{}", session.text());
        session.type_keys("q");
        assert_eq!(session.end().0, Some(0));
    }
}

#[test]
fn one_goes_to_the_shell_and_comes_back() {
    for key in [true, false] {
        let mut session = Session::start(SCALE, (100, 30), &[]);
        session.until_text("masked_store(out");
        if key {
            session.type_keys("\x1a");
        } else {
            session.signal(Signal::TSTP);
        }
        session.until("the shell's screen", |screen| !screen.alternate_screen());
        session.signal(Signal::CONT);
        session.until("the explorer's screen", vt100::Screen::alternate_screen);
        session.until_text("masked_store(out");
        // A redraw restores the screen, whatever was written over it.
        session.screen.lock().expect("no panic").process(b"\x1b[2Jgarbage");
        session.type_keys("\x0c");
        session.until("no garbage", |screen| {
            screen.contents().contains("masked_store(out") && !screen.contents().contains("garbage")
        });
        session.type_keys("q");
        assert_eq!(session.end().0, Some(0));
    }
}

#[test]
fn without_colours_none_are_written() {
    let mut session = Session::start(SCALE, (80, 24), &[("NO_COLOR", "1")]);
    session.until_text("masked_store(out");
    let coloured = |screen: &vt100::Screen| {
        let cells = (0..24).flat_map(|y| (0..80).map(move |x| (y, x)));
        let mut cells = cells.filter_map(|(y, x)| screen.cell(y, x));
        cells.any(|cell| cell.fgcolor() != vt100::Color::Default || cell.bgcolor() != vt100::Color::Default)
    };
    assert!(!coloured(session.screen.lock().expect("no panic").screen()));
    session.type_keys("q");
    assert_eq!(session.end().0, Some(0));
    let mut session = Session::start(SCALE, (80, 24), &[]);
    session.until_text("masked_store(out");
    assert!(coloured(session.screen.lock().expect("no panic").screen()));
    session.type_keys("q");
    session.end();
}

#[test]
fn a_bad_config_is_named_before_the_screen_is_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("config.toml");
    std::fs::write(&config, "[keys]\nquti = \"x\"\n").expect("written");
    let session = Session::start(SCALE, (100, 30), &[("LANESCOPE_CONFIG", config.to_str().expect("UTF-8"))]);
    session.until_text("did you mean `quit`?");
    assert_eq!(session.end().0, Some(2));
}

#[test]
fn the_editor_of_the_users_choice_has_the_terminal_and_what_it_writes_is_read() {
    // An editor that writes what it is told on the terminal behind the file.
    let editor = "sh -c 'echo ready; read words; echo \"# $words\" >> $0'";
    let mut session = Session::start(SCALE, (100, 30), &[("EDITOR", editor)]);
    session.until_text("masked_store(out");
    session.type_keys("\x05");
    session.until("the editor", |screen| !screen.alternate_screen() && screen.contents().contains("ready"));
    // A key of the explorer's is a letter there.
    session.type_keys("q is a letter\r");
    session.until("the explorer", vt100::Screen::alternate_screen);
    session.until_text("# q is a letter");
    session.until_text("masked_store(out");
    // Keys are the explorer's again.
    session.type_keys("?");
    session.until_text("Esc closes this");
    session.type_keys("?q");
    let (code, folder) = session.end();
    assert_eq!(code, Some(0));
    let text = std::fs::read_to_string(folder.path().join("a.lane")).expect("a file");
    assert_eq!(text, format!("{SCALE}# q is a letter\n"));
}

#[test]
fn without_an_editor_or_with_one_that_fails_a_message_says_so() {
    for (variables, message) in [
        (&[][..], "no editor is set: let VISUAL or EDITOR name one"),
        (&[("EDITOR", "/nowhere/ed")], "the editor `ed` ended with exit status: 127"),
        (&[("VISUAL", "false"), ("EDITOR", "true")], "the editor `false` ended with exit status: 1"),
    ] {
        let mut session = Session::start(SCALE, (160, 30), variables);
        session.until_text("masked_store(out");
        session.type_keys("\x05");
        session.until_text(message);
        session.type_keys("q");
        assert_eq!(session.end().0, Some(0));
    }
}

#[test]
fn a_recording_has_what_the_terminal_showed() {
    let mut session = Session::on(&[("a.lane", SCALE)], &["a.lane", "--record", "tour.cast"], (100, 30), &[]);
    session.until_text("masked_store(out");
    session.type_keys("?");
    session.until_text("Esc closes this");
    session.type_keys("?q");
    let (code, folder) = session.end();
    assert_eq!(code, Some(0));
    let cast = std::fs::read_to_string(folder.path().join("tour.cast")).expect("a recording");
    let mut lines = cast.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
    let head = lines.next().expect("a head");
    assert_eq!(
        (head["version"].as_u64(), head["width"].as_u64(), head["height"].as_u64()),
        (Some(2), Some(100), Some(30))
    );
    assert_eq!(head["title"], "lanescope a.lane");
    let mut screen = vt100::Parser::new(cells(30), cells(100), 0);
    let mut seen = (false, false);
    for frame in lines.filter(|frame| frame[1] == "o") {
        screen.process(frame[2].as_str().expect("a text").as_bytes());
        let contents = screen.screen().contents();
        seen = (seen.0 || contents.contains("masked_store(out"), seen.1 || contents.contains("Esc closes this"));
    }
    assert_eq!(seen, (true, true));
    // A recording that is there is kept.
    let session =
        Session::on(&[("a.lane", SCALE), ("tour.cast", "mine")], &["a.lane", "--record", "tour.cast"], (100, 30), &[]);
    session.until_text("the file is there already, and is kept");
    assert_eq!(session.end().0, Some(2));
}

#[test]
fn without_a_file_there_is_a_starting_page() {
    let mut session = Session::on(&[], &[], (110, 60), &[]);
    session.until_text("Lessons, 0 of 12 done");
    assert!(!session.text().contains("Recent"), "{}", session.text());
    session.type_keys("/scale_audio\r\r");
    session.until_text("masked_store(");
    session.type_keys("q");
    let (code, folder) = session.end();
    assert_eq!(code, Some(0));
    assert!(folder.path().join("examples/scale_audio.lane").exists());

    // What was looked at in one session is there in the next, and what is gone is not.
    let kept = folder.path().join("state.json");
    let variables = [("LANESCOPE_STATE", kept.to_str().expect("UTF-8"))];
    for name in ["mine.lane", "gone.lane"] {
        std::fs::write(folder.path().join(name), SCALE).expect("written");
        let path = folder.path().join(name);
        let mut session = Session::on(&[], &[path.to_str().expect("UTF-8")], (110, 60), &variables);
        session.until_text("masked_store(");
        session.type_keys("q");
        assert_eq!(session.end().0, Some(0));
    }
    std::fs::remove_file(folder.path().join("gone.lane")).expect("removed");
    let mut session = Session::on(&[], &[], (110, 60), &variables);
    session.until_text("Recent file");
    // The last line is the last to be written.
    session.until_text("? help");
    let text = session.text();
    assert!(text.contains("mine.lane") && !text.contains("gone.lane"), "{text}");
    assert_eq!(text.matches("scale_audio.lane").count(), 1, "an example is no recent file: {text}");
    // The cursor is on the recent file.
    session.type_keys("\r");
    session.until_text("masked_store(");
    session.type_keys("~");
    session.until_text("Recent file");
    session.type_keys("q");
    assert_eq!(session.end().0, Some(0));
}
