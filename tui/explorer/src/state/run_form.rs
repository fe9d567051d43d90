//! A form with the data that a kernel is run on, and the outcome of the last run.

use std::sync::Arc;

use driver::spec;
use driver::surface::Surface;
use driver::sweeping::SweepReport;
use queries::run::{ResultArray, Sample};

use crate::overlay::Picked;
use crate::page::{Line, Offer, Page, Role};
use crate::picker::PickerEntry;
use crate::questions::{Engine, Version};

/// A number of elements that suffices for measurements and still fits a processor's caches.
const MANY: u64 = 100_000;

/// The data of a kernel's parameters.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct RunForm {
    fields: Vec<Field>,
    /// Outcome of the last run.
    pub outcome: Option<Page>,
    /// Arrays of the last run, and the version of the text that ran.
    pub arrays: Option<(Version, RunArrays)>,
    /// The rows of the last sweep.
    pub sweep: Option<Arc<SweepReport>>,
    /// Arrays of the last run of an earlier text, on the same data.
    pub earlier_arrays: Option<RunArrays>,
}

/// The arrays that a run has written.
pub(super) type RunArrays = Arc<Vec<ResultArray>>;

#[derive(Debug, Clone, PartialEq)]
struct Field {
    name: String,
    ty: String,
    is_array: bool,
    data: String,
    /// True if the user has set the data.
    said: bool,
}

impl RunForm {
    /// Takes over parameters and proposed data. Data set by the user is kept as long as its parameter keeps its type.
    pub(super) fn offer(&mut self, samples: &[Sample]) {
        let fields = samples.iter().map(|sample| {
            let said =
                self.fields.iter().find(|field| field.said && field.name == sample.name && field.ty == sample.ty);
            said.cloned().unwrap_or_else(|| Field {
                name: sample.name.clone(),
                ty: sample.ty.clone(),
                is_array: sample.is_array,
                data: spec::spelled(&sample.source).unwrap_or_default(),
                said: false,
            })
        });
        self.fields = fields.collect();
    }

    /// Sets the data of a parameter. The outcome of a run on other data goes.
    pub(super) fn say(&mut self, n: usize, data: String) {
        if let Some(field) = self.fields.get_mut(n) {
            if field.data != data {
                self.outcome = None;
                (self.arrays, self.earlier_arrays) = (None, None);
            }
            field.data = data;
            field.said = true;
        }
    }

    /// Sets the data of all parameters that these name.
    pub(super) fn give(&mut self, data: &[(String, String)]) {
        for (name, data) in data {
            if let Some(n) = self.fields.iter().position(|field| field.name == *name) {
                self.say(n, data.clone());
            }
        }
    }

    /// Remembers the arrays of a run; those of an earlier text stay, to be compared.
    pub(super) fn remember(&mut self, of: Version, arrays: Option<RunArrays>) {
        let Some(arrays) = arrays else { return };
        if let Some((_, earlier)) = self.arrays.take().filter(|(version, _)| *version != of) {
            self.earlier_arrays = Some(earlier);
        }
        self.arrays = Some((of, arrays));
    }

    /// Returns the name and data of a parameter.
    pub(super) fn field(&self, n: usize) -> Option<(&str, &str)> {
        self.fields.get(n).map(|field| (field.name.as_str(), field.data.as_str()))
    }

    /// Returns the names and data of all parameters.
    pub(super) fn arguments(&self) -> Vec<(String, String)> {
        self.fields.iter().map(|field| (field.name.clone(), field.data.clone())).collect()
    }

    /// Returns the names and data of the parameters to measure with. What the user has not set is left to be chosen, since the
    /// proposed data are few; but if an array is set, sizes have to go with it, and all are those that are shown.
    pub(super) fn to_measure(&self) -> Vec<(String, String)> {
        let has_own_array = self.fields.iter().any(|field| field.said && field.is_array);
        if has_own_array { self.arguments() } else { self.said() }
    }

    /// Returns the names and data of the parameters that the user has set data for.
    pub(super) fn said(&self) -> Vec<(String, String)> {
        let said = self.fields.iter().filter(|field| field.said);
        said.map(|field| (field.name.clone(), field.data.clone())).collect()
    }

    /// Returns true if a run on these arguments is one on the data that the user has set.
    pub(super) fn is_on(&self, arguments: &[(String, String)]) -> bool {
        self.said().iter().all(|said| arguments.contains(said))
    }

    /// Returns the integers that the user has set, by name.
    pub(super) fn given(&self) -> Vec<(String, i128)> {
        let said = self.fields.iter().filter(|field| field.said && !field.is_array);
        said.filter_map(|field| Some((field.name.clone(), field.data.parse().ok()?))).collect()
    }

    /// Lists choices for the data of a parameter: each form of data, with the current number of elements.
    pub(super) fn choices(&self, n: usize) -> Vec<PickerEntry<Picked>> {
        let Some(field) = self.fields.get(n) else { return Vec::new() };
        let forms = if field.is_array {
            let n_elements = n_elements(&field.data);
            vec![
                (format!("ramp({n_elements})"), "0, 1, 2, …"),
                (format!("zeros({n_elements})"), "zeros"),
                (format!("fill({n_elements}, 1)"), "one number, again and again"),
                (format!("random({n_elements}, 1)"), "random numbers, the same every time"),
                (format!("ramp({})", 2 * n_elements), "twice as many"),
                (format!("random({MANY}, 1)"), "enough to be measured"),
            ]
        } else {
            let (few, many): (&[&str], _) = match field.ty.as_str() {
                "bool" => (&["true", "false"], None),
                "f32" | "f64" | "f16" | "bf16" => (&["0", "1", "0.5"], None),
                "i8" | "u8" | "i16" | "u16" => (&["0", "1", "8"], None),
                _ => (&["0", "1", "8"], Some((MANY.to_string(), "enough to be measured, where it is a size"))),
            };
            few.iter().map(|number| ((*number).to_owned(), "")).chain(many).collect()
        };
        let pick = |(label, detail): (String, &str)| PickerEntry {
            value: Picked::Data(n, label.clone()),
            label,
            detail: detail.to_owned(),
            aside: String::new(),
        };
        let typed = PickerEntry {
            label: "something else".to_owned(),
            detail: format!("to be typed: {}", spec::FORMS.replace('`', "")),
            aside: String::new(),
            value: Picked::TypeData(n, field.data.clone()),
        };
        forms.into_iter().map(pick).chain([typed]).collect()
    }

    /// Returns the first line of the outcome in the page.
    pub(super) fn outcome_line(&self) -> Option<usize> {
        self.outcome.is_some().then_some(self.fields.len() + 3)
    }

    /// Renders the form, and below it the outcome of the last run.
    pub(super) fn page(&self, kernel: &str, surface: Surface, engine: Engine, running: bool) -> Page {
        let wide =
            |text: fn(&Field) -> String| self.fields.iter().map(|field| text(field).chars().count()).max().unwrap_or(0);
        let (name, ty) = (wide(|field| field.name.clone()), wide(|field| shown_type(&field.ty)));
        let fields = self.fields.iter().enumerate().map(|(n, field)| {
            Line::of(Role::Param, format!("{:name$}", field.name))
                .and(Role::Type, format!("  {:ty$}", shown_type(&field.ty)))
                .and(Role::Faint, "  = ")
                .and(Role::Code, field.data.clone())
                .offering(Offer::Data(n))
        });
        let mut lines: Vec<_> = fields.collect();
        let by = Line::of(Role::Faint, "run by ").and(Role::Code, engine.name(surface));
        lines.push(by.and(Role::Faint, ", which E changes").offering(Offer::Engine));
        let hint = match (running, self.fields.is_empty()) {
            (true, _) => "running … (esc stops)".to_owned(),
            (false, true) => format!("{kernel} takes no data; r runs it"),
            (false, false) => format!("Enter changes a line, r runs the {}", surface.kernel_word()),
        };
        lines.push(Line::of(Role::Faint, hint).offering(Offer::Run));
        let measure = "B measures it, W on many sizes too";
        lines.push(Line::of(Role::Faint, measure).offering(Offer::Measure));
        if let Some(outcome) = &self.outcome {
            lines.extend(outcome.lines.iter().cloned());
        }
        Page { lines, prose: true, ..Page::default() }
    }
}

/// Formats a type for display: sizes without a name are left out, because the data shows them.
fn shown_type(ty: &str) -> String {
    ty.replace("[_", "[").replace(", _", ",")
}

/// Returns the number of elements of the data, as far as its text tells.
fn n_elements(data: &str) -> u64 {
    let inside = data.split_once('(').map_or("", |(_, inside)| inside);
    let digits: String = inside.chars().take_while(char::is_ascii_digit).collect();
    match digits.parse() {
        Ok(n) => n,
        Err(_) if data.starts_with('[') => data.split(',').count() as u64,
        Err(_) => 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queries::run::DataSource;

    fn sample(name: &str, ty: &str, source: DataSource) -> Sample {
        Sample { name: name.to_owned(), ty: ty.to_owned(), is_array: ty.ends_with(']'), source }
    }

    #[test]
    fn an_outcome_goes_with_the_data_it_is_of() {
        let mut form = RunForm::default();
        form.offer(&[sample("n", "i32", DataSource::Number("8".into()))]);
        form.outcome = Some(Page::default());
        form.say(0, "8".to_owned());
        assert!(form.outcome.is_some());
        form.say(0, "9".to_owned());
        assert!(form.outcome.is_none());
        // One of a run that was on its way comes too late.
        assert!(!form.is_on(&[("n".to_owned(), "8".to_owned())]));
        assert!(form.is_on(&[("n".to_owned(), "9".to_owned())]));
    }

    #[test]
    fn what_a_person_said_stays() {
        let mut form = RunForm::default();
        form.offer(&[sample("a", "f32[_]", DataSource::Ramp(8)), sample("n", "i32", DataSource::Number("8".into()))]);
        form.say(1, "4".to_owned());
        form.offer(&[sample("a", "f32[_]", DataSource::Ramp(16)), sample("n", "i32", DataSource::Number("8".into()))]);
        assert_eq!(form.to_measure(), [("n".into(), "4".to_owned())]);
        assert_eq!(form.arguments(), [("a".into(), "ramp(16)".into()), ("n".into(), "4".to_owned())]);
        form.offer(&[sample("n", "f32", DataSource::Number("0.5".into()))]);
        assert_eq!(form.arguments(), [("n".into(), "0.5".to_owned())]);
    }

    #[test]
    fn every_choice_can_be_run() {
        let mut form = RunForm::default();
        form.offer(&[sample("a", "f32[_]", DataSource::List(vec!["1".into(), "2".into()]))]);
        for choice in form.choices(0) {
            if let Picked::Data(_, data) = choice.value {
                assert!(spec::parse(&format!("a={data}")).is_ok(), "{data}");
            }
        }
        assert_eq!([n_elements("[1, 2]"), n_elements("random(12, 3)"), n_elements("x[1:]")], [2, 12, 8]);
    }
}
