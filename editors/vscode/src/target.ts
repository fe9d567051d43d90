/**
 * The target that kernels are looked at for.
 *
 * It is the one of the setting until another is chosen from the list. What is chosen is kept with the window's folder, in the
 * editor's own memory: looking at another target is no reason to write a file of settings into somebody's folder. Whoever
 * changes the setting means that one.
 */

import * as vscode from 'vscode';

const KEY = 'lanescope.target';

export class Target implements vscode.Disposable {
    private readonly changed = new vscode.EventEmitter<void>();
    readonly onDidChange = this.changed.event;
    private readonly subscription: vscode.Disposable;

    constructor(private readonly memory: vscode.Memento) {
        this.subscription = vscode.workspace.onDidChangeConfiguration((event) => {
            if (event.affectsConfiguration(KEY)) {
                void this.keep(undefined);
            }
        });
    }

    get name(): string {
        return this.memory.get<string>(KEY) ?? this.ofSetting;
    }

    async choose(target: string): Promise<void> {
        await this.keep(target === this.ofSetting ? undefined : target);
    }

    /** All settings of Lanescope as the server is to have them. Of a folder that is not trusted, nothing runs. */
    settings(): Record<string, unknown> {
        const settings = vscode.workspace.getConfiguration('lanescope');
        const run = settings.get<boolean>('run', true) && vscode.workspace.isTrusted;
        return { ...settings, target: this.name, run };
    }

    dispose(): void {
        this.subscription.dispose();
        this.changed.dispose();
    }

    private get ofSetting(): string {
        return vscode.workspace.getConfiguration().get<string>(KEY, 'native');
    }

    private async keep(target: string | undefined): Promise<void> {
        await this.memory.update(KEY, target);
        this.changed.fire();
    }
}
