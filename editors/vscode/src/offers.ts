/** What the server has found to make a kernel faster, in words for a list. */

/** A change that gains, as the server sends it. */
export interface Offer {
    title: string;
    /** How many times as fast the kernel is then, and how far single measurements were from that. */
    times: number;
    spread: number;
    /** What it does to results: `same bits in 8 runs`. */
    results: string;
    keepsBits: boolean;
    /** The lines that change. */
    diff: string;
}

/** The outcome of a trial. */
export interface Found {
    kernel: string;
    target: string;
    /** The number by which an offer of this trial is taken. */
    trial: number;
    /** All that was tried, as a text. */
    text: string;
    offers: Offer[];
}

/** A row of the list. */
export interface Row {
    label: string;
    description: string;
    detail: string;
}

/** The rows of the offers, in the server's order: the fastest first. */
export function rowsOf({ offers }: Found): Row[] {
    return offers.map(({ title, times, spread, results, keepsBits }) => ({
        label: `${keepsBits ? '$(check)' : '$(warning)'} ${times.toFixed(2)} times as fast`,
        description: title,
        detail: `${results}, measured ± ${spread.toFixed(2)}`,
    }));
}

/** What stands over the list, or in its place where nothing gains. */
export function headlineOf({ kernel, target, offers }: Found): string {
    return offers.length > 0
        ? `Faster versions of ${kernel}, measured on ${target}`
        : `No change makes ${kernel} faster by more than the times differ.`;
}
