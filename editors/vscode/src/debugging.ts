/**
 * The debugger: `lanescope dap`, started from the same program as the server, what is run where nothing is written down, and which
 * values stand beside the lines.
 */

import * as vscode from 'vscode';
import type { Launched } from './server';

/** The name of the debugger, as launch configurations have it. */
const TYPE = 'lanescope';

/** Registers the debugger. `program` finds the command, or says why there is none. */
export function registerDebugger(program: () => Launched | { missing: string }): vscode.Disposable {
    const factory: vscode.DebugAdapterDescriptorFactory = {
        createDebugAdapterDescriptor() {
            const found = program();
            if ('missing' in found) {
                throw new Error(found.missing);
            }
            return new vscode.DebugAdapterExecutable(found.command, ['dap'], { env: found.environment });
        },
    };
    const provider: vscode.DebugConfigurationProvider = {
        provideDebugConfigurations: () => [usual()],
        resolveDebugConfiguration: (_, configuration) => resolved(configuration),
    };
    return vscode.Disposable.from(
        vscode.debug.registerDebugAdapterDescriptorFactory(TYPE, factory),
        vscode.debug.registerDebugConfigurationProvider(TYPE, provider),
        vscode.languages.registerInlineValuesProvider('lane', { provideInlineValues }),
    );
}

/** The names on the lines of the kernel up to the one that comes next. The editor looks their values up, and leaves out what has none. */
function provideInlineValues(
    document: vscode.TextDocument,
    viewPort: vscode.Range,
    { stoppedLocation }: vscode.InlineValueContext,
): vscode.InlineValue[] {
    const last = Math.min(viewPort.end.line, stoppedLocation.end.line);
    const values: vscode.InlineValue[] = [];
    for (let line = last; line >= viewPort.start.line; line--) {
        const { text } = document.lineAt(line);
        const code = text.replace(/#.*/, '');
        const names = new Set([...code.matchAll(/[A-Za-z_]\w*/g)].map(({ 0: name }) => name));
        for (const name of names) {
            const start = code.search(new RegExp(`\\b${name}\\b`));
            values.push(new vscode.InlineValueVariableLookup(new vscode.Range(line, start, line, start + name.length), name));
        }
        // The lines above the header are of other items.
        if (/^\S/.test(text)) {
            break;
        }
    }
    return values;
}

function usual(): vscode.DebugConfiguration {
    return { type: TYPE, request: 'launch', name: 'Step through the kernel', program: '${file}' };
}

/** A configuration with what it leaves out. F5 without any runs the kernel that the cursor is in. */
function resolved(configuration: vscode.DebugConfiguration): vscode.DebugConfiguration | undefined {
    const editor = vscode.window.activeTextEditor;
    const isEmpty = !configuration.type && !configuration.request && !configuration.name;
    if (!isEmpty) {
        return configuration;
    }
    if (editor?.document.languageId !== 'lane') {
        void vscode.window.showInformationMessage('Put the cursor into a kernel first: that kernel is what is run.');
        return undefined;
    }
    return { ...usual(), ...kernelAt(editor.document, editor.selection.active.line) };
}

/** The kernel whose lines these are: a line in column 0 starts an item. */
export function kernelAt(document: vscode.TextDocument, line: number): { kernel?: string } {
    for (let n = line; n >= 0; n--) {
        const header = /^(kernel|fn|struct|const)\s+(\w+)/.exec(document.lineAt(n).text);
        if (header !== null) {
            const name = header[2];
            return header[1] === 'kernel' && name !== undefined ? { kernel: name } : {};
        }
    }
    return {};
}
