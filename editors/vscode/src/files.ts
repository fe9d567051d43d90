/**
 * Views as files that nobody can write to. Texts that an extension merely provides are gone when a window is loaded anew;
 * files are read again.
 */

import * as vscode from 'vscode';

/** The text of a view; undefined where the address is none of ours. */
type Read = (uri: vscode.Uri) => Promise<string | undefined>;

export class ViewFiles implements vscode.FileSystemProvider, vscode.Disposable {
    private readonly emitter = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
    readonly onDidChangeFile = this.emitter.event;
    /** Counts changes, so that each text is newer than the one before, however soon it comes. */
    private clock = Date.now();

    constructor(private readonly read: Read) {}

    /** Says that there is another text at an address. */
    changed(uri: vscode.Uri): void {
        this.clock += 1;
        this.emitter.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    }

    async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
        const { length } = await this.readFile(uri);
        const permissions = vscode.FilePermission.Readonly;
        return { type: vscode.FileType.File, ctime: 0, mtime: this.clock, size: length, permissions };
    }

    async readFile(uri: vscode.Uri): Promise<Uint8Array> {
        const text = await this.read(uri);
        if (text === undefined) {
            throw vscode.FileSystemError.FileNotFound(uri);
        }
        return new TextEncoder().encode(text);
    }

    watch(): vscode.Disposable {
        return new vscode.Disposable(() => {});
    }

    readDirectory(): [string, vscode.FileType][] {
        return [];
    }

    createDirectory = refuse;
    writeFile = refuse;
    delete = refuse;
    rename = refuse;

    dispose(): void {
        this.emitter.dispose();
    }
}

function refuse(): never {
    throw vscode.FileSystemError.NoPermissions('A view cannot be changed: it shows what its source is lowered to.');
}
