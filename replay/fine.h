#pragma once

#include <mpfr.h>

#include <cstdint>
#include <memory>
#include <string>

#include "steptp/ir/operation.h"

namespace steptp::replayer {

/// A real that lies between two numbers of many bits, for differences that long doubles do not see: tanh(200) and 1.
class Fine {
 public:
  explicit Fine(long bits);
  ~Fine();
  Fine(const Fine&) = delete;
  Fine& operator=(const Fine&) = delete;
  mpfr_t low;
  mpfr_t high;
  /// Of what it is exp: of numbers whose exponents no type holds, this alone can be compared.
  std::shared_ptr<const Fine> logarithm;
};
using FinePtr = std::shared_ptr<const Fine>;

// Every operation encloses its result. Null in, null out; null too where nothing can be said.
[[nodiscard]] FinePtr fine_integer(long bits, std::int64_t value);
[[nodiscard]] FinePtr fine_dyadic(long bits, std::int64_t mantissa, long exponent);
[[nodiscard]] FinePtr fine_decimal(long bits, const std::string& digits);
[[nodiscard]] FinePtr fine_negated(const FinePtr& a);
[[nodiscard]] FinePtr fine_sum(const FinePtr& a, const FinePtr& b);
[[nodiscard]] FinePtr fine_product(const FinePtr& a, const FinePtr& b);
[[nodiscard]] FinePtr fine_quotient(const FinePtr& a, const FinePtr& b);
[[nodiscard]] FinePtr fine_function(Function function, const FinePtr& a);

/// Of the difference: -1 or 1; 0 or 2 where it is not decided that they differ.
[[nodiscard]] int fine_order(const FinePtr& a, const FinePtr& b);
/// -1, 0 or 1; 2 where it is not decided.
[[nodiscard]] int fine_sign(const FinePtr& a);

}  // namespace steptp::replayer
