/** What the manifest promises: snippets that the README names and that are Lane, commands that exist; and what a line break does. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { test } from 'node:test';

const manifest = JSON.parse(fs.readFileSync('package.json', 'utf8'));
const readme = fs.readFileSync('README.md', 'utf8');
const configuration = JSON.parse(fs.readFileSync('language-configuration.json', 'utf8'));
const snippets: Record<string, { prefix: string; body: string[] }> = JSON.parse(fs.readFileSync('snippets/lane.json', 'utf8'));

test('the README names every snippet', () => {
    const named = /^- Snippets: (.*)\.$/m.exec(readme)?.[1]?.split(', ').sort();
    assert.deepEqual(named, Object.values(snippets).map(({ prefix }) => `\`${prefix}\``).sort());
});

test('every command of the manifest is there, and no other', () => {
    const source = fs.readFileSync('src/extension.ts', 'utf8');
    const registered = [...source.matchAll(/command\('([\w.]+)'/g)].map(([, name]) => name).sort();
    assert.deepEqual(registered, manifest.contributes.commands.map(({ command }: { command: string }) => command).sort());
});

test('every target that can be chosen is described', () => {
    const { enum: targets, enumDescriptions } = manifest.contributes.configuration.properties['lanescope.target'];
    assert.equal(targets.length, enumDescriptions.length);
    assert.equal(new Set(enumDescriptions).size, targets.length, 'a target stands twice in the list');
});

/** A snippet as it stands when every place keeps the text that is proposed for it. */
function expand(body: string[]): string {
    const places = body.join('\n').replace(/\$\{\d+:([^}]*)\}/g, '$1').replace(/\$0/g, 'pass');
    return places.replace(/\\\\/g, '\\');
}

const command = process.env['LANESCOPE'];

test('every snippet reads as Lane', { skip: command ? false : 'LANESCOPE does not name a `lanescope` to ask' }, () => {
    for (const [name, { prefix, body }] of Object.entries(snippets)) {
        const text = expand(body).replace(/(?<=\S)pass$/, '');
        const isItem = /^(##|kernel|fn|struct|const)/.test(text);
        const isExpression = /^(map|reduce)/.test(text);
        const statement = isExpression ? `x = ${text}` : prefix.startsWith('@') ? `${text}\nfor i in range(n):\n    pass` : text;
        const program = isItem ? text : `kernel k(a, n, m, condition):\n${statement.replace(/^/gm, '    ')}`;
        // A formatter refuses what cannot be read, and asks nothing of names.
        assert.doesNotThrow(() => execFileSync(command!, ['fmt', '-'], { input: `${program}\n` }), `${name}:\n${program}`);
    }
});

interface OnEnterRule {
    beforeText: string;
    afterText?: string;
    action: { indent: string; appendText?: string };
}

/** What a line break does between two texts. */
function lineBreak(before: string, after = ''): string {
    const rules = configuration.onEnterRules as OnEnterRule[];
    const rule = rules.find(({ beforeText, afterText }) => {
        return new RegExp(beforeText).test(before) && (afterText === undefined || new RegExp(afterText).test(after));
    });
    return rule === undefined ? 'nothing' : (rule.action.appendText ?? rule.action.indent);
}

test('below documentation stands its kernel, and a line break in its midst goes on with it', () => {
    assert.equal(lineBreak('## Doubles all.'), 'nothing');
    assert.equal(lineBreak('## Doubles', ' all.'), '## ');
});

test('a header indents what follows, with its colon or without, and so does one of another language', () => {
    for (const header of [
        'kernel k(a):',
        'kernel k(a)',
        'fn f(x) -> f32  # half',
        'def f(x):',
        'export kernel k(a)',
        '    for i in range(n)',
        '    if a[i] > 0:',
        '    else',
        'struct P',
        'enum Kind',
        'enum Kind:',
        '    match kinds[i]',
        '        case Circle(r)',
        '        case Low:',
    ]) {
        assert.equal(lineBreak(header), 'indent', header);
    }
    assert.equal(lineBreak('    a[i] = 0'), 'nothing');
    assert.equal(lineBreak('    match = a[0]'), 'nothing');
    assert.equal(lineBreak('    return a'), 'outdent');
});
