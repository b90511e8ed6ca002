#pragma once

// What strategies on scalar algebra share: a place is a sub-expression of a right side, a rewrite gives another one for
// it. Each strategy only says which rewrites there are; the rest is the same for all of them.

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "steptp/algebra/facts.h"
#include "steptp/algebra/scalars.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/strategy.h"
#include "steptp/strategies/view.h"

namespace steptp {

inline constexpr Precondition kOneType = {Check::fact, "one-type", "the part and all in it are of one float type"};
inline constexpr Precondition kValueOnly = {Check::fact, "value-only",
                                            "the part is not compared or made an integer, where a rounding would show"};
inline constexpr Precondition kAccumulator = {Check::fact, "accumulator",
                                              "what is accumulated stays an accumulation of the same kind"};
inline constexpr Precondition kStructure = {
    Check::fact, "structure", "the result is not the same up to order, brackets, the spelling of numbers and signs"};
inline constexpr Precondition kFinite = {Check::fact, "finite", "all values in the part are finite"};
inline constexpr Precondition kNonZero = {Check::fact, "non-zero", "what is divided by is not zero"};
inline constexpr Precondition kOverflow = {Check::fact, "overflow",
                                           "no exponential becomes too large or too small for the type"};
inline constexpr Precondition kAccuracy = {Check::fact, "accuracy",
                                           "at most one factor that is multiplied out is a difference"};
inline constexpr Precondition kSign = {Check::fact, "sign", "the values have the sign that the law needs"};

/// A sub-expression that algebra may rewrite. Of an accumulation X=X+a+b, at the whole right side, the body is a+b.
struct ScalarPlace {
  View& view;
  PlacedExpr part;
  ExprPtr body;
  ExprPtr accumulator;  ///< null where the part does not hold it
  DType dtype = DType::f32;
  algebra::Place place;

  [[nodiscard]] algebra::Scalars& scalars() const { return view.scalars(); }
  [[nodiscard]] algebra::Fact fact(const ExprPtr& expr) const { return view.real_facts().of(expr, place); }
  /// The address of the first part of the body, in the order of the text, that is the same as this.
  [[nodiscard]] std::string address_of(const ExprPtr& key) const;
  [[nodiscard]] Refusal refusal(const Precondition& precondition, std::string message, Values values = {}) const {
    return {&precondition, part.site, std::move(message), std::move(values)};
  }
};

/// The rewrites of one place, each with the values of its parameters.
struct RewriteList {
  struct One {
    Values parameters;
    ExprPtr body;              ///< null where it is refused
    std::vector<Holds> holds;  ///< what was looked at besides the preconditions that all of them share
    std::string because;
    std::optional<Refusal> refusal;  ///< where the body is null
    /// What the reasoning is to say: the value that is brought in, where one is; which values were found finite, where
    /// these are not all in the part; what is struck out, and whether that is factors.
    ExprPtr inserted;
    ExprPtr looked_at;
    std::vector<ExprPtr> struck;
    std::vector<ExprPtr> positives;  ///< which values were found positive
    bool strikes_factors = false;
    bool brings_in_number = false;  ///< x/2*2, which has the structure of x
  };
  std::vector<One> all;

  One& offer(Values parameters, ExprPtr body, std::vector<Holds> holds, std::string because);
  void refuse(Values parameters, Refusal refusal);
};
/// What makes a strategy of these: its rewrites at a place, its published precondition, its parameters.
struct ScalarRule {
  void (*find)(const ScalarPlace&, RewriteList&);
  const Precondition& pattern;
  std::span<const Parameter> parameters;  ///< each rewrite has a value for all of them, in this order
  const Precondition& offered;            ///< broken by values that no rewrite of the place has
  bool at_reads = false;                  ///< the places are reads, not what is computed
};
void scalar_choices(View& view, Listing& listing, const ScalarRule& rule);
[[nodiscard]] Result<Applied, Refusal> scalar_apply(View& view, const Choice& choice, const ScalarRule& rule);

/// Every value that the expression is made of is finite, and every divisor is not zero.
[[nodiscard]] std::optional<Refusal> refuse_values(const ScalarPlace& place, const ExprPtr& expr);
/// Exponentials leave the value within the range of the type.
[[nodiscard]] std::optional<Refusal> refuse_size(const ScalarPlace& place, const ExprPtr& expr);
/// Neither exp(first) nor exp(second) overflows or vanishes where their product does not: both exponents have one sign,
/// or lie within what the type holds.
[[nodiscard]] bool exponents_in_range(const ScalarPlace& place, const ExprPtr& first, const ExprPtr& second);
/// All terms of a sum are known to have one sign.
[[nodiscard]] bool keeps_one_sign(const ScalarPlace& place, const ExprPtr& expr);
/// How many sums whose terms may cancel are multiplied with each other where the expression is multiplied out. From two
/// on, as in (x-m)**2, nothing but rounding errors may be left.
[[nodiscard]] int multiplied_differences(const ScalarPlace& place, const ExprPtr& expr);
/// A sum of at least two terms.
[[nodiscard]] bool is_sum(const ScalarPlace& place, const ExprPtr& expr);

}  // namespace steptp
