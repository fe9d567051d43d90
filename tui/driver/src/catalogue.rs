//! The catalogue of finding codes, and the page of each code in `docs/reasons.md` or `docs/ispc-reasons.md`.

use crate::spelling::did_you_mean;

/// The pages of Lane's codes, and of those of ISPC sources.
const PAGES: [&str; 2] = [include_str!("../../../docs/reasons.md"), include_str!("../../../docs/ispc-reasons.md")];

/// Returns all codes, sorted.
pub fn codes() -> Vec<&'static str> {
    use hir::errors::{CheckCode, RuleCode};
    use queries::run;
    use syntax::errors::SyntaxCode;
    let mut codes: Vec<_> = native::audit::AuditCode::ALL.iter().map(|code| code.name()).collect();
    codes.extend(crate::spills::RegisterCode::ALL.iter().map(|code| code.name()));
    codes.extend(SyntaxCode::ALL.iter().map(|code| code.name()));
    codes.extend(CheckCode::ALL.iter().map(|code| code.name()));
    codes.extend(RuleCode::ALL.iter().map(|code| code.name()));
    codes.extend(run::CODES.iter().map(|code| code.name()));
    codes.extend(insight::codes_of_loops());
    codes.extend(queries::stages::decision_codes());
    codes.extend(ispc::problems::CODES);
    codes.extend(ispc_types::findings::CODES);
    codes.extend(ispc_facts::notes::CODES);
    codes.extend(ispc_lowering::CODES);
    codes.extend(ispc_native::CODES);
    codes.sort_unstable();
    // A code may serve both a verdict and the error of a run.
    codes.dedup();
    codes
}

/// Parses a code on the command line.
pub fn parse_code(word: &str) -> Result<&'static str, String> {
    let codes = codes();
    let known = codes.iter().find(|&&code| code == word).copied();
    known.ok_or_else(|| format!("there is no such code{}", did_you_mean(word, &codes)))
}

/// Returns the page of a code: from its heading to the next heading of the same or a higher level.
pub fn page(code: &str) -> Option<&'static str> {
    PAGES.into_iter().find_map(|pages| page_of(pages, code))
}

fn page_of<'p>(pages: &'p str, code: &str) -> Option<&'p str> {
    let mut fenced = false;
    let mut start = None;
    let mut at = 0;
    for line in pages.split_inclusive('\n') {
        fenced ^= line.starts_with("```");
        // Inside a fenced block, a comment of a kernel looks like a heading.
        if !fenced && (line.starts_with("# ") || line.starts_with("## ")) {
            if let Some(start) = start {
                return Some(pages[start..at].trim_end());
            }
            start = (line.strip_prefix("## ").map(str::trim) == Some(code)).then_some(at);
        }
        at += line.len();
    }
    start.map(|start| pages[start..].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_page() {
        let codes = codes();
        let without: Vec<_> = codes.iter().filter(|code| page(code).is_none()).collect();
        assert!(without.is_empty(), "{without:?}");
    }

    #[test]
    fn every_page_is_of_a_code() {
        let pages = PAGES.into_iter().flat_map(str::lines).filter_map(|line| line.strip_prefix("## "));
        // Documentation in a program also begins with `## `, but continues with more than one word.
        let strange: Vec<_> = pages.filter(|word| !word.contains(' ') && !codes().contains(word)).collect();
        assert!(strange.is_empty(), "{strange:?}");
    }

    #[test]
    fn a_page_goes_to_the_next_heading() {
        let pages =
            "# All\n\n## a\n\nOne.\n\n```lane\n## b\n```\n\n### More\n\n## b\nTwo.\n\n# Others\n\n## c\nThree.\n";
        assert_eq!(page_of(pages, "a"), Some("## a\n\nOne.\n\n```lane\n## b\n```\n\n### More"));
        assert_eq!(page_of(pages, "b"), Some("## b\nTwo."));
        assert_eq!(page_of(pages, "c"), Some("## c\nThree."));
        assert_eq!(page_of(pages, "All"), None);
    }
}
