//! Tests of the canonical form, rule by rule.

use expect_test::{Expect, expect};

use super::*;

fn check(before: &str, after: Expect) {
    let formatted = format(before);
    after.assert_eq(&formatted);
    assert_eq!(format(&formatted), formatted, "the form is stable");
}

fn check_range(before: &str, after: Expect) {
    after.assert_eq(&range_formatted(before));
}

/// Formats the range between two `$`.
fn range_formatted(before: &str) -> String {
    let (start, end) = (before.find('$').expect("a range starts"), before.rfind('$').expect("a range ends") - 1);
    let text = before.replace('$', "");
    let range = TextRange::new(TextSize::new(start as u32), TextSize::new(end as u32));
    apply_edits(&text, &format_range(&text, range))
}

#[test]
fn operators_stand_apart_and_signs_hold_on() {
    check(
        "fn f(a,b):\n    x=a+b  *c**- 2\n    x+=- a<<~ b\n    if not(a)and - b!=c:\n        return(a)if(b)else(c)\n    x=-  -a- -b\n",
        expect![[r#"
            fn f(a, b):
                x = a + b * c ** -2
                x += -a << ~b
                if not (a) and -b != c:
                    return (a) if (b) else (c)
                x = - -a - -b
        "#]],
    );
}

#[test]
fn brackets_and_commas_hold_on() {
    check(
        "@lanes ( 8 )\nkernel k ( a :f32 [ n,m ] ,b: uniform  i32 )->f32 :\n    x = f ( a [ i,j ] . y ,) . z\n    y = reduce( + ,0 , a)\n",
        expect![[r#"
            @lanes(8)
            kernel k(a: f32[n, m], b: uniform i32) -> f32:
                x = f(a[i, j].y,).z
                y = reduce(+, 0, a)
        "#]],
    );
}

#[test]
fn a_slices_colons_are_tight_unless_a_part_has_operators() {
    check(
        "fn f(a):\n    x = a[lo : hi] + a[: -1] + a[i, f(x) :: 2]\n    y = a[i+1 : n] + a[:n-1] + a[i+1:] + a[::2*n]\n",
        expect![[r#"
            fn f(a):
                x = a[lo:hi] + a[:-1] + a[i, f(x)::2]
                y = a[i + 1 : n] + a[: n - 1] + a[i + 1 :] + a[:: 2 * n]
        "#]],
    );
}

#[test]
fn lambdas() {
    check(
        "fn f(a):\n    b = map( \\ x  y->x+y, a)\n    c = map(\\x:f32,y :i32->x, a) + map(\\->1,a)\n",
        expect![[r#"
            fn f(a):
                b = map(\x y -> x + y, a)
                c = map(\x: f32, y: i32 -> x, a) + map(\-> 1, a)
        "#]],
    );
}

#[test]
fn a_dot_behind_a_number_keeps_away_from_it() {
    check("const A = 1 .e5 + b . c\n", expect!["const A = 1 .e5 + b.c\n"]);
}

#[test]
fn blocks_are_indented_by_four() {
    check(
        "kernel k(n):\n  for i in range(n):\n         if i:\n          pass\n         else:\n            pass\n  return\n",
        expect![[r#"
            kernel k(n):
                for i in range(n):
                    if i:
                        pass
                    else:
                        pass
                return
        "#]],
    );
}

#[test]
fn tabs_become_spaces() {
    check(
        "kernel k(n):\n\tfor i in range(n):\n\t    pass\n",
        expect![[r#"
            kernel k(n):
                for i in range(n):
                    pass
        "#]],
    );
}

#[test]
fn a_body_gets_lines_of_its_own() {
    check(
        "kernel k(): return  # done\nfn f(x):\n    if x: y = 1  # one\n    elif z: y = 2\n    else:  y = 3\n",
        expect![[r#"
            kernel k():
                return  # done

            fn f(x):
                if x:
                    y = 1  # one
                elif z:
                    y = 2
                else:
                    y = 3
        "#]],
    );
}

#[test]
fn one_blank_line_at_most_and_none_at_a_blocks_start_and_end() {
    check(
        "\n\nkernel k():\n\n    x = 1\n\n\n    if x:\n\n        pass\n\n    else:\n        pass\n\n    y = 2\n\n\n",
        expect![[r#"
            kernel k():
                x = 1

                if x:
                    pass
                else:
                    pass

                y = 2
        "#]],
    );
}

#[test]
fn items_stand_one_blank_line_apart_and_constants_may_stand_together() {
    check(
        "const A = 1\nconst B = 2\n\n\nconst C = 3\nfn f():\n    pass\nfn g():\n    pass\n\n\n\nstruct P:\n    x: f32\nconst D = 4\n",
        expect![[r#"
            const A = 1
            const B = 2

            const C = 3

            fn f():
                pass

            fn g():
                pass

            struct P:
                x: f32

            const D = 4
        "#]],
    );
}

#[test]
fn parameters_in_brackets_and_what_is_static() {
    check(
        "kernel k [R:const   i32=1,T = f32] (a:T [n]):\n    static   for i in range( R ):\n        pass\n    static if R>1 :\n        pass\nkernel a=k [ R = 2,T=f64 ]\nkernel b = k[3,f32]\n",
        expect![[r#"
            kernel k[R: const i32 = 1, T=f32](a: T[n]):
                static for i in range(R):
                    pass
                static if R > 1:
                    pass

            kernel a = k[R=2, T=f64]
            kernel b = k[3, f32]
        "#]],
    );
}

#[test]
fn documentation_and_attributes_stand_right_above() {
    check(
        "## Doc.\n\n@fast\n\n# note\nkernel k():\n    @simd\n\n    # why\n\n    for i in range(n):\n        pass\n",
        expect![[r#"
            ## Doc.
            @fast
            # note
            kernel k():
                @simd
                # why
                for i in range(n):
                    pass
        "#]],
    );
}

#[test]
fn comments_between_items_stand_with_the_item_below() {
    check(
        "# The file.\n\n\n# First.\nconst A = 1\n# Second.\nkernel a():\n    pass\n# Third.\n\n\n# Third, too.\n## Doc.\nkernel b():\n    pass\n    # inside\n  # Last.",
        expect![[r#"
            # The file.

            # First.
            const A = 1

            # Second.
            kernel a():
                pass

            # Third.

            # Third, too.
            ## Doc.
            kernel b():
                pass
                # inside

            # Last.
        "#]],
    );
}

#[test]
fn comments_are_indented_with_their_block() {
    check(
        "kernel k():\n# first\n  for i in range(n):  # behind\n      # inside\n    x = 1\n    # still inside\n  # outside\n  # before else?\n# too\n  y = 2\n",
        expect![[r#"
            kernel k():
                # first
                for i in range(n):  # behind
                    # inside
                    x = 1
                    # still inside
                # outside
                # before else?
                # too
                y = 2
        "#]],
    );
}

#[test]
fn comments_above_else_stand_with_it_or_end_the_block_above() {
    check(
        "fn f(c):\n  if c:\n    x = 1\n\n    # the end of this\n\n  # about the rest\n\n  else:\n    x = 2\n",
        expect![[r#"
            fn f(c):
                if c:
                    x = 1

                    # the end of this

                # about the rest
                else:
                    x = 2
        "#]],
    );
}

#[test]
fn comments_lose_the_space_at_their_end_and_keep_the_rest() {
    check("#  a\tb  \t \nconst A = 1#c\n", expect![["#  a\tb\nconst A = 1  #c\n"]]);
}

#[test]
fn a_comment_never_becomes_documentation() {
    check(
        "const A = 1\n  ## no doc\nconst B = 2\n",
        expect![[r###"
            const A = 1
             ## no doc
            const B = 2
        "###]],
    );
}

#[test]
fn what_fits_is_one_line_however_it_was_broken() {
    check(
        "fn f(\n    a,\n    b\n):\n    x = (a\n      + b)[\n  i]\n",
        expect![[r#"
            fn f(a, b):
                x = (a + b)[i]
        "#]],
    );
}

#[test]
fn brackets_break_outermost_first_one_element_a_line() {
    check(
        "kernel convolve(samples: f32[n], weights: f32[2 * radius + 1], out: f32[n], n: i32, radius: i32, gain: f32) -> f32:\n    out[i] = clamp(samples[i - radius] * weights[0] + samples[i] * weights[radius], lowest_value, min(highest_value, gain))\n",
        expect![[r#"
            kernel convolve(
                samples: f32[n],
                weights: f32[2 * radius + 1],
                out: f32[n],
                n: i32,
                radius: i32,
                gain: f32
            ) -> f32:
                out[i] = clamp(
                    samples[i - radius] * weights[0] + samples[i] * weights[radius],
                    lowest_value,
                    min(highest_value, gain)
                )
        "#]],
    );
}

#[test]
fn the_last_bracket_that_must_break_does() {
    check(
        "fn f():\n    table[row + 1, column] = interpolate(first_value, second_value) + interpolate(third_value, fourth_value)\n",
        expect![[r#"
            fn f():
                table[row + 1, column] = interpolate(first_value, second_value) + interpolate(
                    third_value,
                    fourth_value
                )
        "#]],
    );
}

#[test]
fn a_hundred_columns_fit() {
    let line = |n: usize| format!("const A = f({}, b)\n", "a".repeat(n));
    assert_eq!(format(&line(84)).lines().map(str::len).collect::<Vec<_>>(), [100]);
    assert_eq!(format(&line(85)).lines().count(), 4);
    // The width limit excludes the space that a line break replaces, and a comment at the end.
    let line = |n: usize| format!("const A = f(first_argument, {} + b)  # {}\n", "a".repeat(n), "c".repeat(99));
    assert_eq!(format(&line(92)).lines().nth(2).map(str::len), Some(100));
    assert_eq!(format(&line(93)).lines().nth(3), Some("    + b"));
}

#[test]
fn chains_break_before_their_operators_and_inner_ones_are_indented() {
    check(
        "const A = (first_summand_is_long * second_factor_is_long + third_summand_is_long - fourth_summand_is_long * fifth)\nconst B = (first_factor_of_the_first_summand_is_long * second_factor_of_the_first_summand_is_long * third_factor + second)\n",
        expect![[r#"
            const A = (
                first_summand_is_long * second_factor_is_long
                + third_summand_is_long
                - fourth_summand_is_long * fifth
            )
            const B = (
                first_factor_of_the_first_summand_is_long
                    * second_factor_of_the_first_summand_is_long
                    * third_factor
                + second
            )
        "#]],
    );
}

#[test]
fn conditionals_read_value_if_condition() {
    check(
        "const A = (first_value_of_the_table if selector == 1 else second_value_of_the_table if selector == 2 else the_default)\n",
        expect![[r#"
            const A = (
                first_value_of_the_table if selector == 1
                else second_value_of_the_table if selector == 2
                else the_default
            )
        "#]],
    );
}

#[test]
fn lambdas_break_inside_their_body() {
    check(
        "fn f():\n    let result = map(\\left right -> left_weight_of_the_blend * left + right_weight_of_the_blend * right_side_of_the_blend, a, b)\n",
        expect![[r#"
            fn f():
                let result = map(
                    \left right -> left_weight_of_the_blend * left
                        + right_weight_of_the_blend * right_side_of_the_blend,
                    a,
                    b
                )
        "#]],
    );
}

#[test]
fn nothing_breaks_outside_of_brackets_nor_around_one_name() {
    check(
        "fn f():\n    out[index] = a_very_long_name_of_a_first_array[index] + a_very_long_name_of_a_second_array[-index,] * scale_factor\n",
        expect![[r#"
            fn f():
                out[index] = a_very_long_name_of_a_first_array[index] + a_very_long_name_of_a_second_array[-index,] * scale_factor
        "#]],
    );
}

#[test]
fn a_comment_inside_brackets_breaks_them() {
    check(
        "kernel k(a,  # the first\n  # about b\n b\n # the end\n ):\n    x = f(a, (b  # why\n + c))\n    y = f(  # nothing\n    )\n    z = f(a  # before the comma\n    , b)\n",
        expect![[r#"
            kernel k(
                a,  # the first
                # about b
                b
                # the end
            ):
                x = f(
                    a,
                    (
                        b  # why
                        + c
                    )
                )
                y = f(  # nothing
                )
                z = f(
                    a  # before the comma
                    ,
                    b
                )
        "#]],
    );
}

#[test]
fn line_ends_are_those_of_most_lines_and_a_mark_stays() {
    check(
        "\u{feff}const A = 1\r\nconst B = 2\nconst C = 3",
        expect![["\u{feff}const A = 1\nconst B = 2\nconst C = 3\n"]],
    );
    assert_eq!(format("const A = 1\r\nconst B = (\r 2)\r\n\n"), "const A = 1\r\nconst B = (2)\r\n");
}

#[test]
fn an_empty_file_stays_empty() {
    check("", expect![""]);
    check(" \n\t\n", expect![""]);
    check("\u{feff}\n", expect!["\u{feff}"]);
}

#[test]
fn a_statement_with_a_mistake_keeps_its_words_and_moves_with_its_block() {
    check(
        "kernel k(a,b):\n  x  =  1\n  y  =  f(a  b,\n     c)  \n  if  x =  :\n    z=2\n  for i in\n",
        expect![[r#"
            kernel k(a, b):
                x = 1
                y  =  f(a  b,
                   c)
                if  x =  :
                    z = 2
                for i in
        "#]],
    );
}

#[test]
fn what_has_nothing_below_it_yet_has_its_form() {
    check(
        "kernel  k( a,n ) :\n  for i in range( n ) : # all\n    @unroll( 4 )\n\n@lanes( 8 )\n",
        expect![[r#"
            kernel k(a, n):
                for i in range(n):  # all
                    @unroll(4)

            @lanes(8)
        "#]],
    );
    check(
        "fn f( x ):\n\nstruct  S :\n\nkernel k(a,n):\n  if  n>1 :\n  elif n<0 :\n  else :\n  while  n>1  :\n",
        expect![[r#"
            fn f(x):

            struct S:

            kernel k(a, n):
                if n > 1:
                elif n < 0:
                else:
                while n > 1:
        "#]],
    );
    check(
        "kernel k(a,n):\n  for i in range( n :\n",
        expect![[r#"
            kernel k(a, n):
                for i in range( n :
        "#]],
    );
}

#[test]
fn an_item_with_a_mistake_in_its_indentation_is_left_alone() {
    check(
        "kernel a():\n    x=1\n      y=2\n  z=3\nkernel b():\n  x=1\n",
        expect![[r#"
            kernel a():
                x=1
                  y=2
              z=3

            kernel b():
                x = 1
        "#]],
    );
}

#[test]
fn a_half_typed_item_is_not_pushed_about() {
    check(
        "kern\nkernel a():\n    pass\nx = 1\ny = 2\n",
        expect![[r#"
            kern
            kernel a():
                pass
            x = 1
            y = 2
        "#]],
    );
}

#[test]
fn edits_are_gaps_that_differ() {
    let edits = format_edits("const A =1\nconst B = 2 +  b\n");
    let shown: Vec<_> = edits.iter().map(|edit| format!("{:?} {:?}", edit.range, edit.text)).collect();
    assert_eq!(shown, [r#"9..9 " ""#, r#"24..26 " ""#]);
}

#[test]
fn a_range_is_whole_statements() {
    check_range(
        "kernel k():\n    x=1\n    y=f($a,\n      b$)\n    z=2\n",
        expect![[r#"
            kernel k():
                x=1
                y = f(a, b)
                z=2
        "#]],
    );
}

#[test]
fn a_range_takes_in_the_block_that_must_move_along() {
    check_range(
        "kernel k():\n  for i in range(n):\n      x=1\n      $y=2$\n  z=3\n",
        expect![[r#"
            kernel k():
              for i in range(n):
                    x = 1
                    y = 2
              z=3
        "#]],
    );
}

#[test]
fn a_range_that_ends_where_a_line_starts_does_not_touch_it() {
    check_range("$const A=1\n$const B=2\n", expect![["const A = 1\nconst B=2\n"]]);
    check_range("const A=1\nconst $$B=2\n", expect![["const A=1\nconst B = 2\n"]]);
}

#[test]
fn a_range_keeps_the_blank_lines_around_it() {
    check_range(
        "const A=1\n\n\n$const B=2  $\n\n\nconst C=3\n",
        expect![[r#"
            const A=1


            const B = 2


            const C=3
        "#]],
    );
    assert_eq!(range_formatted("\n\n $ # one$ \n\n\n"), "\n\n# one\n\n\n");
    assert_eq!(range_formatted("$\n\n  # one \n\n\n$"), "# one\n");
}

#[test]
fn the_sign_of_a_default_value_and_of_a_named_argument() {
    check(
        "fn f(x,scale = 1.0,n : i32=3):\n    return g(x,scale = 2*x,n= n)<x <1\n",
        expect![[r#"
            fn f(x, scale=1.0, n: i32 = 3):
                return g(x, scale=2 * x, n=n) < x < 1
        "#]],
    );
}

#[test]
fn uses_stand_together() {
    check(
        "use  filters\nuse  .. shared . filters :lowpass ,biquad\nconst A = 1\nuse random\n",
        expect![[r#"
            use filters
            use ..shared.filters: lowpass, biquad

            const A = 1

            use random
        "#]],
    );
}

#[test]
fn enums_keep_their_lines_and_cases_get_theirs() {
    check(
        "enum  Kind( u8 ) :Low,High=3\nenum Shape :\n  Circle( r:f32 ),Rect(w : f32,h:f32)\n  Nothing\nfn f(s):\n  match  s :\n    case Circle( r )if r>0:return r\n    case  _: return-1\n",
        expect![[r#"
            enum Kind(u8): Low, High = 3

            enum Shape:
                Circle(r: f32), Rect(w: f32, h: f32)
                Nothing

            fn f(s):
                match s:
                    case Circle(r) if r > 0:
                        return r
                    case _:
                        return -1
        "#]],
    );
}
