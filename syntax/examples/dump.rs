//! tmp
use std::io::Read;
fn main() {
    let mut s = String::new();
    std::io::stdin().read_to_string(&mut s).unwrap();
    let f = syntax::SourceFile::parse(&s);
    assert_eq!(f.syntax().text().to_string(), s);
    print!("{:#?}", f.syntax());
    for e in f.errors() {
        println!(
            "{:?} {} {} {:?} {:?}",
            e.range,
            e.code,
            e.message,
            e.help,
            e.fixes.iter().map(|f| &f.title).collect::<Vec<_>>()
        );
    }
}
