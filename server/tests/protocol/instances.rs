//! A kernel with constant parameters is shown as one of its instances, and a lens chooses which.

use serde_json::{Value, json};

use crate::URI;
use crate::client::Client;

const PROGRAM: &str = "\
kernel blur[R: const i32](a: f32[n], out: f32[n], n: i32):
    out[0] = a[R]

kernel blur1 = blur[1]
kernel blur3 = blur[3]
";

fn hover(client: &mut Client) -> String {
    let at = json!({ "textDocument": { "uri": URI }, "position": { "line": 0, "character": 12 } });
    client.ask("textDocument/hover", at)["contents"].to_string()
}

/// The lenses that show another instance: the commands, with the lines that they stand above.
fn choices(client: &mut Client) -> Vec<(u64, Value)> {
    let lenses = client.ask("textDocument/codeLens", json!({ "textDocument": { "uri": URI } }));
    let lenses = lenses.as_array().expect("a list").clone();
    let chosen = lenses.into_iter().filter(|lens| lens["command"]["command"] == "lanescope.showInstance");
    chosen.map(|mut lens| (lens["range"]["start"]["line"].as_u64().expect("a line"), lens["command"].take())).collect()
}

#[test]
fn a_lens_chooses_the_instance_that_is_shown() {
    let mut client = Client::with(json!({}));
    client.open(URI, PROGRAM);
    assert!(hover(&mut client).contains("R: const i32 = 1"));
    let [(line, command)] = &choices(&mut client)[..] else { panic!("one instance is not shown") };
    assert_eq!((*line, &command["title"]), (4, &json!("Show `blur` as this")));
    let params = json!({ "command": command["command"], "arguments": command["arguments"] });
    client.ask("workspace/executeCommand", params);
    assert!(hover(&mut client).contains("R: const i32 = 3"));
    assert_eq!(choices(&mut client).iter().map(|(line, _)| *line).collect::<Vec<_>>(), [3]);
    client.end_amid_news();
}
