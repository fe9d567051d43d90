/** When a server that has ended is started again. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_ANSWER, Restarts } from '../src/restarts';

test('a server that ends now and then is started each time', () => {
    const restarts = new Restarts();
    for (let minute = 0; minute < 30; minute++) {
        assert.equal(restarts.refused(true, minute * 60_000), undefined);
    }
});

test('one that ends again and again is not, until its user wants it', () => {
    const restarts = new Restarts();
    const refused = [0, 1, 2, 3, 4].map((second) => restarts.refused(true, second * 1000));
    assert.deepEqual(refused.map((why) => why === undefined), [true, true, true, true, false]);
    assert.match(refused[4]!, /5 times/);
});

test('a program that ends at once is none', () => {
    assert.equal(new Restarts().refused(false, 0), NO_ANSWER);
});
