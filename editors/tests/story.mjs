// A first day with kernels, by the keyboard and the mouse alone: one is typed with ten mistakes and mended by fixes, gets an
// example, shows the values of its lanes, is tried as it could be, takes the best of what was measured, runs, and is measured.
import fs from 'node:fs';
import path from 'node:path';
import { address, done, folder, page, picture, step } from './page.mjs';
import { clickLens, editor, eventually, listed, nothingMoreIsSaid, problems, shows, terminal, text } from './page.mjs';
import { goTo, mend, open, palette } from './page.mjs';

const KERNEL = 'loudness.lane';
const EXAMPLE = `\
## > loudness([3, 8, 1, 2], out = zeros(4), n = 4, volume = 0.25)
## 1.875
## out = [0.75, 1.0, 0.25, 0.5]
`;

const story = (name) => fs.readFileSync(path.join('story', name), 'utf8');

/** Saves the kernel, and waits until its file is as it has to be. */
async function saved(isRight) {
    await page.keyboard.press('Control+s');
    await eventually(async () => fs.readFileSync(path.join(folder, KERNEL), 'utf8').trimEnd(), isRight);
}

/** The column of the cursor, as the status bar says it. */
async function column() {
    const words = await page.locator('.statusbar-item', { hasText: /Ln \d+, Col \d+/ }).first().textContent();
    return Number(/Col (\d+)/.exec(words)[1]);
}

/** Types lines one below the other. No completion is taken, and what the editor indents otherwise is put right. */
async function typeLines(lines) {
    for (const [n, line] of lines.entries()) {
        if (n > 0) {
            await page.keyboard.press('Escape');
            await page.keyboard.press('Enter');
            await page.waitForTimeout(200);
        }
        const wanted = 1 + line.search(/\S|$/);
        for (let at = await column(); n > 0 && at !== wanted; at = await column()) {
            await page.keyboard.press(at < wanted ? 'Tab' : 'Backspace');
            await page.waitForTimeout(200);
        }
        await page.keyboard.type(line.trimStart(), { delay: 20 });
    }
    await page.keyboard.press('Escape');
}

/** Runs the examples by their lens, in a new terminal, which has to say this. */
async function runExamples(verdict) {
    await palette('Terminal: Kill All Terminals');
    await eventually(terminal, (seen) => !verdict.test(seen));
    await clickLens(KERNEL, 'Run examples');
    await eventually(terminal, (seen) => verdict.test(seen));
}

/** Gives the kernel the room of the panel under it. */
async function hidePanel() {
    await page.keyboard.press('Control+j');
    await page.locator('.part.panel').waitFor({ state: 'hidden' });
}

const nErrors = () => editor(KERNEL).locator('.squiggly-error').count();

await step('VS Code opens', async () => {
    await page.goto(address, { timeout: 240_000 });
    await page.locator('.monaco-workbench').waitFor({ timeout: 120_000 });
    await open(KERNEL);
    await page.locator('.statusbar-item', { hasText: 'Lane: native' }).waitFor();
});
await step('a kernel is typed with ten mistakes, and they are found', async () => {
    await page.waitForTimeout(500);
    await typeLines(story('typed.lane').trimEnd().split('\n'));
    await eventually(nErrors, (n) => n >= 6);
    await saved((text) => text === story('typed.lane').trimEnd());
});
await picture('story-1-mistakes');

const fixes = story('fixes').trimEnd().split('\n');
for (const fix of fixes) {
    const [, place, title] = /^(\S+) (.*)$/.exec(fix);
    await step(`a fix mends it: ${title}`, async () => {
        const before = await text(KERNEL);
        await goTo(place);
        await mend(title, () => picture('story-2-fix'));
        await eventually(() => text(KERNEL), (seen) => seen !== before);
    });
}
await step('then there is no error, and the text is the kernel that was meant', async () => {
    await saved((text) => text === story('mended.lane').trimEnd());
    await eventually(nErrors, (n) => n === 0);
    await page.keyboard.press('Control+Shift+m');
    await eventually(problems, (rows) => rows.length === 0);
    await shows(KERNEL, ' lanes');
});
await picture('story-3-mended');

await step('the kernel gets an example, which a lens runs', async () => {
    await goTo('1:1');
    await page.keyboard.press('Enter');
    await goTo('1:1');
    await typeLines(EXAMPLE.trimEnd().split('\n'));
    await saved((text) => text === EXAMPLE + story('mended.lane').trimEnd());
    await runExamples(/^1 example passed/m);
});
await picture('story-4-example');

/** Waits until a line of the kernel has these values beside it. */
const hasBeside = (line, values) =>
    eventually(() => text(KERNEL), (seen) => seen.split('\n').some((row) => row.includes(line) && values.test(row)));

await step('the values of its lanes stand beside the lines, on the data of the example', async () => {
    await hidePanel();
    await goTo('11:9');
    await page.keyboard.press('F9');
    await page.keyboard.press('F5');
    await page.locator('.debug-toolbar').waitFor();
    await hasBeside('samples[i] * volume', /x = \[0\.75, 2(\.0)?, 0\.25, 0\.5/);
});
await picture('story-5-lanes');
await step('after an edit the values are other ones', async () => {
    await goTo('8:32');
    await page.keyboard.type(' * 1.5', { delay: 20 });
    await saved((text) => text.includes('samples[i] * volume * 1.5'));
    await page.keyboard.press('Control+Shift+F5');
    await hasBeside('samples[i] * volume', /x = \[1\.125, 3(\.0)?, 0\.375, 0\.75/);
});
await picture('story-6-lanes-edited');
await step('then the example fails, which is a problem at its line, and passes again without the edit', async () => {
    await page.keyboard.press('Shift+F5');
    await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
    await goTo('11:9');
    await page.keyboard.press('F9');
    await palette('View: Show Explorer');
    await runExamples(/^0 of 1 example passed/m);
    await palette('View: Focus Problems');
    await eventually(problems, (rows) => rows.some((row) => row.includes('expected') && row.includes('evaluated') && row.includes('Ln 1')));
    await picture('story-7-example-fails');
    await editor(KERNEL).locator('.view-line', { hasText: 'samples[i]' }).last().click();
    await goTo('8:32');
    await page.keyboard.press('Shift+End');
    await page.keyboard.press('Delete');
    await saved((text) => text === EXAMPLE + story('mended.lane').trimEnd());
    await runExamples(/^1 example passed/m);
    await palette('View: Focus Problems');
    await eventually(problems, (rows) => rows.length === 0);
});
await step('what if: targets, lanes and attributes are tried without an edit', async () => {
    await hidePanel();
    await goTo('7:9');
    await mend('View…');
    await page.locator('.quick-input-widget input').fill('variants');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'on other targets' }).click();
    const table = () => text('loudness.variants');
    await eventually(table, (seen) => /avx512.*\n/.test(seen) && /@reassoc/.test(seen) && /4 lanes/.test(seen));
});
await picture('story-8-what-if');
await step('one of them is a fix, and is taken back', async () => {
    await editor(KERNEL).locator('.view-line', { hasText: 'range' }).click();
    await goTo('7:9');
    await mend('Write `@reassoc`: about');
    await saved((text) => /^@reassoc\nkernel loudness/m.test(text));
    await picture('story-9-what-if-written');
    await page.keyboard.press('Control+z');
    await saved((text) => text === EXAMPLE + story('mended.lane').trimEnd());
});
await step('faster versions are measured and ranked, and the first is written', async () => {
    await clickLens(KERNEL, 'Find faster versions');
    const rows = page.locator('.quick-input-list .monaco-list-row', { hasText: 'times as fast' });
    await rows.first().waitFor({ timeout: 240_000 });
    const times = (await listed()).flatMap((label) => /([\d.]+) times as fast/.exec(label)?.[1] ?? []).map(Number);
    if (times.length === 0 || !times.every((one, n) => n === 0 || one <= times[n - 1])) {
        throw new Error(`they are listed as ${times}`);
    }
    await picture('story-10-faster');
    const first = await rows.first().textContent();
    await rows.first().click();
    // The parts of a row stand side by side, without a space.
    const [attribute] = /@(?:fast|reassoc|stream|\w+\(\d+\))/.exec(first);
    await saved((text) => text.includes(`${attribute}\n`) && text.startsWith(EXAMPLE));
    await nothingMoreIsSaid(0);
});
await step('what was written still gives what the example says', async () => {
    await runExamples(/^1 example passed/m);
});
await picture('story-11-run');
await step('a lens measures the kernel', async () => {
    await clickLens(KERNEL, 'Measure');
    await eventually(terminal, (seen) => /times as fast as scalar/.test(seen) && /GB\/s/.test(seen));
});
await picture('story-12-measured');
await step('a lens measures it on many sizes and for all targets, and plots that', async () => {
    await clickLens(KERNEL, 'Plot');
    const read = (frame, look) => frame.evaluate(look).catch(() => '');
    const plots = async () => {
        const found = page.frames().map((frame) => read(frame, () => document.querySelectorAll('svg .line, svg .bar').length > 2 && document.body.innerText));
        return (await Promise.all(found)).filter(Boolean).join('\n');
    };
    await eventually(plots, (seen) => /, measured for /.test(seen) && /Sizes of data/.test(seen) && /By targets/.test(seen));
});
await picture('story-13-plotted');
await done();
