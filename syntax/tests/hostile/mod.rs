//! Texts built to be expensive, of about a given size each.

/// The hostile texts, with names.
pub(crate) fn texts(size: usize) -> Vec<(&'static str, String)> {
    let repeated = |piece: &str| piece.repeat(size / piece.len());
    let in_statement = |piece: &str| format!("kernel k(a):\n    x = {}\n", repeated(piece));
    let lines = |line: &str| format!("kernel k(a):\n{}", repeated(line));
    vec![
        ("parentheses", in_statement("(")),
        ("parentheses without an item", repeated("(")),
        ("brackets and parentheses", in_statement("[(")),
        ("closing parentheses", in_statement(")")),
        ("closed pairs", in_statement("()")),
        ("braces", in_statement("{")),
        ("crossed brackets", in_statement("([)]")),
        ("nots", in_statement("not ")),
        ("minuses", in_statement("-")),
        ("powers", in_statement("a**")),
        ("a chain of sums", in_statement("a+")),
        ("a chain of spaced sums", in_statement("a + ")),
        ("a chain of comparisons", in_statement("a<")),
        ("a chain of comparisons of long operands", in_statement("a+a+a+a+a+a+a+a+a<")),
        ("calls", in_statement("f(")),
        ("calls of calls", in_statement("f()")),
        ("indices", in_statement("a[")),
        ("indices of indices", in_statement("a[0]")),
        ("slices", in_statement("a[:")),
        ("fields", in_statement("a.")),
        ("lambdas", in_statement("\\x -> ")),
        ("lambdas of python", in_statement("lambda x: ")),
        ("lambdas with types", in_statement("\\x: f32[")),
        (
            "tall types in lambdas",
            format!("kernel k(a):\n    x = {}", repeated(&format!("(\\x: f32[{}", "a+".repeat(500)))),
        ),
        ("conditionals", in_statement("a if b else ")),
        ("conditionals that assign", in_statement("a if b = ")),
        ("unfinished conditionals", in_statement("if ")),
        ("arguments", format!("kernel k(a):\n    f({})\n", repeated("a, "))),
        ("arguments without commas", format!("kernel k(a):\n    f({})\n", repeated("a "))),
        ("arguments by name", format!("kernel k(a):\n    f({})\n", repeated("a=1, "))),
        ("assignments", in_statement("a = ")),
        ("words", in_statement("word ")),
        ("words in column 0", repeated("word ")),
        ("commas", in_statement(",")),
        ("colons", in_statement(":")),
        ("dots", in_statement(".")),
        ("one name", in_statement("a")),
        ("one number", in_statement("1")),
        ("quotes", in_statement("'")),
        ("triple quotes", in_statement("''' ")),
        ("triple quotes of both kinds", in_statement("\"\"\" ''' ")),
        ("quotes of typesetters", in_statement("“")),
        ("strange characters", in_statement("$")),
        ("several strange characters", in_statement("$`")),
        ("names beyond ASCII", in_statement("λ ")),
        ("different names beyond ASCII", format!("kernel k(a):\n{}", numbered(size, |n| format!("    λ{n} = 1\n")))),
        ("spaces beyond ASCII", in_statement("\u{a0}")),
        ("look-alikes", in_statement("×")),
        ("deep blocks", deep(size, "if c:")),
        ("deep blocks without colons", deep(size, "if c")),
        ("deep blocks of nothing", deep(size, "x")),
        ("staircases that fall", numbered(size, |n| format!("{}x\n", " ".repeat(400 - n % 400)))),
        ("a saw of indentation", lines("      x = 1\n    y = 1\n     z = 1\n")),
        ("headers on one line", format!("kernel k(a):\n    {}", repeated("if c: "))),
        ("elses", lines("    else:\n        pass\n")),
        ("elifs", format!("kernel k(a):\n    if c:\n        pass\n{}", repeated("    elif c:\n        pass\n"))),
        ("unclosed calls", lines("    foo(\n")),
        ("unclosed calls in column 0", repeated("foo(\n")),
        ("unclosed calls, deeper and deeper", deep(size, "foo(")),
        ("one bracket over many lines", format!("kernel k(a):\n    f({})", repeated("\n        a,"))),
        ("closing brackets in column 0", repeated(")\n")),
        ("tabs", lines("\tx = 1\n")),
        ("comments", lines("    # c\n")),
        ("comments that fall", format!("kernel k(a):\n{}    x\n", repeated("        # c\n    # c\n"))),
        ("documentation", repeated("## c\n")),
        ("blank lines between blocks", lines("    if c:\n        pass\n\n\n\n\n\n\n\n\n")),
        ("blank lines in brackets", format!("kernel k(a):\n    f(\n{}", repeated("\n"))),
        ("attributes", repeated("@a\n")),
        ("attributes on one line", repeated("@a ")),
        ("attributes of nothing", lines("    @a\n")),
        ("items", repeated("kernel k():\n    pass\n")),
        ("parameters", format!("kernel k({}):\n    pass\n", repeated("a: f32[n], "))),
        ("parameters of C", format!("kernel k({}):\n    pass\n", repeated("float *a, "))),
        ("fields", format!("struct S:\n{}", repeated("    x: f32\n"))),
        ("statements of C", lines("    if (x) { y++; }\n")),
        ("semicolons", lines("    a; b; c; d;\n")),
        ("one comment", "#".repeat(size)),
        ("spaces", " ".repeat(size)),
        ("line breaks", "\n".repeat(size)),
        ("carriage returns", "\r".repeat(size)),
        ("byte order marks", repeated("\u{feff}")),
        ("NULs", "\0".repeat(size)),
        ("combining marks", repeated("a\u{301}")),
    ]
}

/// Repeats `head` on lines each a step deeper, as deep as a text of this size allows.
fn deep(size: usize, head: &str) -> String {
    let mut text = "kernel k(a):\n".to_owned();
    for depth in 1.. {
        if text.len() + depth + head.len() > size {
            break;
        }
        text.push_str(&" ".repeat(depth));
        text.push_str(head);
        text.push('\n');
    }
    text
}

fn numbered(size: usize, line: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for n in 0.. {
        let line = line(n);
        if text.len() + line.len() > size {
            break;
        }
        text.push_str(&line);
    }
    text
}
