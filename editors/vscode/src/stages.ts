/** The stages a program goes through, as the command lists them: `lanescope lower --stage list`. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface Stage {
    name: string;
    description: string;
}

/** Asks the command, so that a stage that it learns is offered without a change here. */
export async function stagesOf(command: string): Promise<Stage[]> {
    const { stdout } = await promisify(execFile)(command, ['lower', '--stage', 'list'], { timeout: 10_000 });
    return readStages(stdout);
}

/** Reads the list: a name and what has become visible at it, two or more spaces apart. */
export function readStages(list: string): Stage[] {
    return list.split(/\r?\n/).flatMap((line) => {
        const [, name, description] = /^(\S+)(?:\s{2,}(.*))?$/.exec(line) ?? [];
        return name === undefined ? [] : [{ name, description: description ?? '' }];
    });
}
