/**
 * Where the `lanescope` command is: the setting, else the copy in the extension, else PATH.
 *
 * A setting that leads nowhere is an error and not a reason to look further: whoever wrote it wants that very binary. What
 * is asked of the machine comes in as data and one function, so that every answer can be tested without one.
 */

import * as path from 'node:path';

/** What the search depends on. */
export interface Surroundings {
    /** The setting `lanescope.server.path`; empty if it is not set. */
    setting: string;
    /** The extension's own folder. */
    extension: string;
    /** The variable PATH. */
    searchPath: string;
    /** The first folder of the workspace, which `${workspaceFolder}` in the setting stands for. */
    workspace: string | undefined;
    /** What `~` in the setting stands for. */
    home: string;
    platform: NodeJS.Platform;
}

/** The command and who named it, or a sentence for the user that says where it was looked for and what to do. */
export type Search = { command: string; from: 'setting' | 'extension' | 'PATH' } | { missing: string };

export function findBinary(surroundings: Surroundings, isExecutable: (file: string) => boolean): Search {
    const paths = surroundings.platform === 'win32' ? path.win32 : path.posix;
    if (surroundings.setting !== '') {
        const command = expand(surroundings.setting, surroundings);
        return isExecutable(command) ? { command, from: 'setting' } : { missing: wrongSetting(command) };
    }
    const name = surroundings.platform === 'win32' ? 'lanescope.exe' : 'lanescope';
    const bundled = paths.join(surroundings.extension, 'bin', name);
    if (isExecutable(bundled)) {
        return { command: bundled, from: 'extension' };
    }
    const folders = surroundings.searchPath.split(paths.delimiter).filter((folder) => paths.isAbsolute(folder));
    const command = folders.map((folder) => paths.join(folder, name)).find(isExecutable);
    return command === undefined ? { missing: notFound(bundled, folders.length) } : { command, from: 'PATH' };
}

function expand(setting: string, { home, workspace, platform }: Surroundings): string {
    const paths = platform === 'win32' ? path.win32 : path.posix;
    const atHome = setting.replace(/^~(?=[\\/]|$)/, () => home);
    const inWorkspace = atHome.replace('${workspaceFolder}', () => workspace ?? '');
    // A relative path means the workspace, since the folder that the editor was started in is nobody's choice.
    return paths.isAbsolute(inWorkspace) ? inWorkspace : paths.join(workspace ?? home, inWorkspace);
}

function wrongSetting(command: string): string {
    return (
        `Lanescope's language server cannot be started: "lanescope.server.path" says ${command}, and there is no ` +
        'program of that name. Correct the setting, or clear it to have the server looked for on PATH.'
    );
}

function notFound(bundled: string, nFolders: number): string {
    return (
        `Lanescope's language server was not found: there is no ${bundled}, and no "lanescope" in the ` +
        `${nFolders} folders of PATH. Install it with "cargo install --path tui" in Lanescope's sources, or set ` +
        '"lanescope.server.path". Until then there are colours and snippets, and nothing else.'
    );
}
