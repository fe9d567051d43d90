/** Measurements as plots. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Measured, pageOf, plotOf, rounded } from '../src/plots';

const row = (name: string, array_bytes: number, per_element: number | null, median: number) => ({
    name,
    level: 'the level 1 cache',
    array_bytes,
    per_element,
    median,
    spread: median / 10,
    verdict: 'bound by <stores>',
});

const sizes = {
    over: 'sizes',
    rows: [row('4 kB', 4096, 0.1, 100), row('16 kB', 16384, 0.2, 800), row('64 kB', 65536, 0.4, 6000)],
    left_out: ['1 GB is left out: a run would take 3 s'],
};
const targets = { over: 'targets', rows: [row('sse4', 4096, 0.2, 200), row('avx2', 4096, 0.1, 100)], left_out: [] };
const measured: Measured = { kernel: 'scale', target: 'native', sweeps: [sizes, targets] };

test('sizes are points on a line, as far from each other as their factors', () => {
    const points = /points="([^"]*)"/.exec(plotOf(sizes))?.[1]?.split(' ').map((point) => point.split(',').map(Number)) ?? [];
    assert.equal(points.length, 3);
    const [first, second, third] = points.map(([x]) => x ?? 0);
    assert.ok(Math.abs((second ?? 0) - (first ?? 0) - ((third ?? 0) - (second ?? 0))) < 0.2, `${points}`);
    // The longest time is at the top, and half of it half way down.
    const heights = points.map(([, y]) => y ?? 0);
    assert.equal(heights[2], 12);
    assert.equal(heights[1], 12 + (220 - 12 - 34) / 2);
});

test('targets are bars of the time of a run', () => {
    const heights = [...plotOf(targets).matchAll(/height="([\d.]+)"\/>/g)].map(([, height]) => Number(height));
    assert.deepEqual(heights, [174, 87]);
});

test('the page has each sweep, what is left out, and no script', () => {
    const page = pageOf(measured);
    assert.equal(page.split('<svg').length, 3);
    for (const text of ['scale, measured for native', '1 GB is left out', 'bound by &lt;stores&gt;', '± 0.01', '± 20']) {
        assert.ok(page.includes(text), text);
    }
    assert.ok(!page.includes('<script') && page.includes("default-src 'none'"));
    assert.ok(!pageOf({ ...measured, sweeps: [{ over: 'sizes', rows: [], left_out: [] }] }).includes('<svg'));
});

test('times have three digits', () => {
    assert.deepEqual([0.12345, 1.5, 12.345, 1234.5].map(rounded), ['0.123', '1.5', '12.3', '1235']);
});
