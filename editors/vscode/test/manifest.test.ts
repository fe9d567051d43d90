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

/** Commands of the editor itself that the walkthrough leads to. */
const OF_THE_EDITOR = ['workbench.action.openSettings', 'workbench.action.debug.start'];

test('each step of the walkthrough has its text, and leads to commands that are there', () => {
    const known = [...manifest.contributes.commands.map(({ command }: { command: string }) => command), ...OF_THE_EDITOR];
    const [{ steps }] = manifest.contributes.walkthroughs;
    assert.deepEqual(steps.map(({ id }: { id: string }) => id), ['open', 'hints', 'view', 'example', 'run', 'what-if', 'faster']);
    for (const { id, description, media, completionEvents = [] } of steps) {
        const text = fs.readFileSync(media.markdown, 'utf8');
        assert.ok(text.trim().length > 0, id);
        const links = [...`${description}${text}`.matchAll(/command:([\w.-]+)/g)].map(([, name]) => name);
        const events = completionEvents.flatMap((event: string) => /^onCommand:(.*)$/.exec(event)?.[1] ?? []);
        assert.ok(links.length > 0, `${id} leads nowhere`);
        for (const name of [...links, ...events]) {
            assert.ok(known.includes(name), `${id} names ${name}`);
        }
        const settings = completionEvents.flatMap((event: string) => /^onSettingChanged:(.*)$/.exec(event)?.[1] ?? []);
        for (const name of settings) {
            assert.ok(name in manifest.contributes.configuration.properties, `${id} names ${name}`);
        }
    }
});

test('all that the manifest names is packed', () => {
    const ignored = fs.readFileSync('.vscodeignore', 'utf8').split('\n');
    const packed = (file: string) => ignored.some((line) => {
        const pattern = new RegExp(`^${line.slice(1).replace(/\./g, '\\.').replace(/\*+/g, '.*')}$`);
        return line.startsWith('!') && pattern.test(file);
    });
    const { languages, grammars, snippets: ours, walkthroughs } = manifest.contributes;
    const media = walkthroughs.flatMap(({ steps }: { steps: { media: { markdown: string } }[] }) => steps.map(({ media }) => media.markdown));
    const configurations = languages.map(({ configuration }: { configuration: string }) => configuration);
    const paths = [...grammars, ...ours].map(({ path }: { path: string }) => path);
    for (const file of [...configurations, ...paths, ...media, 'walkthrough/example.lane']) {
        assert.ok(packed(file.replace(/^\.\//, '')), `${file} is not packed`);
    }
});

test('the example of the walkthrough reads as Lane, and runs', { skip: process.env['LANESCOPE'] ? false : 'LANESCOPE does not name a `lanescope` to ask' }, () => {
    execFileSync(process.env['LANESCOPE']!, ['check', 'walkthrough/example.lane']);
    // What a step shows as an example is one.
    const block = /```lane\n(##[^]*?)```/.exec(fs.readFileSync('walkthrough/example.md', 'utf8'))![1]!;
    const body = /kernel halve[^]*$/.exec(fs.readFileSync('walkthrough/example.lane', 'utf8'))![0];
    const text = block.replace(/kernel halve[^\n]*\n/, '') + body;
    fs.mkdirSync('dist', { recursive: true });
    fs.writeFileSync('dist/shown.lane', text);
    execFileSync(process.env['LANESCOPE']!, ['test', 'dist/shown.lane']);
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
