/** Where the server is looked for, and what is said when it is nowhere. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBinary, type Search, type Surroundings } from '../src/binary';

const LINUX: Surroundings = {
    setting: '',
    extension: '/ext',
    searchPath: '/usr/bin:/opt/bin',
    workspace: '/work',
    home: '/home/me',
    platform: 'linux',
};

function search(surroundings: Partial<Surroundings>, ...files: string[]): Search {
    return findBinary({ ...LINUX, ...surroundings }, (file) => files.includes(file));
}

test('the setting comes before the extension, and the extension before PATH', () => {
    const all = ['/mine', '/ext/bin/lanescope', '/opt/bin/lanescope'];
    assert.deepEqual(search({ setting: '/mine' }, ...all), { command: '/mine', from: 'setting' });
    assert.deepEqual(search({}, ...all), { command: '/ext/bin/lanescope', from: 'extension' });
    assert.deepEqual(search({}, '/opt/bin/lanescope'), { command: '/opt/bin/lanescope', from: 'PATH' });
});

test('the first folder of PATH wins, and relative ones do not count', () => {
    const found = search({ searchPath: '.:bin::/usr/bin:/opt/bin' }, 'bin/lanescope', '/usr/bin/lanescope', '/opt/bin/lanescope');
    assert.deepEqual(found, { command: '/usr/bin/lanescope', from: 'PATH' });
});

test('the setting may start at home or in the workspace', () => {
    const command = (setting: string) => {
        const found = findBinary({ ...LINUX, setting }, () => true);
        return 'command' in found ? found.command : found.missing;
    };
    assert.equal(command('~/bin/lanescope'), '/home/me/bin/lanescope');
    assert.equal(command('${workspaceFolder}/target/debug/lanescope'), '/work/target/debug/lanescope');
    assert.equal(command('target/debug/lanescope'), '/work/target/debug/lanescope');
    assert.equal(command('/a/~/b'), '/a/~/b');
});

test('a setting that leads nowhere is said, and nothing else is started instead', () => {
    const found = search({ setting: '/gone' }, '/ext/bin/lanescope', '/usr/bin/lanescope');
    assert.ok('missing' in found);
    assert.match(found.missing, /"lanescope\.server\.path" says \/gone/);
});

test('what is nowhere is said with the places and the way out', () => {
    const found = search({});
    assert.ok('missing' in found);
    assert.match(found.missing, /no \/ext\/bin\/lanescope.*2 folders of PATH.*cargo install.*"lanescope\.server\.path"/s);
});

test('Windows has other paths and another name', () => {
    const windows = {
        extension: 'C:\\ext',
        searchPath: 'C:\\tools;D:\\bin',
        home: 'C:\\Users\\me',
        platform: 'win32' as const,
    };
    assert.deepEqual(search(windows, 'D:\\bin\\lanescope.exe'), { command: 'D:\\bin\\lanescope.exe', from: 'PATH' });
    const atHome = search({ ...windows, setting: '~\\lanescope.exe' }, 'C:\\Users\\me\\lanescope.exe');
    assert.deepEqual(atHome, { command: 'C:\\Users\\me\\lanescope.exe', from: 'setting' });
});
