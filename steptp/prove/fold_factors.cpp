// Sums of products (docs/decisions/0011). The sum of f(a)*g(c) over a and c is a product of two sums, and what uses no
// variable stands before it. Variables belong together where a factor or a condition uses both; an exponential of a sum
// counts as a product, so that its parts can part. With a factor that may be infinite or NaN the sum stays whole.
#include "steptp/prove/fold_factors.h"

#include <algorithm>
#include <numeric>

#include "steptp/prove/fold_names.h"

namespace steptp::forms {

std::vector<std::size_t> FoldFactors::own(const std::vector<VariableId>& used) const {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    if (std::binary_search(used.begin(), used.end(), variables_[i])) places.push_back(i);
  }
  return places;
}

/// exp(f(a)+g(c)) = exp(f(a))*exp(g(c)), of numbers: so that its parts can part.
std::vector<FoldFactors::Factor> FoldFactors::factors_of(const Monomial& monomial) {
  std::vector<Factor> out;
  for (const auto& power : monomial.factors) {
    const Generator& node = arena_.generator(power.first);
    const bool is_exp = node.kind == Generator::Kind::call && static_cast<Function>(node.tag) == Function::exp;
    if (!is_exp || power.second != 1 || !arena_.with_algebra() || arena_.traits_of_generator(power.first).is_wild()) {
      out.push_back({power, std::nullopt, own(arena_.traits_of_generator(power.first).variables)});
      continue;
    }
    for (const auto& term : arena_.polynomial(node.polynomials[0]).terms) {
      const PolynomialId summand = arena_.intern_polynomial({{term}});
      out.push_back({power, summand, own(arena_.traits(summand).variables)});
    }
  }
  return out;
}

PolynomialId FoldFactors::product_of(const std::vector<const Factor*>& factors) {
  Monomial plain;
  PolynomialId exponent = arena_.polynomials.constant(0);
  for (const Factor* factor : factors) {
    if (factor->exponent) {
      exponent = arena_.polynomials.add(exponent, *factor->exponent);
    } else {
      plain.factors.push_back(factor->power);
    }
  }
  const PolynomialId product = arena_.intern_polynomial({{{arena_.intern_monomial(std::move(plain)), mpq_class(1)}}});
  return arena_.polynomials.multiply(product, arena_.functions.call(Function::exp, exponent));
}

std::vector<std::size_t> FoldFactors::groups(const std::vector<Factor>& factors, bool separable) const {
  std::vector<std::size_t> group(variables_.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  const auto find = [&](std::size_t i) {
    while (group[i] != i) i = group[i];
    return i;
  };
  const auto join = [&](const std::vector<std::size_t>& places) {
    for (std::size_t i = 1; i < places.size(); ++i) group[find(places[i])] = find(places[0]);
  };
  for (const Factor& factor : factors) join(factor.own);
  for (const ConditionId condition : conditions_) join(own_in(condition));
  // sum(inf*(f-g)) must not be split: inf-inf would be NaN. All factors stay under one sum.
  if (!separable) {
    for (std::size_t i = 1; i < variables_.size(); ++i) group[find(i)] = find(0);
  }
  for (std::size_t i = 0; i < group.size(); ++i) group[i] = find(i);
  return group;
}

/// sum{a,c}(f(a)*g(c)*h) = h*sum{a}(f(a))*sum{c}(g(c)), where f, g and h are numbers.
PolynomialId FoldFactors::product_of_components() {
  const std::vector<Factor> factors = factors_of(arena_.monomial(arena_.polynomial(body_).terms[0].first));
  const bool separable = std::none_of(factors.begin(), factors.end(), [this](const Factor& factor) {
    return arena_.traits_of_generator(factor.power.first).is_wild();
  });
  const std::vector<std::size_t> group = groups(factors, separable);
  PolynomialId result = arena_.polynomials.constant(1);
  FoldNames names(arena_, ArithmeticOp::add);
  std::vector<const Factor*> outside;
  for (const Factor& factor : factors) {
    if (factor.own.empty() && (separable || variables_.empty())) outside.push_back(&factor);
  }
  std::vector<ConditionId> outer_conditions;
  for (const ConditionId condition : conditions_) {
    if (own_in(condition).empty()) outer_conditions.push_back(condition);
  }
  for (std::size_t root = 0; root < variables_.size(); ++root) {
    if (group[root] != root) continue;
    std::vector<VariableId> variables;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      if (group[i] == root) variables.push_back(variables_[i]);
    }
    std::vector<const Factor*> inside;
    for (const Factor& factor : factors) {
      if (factor.own.empty() ? !separable : group[factor.own[0]] == root) inside.push_back(&factor);
    }
    std::vector<ConditionId> conditions;
    for (const ConditionId condition : conditions_) {
      const auto places = own_in(condition);
      if (!places.empty() && group[places[0]] == root) conditions.push_back(condition);
    }
    result = arena_.polynomials.multiply(result,
                                         names.named(std::move(variables), std::move(conditions), product_of(inside)));
  }
  result = arena_.polynomials.multiply(result, product_of(outside));
  // A condition on outer indices decides whether there is a sum at all.
  if (!outer_conditions.empty()) {
    result =
        arena_.choices.select(arena_.conditions.conjunction(outer_conditions), result, arena_.polynomials.constant(0));
  }
  return result;
}

}  // namespace steptp::forms
