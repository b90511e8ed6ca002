#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "steptp/prove/room.h"

namespace steptp::forms {

/// Logarithms and roots of products, whose factors are found first.
class Products : private Room {
 public:
  explicit Products(Arena& arena) : Room(arena) {}

  /// A number times powers of polynomials. Numbers only, so that it may be multiplied out again.
  struct Factored {
    mpq_class constant = 1;
    std::vector<std::pair<PolynomialId, std::int64_t>> factors;
  };
  [[nodiscard]] std::optional<Factored> factored(PolynomialId id);
  [[nodiscard]] std::optional<PolynomialId> log_of_product(PolynomialId argument);
  [[nodiscard]] std::optional<PolynomialId> root_of_product(PolynomialId argument);

 private:
  /// The factors that FLINT finds, not yet multiplied out again.
  [[nodiscard]] std::optional<Factored> factors_found(const Polynomial& sum);
  [[nodiscard]] bool multiplies_to(const Factored& factored, PolynomialId id);
  [[nodiscard]] std::optional<PolynomialId> exponent_of_factor(PolynomialId factor);

  std::unordered_map<PolynomialId, std::optional<Factored>> factored_;
};

}  // namespace steptp::forms
