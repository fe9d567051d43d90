namespace sizes {

/** Has threads run parts of so many iterations until all are done. What a part throws is thrown here, when all threads have ended. */
template <typename Part>
void divide(std::size_t threads, std::int64_t n_iterations, const Part& part) {
    const auto all = static_cast<std::uint64_t>(std::max<std::int64_t>(n_iterations, 1));
    const auto n_threads = static_cast<std::int64_t>(std::clamp<std::uint64_t>(threads, 1, all));
    // Parts that are small enough for all threads to end at about the same time.
    const std::int64_t step = std::max<std::int64_t>(n_iterations / n_threads / 8, 1);
    std::atomic<std::int64_t> next{0};
    std::exception_ptr thrown;
    std::mutex throwing;
    const auto run = [&]() noexcept {
        try {
            for (std::int64_t begin = next.fetch_add(step); begin < n_iterations; begin = next.fetch_add(step)) {
                part(begin, begin + std::min(step, n_iterations - begin));
            }
        } catch (...) {
            // The other threads begin no more parts.
            next.store(n_iterations);
            const std::lock_guard<std::mutex> lock(throwing);
            thrown = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    try {
        while (static_cast<std::int64_t>(others.size()) + 1 < n_threads) {
            others.emplace_back(run);
        }
    } catch (const std::exception&) {
        // The system gives no more threads: those that there are do it all, with the same bits.
    }
    run();
    for (std::thread& other : others) {
        other.join();
    }
    if (thrown) {
        std::rethrow_exception(thrown);
    }
}

}  // namespace sizes
