// Copies examples of the repository to beside their snapshots: how they are coloured, token by token. An example has a
// snapshot because somebody has read it; all the others are held to the rules in `grammar.test.ts`.
import fs from 'node:fs';

const here = new URL('.', import.meta.url);
const examples = new URL('../../../../examples/', here);
const snapshots = new URL('examples/', here);
for (const snapshot of fs.readdirSync(snapshots).filter((name) => name.endsWith('.lane.snap'))) {
    const name = snapshot.replace(/\.snap$/, '');
    fs.copyFileSync(new URL(name, examples), new URL(name, snapshots));
}
