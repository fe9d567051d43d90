/** The two ways between source and view, on a small kernel. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldsOf, isElsewhere, isOutdated, linesOf, type Range, sourceOf, titleOf, type ViewLine } from '../src/lines';

function range(line: number, character: number, endLine: number, endCharacter: number): Range {
    return { start: { line, character }, end: { line: endLine, character: endCharacter } };
}

function lines(first: number, last = first): Range {
    return range(first, 0, last, 0);
}

/*
 * 10  kernel f(a, n):                  0  kernel f(a: f32[_], n):
 * 11      for i in range(n):           1      for i in range(0, n):
 * 12          x = 1.0
 * 13          a[i] = (                 2          let big = (a[i] > 1.0)
 * 14              x if a[i] > 1.0      3          if big:
 * 15              else 2.0             4          else:
 * 16          )                        5          a[i] = _0
 */
const VIEW: ViewLine[] = [
    { line: 0, range: null },
    { line: 1, range: range(11, 4, 16, 9) },
    { line: 2, range: range(14, 17, 14, 27) },
    { line: 3, range: range(13, 16, 16, 9) },
    { line: 4 },
    { line: 5, range: range(13, 8, 16, 9) },
];

test('a line of the view leads to its source, or nowhere', () => {
    assert.deepEqual(sourceOf(VIEW, 2), range(14, 17, 14, 27));
    assert.equal(sourceOf(VIEW, 0), undefined);
    assert.equal(sourceOf(VIEW, 4), undefined);
    assert.equal(sourceOf(VIEW, 99), undefined);
});

test('a line of the source leads to all lines whose source starts there', () => {
    assert.deepEqual(linesOf(VIEW, lines(13)), [3, 5]);
    assert.deepEqual(linesOf(VIEW, lines(14)), [2]);
});

test('a loop’s line leads to the loop’s head and not to its body', () => {
    assert.deepEqual(linesOf(VIEW, lines(11)), [1]);
});

test('what has no line of its own leads to what is around it', () => {
    assert.deepEqual(linesOf(VIEW, lines(12)), [1], 'a statement that was folded away: its loop');
    assert.deepEqual(linesOf(VIEW, lines(15)), [3, 5], 'the middle of an expression: its statement');
    assert.deepEqual(linesOf(VIEW, lines(10)), []);
    assert.deepEqual(linesOf([], lines(11)), []);
});

test('a selection leads to everything that starts in it', () => {
    assert.deepEqual(linesOf(VIEW, lines(11, 14)), [1, 2, 3, 5]);
});

test('only a place that the view shows nothing of is elsewhere', () => {
    assert.equal(isElsewhere(VIEW, { line: 12, character: 0 }), false);
    assert.equal(isElsewhere(VIEW, { line: 20, character: 0 }), true);
    assert.equal(isElsewhere([], { line: 0, character: 0 }), true);
});

test('a title says what is shown, for which target, and of which text', () => {
    const shown = { text: '', languageId: 'lane-ir', name: 'k', stage: 'final', target: 'sse4', version: 3, lines: [] };
    assert.equal(titleOf(shown), 'k · final · sse4 · version 3 of the source');
    assert.equal(isOutdated(shown), false);
    const old = { ...shown, outdated: true, note: '`k` has an error; shown is the text before that, version 3' };
    assert.equal(titleOf(old), '`k` has an error; shown is the text before that, version 3 · k · final · sse4');
    assert.equal(isOutdated(old), true);
    assert.equal(titleOf(shown, 'no server'), 'no server · k · final · sse4');
    assert.equal(isOutdated(shown, 'no server'), true);
    // Made of the present text, though that has an error.
    assert.equal(isOutdated({ ...shown, note: '`k` has an error' }), false);
});

test('what no line of the source became folds, unless it is a few lines', () => {
    const range = { start: { line: 3, character: 0 }, end: { line: 3, character: 9 } };
    const from = (...lines: number[]) => lines.map((line) => ({ line, range }));
    assert.deepEqual(foldsOf(from(5, 6, 9), 15), [
        { start: 0, end: 4 },
        { start: 10, end: 14 },
    ]);
    assert.deepEqual(foldsOf([...from(0, 4), { line: 2, range: null }], 6), []);
    assert.deepEqual(foldsOf([], 0), []);
});
