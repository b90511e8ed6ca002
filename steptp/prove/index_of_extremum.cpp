// Which index has the greatest or least value (docs/verification.md, "Indices that data chooses"): the least k with
// x(k) equal to M, where M is the maximum of x over the same rounds. Such a k exists unless x may be NaN, so that what
// stands for "none" does not matter as long as it is beyond all indices; and x(k)>=M says the same as x(k)==M.
#include <array>
#include <utility>

#include "steptp/prove/reducer.h"

namespace steptp::forms {

namespace {

/// A value that is compared with the extremum of such values.
struct Chosen {
  PolynomialId value = 0;
  PolynomialId extremum = 0;
  bool is_max = false;
};

/// The ways to read a condition as "this value is the extremum".
std::vector<Chosen> choices_of(const Condition& condition) {
  const PolynomialId left = condition.left;
  const PolynomialId right = condition.right;
  if (condition.kind == Condition::Kind::less_equal) return {{right, left, true}, {left, right, false}};
  if (condition.kind != Condition::Kind::equal) return {};
  return {{left, right, true}, {right, left, true}, {left, right, false}, {right, left, false}};
}

}  // namespace

/// min{k}(if(x(k)>=M;k;none)) = min{k}(if(x(k)==M;k;n+1)), where M = max{k}(x(k)), no x is NaN and `none` is beyond all
/// indices: n is the last one.
std::optional<PolynomialId> Reducer::index_of_extremum() {
  const auto whole = arena_.as_generator(body_);
  if (!arena_.with_algebra() || !conditions_.empty() || !whole) return std::nullopt;
  const Generator node = arena_.generator(*whole);
  if (node.kind != Kind::select) return std::nullopt;
  for (const bool holds : {true, false}) {
    const auto index = arena_.polynomials.as_affine(node.polynomials[holds ? 0 : 1]);
    const auto none = arena_.as_constant(node.polynomials[holds ? 1 : 0]);
    if (!index || !none) continue;
    const Interval indices = arena_.known.range(*index);
    const bool is_least = op_ == ArithmeticOp::min;
    const Wide beyond = is_least ? indices.high + 1 : indices.low - 1;
    constexpr Wide kReach = Wide{1} << 60;
    if (beyond < -kReach || beyond > kReach) continue;
    const mpq_class instead(static_cast<long>(beyond));
    if (is_least ? *none < instead - 1 : *none > instead + 1) continue;
    const ConditionId condition = holds ? node.conditions[0] : arena_.conditions.negation(node.conditions[0]);
    for (const Chosen& chosen : choices_of(Condition(arena_.condition(condition)))) {
      const auto extremum = arena_.as_generator(chosen.extremum);
      const ArithmeticOp op = chosen.is_max ? ArithmeticOp::max : ArithmeticOp::min;
      if (!extremum || arena_.generator(*extremum).kind != Kind::reduction) continue;
      if (static_cast<ArithmeticOp>(arena_.generator(*extremum).tag) != op) continue;
      if (arena_.traits(chosen.value).may_be_nan) continue;
      if (arena_.reductions.reduce(op, variables_, {}, chosen.value) != chosen.extremum) continue;
      const ConditionId is_it = arena_.conditions.compare(CompareOp::equal, chosen.value, chosen.extremum);
      const PolynomialId body =
          arena_.choices.select(is_it, node.polynomials[holds ? 0 : 1], arena_.polynomials.constant(instead));
      if (body == body_) return std::nullopt;
      return again({}, body);
    }
  }
  return std::nullopt;
}

}  // namespace steptp::forms
