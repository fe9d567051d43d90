// Ripples on water: one step of the wave equation on a grid.

#include "grid.isph"

// The share of its height that a wave keeps.
#define DAMPING 0.995

/// The mean height of the four neighbours of a cell.
static float neighbours(const uniform Grid &grid, uniform float water[], int x, uniform int y) {
    return 0.25 * (water[cell(grid, x - 1, y)] + water[cell(grid, x + 1, y)] +
                   water[cell(grid, x, y - 1)] + water[cell(grid, x, y + 1)]);
}

/// Computes the heights of the water from those of the two steps before; the new ones replace the older ones.
export void ripple(const uniform Grid &grid, uniform float water[], uniform float older[]) {
    for (uniform int y = 0; y < grid.height; ++y) {
        foreach (x = 0 ... grid.width) {
            const int here = cell(grid, x, y);
            older[here] = DAMPING * (2 * neighbours(grid, water, x, y) - older[here]);
        }
    }
}
