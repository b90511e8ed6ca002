#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace steptp::certify {

/// Why an element has no certified value. None of these is ever turned into a value.
enum class FailureKind : std::uint8_t {
  undefined_read,
  out_of_range,
  integer_division_by_zero,
  undefined_value,  ///< a real operation without a value: a division by zero
  operations,       ///< the budget of operations is spent
  memory,           ///< the budget of bytes for remembered values is spent
  depth,            ///< a chain of definitions is longer than the machine's stack allows
  needs_balls,      ///< the double intervals of the field cannot decide a comparison
  needs_precision,  ///< balls of this precision cannot decide a comparison
  unlucky_prime,    ///< a divisor that is not zero has residue zero
  unsupported,
};

/// Thrown inside the machine only; everything that calls it from outside gets a value or a Failure.
struct Failure {
  FailureKind kind = FailureKind::unsupported;
  std::string message;
};

[[noreturn]] inline void fail(FailureKind kind, std::string message) { throw Failure{kind, std::move(message)}; }

}  // namespace steptp::certify
