/** What a user chooses from a list: the stage of a view, the target. */

import * as vscode from 'vscode';
import type { Stage } from './stages';

export async function pickStage(stages: readonly Stage[], last: string): Promise<string | undefined> {
    const items = stages.map(({ name, description }) => ({ label: name, description }));
    const first = items.filter(({ label }) => label === last);
    const others = items.filter(({ label }) => label !== last);
    const chosen = await vscode.window.showQuickPick([...first, ...others], {
        title: 'The stage to look at',
        matchOnDescription: true,
    });
    return chosen?.label;
}

/** The targets are those that the setting allows, so that there is one list of them in the extension. */
export async function pickTarget(extension: vscode.Extension<unknown>, current: string): Promise<string | undefined> {
    const { enum: targets, enumDescriptions } =
        extension.packageJSON.contributes.configuration.properties['lanescope.target'];
    const items = (targets as string[]).map((label, n) => ({
        label,
        description: enumDescriptions[n] + (label === current ? ' (now)' : ''),
    }));
    const chosen = await vscode.window.showQuickPick(items, { title: 'The target', matchOnDescription: true });
    return chosen?.label;
}
