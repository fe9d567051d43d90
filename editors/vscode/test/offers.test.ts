/** The list of what makes a kernel faster. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Found, headlineOf, rowsOf } from '../src/offers';

const found: Found = {
    kernel: 'scale',
    target: 'native',
    trial: 3,
    text: '',
    offers: [
        { title: '@fast', times: 3.456, spread: 0.1, results: 'other bits in 1 of 8 runs', keepsBits: false, diff: '+@fast\n' },
        { title: '@unroll(4)', times: 1.2, spread: 0.02, results: 'same bits in 8 runs', keepsBits: true, diff: '' },
    ],
};

test('each row says how much it gains, by what, and what it does to results', () => {
    assert.deepEqual(rowsOf(found), [
        { label: '$(warning) 3.46 times as fast', description: '@fast', detail: 'other bits in 1 of 8 runs, measured ± 0.10' },
        { label: '$(check) 1.20 times as fast', description: '@unroll(4)', detail: 'same bits in 8 runs, measured ± 0.02' },
    ]);
    assert.equal(headlineOf(found), 'Faster versions of scale, measured on native');
});

test('where nothing gains, that is said', () => {
    assert.equal(headlineOf({ ...found, offers: [] }), 'No change makes scale faster by more than the times differ.');
});
