//! Parsing `NAME=SPEC`, the source of an argument's numbers in `lanescope run`.

use queries::run::{Argument, DataSource, NotRun};
use syntax::text::Quoted;

/// The forms of a SPEC, for help and messages.
pub const FORMS: &str = "a number, `[1, 2.5, 3]`, `\"text\"`, `ramp(n)`, `random(n, seed)`, `zeros(n)`, `fill(n, x)`, `@file.npy`, or `a[3:]`";

/// Describes why a kernel was not run, to someone who gives arguments on the command line.
pub fn not_run(why: &NotRun) -> String {
    let way_out = if matches!(why, NotRun::Missing(_)) { "; add `--arg NAME=...`" } else { "" };
    format!("{why}{way_out}")
}

/// An argument as given on the command line.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// An argument whose specification describes its numbers.
    Described(Argument),
    /// An argument whose numbers are in a file: its name and the path.
    Npy(String, String),
}

/// Parses `NAME=SPEC`.
pub fn parse(text: &str) -> Result<Given, String> {
    let (name, spec) = text.split_once('=').ok_or_else(|| format!("`{text}` is no `NAME=SPEC`"))?;
    let (name, spec) = (name.trim().to_owned(), spec.trim());
    if name.is_empty() {
        return Err(format!("`{text}` names no parameter; write `NAME=SPEC`"));
    }
    if let Some(path) = spec.strip_prefix('@') {
        return Ok(Given::Npy(name, path.to_owned()));
    }
    let source = source(spec).ok_or_else(|| format!("`{spec}` is no SPEC; a SPEC is {FORMS}"))?;
    Ok(Given::Described(Argument { name, source }))
}

fn source(spec: &str) -> Option<DataSource> {
    if let Some(quoted) = syntax::text::quoted(spec) {
        return Some(match quoted {
            Quoted::Character(number) => DataSource::Number(number.to_string()),
            Quoted::Text(bytes) => DataSource::List(numbers(&bytes)),
        });
    }
    if let Some(list) = spec.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let items = list.split(',').map(str::trim);
        let items: Vec<_> = items.filter(|item| !item.is_empty()).map(str::to_owned).collect();
        return items.iter().all(|item| is_number(item)).then_some(DataSource::List(items));
    }
    if let Some((array, from)) = spec.split_once('[') {
        let from = from.strip_suffix(":]")?.trim().parse().ok()?;
        return Some(DataSource::PartOf(array.trim().to_owned(), from));
    }
    let Some((function, args)) = spec.split_once('(') else {
        return is_number(spec).then(|| DataSource::Number(spec.to_owned()));
    };
    let args: Vec<_> = args.strip_suffix(')')?.split(',').map(str::trim).collect();
    match (function.trim(), &args[..]) {
        ("ramp", [n]) => Some(DataSource::Ramp(n.parse().ok()?)),
        ("random", [n, seed]) => Some(DataSource::Random(n.parse().ok()?, seed.parse().ok()?)),
        ("zeros", [n]) => Some(DataSource::Zeros(n.parse().ok()?)),
        ("fill", [n, x]) if is_number(x) => Some(DataSource::Fill(n.parse().ok()?, (*x).to_owned())),
        _ => None,
    }
}

/// Writes the data of arguments as `NAME=SPEC`; data without a spelling are left out.
pub fn all_spelled(arguments: &[Argument]) -> Vec<String> {
    let spelled = |one: &Argument| Some(format!("{}={}", one.name, spelled(&one.source)?));
    arguments.iter().filter_map(spelled).collect()
}

/// Formats a source as a SPEC that parses back to it. Bytes have none, because they come from a file.
pub fn spelled(source: &DataSource) -> Option<String> {
    Some(match source {
        DataSource::Number(number) => number.clone(),
        DataSource::List(items) => format!("[{}]", items.join(", ")),
        DataSource::Ramp(n) => format!("ramp({n})"),
        DataSource::Random(n, seed) => format!("random({n}, {seed})"),
        DataSource::Zeros(n) => format!("zeros({n})"),
        DataSource::Fill(n, x) => format!("fill({n}, {x})"),
        DataSource::PartOf(array, from) => format!("{array}[{from}:]"),
        DataSource::Bytes(..) => return None,
    })
}

/// The bytes of a text, as numbers are written.
pub(crate) fn numbers(bytes: &[u8]) -> Vec<String> {
    bytes.iter().map(u8::to_string).collect()
}

fn is_number(text: &str) -> bool {
    matches!(text, "true" | "false") || text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read() {
        let described = |text: &str| match parse(text) {
            Ok(Given::Described(argument)) => argument.source,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(described("n=3"), DataSource::Number("3".into()));
        assert_eq!(described("x = -1e-3"), DataSource::Number("-1e-3".into()));
        assert_eq!(described("a=[1, 2.5,nan]"), DataSource::List(vec!["1".into(), "2.5".into(), "nan".into()]));
        assert_eq!(described("a=[]"), DataSource::List(vec![]));
        assert_eq!(described("a=ramp(8)"), DataSource::Ramp(8));
        assert_eq!(described("a=random(8, 42)"), DataSource::Random(8, 42));
        assert_eq!(described("a=zeros(8)"), DataSource::Zeros(8));
        assert_eq!(described("a=fill(8, 0.5)"), DataSource::Fill(8, "0.5".into()));
        assert_eq!(
            described("a=\"a[(=,\""),
            DataSource::List(["97", "91", "40", "61", "44"].map(str::to_owned).to_vec())
        );
        assert_eq!(described(r"x='\n'"), DataSource::Number("10".into()));
        assert_eq!(described("b=a[3:]"), DataSource::PartOf("a".into(), 3));
        assert_eq!(parse("a=@x.npy"), Ok(Given::Npy("a".into(), "x.npy".into())));
    }

    #[test]
    fn a_spec_is_spelled_as_it_is_read() {
        for text in ["3", "[1, 2.5, nan]", "ramp(8)", "random(8, 42)", "zeros(8)", "fill(8, 0.5)", "a[3:]"] {
            let Ok(Given::Described(argument)) = parse(&format!("x={text}")) else { panic!("{text} is described") };
            assert_eq!(spelled(&argument.source).as_deref(), Some(text));
        }
    }

    #[test]
    fn what_is_no_spec_is_said_to_be_none() {
        for text in [
            "a",
            "=3",
            "a=ramp",
            "a=ramp(x)",
            "a=[1, x]",
            "a=b[3]",
            "a=fill(3)",
            "a=random(3)",
            "a=one",
            "a='ab'",
            "a=\"ab",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
