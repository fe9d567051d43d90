//! The text form: what is printed reads back to an equal kernel, and reads as it should.

use expect_test::{Expect, expect};
use ir::{canonical, print, read};

/// Reads kernels made for 8 lanes, prints them, and reads that again.
fn check(text: &str, expect: Expect) {
    let kernels = read(text, Some(8)).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let printed: Vec<String> = kernels.iter().map(|kernel| print(kernel).text).collect();
    let printed = printed.join("\n");
    expect.assert_eq(&printed);
    let again = read(&printed, Some(8)).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    for (first, second) in kernels.iter().zip(&again) {
        assert_eq!(canonical(first), canonical(second), "{printed}");
    }
}

#[test]
fn the_first_programs_print_word_for_word() {
    let text = "\
kernel scale_audio(samples, out, n, volume):
    vector_for base in range(0, n, LANES):
        let i = (base + lane_id)
        let active = (i < n)
        masked_store(out, i, (masked_load(samples, i, active) * volume), active)

kernel color_by_number(color_number, colors, out, n):
    vector_for base in range(0, n, LANES):
        let i = (base + lane_id)
        let active = (i < n)
        let number = masked_load(color_number, i, active)
        masked_store(out, i, gather(colors, number, active), active)
";
    check(
        text,
        expect![[r#"
        kernel scale_audio(samples, out, n, volume):
            vector_for base in range(0, n, LANES):
                let i = (base + lane_id)
                let active = (i < n)
                masked_store(out, i, (masked_load(samples, i, active) * volume), active)

        kernel color_by_number(color_number, colors, out, n):
            vector_for base in range(0, n, LANES):
                let i = (base + lane_id)
                let active = (i < n)
                let number = masked_load(color_number, i, active)
                masked_store(out, i, gather(colors, number, active), active)
    "#]],
    );
}
