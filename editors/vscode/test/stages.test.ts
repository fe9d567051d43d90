/** The list of stages, and the addresses of views. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf, subjectOf } from '../src/addresses';
import { stageBeside, stagesOf } from '../src/stages';

test('the server’s list is read, and what is none of it is not', () => {
    const final = { name: 'final', description: 'folded, and shared', languageId: 'lane-ir' };
    const stages = [{ ...final, title: 'View stage `final`' }, { name: 'asm' }, { name: 7 }, null];
    assert.deepEqual(stagesOf({ experimental: { lanescope: { stages } } }), [
        final,
        { name: 'asm', description: '', languageId: 'plaintext' },
    ]);
    for (const none of [undefined, {}, { experimental: null }, { experimental: { lanescope: { stages: 'final' } } }]) {
        assert.deepEqual(stagesOf(none), []);
    }
});

test('beside a stage are the one before and the next one, and nothing beyond the ends', () => {
    const stages = ['typed', 'final', 'asm'].map((name) => ({ name, description: '', languageId: '' }));
    assert.equal(stageBeside(stages, 'final', -1)?.name, 'typed');
    assert.equal(stageBeside(stages, 'final', 1)?.name, 'asm');
    assert.equal(stageBeside(stages, 'asm', 1), undefined);
    assert.equal(stageBeside(stages, 'typed', -1), undefined);
    assert.equal(stageBeside(stages, 'gone', 1), undefined);
});

test('a view’s tab says what it shows, in the language it shows it in', () => {
    const path = (source: string, stage: string, languageId: string) => addressOf({ source, stage }, languageId).path;
    assert.equal(path('file:///a/mandel%20brot.lane', 'final', 'lane-ir'), '/mandel brot.final.laneir');
    assert.equal(path('file:///a/b.lane', 'llvm-opt', 'llvm'), '/b.llvm-opt.ll');
    assert.equal(path('file:///a/b.lane', 'typed', 'lane'), '/b.typed.lane');
    assert.equal(path('file:///a/b.lane', 'parsed', 'plaintext'), '/b.parsed.txt');
    assert.equal(path('untitled:Untitled-1', 'asm', 'asm'), '/Untitled-1.asm.s');
});

test('a view’s address leads back to what it is a view of', () => {
    const subject = { source: 'file:///a/%C3%A4%26.lane', stage: 'final' };
    assert.deepEqual(subjectOf(addressOf(subject, 'lane-ir').query), subject);
    assert.equal(subjectOf('{"source": 1}'), undefined);
    assert.equal(subjectOf('not ours'), undefined);
});
