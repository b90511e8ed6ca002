#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "steptp/prove/arena.h"
#include "steptp/prove/fold.h"

namespace steptp::forms {

/// A sum of products, as a product of sums over fewer variables.
class FoldFactors {
 public:
  FoldFactors(Arena& arena, const Fold& fold)
      : arena_(arena), variables_(fold.variables), conditions_(fold.conditions), body_(fold.body) {}

  [[nodiscard]] PolynomialId product_of_components();

 private:
  /// A factor of a product: a power of a generator, or the exponential of a
  /// summand.
  struct Factor {
    std::pair<GeneratorId, std::int32_t> power;
    std::optional<PolynomialId> exponent;
    std::vector<std::size_t> own;  ///< places of the variables of this fold in it
  };
  [[nodiscard]] std::vector<Factor> factors_of(const Monomial& monomial);
  [[nodiscard]] PolynomialId product_of(const std::vector<const Factor*>& factors);
  /// Places of the variables of this fold among these.
  [[nodiscard]] std::vector<std::size_t> own(const std::vector<VariableId>& used) const;
  [[nodiscard]] std::vector<std::size_t> own_in(ConditionId condition) const {
    return own(arena_.traits_of_condition(condition).variables);
  }
  /// By variable: the first variable of those that stand in one factor or
  /// condition with it, directly or by others.
  [[nodiscard]] std::vector<std::size_t> groups(const std::vector<Factor>& factors, bool separable) const;

  Arena& arena_;
  const std::vector<VariableId>& variables_;
  const std::vector<ConditionId>& conditions_;
  PolynomialId body_;
};

}  // namespace steptp::forms
