// Joins what threads find in parts of a recording, by the header for spans:
//
//     lanescope build examples/loudness.lane --emit obj,cpp -o out
//     c++ -std=c++20 -pthread -I out examples/callers/loudness.cpp out/loudness.o -o out/loudness
//     out/loudness

#include <iostream>
#include <thread>
#include <vector>

#include "loudness.hpp"

int main() {
    std::vector<float> samples(98000);
    for (std::size_t i = 0; i < samples.size(); i++) samples[i] = static_cast<float>(i % 7) - 3.0f;
    const auto n_blocks = loudness::raw::loudness_iterations(static_cast<std::int32_t>(samples.size()));
    const float heard = loudness::loudness_in_threads(std::thread::hardware_concurrency(), samples);
    std::cout << n_blocks << " blocks, loudness " << heard << '\n';
}
