/**
 * Whether a server that has ended by itself is started again.
 *
 * It is, since its user did nothing to end it; but not for ever, and not where it ends before it has said a word, which is
 * what a program does that is no language server at all.
 */

/** What is said of a program that has not answered once. */
export const NO_ANSWER = 'it has not answered. Is this program a `lanescope` that knows `lanescope lsp`? The log says more.';

const MOST = 4;
const WITHIN_MS = 3 * 60 * 1000;

export class Restarts {
    private ends: number[] = [];

    /** Takes down an end; undefined where the server is to be started again, else why it is not. */
    refused(hasRun: boolean, now: number): string | undefined {
        if (!hasRun) {
            return NO_ANSWER;
        }
        this.ends = [...this.ends.filter((end) => now - end < WITHIN_MS), now];
        const n = this.ends.length;
        return n > MOST ? `it has ended by itself ${n} times within three minutes. The log has its last words.` : undefined;
    }
}
