//! `explore`: a file as a whole.

use super::*;

#[test]
fn a_file_as_a_whole() {
    let text = "\
## Twice as much.
## And more.
fn twice(
    x, # what
): # how
    return 2 * x

struct Point:
    x: f32

kernel a(p: Point[n], n: i32) -> f32:
\treturn twice(p[0].x)
";
    check(
        &[("a.lane", text)],
        &["a.lane"],
        expect![[r#"
            a.lane

               1 | ## Twice as much.
               2 | ## And more.
               3 | fn twice(
               4 |     x, # what
               5 | ): # how
               6 |     return 2 * x
               7 |
               8 | struct Point:
               9 |     x: f32
              10 |
              11 | kernel a(p: Point[n], n: i32) -> f32:
              12 |     return twice(p[0].x)

            Items

              fn twice(x)  line 3
                  Twice as much.
              struct Point  line 8
              kernel a(p: Point[n], n: i32) -> f32  line 11

            Findings

            error[tab-indent]: a line is indented with tabs
              --> a.lane:12:1
               |
            12 |     return twice(p[0].x)
               | ^^^^
               |
               = help: indentation makes the blocks here, and a tab has no width that all editors agree on; use spaces
            help: indent with spaces
               |
            12 |     return twice(p[0].x)
               | ++++

            1 error in 1 file

            Stage `parsed`: the tree that the text was parsed to; white space and line breaks are left out

              1:1-8:1      FN
              1:1-1:18       DOC_COMMENT ## Twice as much.
              2:1-2:13       DOC_COMMENT ## And more.
              3:1-3:3        fn
              3:4-3:9        NAME IDENT twice
              3:9-5:2        PARAM_LIST
              3:9-3:10         (
              4:5-4:6          PARAM
              4:5-4:6            NAME IDENT x
              4:6-4:7          ,
              4:8-4:14         COMMENT # what
              5:1-5:2          )
              5:2-5:3        :
              5:4-5:9        COMMENT # how
              6:1-7:1        BLOCK
              6:5-7:1          RETURN_STMT
              6:5-6:11           return
              6:12-6:17          BIN_EXPR
              6:12-6:13            LITERAL INT 2
              6:14-6:15            *
              6:16-6:17            NAME_REF IDENT x
              8:1-11:1     STRUCT
              8:1-8:7        struct
              8:8-8:13       NAME IDENT Point
              8:13-8:14      :
              9:1-10:1       BLOCK
              9:5-10:1         FIELD_DEF
              9:5-9:6            NAME IDENT x
              9:6-9:7            :
              9:8-9:11           TYPE
              9:8-9:11             NAME_REF IDENT f32
              11:1-13:1    KERNEL
              11:1-11:7      kernel
              11:8-11:9      NAME IDENT a
              11:9-11:30     PARAM_LIST
              11:9-11:10       (
              11:10-11:21      PARAM
              11:10-11:11        NAME IDENT p
              11:11-11:12        :
              11:13-11:21        TYPE
              11:13-11:18          NAME_REF IDENT Point
              11:18-11:21          SIZE_LIST
              11:18-11:19            [
              11:19-11:20            NAME_REF IDENT n
              11:20-11:21            ]
              11:21-11:22      ,
              11:23-11:29      PARAM
              11:23-11:24        NAME IDENT n
              11:24-11:25        :
              11:26-11:29        TYPE
              11:26-11:29          NAME_REF IDENT i32
              11:29-11:30      )
              11:31-11:37    RET_TYPE
              11:31-11:33      ->
              11:34-11:37      TYPE
              11:34-11:37        NAME_REF IDENT f32
              11:37-11:38    :
              12:1-13:1      BLOCK
              12:2-13:1        RETURN_STMT
              12:2-12:8          return
              12:9-12:22         CALL_EXPR
              12:9-12:14           NAME_REF IDENT twice
              12:14-12:22          ARG_LIST
              12:14-12:15            (
              12:15-12:21            FIELD_EXPR
              12:15-12:19              INDEX_EXPR
              12:15-12:16                NAME_REF IDENT p
              12:16-12:19                INDEX_LIST
              12:16-12:17                  [
              12:17-12:18                  LITERAL INT 0
              12:18-12:19                  ]
              12:19-12:20              .
              12:20-12:21              NAME_REF IDENT x
              12:21-12:22            )

            --- stderr ---
            lanescope: not a terminal: plain text, with the stage `parsed` at its end
            --- exit 1 ---
        "#]],
    );
}

#[test]
fn by_its_name_or_without_it() {
    let folder = Folder::new(&[("a.lane", WHOLE)]);
    assert_eq!(folder.run(&["a.lane"]).to_string(), folder.run(&["explore", "a.lane"]).to_string());
    let stdin = run(folder.path(), &["-"], WHOLE);
    assert_eq!(stdin.stdout.replace("<stdin>", "a.lane"), folder.run(&["a.lane"]).stdout);
}
