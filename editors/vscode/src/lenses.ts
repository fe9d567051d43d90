/** Lenses above kernels: the server's, and beside them what runs the kernel in the terminal. */

import * as vscode from 'vscode';

/** A lens of the server's that stands above each kernel which may be run, and above no other. */
const ABOVE_KERNELS = 'lanescope.faster';

/** The server's lenses, with those that run a kernel in the terminal beside them. */
export function withRuns(document: vscode.TextDocument, lenses: vscode.CodeLens[]): vscode.CodeLens[] {
    return lenses.flatMap((lens) => {
        if (document.uri.scheme !== 'file' || lens.command?.command !== ABOVE_KERNELS) {
            return [lens];
        }
        const { line } = lens.range.start;
        const run = { title: 'Run examples', command: 'lanescope.runExamples' };
        const measure = { title: 'Measure', command: 'lanescope.measureKernel', arguments: [line] };
        const plot = { title: 'Plot', command: 'lanescope.plotKernel', arguments: [line] };
        const runs = hasExample(document, line) ? [run, measure, plot] : [measure, plot];
        return [lens, ...runs.map((command) => new vscode.CodeLens(lens.range, command))];
    });
}

/** Says whether the documentation above the header of a kernel has an example. */
function hasExample(document: vscode.TextDocument, header: number): boolean {
    for (let line = header - 1; line >= 0; line--) {
        const { text } = document.lineAt(line);
        if (/^##\s*>/.test(text) || !/^(##|@)/.test(text)) {
            return text.startsWith('##');
        }
    }
    return false;
}
