#pragma once

// Values that a step may bring into an equation: what is defined at that point and follows its indices.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/strategies/scalar_steps.h"

namespace steptp {

inline constexpr Precondition kInScope = {Check::order, "in-scope",
                                          "the value is defined where the equation runs and follows its indices"};

/// A value with the name that a choice gives it: "previous", a tensor, or the address of a read of the equation.
struct ScopeTerm {
  std::string name;
  ExprPtr expr;
};

/// In order: the element before `of`, a read whose last subscript is a loop index (`if_then_else(k-1<0,neutral,...)`;
/// not where `of` is null); the reads of the equation that are always made; known variables and complete tensors of
/// earlier expressions that have the shape of the left side, or its first dimensions. All of the place's type.
[[nodiscard]] std::vector<ScopeTerm> terms_in_scope(const ScalarPlace& place, const ExprPtr& of, std::int64_t neutral);

/// Values made of those in scope that a rounding survives, with the names "half", "two", "1+abs(NAME)" and
/// "clamp(NAME)". Half of x; x clamped to what lies between two others, whichever of these is the greater.
[[nodiscard]] ExprPtr half_of(const ExprPtr& expr);
[[nodiscard]] ExprPtr one_and_size_of(const ExprPtr& expr);
[[nodiscard]] ExprPtr clamped_to_size_of(const ExprPtr& expr, const ExprPtr& of);
[[nodiscard]] ExprPtr clamped_between(const ExprPtr& expr, const ExprPtr& one, const ExprPtr& other);

/// "two", and 1+abs(Y) for every Y in scope: what a quotient may be multiplied by above and below, or a value divided
/// by and multiplied with, at the cost of two roundings.
[[nodiscard]] std::vector<ScopeTerm> harmless_factors(const std::vector<ScopeTerm>& in_scope);

/// The value is finite, not zero where that is wanted, and exponentials leave it moderate: next to a value without
/// bounds nothing of another would remain.
[[nodiscard]] std::optional<Refusal> refuse_term(const ScalarPlace& place, const ExprPtr& term, bool nonzero);

/// How a read is taken apart with a value and put together again.
struct ReadSplit {
  std::int64_t neutral = 0;  ///< of the operation: stands for the element before the first
  bool nonzero = false;      ///< the value must not be zero
  ExprPtr (*split)(const ExprPtr& read, const ExprPtr& by) = nullptr;
  /// Further values, of the read and what is in scope.
  std::vector<ScopeTerm> (*more)(const ExprPtr& read, const std::vector<ScopeTerm>& in_scope) = nullptr;
  std::string_view because;
};
/// Offers the read at a place split by every other value in scope.
void split_read(const ScalarPlace& place, const ReadSplit& how, RewriteList& out);

}  // namespace steptp
