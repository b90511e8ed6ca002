#pragma once

#include <cstdint>

namespace steptp::certify {

/// What a real value is besides its digits.
enum class ValueClass : std::uint8_t { finite, positive_infinity, negative_infinity, nan };

/// -1, 0, 1, or not known.
enum class Order : std::uint8_t { less, equal, greater, unknown };

}  // namespace steptp::certify
