// What vscode.sh holds the extension to: a hint that changes as one types, a view beside the source that follows, light on both
// sides, what stays while the text is broken, help while one types, notes that are not in the way, and a clear word when there is
// no server.
import fs from 'node:fs';
import path from 'node:path';
import { address, done, folder, page, picture, scratch, step } from './page.mjs';
import { editor, eventually, isDimmed, lens, listed, lit, nothingMoreIsSaid, problems, shows, text } from './page.mjs';
import { goTo, inMenu, mend, open, palette } from './page.mjs';

const pidFile = path.join(scratch, 'pid');

await step('VS Code opens', async () => {
    // The first time it loads all of itself, which takes a while on a busy machine.
    await page.goto(address, { timeout: 240_000 });
    await page.locator('.monaco-workbench').waitFor({ timeout: 120_000 });
    await page.locator('.explorer-folders-view').getByText('kernel.lane').dblclick();
    await shows('kernel.lane', 'kernel scale');
});
await step('the status bar says the target', () => page.locator('.statusbar-item', { hasText: 'Lane: native' }).waitFor());
await step('the type that is left out is hinted', () => shows('kernel.lane', 'loud: i32 = 2'));
await step('the hint changes with what is typed', async () => {
    await goTo('3:17');
    await page.keyboard.type('.5');
    await shows('kernel.lane', 'loud: f32 = 2.5');
});
await step('a view opens beside the source', async () => {
    await goTo('5:9');
    await palette('Open a View of the Kernel Beside It');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'sequential' }).first().click();
    await shows('kernel.sequential.laneir', 'for i in range(0, n)');
});
await step('the view says what it shows', () =>
    eventually(() => lens('kernel.sequential.laneir'), (seen) => /^scale · sequential · native · version \d+ of the source$/.test(seen)),
);
await step('the view follows the edits', async () => {
    await goTo('5:37');
    await page.keyboard.type(' * 4.25');
    await shows('kernel.sequential.laneir', '4.25');
});
await step('what the cursor is at is lit in the view', async () => {
    await eventually(() => lit('kernel.sequential.laneir'), (lines) => lines.length === 1 && lines[0].startsWith('out[i] = '));
});
await picture('vscode');
await step('a line of the view lights its source', async () => {
    await editor('kernel.sequential.laneir').locator('.view-line', { hasText: 'range' }).click();
    await eventually(() => lit('kernel.lane'), (lines) => lines.length === 2 && /^for i\b.* in range/.test(lines[0]));
});
await step('a line of the view leads to its source', async () => {
    await page.keyboard.press('F12');
    await page.locator('.statusbar-item', { hasText: 'Ln 4, Col 5' }).waitFor();
});
await step('the view stays while the cursor is in a struct', async () => {
    await goTo('8:5');
    await page.waitForTimeout(1500);
    await shows('kernel.sequential.laneir', '4.25');
    await eventually(() => lens('kernel.sequential.laneir'), (seen) => seen.startsWith('scale · '));
});
await picture('vscode-struct');
await step('while the text is broken the last view stays, dimmed, and says so; hints of other lines stay', async () => {
    await goTo('5:44');
    await page.keyboard.type(' * (');
    await eventually(() => lens('kernel.sequential.laneir'), (seen) => /^`scale` has an error; shown is the text before/.test(seen));
    await eventually(() => isDimmed('kernel.sequential.laneir'), (seen) => seen);
    await shows('kernel.sequential.laneir', '4.25');
    await page.waitForTimeout(1000);
    await eventually(() => text('kernel.lane'), (seen) => /for i in range\(n\): \d+ lanes/.test(seen));
});
await picture('vscode-broken');
await step('the server’s own action opens the same kind of view', async () => {
    await goTo('5:44');
    await page.keyboard.press('Shift+End');
    await page.keyboard.press('Delete');
    await eventually(() => lens('kernel.sequential.laneir'), (seen) => seen.startsWith('scale · '));
    await eventually(() => isDimmed('kernel.sequential.laneir'), (seen) => !seen);
    await editor('kernel.lane').locator('.codelens-decoration a', { hasText: 'View lowered IR' }).click();
    await shows('kernel.final.laneir', '4.25');
});
await step('a word of a view is explained, and the stage beside it is a key away', async () => {
    await editor('kernel.final.laneir').locator('.view-line', { hasText: 'vector_for' }).first().click();
    await page.keyboard.press('Home');
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Control+i');
    const hover = () => page.locator('.monaco-hover:visible').allTextContents();
    await eventually(hover, (seen) => seen.join().includes('iterations run in groups'));
    await picture('vscode-word');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Alt+,');
    await eventually(() => lens('kernel.packed.laneir'), (seen) => seen.startsWith('scale · packed'));
    await page.keyboard.press('Alt+.');
    await eventually(() => lens('kernel.final.laneir'), (seen) => seen.startsWith('scale · final'));
});
await step('assembly opens the same way, or says what it needs', async () => {
    await editor('kernel.lane').locator('.codelens-decoration a', { hasText: 'View assembly' }).click();
    await eventually(() => text('kernel.asm.s'), (seen) => /scale:|LLVM/.test(seen));
});
await step('assembly has colours', async () => {
    const colours = () => editor('kernel.asm.s').locator('.view-line span span').evaluateAll((spans) => {
        return new Set(spans.map((span) => getComputedStyle(span).color)).size;
    });
    await eventually(colours, (n) => n >= 3);
});
await picture('vscode-assembly');
await step('another target is a click away, and hints and views are for it', async () => {
    await page.locator('.statusbar-item', { hasText: 'Lane: native' }).click();
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'sse4' }).waitFor();
    const targets = await listed();
    if (!targets.includes('sve') || targets.includes('sve256')) {
        throw new Error(`these are listed: ${targets}`);
    }
    await picture('vscode-targets');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'sse4' }).click();
    await page.locator('.statusbar-item', { hasText: 'Lane: sse4' }).waitFor();
    await shows('kernel.lane', ' 4 lanes');
    await eventually(() => text('kernel.asm.s'), (seen) => /xmm|LLVM/.test(seen) && !/[yz]mm/.test(seen));
    await eventually(() => lens('kernel.asm.s'), (seen) => seen.includes(' · sse4 · '));
    if (fs.existsSync(path.join(folder, '.vscode'))) {
        throw new Error('a settings file was written into the folder');
    }
});
await picture('vscode-target');
await step('a server that dies is started again, and nothing is lost', async () => {
    const pid = Number(fs.readFileSync(pidFile, 'utf8'));
    process.kill(pid, 'SIGKILL');
    await eventually(() => Number(fs.readFileSync(pidFile, 'utf8')), (now) => now !== pid && now !== 0);
    await goTo('5:44');
    await page.keyboard.type(' * 16.5');
    await shows('kernel.lane', ' 4 lanes');
    await page.locator('.tab', { hasText: 'kernel.sequential.laneir' }).click();
    await shows('kernel.sequential.laneir', '16.5');
    await nothingMoreIsSaid(0);
});
await step('views are there again when the window is loaded anew', async () => {
    await editor('kernel.lane').locator('.view-line').first().click();
    await page.keyboard.press('Control+s');
    await eventually(async () => fs.readFileSync(path.join(folder, 'kernel.lane'), 'utf8'), (saved) => saved.includes('16.5'));
    await page.reload();
    // Which of them was in front is kept every few seconds only.
    await page.locator('.tab', { hasText: 'kernel.sequential.laneir' }).click();
    await shows('kernel.sequential.laneir', '16.5');
    await eventually(() => lens('kernel.sequential.laneir'), (seen) => /^scale · sequential · sse4 · version \d/.test(seen));
});
await step('the menu of actions has one entry for the views of all stages', async () => {
    await page.locator('.tab', { hasText: 'kernel.lane' }).click();
    await goTo('4:9');
    let titles;
    await inMenu('View…', async () => {
        titles = await page.locator('.action-widget .monaco-list-row').allTextContents();
        await picture('vscode-actions');
    });
    if (titles.filter((title) => /View/.test(title)).length > 4 || titles.filter((title) => /View…/.test(title)).length !== 1) {
        throw new Error(`these are listed: ${titles}`);
    }
    await page.keyboard.press('Escape');
});
await step('a header without its colon has a block all the same', async () => {
    await page.locator('.explorer-folders-view').getByText('typed.lane').dblclick();
    // An empty file has words of the editor over it, and the cursor is in it.
    await editor('typed.lane').waitFor();
    await page.waitForTimeout(500);
    await page.keyboard.type('kernel fresh(first: f32[n], n: i32)\nfor i in range(n)\nfirst[i] = 1.0\n', { delay: 30 });
    await page.keyboard.type('fir', { delay: 30 });
    await page.locator('.suggest-widget .monaco-list-row', { hasText: 'first' }).first().waitFor();
    await picture('vscode-missing-colon');
    await page.keyboard.press('Tab');
    await page.keyboard.type('[i] += 2.0', { delay: 30 });
    await page.keyboard.press('Control+s');
    const wanted = 'kernel fresh(first: f32[n], n: i32)\n    for i in range(n)\n        first[i] = 1.0\n        first[i] += 2.0';
    await eventually(async () => fs.readFileSync(path.join(folder, 'typed.lane'), 'utf8').trimEnd(), (saved) => saved === wanted);
    await goTo('2:22');
    await mend('write `:`');
    await shows('typed.lane', 'for i in range(n):');
});
/** The light bulbs that an editor shows. */
const bulbs = (name) =>
    editor(name).evaluate((node) => {
        const marks = [...node.querySelectorAll('[class*="light-bulb"], [class*="lightbulb"]')];
        return marks.filter((mark) => mark.getBoundingClientRect().width > 0 && getComputedStyle(mark).display !== 'none').length;
    });

await step('documentation ends with its line, and is no error before its kernel is there', async () => {
    await open('fresh.lane');
    await page.waitForTimeout(500);
    await page.keyboard.type('## Doubles all.\n', { delay: 30 });
    await page.waitForTimeout(1500);
    if ((await editor('fresh.lane').locator('.squiggly-error').count()) > 0) {
        throw new Error('it is underlined as an error');
    }
    await page.keyboard.type('def double(out: f32[n], n: i32):\n', { delay: 30 });
    await eventually(() => text('fresh.lane'), (seen) => /## Doubles all\.\ndef double/.test(seen));
});
await step('`def` becomes `kernel`', async () => {
    await goTo('2:2');
    await mend('Write `kernel`');
    await shows('fresh.lane', 'kernel double(out');
});
await step('what a statement begins with is completed', async () => {
    await goTo('2:1');
    await page.keyboard.press('End');
    await page.keyboard.type('\nfor i in range(n):\nou', { delay: 30 });
    await page.locator('.suggest-widget .monaco-list-row', { hasText: 'out' }).first().waitFor();
    await picture('vscode-completion');
    await page.keyboard.press('Tab');
    await page.keyboard.type('[i] *= two', { delay: 30 });
    await page.keyboard.press('Control+s');
    const wanted =
        '## Doubles all.\nkernel double(out: f32[n], n: i32):\n    for i in range(n):\n        out[i] *= two';
    await eventually(async () => fs.readFileSync(path.join(folder, 'fresh.lane'), 'utf8').trimEnd(), (saved) => saved === wanted);
});
await step('an unknown name can become a parameter, and then there is no bulb any more', async () => {
    await goTo('4:20');
    await eventually(() => bulbs('fresh.lane'), (n) => n > 0);
    await mend('parameter');
    await shows('fresh.lane', 'two');
    await eventually(() => editor('fresh.lane').locator('.squiggly-error').count(), (n) => n === 0);
    await goTo('3:7');
    await eventually(() => bulbs('fresh.lane'), (n) => n === 0);
    await page.waitForTimeout(1500);
    await eventually(() => bulbs('fresh.lane'), (n) => n === 0);
});
await picture('vscode-typed');

/** Has the folder's settings say something about Lanescope, or nothing. */
const settings = path.join(folder, '.vscode/settings.json');
const configure = (values) => {
    fs.mkdirSync(path.dirname(settings), { recursive: true });
    fs.writeFileSync(settings, JSON.stringify(values));
};

await step('notes on performance are no problems, unless one asks for that', async () => {
    await open('particles.lane');
    await shows('particles.lane', 'strided by 5');
    await page.keyboard.press('Control+Shift+m');
    await eventually(problems, (rows) => rows.some((row) => row.includes('`loud` is never read')));
    await picture('vscode-notes');
    // The list has those rows alone that are on the screen, so it is asked for the ones that count.
    await page.getByPlaceholder('Filter (e.g.').fill('sparks');
    await eventually(problems, (rows) => rows.length === 0);
    await page.waitForTimeout(1500);
    await eventually(problems, (rows) => rows.length === 0);
    configure({ 'lanescope.notes': 'problems' });
    // One for each cause in each kernel: stores and loads of the one, and loads of the other.
    await eventually(problems, (rows) => rows[0] === 'particles.lane3' && rows[1].includes('`sparks` is strided'));
    await picture('vscode-notes-as-problems');
    configure({});
    await eventually(problems, (rows) => rows.length === 0);
    await page.getByPlaceholder('Filter (e.g.').fill('');
    await page.keyboard.press('Control+Shift+m');
});
await step('a hover does not repeat the note beside it', async () => {
    await open('color_by_number.lane');
    await shows('color_by_number.lane', 'gather');
    await goTo('5:20');
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Control+i');
    const hover = () => page.locator('.monaco-hover:visible').allTextContents();
    await eventually(hover, (seen) => seen.join().includes('colors: f32') && seen.join().includes('gather'));
    const words = (await hover()).join();
    await picture('vscode-hover');
    if (words.split('a cell of its own').length !== 2) {
        throw new Error(`this is said: ${words}`);
    }
    await page.keyboard.press('Escape');
});
await step('F5 steps through the kernel that the cursor is in, with the values of its lanes', async () => {
    await open('five-1.lane');
    await shows('five-1.lane', 'kernel scale');
    await goTo('5:9');
    await page.keyboard.press('F9');
    await page.keyboard.press('F5');
    await page.locator('.debug-toolbar').waitFor();
    const rows = async () => (await page.locator('.debug-variables .monaco-list-row').allTextContents()).join('\n');
    await page.locator('.debug-variables .monaco-list-row', { hasText: 'Variables' }).locator('.monaco-tl-twistie').click();
    await eventually(rows, (seen) => /\bi\b[^\n]*\[0, 1, 2, 3/.test(seen) && seen.includes('volume'));
    await eventually(async () => (await page.locator('.debug-call-stack .monaco-list-row').allTextContents()).join(), (seen) =>
        seen.includes('scale (iteration 0)') && seen.includes('stage vector'),
    );
    await picture('vscode-debugging');
    await page.locator('.debug-toolbar .codicon-debug-step-back').click();
    await eventually(async () => (await page.locator('.debug-call-stack .monaco-list-row').allTextContents()).join(), (seen) =>
        /five-1\.lane\s*4/.test(seen),
    );
    await page.keyboard.press('Shift+F5');
    await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
    await goTo('5:9');
    await page.keyboard.press('F9');
    await palette('View: Show Explorer');
});
await step('faster versions are measured and listed, and the one that is chosen is written', async () => {
    fs.writeFileSync(path.join(folder, 'sum.lane'), 'kernel sum(a: f32[n], n: i32) -> f32:\n    s = 0.0\n    for i in range(n):\n        s += a[i]\n    return s\n');
    await open('sum.lane');
    await editor('sum.lane').locator('.codelens-decoration a', { hasText: 'Find faster versions' }).click();
    const rows = page.locator('.quick-input-list .monaco-list-row', { hasText: 'times as fast' });
    await rows.filter({ hasText: '@reassoc' }).first().waitFor({ timeout: 180000 });
    await picture('vscode-faster');
    await rows.filter({ hasText: '@reassoc' }).first().click();
    await shows('sum.lane', '@reassoc');
    await page.keyboard.press('Control+s');
    await nothingMoreIsSaid(0);
});
await step('closing all editors at once says nothing', async () => {
    for (const n of [1, 2, 3, 4, 5]) {
        await page.locator('.explorer-folders-view').getByText(`five-${n}.lane`).dblclick();
        await shows(`five-${n}.lane`, 'kernel scale');
    }
    await page.keyboard.press('Control+s');
    await palette('View: Close All Editors');
    await page.locator('.monaco-dialog-box', { hasText: 'save' }).getByText("Don't Save").click({ timeout: 2000 }).catch(() => {});
    await eventually(() => page.locator('.tab').count(), (n) => n === 0);
    await page.waitForTimeout(2000);
    await nothingMoreIsSaid(0);
});
await picture('vscode-closed');
await page.locator('.explorer-folders-view').getByText('kernel.lane').dblclick();
const setPath = (server) => configure({ 'lanescope.server.path': server });
await step('a setting that leads to no server is said, and what to do', async () => {
    await page.locator('.tab', { hasText: 'kernel.lane' }).click();
    setPath('/gone/lanescope');
    await page.locator('.statusbar-item', { hasText: 'Lane: no server' }).waitFor();
    await page.locator('.notification-toast', { hasText: 'says /gone/lanescope' }).getByText('Open the setting').waitFor();
    await nothingMoreIsSaid(1);
});
await picture('vscode-no-server');
await step('a program that is no server is said too', async () => {
    await page.locator('.notification-toast').hover();
    await page.locator('.notification-toast .codicon-notifications-clear').click();
    setPath('/bin/true');
    await page.locator('.notification-toast', { hasText: 'it has not answered' }).waitFor();
    await nothingMoreIsSaid(1);
});
await step('once the setting is right the server runs, without a new window', async () => {
    configure({});
    await page.locator('.statusbar-item', { hasText: 'Lane: sse4' }).waitFor();
    await shows('kernel.lane', ' 4 lanes');
});
await step('a folder that is not trusted has no say in what is started', async () => {
    const own = path.join(scratch, 'data/User/settings.json');
    const trust = { 'security.workspace.trust.enabled': true, 'security.workspace.trust.startupPrompt': 'never' };
    fs.writeFileSync(own, JSON.stringify({ ...JSON.parse(fs.readFileSync(own, 'utf8')), ...trust }));
    await page.goto(address.replace(/folder=.*/, `folder=${path.join(scratch, 'strange')}`));
    await page.locator('.explorer-folders-view').getByText('kernel.lane').dblclick();
    await shows('kernel.lane', 'loud: i32 = 2');
    if (fs.existsSync(path.join(scratch, 'was-started'))) {
        throw new Error('its program was started');
    }
    // Nor does anything of it run.
    await editor('kernel.lane').locator('.codelens-decoration a', { hasText: 'View lowered IR' }).waitFor();
    if ((await editor('kernel.lane').locator('.codelens-decoration a', { hasText: 'Find faster versions' }).count()) > 0) {
        throw new Error('its kernels could be run');
    }
});
await done();
