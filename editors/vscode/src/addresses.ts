/**
 * The addresses of views: `lane-view:/mandelbrot.final.laneir?{"source":…,"stage":…}`. (`lanescope-view:` are the server's own,
 * for editors without this extension.)
 *
 * All that a view is about stands in its address, so that a window that is loaded anew shows the same views again. The path
 * is what its tab is called.
 */

export const SCHEME = 'lane-view';

/** What a view is a view of. */
export interface Subject {
    /** The address of the source. */
    source: string;
    stage: string;
}

/** By its extension an editor knows the language of a text, and needs not be told when it is there. */
const EXTENSIONS: Readonly<Record<string, string>> = {
    'lane-ir': 'laneir',
    lane: 'lane',
    llvm: 'll',
    asm: 's',
};

/** The path and the query of the address of a subject whose text is in a language. */
export function addressOf({ source, stage }: Subject, languageId: string): { path: string; query: string } {
    const file = decodeURIComponent(source.split(/[/:]/).pop() ?? '');
    const name = file.replace(/\.lane$/, '') || 'kernel';
    return { path: `/${name}.${stage}.${EXTENSIONS[languageId] ?? 'txt'}`, query: JSON.stringify({ source, stage }) };
}

/** What an address's query says, if it is one of ours. */
export function subjectOf(query: string): Subject | undefined {
    try {
        const { source, stage } = JSON.parse(query);
        return typeof source === 'string' && typeof stage === 'string' ? { source, stage } : undefined;
    } catch {
        return undefined;
    }
}
