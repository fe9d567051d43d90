//! What holds for the tree and the errors of any text.

use syntax::{Diagnostic, SourceFile, TextEdit, TextRange, TextSize, apply_edits};

use crate::{for_each_case, texts};

#[test]
fn any_text_is_kept_whole_and_errors_point_into_it() {
    for_each_case(4_000, |rng| check(&texts::any(rng)));
}

#[test]
fn odd_ends_and_beginnings() {
    let endings = [
        "", "\n", "\r", "\r\n", "\n\r", " ", "\t", "    ", "#", "# c", "##", "@", "(", ")", "\\", "\0", "\u{feff}",
        "🦀", ":",
    ];
    let kernels = [
        "",
        "kernel k(a):",
        "kernel k(a):\n    a[0] = 1",
        "fn f(",
        "const C = ",
        "@simd",
        "\u{feff}kernel k():\n    pass",
    ];
    for start in endings {
        for kernel in kernels {
            for end in endings {
                check(&format!("{start}{kernel}{end}"));
            }
        }
    }
}

#[test]
fn kernels_that_these_tests_break_are_whole_at_first() {
    assert_eq!(SourceFile::parse(texts::KERNELS).errors().next(), None);
}

/// Asserts all that must hold for a text, and for what its fixes make of it.
fn check(text: &str) {
    let errors = check_tree_and_errors(text);
    for error in &errors {
        for fix in &error.fixes {
            let fixed = apply_edits(text, &fix.edits);
            assert_ne!(fixed, text, "a fix that changes nothing: {error:?}");
            let left = check_tree_and_errors(&fixed);
            if errors.len() == 1 {
                let place = after_edits(error.range.start(), &fix.edits);
                let same = |other: &&Diagnostic| other.message == error.message && other.range.start() == place;
                assert_eq!(left.iter().find(same), None, "{text:?}\nbecame {fixed:?}");
            }
        }
    }
}

/// Where a place is after edits that lie before it.
fn after_edits(place: TextSize, edits: &[TextEdit]) -> TextSize {
    let before = edits.iter().filter(|edit| edit.range.end() <= place && edit.range.start() < place);
    before.fold(place, |place, edit| place + TextSize::of(edit.text.as_str()) - edit.range.len())
}

fn check_tree_and_errors(text: &str) -> Vec<Diagnostic> {
    let cuts = syntax::cut(text);
    assert_eq!(cuts.iter().map(|cut| cut.text).collect::<String>(), text, "the cut dropped something");
    let file = SourceFile::parse(text);
    for (cut, item) in cuts.iter().zip(file.items()) {
        assert_eq!(cut.start, usize::from(item.start));
        let tree = syntax::SyntaxNode::new_root(item.parse.green.clone());
        assert_eq!(tree.text().to_string(), cut.text, "an item's tree dropped something");
        assert_eq!(tree.kind(), syntax::root_kind(cut.kind));
        check_errors(cut.text, &item.parse.errors);
    }
    let tree = file.syntax();
    assert_eq!(tree.text().to_string(), text, "the file's tree dropped something");
    for element in tree.descendants_with_tokens() {
        assert!(element.as_token().is_none_or(|token| !token.text().is_empty()), "an empty token in {text:?}");
    }
    let errors: Vec<_> = file.errors().collect();
    check_errors(text, &errors);
    errors
}

fn check_errors(text: &str, errors: &[Diagnostic]) {
    let inside = |range: TextRange| text.get(usize::from(range.start())..usize::from(range.end())).is_some();
    assert!(errors.is_sorted_by_key(|error| error.range.start()), "{errors:?}");
    for error in errors {
        let message = &error.message;
        assert!(syntax::errors::SyntaxCode::of(error.code).is_some(), "{error:?}");
        assert!(inside(error.range), "{text:?}: {error:?}");
        assert!(error.related.iter().all(|related| inside(related.range)), "{text:?}: {error:?}");
        assert!(!message.is_empty() && !message.ends_with('.') && !message.contains('\n'), "{message:?}");
        assert!(!message.starts_with(char::is_uppercase), "{message:?}");
        assert!(message.chars().count() < 200, "{message:?}");
        for fix in &error.fixes {
            assert!(fix.edits.iter().all(|edit| inside(edit.range)), "{text:?}: {error:?}");
            let in_order = |pair: &[TextEdit]| pair[0].range.end() <= pair[1].range.start();
            assert!(fix.edits.windows(2).all(in_order), "{error:?}");
        }
    }
}
