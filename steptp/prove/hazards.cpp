// Definedness as an obligation of its own (docs/decisions/0039). A hazard is a form with the values 0 and 1, made of
// the same nodes as values, so that splitting, moving and renaming loops changes hazards and values alike: unions are
// maxima, choices are selects, and a hazard in any round of a loop is a maximum over the rounds.
#include "steptp/prove/hazards.h"

#include <algorithm>

namespace steptp::forms {

PolynomialId Hazards::of_condition(ConditionId condition) {
  const Truth known = arena_.known.truth(condition);
  if (known == Truth::no) return kHarmless;
  return united(kHarmless,
                arena_.choices.select(condition, arena_.polynomials.constant(1), arena_.polynomials.constant(0)));
}

PolynomialId Hazards::united(PolynomialId left, PolynomialId right) {
  if (left == kHarmless && right == kHarmless) return kHarmless;
  const PolynomialId nothing = arena_.polynomials.constant(0);
  if (left == kHarmless) left = nothing;
  if (right == kHarmless) right = nothing;
  const PolynomialId both = arena_.choices.extremum(true, {nothing, left, right});
  return both == nothing ? kHarmless : both;
}

PolynomialId Hazards::chosen(ConditionId condition, PolynomialId if_true, PolynomialId if_false) {
  if (if_true == if_false) return if_true;
  const PolynomialId nothing = arena_.polynomials.constant(0);
  const PolynomialId first = if_true == kHarmless ? nothing : if_true;
  const PolynomialId second = if_false == kHarmless ? nothing : if_false;
  return united(kHarmless, arena_.choices.select(condition, first, second));
}

PolynomialId Hazards::anywhere(const std::vector<VariableId>& variables, ConditionId condition, PolynomialId hazard) {
  if (hazard == kHarmless) return kHarmless;
  return united(kHarmless, arena_.reductions.reduce(ArithmeticOp::max, variables, {condition}, hazard));
}

std::vector<ConditionId> Hazards::conditions_of(PolynomialId hazard) {
  std::vector<ConditionId> out;
  if (hazard == kHarmless) return out;
  for (const PolynomialId part : parts(hazard)) {
    const auto only = arena_.as_generator(part);
    if (!only) continue;
    const Generator& node = arena_.generator(*only);
    if (node.kind != Generator::Kind::select || arena_.is_index_condition(node.conditions[0])) continue;
    if (node.polynomials[0] == arena_.polynomials.constant(1)) out.push_back(node.conditions[0]);
  }
  return out;
}

/// 1 where the divisor is zero; the laws say where that cannot be, or what it follows from.
PolynomialId Hazards::of_divisor(PolynomialId divisor) {
  arena_.budget.spend(1);
  const PolynomialId zero = arena_.polynomials.constant(0);
  if (divisor == zero) return arena_.polynomials.constant(1);
  if (divisor == arena_.masks.nan()) return kHarmless;  // a quotient by NaN is NaN, which is a value
  if (arena_.signs.sign(divisor).nonzero) return kHarmless;
  for (const auto& [less, greater] : {std::pair(zero, divisor), std::pair(divisor, zero)}) {
    if (arena_.known.truth(arena_.conditions.compare(CompareOp::less, less, greater)) == Truth::yes) return kHarmless;
  }
  const Polynomial sum = arena_.polynomial(divisor);
  if (sum.terms.size() == 1) {
    // x*y == 0 = x == 0 or y == 0, of numbers: beside an infinity a product may be NaN, which is not zero.
    const Monomial product = arena_.monomial(sum.terms[0].first);
    const bool is_number = !arena_.traits_of_monomial(sum.terms[0].first).is_wild();
    if (sum.terms[0].second != 0 && (is_number || product.factors.size() == 1)) {
      PolynomialId result = kHarmless;
      for (const auto& [factor, exponent] : product.factors) {
        if (exponent > 0) result = united(result, of_factor(factor));
      }
      return result;
    }
  }
  // x*y+x*z == 0 = x == 0 or y+z == 0: a product that was multiplied out is zero where one of its factors is.
  if (const auto product = arena_.with_algebra() ? arena_.products.factored(divisor) : std::nullopt) {
    const bool is_product = product->factors.size() > 1 || product->factors[0].second > 1;
    PolynomialId result = kHarmless;
    for (const auto& [factor, exponent] : product->factors) {
      if (is_product && exponent > 0) result = united(result, of_divisor(factor));
    }
    if (is_product) return result;
  }
  // n*x == 0 = x == 0: all multiples of a sum have one form.
  const mpq_class leading = sum.terms.front().second;
  const PolynomialId monic = leading == 0 ? divisor : arena_.polynomials.scale(divisor, 1 / leading);
  return of_condition(arena_.conditions.compare(CompareOp::equal, monic, zero));
}

PolynomialId Hazards::of_factor(GeneratorId factor) {
  const Generator node = arena_.generator(factor);
  switch (node.kind) {
    case Generator::Kind::lump: return of_divisor(node.polynomials[0]);
    case Generator::Kind::inverse:
      // 1/x == 0 never, where x is a number.
      if (!arena_.traits(node.polynomials[0]).is_wild()) return kHarmless;
      break;
    case Generator::Kind::call: {
      const auto function = static_cast<Function>(node.tag);
      // sqrt(x) == 0 = x == 0, and abs(x) == 0 likewise: a root of a negative number is NaN, which is not zero.
      if (function == Function::sqrt || function == Function::abs) return of_divisor(node.polynomials[0]);
      break;
    }
    case Generator::Kind::select: {
      PolynomialId arms[2] = {kHarmless, kHarmless};
      for (const bool holds : {true, false}) {
        const ConditionId outcome = holds ? node.conditions[0] : arena_.conditions.negation(node.conditions[0]);
        const Assumption assumed(arena_, outcome);
        arms[holds ? 0 : 1] = of_divisor(node.polynomials[holds ? 0 : 1]);
      }
      return chosen(node.conditions[0], arms[0], arms[1]);
    }
    default: break;
  }
  return of_condition(
      arena_.conditions.compare(CompareOp::equal, arena_.polynomials.generator(node), arena_.polynomials.constant(0)));
}

PolynomialId Hazards::of_nan(PolynomialId value) {
  if (value == arena_.masks.nan()) return arena_.polynomials.constant(1);
  if (!arena_.traits(value).may_be_nan) return kHarmless;
  arena_.budget.spend(1);
  // A sum is NaN where a summand is, and a product where a factor is.
  PolynomialId result = kHarmless;
  for (const auto& [monomial, coefficient] : Polynomial(arena_.polynomial(value)).terms) {
    for (const auto& [factor, exponent] : Monomial(arena_.monomial(monomial)).factors) {
      if (arena_.traits_of_generator(factor).may_be_nan) result = united(result, of_nan_factor(factor));
    }
  }
  return result;
}

PolynomialId Hazards::of_nan_factor(GeneratorId factor) {
  const Generator node = arena_.generator(factor);
  switch (node.kind) {
    case Generator::Kind::lump:
    case Generator::Kind::inverse: return of_nan(node.polynomials[0]);
    case Generator::Kind::call: {
      const PolynomialId inside = of_nan(node.polynomials[0]);
      const auto function = static_cast<Function>(node.tag);
      if (function != Function::sqrt && function != Function::log) return inside;
      return united(inside, of_condition(arena_.conditions.compare(CompareOp::less, node.polynomials[0],
                                                                   arena_.polynomials.constant(0))));
    }
    case Generator::Kind::select: {
      PolynomialId arms[2] = {kHarmless, kHarmless};
      for (const bool holds : {true, false}) {
        const ConditionId outcome = holds ? node.conditions[0] : arena_.conditions.negation(node.conditions[0]);
        const Assumption assumed(arena_, outcome);
        arms[holds ? 0 : 1] = of_nan(node.polynomials[holds ? 0 : 1]);
      }
      return chosen(node.conditions[0], arms[0], arms[1]);
    }
    case Generator::Kind::reduction: {
      const auto op = static_cast<ArithmeticOp>(node.tag);
      if (op != ArithmeticOp::add && op != ArithmeticOp::multiply) return kHarmless;  // a maximum drops NaN
      const OpenedFold fold = arena_.reductions.opened(factor);
      const ConditionId where = arena_.conditions.conjunction(fold.conditions);
      const Assumption assumed(arena_, where);
      return anywhere(fold.variables, where, of_nan(fold.body));
    }
    case Generator::Kind::definition: {
      const auto excuse = arena_.definitions[node.tag].excuse;
      if (!excuse) return kHarmless;
      Generator where = node;
      where.tag = *excuse;
      return united(kHarmless, arena_.polynomials.generator(std::move(where)));
    }
    default: return kHarmless;
  }
}

std::vector<PolynomialId> Hazards::parts(PolynomialId hazard) {
  if (hazard == kHarmless || hazard == arena_.polynomials.constant(0)) return {};
  const auto whole = arena_.as_generator(hazard);
  if (whole && arena_.generator(*whole).kind == Generator::Kind::extremum && arena_.generator(*whole).tag == 1) {
    std::vector<PolynomialId> found = arena_.generator(*whole).polynomials;
    std::erase(found, arena_.polynomials.constant(0));
    return found;
  }
  return {hazard};
}

PolynomialId Hazards::under_assumptions(PolynomialId hazard) {
  PolynomialId result = kHarmless;
  for (PolynomialId part : parts(hazard)) {
    for (auto only = arena_.as_generator(part); only; only = arena_.as_generator(part)) {
      const Generator& node = arena_.generator(*only);
      if (node.kind != Generator::Kind::select) break;
      const Truth known = arena_.known.truth(node.conditions[0]);
      if (known == Truth::maybe) break;
      part = node.polynomials[known == Truth::yes ? 0 : 1];
    }
    result = united(result, part);
  }
  return result;
}

bool Hazards::includes_part(PolynomialId all, PolynomialId part) {
  arena_.budget.spend(4);
  const std::vector<PolynomialId> known = parts(all);
  if (std::find(known.begin(), known.end(), part) != known.end()) return true;
  // Where `all` strikes at every input, nothing more is asked.
  if (std::find(known.begin(), known.end(), arena_.polynomials.constant(1)) != known.end()) return true;
  const auto only = arena_.as_generator(part);
  if (!only || arena_.generator(*only).kind != Generator::Kind::select) return false;
  const Generator node = arena_.generator(*only);
  for (const bool holds : {true, false}) {
    const PolynomialId arm = node.polynomials[holds ? 0 : 1];
    if (arm == arena_.polynomials.constant(0)) continue;
    const ConditionId outcome = holds ? node.conditions[0] : arena_.conditions.negation(node.conditions[0]);
    if (arena_.known.truth(outcome) == Truth::no) continue;
    const Assumption assumed(arena_, outcome);
    if (!includes(under_assumptions(all), under_assumptions(arm))) return false;
  }
  return true;
}

bool Hazards::includes(PolynomialId all, PolynomialId some) {
  if (some == kHarmless || all == some) return true;
  const std::vector<PolynomialId> asked = parts(some);
  return std::all_of(asked.begin(), asked.end(), [&](PolynomialId part) { return includes_part(all, part); });
}

}  // namespace steptp::forms
