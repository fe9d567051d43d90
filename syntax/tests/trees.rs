//! Trees of the main constructs: a line for each node, with its direct tokens.

use expect_test::{Expect, expect};
use syntax::{SourceFile, SyntaxKind, SyntaxNode};

/// Compares the trees of a program's items.
fn check(program: &str, expected: Expect) {
    let file = SourceFile::parse(program);
    let mut out = String::new();
    for item in file.syntax().children() {
        print(&item, 0, &mut out);
    }
    for error in file.errors() {
        out.push_str(&format!("error {:?} {}\n", error.range, error.code));
    }
    expected.assert_eq(&out);
}

/// Compares the tree of one expression.
fn check_expr(expression: &str, expected: Expect) {
    let file = SourceFile::parse(&format!("const C = {expression}"));
    assert_eq!(file.errors().next(), None);
    let value = file.syntax().descendants().find(|node| node.parent().is_some_and(|it| it.kind() == SyntaxKind::CONST));
    let value = value.and_then(|name| name.next_sibling()).expect("a constant has a value");
    let mut out = String::new();
    print(&value, 0, &mut out);
    expected.assert_eq(&out);
}

fn print(node: &SyntaxNode, depth: usize, out: &mut String) {
    out.push_str(&format!("{:indent$}{:?}", "", node.kind(), indent = 2 * depth));
    for token in node.children_with_tokens().filter_map(|child| child.into_token()) {
        let is_comment = matches!(token.kind(), SyntaxKind::COMMENT | SyntaxKind::DOC_COMMENT);
        if is_comment || !token.kind().is_between() {
            out.push_str(&format!(" {}", token.text()));
        }
    }
    out.push('\n');
    for child in node.children() {
        print(&child, depth + 1, out);
    }
}

#[test]
fn a_kernel() {
    check(
        "## Doubles.\n@simd\n@lanes(8)\nkernel double(a: f32[n], n: i32) -> f32:\n    a[0] = 1\n",
        expect![[r#"
            KERNEL ## Doubles. kernel :
              ATTR @
                NAME simd
              ATTR @
                NAME lanes
                ATTR_ARGS ( )
                  LITERAL 8
              NAME double
              PARAM_LIST ( , )
                PARAM :
                  NAME a
                  TYPE
                    NAME_REF f32
                    SIZE_LIST [ ]
                      NAME_REF n
                PARAM :
                  NAME n
                  TYPE
                    NAME_REF i32
              RET_TYPE ->
                TYPE
                  NAME_REF f32
              BLOCK
                ASSIGN_STMT =
                  INDEX_EXPR
                    NAME_REF a
                    INDEX_LIST [ ]
                      LITERAL 0
                  LITERAL 1
        "#]],
    );
}

#[test]
fn the_other_items() {
    check(
        "# above\nfn f(x: uniform f32):\n    return x\nstruct P:\n    x: f32\n    # about y\n    y: i32\nconst N: i32 = 4\n",
        expect![[r#"
            PREAMBLE # above
            FN fn :
              NAME f
              PARAM_LIST ( )
                PARAM :
                  NAME x
                  TYPE uniform
                    NAME_REF f32
              BLOCK
                RETURN_STMT return
                  NAME_REF x
            STRUCT struct :
              NAME P
              BLOCK # about y
                FIELD_DEF :
                  NAME x
                  TYPE
                    NAME_REF f32
                FIELD_DEF :
                  NAME y
                  TYPE
                    NAME_REF i32
            CONST const : =
              NAME N
              TYPE
                NAME_REF i32
              LITERAL 4
        "#]],
    );
}

#[test]
fn statements() {
    check(
        "kernel k(a, n):
    let x: f32 = 1
    x += 2
    f(x)
    assert x > 0
    for i in range(n):
        continue
    foreach i in range(n), j in range(0, n, 2): break
    while x < 1:
        pass
    return x
",
        expect![[r#"
            KERNEL kernel :
              NAME k
              PARAM_LIST ( , )
                PARAM
                  NAME a
                PARAM
                  NAME n
              BLOCK
                LET_STMT let : =
                  NAME x
                  TYPE
                    NAME_REF f32
                  LITERAL 1
                ASSIGN_STMT +=
                  NAME_REF x
                  LITERAL 2
                EXPR_STMT
                  CALL_EXPR
                    NAME_REF f
                    ARG_LIST ( )
                      NAME_REF x
                ASSERT_STMT assert
                  BIN_EXPR >
                    NAME_REF x
                    LITERAL 0
                FOR_STMT for :
                  LOOP_INDEX in
                    NAME i
                    CALL_EXPR
                      NAME_REF range
                      ARG_LIST ( )
                        NAME_REF n
                  BLOCK
                    CONTINUE_STMT continue
                FOREACH_STMT foreach , :
                  LOOP_INDEX in
                    NAME i
                    CALL_EXPR
                      NAME_REF range
                      ARG_LIST ( )
                        NAME_REF n
                  LOOP_INDEX in
                    NAME j
                    CALL_EXPR
                      NAME_REF range
                      ARG_LIST ( , , )
                        LITERAL 0
                        NAME_REF n
                        LITERAL 2
                  BLOCK
                    BREAK_STMT break
                WHILE_STMT while :
                  BIN_EXPR <
                    NAME_REF x
                    LITERAL 1
                  BLOCK
                    PASS_STMT pass
                RETURN_STMT return
                  NAME_REF x
        "#]],
    );
}

#[test]
fn branches() {
    check(
        "kernel k(a):
    if a:
        pass
    elif b:
        pass
    else:
        pass
    cif a: pass
",
        expect![[r#"
            KERNEL kernel :
              NAME k
              PARAM_LIST ( )
                PARAM
                  NAME a
              BLOCK
                IF_STMT if :
                  NAME_REF a
                  BLOCK
                    PASS_STMT pass
                  ELIF_BRANCH elif :
                    NAME_REF b
                    BLOCK
                      PASS_STMT pass
                  ELSE_BRANCH else :
                    BLOCK
                      PASS_STMT pass
                IF_STMT cif :
                  NAME_REF a
                  BLOCK
                    PASS_STMT pass
        "#]],
    );
}

#[test]
fn attributes_of_loops() {
    check(
        "kernel k(a, n):
    @unroll(4)
    # why four
    @simd
    for i in range(n):
        pass
",
        expect![[r#"
            KERNEL kernel :
              NAME k
              PARAM_LIST ( , )
                PARAM
                  NAME a
                PARAM
                  NAME n
              BLOCK
                FOR_STMT # why four for :
                  ATTR @
                    NAME unroll
                    ATTR_ARGS ( )
                      LITERAL 4
                  ATTR @
                    NAME simd
                  LOOP_INDEX in
                    NAME i
                    CALL_EXPR
                      NAME_REF range
                      ARG_LIST ( )
                        NAME_REF n
                  BLOCK
                    PASS_STMT pass
        "#]],
    );
}

#[test]
fn comments_belong_to_the_block_that_they_are_indented_as() {
    check(
        "kernel k(n):  # the header's
    # first in the block
    if n > 0:
        pass  # the statement's
        # last in the `if`
    # last in the kernel
# behind it
",
        expect![[r#"
            KERNEL kernel : # the header's # behind it
              NAME k
              PARAM_LIST ( )
                PARAM
                  NAME n
              BLOCK # first in the block # last in the kernel
                IF_STMT if :
                  BIN_EXPR >
                    NAME_REF n
                    LITERAL 0
                  BLOCK # last in the `if`
                    PASS_STMT pass # the statement's
        "#]],
    );
}

#[test]
fn operators_bind_as_in_python() {
    check_expr(
        "a + b * c ** -d ** e",
        expect![[r#"
        BIN_EXPR +
          NAME_REF a
          BIN_EXPR *
            NAME_REF b
            BIN_EXPR **
              NAME_REF c
              PREFIX_EXPR -
                BIN_EXPR **
                  NAME_REF d
                  NAME_REF e
    "#]],
    );
    check_expr(
        "not a == b and c or d",
        expect![[r#"
        BIN_EXPR or
          BIN_EXPR and
            PREFIX_EXPR not
              BIN_EXPR ==
                NAME_REF a
                NAME_REF b
            NAME_REF c
          NAME_REF d
    "#]],
    );
    check_expr(
        "a | b ^ c & d << e + f",
        expect![[r#"
        BIN_EXPR |
          NAME_REF a
          BIN_EXPR ^
            NAME_REF b
            BIN_EXPR &
              NAME_REF c
              BIN_EXPR <<
                NAME_REF d
                BIN_EXPR +
                  NAME_REF e
                  NAME_REF f
    "#]],
    );
    check_expr(
        "-a.b[i](c)",
        expect![[r#"
        PREFIX_EXPR -
          CALL_EXPR
            INDEX_EXPR
              FIELD_EXPR .
                NAME_REF a
                NAME_REF b
              INDEX_LIST [ ]
                NAME_REF i
            ARG_LIST ( )
              NAME_REF c
    "#]],
    );
    check_expr(
        "a if b else c if d else e",
        expect![[r#"
        COND_EXPR if else
          NAME_REF a
          NAME_REF b
          COND_EXPR if else
            NAME_REF c
            NAME_REF d
            NAME_REF e
    "#]],
    );
    check_expr(
        "a - b - c",
        expect![[r#"
        BIN_EXPR -
          BIN_EXPR -
            NAME_REF a
            NAME_REF b
          NAME_REF c
    "#]],
    );
}

#[test]
fn calls_and_accesses() {
    check_expr(
        "reduce(+, 0.0, a[1:n, ::2, :])",
        expect![[r#"
        CALL_EXPR
          NAME_REF reduce
          ARG_LIST ( , , )
            OPERATOR_REF +
            LITERAL 0.0
            INDEX_EXPR
              NAME_REF a
              INDEX_LIST [ , , ]
                SLICE :
                  LITERAL 1
                  NAME_REF n
                SLICE : :
                  LITERAL 2
                SLICE :
    "#]],
    );
    check_expr(
        "map(\\x y -> x + y, \\x: f32, y -> x)",
        expect![[r#"
        CALL_EXPR
          NAME_REF map
          ARG_LIST ( , )
            LAMBDA_EXPR \ ->
              LAMBDA_PARAMS
                PARAM
                  NAME x
                PARAM
                  NAME y
              BIN_EXPR +
                NAME_REF x
                NAME_REF y
            LAMBDA_EXPR \ ->
              LAMBDA_PARAMS ,
                PARAM :
                  NAME x
                  TYPE
                    NAME_REF f32
                PARAM
                  NAME y
              NAME_REF x
    "#]],
    );
}

#[test]
fn lines_continue_inside_brackets() {
    check(
        "kernel k(
    a,  # the first
    b,
):
    a[0] = max(
        b[0],
        # and

        1,
    )
",
        expect![[r#"
            KERNEL kernel :
              NAME k
              PARAM_LIST ( , # the first , )
                PARAM
                  NAME a
                PARAM
                  NAME b
              BLOCK
                ASSIGN_STMT =
                  INDEX_EXPR
                    NAME_REF a
                    INDEX_LIST [ ]
                      LITERAL 0
                  CALL_EXPR
                    NAME_REF max
                    ARG_LIST ( , # and , )
                      INDEX_EXPR
                        NAME_REF b
                        INDEX_LIST [ ]
                          LITERAL 0
                      LITERAL 1
        "#]],
    );
}

#[test]
fn what_is_missing_is_left_out() {
    check(
        "kernel k(a,\n    let x =\n    x = f(1 +\n    for i in\n        pass\n",
        expect![[r#"
        KERNEL kernel
          NAME k
          PARAM_LIST ( ,
            PARAM
              NAME a
          BLOCK
            LET_STMT let =
              NAME x
            ASSIGN_STMT =
              NAME_REF x
              CALL_EXPR
                NAME_REF f
                ARG_LIST (
                  BIN_EXPR +
                    LITERAL 1
            FOR_STMT for
              LOOP_INDEX in
                NAME i
              BLOCK
                PASS_STMT pass
        error 8..9 unclosed-bracket
        error 23..23 expected-expression
        error 33..34 unclosed-bracket
        error 50..50 expected-expression
    "#]],
    );
}

#[test]
fn what_is_not_understood_stands_in_an_error() {
    check(
        "kernel k(a):\n    x = 1 2 3\n    ? y\n    float z = 1\n    fro i in range(2):\n        pass\n",
        expect![[r#"
        KERNEL kernel :
          NAME k
          PARAM_LIST ( )
            PARAM
              NAME a
          BLOCK
            ASSIGN_STMT =
              NAME_REF x
              LITERAL 1
              ERROR 2 3
            STRAY_STMT
              ERROR ? y
            ASSIGN_STMT =
              ERROR float
              NAME_REF z
              LITERAL 1
            FOR_STMT fro :
              LOOP_INDEX in
                NAME i
                CALL_EXPR
                  NAME_REF range
                  ARG_LIST ( )
                    LITERAL 2
              BLOCK
                PASS_STMT pass
        error 23..24 expected-end-of-line
        error 31..32 expected-statement
        error 39..46 foreign-syntax
        error 55..58 expected-statement
    "#]],
    );
}

#[test]
fn arrays() {
    check_expr(
        "[[a[0], 1], [-x, f([y])],]",
        expect![[r#"
        ARRAY_EXPR [ , , ]
          ARRAY_EXPR [ , ]
            INDEX_EXPR
              NAME_REF a
              INDEX_LIST [ ]
                LITERAL 0
            LITERAL 1
          ARRAY_EXPR [ , ]
            PREFIX_EXPR -
              NAME_REF x
            CALL_EXPR
              NAME_REF f
              ARG_LIST ( )
                ARRAY_EXPR [ ]
                  NAME_REF y
    "#]],
    );
    check(
        "kernel k(a):\n    for x in [1, 2]:\n        a[0] = x\n",
        expect![[r#"
        KERNEL kernel :
          NAME k
          PARAM_LIST ( )
            PARAM
              NAME a
          BLOCK
            FOR_STMT for :
              LOOP_INDEX in
                NAME x
                ARRAY_EXPR [ , ]
                  LITERAL 1
                  LITERAL 2
              BLOCK
                ASSIGN_STMT =
                  INDEX_EXPR
                    NAME_REF a
                    INDEX_LIST [ ]
                      LITERAL 0
                  NAME_REF x
    "#]],
    );
}

#[test]
fn uses_of_other_files() {
    check(
        "use filters\nuse ..shared.filters: lowpass, biquad  # two\nuse . filters:\nuse a.\nuse: x\nuse = 1\nconst use = 2\n",
        expect![[r#"
            USE use
              USE_PATH
                NAME_REF filters
            USE use : # two
              USE_PATH .. .
                NAME_REF shared
                NAME_REF filters
              USE_NAMES ,
                NAME_REF lowpass
                NAME_REF biquad
            USE use :
              USE_PATH .
                NAME_REF filters
              USE_NAMES
            USE use
              USE_PATH .
                NAME_REF a
            STRAY
              EXPR_STMT
                NAME_REF use
                ERROR :
                  TYPE
                    NAME_REF x
            STRAY
              ASSIGN_STMT =
                NAME_REF use
                LITERAL 1
            CONST const =
              NAME use
              LITERAL 2
            error 71..71 expected-name
            error 78..78 expected-name
            error 79..82 statement-outside-kernel
            error 86..89 statement-outside-kernel
        "#]],
    );
}

#[test]
fn enums_and_matches() {
    check(
        "enum Kind(u8): Low, High = 3\nenum Shape:\n    # round\n    Circle(r: f32)\n    Nothing\n",
        expect![[r#"
            ENUM enum ( ) :
              NAME Kind
              TYPE
                NAME_REF u8
              BLOCK ,
                VARIANT_DEF
                  NAME Low
                VARIANT_DEF =
                  NAME High
                  LITERAL 3
            ENUM enum :
              NAME Shape
              BLOCK # round
                VARIANT_DEF
                  NAME Circle
                  PARAM_LIST ( )
                    PARAM :
                      NAME r
                      TYPE
                        NAME_REF f32
                VARIANT_DEF
                  NAME Nothing
        "#]],
    );
    check(
        "fn f(s, match):\n    match s, -match:\n        case Circle(r), 1 | 2 if r > 0: return r\n        case (_, x):\n            match.case(x)\n            match = x\n",
        expect![[r#"
            FN fn :
              NAME f
              PARAM_LIST ( , )
                PARAM
                  NAME s
                PARAM
                  NAME match
              BLOCK
                MATCH_STMT match :
                  TUPLE_EXPR ,
                    NAME_REF s
                    PREFIX_EXPR -
                      NAME_REF match
                  BLOCK
                    MATCH_CASE case if :
                      TUPLE_EXPR ,
                        CALL_EXPR
                          NAME_REF Circle
                          ARG_LIST ( )
                            NAME_REF r
                        BIN_EXPR |
                          LITERAL 1
                          LITERAL 2
                      BIN_EXPR >
                        NAME_REF r
                        LITERAL 0
                      BLOCK
                        RETURN_STMT return
                          NAME_REF r
                    MATCH_CASE case :
                      PAREN_EXPR ( )
                        TUPLE_EXPR ,
                          NAME_REF _
                          NAME_REF x
                      BLOCK
                        EXPR_STMT
                          CALL_EXPR
                            FIELD_EXPR .
                              NAME_REF match
                              NAME_REF case
                            ARG_LIST ( )
                              NAME_REF x
                        ASSIGN_STMT =
                          NAME_REF match
                          NAME_REF x
        "#]],
    );
}

#[test]
fn loops_over_several_arrays() {
    check(
        "kernel k(a, b):\n    for i, (x, y) in enumerate(zip(a, b)):\n        a[i] = x\n    foreach (x, y) in zip(a, b), j in range(2):\n        pass\n",
        expect![[r#"
            KERNEL kernel :
              NAME k
              PARAM_LIST ( , )
                PARAM
                  NAME a
                PARAM
                  NAME b
              BLOCK
                FOR_STMT for :
                  LOOP_INDEX , in
                    LOOP_PART
                      NAME i
                    LOOP_PART ( , )
                      LOOP_PART
                        NAME x
                      LOOP_PART
                        NAME y
                    CALL_EXPR
                      NAME_REF enumerate
                      ARG_LIST ( )
                        CALL_EXPR
                          NAME_REF zip
                          ARG_LIST ( , )
                            NAME_REF a
                            NAME_REF b
                  BLOCK
                    ASSIGN_STMT =
                      INDEX_EXPR
                        NAME_REF a
                        INDEX_LIST [ ]
                          NAME_REF i
                      NAME_REF x
                FOREACH_STMT foreach , :
                  LOOP_INDEX in
                    LOOP_PART ( , )
                      LOOP_PART
                        NAME x
                      LOOP_PART
                        NAME y
                    CALL_EXPR
                      NAME_REF zip
                      ARG_LIST ( , )
                        NAME_REF a
                        NAME_REF b
                  LOOP_INDEX in
                    NAME j
                    CALL_EXPR
                      NAME_REF range
                      ARG_LIST ( )
                        LITERAL 2
                  BLOCK
                    PASS_STMT pass
        "#]],
    );
}

#[test]
fn comprehensions() {
    check_expr(
        "[x * y for x, y in zip(a, b) if x > 0]",
        expect![[r#"
        ARRAY_EXPR [ ]
          COMPREHENSION
            BIN_EXPR *
              NAME_REF x
              NAME_REF y
            FOR_CLAUSE for if
              LOOP_INDEX , in
                LOOP_PART
                  NAME x
                LOOP_PART
                  NAME y
                CALL_EXPR
                  NAME_REF zip
                  ARG_LIST ( , )
                    NAME_REF a
                    NAME_REF b
              BIN_EXPR >
                NAME_REF x
                LITERAL 0
    "#]],
    );
    check_expr(
        "sum(\n    x\n    for x in a\n    if x\n)",
        expect![[r#"
        CALL_EXPR
          NAME_REF sum
          ARG_LIST ( )
            COMPREHENSION
              NAME_REF x
              FOR_CLAUSE for if
                LOOP_INDEX in
                  NAME x
                  NAME_REF a
                NAME_REF x
    "#]],
    );
}
