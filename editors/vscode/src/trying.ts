/** What the first steps with a kernel need: an example to open, and the examples of a file run. */

import * as path from 'node:path';
import * as vscode from 'vscode';
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

/** Runs the examples in the documentation of the file that is edited, in the terminal. */
export async function runExamples(extension: string): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (document?.languageId !== 'lane' || document.uri.scheme !== 'file') {
        void vscode.window.showInformationMessage('Open a file with kernels first: its examples are what is run.');
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
    await document.save();
    const file = document.uri.fsPath;
    const execution = new vscode.ProcessExecution(program.command, ['test', file], {
        cwd: path.dirname(file),
        env: program.environment,
    });
    const definition = { type: 'lanescope', file };
    const task = new vscode.Task(definition, vscode.TaskScope.Workspace, `test ${path.basename(file)}`, 'lanescope', execution);
    await vscode.tasks.executeTask(task);
}
