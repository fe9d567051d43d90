// Calls a kernel from C++:
//
//     lanescope build examples/scale_audio.lane -o out
//     c++ -I out examples/callers/scale_audio.cpp out/scale_audio.o -o out/scale_audio
//     out/scale_audio

#include <cstdint>
#include <iostream>
#include <vector>

#include "scale_audio.h"

int main() {
    const std::vector<float> samples = {1.0f, -2.0f, 0.5f, 4.0f, -8.0f};
    std::vector<float> out(samples.size());
    scale_audio(samples.data(), out.data(), static_cast<std::int32_t>(samples.size()), 0.5f);
    for (float sample : out) std::cout << sample << '\n';
}
