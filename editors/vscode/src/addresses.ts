/**
 * The addresses of views: `lanescope-view:/mandelbrot.final.laneir?{"source":…,"stage":…}`.
 *
 * All that a view is about stands in its address, so that a window that is loaded anew shows the same views again. The path
 * is what its tab is called.
 */

export const SCHEME = 'lanescope-view';

/** What a view is a view of. */
export interface Subject {
    /** The address of the source. */
    source: string;
    stage: string;
}

const EXTENSIONS: Readonly<Record<string, string>> = { llvm: 'll', 'llvm-opt': 'll', asm: 's' };

/** The path and the query of a subject's address. */
export function addressOf({ source, stage }: Subject): { path: string; query: string } {
    const file = decodeURIComponent(source.split(/[/:]/).pop() ?? '');
    const name = file.replace(/\.lane$/, '') || 'kernel';
    return { path: `/${name}.${stage}.${EXTENSIONS[stage] ?? 'laneir'}`, query: JSON.stringify({ source, stage }) };
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
