/**
 * The grammars know every word of the language and of Lane IR, as the documents list them, and leave nothing of any program
 * uncoloured. The finer points stand in `grammar/cases`.
 */

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';
import * as oniguruma from 'vscode-oniguruma';
import { INITIAL, type IGrammar, Registry, parseRawGrammar } from 'vscode-textmate';

// The tests run in the extension's folder.
const ROOT = path.resolve('../..');
const LANGUAGE = fs.readFileSync(path.join(ROOT, 'docs/language.md'), 'utf8');

const wasm = fs.readFileSync('node_modules/vscode-oniguruma/release/onig.wasm');
const engine = oniguruma.loadWASM(wasm).then(() => ({
    createOnigScanner: (patterns: string[]) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text: string) => new oniguruma.OnigString(text),
}));

async function grammar(name: string): Promise<IGrammar> {
    const file = `syntaxes/${name}.tmLanguage.json`;
    const loadGrammar = async () => parseRawGrammar(fs.readFileSync(file, 'utf8'), file);
    const loaded = await new Registry({ onigLib: engine, loadGrammar }).loadGrammar(`source.${name}`);
    assert.ok(loaded !== null);
    return loaded;
}

interface Token {
    text: string;
    scopes: string[];
}

/** The tokens of a text, and how many rules are open behind it. */
function tokens(grammar: IGrammar, text: string): { tokens: Token[]; open: number } {
    let state = INITIAL;
    const found: Token[] = [];
    for (const line of text.split(/\r?\n/)) {
        const result = grammar.tokenizeLine(line, state);
        state = result.ruleStack;
        found.push(
            ...result.tokens.map(({ startIndex, endIndex, scopes }) => ({ text: line.slice(startIndex, endIndex), scopes })),
        );
    }
    return { tokens: found, open: state.depth - 1 };
}

/** The innermost scope of a word, where it stands in a line. */
function scopeOf(grammar: IGrammar, line: string, word: string): string {
    const token = tokens(grammar, line).tokens.find(({ text }) => text === word);
    return token?.scopes.at(-1) ?? 'nothing';
}

test('every reserved word is one to the grammar', async () => {
    const lane = await grammar('lane');
    const keywords = /reserved:\s*```text\n([^`]*)```/.exec(LANGUAGE)?.[1]?.trim().split(/\s+/) ?? [];
    assert.ok(keywords.length > 25 && keywords.includes('foreach'), `the document lists ${keywords}`);
    for (const keyword of keywords) {
        assert.match(scopeOf(lane, `    ${keyword} `, keyword), /^(keyword|storage|constant\.language)\./, keyword);
    }
});

test('every function that is built in is one to the grammar', async () => {
    const lane = await grammar('lane');
    const section = LANGUAGE.slice(LANGUAGE.indexOf('### Built in'), LANGUAGE.indexOf('### Attributes'));
    // The table of them, and those that are there inside of a `foreach`; what is told of single ones has other words, too.
    const isList = (line: string) => line.startsWith('| ') || /^(Inside|`reduce_add|`scan_add)/.test(line);
    const builtIn = section.split('\n').filter(isList).join('\n');
    const lists = [...builtIn.matchAll(/`([^`]*)`/g)].map(([, list]) => list!.replace(/\(.*?\)/g, ''));
    const names = lists.flatMap((list) => list.split(/\s+/));
    assert.ok(names.length > 40 && names.includes('scan_add'), `the document lists ${names}`);
    // Types stand there, too, Lane's and C's.
    const isOther = (name: string) => ['fn', 'foreach'].includes(name) || /^(b?f|[iu])\d+$|_t$/.test(name);
    for (const name of names.filter((name) => /^[A-Za-z_]\w/.test(name) && !isOther(name))) {
        assert.match(scopeOf(lane, `    x = ${name}(`, name), /^(support\.function|variable\.language|constant\.language)\./, name);
    }
});

test('every scalar type is one to both grammars', async () => {
    const types = /Scalars: `([^`]*)`/.exec(LANGUAGE)?.[1]?.split(/\s+/) ?? [];
    assert.equal(types.length, 13);
    for (const one of [await grammar('lane'), await grammar('lane-ir')]) {
        for (const type of types) {
            assert.match(scopeOf(one, `    x = ${type}(y)`, type), /^support\.type\.primitive/, type);
        }
    }
});

test('every op of Lane IR that touches memory or other lanes is one to its grammar', async () => {
    const laneIr = await grammar('lane-ir');
    const document = fs.readFileSync(path.join(ROOT, 'docs/lane-ir.md'), 'utf8');
    const ops = (heading: string) => {
        const section = document.slice(document.indexOf(`\n## ${heading}\n`)).split('\n## ')[1]!;
        return [...section.matchAll(/^\| `([a-z_]+)\(/gm)].map(([, name]) => name!);
    };
    const memory = ops('Memory, in lanes');
    const lanes = ops('Lanes');
    assert.ok(memory.includes('gather') && lanes.includes('splat'), `the document lists ${memory} and ${lanes}`);
    for (const name of memory) {
        assert.match(scopeOf(laneIr, `    ${name}(a)`, name), /^support\.function\.memory/, name);
    }
    for (const name of lanes) {
        assert.match(scopeOf(laneIr, `    ${name}(a)`, name), /^support\.function\.lanes/, name);
    }
});

test('no part of any program is without a colour or said to be wrong', async () => {
    const lane = await grammar('lane');
    const folder = path.join(ROOT, 'examples');
    const examples = fs.readdirSync(folder).filter((name) => name.endsWith('.lane'));
    const blocks = [...LANGUAGE.matchAll(/```lane[^\n]*\n([\s\S]*?)```/g)].map(([, text]) => text!);
    assert.ok(examples.length > 0 && blocks.length > 0);
    for (const text of [...examples.map((name) => fs.readFileSync(path.join(folder, name), 'utf8')), ...blocks]) {
        const found = tokens(lane, text);
        const plain = found.tokens.filter(
            ({ text, scopes }) => text.trim() !== '' && /^(source|meta|invalid)\./.test(scopes.at(-1)!),
        );
        assert.deepEqual(plain, [], text);
        assert.equal(tokens(lane, `${text}\nconst A = 1`).open, 0, `a rule is left open behind:\n${text}`);
    }
});

test('a broken line colours no item behind it', async () => {
    const lane = await grammar('lane');
    for (const broken of ['kernel f(a: f32[n', 'kernel f(a) -> f32[(', '    x = a[f(', '    let x: f32[', '@lanes(', 'struct A', '    \\x: f32[']) {
        assert.equal(scopeOf(lane, `${broken}\nkernel next(a):`, 'next'), 'entity.name.function.lane', broken);
    }
});
