/** The stages a program goes through, as the server lists them when it starts. */

export interface Stage {
    name: string;
    description: string;
    /** What language the text of a view is in. */
    languageId: string;
}

/** Reads the list from what the server says of itself; a server that has none has no views either. */
export function stagesOf(capabilities: { experimental?: unknown } | undefined): Stage[] {
    const experimental = capabilities?.experimental as { lanescope?: { stages?: unknown } } | undefined;
    const stages = experimental?.lanescope?.stages;
    return Array.isArray(stages) ? stages.flatMap(stageOf) : [];
}

function stageOf(listed: Partial<Record<keyof Stage, unknown>> | null): Stage[] {
    const { name, description = '', languageId = 'plaintext' } = listed ?? {};
    const isStage = typeof name === 'string' && typeof description === 'string' && typeof languageId === 'string';
    return isStage ? [{ name, description, languageId }] : [];
}

/** The stage before (-1) or behind (1) one of that name; none beyond the ends. */
export function stageBeside(stages: readonly Stage[], name: string, step: -1 | 1): Stage | undefined {
    const at = stages.findIndex((stage) => stage.name === name);
    return at < 0 ? undefined : stages[at + step];
}
