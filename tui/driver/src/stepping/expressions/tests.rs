//! Expressions as text.

use super::*;

#[test]
fn operators_bind_as_in_lane() {
    let parsed = |text: &str| Expression::parse(text).unwrap_or_else(|why| panic!("{text}: {why}"));
    assert_eq!(parsed("a + b * c == d and not e or f"), parsed("(((a + (b * c)) == d) and (not e)) or f"));
    assert_eq!(parsed("-a[i, j + 1] - 1_000"), parsed("(-(a[i, (j + 1)])) - 1000"));
    assert_eq!(
        parsed("p.x < 1e-3"),
        Expression::Both(
            "<".to_owned(),
            Box::new(Expression::Name("p.x".to_owned())),
            Box::new(Expression::Number("1e-3".to_owned())),
        )
    );
}

#[test]
fn what_is_no_expression_is_refused() {
    for text in ["", "a +", "(a", "a)", "a[1", "a b", "1.2.3", "a ? b", "'a'", "a = b", "é"] {
        assert!(Expression::parse(text).is_err(), "{text}");
    }
}

#[test]
fn conditions_may_be_about_all_lanes() {
    let parsed = |text: &str| Expression::parse(text).unwrap_or_else(|why| panic!("{text}: {why}"));
    assert_eq!(parsed("all(x > 3.0)"), Expression::InAll(Box::new(parsed("x > 3.0"))));
    assert_eq!(parsed("not any(x > 3.0)"), Expression::Not(Box::new(Expression::InAny(Box::new(parsed("x > 3.0"))))));
    // A value of that name is one still.
    assert_eq!(parsed("all"), Expression::Name("all".to_owned()));
    assert!(Expression::parse("all(x").is_err());
}
