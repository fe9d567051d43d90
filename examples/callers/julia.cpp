// Runs a kernel under `@threads` on all cores, by C++'s own threads:
//
//     lanescope build examples/julia.lane -o out --emit obj,cpp
//     c++ -std=c++20 -pthread -I out examples/callers/julia.cpp out/julia.o -o out/julia
//     out/julia

#include <cstdint>
#include <iostream>
#include <numeric>
#include <thread>
#include <vector>

#include "julia.hpp"

int main() {
    const std::int32_t w = 320, h = 200, most = 100;
    std::vector<std::int32_t> steps(std::size_t{320} * 200);
    julia::julia_in_threads(std::thread::hardware_concurrency(), steps, h, w, -0.8f, 0.156f, most);
    std::cout << h << " rows, " << std::accumulate(steps.begin(), steps.end(), std::int64_t{0}) << " steps\n";
}
