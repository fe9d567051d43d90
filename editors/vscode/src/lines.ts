/**
 * The two ways between a source text and a view of it.
 *
 * Each line of a view knows the range of the source that it was made from, or none (`else:`, what a pass introduced). A
 * loop's line has the whole loop as its range, so ranges nest.
 */

export interface Position {
    line: number;
    character: number;
}

export interface Range {
    start: Position;
    end: Position;
}

/** A line of a view, counted from 0, and the source that it shows. */
export interface ViewLine {
    line: number;
    range?: Range | null;
}

/** A view as the server sends it. */
export interface ViewText {
    text: string;
    languageId: string;
    /** The kernel, the stage, the target if it depends on one, and the version of the source that it shows. */
    name?: string | null;
    stage?: string | null;
    target?: string | null;
    version?: number | null;
    /** Whether it shows an earlier text, since nothing can be made of the present one. */
    outdated?: boolean | null;
    /** Why it is not what one might expect: the source has an error, and this is what was there before. */
    note?: string | null;
    lines: ViewLine[];
}

/** What a view says of itself, in one line. */
export function titleOf({ name, stage, target, version, note }: ViewText, trouble?: string): string {
    const said = trouble ?? note ?? undefined;
    // A note names the version itself, and comes first: behind a long line nobody would see it.
    const source = said === undefined && typeof version === 'number' ? `version ${version} of the source` : undefined;
    return [said, name, stage, target, source].filter((part) => part).join(' · ');
}

/** Whether a view shows something else than the source as it is now. */
export function isOutdated(shown: ViewText, trouble?: string): boolean {
    return trouble !== undefined || shown.outdated === true;
}

/** The source of a view's line. */
export function sourceOf(lines: readonly ViewLine[], line: number): Range | undefined {
    return lines.find((candidate) => candidate.line === line)?.range ?? undefined;
}

/**
 * The lines of a view that show a selection of the source: those whose source starts on a selected line. Where none does, as
 * in the middle of an expression or at a statement that was folded away, it is the innermost that is around it.
 */
export function linesOf(lines: readonly ViewLine[], selection: Range): number[] {
    const starting = lines.filter(({ range }) => range && isWithin(range.start.line, selection));
    if (starting.length > 0) {
        return starting.map(({ line }) => line);
    }
    const around = lines.filter(({ range }) => range && encloses(range, selection));
    const least = Math.min(...around.map(({ range }) => nLines(range!)));
    return around.filter(({ range }) => nLines(range!) === least).map(({ line }) => line);
}

/** Whether a view shows nothing of a place, so that the view of another kernel may be wanted there. */
export function isElsewhere(lines: readonly ViewLine[], { line }: Position): boolean {
    const ranges = lines.flatMap(({ range }) => (range ? [range] : []));
    return !ranges.some(({ start, end }) => start.line <= line && line <= end.line);
}

/** The fewest lines that are worth folding. */
const FEWEST = 4;

/**
 * The parts of a view that no line of the source became: what a function begins and ends with, and what is left of whole
 * groups. They fold, each as its first and last line.
 */
export function foldsOf(lines: readonly ViewLine[], nLines: number): { start: number; end: number }[] {
    const known = new Set(lines.flatMap(({ line, range }) => (range ? [line] : [])));
    const folds: { start: number; end: number }[] = [];
    for (let line = 0, start = 0; line <= nLines; line++) {
        if (line === nLines || known.has(line)) {
            if (line - start >= FEWEST) {
                folds.push({ start, end: line - 1 });
            }
            start = line + 1;
        }
    }
    return folds;
}

function isWithin(line: number, { start, end }: Range): boolean {
    return start.line <= line && line <= end.line;
}

function encloses(outer: Range, inner: Range): boolean {
    return outer.start.line <= inner.start.line && inner.end.line <= outer.end.line;
}

function nLines({ start, end }: Range): number {
    return end.line - start.line;
}
