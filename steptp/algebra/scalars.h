#pragma once

// Expressions as sums of products of factors, and the form in which two of them are compared.

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "steptp/algebra/rational.h"
#include "steptp/ir/expr.h"
#include "steptp/ir/typing.h"

namespace steptp::algebra {

/// The largest exponent that counts as repeated multiplication.
inline constexpr int kMaxExponent = 64;

/// base**exponent; a divisor has a negative exponent.
struct Factor {
  ExprPtr base;  ///< as it is written
  ExprPtr key;   ///< in its canonical form
  int exponent = 1;
  std::optional<Rational> number = {};  ///< where the base is a literal
};

/// A product: the sign and the factors in the order of the text, numbers among them.
struct Term {
  bool negative = false;
  std::vector<Factor> factors;
};

/// Splits expressions and says when two are the same: up to the order of operands, brackets, the spelling of numbers
/// and a-b = a+(-1)*b. What belongs to a chain of reals is split; anything else (a call, a condition, arithmetic of
/// integers, which wraps) is one factor. Remembers what it was asked.
class Scalars {
 public:
  /// Equal keys: the same up to that. A key is for comparing only.
  [[nodiscard]] const ExprPtr& key(const ExprPtr& expr);
  [[nodiscard]] bool same(const ExprPtr& a, const ExprPtr& b) { return equal(*key(a), *key(b)); }
  [[nodiscard]] std::optional<ValueType> type(const ExprPtr& expr);

  /// The terms of a sum, brackets dissolved; one term where it is not a sum.
  [[nodiscard]] std::vector<Term> sum(const ExprPtr& expr);
  /// The factors of a product, brackets dissolved; one factor where it is no product.
  [[nodiscard]] Term product(const ExprPtr& expr);

  /// A sum, product, natural power or negation whose operands are reals.
  [[nodiscard]] bool is_arithmetic(const ExprPtr& expr);
  /// The exponent where a power is repeated multiplication: a whole number from 1 to kMaxExponent.
  [[nodiscard]] static std::optional<int> natural_exponent(const Expr& exponent);

 private:
  struct Entry {
    ExprPtr self;  ///< keeps the address taken
    ExprPtr key;
    std::optional<std::optional<ValueType>> type;
  };
  [[nodiscard]] bool are_reals(const std::vector<ExprPtr>& operands);
  void add_factors(const ExprPtr& expr, int exponent, Term& out);
  void add_terms(const ExprPtr& expr, bool negative, std::vector<Term>& out);
  [[nodiscard]] ExprPtr make_key(const ExprPtr& expr);
  [[nodiscard]] ExprPtr encoded(const Term& term);

  std::unordered_map<const Expr*, Entry> entries_;
};

/// The numbers of a term as one, with its sign; nothing where they do not fit.
[[nodiscard]] std::optional<Rational> coefficient(const Term& term);
/// Without the numbers, without the sign.
[[nodiscard]] std::vector<Factor> symbols(const Term& term);

}  // namespace steptp::algebra
