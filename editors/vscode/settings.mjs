// Writes the server's settings, as `docs/settings.schema.json` lists them, into the manifest, and all settings into the
// README. The extension's own settings stand in the manifest alone. With `--check` it only says whether anything would change.
import fs from 'node:fs';

const read = (name) => fs.readFileSync(new URL(name, import.meta.url), 'utf8');
const own = /^lanescope\.(server|trace)\./;

const manifest = JSON.parse(read('package.json'));
const { configuration } = manifest.contributes;
const schema = JSON.parse(read('../../docs/settings.schema.json'));
configuration.properties = {
    ...Object.fromEntries(Object.entries(configuration.properties).filter(([name]) => own.test(name))),
    ...Object.fromEntries(Object.entries(schema).map(([name, setting]) => [name, { ...setting, scope: 'window' }])),
};
const rows = Object.entries(configuration.properties).map(([name, setting]) => {
    return `| \`${name}\` | ${setting.markdownDescription} |\n`;
});
const wanted = {
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'README.md': read('README.md').replace(/(\| setting \| \|\n\|---\|---\|\n)(\|.*\n)*/, (_, head) => head + rows.join('')),
};
for (const [name, text] of Object.entries(wanted).filter(([name, text]) => read(name) !== text)) {
    if (process.argv.includes('--check')) {
        console.error(`editors/vscode/${name} does not have the server's settings: \`npm run settings\` writes them`);
        process.exitCode = 1;
    } else {
        fs.writeFileSync(new URL(name, import.meta.url), text);
    }
}
