//! Views: a kernel at a stage of the pipeline, shown beside its source, with a map from lines to source ranges.
//!
//! A view follows its source. While the source has errors the view keeps its last good text, with a note that says so, and is marked
//! as outdated; its lines then have no source, since the one they came from may be gone. A client that follows the cursor names the
//! kernel that it shows, which stays while the cursor is in a struct or between items.
//!
//! A view also has an address, so that an editor can open it as a document:
//! `lanescope-view:/scale_audio.final.lane-ir?source=file%3A///…`.

use std::sync::Arc;

use ide::item_at;
use queries::check::{item_diagnostics, name_place, reachable, start_of};
use queries::db::Database;
use queries::db::{Item, file_items};
use queries::stages::{STAGES, StageText, stage};
use report::{ItemKind, Severity, TextRange, TextSize};
use serde::{Deserialize, Serialize};
use tower_lsp::gen_lsp_types::{
    LspRequestMethod, MessageDirection, Position, Range, Request, TextDocumentContentParams, TextDocumentContentResult,
    TextDocumentIdentifier, Uri,
};
use tower_lsp::jsonrpc::{Error, Result};

use super::faster;
use super::ispc_files::view as of_ispc;
use crate::documents::Document;
use crate::machine_views::{NativeStage, NativeViews};
use crate::memory::{KeptView, ViewKey};
use crate::question::Later;
use crate::request_context::{ClientDocument, RequestContext};
use crate::uris::{self, decode, encode};

/// URI scheme of views.
pub(crate) const SCHEME: &str = "lanescope-view";

/// The request `lanescope/view`.
pub(crate) enum ViewRequest {}

impl Request for ViewRequest {
    type Params = ViewParams;
    type Result = ViewResult;
    const METHOD: LspRequestMethod<'static> = LspRequestMethod::Custom("lanescope/view");
    const MESSAGE_DIRECTION: MessageDirection = MessageDirection::ClientToServer;
}

/// Parameters of `lanescope/view`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ViewParams {
    pub(crate) text_document: TextDocumentIdentifier,
    /// A position inside the kernel.
    pub(crate) position: Position,
    /// Name of the stage; defaults to the one in the user's settings.
    #[serde(default)]
    pub(crate) stage: Option<String>,
    /// Name of the target, for stages that depend on one.
    #[serde(default)]
    pub(crate) target: Option<String>,
    /// Name of the kernel that is shown now; it stays where the position is in no kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) kernel: Option<String>,
}

/// The result of `lanescope/view`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ViewResult {
    pub(crate) text: String,
    pub(crate) language_id: String,
    /// Version of the source that the view shows.
    pub(crate) version: Option<i32>,
    pub(crate) stage: String,
    /// Name of the kernel.
    pub(crate) name: String,
    /// Name of the target, for stages that depend on one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) target: Option<String>,
    /// Set if the text is that of an earlier version of the source, since nothing can be made of the present one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) outdated: bool,
    /// A note about a view that is outdated, missing or made from a source with errors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
    /// The lines of the view that have a source.
    pub(crate) lines: Vec<ViewLine>,
}

/// A line of a view, with the source range it came from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ViewLine {
    pub(crate) line: u32,
    pub(crate) range: Range,
}

/// A stage that views can show, as announced to the client.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StageInfo {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) language_id: String,
}

/// All stages, in pipeline order.
pub(crate) fn stages(native: &dyn NativeViews) -> Vec<StageInfo> {
    let lowered = STAGES.iter().map(|stage| StageInfo {
        name: stage.name.to_owned(),
        title: format!("View stage `{}`", stage.name),
        description: stage.description.to_owned(),
        language_id: language_id(stage.name).to_owned(),
    });
    let native = native.stages().iter().map(|stage| StageInfo {
        name: stage.name.to_owned(),
        title: stage.title.to_owned(),
        description: stage.description.to_owned(),
        language_id: stage.language_id.to_owned(),
    });
    lowered.chain(native).collect()
}

/// File name extension of a file that shows a stage.
fn extension(native: &dyn NativeViews, stage: &str) -> &'static str {
    if stage == faster::STAGE {
        return "txt";
    }
    let mut all = native.stages().iter().chain(native.ispc_stages());
    all.find(|own| own.name == stage).map_or("lane-ir", |own| own.extension)
}

pub(super) fn language_id(stage: &str) -> &'static str {
    match stage {
        "parsed" => "plaintext",
        "typed" => "lane",
        _ => "lane-ir",
    }
}

/// Returns true for a stage whose text depends on the target.
fn is_for_target(stage: &str) -> bool {
    !matches!(stage, "parsed" | "typed")
}

/// `lanescope/view`.
pub(crate) fn view(ctx: &RequestContext<'_>, params: &ViewParams) -> Result<Later<ViewResult>> {
    if ctx.ispc_document(&params.text_document.uri).is_ok() {
        return of_ispc::view(ctx, params);
    }
    let place = ctx.document(&params.text_document.uri)?;
    let db = ctx.db();
    let here = item_at(db, place.file, place.offset(params.position)).map(|(item, _)| item);
    let here = here.filter(|item| !item.name(db).is_empty()).map(|item| queries::kernel_of(db, item));
    let (stage, target) = (params.stage.as_deref(), params.target.as_deref());
    if let Some(shown) = params.kernel.as_ref().filter(|_| here.is_none_or(|item| item.kind(db) != ItemKind::Kernel)) {
        let key = key(ctx, &place, shown, stage, target);
        if let Some(item) = named(db, &place, shown) {
            return view_of(ctx, &place, item, stage, target);
        }
        if here.is_none() && ctx.state().memory.kept(&key).is_some() {
            return Ok(gone(ctx, &place, &key));
        }
    }
    let item = here.ok_or_else(|| Error::invalid_params("no kernel stands at this place"))?;
    view_of(ctx, &place, item, stage, target)
}

/// The item of a name.
fn named<'db>(db: &'db Database, place: &ClientDocument<'_>, name: &str) -> Option<Item<'db>> {
    file_items(db, place.file)
        .iter()
        .copied()
        .find(|item| **item.name(db) == *name)
        .map(|item| queries::kernel_of(db, item))
}

/// The key of a view; stage and target are those of the settings where none are given.
pub(super) fn key(
    ctx: &RequestContext<'_>,
    place: &ClientDocument<'_>,
    name: &str,
    stage: Option<&str>,
    target: Option<&str>,
) -> ViewKey {
    ViewKey {
        document: place.document.key.clone(),
        name: name.to_owned(),
        stage: stage.unwrap_or(&ctx.config().stage).to_owned(),
        target: target.unwrap_or(&ctx.config().target).to_owned(),
    }
}

/// The view of a kernel whose name nothing has any more, which may be because it is being typed: the last good one, with a note.
pub(super) fn gone(ctx: &RequestContext<'_>, place: &ClientDocument<'_>, key: &ViewKey) -> Later<ViewResult> {
    let note = format!("there is no `{}` any more", key.name);
    let shown = match ctx.state().memory.kept(key) {
        Some(kept) => outdated(&note, &kept),
        None => KeptView { note: Some(note), ..KeptView::default() },
    };
    let mut native = ctx.state().native.ispc_stages().iter().chain(ctx.state().native.stages());
    let native = native.find(|stage| stage.name == key.stage);
    let language_id = native.map_or_else(|| language_id(&key.stage), |stage| stage.language_id);
    let result = result(place, key, language_id.to_owned(), &shown);
    Box::new(move |_| Ok(result))
}

/// `workspace/textDocumentContent`.
pub(crate) fn content(
    ctx: &RequestContext<'_>,
    params: &TextDocumentContentParams,
) -> Result<Later<TextDocumentContentResult>> {
    let own = ctx.state().memory.own_files(true).iter().find(|file| file.key == uris::key(&params.uri));
    if let Some(file) = own {
        let text = file.text.to_string();
        return Ok(Box::new(move |_| Ok(TextDocumentContentResult { text })));
    }
    let address =
        Address::parse(&params.uri).ok_or_else(|| Error::invalid_params(format!("no such view: {}", params.uri.0)))?;
    // The view is registered for change notices before the work starts, so that no edit falls in between.
    ctx.state().memory.serves(&uris::key(&address.source), &params.uri);
    let work = address.view(ctx)?;
    Ok(Box::new(move |stop| Ok(TextDocumentContentResult { text: work(stop)?.with_note() })))
}

/// Makes the view of an address.
pub(crate) fn of_address(ctx: &RequestContext<'_>, uri: &Uri) -> Result<Later<ViewResult>> {
    let address = Address::parse(uri).ok_or_else(|| Error::invalid_params(format!("no such view: {}", uri.0)))?;
    address.view(ctx)
}

impl ViewResult {
    /// The text with the note above it, for clients that have no other place for the note.
    pub(crate) fn with_note(&self) -> String {
        let mark = if self.language_id == "llvm" { ";" } else { "#" };
        let note = self.note.as_ref().map(|note| format!("{mark} {note}\n\n")).unwrap_or_default();
        note + &self.text
    }
}

/// Offset of the name of the kernel at an offset.
pub(crate) fn kernel_at(db: &Database, place: &ClientDocument<'_>, offset: TextSize) -> Option<TextSize> {
    let (item, _) = item_at(db, place.file, offset)?;
    let name = name_place(db, item)?;
    (item.kind(db) == ItemKind::Kernel).then_some(name.start())
}

fn view_of(
    ctx: &RequestContext<'_>,
    place: &ClientDocument<'_>,
    item: Item<'_>,
    stage_name: Option<&str>,
    target: Option<&str>,
) -> Result<Later<ViewResult>> {
    let db = ctx.db();
    let key = key(ctx, place, item.name(db), stage_name, target);
    let (stage_name, target) = (key.stage.clone(), key.target.clone());
    if stage_name == faster::STAGE {
        let shown = faster::view_of(ctx, place, &key.name);
        return Ok(Box::new(move |_| Ok(shown)));
    }
    let finish = finisher(ctx, place, Head { key, errors: count_errors(db, item) });
    if let Some(stage) = stage(&stage_name) {
        let mut made = stage.of(db, item, ctx.made_for(Some(&target))?);
        // Lines above the first one with a source belong to the kernel's header.
        let name = name_place(db, item);
        made.lines.iter_mut().take_while(|line| line.source.is_none()).for_each(|line| line.source = name);
        return Ok(Box::new(move |_| Ok(finish(language_id(stage.name), Ok(made)))));
    }
    let native: Vec<NativeStage> = ctx.state().native.stages().to_vec();
    let Some(stage) = native.into_iter().find(|stage| stage.name == stage_name) else {
        let names: Vec<_> = stages(ctx.state().native.as_ref()).into_iter().map(|stage| stage.name).collect();
        return Err(Error::invalid_params(format!("no such stage: {stage_name}; there are {}", names.join(", "))));
    };
    let work = ctx.state().native.prepare(db, item, &stage, &target);
    Ok(Box::new(move |stop| Ok(finish(stage.language_id, work(&|| stop.is_stopped())))))
}

/// Makes the answer of what a view became, and keeps the view for when nothing becomes of it.
pub(super) fn finisher(
    ctx: &RequestContext<'_>,
    place: &ClientDocument<'_>,
    head: Head,
) -> impl FnOnce(&str, std::result::Result<StageText, String>) -> ViewResult + use<> {
    let (memory, document) = (ctx.state().memory.clone(), place.document.clone());
    let (file, unit) = (place.file, ctx.profile().unit);
    move |language_id: &str, made: std::result::Result<StageText, String>| {
        let place = ClientDocument::new(file, &document, unit);
        let kept = match head.note(&made) {
            None => memory.keep(&head.key, kept(made, &document)),
            Some(note) => match memory.kept(&head.key) {
                Some(kept) => Arc::new(outdated(&note, &kept)),
                None => Arc::new(KeptView { note: Some(note), ..kept(made, &document) }),
            },
        };
        result(&place, &head.key, language_id.to_owned(), &kept)
    }
}

/// Data about a view that is known before its text is made.
pub(super) struct Head {
    pub(super) key: ViewKey,
    /// Number of errors in the kernel.
    pub(super) errors: usize,
}

impl Head {
    /// The note for the view: why its text was not made, or what is wrong with it.
    fn note(&self, made: &std::result::Result<StageText, String>) -> Option<String> {
        // The syntax tree is shown whether the source has errors or not.
        let of_tree = self.key.stage == "parsed";
        match made {
            Err(why) => Some(why.clone()),
            Ok(made) if made.lines.is_empty() => {
                Some(format!("`{}` is no kernel, so nothing is lowered", self.key.name))
            }
            Ok(_) if of_tree => None,
            Ok(_) if self.errors == 1 => Some(format!("`{}` has an error", self.key.name)),
            Ok(_) if self.errors > 1 => Some(format!("`{}` has {} errors", self.key.name, self.errors)),
            Ok(made) => made.findings.first().map(|finding| finding.message.clone()),
        }
    }
}

/// An earlier view, with a note that says of which text it is and why there is no newer one.
fn outdated(note: &str, kept: &KeptView) -> KeptView {
    let version = kept.version.map(|version| format!(", version {version}")).unwrap_or_default();
    KeptView { note: Some(format!("{note}; shown is the text before that{version}")), outdated: true, ..kept.clone() }
}

/// The number of errors that keep an item from running.
pub(super) fn count_errors(db: &Database, item: Item<'_>) -> usize {
    let items = reachable(db, &[item]).into_iter();
    let found = items.flat_map(|item| item_diagnostics(db, item, start_of(db, item).unwrap_or_default()));
    found.filter(|found| found.severity == Severity::Error).count()
}

fn kept(made: std::result::Result<StageText, String>, document: &Document) -> KeptView {
    let made = made.ok();
    KeptView {
        text: made.as_ref().map(StageText::text).unwrap_or_default(),
        version: document.version,
        lines: made.into_iter().flat_map(|made| made.lines).map(|line| line.source).collect(),
        note: None,
        outdated: false,
    }
}

fn result(place: &ClientDocument<'_>, key: &ViewKey, language_id: String, kept: &KeptView) -> ViewResult {
    let current = kept.version == place.document.version && kept.note.is_none();
    let sources = kept.lines.iter().enumerate().filter(|_| current);
    let line = |(n, source): (usize, &Option<TextRange>)| {
        let range = place.range((*source)?);
        Some(ViewLine { line: n as u32, range })
    };
    ViewResult {
        lines: sources.filter_map(line).collect(),
        text: kept.text.clone(),
        language_id,
        version: kept.version,
        stage: key.stage.clone(),
        name: key.name.clone(),
        target: is_for_target(&key.stage).then(|| key.target.clone()),
        outdated: kept.outdated,
        note: kept.note.clone(),
    }
}

// Views as documents.

/// Builds the address of a view.
pub(crate) fn address(ctx: &RequestContext<'_>, params: &ViewParams) -> Result<Uri> {
    let (place, name, stage) = match ctx.ispc_document(&params.text_document.uri) {
        Ok(place) => {
            let name = of_ispc::name_at(ctx, &place, params).unwrap_or_default();
            (place, name, of_ispc::stage_name(ctx, params.stage.as_deref()).to_owned())
        }
        Err(_) => {
            let place = ctx.document(&params.text_document.uri)?;
            let item = item_at(ctx.db(), place.file, place.offset(params.position)).map(|(item, _)| item);
            let name = item.map(|item| item.name(ctx.db()).to_string()).unwrap_or_default();
            (place, name, params.stage.clone().unwrap_or_else(|| ctx.config().stage.clone()))
        }
    };
    let extension = extension(ctx.state().native.as_ref(), &stage).to_owned();
    Ok(Address { name, stage, extension, source: place.uri(), target: params.target.clone() }.uri())
}

/// Builds the name of a file that shows a view.
pub(crate) fn file_name(address: &Uri) -> String {
    let path = address.0.split(['?', '/']).nth(1).unwrap_or_default();
    decode(path)
}

/// Returns true if an address has the scheme of views.
pub(crate) fn is_view(uri: &Uri) -> bool {
    Address::parse(uri).is_some()
}

/// The address of a view, as a document.
pub(super) struct Address {
    name: String,
    pub(super) stage: String,
    extension: String,
    source: Uri,
    pub(super) target: Option<String>,
}

impl Address {
    fn uri(&self) -> Uri {
        let target = self.target.as_ref().map(|target| format!("&target={}", encode(target))).unwrap_or_default();
        let source = encode(&self.source.0);
        let [name, stage, extension] = [&self.name, &self.stage, &self.extension].map(|part| encode(part));
        Uri(format!("{SCHEME}:/{name}.{stage}.{extension}?source={source}{target}"))
    }

    /// Parses the address of a view; editors may percent-encode any character.
    pub(super) fn parse(uri: &Uri) -> Option<Address> {
        let rest = uri.0.strip_prefix(SCHEME)?.strip_prefix(':')?;
        let (path, query) = rest.split_once('?')?;
        let path = decode(path.trim_start_matches('/'));
        let (path, extension) = path.rsplit_once('.')?;
        let (name, stage) = path.rsplit_once('.')?;
        let query = if query.contains('=') { query.to_owned() } else { decode(query) };
        let value =
            |name: &str| query.split('&').find_map(|part| part.strip_prefix(name)?.strip_prefix('=')).map(decode);
        let source = Uri(value("source")?);
        let [name, stage, extension] = [name, stage, extension].map(str::to_owned);
        Some(Address { name, stage, extension, source, target: value("target") })
    }

    fn view(&self, ctx: &RequestContext<'_>) -> Result<Later<ViewResult>> {
        if let Ok(place) = ctx.ispc_document(&self.source) {
            return of_ispc::view_of(ctx, &place, &self.name, Some(&self.stage), self.target.as_deref());
        }
        let place = ctx.document(&self.source)?;
        match named(ctx.db(), &place, &self.name) {
            Some(item) => view_of(ctx, &place, item, Some(&self.stage), self.target.as_deref()),
            None => Ok(gone(ctx, &place, &self.key(ctx, &place))),
        }
    }

    fn key(&self, ctx: &RequestContext<'_>, place: &ClientDocument<'_>) -> ViewKey {
        key(ctx, place, &self.name, Some(&self.stage), self.target.as_deref())
    }

    /// The view as it was last made, if its source has not changed since.
    pub(super) fn kept<'m>(&self, ctx: &'m RequestContext<'_>) -> Result<Option<(ClientDocument<'m>, Arc<KeptView>)>> {
        let place = ctx.ispc_document(&self.source).or_else(|_| ctx.document(&self.source))?;
        let key = self.key(ctx, &place);
        let kept = ctx.state().memory.kept(&key).filter(|kept| kept.version == place.document.version);
        Ok(kept.map(|kept| (place, kept)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_go_there_and_back() {
        let source = Uri::from("file:///tmp/a%20b/é&?.lane");
        let target = Some("avx2".to_owned());
        let [name, stage, extension] = ["größe", "final", "lane-ir"].map(str::to_owned);
        let address = Address { name, stage, extension, source, target };
        let uri = address.uri();
        assert_eq!(file_name(&uri), "größe.final.lane-ir");
        // The address as built here, and as an editor that percent-encodes it again writes it.
        for uri in [uri.clone(), Uri(uri.0.replace(':', "%3A").replacen("%3A", ":", 1))] {
            let read = Address::parse(&uri).expect("a view's address");
            assert_eq!(
                (read.name, read.stage, read.source),
                (address.name.clone(), "final".into(), address.source.clone())
            );
            assert_eq!(read.target.as_deref(), Some("avx2"));
        }
        for wrong in ["file:///a.final.lane-ir?source=x", "lanescope-view:/a", "lanescope-view:/a.lane-ir?x=y"] {
            assert!(Address::parse(&Uri::from(wrong)).is_none(), "{wrong}");
        }
    }
}
