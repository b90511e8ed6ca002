#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "steptp/prove/room.h"

namespace steptp::forms {

/// One form for quotients by sums, and for what exponentials and logarithms do in them.
class Quotients : private Room {
 public:
  explicit Quotients(Arena& arena) : Room(arena) {}

  /// The product, with what stands beside a divisor reduced by it.
  [[nodiscard]] PolynomialId divided(MonomialId product);
  [[nodiscard]] std::pair<PolynomialId, PolynomialId> without_exponential(PolynomialId sum);
  [[nodiscard]] std::optional<PolynomialId> inverse_of_fractions(PolynomialId sum);
  [[nodiscard]] std::optional<PolynomialId> exp_of_logs(PolynomialId argument);
  [[nodiscard]] std::optional<PolynomialId> log_of_exponentials(PolynomialId argument);

 private:
  /// A sum of exp(n*step), each n with its coefficient.
  struct PowersOfExponential {
    PolynomialId step = 0;
    std::map<std::int64_t, mpq_class> terms;
  };
  [[nodiscard]] PolynomialId exponent_of(MonomialId monomial);
  [[nodiscard]] std::optional<PowersOfExponential> powers_of_exponential(PolynomialId sum);
  [[nodiscard]] std::optional<std::pair<GeneratorId, std::map<std::int64_t, mpq_class>>> powers_of_generator(
      PolynomialId sum);
  [[nodiscard]] std::optional<PolynomialId> divide_powers(MonomialId product);
  [[nodiscard]] MonomialId times_power(MonomialId product, GeneratorId factor, std::int64_t power);
};

}  // namespace steptp::forms
