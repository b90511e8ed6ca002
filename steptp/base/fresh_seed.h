#pragma once

#include <cstdint>

namespace steptp {

/// A seed that nobody could know before: from the operating system, below 2^53 so that every reader of JSON keeps it.
/// The judge draws one after it has been given a pair, so that no pair can be made to fit it.
[[nodiscard]] std::uint64_t fresh_seed();

}  // namespace steptp
