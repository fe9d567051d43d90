/**
 * Views of a kernel at a stage, beside its source.
 *
 * A view follows the edits of its source, and the cursor from kernel to kernel. What the cursor is at is lit on the other
 * side, both ways, and *Go to Definition* in a view leads to the source. While the server has nothing to show, the last
 * good text stays, dimmed, and its title says of which text it is.
 */

import * as vscode from 'vscode';
import { addressOf, SCHEME, type Subject, subjectOf } from './addresses';
import { ViewFiles } from './files';
import { foldsOf, isElsewhere, isOutdated, linesOf, type Position, type Range, sourceOf, titleOf, type ViewText } from './lines';
import { OUTDATED } from './server';

/** Typing comes in bursts; a view is asked for once the burst is over. */
const PAUSE_MS = 120;

/** What a view is asked from: the running server, or nobody yet. */
export type Ask = (
    subject: Subject,
    position: Position,
    /** The kernel that is shown, which stays where the position is in none. */
    kernel: string | undefined,
    token: vscode.CancellationToken,
) => Promise<ViewText | null | typeof OUTDATED>;

/** What explains a word of a view's text: what an op or instruction does, and what it takes. */
export type Explain = (word: Word, token: vscode.CancellationToken) => Promise<Explained | null>;

/** A word of a line of a view. */
export interface Word {
    languageId: string;
    target?: string | undefined;
    line: string;
    character: number;
}

/** A word's explanation, and where it stands in its line. */
export interface Explained {
    start: number;
    end: number;
    contents: { value: string };
}

interface View {
    uri: vscode.Uri;
    subject: Subject;
    /** Where in the source the view was last asked for. */
    position: Position;
    /** The last text the server gave. */
    shown?: ViewText | undefined;
    /** Why there is no newer one. */
    trouble?: string | undefined;
    /** The last question, if it was asked for at all; an older one is withdrawn, and its answer dropped. */
    question?: vscode.CancellationTokenSource | undefined;
    timer?: NodeJS.Timeout | undefined;
}

export class Views
    implements
        vscode.DefinitionProvider,
        vscode.CodeLensProvider,
        vscode.HoverProvider,
        vscode.FoldingRangeProvider,
        vscode.Disposable
{
    private readonly views = new Map<string, View>();
    private readonly files = new ViewFiles((uri) => this.textAt(uri));
    private readonly retitled = new vscode.EventEmitter<void>();
    readonly onDidChangeCodeLenses = this.retitled.event;

    private readonly lit = vscode.window.createTextEditorDecorationType({
        isWholeLine: true,
        backgroundColor: new vscode.ThemeColor('editor.wordHighlightStrongBackground'),
        overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.wordHighlightStrongForeground'),
    });
    private readonly dimmed = vscode.window.createTextEditorDecorationType({ isWholeLine: true, opacity: '0.5' });
    private readonly subscriptions: vscode.Disposable[];

    constructor(
        private readonly ask: Ask,
        private readonly explain: Explain,
    ) {
        this.subscriptions = [
            this.files,
            this.retitled,
            this.lit,
            this.dimmed,
            vscode.workspace.registerFileSystemProvider(SCHEME, this.files, { isReadonly: true, isCaseSensitive: true }),
            vscode.languages.registerDefinitionProvider({ scheme: SCHEME }, this),
            vscode.languages.registerCodeLensProvider({ scheme: SCHEME }, this),
            vscode.languages.registerHoverProvider({ scheme: SCHEME }, this),
            // Lane IR folds by its indentation, which assembly has none of.
            vscode.languages.registerFoldingRangeProvider({ scheme: SCHEME, language: 'lane-asm' }, this),
            vscode.workspace.onDidChangeTextDocument(({ document }) => this.documentChanged(document)),
            // The server reads from disk what is not open, and knows no version of it.
            vscode.workspace.onDidOpenTextDocument((document) => this.sourceChanged(document.uri)),
            vscode.workspace.onDidCloseTextDocument((document) => {
                this.forget(document.uri);
                this.sourceChanged(document.uri);
            }),
            vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.selectionChanged(textEditor)),
            vscode.window.onDidChangeVisibleTextEditors(() => this.light(vscode.window.activeTextEditor)),
        ];
    }

    /**
     * Opens the view of a source at a stage, in the column beside it; an open one is shown again. Without a position it is
     * the kernel that the source's cursor is in. With a column, the view opens there, and the cursor goes there.
     */
    async open(
        subject: Subject,
        languageId: string,
        position: Position | undefined,
        column?: vscode.ViewColumn,
    ): Promise<void> {
        const view = this.viewAt(vscode.Uri.from({ scheme: SCHEME, ...addressOf(subject, languageId) }), subject);
        view.position = position ?? view.position;
        await this.refresh(view);
        const shown = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === view.uri.toString());
        const viewColumn = column ?? shown?.viewColumn ?? vscode.ViewColumn.Beside;
        const preserveFocus = column === undefined;
        // Who goes through the stages keeps one tab, not one for each.
        await vscode.window.showTextDocument(view.uri, { viewColumn, preserveFocus, preview: column !== undefined });
        this.light(vscode.window.activeTextEditor);
    }

    /** Where in its source a view was last asked for. */
    positionOf(uri: vscode.Uri): Position | undefined {
        return this.views.get(uri.toString())?.position;
    }

    /** Asks for all views again: another target, another server. */
    refreshAll(): void {
        for (const view of this.views.values()) {
            this.refreshSoon(view);
        }
    }

    provideDefinition(document: vscode.TextDocument, position: vscode.Position): vscode.Location | undefined {
        const view = this.views.get(document.uri.toString());
        const range = view?.shown && sourceOf(view.shown.lines, position.line);
        return range && new vscode.Location(vscode.Uri.parse(view!.subject.source), toRange(range));
    }

    /** Explains the op or instruction at a place of a view. */
    async provideHover(
        document: vscode.TextDocument,
        { line: number, character }: vscode.Position,
        token: vscode.CancellationToken,
    ): Promise<vscode.Hover | undefined> {
        const shown = this.views.get(document.uri.toString())?.shown;
        if (shown === undefined) {
            return undefined;
        }
        const line = document.lineAt(number).text;
        const word = { languageId: shown.languageId, target: shown.target ?? undefined, line, character };
        const found = await this.explain(word, token);
        const range = found && new vscode.Range(number, found.start, number, found.end);
        return found && range ? new vscode.Hover(new vscode.MarkdownString(found.contents.value), range) : undefined;
    }

    provideFoldingRanges(document: vscode.TextDocument): vscode.FoldingRange[] {
        const shown = this.views.get(document.uri.toString())?.shown;
        const folds = shown === undefined ? [] : foldsOf(shown.lines, document.lineCount);
        return folds.map(({ start, end }) => new vscode.FoldingRange(start, end));
    }

    /** Over a view stands what it shows; a click shows another stage. */
    provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
        const view = this.views.get(document.uri.toString());
        const title = view?.shown && titleOf(view.shown, view.trouble);
        const command = { title: title ?? '', command: 'lanescope.openView', tooltip: 'Open another stage of this kernel' };
        return title ? [new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), command)] : [];
    }

    /** Puts the cursor at the source of the view's line that it is at, in the column where the source is shown already. */
    async goToSource(): Promise<void> {
        const editor = vscode.window.activeTextEditor;
        const location = editor && this.provideDefinition(editor.document, editor.selection.active);
        if (location !== undefined) {
            const isSource = ({ document }: vscode.TextEditor) => document.uri.toString() === location.uri.toString();
            const viewColumn = vscode.window.visibleTextEditors.find(isSource)?.viewColumn ?? vscode.ViewColumn.One;
            const selection = new vscode.Range(location.range.start, location.range.start);
            await vscode.window.showTextDocument(location.uri, { viewColumn, selection });
        }
    }

    dispose(): void {
        for (const view of this.views.values()) {
            this.withdraw(view);
        }
        vscode.Disposable.from(...this.subscriptions).dispose();
    }

    /** The text of a view, which may be one that a window that is loaded anew had shown before. */
    private async textAt(uri: vscode.Uri): Promise<string | undefined> {
        const subject = subjectOf(uri.query);
        if (subject === undefined) {
            return undefined;
        }
        const view = this.viewAt(uri, subject);
        if (view.question === undefined) {
            await this.refresh(view);
        }
        return view.shown?.text ?? `# ${view.trouble ?? 'There is nothing to show.'}\n`;
    }

    private viewAt(uri: vscode.Uri, subject: Subject): View {
        const known = this.views.get(uri.toString());
        // A view of a window that is loaded anew: its kernel is the one that the cursor is in.
        const source = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === subject.source);
        const view: View = known ?? { uri, subject, position: source?.selection.active ?? { line: 0, character: 0 } };
        this.views.set(uri.toString(), view);
        return view;
    }

    private viewsOf(source: vscode.Uri): View[] {
        return [...this.views.values()].filter(({ subject }) => subject.source === source.toString());
    }

    private forget(uri: vscode.Uri): void {
        const view = this.views.get(uri.toString());
        if (view !== undefined) {
            this.withdraw(view);
            this.views.delete(uri.toString());
        }
    }

    private withdraw(view: View): void {
        clearTimeout(view.timer);
        view.question?.cancel();
        view.question?.dispose();
        view.question = undefined;
    }

    private async refresh(view: View): Promise<void> {
        this.withdraw(view);
        const question = new vscode.CancellationTokenSource();
        view.question = question;
        let answer: ViewText | null | typeof OUTDATED = null;
        let trouble = 'The server has nothing to show here.';
        try {
            answer = await this.ask(view.subject, view.position, view.shown?.name ?? undefined, question.token);
        } catch (error) {
            trouble = error instanceof Error ? error.message : String(error);
        }
        if (question !== view.question) {
            return;
        }
        if (answer === OUTDATED) {
            this.refreshSoon(view);
            return;
        }
        view.trouble = answer === null ? trouble : undefined;
        view.shown = answer ?? view.shown;
        this.files.changed(view.uri);
        this.retitled.fire();
        this.light(vscode.window.activeTextEditor);
    }

    private refreshSoon(view: View): void {
        clearTimeout(view.timer);
        view.timer = setTimeout(() => {
            view.timer = undefined;
            // One that was only asked about, and is shown nowhere, need not follow.
            if (vscode.workspace.textDocuments.some(({ uri }) => uri.toString() === view.uri.toString())) {
                void this.refresh(view);
            } else {
                this.forget(view.uri);
            }
        }, PAUSE_MS);
    }

    private documentChanged(document: vscode.TextDocument): void {
        if (document.uri.scheme === SCHEME) {
            // The view's own new text has arrived, and the old highlights have moved with it to wrong lines.
            this.light(vscode.window.activeTextEditor);
        } else {
            this.sourceChanged(document.uri);
        }
    }

    private sourceChanged(source: vscode.Uri): void {
        for (const view of this.viewsOf(source)) {
            this.refreshSoon(view);
        }
    }

    private selectionChanged(editor: vscode.TextEditor): void {
        if (editor !== vscode.window.activeTextEditor) {
            return;
        }
        const position = editor.selection.active;
        for (const view of this.viewsOf(editor.document.uri)) {
            if (isElsewhere(view.shown?.lines ?? [], position) && position.line !== view.position.line) {
                this.refreshSoon(view);
            }
            view.position = { line: position.line, character: position.character };
        }
        this.light(editor);
    }

    /** Lights what belongs to the cursor of the active editor in the editors of the other side. */
    private light(active: vscode.TextEditor | undefined): void {
        const isOurs = (editor: vscode.TextEditor) =>
            editor.document.uri.scheme === SCHEME || editor.document.languageId === 'lane';
        const spots = active && isOurs(active) ? this.spotsFor(active) : new Map<vscode.TextEditor, vscode.Range[]>();
        for (const editor of vscode.window.visibleTextEditors.filter(isOurs)) {
            const ranges = spots.get(editor) ?? [];
            editor.setDecorations(this.lit, ranges);
            editor.setDecorations(this.dimmed, this.outdatedPartOf(editor));
            if (ranges[0] !== undefined) {
                editor.revealRange(ranges[0], vscode.TextEditorRevealType.InCenterIfOutsideViewport);
            }
        }
    }

    private spotsFor(active: vscode.TextEditor): Map<vscode.TextEditor, vscode.Range[]> {
        const spots = new Map<vscode.TextEditor, vscode.Range[]>();
        for (const editor of vscode.window.visibleTextEditors) {
            const forward = this.views.get(editor.document.uri.toString());
            const back = this.views.get(active.document.uri.toString());
            if (forward?.shown && forward.subject.source === active.document.uri.toString()) {
                const lines = linesOf(forward.shown.lines, active.selection);
                spots.set(editor, lines.map((line) => new vscode.Range(line, 0, line, 0)));
            } else if (back?.shown && back.subject.source === editor.document.uri.toString()) {
                const range = sourceOf(back.shown.lines, active.selection.active.line);
                spots.set(editor, range ? [toRange(range)] : []);
            }
        }
        return spots;
    }

    private outdatedPartOf({ document }: vscode.TextEditor): vscode.Range[] {
        const view = this.views.get(document.uri.toString());
        const isOld = view?.shown !== undefined && isOutdated(view.shown, view.trouble);
        return isOld ? [document.validateRange(new vscode.Range(0, 0, document.lineCount, 0))] : [];
    }
}

function toRange({ start, end }: Range): vscode.Range {
    return new vscode.Range(start.line, start.character, end.line, end.character);
}
