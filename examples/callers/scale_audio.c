// Calls a kernel from C:
//
//     lanescope build examples/scale_audio.lane -o out
//     cc -I out examples/callers/scale_audio.c out/scale_audio.o -o out/scale_audio
//     out/scale_audio

#include <stdio.h>

#include "scale_audio.h"

int main(void) {
    const float samples[5] = {1.0f, -2.0f, 0.5f, 4.0f, -8.0f};
    float out[5];
    scale_audio(samples, out, 5, 0.5f);
    for (int i = 0; i < 5; i++) printf("%g\n", out[i]);
    return 0;
}
