//! `docs/lane-ir.md` is what the tables say.

use std::path::Path;

#[test]
fn the_reference_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/lane-ir.md");
    let wanted = passes::docs::reference();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &wanted).expect("the file can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "`UPDATE_DOCS=1 cargo test -p passes` brings docs/lane-ir.md up to date");
}
