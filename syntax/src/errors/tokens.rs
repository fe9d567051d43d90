//! Errors of single tokens: characters, numbers and names.

use report::{Diagnostic, TextEdit};
use rowan::{TextRange, TextSize};

use super::SyntaxCode;
use crate::kinds::SyntaxKind;
use crate::lexer::Oddity;
use crate::quoted::{self, QuotedError};

/// The error of a token; `None` for one in quotes that says something. `item`: the text around it.
pub(crate) fn oddity(oddity: Oddity, range: TextRange, item: &str, kind: SyntaxKind) -> Option<Diagnostic> {
    let text = &item[range];
    let number = |message: String| Diagnostic::error(SyntaxCode::BadNumber, range, message);
    Some(match oddity {
        Oddity::Quoted => return in_quotes(item, range),
        Oddity::StrangeCharacter => {
            let c = text.chars().next().unwrap_or(' ');
            let error =
                Diagnostic::error(SyntaxCode::BadCharacter, range, format!("{} has no meaning here", name_of(c)));
            let error = error.with_fix("remove it", range, "");
            match c {
                '$' => error.with_help("names are made of letters, digits and `_`"),
                '`' => error.with_help("names stand without quotes"),
                _ => error,
            }
        }
        Oddity::LookAlike => {
            let meant = kind.text().unwrap_or("a space");
            let c = text.chars().next().unwrap_or(' ');
            Diagnostic::error(
                SyntaxCode::LookAlike,
                range,
                format!("{} is not `{meant}`, though it looks like it", name_of(c)),
            )
            .with_fix(format!("write `{meant}`"), range, meant)
        }
        Oddity::StrangeSpace => {
            let c = text.chars().next().unwrap_or(' ');
            let invisible = !c.is_whitespace();
            Diagnostic::error(
                SyntaxCode::LookAlike,
                range,
                format!("{} looks like a space or like nothing, and is neither", name_of(c)),
            )
            .with_fix(
                if invisible { "remove it" } else { "write a space" },
                range,
                if invisible { "" } else { " " },
            )
        }
        Oddity::NonAsciiName => Diagnostic::error(
            SyntaxCode::NonAsciiName,
            range,
            format!("the name `{text}` has letters beyond ASCII; it could not be called from C"),
        )
        .with_help("names are made of `a` to `z`, `A` to `Z`, digits and `_`"),
        Oddity::NoDigits => {
            number(format!("`{text}` has no digits")).with_help("write digits after it, as in `0x2a` or `0b101`")
        }
        Oddity::BadDigits => bad_digits(range, text),
        Oddity::Underscore => number(format!("an underscore in `{text}` does not stand between two digits")).with_fix(
            "remove the underscores",
            range,
            text.replace('_', ""),
        ),
        Oddity::LeadingZero => number(format!("`{text}` starts with a zero"))
            .with_help("C would read it as octal and Python refuses it; so does Lane")
            .with_fix("remove the zeros", range, text.trim_start_matches(['0', '_'])),
        Oddity::NoExponent => number(format!("`{text}` has no digits in its exponent"))
            .with_help("write digits after the `e`, as in `1e-3`"),
    })
}

fn bad_digits(range: TextRange, text: &str) -> Diagnostic {
    let error = Diagnostic::error(SyntaxCode::BadNumber, range, format!("`{text}` is not a number"));
    let lower = text.to_ascii_lowercase();
    if let Some(octal) = lower.strip_prefix("0o") {
        return match i64::from_str_radix(&octal.replace('_', ""), 8) {
            Ok(value) => error.with_help("octal numbers are not in Lane").with_fix(
                "write it as hexadecimal",
                range,
                format!("{value:#x}"),
            ),
            Err(_) => error.with_help("numbers are decimal, hexadecimal (`0x2a`) or binary (`0b101`)"),
        };
    }
    let radix = match lower.get(..2) {
        Some("0x") => 16,
        Some("0b") => 2,
        _ => 10,
    };
    if lower.matches('.').count() > 1 {
        return error.with_help("a number has one decimal point");
    }
    let is_suffix = |c: char| c.is_ascii_alphabetic() && !c.is_digit(radix) && !(radix == 10 && c == 'e');
    let prefix = if radix == 10 { 0 } else { 2 };
    let end = lower[prefix..].find(is_suffix).map_or(lower.len(), |end| prefix + end);
    let (digits, suffix) = (text[..end].trim_end_matches('_'), &lower[end..]);
    let is_number =
        radix == 10 || digits.len() > prefix && digits[prefix..].chars().all(|c| c == '_' || c.is_digit(radix));
    let cast = match suffix {
        "f" if radix == 10 => "f32",
        "u" if is_number => "u32",
        "l" | "ll" if is_number => "i64",
        "ul" | "ull" | "lu" | "llu" if is_number => "u64",
        "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" if is_number => suffix,
        "f32" | "f64" if radix == 10 => suffix,
        _ if radix == 2 => return error.with_help("binary digits are `0` and `1`"),
        _ if radix == 16 => return error.with_help("hexadecimal digits are `0` to `9` and `a` to `f`"),
        _ => return error.with_help("a name cannot start with a digit"),
    };
    let error = error.with_help("numbers have no suffix: they take the type that their place asks for");
    let digits = if digits.ends_with('.') { format!("{digits}0") } else { digits.to_owned() };
    let plain = if suffix == "f" && !digits.contains(['.', 'e']) { format!("{digits}.0") } else { digits.clone() };
    let is_float = radix == 10 && digits.contains(['.', 'e', 'E']);
    // A number in a cast is an `i32` where nothing says otherwise.
    let fits = is_float || i32::from_str_radix(&digits[prefix..].replace('_', ""), radix).is_ok();
    // What C tells by letters alone, its place tells here.
    let is_plain = matches!(suffix, "f" | "f32") || suffix.chars().all(|c| matches!(c, 'u' | 'l'));
    let cast = format!("{cast}({digits})");
    let (first, second) = if is_plain || !fits { (plain, cast) } else { (cast, plain) };
    let error = error.with_fix(format!("write `{first}`"), range, first);
    if fits { error.with_fix(format!("write `{second}`"), range, second) } else { error }
}

fn name_of(c: char) -> String {
    let known = match c {
        '\u{a0}' => "a no-break space",
        '\u{3000}' => "an ideographic space",
        '\u{200b}' => "a zero-width space",
        '\u{200c}' => "a zero-width non-joiner",
        '\u{200d}' => "a zero-width joiner",
        '\u{feff}' => "a byte order mark",
        '\0' => "a NUL character",
        _ => "",
    };
    match (known, c.is_control() || c.is_whitespace()) {
        ("", true) => format!("the character U+{:04X}", c as u32),
        ("", false) if c.is_ascii() => format!("`{c}`"),
        ("", false) => format!("`{c}` (U+{:04X})", c as u32),
        (known, _) => format!("{known} (U+{:04X})", c as u32),
    }
}

/// The error of a token in quotes; `None` for a character or a text. `text` is that of the item, `range` that of the token.
fn in_quotes(text: &str, range: TextRange) -> Option<Diagnostic> {
    let known = documentation(text, range).or_else(|| number_in_text(text, range));
    known.or_else(|| message_in_text(text, range)).or_else(|| broken_text(&text[range], range))
}

/// A text in three quotes that stands by itself, as documentation of Python does: that of an item becomes `##` lines above it, another one
/// a comment. `text` is that of the item, `range` that of the quotes.
fn documentation(text: &str, range: TextRange) -> Option<Diagnostic> {
    if quoted::read(&text[range]) != Err(QuotedError::Documentation) {
        return None;
    }
    let error = Diagnostic::error(SyntaxCode::TextLiteral, range, "a text in three quotes means nothing in Lane")
        .with_help("documentation stands in `##` lines above the item");
    let (before, behind) = (&text[..range.start().into()], &text[range.end().into()..]);
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let rest = behind.find('\n').map_or(behind.len(), |at| at + 1);
    let inside = text[range].get(3..text[range].len() - 3).filter(|_| text[range].len() >= 6);
    let Some(inside) = inside.filter(|_| before[start..].trim().is_empty() && behind[..rest].trim().is_empty()) else {
        return Some(error);
    };
    let lines: Vec<_> = inside.trim().lines().map(str::trim).collect();
    let written = |indentation: &str, mark: &str| -> String {
        lines.iter().map(|line| format!("{indentation}{}\n", format!("{mark} {line}").trim_end())).collect()
    };
    let whole = TextRange::new((start as u32).into(), range.end() + TextSize::new(rest as u32));
    let edit = |range, text| TextEdit { range, text };
    Some(match header_above(&before[..start]) {
        Some(header) => {
            let place = TextRange::empty((header as u32).into());
            let edits = vec![edit(place, written("", "##")), edit(whole, String::new())];
            super::with_edits(error, "write `##` lines above it".to_owned(), edits)
        }
        None => {
            let comment = written(&before[start..], "#");
            super::with_edits(error, "write a comment".to_owned(), vec![edit(whole, comment)])
        }
    })
}

/// The start of the header of an item, if the text in front of its first statement is nothing else but attributes and comments.
fn header_above(before: &str) -> Option<usize> {
    let mut start = 0;
    for line in before.split_inclusive('\n') {
        if line.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let header = before[start..].lines().map(|line| line.split('#').next().unwrap_or(line).trim_end());
            let n_ends = header.filter(|line| line.ends_with(':')).count();
            let is_last = before.trim_end().ends_with(':');
            return (n_ends == 1 && is_last).then_some(start);
        }
        start += line.len();
    }
    None
}

/// A token in quotes that says nothing.
fn broken_text(token: &str, range: TextRange) -> Option<Diagnostic> {
    let error = |message: &str| Diagnostic::error(SyntaxCode::TextLiteral, range, message);
    // A quote inside would end the new text early.
    let rewritten = |error: Diagnostic, token: String| match quoted::read(&token) {
        Ok(_) if token.matches('"').count() <= 2 => error.with_fix(format!("write `{token}`"), range, token),
        _ => error,
    };
    Some(match quoted::read(token).err()? {
        // It has an error of its own.
        QuotedError::Documentation => return None,
        QuotedError::Typeset => {
            let inside = token.trim_matches(['“', '”']);
            rewritten(error("texts stand between straight quotes"), format!("\"{inside}\""))
        }
        QuotedError::Unclosed => {
            let quote = &token[..1];
            rewritten(error("the quote that ends this text is missing"), format!("{}{quote}", token.trim_end()))
        }
        QuotedError::Empty => error("there is nothing between these quotes, and an array has an element at least")
            .with_help("the character 0 is `'\\0'`, and a space `' '`"),
        QuotedError::Several => {
            let inside = &token[1..token.len() - 1];
            let error = error("single quotes stand around one character: they are its number");
            rewritten(error.with_help("a text in double quotes is the array of its bytes"), format!("\"{inside}\""))
        }
        QuotedError::BeyondAscii(c) => {
            let bytes = c.to_string().bytes().map(|byte| format!("`{byte:#x}`")).collect::<Vec<_>>().join(", ");
            error(&format!("{} is several bytes, and single quotes stand around one", name_of(c)))
                .with_help(format!("in UTF-8 it is the bytes {bytes}"))
                .with_fix(format!("write its number in Unicode, `{}`", c as u32), range, (c as u32).to_string())
        }
        QuotedError::Escape(at) => {
            let escape = &token[at];
            Diagnostic::error(
                SyntaxCode::TextLiteral,
                at + range.start(),
                format!("`{escape}` stands for no character"),
            )
            .with_help("there are `\\n`, `\\t`, `\\r`, `\\0`, `\\\\`, `\\\"`, `\\'`, and bytes such as `\\x41`")
        }
    })
}

/// `float('inf')`, as Python has infinities and NaN; `text` is that of the item, `range` that of the quotes.
fn number_in_text(text: &str, range: TextRange) -> Option<Diagnostic> {
    let theirs = text[range].trim_matches(['\'', '"']).to_ascii_lowercase();
    let (_, ours) = NUMBERS_OF_PYTHON.iter().find(|(spelling, _)| *spelling == theirs)?;
    let call = "float(";
    let is_call = text[..range.start().into()].ends_with(call) && text[range.end().into()..].starts_with(')');
    if !is_call {
        return None;
    }
    let whole = TextRange::new(range.start() - TextSize::of(call), range.end() + TextSize::of(')'));
    let message = format!("a text is no number: this one is written `{ours}`");
    Some(Diagnostic::error(SyntaxCode::TextLiteral, range, message).with_fix(format!("write `{ours}`"), whole, *ours))
}

/// The text of a `print` or behind an `assert`; `text` is that of the item, `range` that of the quotes.
fn message_in_text(text: &str, range: TextRange) -> Option<Diagnostic> {
    let (before, behind) = (&text[..range.start().into()], &text[range.end().into()..]);
    let line = before.rsplit('\n').next().unwrap_or(before).trim_start();
    let error = |message: &str| Diagnostic::error(SyntaxCode::TextLiteral, range, message);
    if ["print(", "printf("].iter().any(|call| line.starts_with(call)) {
        let help = "store to an array parameter: `lanescope run` shows it, and a debugger shows all values";
        return Some(super::without_statement(error("kernels do not print").with_help(help), text, range));
    }
    let is_message = line.starts_with("assert") && line.trim_end().ends_with(',');
    if !is_message
        || !matches!(behind.trim_start_matches([' ', ')']).chars().next(), None | Some('\n' | '\r' | ';' | '#'))
    {
        return None;
    }
    let comma = TextSize::of(before[..before.rfind(',')?].trim_end());
    let help = "what fails is shown with its place, and with the values of the run";
    Some(error("an `assert` has no message").with_help(help).with_fix(
        "remove it",
        TextRange::new(comma, range.end()),
        "",
    ))
}

/// Texts that Python's `float` takes for numbers, and how these are written.
const NUMBERS_OF_PYTHON: [(&str, &str); 6] =
    [("inf", "inf"), ("+inf", "inf"), ("infinity", "inf"), ("-inf", "-inf"), ("-infinity", "-inf"), ("nan", "nan")];
