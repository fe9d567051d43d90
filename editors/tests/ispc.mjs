// What ispc.sh holds the extension to: ISPC sources with their colours, hints, hovers, fixes and views, as they are typed.
import { address, done, page, picture, step } from './page.mjs';
import { editor, eventually, goTo, lens, mend, problems, shows, text } from './page.mjs';

/** The words of a line, each with its colour and whether it is slanted. */
const words = (line) =>
    editor('scale.ispc').locator('.view-line', { hasText: line }).first().locator('span span').evaluateAll((spans) => {
        return spans.map((span) => {
            const { color, fontStyle } = getComputedStyle(span);
            return { text: span.textContent.replaceAll('\u00a0', ' ').trim(), color, isSlanted: fontStyle === 'italic' };
        });
    });
const isSlanted = async (line, word) => (await words(line)).find(({ text }) => text === word)?.isSlanted;
const hover = () => page.locator('.monaco-hover:visible').allTextContents();
const explain = async (place) => {
    await goTo(place);
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Control+i');
};

await step('VS Code opens a folder of ISPC sources', async () => {
    // The first time it loads all of itself, which takes a while on a busy machine.
    await page.goto(address, { timeout: 240_000 });
    await page.locator('.monaco-workbench').waitFor({ timeout: 120_000 });
    await page.locator('.explorer-folders-view').getByText('scale.ispc').dblclick();
    await shows('scale.ispc', 'export void scale');
});
await step('the header is found by the compile commands: nothing is wrong', async () => {
    await eventually(() => lens('scale.ispc'), (seen) => seen.includes('8 lanes'));
    await page.keyboard.press('Control+Shift+m');
    await page.waitForTimeout(500);
    const found = (await problems()).filter((row) => /error|not found/i.test(row));
    if (found.length > 0) {
        throw new Error(`found wrong: ${found}`);
    }
    await page.keyboard.press('Control+j');
});
await step('a hint says what an access becomes', () => shows('scale.ispc', 'table[at] gather;'));
await step('what varies looks other than what is uniform', () =>
    eventually(
        async () => [await isSlanted('int at =', 'at'), await isSlanted('int at =', 'index')],
        ([at, index]) => at === true && index === false,
    ),
);
await step('what a condition leaves out is a comment', async () => {
    const colours = async (line) => new Set((await words(line)).filter(({ text }) => text !== '').map(({ color }) => color)).size;
    await eventually(async () => [await colours('FACTOR 2.0f'), await colours('FACTOR 0.5f')], ([out, kept]) => out === 1 && kept > 1);
});
await step('a hover says what a variable is, and why', async () => {
    await explain('12:13');
    await eventually(hover, (seen) => /varying/.test(seen.join()));
    await page.keyboard.press('Escape');
});
await step('a hover shows what a macro becomes', async () => {
    await explain('15:55');
    await eventually(hover, (seen) => /0\.5f/.test(seen.join()));
    await picture('ispc-hover');
    await page.keyboard.press('Escape');
});
await step('a loop over the lanes’ numbers becomes a `foreach`', async () => {
    await goTo('21:6');
    await mend('Write `foreach`');
    await shows('scale.ispc', 'foreach (i = 0 ... n) {');
    await eventually(() => text('scale.ispc'), (seen) => seen.includes('a[i] += 1.0f'));
});
await step('a view opens beside the source, and follows it', async () => {
    await goTo('9:14');
    await editor('scale.ispc').locator('.codelens-decoration a', { hasText: 'View lowered' }).first().click();
    await eventually(() => page.locator('.tab').allTextContents(), (tabs) => tabs.some((tab) => /scale.*lowered/.test(tab)));
    await picture('ispc-view');
});
await step('a mistake of C++ is told as one types', async () => {
    await page.locator('.tab', { hasText: 'scale.ispc' }).first().click();
    await goTo('12:27');
    await page.keyboard.type(' float4 v;');
    await page.keyboard.press('Control+Shift+m');
    await eventually(problems, (rows) => rows.some((row) => /float4/.test(row)));
    await picture('ispc');
});
await step('a header leads to its users', async () => {
    await page.locator('.tab', { hasText: 'scale.ispc' }).first().click();
    await goTo('15:34');
    await page.keyboard.press('F12');
    await shows('table.isph', 'static inline float entry');
});
await done();
