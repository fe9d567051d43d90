/**
 * Faster versions of a kernel: the server tries every change that it knows and measures each; what gains is listed here, with
 * the difference of each, and the one that is chosen is written by the server, unless the text has changed since.
 */

import * as vscode from 'vscode';
import { type Found, headlineOf, type Row, rowsOf } from './offers';

/** The scheme of the texts that show the lines that an offer changes. */
const SCHEME = 'lane-offer';

const SHOW_DIFFERENCE: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('diff'),
    tooltip: 'Show the lines that change',
};
const SHOW_ALL = 'Show all that was tried';

/** What can be done with what was found. */
export interface Deeds {
    /** Has the server write an offer, by its number. */
    take(offer: number): unknown;
    /** Shows all that was tried, also what does not gain. */
    showAll(): unknown;
}

export class Offers implements vscode.TextDocumentContentProvider, vscode.Disposable {
    /** The differences that were shown of the last trial, by their addresses. */
    private readonly texts = new Map<string, string>();
    private readonly subscription = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

    provideTextDocumentContent(uri: vscode.Uri): string | undefined {
        return this.texts.get(uri.toString());
    }

    /** Lists what was found. */
    async show(found: Found, deeds: Deeds): Promise<void> {
        if (found.offers.length === 0) {
            const answer = await vscode.window.showInformationMessage(headlineOf(found), SHOW_ALL);
            return answer === SHOW_ALL ? void deeds.showAll() : undefined;
        }
        this.texts.clear();
        const pick = vscode.window.createQuickPick<Row & vscode.QuickPickItem & { offer?: number }>();
        pick.title = headlineOf(found);
        pick.placeholder = 'Choose one to write it into the text';
        pick.matchOnDescription = true;
        pick.matchOnDetail = true;
        // Looking at a difference is no reason to lose what took so long.
        pick.ignoreFocusOut = true;
        const rows = rowsOf(found).map((row, offer) => ({ ...row, offer, buttons: [SHOW_DIFFERENCE] }));
        pick.items = [...rows, { label: `$(list-unordered) ${SHOW_ALL}`, description: '', detail: '' }];
        pick.onDidTriggerItemButton(({ item }) => this.showDifference(found, item.offer ?? 0));
        pick.onDidHide(() => pick.dispose());
        pick.onDidAccept(() => {
            const [chosen] = pick.selectedItems;
            pick.hide();
            if (chosen !== undefined) {
                void (chosen.offer === undefined ? deeds.showAll() : deeds.take(chosen.offer));
            }
        });
        pick.show();
    }

    dispose(): void {
        this.subscription.dispose();
    }

    private async showDifference({ kernel, trial, offers }: Found, offer: number): Promise<void> {
        const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${kernel}.${trial}.${offer + 1}.diff` });
        this.texts.set(uri.toString(), offers[offer]?.diff ?? '');
        const viewColumn = vscode.ViewColumn.Beside;
        await vscode.window.showTextDocument(uri, { viewColumn, preserveFocus: true, preview: true });
    }
}
