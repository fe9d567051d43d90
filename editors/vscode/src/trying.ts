/** What the first steps with a kernel need: an example to open, the examples of a file run, and a kernel measured. */

import { execFile } from 'node:child_process';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { kernelAt } from './debugging';
import { type Measured, pageOf } from './plots';
import { findProgram, type Launched } from './server';

/** Writes the example of the walkthrough where the user likes, and opens it: a kernel is run and debugged from a file. */
export async function openExample(extension: vscode.Uri): Promise<void> {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const defaultUri = folder && vscode.Uri.joinPath(folder, 'example.lane');
    const filters = { Lane: ['lane'] };
    const target = await vscode.window.showSaveDialog({ title: 'Where the example is to be', filters, ...(defaultUri && { defaultUri }) });
    if (target !== undefined) {
        const source = vscode.Uri.joinPath(extension, 'walkthrough', 'example.lane');
        await vscode.workspace.fs.copy(source, target, { overwrite: true });
        await vscode.window.showTextDocument(target);
    }
}

/** Runs the examples in the documentation of the file that is edited, in the terminal; one that fails is a problem. */
export async function runExamples(extension: string): Promise<void> {
    await runInTerminal(extension, 'test', () => [], '$lanescope-examples');
}

/** Measures the kernel that the cursor is in, or the one of a line, in the terminal. */
export async function measureKernel(extension: string, line?: number): Promise<void> {
    await runInTerminal(extension, 'bench', ({ document, selection }) => {
        const { kernel } = kernelAt(document, line ?? selection.active.line);
        return kernel === undefined ? [] : ['--kernel', kernel];
    });
}

/** The longest output of measurements that is read. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Measures the kernel that the cursor is in, or the one of a line, on many sizes, with many lanes and for all targets, and plots that. */
export async function plotKernel(extension: string, line?: number): Promise<void> {
    const ready = await readyToRun(extension);
    if (ready === undefined) {
        return;
    }
    const { program, file, editor } = ready;
    const { kernel } = kernelAt(editor.document, line ?? editor.selection.active.line);
    const named = kernel === undefined ? [] : ['--kernel', kernel];
    const args = ['bench', file, ...named, '--sweep', 'sizes,lanes,targets', '--time', '100', '--json'];
    const progress = { location: vscode.ProgressLocation.Notification, title: `Measuring ${kernel ?? 'the kernel'}`, cancellable: true };
    const printed = await vscode.window.withProgress(progress, (_, token) => {
        return new Promise<{ text: string } | { trouble: string } | undefined>((resolve) => {
            const options = { cwd: path.dirname(file), env: program.environment, maxBuffer: MOST_BYTES };
            const child = execFile(program.command, args, options, (error, stdout, stderr) => {
                const trouble = stderr.trim() || error?.message;
                resolve(token.isCancellationRequested ? undefined : error === null ? { text: stdout } : { trouble: trouble ?? '' });
            });
            token.onCancellationRequested(() => child.kill());
        });
    });
    if (printed === undefined) {
        return;
    }
    if ('trouble' in printed) {
        void vscode.window.showErrorMessage(`The kernel was not measured: ${printed.trouble}`);
        return;
    }
    const measured = JSON.parse(printed.text) as Measured;
    const title = `${measured.kernel}: Measured`;
    const where = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const panel = vscode.window.createWebviewPanel('lanescope.plots', title, where, { enableScripts: false });
    panel.webview.html = pageOf(measured);
}

/** The program, and the file that is edited, which is saved; says why if nothing can be run. */
async function readyToRun(
    extension: string,
): Promise<{ program: Launched; file: string; editor: vscode.TextEditor } | undefined> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.languageId !== 'lane' || editor.document.uri.scheme !== 'file') {
        void vscode.window.showInformationMessage('Open a file with kernels first: its kernels are what is run.');
        return undefined;
    }
    if (!vscode.workspace.isTrusted) {
        void vscode.window.showWarningMessage('No kernel of this folder is run, since the folder is not trusted.');
        return undefined;
    }
    const program = findProgram(extension);
    if ('missing' in program) {
        void vscode.window.showWarningMessage(program.missing);
        return undefined;
    }
    await editor.document.save();
    return { program, file: editor.document.uri.fsPath, editor };
}

/** Has the program do something with the file that is edited. */
async function runInTerminal(
    extension: string,
    command: string,
    more: (editor: vscode.TextEditor) => string[],
    problems?: string,
): Promise<void> {
    const ready = await readyToRun(extension);
    if (ready === undefined) {
        return;
    }
    const { program, file, editor } = ready;
    const execution = new vscode.ProcessExecution(program.command, [command, file, ...more(editor)], {
        cwd: path.dirname(file),
        env: program.environment,
    });
    const definition = { type: 'lanescope', command, file };
    const name = `${command} ${path.basename(file)}`;
    const task = new vscode.Task(definition, vscode.TaskScope.Workspace, name, 'lanescope', execution, problems);
    task.presentationOptions = { clear: true };
    await vscode.tasks.executeTask(task);
}
