/** The list of stages, and the addresses of views. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf, subjectOf } from '../src/addresses';
import { readStages } from '../src/stages';

test('the command’s list is read, whatever the line ends', () => {
    const list = 'parsed      the tree; white space is left out\r\nfinal       folded, and shared\nbare\n\n';
    assert.deepEqual(readStages(list), [
        { name: 'parsed', description: 'the tree; white space is left out' },
        { name: 'final', description: 'folded, and shared' },
        { name: 'bare', description: '' },
    ]);
});

test('a view’s tab says what it shows, in the language it shows it in', () => {
    const path = (source: string, stage: string) => addressOf({ source, stage }).path;
    assert.equal(path('file:///a/mandel%20brot.lane', 'final'), '/mandel brot.final.laneir');
    assert.equal(path('file:///a/b.lane', 'llvm-opt'), '/b.llvm-opt.ll');
    assert.equal(path('file:///a/b.lane', 'asm'), '/b.asm.s');
    assert.equal(path('untitled:Untitled-1', 'final'), '/Untitled-1.final.laneir');
});

test('a view’s address leads back to what it is a view of', () => {
    const subject = { source: 'file:///a/%C3%A4%26.lane', stage: 'final' };
    assert.deepEqual(subjectOf(addressOf(subject).query), subject);
    assert.equal(subjectOf('{"source": 1}'), undefined);
    assert.equal(subjectOf('not ours'), undefined);
});
