/** What the first steps with a kernel need: an example to open, the examples of a file run, and a kernel measured. */

import * as path from 'node:path';
import * as vscode from 'vscode';
import { kernelAt } from './debugging';
import { findProgram } from './server';

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

/** Has the program do something with the file that is edited, which is saved before. */
async function runInTerminal(
    extension: string,
    command: string,
    more: (editor: vscode.TextEditor) => string[],
    problems?: string,
): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.languageId !== 'lane' || editor.document.uri.scheme !== 'file') {
        void vscode.window.showInformationMessage('Open a file with kernels first: its kernels are what is run.');
        return;
    }
    if (!vscode.workspace.isTrusted) {
        void vscode.window.showWarningMessage('No kernel of this folder is run, since the folder is not trusted.');
        return;
    }
    const program = findProgram(extension);
    if ('missing' in program) {
        void vscode.window.showWarningMessage(program.missing);
        return;
    }
    await editor.document.save();
    const file = editor.document.uri.fsPath;
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
