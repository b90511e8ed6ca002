// Exponentials of what may be -inf (docs/decisions/0034). exp(-inf) is 0, so a mask inside of an exponential is a
// choice between 0 and a number outside of it. Where the maximum of the row is subtracted first, the exponential is NaN
// where that maximum is -inf, and a number elsewhere.
#include "steptp/prove/arena.h"

namespace steptp::forms {

/// exp(if(c;x;-inf)+y) = if(c;exp(x);0)*exp(y), where y is a number.
std::optional<PolynomialId> Masks::exp_of_masked(PolynomialId argument) {
  if (!traits(argument).may_be_infinite) return std::nullopt;
  const Polynomial& sum = polynomials_[argument];
  std::optional<std::size_t> mask;
  for (std::size_t i = 0; i < sum.terms.size(); ++i) {
    if (!monomials_.traits(sum.terms[i].first).is_wild()) continue;
    if (mask) return std::nullopt;
    mask = i;
  }
  if (!mask) return std::nullopt;
  const auto only = as_scaled_generator(intern_polynomial({{sum.terms[*mask]}}));
  if (!only) return std::nullopt;
  if (generators_[only->first].kind == Generator::Kind::infinity && only->second < 0) return constant(0);
  if (generators_[only->first].kind != Generator::Kind::select) return std::nullopt;
  const Generator& select_node = generators_[only->first];
  Polynomial others = sum;
  others.terms.erase(others.terms.begin() + static_cast<std::ptrdiff_t>(*mask));
  const PolynomialId rest = intern_polynomial(std::move(others));
  for (const bool holds : {true, false}) {
    const PolynomialId hidden = scale(select_node.polynomials[holds ? 1 : 0], only->second);
    const auto infinite = as_scaled_generator(hidden);
    if (!infinite || generators_[infinite->first].kind != Generator::Kind::infinity || infinite->second > 0) continue;
    const PolynomialId shown = scale(select_node.polynomials[holds ? 0 : 1], only->second);
    const PolynomialId value = call(Function::exp, shown);
    const PolynomialId masked = holds ? select(select_node.conditions[0], value, constant(0))
                                      : select(select_node.conditions[0], constant(0), value);
    return multiply(masked, call(Function::exp, rest));
  }
  return std::nullopt;
}

/// exp(0*x+y) = if(x==-inf;NaN;exp(y)), where x is never inf or NaN.
std::optional<PolynomialId> Masks::exp_of_difference(PolynomialId argument) {
  const Polynomial sum = polynomials_[argument];
  for (std::size_t i = 0; i < sum.terms.size(); ++i) {
    const auto& [monomial, coefficient] = sum.terms[i];
    if (coefficient != 0 || monomials_.traits(monomial).may_be_nan) continue;
    const PolynomialId value = intern_polynomial({{{monomial, mpq_class(1)}}});
    if (!is_below_infinity(value)) continue;
    Polynomial others = sum;
    others.terms.erase(others.terms.begin() + static_cast<std::ptrdiff_t>(i));
    const PolynomialId rest = intern_polynomial(std::move(others));
    return veil({is_minus_infinity(value), call(Function::exp, rest)});
  }
  return std::nullopt;
}

/// exp(x-M) = if(M==-inf;NaN;exp(x-number(M))), where x is -inf wherever M is.
std::optional<PolynomialId> Masks::exp_below_maximum(PolynomialId argument) {
  if (!traits(argument).may_be_infinite) return std::nullopt;
  const Polynomial sum = polynomials_[argument];
  for (std::size_t i = 0; i < sum.terms.size(); ++i) {
    const auto& [monomial, coefficient] = sum.terms[i];
    const auto& factors = monomials_[monomial].factors;
    if (coefficient >= 0 || factors.size() != 1 || factors[0].second != 1 ||
        !arena_.maxima.is_maximum(factors[0].first))
      continue;
    const GeneratorId maximum = factors[0].first;
    Polynomial others = sum;
    others.terms.erase(others.terms.begin() + static_cast<std::ptrdiff_t>(i));
    const PolynomialId rest = intern_polynomial(std::move(others));
    if (traits(rest).may_be_nan || !arena_.maxima.is_below(scale(rest, -1 / coefficient), maximum)) continue;
    const PolynomialId greatest = intern_polynomial({{{monomial, mpq_class(1)}}});
    const PolynomialId value = call(Function::exp, add(rest, scale(number_part(greatest), coefficient)));
    return veil({is_minus_infinity(greatest), value});
  }
  return std::nullopt;
}

std::optional<PolynomialId> Masks::argument_of_exponential(PolynomialId id) {
  const auto only = as_generator(id);
  if (!only) return std::nullopt;
  const Generator node = generators_[*only];
  if (node.kind == Generator::Kind::call && static_cast<Function>(node.tag) == Function::exp) {
    return node.polynomials[0];
  }
  if (node.kind != Generator::Kind::select) return std::nullopt;
  const auto hidden = negate(infinity());
  const auto part = [&](std::size_t number) {
    return node.polynomials[number] == constant(0) ? hidden : argument_of_exponential(node.polynomials[number]);
  };
  const auto if_true = part(0);
  const auto if_false = part(1);
  if (!if_true || !if_false) return std::nullopt;
  return select(node.conditions[0], *if_true, *if_false);
}

/// sum(exp(x)) == 0 = max(x) == -inf, where no x is inf or NaN.
std::optional<ConditionId> Masks::vanishes_where(PolynomialId id) {
  const auto only = as_scaled_generator(id);
  if (!only) return std::nullopt;
  const Generator& node = generators_[only->first];
  if (node.kind != Generator::Kind::reduction || static_cast<ArithmeticOp>(node.tag) != ArithmeticOp::add) {
    return std::nullopt;
  }
  const OpenedFold fold = arena_.reductions.opened(only->first);
  const auto argument = argument_of_exponential(fold.body);
  if (!argument || traits(*argument).may_be_nan || !traits(*argument).may_be_infinite) return std::nullopt;
  if (!is_below_infinity(*argument)) return std::nullopt;
  return is_minus_infinity(arena_.reductions.reduce(ArithmeticOp::max, fold.variables, fold.conditions, *argument));
}

}  // namespace steptp::forms
