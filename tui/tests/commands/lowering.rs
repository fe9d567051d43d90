//! `lower`: stages, and the choice of items.

use super::*;

#[test]
fn the_stages_are_listed() {
    check(
        &[],
        &["lower", "--stage", "list"],
        expect![[r#"
            parsed       the tree that the text was parsed to; white space and line breaks are left out
            typed        the program with every type written down, defaults and constants' values among them
            arrays       Lane IR: calls inlined, variables as values, early exits as flags, and operations on whole arrays with their shapes
            sequential   scalar Lane IR: whole arrays fused, and as loops that build in place
            trace        beside the way to vector code: iterations of each loop as one straight line with guards, which statements of it are pairs and packs, and the order in which they are done
            parallel     loops prepared for lanes: loops fused, divided and split, nests interchanged, statements reordered; each with the verdict about its lanes
            vector       loops in lanes: lane indices, masks of active lanes, masked loads and stores, gathers and scatters
            specialised  the main loop without masks, and a peeled tail with a mask, or a last group that overlaps the one before; no tail where no iteration can be left
            memory       gathers and scatters with a known pattern replaced by contiguous loads and stores with shuffles
            packed       iterations of outer loops taken together, loops unrolled as `@unroll` asks for, and statements in a row that do the same to neighbouring cells packed into vectors
            final        constants folded, common subexpressions eliminated, loads reused, branches merged, loop invariants hoisted, dead code removed, groups of lanes interleaved, checks of sizes moved to the entry, new arrays placed
            llvm         LLVM IR as it is made of the `final` stage
            llvm-opt     LLVM IR as LLVM has optimised it; its own vectorisers are off
            asm          assembly for the target (`lanescope asm` shows more)
            --- exit 0 ---
        "#]],
    );
}

#[test]
fn a_tree_can_be_read() {
    check_stdin(
        "# é\n## Doc.\n@lanes(8)\nkernel a(x: f32[n], n):\n    # 😀\n    x[0] += -n if n > 0x2a else 1.5 # why\n",
        &["lower", "-", "--stage", "parsed"],
        expect![[r###"
            1:1-2:1  PREAMBLE COMMENT "# é"

            2:1-7:1    KERNEL
            2:1-2:8      DOC_COMMENT "## Doc."
            3:1-4:1      ATTR
            3:1-3:2        @
            3:2-3:7        NAME IDENT "lanes"
            3:7-3:10       ATTR_ARGS
            3:7-3:8          (
            3:8-3:9          LITERAL INT "8"
            3:9-3:10         )
            4:1-4:7      kernel
            4:8-4:9      NAME IDENT "a"
            4:9-4:23     PARAM_LIST
            4:9-4:10       (
            4:10-4:19      PARAM
            4:10-4:11        NAME IDENT "x"
            4:11-4:12        :
            4:13-4:19        TYPE
            4:13-4:16          NAME_REF IDENT "f32"
            4:16-4:19          SIZE_LIST
            4:16-4:17            [
            4:17-4:18            NAME_REF IDENT "n"
            4:18-4:19            ]
            4:19-4:20      ,
            4:21-4:22      PARAM
            4:21-4:22        NAME IDENT "n"
            4:22-4:23      )
            4:23-4:24    :
            5:1-7:1      BLOCK
            5:5-5:8        COMMENT "# 😀"
            6:5-7:1        ASSIGN_STMT
            6:5-6:9          INDEX_EXPR
            6:5-6:6            NAME_REF IDENT "x"
            6:6-6:9            INDEX_LIST
            6:6-6:7              [
            6:7-6:8              LITERAL INT "0"
            6:8-6:9              ]
            6:10-6:12        +=
            6:13-6:36        COND_EXPR
            6:13-6:15          PREFIX_EXPR
            6:13-6:14            -
            6:14-6:15            NAME_REF IDENT "n"
            6:16-6:18          if
            6:19-6:27          BIN_EXPR
            6:19-6:20            NAME_REF IDENT "n"
            6:21-6:22            >
            6:23-6:27            LITERAL INT "0x2a"
            6:28-6:32          else
            6:33-6:36          LITERAL FLOAT "1.5"
            6:37-6:42        COMMENT "# why"
            --- stderr ---
            error[type-mismatch]: the two values of `if ... else` have different types: a signed integer and a float
             --> <stdin>:6:13
              |
            6 |     x[0] += -n if n > 0x2a else 1.5 # why
              |             --^^^^^^^^^^^^^^^^^^---
              |             |                   |
              |             |                   this is a float
              |             `n` is a signed integer because of this
              |
              = help: no conversion is implicit; a cast such as `f32(x)` says it
            help: convert it to `f32`
              |
            6 |     x[0] += f32(-n) if n > 0x2a else 1.5 # why
              |             ++++  +
            --- exit 1 ---
        "###]],
    );
}

#[test]
fn errors_do_not_hide_the_tree() {
    check_stdin(
        "kernel a(x):\n    x[0] = ]\n",
        &["lower", "-", "--stage", "parsed"],
        expect![[r#"
            1:1-3:1    KERNEL
            1:1-1:7      kernel
            1:8-1:9      NAME IDENT "a"
            1:9-1:12     PARAM_LIST
            1:9-1:10       (
            1:10-1:11      PARAM
            1:10-1:11        NAME IDENT "x"
            1:11-1:12      )
            1:12-1:13    :
            2:1-3:1      BLOCK
            2:5-3:1        ASSIGN_STMT
            2:5-2:9          INDEX_EXPR
            2:5-2:6            NAME_REF IDENT "x"
            2:6-2:9            INDEX_LIST
            2:6-2:7              [
            2:7-2:8              LITERAL INT "0"
            2:8-2:9              ]
            2:10-2:11        =
            2:12-2:13        ERROR ]
            --- stderr ---
            error[expected-expression]: expected an expression after `=`, found `]`
             --> <stdin>:2:11
              |
            2 |     x[0] = ]
              |           ^
            --- exit 1 ---
        "#]],
    );
}

#[test]
fn a_stage_as_what_differs_from_the_one_before() {
    let text = "kernel k(a: f32[n], n: i32, x: f32):\n    for i in range(n):\n        a[i] = x * x + x * x\n";
    check_stdin(
        text,
        &["lower", "-", "--diff", "--target", "avx512"],
        expect![[r#"
            @@ -1,4 +1,5 @@
             kernel k(a: f32[n], n, x):
            -    @in_lanes(16)
            -    for i in range(0, n):
            -        a[i] = ((x * x) + (x * x))
            +    vector_for base in range(0, n, LANES):
            +        let i = (base + lane_id)
            +        let active = (i < n)
            +        masked_store(a, i, ((x * x) + (x * x)), active)
            --- exit 0 ---
        "#]],
    );
    check_stdin(
        text,
        &["lower", "-", "--diff", "--stage", "sequential"],
        expect![[r#"
            --- exit 0 ---
        "#]],
    );
    // The first stage has no predecessor to differ from.
    check_stdin(
        "const N = 4\n",
        &["lower", "-", "--diff", "--stage", "parsed"],
        expect![[r#"
        1:1-2:1    CONST
        1:1-1:6      const
        1:7-1:8      NAME IDENT "N"
        1:9-1:10     =
        1:11-1:12    LITERAL INT "4"
        --- exit 0 ---
    "#]],
    );
    check_stdin(
        "kernel k(a):\n    a[0] = 1\n",
        &["lower", "-", "--diff"],
        expect![[r#"
        --- exit 0 ---
    "#]],
    );
}

#[test]
fn json_has_what_the_passes_of_a_stage_chose_and_where() {
    check_stdin(
        "kernel k(a: f32[30], b: f32[30]):\n    for i in range(1, 29):\n        a[i] = b[i - 1]\n        b[i] = 2.0\n",
        &["lower", "-", "--stage", "parallel", "--json", "--target", "avx512"],
        expect![[r#"
            {
              "version": 1,
              "file": "<stdin>",
              "stages": [
                {
                  "name": "parallel",
                  "changed": true,
                  "passes": [
                    {
                      "name": "registers",
                      "changed": false
                    },
                    {
                      "name": "legalise",
                      "changed": false
                    },
                    {
                      "name": "unset",
                      "changed": false
                    },
                    {
                      "name": "common-accesses",
                      "changed": false
                    },
                    {
                      "name": "fuse-loops",
                      "changed": false
                    },
                    {
                      "name": "early-exit",
                      "changed": false
                    },
                    {
                      "name": "alias-checks",
                      "changed": false
                    },
                    {
                      "name": "alternating",
                      "changed": false
                    },
                    {
                      "name": "distance-checks",
                      "changed": false
                    },
                    {
                      "name": "unit-steps",
                      "changed": false
                    },
                    {
                      "name": "lane-sums",
                      "changed": false
                    },
                    {
                      "name": "unroll",
                      "changed": false
                    },
                    {
                      "name": "peel",
                      "changed": false
                    },
                    {
                      "name": "index-sets",
                      "changed": false
                    },
                    {
                      "name": "interchange",
                      "changed": false
                    },
                    {
                      "name": "split",
                      "changed": false
                    },
                    {
                      "name": "reorder",
                      "changed": true
                    },
                    {
                      "name": "promote",
                      "changed": false
                    },
                    {
                      "name": "carry",
                      "changed": true
                    },
                    {
                      "name": "in-turn",
                      "changed": false
                    },
                    {
                      "name": "narrow",
                      "changed": false
                    },
                    {
                      "name": "jam",
                      "changed": false
                    },
                    {
                      "name": "share-rows",
                      "changed": false
                    },
                    {
                      "name": "unroll",
                      "changed": false
                    },
                    {
                      "name": "extremes",
                      "changed": false
                    },
                    {
                      "name": "verdicts",
                      "changed": true
                    }
                  ],
                  "text": "kernel k(a: f32[30], b: f32[30]):\n    let _0 = if (1 < 29):\n        yield b[(1 - 1)]\n    else:\n        yield 0.0\n    @in_lanes(16)\n    let _1 = for i in range(1, 29) with before = _0:\n        b[i] = 2.0\n        let _2 = (i - 1)\n        a[i] = before\n        yield 2.0\n",
                  "lines": [
                    {
                      "line": 1,
                      "source_range": null
                    },
                    {
                      "line": 2,
                      "source_range": {
                        "line": 3,
                        "column": 16,
                        "end_line": 3,
                        "end_column": 24
                      }
                    },
                    {
                      "line": 3,
                      "source_range": {
                        "line": 3,
                        "column": 16,
                        "end_line": 3,
                        "end_column": 24
                      }
                    },
                    {
                      "line": 4,
                      "source_range": null
                    },
                    {
                      "line": 5,
                      "source_range": null
                    },
                    {
                      "line": 6,
                      "source_range": {
                        "line": 2,
                        "column": 5,
                        "end_line": 4,
                        "end_column": 19
                      }
                    },
                    {
                      "line": 7,
                      "source_range": {
                        "line": 2,
                        "column": 5,
                        "end_line": 4,
                        "end_column": 19
                      }
                    },
                    {
                      "line": 8,
                      "source_range": {
                        "line": 4,
                        "column": 9,
                        "end_line": 4,
                        "end_column": 13
                      }
                    },
                    {
                      "line": 9,
                      "source_range": {
                        "line": 3,
                        "column": 18,
                        "end_line": 3,
                        "end_column": 23
                      }
                    },
                    {
                      "line": 10,
                      "source_range": {
                        "line": 3,
                        "column": 9,
                        "end_line": 3,
                        "end_column": 13
                      }
                    },
                    {
                      "line": 11,
                      "source_range": null
                    }
                  ],
                  "decisions": [
                    {
                      "range": {
                        "line": 2,
                        "column": 5,
                        "end_line": 2,
                        "end_column": 26
                      },
                      "pass": "reorder",
                      "code": "statements-reordered",
                      "taken": true,
                      "because": "iteration 1 writes `b[1]`, iteration 2 reads `b[1]`"
                    },
                    {
                      "range": {
                        "line": 2,
                        "column": 5,
                        "end_line": 2,
                        "end_column": 26
                      },
                      "pass": "carry",
                      "code": "cell-in-register",
                      "taken": true,
                      "because": "each iteration loads what the one before has stored: that is handed on as a value, since a load would wait for two stores"
                    }
                  ]
                }
              ],
              "diagnostics": []
            }
            --- exit 0 ---
        "#]],
    );
}

#[test]
fn json_names_the_passes_and_whether_they_changed_anything() {
    check_stdin(
        "kernel k(a, x):\n    a[0] = x * x + x * x\n",
        &["lower", "-", "--stage", "final", "--json"],
        expect![[r#"
            {
              "version": 1,
              "file": "<stdin>",
              "stages": [
                {
                  "name": "final",
                  "changed": true,
                  "passes": [
                    {
                      "name": "fold",
                      "changed": false
                    },
                    {
                      "name": "cse",
                      "changed": true
                    },
                    {
                      "name": "load-reuse",
                      "changed": false
                    },
                    {
                      "name": "demanded-lanes",
                      "changed": false
                    },
                    {
                      "name": "fold",
                      "changed": false
                    },
                    {
                      "name": "load-reuse",
                      "changed": false
                    },
                    {
                      "name": "merge-branches",
                      "changed": false
                    },
                    {
                      "name": "cse",
                      "changed": false
                    },
                    {
                      "name": "merge-branches",
                      "changed": false
                    },
                    {
                      "name": "hoist",
                      "changed": false
                    },
                    {
                      "name": "cse",
                      "changed": false
                    },
                    {
                      "name": "dce",
                      "changed": false
                    },
                    {
                      "name": "reduce-late",
                      "changed": false
                    },
                    {
                      "name": "merge-stores",
                      "changed": false
                    },
                    {
                      "name": "distances",
                      "changed": false
                    },
                    {
                      "name": "chosen-sums",
                      "changed": false
                    },
                    {
                      "name": "tail",
                      "changed": false
                    },
                    {
                      "name": "interleave",
                      "changed": false
                    },
                    {
                      "name": "last-lane",
                      "changed": false
                    },
                    {
                      "name": "products",
                      "changed": false
                    },
                    {
                      "name": "byte-sums",
                      "changed": false
                    },
                    {
                      "name": "regroup",
                      "changed": false
                    },
                    {
                      "name": "memory-order",
                      "changed": false
                    },
                    {
                      "name": "stream",
                      "changed": false
                    },
                    {
                      "name": "active-lanes",
                      "changed": false
                    },
                    {
                      "name": "branch-choices",
                      "changed": false
                    },
                    {
                      "name": "dce",
                      "changed": false
                    },
                    {
                      "name": "picks",
                      "changed": false
                    },
                    {
                      "name": "checks",
                      "changed": false
                    },
                    {
                      "name": "scratch",
                      "changed": false
                    }
                  ],
                  "text": "kernel k(a, x):\n    let _0 = (x * x)\n    a[0] = (_0 + _0)\n",
                  "lines": [
                    {
                      "line": 1,
                      "source_range": null
                    },
                    {
                      "line": 2,
                      "source_range": {
                        "line": 2,
                        "column": 12,
                        "end_line": 2,
                        "end_column": 17
                      }
                    },
                    {
                      "line": 3,
                      "source_range": {
                        "line": 2,
                        "column": 5,
                        "end_line": 2,
                        "end_column": 9
                      }
                    }
                  ],
                  "decisions": []
                }
              ],
              "diagnostics": []
            }
            --- exit 0 ---
        "#]],
    );
}

#[test]
fn constants_have_the_digits_of_their_type() {
    let text = "const X = 0.1\nconst Y: f64 = 0.1\nconst Z = X * 3\n";
    check_stdin(
        text,
        &["lower", "-", "--stage", "typed"],
        expect![[r#"
        const X: f32 = 0.1

        const Y: f64 = 0.1

        const Z: f32 = 0.3
        --- exit 0 ---
    "#]],
    );
}

#[test]
fn one_kernel_of_several() {
    let text = "kernel a(x)\n    pass\n\nconst N = 1\n\nkernel b(y):\n    pass\n";
    check_stdin(
        text,
        &["lower", "-", "--kernel", "N", "--stage", "parsed"],
        expect![[r#"
            4:1-6:1    CONST
            4:1-4:6      const
            4:7-4:8      NAME IDENT "N"
            4:9-4:10     =
            4:11-4:12    LITERAL INT "1"
            --- exit 0 ---
        "#]],
    );
    check_stdin(
        text,
        &["lower", "-", "--kernel", "b", "--stage", "parsed", "--json"],
        expect![[r#"
            {
              "version": 1,
              "file": "<stdin>",
              "stages": [
                {
                  "name": "parsed",
                  "changed": true,
                  "passes": [],
                  "text": "6:1-8:1    KERNEL\n6:1-6:7      kernel\n6:8-6:9      NAME IDENT \"b\"\n6:9-6:12     PARAM_LIST\n6:9-6:10       (\n6:10-6:11      PARAM\n6:10-6:11        NAME IDENT \"y\"\n6:11-6:12      )\n6:12-6:13    :\n7:1-8:1      BLOCK\n7:5-8:1        PASS_STMT pass\n",
                  "lines": [
                    {
                      "line": 1,
                      "source_range": {
                        "line": 6,
                        "column": 1,
                        "end_line": 8,
                        "end_column": 1
                      }
                    },
                    {
                      "line": 2,
                      "source_range": {
                        "line": 6,
                        "column": 1,
                        "end_line": 6,
                        "end_column": 7
                      }
                    },
                    {
                      "line": 3,
                      "source_range": {
                        "line": 6,
                        "column": 8,
                        "end_line": 6,
                        "end_column": 9
                      }
                    },
                    {
                      "line": 4,
                      "source_range": {
                        "line": 6,
                        "column": 9,
                        "end_line": 6,
                        "end_column": 12
                      }
                    },
                    {
                      "line": 5,
                      "source_range": {
                        "line": 6,
                        "column": 9,
                        "end_line": 6,
                        "end_column": 10
                      }
                    },
                    {
                      "line": 6,
                      "source_range": {
                        "line": 6,
                        "column": 10,
                        "end_line": 6,
                        "end_column": 11
                      }
                    },
                    {
                      "line": 7,
                      "source_range": {
                        "line": 6,
                        "column": 10,
                        "end_line": 6,
                        "end_column": 11
                      }
                    },
                    {
                      "line": 8,
                      "source_range": {
                        "line": 6,
                        "column": 11,
                        "end_line": 6,
                        "end_column": 12
                      }
                    },
                    {
                      "line": 9,
                      "source_range": {
                        "line": 6,
                        "column": 12,
                        "end_line": 6,
                        "end_column": 13
                      }
                    },
                    {
                      "line": 10,
                      "source_range": {
                        "line": 7,
                        "column": 1,
                        "end_line": 8,
                        "end_column": 1
                      }
                    },
                    {
                      "line": 11,
                      "source_range": {
                        "line": 7,
                        "column": 5,
                        "end_line": 8,
                        "end_column": 1
                      }
                    }
                  ],
                  "decisions": []
                }
              ],
              "diagnostics": [
                {
                  "file": "<stdin>",
                  "range": {
                    "line": 6,
                    "column": 10,
                    "end_line": 6,
                    "end_column": 11
                  },
                  "severity": "warning",
                  "code": "unused-name",
                  "message": "the parameter `y` is never used",
                  "help": null,
                  "related": [],
                  "fixes": [
                    {
                      "title": "write `_y` to say that this is meant",
                      "edits": [
                        {
                          "range": {
                            "line": 6,
                            "column": 10,
                            "end_line": 6,
                            "end_column": 11
                          },
                          "text": "_y"
                        }
                      ]
                    }
                  ]
                }
              ]
            }
            --- exit 0 ---
        "#]],
    );
    let broken = run(Folder::new(&[]).path(), &["lower", "-", "--kernel", "a", "--stage", "parsed", "--json"], text);
    assert_eq!(broken.code, Some(1), "{broken}");
}

#[test]
fn a_folder_is_no_file() {
    check(
        &[("k/a.lane", WHOLE)],
        &["lower", "k"],
        expect![[r#"
        --- stderr ---
        lanescope: k: a folder, where one file is wanted
        --- exit 2 ---
    "#]],
    );
}

#[test]
fn stages_on_the_way() {
    let text = "const HALF = 1.0 / 2\nfn twice(x):\n    return x + x\nkernel k(a: f32[n], n):\n    for i in range(n):\n        if a[i] < 0:\n            continue\n        a[i] = twice(a[i]) * HALF\n";
    check_stdin(
        text,
        &["lower", "-", "--stage", "typed"],
        expect![[r#"
        const HALF: f32 = 0.5

        fn twice(x: T) -> T:
            return x + x

        kernel k(a: f32[n], n: i32):
            for i: i32 in range(n):
                if a[i] < 0.0:
                    continue
                a[i] = twice(a[i]) * HALF
        --- exit 0 ---
    "#]],
    );
    check_stdin(
        text,
        &["lower", "-"],
        expect![[r#"
            kernel k(a: f32[n], n):
                vector_for base in range(0, n, LANES):
                    let i = (base + lane_id)
                    let active = (i < n)
                    let _0 = (active & (~(masked_load(a, i, active) < 0.0)))
                    let _1 = masked_load(a, i, _0)
                    masked_store(a, i, ((_1 + _1) * 0.5), _0)
            --- exit 0 ---
        "#]],
    );
    let later = "kernel k(a: f32[n], n):\n    a[0] = reduce(+, 0, a)\n";
    check_stdin(
        later,
        &["lower", "-"],
        expect![[r#"
            kernel k(a: f32[n], n):
                @in_order(ordered-float-sum)
                let _0 = for i in range(0, n) with s = 0.0:
                    let x = a[i]
                    yield (s + x)
                a[0] = _0
            --- exit 0 ---
        "#]],
    );
}

/// Each of these functions calls the previous one twice, so the last one expands to 2^40 additions.
#[test]
fn calls_that_double_at_every_step_are_refused() {
    let steps: String = (1..=40).map(|n| format!("fn g{n}(x):\n    return g{}(g{}(x))\n", n - 1, n - 1)).collect();
    let text = format!("fn g0(x):\n    return x + 1\n{steps}kernel k(a, n):\n    a[n] = g40(a[0])\n");
    check_stdin(
        &text,
        &["run", "-", "--arg", "n=1", "--arg", "a=[1, 2]"],
        expect![[r#"
            error[too-many-calls]: a kernel comes to at most 10000 calls, all of which are inlined, and this one to more
              --> <stdin>:84:12
               |
             5 | fn g2(x):
               |    -- in this function, which is inlined here
            ...
            84 |     a[n] = g40(a[0])
               |            ^^^^^^^^^
               |
               = help: call functions in a loop, or fewer of them

            --- exit 1 ---
        "#]],
    );
}

#[test]
fn an_empty_line_stands_between_findings() {
    check_stdin(
        "kernel k(a, n):\n    a[0] = b\n    a[n] = c\n",
        &["lower", "-"],
        expect![[r#"
            kernel k(a, n):
                a[0] = unknown(type=f32)
                a[n] = unknown(type=f32)
            --- stderr ---
            error[unknown-name]: nothing here is called `b`
             --> <stdin>:2:12
              |
            2 |     a[0] = b
              |            ^
              |
              = help: a name must be defined above: as a parameter, with `let`, or by an assignment
            help: add the parameter `b`
              |
            1 | kernel k(a, n, b):
              |              +++

            error[unknown-name]: nothing here is called `c`
             --> <stdin>:3:12
              |
            3 |     a[n] = c
              |            ^
              |
              = help: a name must be defined above: as a parameter, with `let`, or by an assignment
            help: add the parameter `c`
              |
            1 | kernel k(a, n, c):
              |              +++
            --- exit 1 ---
        "#]],
    );
}
