//! The explorer, the language server's hovers and `explain --json` agree on every example. Hovers that have notes beside them leave out
//! what those say, so there are none here.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use explorer::colouring::markdown;
use explorer::event::Event;
use explorer::questions::Verdict;
use serde_json::{Value, json};
use syntax::text::{ColumnUnit, LineColumn};

use super::client::Client;
use super::client::text::without_links;
use super::*;

const URI: &str = "file:///tmp/example.lane";

fn command(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanescope"));
    command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}

/// Returns the output of `explain --json` about a file.
fn explained(path: &Path) -> Value {
    let output = command(&["explain", path.to_str().expect("UTF-8"), "--target", "avx2", "--json"]).output();
    serde_json::from_slice(&output.expect("it runs").stdout).expect("JSON")
}

/// A language server that answers hovers about a text.
struct Server {
    child: std::process::Child,
    client: Client,
}

impl Server {
    fn with(text: &str) -> Server {
        let mut child = command(&["lsp"]).spawn().expect("it starts");
        let streams = (child.stdout.take().expect("a pipe"), child.stdin.take().expect("a pipe"));
        let mut client = Client::over(streams.0, streams.1);
        let capabilities = json!({
            "general": { "positionEncodings": ["utf-32"] },
            "textDocument": { "hover": { "contentFormat": ["markdown"] } },
        });
        client.initialize(json!({
            "processId": std::process::id(),
            "rootUri": null,
            "capabilities": capabilities,
            "initializationOptions": { "target": "avx2", "notes": "off" },
        }));
        client.open(URI, text);
        Server { child, client }
    }

    fn hover(&mut self, at: LineColumn) -> String {
        let position = json!({ "line": at.line, "character": at.column });
        let hover =
            self.client.ask("textDocument/hover", json!({ "textDocument": { "uri": URI }, "position": position }));
        hover["contents"]["value"].as_str().unwrap_or_default().to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // All requests have been answered, so the server can be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let entries = fs::read_dir(folder).expect("the examples").map(|entry| entry.expect("an entry").path());
    entries.filter(|path| path.extension().is_some_and(|end| end == "lane")).collect()
}

fn place(range: &Value) -> LineColumn {
    let number = |name: &str| range[name].as_u64().expect("a number") as u32 - 1;
    LineColumn { line: number("line"), column: number("column") }
}

#[test]
fn all_faces_say_the_same_of_every_example() {
    let mut n_places = 0;
    for path in examples() {
        let text = fs::read_to_string(&path).expect("a text");
        let report = explained(&path);
        let mut server = Server::with(&text);
        let mut player = Player::new(&[("example.lane", &text)], (200, 60));
        // Instances stand in their template, which editor and explorer show as the first of them.
        let mut headers = std::collections::HashSet::new();
        let mut is_shown = |kernel: &&Value| headers.insert(kernel["range"].to_string());
        for kernel in report["kernels"].as_array().expect("kernels").iter().filter(|kernel| is_shown(kernel)) {
            let name = kernel["name"].as_str().expect("a name");
            go(&mut player, place(&kernel["range"]));
            same_verdicts(&player.state.stage_view.verdicts, kernel, &player, &format!("{}: {name}", path.display()));
            let of_lanes = |place: &&Value| !place["loop"].is_null();
            let accesses = kernel["accesses"].as_array().into_iter().flatten().filter(of_lanes);
            for at in accesses.map(|access| place(&access["range"])) {
                n_places += 1;
                go(&mut player, at);
                same_words(
                    &player,
                    &without_links(&server.hover(at)),
                    &format!("{}:{}:{}", path.display(), at.line + 1, at.column + 1),
                );
            }
            for access in kernel["accesses"].as_array().into_iter().flatten().filter(of_lanes) {
                go(&mut player, place(&access["range"]));
                let class = access["class"].as_str().expect("a class");
                let page = player.page(Pane::Details);
                assert!(page.contains(class), "{}: {access}\n{page}", path.display());
            }
        }
    }
    assert!(n_places > 60, "{n_places} places");
}

fn go(player: &mut Player, at: LineColumn) {
    let buffer = &mut player.state.file_mut().buffer;
    let offset = buffer.lines().offset(buffer.text(), at, ColumnUnit::Utf32);
    buffer.go(offset.into(), false);
    player.happen(Event::Tick);
    player.wait();
}

/// Checks that the explorer's verdicts agree with those of `explain`: in loops, number of lanes and code.
fn same_verdicts(shown: &[Verdict], kernel: &Value, player: &Player, told: &str) {
    let loops = kernel["loops"].as_array().expect("loops");
    assert_eq!(shown.len(), loops.len(), "{told}");
    let buffer = &player.state.file().buffer;
    for (verdict, known) in shown.iter().zip(loops) {
        let at = buffer.lines().line_column(buffer.text(), verdict.range.start(), ColumnUnit::Utf32);
        assert_eq!(at, place(&known["range"]), "{told}");
        let has_lanes = known["verdict"] == "vector" || known["in_part"] == true;
        assert_eq!(verdict.has_lanes, has_lanes, "{told}: {verdict:?}");
        if !known["in_lanes"].is_null() {
            assert!(verdict.headline.starts_with("inside of lanes"), "{told}: {verdict:?}");
        } else if let Some(code) = known["code"].as_str() {
            // Where another loop of the nest has the lanes, that is told in words.
            let said = if code == "lanes-elsewhere" { "has the lanes" } else { code };
            assert!(verdict.headline.contains(said), "{told}: {verdict:?}");
        } else {
            assert!(
                // The number of lanes is unknown where nothing was compiled.
                verdict.headline.starts_with(&known["lanes"].to_string()) || verdict.headline == "in lanes",
                "{told}: {verdict:?}, {}",
                known["lanes"]
            );
        }
    }
}

/// Checks that the explorer's page about a position begins with the server's hover there.
fn same_words(player: &Player, hover: &str, told: &str) {
    let view = &player.state.details_pane.page().lines;
    let shown: Vec<_> = view.iter().map(|line| line.text.as_str()).collect();
    let hovered = markdown(hover);
    let words: Vec<_> = hovered.iter().map(|line| line.text.as_str()).collect();
    assert!(!words.is_empty(), "{told}: no hover");
    let found = shown.windows(words.len()).any(|window| window == words);
    assert!(found, "{told}\n{}\n\nthe server:\n{}", shown.join("\n"), words.join("\n"));
}
