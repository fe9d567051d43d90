# A folder of ISPC sources in a real VS Code. Keeps pictures in artefacts/.
source "$(dirname "$0")/code-server.sh"

mkdir -p "$scratch/work/include"
cat >"$scratch/work/include/table.isph" <<'ISPC'
#pragma once
#define ENTRIES 64

/** Looks up an entry of a table. */
static inline float entry(uniform const float table[], int at) {
    return table[at & (ENTRIES - 1)];
}
ISPC
cat >"$scratch/work/scale.ispc" <<'ISPC'
#include "table.isph"

#if defined(SCALE_TWICE)
#define FACTOR 2.0f
#else
#define FACTOR 0.5f
#endif

export void scale(uniform const int index[], uniform const float table[],
                  uniform float out[], uniform int n) {
    foreach (i = 0 ... n) {
        int at = index[i];
        if (at >= 0) {
            float looked = table[at];
            out[i] = (looked + entry(table, at)) * FACTOR;
        }
    }
}

export void add(uniform float a[], uniform int n) {
    for (uniform int i = 0; i < n; i += programCount) {
        if (i + programIndex < n) {
            a[i + programIndex] += 1.0f;
        }
    }
}
ISPC
cat >"$scratch/work/compile_commands.json" <<JSON
[{ "directory": "$scratch/work", "file": "scale.ispc", "command": "ispc -I include --target=avx2-i32x8 scale.ispc -o scale.o" }]
JSON
play ispc.mjs
