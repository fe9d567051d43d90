// VS Code in a browser, as the scripts beside this play it: what can be looked at, what can be pressed, and steps that have to hold.
// Arguments are the address, the folder that is open, the one for pictures, and the one for all else.
import path from 'node:path';
import { chromium } from 'playwright-core';

export const [address, folder, artefacts, scratch] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
export const page = await browser.newPage({ viewport: { width: 1500, height: 700 } });
page.setDefaultTimeout(90_000);

export const picture = (name) => page.screenshot({ path: path.join(artefacts, `${name}.png`) });

/** One thing that has to hold; a picture is taken where it does not. */
export async function step(words, action) {
    try {
        await action();
        console.log(`ok: ${words}`);
    } catch (error) {
        console.error(`not so: ${words}\n${error}`);
        await picture('vscode-failed').catch(() => {});
        await browser.close();
        process.exit(1);
    }
}

/** The editor of a file or view. */
export const editor = (name) => page.locator(`.editor-instance[aria-label^="${name}"]`);

/** The lines that an editor shows, hints among them, with plain spaces. */
export const text = async (name) => {
    const lines = await editor(name).locator('.view-line').allTextContents();
    return lines.join('\n').replaceAll('\u00a0', ' ');
};

/** Waits until something that is looked up is as it has to be. */
export async function eventually(look, isRight) {
    const deadline = Date.now() + 90_000;
    for (let seen = await look(); !isRight(seen); seen = await look()) {
        if (Date.now() > deadline) {
            throw new Error(`found: ${JSON.stringify(seen)}`);
        }
        await page.waitForTimeout(50);
    }
}

/** The lines of an editor that are lit: those at whose height there is a mark of an extension's. */
export const lit = (name) =>
    editor(name).evaluate((node) => {
        const marks = [...node.querySelectorAll('.view-overlays .cdr')].filter((mark) => /\bced-/.test(mark.className));
        const heights = marks.map((mark) => mark.parentElement.style.top);
        const lines = [...node.querySelectorAll('.view-line')].filter((line) => heights.includes(line.style.top));
        return lines.map((line) => line.textContent.replaceAll('\u00a0', ' ').trim());
    });

/** Whether the text of an editor is dimmed. */
export const isDimmed = (name) =>
    editor(name).evaluate((node) => {
        const spans = [...node.querySelectorAll('.view-line span span')];
        return spans.length > 0 && spans.every((span) => Number(getComputedStyle(span).opacity) < 1);
    });

/** The labels of the list that is open. */
export const listed = () => page.locator('.quick-input-list .monaco-list-row .label-name').allTextContents();

/** Waits until an editor shows something. */
export const shows = (name, wanted) => eventually(() => text(name), (seen) => seen.includes(wanted));

export async function palette(command) {
    await page.keyboard.press('F1');
    await page.locator('.quick-input-widget input').fill(`>${command}`);
    await page.locator('.quick-input-list .monaco-list-row', { hasText: command }).first().waitFor();
    await page.keyboard.press('Enter');
}

/** Puts the cursor somewhere in the source. */
export async function goTo(place) {
    await page.keyboard.press('Control+g');
    await page.locator('.quick-input-widget input').fill(`:${place}`);
    await page.keyboard.press('Enter');
    await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
}

/** The first lens of an editor: of a view, what it shows. */
export const lens = (name) => editor(name).locator('.codelens-decoration').first().textContent();

/** Fails unless so many notifications are there. */
export async function nothingMoreIsSaid(nToasts) {
    const toasts = await page.locator('.notification-toast').allTextContents();
    if (toasts.length !== nToasts) {
        throw new Error(`this is said: ${toasts.join('\n')}`);
    }
}

/** Opens a file that is listed at the side. */
export const open = async (name) => {
    await page.locator('.explorer-folders-view').getByText(name, { exact: true }).dblclick();
    await editor(name).waitFor();
};

/**
 * Opens the menu of actions, and does something with its first one that has these words, all of it again where an answer comes in
 * between, which closes a menu.
 */
export const inMenu = async (words, use) => {
    const action = page.locator('.action-widget .monaco-list-row', { hasText: words }).first();
    for (let n = 0; ; n++) {
        await page.keyboard.press('Control+.');
        const used = action.waitFor({ timeout: 5000 }).then(() => use(action));
        if (await used.then(() => true, (error) => (n < 5 ? false : Promise.reject(error)))) {
            return;
        }
        await page.keyboard.press('Escape');
    }
};

/** Takes the first action of the menu with these words. `look` is done while it is open. */
export const mend = (words, look = () => {}) =>
    inMenu(words, async (action) => {
        await look();
        await action.click({ timeout: 5000 });
    });

/** The rows of the list of problems. */
export const problems = () => page.locator('.markers-panel .monaco-list-row').allTextContents();

/** Clicks a lens of an editor. */
export const clickLens = (name, title) => editor(name).locator('.codelens-decoration a', { hasText: title }).first().click();

/** What the terminals show. */
export const terminal = async () => (await page.locator('.xterm-rows > div').allTextContents()).join('\n').replaceAll('\u00a0', ' ');

/** Leaves, all having held. */
export const done = () => browser.close();
