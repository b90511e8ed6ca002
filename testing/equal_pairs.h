#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/random.h"
#include "steptp/ir/program.h"

namespace steptp::testing {

/// Two programs that are equal by construction: `after` was made from `before` by steps that are right wherever their
/// conditions hold, and the conditions are syntactic. No analysis of the project had a say in it.
struct EqualPair {
  Program before;
  Program after;
  std::vector<std::string> steps;  ///< the base, then what was done, for a message
};

struct PairOptions {
  int most_steps = 6;
  /// One pair in so many starts from a generated program instead of a written one; 0 for never.
  std::uint64_t one_generated_in = 4;
};

[[nodiscard]] EqualPair make_equal_pair(Random& random, const PairOptions& options = {});

/// Small programs as one would write them: chains of elementwise equations, matrix products, convolution with padding,
/// softmax, layer norm, pooling, gather; with drawn extents and a drawn float type.
[[nodiscard]] Program written_program(Random& random);
/// How many kinds there are, and one of them.
[[nodiscard]] std::size_t written_kinds();
[[nodiscard]] Program written_program(std::size_t kind, Random& random);
/// The same at given extents, of which n is even.
[[nodiscard]] Program written_program(std::size_t kind, DType dtype, std::int64_t m, std::int64_t n, std::int64_t k);

/// exp, log, sqrt, erf, a power that is not a natural number ...: what evaluation leaves to balls.
[[nodiscard]] bool has_transcendental(const Program& program);

}  // namespace steptp::testing
