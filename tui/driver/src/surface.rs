//! The two languages of source files, as the explorer knows them: which one a file is in, what its stages are called, and what can be
//! asked about it.
//!
//! A face asks the surface of a file, and never what language that is: where a surface has no answer, it has the sentence that says so.

use std::path::Path;
use std::sync::LazyLock;

use queries::stages::STAGES;
use report::{ItemKind, TextRange, TextSize};
use syntax::cut;
use syntax::format::format;

use crate::ispc_files::{self, HeaderArguments};

/// The language of a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Surface {
    /// Lane: kernels, with a stage for each pass.
    #[default]
    Lane,
    /// ISPC: functions, with one stage.
    Ispc,
}

/// A stage of a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SurfaceStage {
    /// The name, as `lower --stage` takes it.
    pub name: &'static str,
    /// What has become visible in it.
    pub description: &'static str,
    /// True if the interpreter runs it.
    pub runs: bool,
}

/// A question that not every surface answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SurfaceFeature {
    /// Other targets, lanes and attributes, with their costs.
    Variants,
    /// Times over sizes of data, lanes and targets.
    Sweeps,
    /// The picture of a loop's iterations.
    Iterations,
    /// The picture of a loop's statements.
    Statements,
    /// The task of a lesson.
    Lessons,
}

/// A thing that a text declares, found without an analysis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredName {
    /// The place of the name.
    pub name: TextRange,
    /// What stands behind the name in its line.
    pub rest: String,
}

static LANE_STAGES: LazyLock<Vec<SurfaceStage>> = LazyLock::new(|| {
    let stage = |stage: &queries::stages::Stage| SurfaceStage {
        name: stage.name,
        description: stage.description,
        runs: stage.runs(),
    };
    STAGES.iter().map(stage).collect()
});

/// The one stage of ISPC's functions.
static ISPC_STAGES: [SurfaceStage; 1] = [SurfaceStage {
    name: "lowered",
    description: "the function as blocks of lanes: each line is an op that all lanes run which are on there",
    runs: true,
}];

impl Surface {
    /// The surface of a file, by its name.
    pub fn of(name: &str) -> Surface {
        if ispc_files::is_ispc(Path::new(name)) { Surface::Ispc } else { Surface::Lane }
    }

    /// The stages, in order. There is one at least.
    pub fn stages(self) -> &'static [SurfaceStage] {
        match self {
            Surface::Lane => &LANE_STAGES,
            Surface::Ispc => &ISPC_STAGES,
        }
    }

    /// The word for what stages, assembly and runs are of.
    pub fn kernel_word(self) -> &'static str {
        match self {
            Surface::Lane => "kernel",
            Surface::Ispc => "function",
        }
    }

    /// The word for an item of a kind, as it stands in front of its name.
    pub fn item_word(self, kind: ItemKind) -> &'static str {
        match (self, kind) {
            (_, ItemKind::Kernel) => self.kernel_word(),
            (_, ItemKind::Fn) => "fn",
            (_, ItemKind::Struct) => "struct",
            (_, ItemKind::Enum) => "enum",
            (Surface::Lane, ItemKind::Const) => "const",
            (Surface::Ispc, ItemKind::Const) => "variable",
            (_, ItemKind::Preamble | ItemKind::Use | ItemKind::Stray) => "",
        }
    }

    /// The ending of its files' names.
    pub fn ending(self) -> &'static str {
        match self {
            Surface::Lane => "lane",
            Surface::Ispc => "ispc",
        }
    }

    /// The reason why there is no answer to a question here, and what answers something like it; none where there is one.
    pub fn lacks(self, feature: SurfaceFeature) -> Option<&'static str> {
        match (self, feature) {
            (Surface::Lane, _) => None,
            (Surface::Ispc, SurfaceFeature::Variants) => Some(
                "costs are estimated for Lane alone; of an ISPC function C shows the assembly of another target beside this one",
            ),
            (Surface::Ispc, SurfaceFeature::Sweeps) => Some(
                "functions of ISPC files are measured one way at a time: B measures, t and L pick target and lanes",
            ),
            (Surface::Ispc, SurfaceFeature::Iterations) => Some(
                "iterations are drawn from Lane's dependences, and ISPC says itself which run together; w tells how lanes go through a loop",
            ),
            (Surface::Ispc, SurfaceFeature::Statements) => Some(
                "statements are drawn from Lane's dependences, and ISPC keeps the order that is written; w tells what is known of a place",
            ),
            (Surface::Ispc, SurfaceFeature::Lessons) => {
                Some("the lessons are about Lane; `lanescope learn` opens them")
            }
        }
    }

    /// The text in the canonical form, or for ISPC in the style of its larger part. `name` is the file's.
    pub fn formatted(self, name: &str, text: &str, arguments: &HeaderArguments) -> String {
        match self {
            Surface::Lane => format(text),
            Surface::Ispc => ispc_files::formatted_text(name, text, arguments),
        }
    }

    /// The words about a text that formatting leaves as it is.
    pub fn formed(self) -> &'static str {
        match self {
            Surface::Lane => "it has the canonical form already",
            Surface::Ispc => "it has the style of its larger part already",
        }
    }

    /// What a text has of kernels, from its letters alone, for a file that was not analysed yet.
    pub fn kernels_in(self, text: &str) -> Vec<DeclaredName> {
        match self {
            Surface::Lane => lane_kernels(text),
            Surface::Ispc => {
                let declared = ispc_files::function_places(text).into_iter();
                declared.map(|range| named(text, range)).collect()
            }
        }
    }

    /// The offset at which a file opens that was not open before: the name of its first kernel, since a text often begins with a long
    /// comment.
    pub fn first_place(self, text: &str) -> usize {
        match self {
            Surface::Lane => {
                let kernel = text.find("\nkernel ").map(|at| at + 1).or(text.starts_with("kernel ").then_some(0));
                kernel.map_or(0, |at| at + "kernel ".len())
            }
            Surface::Ispc => {
                let places = ispc_files::function_places(text);
                let is_exported = |range: &&TextRange| {
                    let start = usize::from(range.start());
                    // `export` may stand on a line above the name.
                    let head = text[..start].rfind([';', '}']).map_or(0, |at| at + 1);
                    text[head..start].split_whitespace().any(|word| word == "export")
                };
                let first = places.iter().find(is_exported).or(places.first());
                first.map_or(0, |range| range.start().into())
            }
        }
    }
}

fn lane_kernels(text: &str) -> Vec<DeclaredName> {
    let kernels = cut(text).into_iter().filter(|item| item.kind == ItemKind::Kernel && !item.name.is_empty());
    let declared = kernels.map(|item| {
        // The name is a slice of the text, so its address gives its offset.
        let start = item.name.as_ptr().addr() - text.as_ptr().addr();
        let range = TextRange::at(TextSize::new(start as u32), TextSize::of(item.name));
        DeclaredName { rest: named(text, range).rest.trim_end_matches(':').to_owned(), name: range }
    });
    declared.collect()
}

fn named(text: &str, name: TextRange) -> DeclaredName {
    let rest = text[usize::from(name.end())..].lines().next().unwrap_or_default().trim_end();
    DeclaredName { name, rest: rest.trim_end_matches(['{', ' ']).to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_s_name_tells_its_surface() {
        let of = ["a.lane", "a.ispc", "b/a.isph", "a.ih", "<stdin>"].map(Surface::of);
        assert_eq!(of, [Surface::Lane, Surface::Ispc, Surface::Ispc, Surface::Ispc, Surface::Lane]);
    }

    #[test]
    fn a_text_alone_tells_its_kernels_and_where_to_open() {
        let told = |surface: Surface, text: &str| {
            let kernels = surface.kernels_in(text).into_iter();
            let kernels: Vec<_> = kernels.map(|it| (text[it.name].to_owned(), it.rest)).collect();
            (kernels, surface.first_place(text))
        };
        let lane = "# a\nkernel k(a, n):\n    pass\n";
        assert_eq!(told(Surface::Lane, lane), (vec![("k".to_owned(), "(a, n)".to_owned())], 11));
        let ispc = "// f(x) {\nstruct S { int f; };\nint one(int x);\nstatic int one(int x) {\n  if (x) { return two(x); }\n}\nexport void\nk(uniform int n) {\n}\n";
        let (kernels, first) = told(Surface::Ispc, ispc);
        assert_eq!(kernels, [("one".to_owned(), "(int x)".to_owned()), ("k".to_owned(), "(uniform int n)".to_owned())]);
        assert_eq!(&ispc[first..first + 2], "k(");
    }
}
