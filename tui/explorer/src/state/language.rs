//! The language of the file that is shown: its stages, and the questions that it has no answer for.

use driver::surface::{Surface, SurfaceFeature, SurfaceStage};

use super::{State, Topic};
use crate::actions::Action;
use crate::pictures::PictureKind;

impl State {
    /// Returns the language of the file that is shown.
    pub fn surface(&self) -> Surface {
        Surface::of(&self.file().name)
    }

    /// Returns the index of the stage that is shown. In a language with fewer stages than the one in which it was picked, that is the
    /// last one.
    pub fn shown_stage(&self) -> usize {
        self.stage.min(self.surface().stages().len() - 1)
    }

    /// Returns the name and description of the stage that is shown.
    pub fn stage_shown(&self) -> &'static SurfaceStage {
        &self.surface().stages()[self.shown_stage()]
    }

    /// Returns true if a topic of the details is offered for the file that is shown; one that is shown already stays in the list.
    pub fn has_topic(&self, topic: Topic) -> bool {
        let feature = match topic {
            Topic::Variants => SurfaceFeature::Variants,
            Topic::Why | Topic::Problems | Topic::Run | Topic::Lanes | Topic::Task | Topic::Pictures | Topic::Start => {
                return true;
            }
        };
        topic == self.topic || self.surface().lacks(feature).is_none()
    }

    /// Returns the reason why the topic of the details has nothing to say about the file that is shown.
    pub(super) fn topic_lacks(&self) -> Option<&'static str> {
        self.surface().lacks(match (self.topic, self.shown.kind) {
            (Topic::Variants, _) => SurfaceFeature::Variants,
            (Topic::Task, _) => SurfaceFeature::Lessons,
            (Topic::Pictures, PictureKind::Iterations) => SurfaceFeature::Iterations,
            (Topic::Pictures, PictureKind::Statements) => SurfaceFeature::Statements,
            (Topic::Pictures, PictureKind::Arrays)
            | (Topic::Why | Topic::Problems | Topic::Run | Topic::Lanes | Topic::Start, _) => return None,
        })
    }

    /// Returns the reason why an action can do nothing in the file that is shown.
    pub(super) fn action_lacks(&self, action: Action) -> Option<&'static str> {
        asks_for(action).and_then(|feature| self.surface().lacks(feature))
    }
}

/// Returns the feature of a language that an action needs, if not every language has it.
fn asks_for(action: Action) -> Option<SurfaceFeature> {
    Some(match action {
        Action::Variants => SurfaceFeature::Variants,
        Action::Sweep => SurfaceFeature::Sweeps,
        Action::Iterations => SurfaceFeature::Iterations,
        Action::Statements => SurfaceFeature::Statements,
        Action::Task => SurfaceFeature::Lessons,
        _ => return None,
    })
}
