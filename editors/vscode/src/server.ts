/** The language server's process: started, stopped and started again, and what it is asked beside the standard. */

import * as fs from 'node:fs';
import * as os from 'node:os';
import * as vscode from 'vscode';
import { type Executable, LanguageClient, type LanguageClientOptions, State } from 'vscode-languageclient/node';
import type { Subject } from './addresses';
import { findBinary } from './binary';
import type { Position, ViewText } from './lines';
import { type Stage, stagesOf } from './stages';

/** What can be said of the server at a glance. */
export type Condition = { is: 'stopped' | 'starting' | 'running' } | { is: 'missing' | 'failed'; why: string };

/** Opens a view that a code action or lens of the server asks for. */
export type OpenView = (subject: Subject, position: Position) => Promise<void>;

export class Server implements vscode.Disposable {
    condition: Condition = { is: 'stopped' };

    private client: LanguageClient | undefined;
    private readonly changed = new vscode.EventEmitter<Condition>();
    readonly onDidChange = this.changed.event;
    private readonly log = vscode.window.createOutputChannel('Lanescope', { log: true });
    /** Starts and stops, one after the other: a setting may change while the server is still starting. */
    private turn: Promise<void> = Promise.resolve();
    /** Whether the server that runs is on its way out. */
    private isLeaving = false;

    constructor(
        private readonly extension: string,
        private readonly openView: OpenView,
    ) {}

    /** Starts the server, or starts it anew. */
    restart(): Promise<void> {
        this.isLeaving = true;
        this.turn = this.turn.then(() => this.stopNow()).then(() => this.startNow());
        return this.turn;
    }

    /** The stages that there are views of; none while no server runs. */
    stages(): Stage[] {
        return stagesOf(this.client?.initializeResult?.capabilities);
    }

    /** The view of a source at a stage. */
    async view({ source, stage }: Subject, position: Position): Promise<ViewText | null> {
        if (this.client === undefined || this.condition.is !== 'running') {
            throw new Error('Lanescope’s language server is not running.');
        }
        const target = vscode.workspace.getConfiguration('lanescope').get<string>('target');
        return this.client.sendRequest('lanescope/view', { textDocument: { uri: source }, position, stage, target });
    }

    showLog(): void {
        this.log.show();
    }

    async dispose(): Promise<void> {
        this.turn = this.turn.then(() => this.stopNow());
        await this.turn;
        this.changed.dispose();
        this.log.dispose();
    }

    private set(condition: Condition): void {
        this.condition = condition;
        this.changed.fire(condition);
    }

    private async startNow(): Promise<void> {
        this.isLeaving = false;
        const search = findBinary(surroundings(this.extension), isExecutable);
        if ('missing' in search) {
            this.log.error(search.missing);
            this.set({ is: 'missing', why: search.missing });
            return;
        }
        this.log.info(`${search.command} (found by ${search.from})`);
        this.set({ is: 'starting' });
        const client = new LanguageClient('lanescope', 'Lanescope', executable(search.command), this.options());
        this.client = client;
        client.onDidChangeState(({ newState }) => {
            if (this.client === client && newState === State.Running) {
                this.set({ is: 'running' });
            } else if (this.client === client && newState === State.Stopped && this.condition.is === 'running') {
                this.set({ is: 'failed', why: 'The language server has ended.' });
            }
        });
        try {
            await client.start();
        } catch (error) {
            const why = error instanceof Error ? error.message : String(error);
            this.set({ is: 'failed', why: `${search.command} lsp did not start: ${why}` });
        }
    }

    private async stopNow(): Promise<void> {
        const client = this.client;
        this.client = undefined;
        if (client !== undefined) {
            this.set({ is: 'stopped' });
            // A server that hangs or has died is no reason to keep the editor waiting.
            await client.dispose(2000).catch((error) => this.log.warn(`while stopping: ${error}`));
        }
    }

    private options(): LanguageClientOptions {
        return {
            // Not the views, some of which are in Lane too.
            documentSelector: ['file', 'untitled'].map((scheme) => ({ scheme, language: 'lane' })),
            outputChannel: this.log,
            initializationOptions: vscode.workspace.getConfiguration('lanescope'),
            synchronize: {
                configurationSection: 'lanescope',
                fileEvents: vscode.workspace.createFileSystemWatcher('**/*.lane'),
            },
            middleware: {
                workspace: {
                    // A setting that has the server replaced is for the next one, which reads it when it starts.
                    didChangeConfiguration: async (sections, next) => (this.isLeaving ? undefined : next(sections)),
                },
                executeCommand: (command, args, next) => {
                    const wanted = viewWanted(command, args);
                    return wanted ? this.openView(wanted.subject, wanted.position) : next(command, args);
                },
            },
        };
    }
}

/** What the server's own command for a view asks for; here the view opens in the way of this editor. */
function viewWanted(command: string, args: unknown[]): { subject: Subject; position: Position } | undefined {
    const [wanted] = args as [{ textDocument?: { uri: string }; stage?: string; position?: Position }?];
    if (command !== 'lanescope.view' || wanted?.textDocument === undefined || wanted.stage === undefined) {
        return undefined;
    }
    const source = vscode.Uri.parse(wanted.textDocument.uri).toString();
    return { subject: { source, stage: wanted.stage }, position: wanted.position ?? { line: 0, character: 0 } };
}

function executable(command: string): Executable {
    const environment = vscode.workspace.getConfiguration('lanescope').get<Record<string, string>>('server.environment');
    return { command, args: ['lsp'], options: { env: { ...process.env, ...environment } } };
}

function surroundings(extension: string) {
    return {
        setting: vscode.workspace.getConfiguration('lanescope').get<string>('server.path', '').trim(),
        extension,
        searchPath: process.env['PATH'] ?? '',
        workspace: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath,
        home: os.homedir(),
        platform: process.platform,
    };
}

function isExecutable(file: string): boolean {
    try {
        fs.accessSync(file, fs.constants.X_OK);
        return fs.statSync(file).isFile();
    } catch {
        return false;
    }
}
