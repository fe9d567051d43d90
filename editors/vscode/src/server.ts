/** The language server's process: started, stopped and started again, and what it is asked beside the standard. */

import * as fs from 'node:fs';
import * as os from 'node:os';
import * as vscode from 'vscode';
import {
    CloseAction,
    type CloseHandlerResult,
    ErrorAction,
    type Executable,
    LanguageClient,
    type LanguageClientOptions,
    LSPErrorCodes,
    ResponseError,
    State,
    type StaticFeature,
} from 'vscode-languageclient/node';
import type { Subject } from './addresses';
import { findBinary } from './binary';
import { Offers } from './faster';
import { withRuns } from './lenses';
import type { Position, ViewText } from './lines';
import type { Found } from './offers';
import { NO_ANSWER, Restarts } from './restarts';
import { type Stage, stagesOf } from './stages';
import type { Target } from './target';
import type { Explained, Word } from './views';

/** What can be said of the server at a glance. */
export type Condition = { is: 'stopped' | 'starting' | 'running' } | { is: 'missing' | 'failed'; why: string };

/** A program, and the variables that its process gets. */
export interface Launched {
    command: string;
    environment: Record<string, string>;
}

/** The answer to a question that is to be asked again. */
export const OUTDATED = Symbol('outdated');
const OUTDATED_CODES: readonly number[] = [
    LSPErrorCodes.ContentModified,
    LSPErrorCodes.RequestCancelled,
    LSPErrorCodes.ServerCancelled,
];

const FIND_FASTER = 'lanescope.faster';

/** What a command about a kernel is given. */
interface KernelPlace {
    textDocument: { uri: string };
    position: Position;
}

type Next = (command: string, args: unknown[]) => vscode.ProviderResult<any>;

/** Opens a view that a code action or lens of the server asks for. */
export type OpenView = (subject: Subject, position: Position) => Promise<void>;

export class Server implements vscode.Disposable {
    condition: Condition = { is: 'stopped' };

    private client: LanguageClient | undefined;
    private readonly changed = new vscode.EventEmitter<Condition>();
    readonly onDidChange = this.changed.event;
    private readonly log = vscode.window.createOutputChannel('Lanescope', { log: true });
    private readonly files = vscode.workspace.createFileSystemWatcher('**/*.{lane,ispc,isph,ih}');
    private readonly offers = new Offers();
    /** Starts and stops, one after the other: a setting may change while the server is still starting. */
    private turn: Promise<void> = Promise.resolve();
    private readonly trusted: vscode.Disposable;
    /** Whether the server that runs is on its way out. */
    private isLeaving = false;

    constructor(
        private readonly extension: string,
        private readonly target: Target,
        private readonly openView: OpenView,
    ) {
        target.onDidChange(() => this.sendSettings());
        this.trusted = vscode.workspace.onDidGrantWorkspaceTrust(() => this.sendSettings());
    }

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

    /** The view of a source at a stage; `OUTDATED` where the source has changed under the question. */
    async view(
        { source, stage }: Subject,
        position: Position,
        kernel: string | undefined,
        token: vscode.CancellationToken,
    ): Promise<ViewText | null | typeof OUTDATED> {
        if (this.client === undefined || this.condition.is !== 'running') {
            throw new Error('Lanescope’s language server is not running.');
        }
        const params = { textDocument: { uri: source }, position, stage, target: this.target.name, kernel };
        try {
            return await this.client.sendRequest<ViewText | null>('lanescope/view', params, token);
        } catch (error) {
            if (error instanceof ResponseError && OUTDATED_CODES.includes(error.code)) {
                return OUTDATED;
            }
            throw error;
        }
    }

    /** The explanation of a word of a view; none where there is nothing to say of it, or nobody to ask. */
    async explainWord(word: Word, token: vscode.CancellationToken): Promise<Explained | null> {
        if (this.client === undefined || this.condition.is !== 'running') {
            return null;
        }
        return this.client.sendRequest<Explained | null>('lanescope/explainWord', word, token).catch(() => null);
    }

    showLog(): void {
        this.log.show();
    }

    async dispose(): Promise<void> {
        this.turn = this.turn.then(() => this.stopNow());
        await this.turn;
        this.changed.dispose();
        this.trusted.dispose();
        this.offers.dispose();
        this.files.dispose();
        this.log.dispose();
    }

    private async sendSettings(): Promise<void> {
        // A setting that has the server replaced is for the next one, which reads it when it starts.
        if (this.client !== undefined && this.condition.is === 'running' && !this.isLeaving) {
            const settings = { lanescope: this.target.settings() };
            await this.client.sendNotification('workspace/didChangeConfiguration', { settings });
        }
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
        const restarts = new Restarts();
        let hasRun = false;
        const fail = (reason: string) => {
            if (this.client === client && this.condition.is !== 'failed') {
                this.set({ is: 'failed', why: `Lanescope’s language server, ${search.command}, is not running: ${reason}` });
            }
        };
        const closed = (): CloseHandlerResult => {
            const refused = restarts.refused(hasRun, Date.now());
            hasRun = false;
            if (refused !== undefined) {
                fail(refused);
                return { action: CloseAction.DoNotRestart, handled: true };
            }
            this.set({ is: 'starting' });
            return { action: CloseAction.Restart, message: 'The server has ended, and is started again.', handled: true };
        };
        const client = new Client(executable(search.command), this.options(closed), () => fail(NO_ANSWER));
        this.client = client;
        client.onDidChangeState(({ newState }) => {
            if (this.client === client && newState === State.Running) {
                hasRun = true;
                this.set({ is: 'running' });
            }
        });
        // Why it did not start is said by then.
        await client.start().catch(() => fail(NO_ANSWER));
    }

    /** Has the server try the changes of a kernel, which takes a while and shows how far it is, and lists those that gain. */
    private async findFaster(place: KernelPlace, next: Next): Promise<void> {
        if (!vscode.workspace.isTrusted) {
            const why = 'No kernel of this folder is run, since the folder is not trusted.';
            const trust = 'Manage trust';
            if ((await vscode.window.showWarningMessage(why, trust)) === trust) {
                await vscode.commands.executeCommand('workbench.trust.manage');
            }
            return;
        }
        const found: Found | null | undefined = await next(FIND_FASTER, [{ ...place, show: false }]);
        if (found) {
            const { kernel, trial } = found;
            const { textDocument, position } = place;
            const source = vscode.Uri.parse(textDocument.uri).toString();
            await this.offers.show(found, {
                take: (offer) => next('lanescope.takeFaster', [{ textDocument, kernel, trial, offer }]),
                showAll: () => this.openView({ source, stage: 'faster' }, position),
            });
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

    private options(closed: () => CloseHandlerResult): LanguageClientOptions {
        return {
            // Not the views, some of which are in Lane too.
            documentSelector: ['file', 'untitled'].flatMap((scheme) =>
                ['lane', 'ispc'].map((language) => ({ scheme, language })),
            ),
            outputChannel: this.log,
            initializationOptions: this.target.settings(),
            synchronize: {
                configurationSection: 'lanescope',
                fileEvents: this.files,
            },
            errorHandler: {
                error: (_error, _message, count = 0) => {
                    return { action: count <= 3 ? ErrorAction.Continue : ErrorAction.Shutdown, handled: true };
                },
                closed,
            },
            // What is said of a server that does not start is said once, by the status item.
            initializationFailedHandler: () => false,
            middleware: {
                workspace: {
                    // What is chosen from a list stands in no setting, so that is sent from here, too.
                    didChangeConfiguration: () => this.sendSettings(),
                    configuration: async ({ items }) => {
                        return items.map(({ section }) => (section === 'lanescope' ? this.target.settings() : null));
                    },
                },
                provideCodeLenses: async (document, token, next) => {
                    const lenses = await next(document, token);
                    return lenses && withRuns(document, lenses);
                },
                executeCommand: (command, args, next) => {
                    // The list of this editor takes the place of the server's message with a button for each stage.
                    if (command === 'lanescope.chooseView') {
                        return vscode.commands.executeCommand('lanescope.openView');
                    }
                    if (command === FIND_FASTER) {
                        return this.findFaster(args[0] as KernelPlace, next);
                    }
                    const wanted = viewWanted(command, args);
                    return wanted ? this.openView(wanted.subject, wanted.position) : next(command, args);
                },
            },
        };
    }
}

/** Says that this editor shows the findings at a place beside its hover, which then does not repeat them. */
const FINDINGS_BESIDE_HOVER: StaticFeature = {
    fillClientCapabilities: (capabilities) => {
        capabilities.experimental = { ...capabilities.experimental, lanescope: { findingsBesideHover: true } };
    },
    initialize: () => {},
    getState: () => ({ kind: 'static' }),
    clear: () => {},
};

/** A client that leaves it to the status item to say that the server is gone, so that it is said once, and with what helps. */
class Client extends LanguageClient {
    constructor(
        executable: Executable,
        options: LanguageClientOptions,
        private readonly isGone: () => void,
    ) {
        super('lanescope', 'Lanescope', executable, options);
        this.registerFeature(FINDINGS_BESIDE_HOVER);
    }

    override error(message: string, data?: unknown, showNotification?: boolean | 'force'): void {
        super.error(message, data, showNotification === 'force' ? false : showNotification);
        if (showNotification === 'force') {
            this.isGone();
        }
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
    return { command, args: ['lsp'], options: { env: { ...process.env, ...environment() } } };
}

/** The variables that the user has set for the program. */
function environment(): Record<string, string> {
    return vscode.workspace.getConfiguration('lanescope').get<Record<string, string>>('server.environment', {});
}

/** The program, for what else it does, or the reason why there is none. */
export function findProgram(extension: string): Launched | { missing: string } {
    const search = findBinary(surroundings(extension), isExecutable);
    return 'missing' in search ? search : { command: search.command, environment: environment() };
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
