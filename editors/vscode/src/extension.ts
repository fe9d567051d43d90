/**
 * Lanescope in VS Code: the language server's client, views beside the source, and the status item.
 *
 * In reading order: `binary` finds the server, `restarts` judges its ends, `server` runs it, `lenses` stand above kernels, `lines` and `addresses` are what
 * a view is made of, `views` shows them as `files`, `stages`, `target` and `pickers` let the user choose, `offers` are what makes a
 * kernel faster, which `faster` lists, `trying` opens and runs examples and measures kernels, `plots` draws that, `debugging` starts the
 * debugger, `status` says how things stand.
 */

import * as vscode from 'vscode';
import { type Subject, subjectOf } from './addresses';
import { registerDebugger } from './debugging';
import type { Position } from './lines';
import { pickStage, pickTarget } from './pickers';
import { stageBeside } from './stages';
import { findProgram, Server } from './server';
import { offerHelp, Status } from './status';
import { Target } from './target';
import { measureKernel, openExample, plotKernel, runExamples } from './trying';
import { Views } from './views';

/** The server of this window, which is waited for when the window closes. */
let running: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
    const target = new Target(context.workspaceState);
    const server = new Server(context.extensionPath, target, (subject, position) => {
        return openAt(server, views, subject, position);
    });
    running = server;
    const views = new Views(
        (subject, position, kernel, token) => server.view(subject, position, kernel, token),
        (word, token) => server.explainWord(word, token),
    );
    const command = (name: string, run: (...args: never[]) => unknown) => vscode.commands.registerCommand(name, run);
    context.subscriptions.push(
        target,
        views,
        new Status(server, target),
        registerDebugger(() => findProgram(context.extensionPath)),
        target.onDidChange(() => views.refreshAll()),
        command('lanescope.openView', (stage?: string) => openView(server, views, stage)),
        command('lanescope.findFaster', () => findFaster()),
        command('lanescope.runExamples', () => runExamples(context.extensionPath)),
        command('lanescope.measureKernel', (line?: number) => measureKernel(context.extensionPath, line)),
        command('lanescope.plotKernel', (line?: number) => plotKernel(context.extensionPath, line)),
        command('lanescope.openExample', () => openExample(context.extensionUri)),
        command('lanescope.previousStage', () => showOtherStage(server, views, -1)),
        command('lanescope.nextStage', () => showOtherStage(server, views, 1)),
        command('lanescope.goToSource', () => views.goToSource()),
        command('lanescope.selectTarget', () => selectTarget(context.extension, target)),
        command('lanescope.restartServer', () => server.restart()),
        command('lanescope.help', () => {
            const { condition } = server;
            return 'why' in condition ? offerHelp(server, condition.why) : server.showLog();
        }),
        server.onDidChange(({ is }) => is === 'running' && views.refreshAll()),
        vscode.workspace.onDidChangeConfiguration((event) => {
            if (event.affectsConfiguration('lanescope.server')) {
                void server.restart();
            } else if (event.affectsConfiguration('lanescope')) {
                views.refreshAll();
            }
        }),
    );
    await server.restart();
}

export async function deactivate(): Promise<void> {
    await running?.dispose();
}

/** Opens a view of what the cursor is at; which stage, is asked unless it is given. */
async function openView(server: Server, views: Views, given: string | undefined): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const subject = editor && subjectOf(editor.document.uri.query);
    if (editor === undefined || (subject === undefined && editor.document.languageId !== 'lane')) {
        void vscode.window.showInformationMessage('Put the cursor into a kernel first: a view is a view of that kernel.');
        return;
    }
    const stages = server.stages();
    if (stages.length === 0) {
        await vscode.commands.executeCommand('lanescope.help');
        return;
    }
    const first = vscode.workspace.getConfiguration('lanescope').get<string>('stage', '');
    const stage = given ?? (await pickStage(stages, first));
    if (stage !== undefined) {
        const source = subject?.source ?? editor.document.uri.toString();
        await openAt(server, views, { source, stage }, subject ? undefined : editor.selection.active);
    }
}

/** Shows the kernel of the view that the cursor is in at the stage before or behind it, in the place of that view. */
async function showOtherStage(server: Server, views: Views, step: -1 | 1): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const subject = editor && subjectOf(editor.document.uri.query);
    const stage = subject && stageBeside(server.stages(), subject.stage, step);
    if (editor === undefined || subject === undefined || stage === undefined) {
        return;
    }
    const position = views.positionOf(editor.document.uri);
    await views.open({ source: subject.source, stage: stage.name }, stage.languageId, position, editor.viewColumn);
}

async function openAt(server: Server, views: Views, subject: Subject, position?: Position): Promise<void> {
    const languageId = server.stages().find(({ name }) => name === subject.stage)?.languageId ?? 'plaintext';
    await views.open(subject, languageId, position);
}

/** Finds faster versions of the kernel that the cursor is in. */
async function findFaster(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.languageId !== 'lane') {
        void vscode.window.showInformationMessage('Put the cursor into a kernel first: that kernel is what is made faster.');
        return;
    }
    const { line, character } = editor.selection.active;
    const place = { textDocument: { uri: editor.document.uri.toString() }, position: { line, character } };
    await vscode.commands.executeCommand('lanescope.faster', place);
}

async function selectTarget(extension: vscode.Extension<unknown>, target: Target): Promise<void> {
    const chosen = await pickTarget(extension, target.name);
    if (chosen !== undefined) {
        await target.choose(chosen);
    }
}
