/** Sizes of arrays and of scratch memory, and what is refused. */
namespace sizes {

/** A number of 64 bits, or none where it does not fit. */
using Number = std::optional<std::int64_t>;

inline constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

/** Refuses a call of a function. */
[[noreturn]] inline void refuse(const char* function, const std::string& why) {
    throw std::invalid_argument(std::string(function) + ": " + why);
}

/** The name of an array, and the number of its elements. */
inline std::string has(const char* array, std::size_t len) {
    return "`" + std::string(array) + "` has " + std::to_string(len) + " elements";
}

/** The parameter that the length of an array is. */
template <typename T>
T told(const char* function, const char* array, std::size_t len, const char* param) {
    if (!std::in_range<T>(len)) {
        const std::string most = std::to_string(std::numeric_limits<T>::max());
        refuse(function, has(array, len) + ", and `" + param + "`, which is their number, is at most " + most);
    }
    return static_cast<T>(len);
}

/** Refuses an array of another length than it has to have; `why` begins with a colon, or is empty. */
inline void check(const char* function, const char* array, std::size_t len, Number cells, const char* why) {
    if (!cells) {
        refuse(function, "`" + std::string(array) + "` has to have more elements than there can be" + why);
    }
    const std::int64_t expected = std::max<std::int64_t>(*cells, 0);
    if (std::cmp_not_equal(len, expected)) {
        refuse(function, has(array, len) + ", and has to have " + std::to_string(expected) + why);
    }
}

/** Refuses an array that is not made of rows of so many elements. */
inline void check_rows(const char* function, const char* array, std::size_t len, Number cells, const char* why) {
    const std::uint64_t row = cells ? static_cast<std::uint64_t>(std::max<std::int64_t>(*cells, 0)) : 0;
    if (len != 0 && (row == 0 || len % row != 0)) {
        const std::string rows = cells ? std::to_string(row) : "more than there can be";
        refuse(function, has(array, len) + ", and has to have whole rows of " + rows + why);
    }
}

/** Refuses two arrays of which one is written, and that share cells. */
template <typename Written, typename Other>
void apart(const char* function, const char* array, std::span<Written> cells, const char* other, std::span<Other> others) {
    const std::span<const std::byte> a = std::as_bytes(cells);
    const std::span<const std::byte> b = std::as_bytes(others);
    // Addresses in different arrays are ordered by `std::less` alone.
    constexpr std::less<const std::byte*> before{};
    const bool overlap = before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
    if (!a.empty() && !b.empty() && overlap) {
        refuse(function, "`" + std::string(array) + "` is written, and overlaps `" + other + "`: give a copy of one of them");
    }
}

/** Says what the status of a kernel means that compares sizes itself. */
inline void done(const char* function, std::int32_t status) {
    if (status != 0) {
        refuse(function, "sizes differ that have to be equal, or there is no element where one is needed: the kernel has done nothing");
    }
}

/** The rows of so many cells that an array has. */
inline std::int64_t rows(std::size_t len, Number cells) {
    return cells.value_or(0) == 0 ? 0 : static_cast<std::int64_t>(len) / *cells;
}

template <typename T>
Number of(T number) {
    return std::in_range<std::int64_t>(number) ? Number(static_cast<std::int64_t>(number)) : std::nullopt;
}

inline Number sum(Number a, Number b) {
    const bool fits = a && b && (*b > 0 ? *a <= highest - *b : *a >= lowest - *b);
    return fits ? Number(*a + *b) : std::nullopt;
}

inline Number difference(Number a, Number b) {
    const bool fits = a && b && (*b > 0 ? *a >= lowest + *b : *a <= highest + *b);
    return fits ? Number(*a - *b) : std::nullopt;
}

inline Number product(Number a, Number b) {
    if (!a || !b) {
        return std::nullopt;
    }
    bool fits = *a == 0 || *b == 0;
    if (!fits && *a > 0) {
        fits = *b > 0 ? *a <= highest / *b : *b >= lowest / *a;
    } else if (!fits) {
        fits = *b > 0 ? *a >= lowest / *b : *b >= highest / *a;
    }
    return fits ? Number(*a * *b) : std::nullopt;
}

/** Says whether two numbers have a quotient of 64 bits. */
inline bool divides(Number a, Number b) {
    return a && b && *b != 0 && (*b != -1 || *a != lowest);
}

inline Number quotient(Number a, Number b) {
    return divides(a, b) ? Number(*a / *b) : std::nullopt;
}

inline Number rest(Number a, Number b) {
    return divides(a, b) ? Number(*a % *b) : std::nullopt;
}

inline Number floored(Number a, Number b) {
    if (!divides(a, b)) {
        return std::nullopt;
    }
    const bool is_above = *a % *b != 0 && (*a < 0) != (*b < 0);
    return *a / *b - (is_above ? 1 : 0);
}

inline Number least(Number a, Number b) {
    return a && b ? Number(std::min(*a, *b)) : std::nullopt;
}

inline Number most(Number a, Number b) {
    return a && b ? Number(std::max(*a, *b)) : std::nullopt;
}

/** A number as a type of so many bits has it. */
inline Number wrapped(Number a, unsigned bits, bool is_signed) {
    if (!a) {
        return std::nullopt;
    }
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
    const std::uint64_t low = static_cast<std::uint64_t>(*a) & mask;
    const bool is_negative = is_signed && (low >> (bits - 1)) == 1;
    return is_negative ? Number(static_cast<std::int64_t>(low | ~mask)) : of(low);
}

/** Frees scratch memory. */
struct Free {
    void operator()(void* memory) const noexcept {
        ::operator delete(memory, std::align_val_t{64});
    }
};

using Memory = std::unique_ptr<void, Free>;

/** Memory of so many bytes, with anything in it, at a multiple of 64. */
inline Memory scratch(const char* function, Number bytes) {
    if (!bytes || !std::in_range<std::size_t>(*bytes)) {
        refuse(function, "the kernel needs more scratch memory than there can be: call it with smaller sizes");
    }
    return Memory(::operator new(static_cast<std::size_t>(*bytes), std::align_val_t{64}));
}

}  // namespace sizes
