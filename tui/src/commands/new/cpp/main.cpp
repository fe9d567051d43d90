// Calls the kernels of NAME.lane: `build/main test` tests them, `build/main bench` measures them.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "NAME.hpp"

static int test() {
    std::vector<float> a(1000), b(1000), out(1000);
    for (std::size_t i = 0; i < a.size(); i++) {
        a[i] = static_cast<float>(i);
        b[i] = static_cast<float>(a.size() - i);
    }
    NAME::mix(a, b, out, 0.25f);
    for (std::size_t i = 0; i < out.size(); i++) {
        const float expected = a[i] + (b[i] - a[i]) * 0.25f;
        if (std::fabs(out[i] - expected) > 1e-3f) {
            std::printf("out[%zu] is %g, and should be %g\n", i, out[i], expected);
            return 1;
        }
    }
    out.pop_back();
    try {
        NAME::mix(a, b, out, 0.25f);
    } catch (const std::invalid_argument&) {
        std::puts("mix: passed");
        return 0;
    }
    std::puts("an output that is too short was taken");
    return 1;
}

static int bench() {
    constexpr int rounds = 20000;
    std::vector<float> a(4096), b(4096), out(4096);
    const auto start = std::chrono::steady_clock::now();
    for (int round = 0; round < rounds; round++) {
        NAME::mix(a, b, out, 0.25f);
    }
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    std::printf("mix: %.3f ns an element\n", taken.count() / rounds / static_cast<double>(out.size()));
    return 0;
}

int main(int argc, char** argv) {
    return argc > 1 && std::string_view(argv[1]) == "bench" ? bench() : test();
}
