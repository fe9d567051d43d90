//! The format of generated programs changes blanks alone, and so no fact.

use fastrand::Rng;
use ispc::file::FileText;
use ispc::format::{applied, edits};
use ispc::kinds::Kind;

use super::program::{Programs, text};
use super::{functions, read};

/// The tokens of a text that are no blanks.
fn tokens(text: &str) -> Vec<String> {
    let file = FileText::new("main.ispc", text);
    let all = (0..file.tokens.len()).filter(|index| file.tokens[*index].kind != Kind::Space);
    all.map(|index| file.token_text(index).to_owned()).collect()
}

/// A text with blanks put in, and taken away, where that parts and joins no tokens.
fn untidy(text: &str, random: &mut Rng) -> String {
    let mut done = String::new();
    for char in text.chars() {
        let is_sign = |char: char| matches!(char, ';' | ',' | '(' | ')' | '{' | '}' | '\n');
        match random.u8(..8) {
            0 if is_sign(char) => {
                done.push(char);
                done += ["  ", " ", "\t"][random.usize(..3)];
            }
            1 if char == ' ' && done.ends_with(is_sign) => {}
            _ => done.push(char),
        }
    }
    done
}

#[test]
fn formatted_programs_have_the_same_tokens_and_facts() {
    let mut random = Rng::with_seed(3);
    let mut n_changed = 0;
    for seed in 0..300 {
        let program = Programs::new(seed).program();
        let before = untidy(&text(&program, &[]), &mut random);
        let after = applied(&before, &edits(&read(&before)));
        n_changed += usize::from(before != after);
        assert_eq!(tokens(&after), tokens(&before), "{before}");
        assert_eq!(applied(&after, &edits(&read(&after))), after, "of {before}");
        let (one, other) = (functions(&before), functions(&after));
        assert_eq!(one.len(), other.len());
        assert!(one.iter().zip(&other).all(|(one, other)| one.facts == other.facts), "{before}\n{after}");
    }
    assert!(n_changed > 250, "{n_changed}");
}
