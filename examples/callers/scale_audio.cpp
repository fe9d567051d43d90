// Calls a kernel from C++20, by a function of spans:
//
//     lanescope build examples/scale_audio.lane -o out --emit obj,cpp
//     c++ -std=c++20 -I out examples/callers/scale_audio.cpp out/scale_audio.o -o out/scale_audio
//     out/scale_audio

#include <cstdint>
#include <iostream>
#include <vector>

#include "scale_audio.hpp"

int main() {
    const std::vector<float> samples = {1.0f, -2.0f, 0.5f, 4.0f, -8.0f};
    std::vector<float> out(samples.size());
    // The kernel does not say that `n` is the length of its arrays (`samples: f32[n]`), so it is given.
    scale_audio::scale_audio(samples, out, static_cast<std::int32_t>(samples.size()), 0.5f);
    for (float sample : out) std::cout << sample << '\n';
}
