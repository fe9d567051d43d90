//! Pictures of small arrays.

use expect_test::{Expect, expect};

use super::*;

fn array(sizes: &[i64], values: impl IntoIterator<Item = f32>) -> ResultArray {
    ResultArray { name: "a".to_owned(), elements: values.into_iter().map(Scalar::F32).collect(), sizes: sizes.to_vec() }
}

fn drawn(array: &ResultArray, form: ArrayForm, shades: Shades, columns: usize, rows: usize) -> String {
    let arrays = std::slice::from_ref(array);
    let on = ArraysOnPage { now: arrays, before: None, form, version: ArrayVersion::Now, shades, has_pixels: false };
    page(&on, columns, rows).text()
}

fn check(array: &ResultArray, form: ArrayForm, shades: Shades, (columns, rows): (usize, usize), expected: Expect) {
    expected.assert_eq(&drawn(array, form, shades, columns, rows));
}

#[test]
fn a_ramp_rises() {
    let ramp = array(&[8], (0..8u8).map(f32::from));
    check(
        &ramp,
        ArrayForm::Suggested,
        Shades::Ascii,
        (24, 8),
        expect![[r#"
        a 8: plot: 0 to 7
        7 │                   **
          │                ***
          │             ***
          │          ***
          │       ***
          │    ***
          │  **
        0 │**
           0                   7
    "#]],
    );
    check(
        &ramp,
        ArrayForm::Suggested,
        Shades::Blocks,
        (24, 4),
        expect![[r#"
        a 8: plot: 0 to 7
        7 │               ⢀⣀⠤⠔⠒⠉
          │          ⢀⡠⠔⠒⠉⠁
          │     ⣀⡠⠤⠒⠊⠁
        0 │⣀⠤⠒⠊⠉
           0                   7
    "#]],
    );
}

#[test]
fn what_is_not_finite_is_marked_and_counted() {
    let odd = array(&[6], [1.0, f32::NAN, 3.0, f32::INFINITY, f32::NEG_INFINITY, 2.0]);
    check(
        &odd,
        ArrayForm::Suggested,
        Shades::Ascii,
        (30, 5),
        expect![[r#"
        a 6: plot: 1 to 3, 1 NaN, 1 inf, 1 -inf
        3 │          *
          │
          │                          *
          │
        1 │*
                N         ^    v
           0                         5
    "#]],
    );
    let none = array(&[2], [f32::NAN, f32::NAN]);
    check(
        &none,
        ArrayForm::Suggested,
        Shades::Ascii,
        (30, 3),
        expect![[r#"
            a 2: plot: no finite value, 2 NaN
             │
             │
             │
              N              N
              0              1
        "#]],
    );
}

#[test]
fn a_long_array_is_a_waveform_of_its_least_and_greatest() {
    let wave = array(&[4000], (0..4000u16).map(|n| if n % 2 == 0 { f32::from(n) } else { -f32::from(n) }));
    check(
        &wave,
        ArrayForm::Suggested,
        Shades::Ascii,
        (40, 7),
        expect![[r#"
        a 4000: waveform: -3999 to 3998
         3998 │                          ******
              │                ****************
              │     ***************************
              │********************************
              │     ***************************
              │                ****************
        -3999 │                          *******
               0                            3999
    "#]],
    );
}

#[test]
fn two_dimensions_are_shades() {
    let plane = array(&[4, 8], (0..32u8).map(f32::from));
    check(
        &plane,
        ArrayForm::Suggested,
        Shades::Ascii,
        (40, 8),
        expect![[r#"
        a 4 by 8: heat map: 0 to 31
                        ............::::
                        ............::::
        ::::::::------------============
        ::::::::------------============
        ++++++++++++************########
        ++++++++++++************########
        ####%%%%%%%%%%%%@@@@@@@@@@@@@@@@
        ####%%%%%%%%%%%%@@@@@@@@@@@@@@@@
        0   .::-==+**#%%@@ 31
    "#]],
    );
    check(
        &plane,
        ArrayForm::Suggested,
        Shades::Blocks,
        (40, 8),
        expect![[r#"
        a 4 by 8: heat map: 0 to 31
                                    ░░░░
                                    ░░░░
        ░░░░░░░░░░░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒
        ░░░░░░░░░░░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒
        ▒▒▒▒▒▒▒▒▒▒▒▒▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓
        ▒▒▒▒▒▒▒▒▒▒▒▒▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓
        ▓▓▓▓████████████████████████████
        ▓▓▓▓████████████████████████████
        0    ░░░▒▒▒▓▓▓████ 31
    "#]],
    );
}

/// Each half of a cell has the colour of the element that it stands for.
#[test]
fn an_image_has_the_colours_of_its_channels() {
    let bytes = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]];
    let elements = bytes.iter().flatten().map(|&byte| Scalar::U8(byte)).collect();
    let image = ResultArray { name: "a".to_owned(), elements, sizes: vec![2, 2, 3] };
    let drawn = DrawnArray::of(&image);
    assert_eq!((drawn.rows, drawn.columns, drawn.channels), (2, 2, 3));
    let lines = surface::image(&drawn, Shades::Colours, 2, 4);
    let pixels: Vec<Role> = lines.iter().flat_map(|line| line.spans.iter().map(|(_, role)| *role)).collect();
    assert_eq!(pixels, [Role::Pixels([255, 0, 0], [0, 0, 255]), Role::Pixels([0, 255, 0], [255, 255, 255])]);
}

#[test]
fn differences_are_those_of_the_elements() {
    let (now, before) = (array(&[3], [1.0, 5.0, f32::INFINITY]), array(&[3], [1.0, 2.0, f32::INFINITY]));
    let less = DrawnArray::of(&now).less(&DrawnArray::of(&before)).expect("one shape");
    assert_eq!(less.values, [0.0, 3.0, 0.0]);
    assert_eq!(DrawnArray::of(&now).less(&DrawnArray::of(&array(&[2], [1.0, 2.0]))), None);
}

/// Every form of every shape fits its pane.
#[test]
fn no_form_is_wider_than_its_pane_or_fails() {
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..400 {
        let sizes: Vec<i64> = (0..random.usize(0..4)).map(|_| random.i64(0..20)).collect();
        let n = sizes.iter().product::<i64>() as usize * if random.bool() { 1 } else { 3 };
        let value = |random: &mut fastrand::Rng| match random.u8(..12) {
            0 => f32::NAN,
            1 => f32::INFINITY,
            2 => f32::MAX,
            3 => f32::MIN,
            _ => random.f32() * 10.0 - 5.0,
        };
        let values: Vec<f32> = (0..n).map(|_| value(&mut random)).collect();
        let array = array(&sizes, values);
        let (columns, rows) = (random.usize(1..120), random.usize(0..40));
        for form in ArrayForm::ALL {
            for shades in [Shades::Colours, Shades::Blocks, Shades::Ascii] {
                let text = drawn(&array, form, shades, columns, rows);
                let wide = text.lines().skip(1).map(|line| line.chars().count()).max().unwrap_or(0);
                assert!(wide <= columns.max(44), "{sizes:?} {form:?} {shades:?} {columns}: {wide}\n{text}");
                assert!(shades != Shades::Ascii || text.is_ascii() || text.contains('│'), "{text}");
            }
        }
    }
}
