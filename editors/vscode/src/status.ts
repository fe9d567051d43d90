/** The item in the status bar: the target while all is well, else what is wrong; a click leads to what can be done. */

import * as vscode from 'vscode';
import { SCHEME } from './addresses';
import type { Condition, Server } from './server';
import type { Target } from './target';

export class Status implements vscode.Disposable {
    private readonly item = vscode.window.createStatusBarItem('lanescope', vscode.StatusBarAlignment.Right, 100);
    private readonly subscriptions: vscode.Disposable[];

    constructor(
        private readonly server: Server,
        private readonly target: Target,
    ) {
        this.item.name = 'Lanescope';
        this.subscriptions = [
            this.item,
            server.onDidChange((condition) => this.conditionChanged(condition)),
            vscode.window.onDidChangeActiveTextEditor(() => this.update()),
            target.onDidChange(() => this.update()),
        ];
        this.update();
    }

    dispose(): void {
        vscode.Disposable.from(...this.subscriptions).dispose();
    }

    private conditionChanged(condition: Condition): void {
        this.update();
        if (condition.is === 'missing' || condition.is === 'failed') {
            void offerHelp(this.server, condition.why);
        }
    }

    private update(): void {
        const { item } = this;
        const { condition } = this.server;
        const isTrouble = condition.is === 'missing' || condition.is === 'failed';
        const icon = isTrouble ? 'warning' : condition.is === 'starting' ? 'loading~spin' : 'layers';
        item.text = `$(${icon}) Lane: ${isTrouble ? 'no server' : this.target.name}`;
        item.tooltip = isTrouble ? condition.why : 'The target that kernels are looked at for; click for another one';
        item.command = isTrouble ? 'lanescope.help' : 'lanescope.selectTarget';
        item.backgroundColor = isTrouble ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
        const document = vscode.window.activeTextEditor?.document;
        if (document?.languageId === 'lane' || document?.uri.scheme === SCHEME) {
            item.show();
        } else {
            item.hide();
        }
    }
}

/** Says what is wrong with the server, and offers what helps. */
export async function offerHelp(server: Server, why: string): Promise<void> {
    const chosen = await vscode.window.showWarningMessage(why, 'Open the setting', 'Try again', 'Show the log');
    if (chosen === 'Open the setting') {
        await vscode.commands.executeCommand('workbench.action.openSettings', 'lanescope.server.path');
    } else if (chosen === 'Try again') {
        await server.restart();
    } else if (chosen === 'Show the log') {
        server.showLog();
    }
}
