#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "steptp/prove/room.h"

namespace steptp::forms {

/// Inputs, infinity, functions and powers.
class Functions : private Room {
 public:
  explicit Functions(Arena& arena) : Room(arena) {}

  [[nodiscard]] PolynomialId infinity();
  [[nodiscard]] PolynomialId input(std::uint32_t number, std::vector<Affine> subscripts);
  [[nodiscard]] PolynomialId call(Function function, PolynomialId argument);
  [[nodiscard]] PolynomialId power(PolynomialId base, PolynomialId exponent);

 private:
  [[nodiscard]] std::optional<PolynomialId> exp_by_law(PolynomialId argument);
  [[nodiscard]] std::optional<PolynomialId> log_by_law(PolynomialId argument);
  [[nodiscard]] std::optional<PolynomialId> abs_by_law(PolynomialId argument);
};

}  // namespace steptp::forms
