#pragma once

#include <cstdint>
#include <string>

#include "steptp/base/result.h"
#include "steptp/moves/move.h"

namespace steptp::testing {

/// Sizes that `flash` is to have at most; each that is taken divides what it cuts.
struct FlashSizes {
  std::int64_t keys = 32;
  std::int64_t queries = 64;
  std::int64_t threads = 1;     ///< of a query
  std::string scores = "keys";  ///< with several threads
};

/// `flash` made of the first attention of a program: with one thread for a query, what is staged is as little as fits.
struct FlashAttention {
  Choice choice;
  Moved moved;
  std::uint32_t kernel = 0;  ///< the expression that is the attention
};
/// The text says why it is not made.
[[nodiscard]] Result<FlashAttention, std::string> make_flash(const Program& program, const FlashSizes& most);

}  // namespace steptp::testing
