//! The format of files: in their own style, white space alone.

use std::sync::Arc;

use expect_test::{Expect, expect};
use ispc::config::Config;
use ispc::file::{FileText, NoFiles};
use ispc::format::{applied, edits, edits_in, typed};
use ispc::kinds::Kind;
use ispc::unit::Unit;

fn read(text: &str) -> Unit {
    ispc::read(Arc::new(FileText::new("a.ispc", text)), &Config::default(), &NoFiles)
}

fn formatted(text: &str) -> String {
    applied(text, &edits(&read(text)))
}

/// The tokens of a text, and its comments.
fn tokens(text: &str) -> Vec<(Kind, String)> {
    let file = FileText::new("a.ispc", text);
    let all = (0..file.tokens.len()).map(|index| (file.tokens[index].kind, file.token_text(index).to_owned()));
    all.filter(|(kind, _)| *kind != Kind::Space).collect()
}

/// Formats a text, and again; what is no blank stays.
fn holds(text: &str) -> String {
    let once = formatted(text);
    assert_eq!(tokens(&once), tokens(text), "{text:?} became {once:?}");
    assert_eq!(formatted(&once), once, "of {text:?}");
    once
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&holds(text));
}

#[test]
fn statements_stand_where_most_of_the_file_has_them() {
    check(
        "void f(uniform int n) {\n  int a = 1;\n    int b = 2;\n  if (a < b) {\n      a = b;\n  b = a;\n    c();\n    d();\n    }\n  for (int i = 0; i < n; i++)\n    a += i;\n  while (a > 0)\n  a--;\n  do\n    a++;\n  while (a < 0);\n}\n",
        expect![[r#"
            void f(uniform int n) {
              int a = 1;
              int b = 2;
              if (a < b) {
                a = b;
                b = a;
                c();
                d();
              }
              for (int i = 0; i < n; i++)
                a += i;
              while (a > 0)
                a--;
              do
                a++;
              while (a < 0);
            }
        "#]],
    );
}

#[test]
fn braces_cases_and_members_keep_their_style() {
    check(
        "struct S\n{\n    int a;\n   float b;\n    float c;\n};\n\nextern \"C\"\n{\nvoid g();\n  void h();\nvoid i();\n}\n\nvoid f(int n)\n{\n    switch (n)\n    {\n    case 1:\n        g();\n        break;\n      case 2:\n        h();\n      break;\n    default:\n        i();\n    }\n    if (n)\n    {\n        g();\n    }\n    else\n      {\n        h();\n    }\n}\n",
        expect![[r#"
            struct S
            {
                int a;
                float b;
                float c;
            };

            extern "C"
            {
            void g();
            void h();
            void i();
            }

            void f(int n)
            {
                switch (n)
                {
                case 1:
                    g();
                    break;
                case 2:
                    h();
                    break;
                default:
                    i();
                }
                if (n)
                {
                    g();
                }
                else
                {
                    h();
                }
            }
        "#]],
    );
}

#[test]
fn lines_that_go_on_and_comments_move_along() {
    check(
        "void f() {\n    g(1,\n      2);\n    a = 1;\n    b = 2;\n        // of the call\n        g(3,\n          4);\n    /* over\n       lines */\n    c = 3;\n}\n",
        expect![[r#"
            void f() {
                g(1,
                  2);
                a = 1;
                b = 2;
                // of the call
                g(3,
                  4);
                /* over
                   lines */
                c = 3;
            }
        "#]],
    );
}

#[test]
fn tabs_stay_tabs() {
    check(
        "void f() {\n\ta();\n\tb();\n    c();\n  if (d) {\n\t\te();\n\t}\n}\n",
        expect![[r#"
            void f() {
            	a();
            	b();
                c();
            	if (d) {
            		e();
            	}
            }
        "#]],
    );
}

#[test]
fn blanks_are_added_where_most_have_them_and_none_is_taken_away() {
    check(
        "void f(int a,int b, int c, int d) {\n    int x=a + b;\n    int y = a+c;\n    int z = a   + d - b;\n    int w = a*b*c;\n    if(x) y = a ? b:c;\n    if (y) z = a ? b : c ? d : a;\n    if (z) { }\n    x = y<z;\n    foreach (i = 0 ... x, j=0 ... y) { }\n}   \n\t\n",
        expect![[r#"
            void f(int a, int b, int c, int d) {
                int x = a + b;
                int y = a + c;
                int z = a   + d - b;
                int w = a*b*c;
                if (x) y = a ? b : c;
                if (y) z = a ? b : c ? d : a;
                if (z) { }
                x = y<z;
                foreach (i = 0 ... x, j = 0 ... y) { }
            }

        "#]],
    );
    // Signs, pointers and stars of types are no operators.
    check(
        "void f(float *uniform p) { float *q = p; float a = b * c, d = b * e, g = -a*b; *q = &a - p; }\n",
        expect![[r#"
            void f(float *uniform p) { float *q = p; float a = b * c, d = b * e, g = -a * b; *q = &a - p; }
        "#]],
    );
}

#[test]
fn some_text_is_never_touched() {
    check(
        "#define  F(a,b)  a+b   \n#define G(x) \\\n      x   \\\n  + 1\n#ifdef NEVER\n      int  gone=1;   \n#endif\nvoid f() {\n    a = b + c;\n    d = F(a+b,c);   \n  /* comment   \n    stays   */\n    e(a, b, c, d);\n    // line   \n    \"a+b\";\n}\n",
        expect![[r#"
            #define  F(a,b)  a+b   
            #define G(x) \
                  x   \
              + 1
            #ifdef NEVER
                  int  gone=1;   
            #endif
            void f() {
                a = b + c;
                d = F(a+b,c);
              /* comment   
                stays   */
                e(a, b, c, d);
                // line   
                "a+b";
            }
        "#]],
    );
    // What does not parse stays; the functions around it do not.
    check(
        "void f() {\n    a = b;\n    c = d;\n      e = f;\n}\nvoid g() {\n      a = = b;\n   c = d  ;   \n}\nvoid h() {\n  a = b;   \n}\n",
        expect![[r#"
            void f() {
                a = b;
                c = d;
                e = f;
            }
            void g() {
                  a = = b;
               c = d  ;   
            }
            void h() {
                a = b;
            }
        "#]],
    );
    // A blank behind a backslash keeps the next line apart.
    holds("int a; \\ \nint b;  \n");
}

#[test]
fn a_range_has_the_edits_of_its_lines() {
    let text = "void f() {\n  a = b;  \n  c = d;  \n  e = f;  \n}\n";
    let unit = read(text);
    let at = text.find("c =").expect("it is there") as u32;
    assert_eq!(edits(&unit).len(), 3);
    let found = edits_in(&unit, at..at + 1);
    assert_eq!(applied(text, &found), text.replace("c = d;  ", "c = d;"));
}

/// The text behind a key that was typed at `$0`.
fn typed(marked: &str, key: char) -> String {
    let (before, behind) = marked.split_once("$0").expect("a cursor");
    let text = format!("{before}{behind}");
    let (unit, offset) = (read(&text), before.len() as u32);
    let edits = match key {
        '\n' => typed::after_line_break(&unit, offset),
        _ => typed::after_brace(&unit, offset),
    };
    applied(&text, &edits)
}

#[test]
fn a_line_that_was_begun_is_indented() {
    let line = |text: &str| typed(text, '\n').rsplit('\n').next().unwrap_or_default().to_owned() + "|";
    assert_eq!(line("void f() {\n$0"), "    |");
    assert_eq!(line("void g() {\n  a();\n}\nvoid f(int a,\n       int b) {\n$0"), "  |");
    assert_eq!(line("void f() {\n  a();\n  if (b(c) &&\n      d) {\n$0"), "    |");
    assert_eq!(line("void f() {\n  a();\n  if (b)\n$0"), "    |");
    assert_eq!(line("void f() {\n  a();\n  if (b)\n    c();\n    $0"), "  |");
    assert_eq!(line("void f() {\n  a();\n  if (b) {\n    c();\n  } else\n$0"), "    |");
    assert_eq!(line("void f() {\n  a();\n}\n  $0"), "|");
    // Where a line goes on nobody knows how far.
    assert_eq!(line("void f() {\n  a = b +\n       $0"), "       |");
    assert_eq!(typed("void f() {\n  a();\n  if (b) {\n    c();\n$0}\n", '\n').lines().nth(4), Some("  }"));
}

#[test]
fn a_brace_stands_where_its_block_starts() {
    assert_eq!(typed("void f() {\n  a();\n  for (;;) {\n    b();\n    }$0\n", '}').lines().nth(4), Some("  }"));
    assert_eq!(typed("void f() {\n  a();\n  }$0", '}').lines().nth(2), Some("}"));
    assert_eq!(typed("void f() { a(); }$0", '}'), "void f() { a(); }");
}

#[test]
fn programs_with_blanks_changed_come_back_or_stay_the_same() {
    let program = "#include <none.isph>\n#define SQUARE(x) ((x) * (x))\nstruct P {\n    float x;\n    float y;\n};\n\nstatic inline float\nlength(const P &p) {\n    return sqrt(p.x * p.x + p.y * p.y);\n}\n\nexport void k(uniform float a[], uniform int n) {\n    foreach (i = 0 ... n) {\n        float s = a[i];\n        if (s > 0.5f) {\n            s = SQUARE(s) + 1;\n        } else if (s < 0) {\n            s = -s;\n        } else {\n            s = 0;\n        }\n        for (uniform int j = 0; j < 4; j++)\n            s += a[j] * 2;\n        switch (n) {\n        case 0:\n        case 1:\n            s = 1;\n            break;\n        default:\n            s = 2;\n        }\n        a[i] = s;\n    }\n}\n";
    assert_eq!(holds(program), program);
    let mut random = fastrand::Rng::with_seed(5);
    for _ in 0..400 {
        let mut text = program.to_owned();
        for _ in 0..random.usize(1..12) {
            let at = random.usize(..text.len());
            match random.u8(..5) {
                0 if text.as_bytes()[at] == b' ' => _ = text.remove(at),
                1 if text[at..].starts_with('\n') => text.insert_str(at + 1, &" ".repeat(random.usize(1..7))),
                2 if text[at..].starts_with('\n') => text.insert_str(at, "  "),
                3 if text[at..].starts_with(' ') => text.insert(at, '\t'),
                _ if text[at..].starts_with([';', '{', '}', ',']) => text.insert_str(at + 1, " \n  "),
                _ => {}
            }
        }
        holds(&text);
    }
    // One line that stands wrong comes back.
    let starts: Vec<usize> =
        program.match_indices('\n').map(|(at, _)| at + 1).filter(|at| *at < program.len()).collect();
    for start in starts {
        let line = program[start..].lines().next().unwrap_or_default();
        let leads = !line.is_empty() && !line.starts_with('#') && !line.starts_with("length");
        if leads {
            let mut text = program.to_owned();
            text.insert_str(start, "   ");
            assert_eq!(holds(&text), program, "{line:?}");
        }
    }
}

#[test]
fn any_text_keeps_its_tokens() {
    let words = [
        "{",
        "}",
        "(",
        ")",
        ";",
        ",",
        "a",
        "b",
        "if",
        "else",
        "for",
        "=",
        "+",
        "*",
        "-",
        ":",
        "?",
        "int",
        "struct",
        "S",
        "\n",
        "\n  ",
        "\n\t",
        " ",
        "  ",
        "#if 1\n",
        "\n#endif\n",
        "\n#define F(x) x\n",
        "F(a, b)",
        "// c \n",
        "/* d */",
        "/*\n*/",
        "case 1:",
        "switch",
        "do",
        "while",
        "return",
        "\\\n",
        "foreach (i = 0 ... n)",
        "extern \"C\" {",
        "é",
    ];
    let mut random = fastrand::Rng::with_seed(9);
    for _ in 0..4000 {
        let n = random.usize(1..50);
        let text: String = (0..n).map(|_| words[random.usize(..words.len())]).collect();
        holds(&text);
    }
}
