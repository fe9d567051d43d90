// SYNTAX TEST "source.ispc" "ISPC: directives, words of its own, numbers"

#include "grid.isph"
// <-------- keyword.control.directive.include.ispc
//       ^^^^^^^^^^^ string.quoted.other.include.ispc
#define SQUARE(a) ((a) * (a))
// <------- keyword.control.directive.define.ispc
#if SQUARE(2) > 3
// <--- keyword.control.directive.conditional.ispc
export void f(uniform float out[], varying int n) {
// <------ storage.modifier.ispc
//            ^^^^^^^ storage.modifier.variability.ispc
    foreach (i = 0 ... n) {
//  ^^^^^^^ keyword.control.ispc
        out[i] = 0.5f + 0x1p-3; /* far
//               ^^^^ constant.numeric.ispc
//                      ^^^^^^ constant.numeric.ispc
//                              ^^^^^^ comment.block.ispc
        away */
    }
}
