/** Measurements as a page: each sweep as a plot, with its rows as a table below it. What is drawn needs no script. */

/** What `lanescope bench --sweep ... --json` prints, as far as it is shown. */
export interface Measured {
    kernel: string;
    target: string;
    sweeps: Sweep[];
}

export interface Sweep {
    /** The thing that differs from row to row: sizes, lanes or targets. */
    over: string;
    rows: SweepRow[];
    /** Sentences about what is missing. */
    left_out: string[];
}

export interface SweepRow {
    name: string;
    level: string | null;
    array_bytes: number;
    /** Nanoseconds of a run. */
    median: number;
    spread: number;
    /** Nanoseconds of an element. */
    per_element: number | null;
    verdict: string;
}

/** The size of a plot in pixels, and the room around it for names and numbers. */
const WIDTH = 640;
const HEIGHT = 220;
const LEFT = 56;
const BOTTOM = 34;
const TOP = 12;

export function pageOf(measured: Measured): string {
    const sections = measured.sweeps.map((sweep) => {
        const leftOut = sweep.left_out.map((sentence) => `<p class="faint">${escaped(sentence)}</p>`).join('');
        return `<h2>${escaped(titleOf(sweep))}</h2>${sweep.rows.length > 0 ? plotOf(sweep) + tableOf(sweep) : ''}${leftOut}`;
    });
    return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(measured.kernel)}</title>
<style>
body { color: var(--vscode-foreground); font-family: var(--vscode-font-family); font-size: var(--vscode-font-size); }
svg { max-width: 100%; }
svg text { fill: var(--vscode-foreground); font-size: 11px; }
.line { fill: none; stroke: var(--vscode-charts-blue); stroke-width: 2; }
.mark, .bar { fill: var(--vscode-charts-blue); }
.axis { stroke: var(--vscode-foreground); stroke-opacity: 0.4; }
.faint { opacity: 0.7; }
table { border-collapse: collapse; }
th, td { padding: 2px 12px 2px 0; text-align: left; }
td.number, th.number { text-align: right; }
</style>
</head>
<body>
<h1>${escaped(measured.kernel)}, measured for ${escaped(measured.target)}</h1>
${sections.join('\n')}
</body>
</html>`;
}

/** Sizes are compared by the time of an element, anything else by that of a run. */
function isOverSizes({ over }: Sweep): boolean {
    return over === 'sizes';
}

function titleOf(sweep: Sweep): string {
    return isOverSizes(sweep) ? 'Sizes of data: nanoseconds of an element' : `By ${sweep.over}: nanoseconds of a run`;
}

function timeOf(sweep: Sweep, row: SweepRow): number {
    return isOverSizes(sweep) ? row.per_element ?? row.median : row.median;
}

/** A plot of a sweep: sizes are on a line, whose steps are factors of two; lanes and targets have bars. */
export function plotOf(sweep: Sweep): string {
    const times = sweep.rows.map((row) => timeOf(sweep, row));
    const most = Math.max(...times);
    const y = (time: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - (most > 0 ? time / most : 0));
    const x = placesOf(sweep);
    const names = sweep.rows.map(({ name }, n) => {
        return `<text x="${pixels(x[n])}" y="${HEIGHT - BOTTOM + 16}" text-anchor="middle">${escaped(name)}</text>`;
    });
    const floor = HEIGHT - BOTTOM;
    const shape = isOverSizes(sweep)
        ? `<polyline class="line" points="${times.map((time, n) => `${pixels(x[n])},${pixels(y(time))}`).join(' ')}"/>` +
          times.map((time, n) => `<circle class="mark" cx="${pixels(x[n])}" cy="${pixels(y(time))}" r="3"/>`).join('')
        : times
              .map((time, n) => {
                  const width = Math.min(40, (WIDTH - LEFT) / (2 * times.length));
                  const left = (x[n] ?? 0) - width / 2;
                  return `<rect class="bar" x="${pixels(left)}" y="${pixels(y(time))}" width="${pixels(width)}" height="${pixels(floor - y(time))}"/>`;
              })
              .join('');
    return (
        `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img">` +
        `<line class="axis" x1="${LEFT}" y1="${floor}" x2="${WIDTH}" y2="${floor}"/>` +
        `<text x="${LEFT - 6}" y="${TOP + 4}" text-anchor="end">${rounded(most)}</text>` +
        `<text x="${LEFT - 6}" y="${floor}" text-anchor="end">0</text>` +
        `${shape}${names.join('')}</svg>`
    );
}

/** The columns of the rows. */
function placesOf(sweep: Sweep): number[] {
    const { rows } = sweep;
    const room = WIDTH - LEFT;
    if (!isOverSizes(sweep)) {
        return rows.map((_, n) => LEFT + (room * (n + 0.5)) / rows.length);
    }
    const sizes = rows.map(({ array_bytes }) => Math.log2(Math.max(1, array_bytes)));
    const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
    return sizes.map((size) => LEFT + 28 + (room - 56) * (most > least ? (size - least) / (most - least) : 0.5));
}

function tableOf(sweep: Sweep): string {
    const rows = sweep.rows.map((row) => {
        const level = isOverSizes(sweep) ? `<td>${escaped(row.level ?? '')}</td>` : '';
        const time = `<td class="number">${rounded(timeOf(sweep, row))}</td><td class="number">± ${rounded(spreadOf(sweep, row))}</td>`;
        return `<tr><td>${escaped(row.name)}</td>${level}${time}<td>${escaped(row.verdict)}</td></tr>`;
    });
    return `<table>${rows.join('')}</table>`;
}

/** The spread of a row in the unit of its time. */
function spreadOf(sweep: Sweep, row: SweepRow): number {
    return row.median > 0 ? (row.spread * timeOf(sweep, row)) / row.median : row.spread;
}

/** A time with three digits that say something. */
export function rounded(time: number): string {
    return time >= 100 ? time.toFixed(0) : Number(time.toPrecision(3)).toString();
}

function pixels(length: number | undefined): string {
    return (length ?? 0).toFixed(1);
}

function escaped(text: string): string {
    return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
