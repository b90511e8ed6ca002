// Which values a maximum takes in (docs/decisions/0034). The laws of masked rows need to know that x is -inf wherever
// the maximum M is: that x is one of those of which M is the greatest. Which one is guessed from subscripts of a tensor
// that both read, and then checked: put the guess for the variables of M, and its body must have the same infinite
// terms.
#include <algorithm>
#include <functional>
#include <set>

#include "steptp/ir/index.h"
#include "steptp/prove/arena.h"

namespace steptp::forms {

bool Maxima::generator_is_below_infinity(GeneratorId id) const {
  if (!generators_.traits(id).may_be_infinite) return true;
  const Generator& node = generators_[id];
  switch (node.kind) {
    case Generator::Kind::select: break;
    case Generator::Kind::input: return store_.inputs[node.tag].is_below_infinity;
    case Generator::Kind::definition: return store_.definitions[node.tag].is_below_infinity;
    case Generator::Kind::extremum:
      if (node.tag != 1) return false;
      break;
    case Generator::Kind::reduction:
      if (static_cast<ArithmeticOp>(node.tag) != ArithmeticOp::max) return false;
      break;
    default: return false;
  }
  return std::all_of(node.polynomials.begin(), node.polynomials.end(),
                     [this](PolynomialId part) { return is_below_infinity(part); });
}

bool Maxima::is_below_infinity(PolynomialId id) const {
  const Deeper deeper(budget_);
  const Polynomial& sum = polynomials_[id];
  return std::all_of(sum.terms.begin(), sum.terms.end(), [this](const auto& term) {
    if (!monomials_.traits(term.first).may_be_infinite || term.second == 0) return true;
    const auto& factors = monomials_[term.first].factors;
    if (factors.size() != 1 || factors[0].second != 1) return false;
    if (generators_[factors[0].first].kind == Generator::Kind::infinity) return term.second < 0;
    return term.second > 0 && generator_is_below_infinity(factors[0].first);
  });
}

bool Maxima::is_maximum(GeneratorId id) const {
  const Generator& node = generators_[id];
  return node.kind == Generator::Kind::reduction && static_cast<ArithmeticOp>(node.tag) == ArithmeticOp::max &&
         generators_.traits(id).may_be_infinite && is_below_infinity(node.polynomials[0]) &&
         !traits(node.polynomials[0]).may_be_nan;
}

Polynomial Maxima::infinite_terms(PolynomialId id) const {
  Polynomial result = polynomials_[id];
  std::erase_if(result.terms, [this](const auto& term) { return !monomials_.traits(term.first).may_be_infinite; });
  return result;
}

/// The value, as far as it may be infinite, is one of those of which the maximum is the greatest. Which one is guessed
/// from the subscripts of a tensor that both read.
bool Maxima::takes_in(GeneratorId maximum, PolynomialId value) {
  const std::uint32_t height = generators_.traits(maximum).height;
  const std::size_t loops = generators_[maximum].ranges.size();
  const auto is_own = [&](VariableId id) {
    return id >= bound_variable(height, 0) && id < bound_variable(height, static_cast<std::uint32_t>(loops));
  };
  const std::vector<Reading> patterns = readings(generators_[maximum].polynomials[0]);
  const std::vector<Reading> targets = readings(value);
  std::set<std::vector<AffineId>> tried;
  for (const Reading& pattern : patterns) {
    for (const Reading& target : targets) {
      if (pattern.tensor != target.tensor || pattern.subscripts.size() != target.subscripts.size()) continue;
      Substitution place;
      for (std::size_t i = 0; i < pattern.subscripts.size(); ++i) {
        solve_subscript(affines_[pattern.subscripts[i]], affines_[target.subscripts[i]], is_own, place);
      }
      std::vector<AffineId> key;
      for (const auto& [id, affine] : place) key.push_back(intern(affine));
      if (place.size() != loops || !tried.insert(key).second) continue;
      if (takes_in_at(maximum, place, value)) return true;
    }
  }
  return false;
}

/// All elements of inputs and definitions that are read anywhere inside.
std::vector<Maxima::Reading> Maxima::readings(PolynomialId id) {
  std::vector<Reading> found;
  std::set<GeneratorId> seen;
  const std::function<void(PolynomialId)> visit_polynomial = [&](PolynomialId inside) {
    const Deeper deeper(budget_);
    for (const auto& [monomial, coefficient] : polynomials_[inside].terms) {
      for (const auto& [one, exponent] : monomials_[monomial].factors) {
        if (!seen.insert(one).second) continue;
        const Generator& node = generators_[one];
        if (node.kind == Generator::Kind::input || node.kind == Generator::Kind::definition) {
          found.push_back({{node.kind, node.tag}, node.subscripts});
        }
        for (const PolynomialId part : node.polynomials) visit_polynomial(part);
        for (const ConditionId condition : node.conditions) {
          const Condition& mask = conditions_[condition];
          const bool is_negated = mask.kind == Condition::Kind::negation;
          const Condition& plain = is_negated ? conditions_[mask.left] : mask;
          if (plain.kind == Condition::Kind::boolean && seen.insert(plain.left).second) {
            const Generator& flag = generators_[plain.left];
            found.push_back({{flag.kind, flag.tag}, flag.subscripts});
          }
        }
      }
    }
  };
  visit_polynomial(id);
  return found;
}

/// From m*o+i as one subscript and an affine sum as the other: o is what is a multiple of m, and i the rest. A guess.
void Maxima::solve_subscript(const Affine& pattern, const Affine& target, const std::function<bool(VariableId)>& is_own,
                             Substitution& place) {
  constexpr Wide kMostShift = Wide{1} << 60;
  std::vector<std::pair<std::int64_t, VariableId>> own;
  Affine rest = target;
  rest.constant -= pattern.constant;
  for (const auto& [id, coefficient] : pattern.terms) {
    const Atom& node = atoms_[id];
    if (node.kind == Atom::Kind::variable && is_own(node.argument)) {
      own.emplace_back(coefficient, node.argument);
    } else {
      rest = Affine::difference(rest, Affine{{{id, coefficient}}, 0});
    }
  }
  std::sort(own.begin(), own.end(), std::greater<>());
  for (const auto& [coefficient, id] : own) {
    if (coefficient <= 0) return;
    Affine quotient = Affine::number(rest.constant / coefficient);
    for (const auto& [atom, factor] : rest.terms) {
      if (factor % coefficient == 0) quotient.terms.emplace_back(atom, factor / coefficient);
    }
    rest = Affine::difference(rest, Affine::scaled(quotient, coefficient));
    // What is left counts from its first multiple.
    const Interval left = range(rest);
    if (left.low > -kMostShift && left.low < kMostShift) {
      const std::int64_t more = floor_quotient(static_cast<std::int64_t>(left.low), coefficient);
      quotient.constant += more;
      rest.constant -= more * coefficient;
    }
    place.try_emplace(id, quotient);
  }
}

bool Maxima::takes_in_at(GeneratorId maximum, const Substitution& place, PolynomialId value) {
  const Generator node = generators_[maximum];
  for (const auto& [id, affine] : place) {
    const std::size_t number = (id - kFirstBound) % kMaxBoundPerReduction;
    const auto& used = store_.traits_of_affine(intern(affine)).variables;
    if (!used.empty() && used.back() >= kFirstBound) return false;
    const Interval reach = range(affine);
    if (reach.low < node.ranges[number].first || reach.high > node.ranges[number].second) return false;
  }
  for (const ConditionId condition : node.conditions) {
    if (truth(arena_.substitute.condition(condition, place)) != Truth::yes) return false;
  }
  return infinite_terms(arena_.substitute.polynomial(node.polynomials[0], place)) == infinite_terms(value);
}

bool Maxima::is_below(PolynomialId value, GeneratorId maximum) {
  const auto alone = as_scaled_generator(value);
  if (alone && generators_[alone->first].kind == Generator::Kind::infinity && alone->second < 0) return true;
  if (takes_in(maximum, value)) return true;
  const auto inner = as_generator(intern_polynomial(infinite_terms(value)));
  if (!inner || !is_maximum(*inner)) return false;
  const OpenedFold fold = arena_.reductions.opened(*inner);
  const Assumption assumed(arena_, conjunction(fold.conditions));
  return takes_in(maximum, fold.body);
}

bool Maxima::vanishes_with(PolynomialId value, GeneratorId maximum) {
  const Deeper deeper(budget_);
  if (traits(value).is_wild()) return false;
  const Polynomial sum = polynomials_[value];
  return std::all_of(sum.terms.begin(), sum.terms.end(), [&](const auto& term) {
    const Monomial product = monomials_[term.first];
    return std::any_of(product.factors.begin(), product.factors.end(), [&](const auto& factor) {
      return factor.second > 0 && factor_vanishes_with(factor.first, maximum);
    });
  });
}

bool Maxima::factor_vanishes_with(GeneratorId factor, GeneratorId maximum) {
  const Generator node = generators_[factor];
  if (node.kind == Generator::Kind::reduction && static_cast<ArithmeticOp>(node.tag) == ArithmeticOp::add) {
    const OpenedFold fold = arena_.reductions.opened(factor);
    const Assumption assumed(arena_, conjunction(fold.conditions));
    return vanishes_with(fold.body, maximum);
  }
  if (node.kind == Generator::Kind::call && static_cast<Function>(node.tag) == Function::exp) {
    const Polynomial infinite = infinite_terms(node.polynomials[0]);
    if (infinite.terms.size() != 1 || infinite.terms[0].second <= 0) return false;
    return is_below(intern_polynomial({{{infinite.terms[0].first, mpq_class(1)}}}), maximum);
  }
  // if(c;0;exp(x)) = exp(if(c;-inf;x)).
  if (node.kind != Generator::Kind::select) return false;
  for (const bool holds : {true, false}) {
    const auto shown = as_generator(node.polynomials[holds ? 1 : 0]);
    if (node.polynomials[holds ? 0 : 1] != constant(0) || !shown) continue;
    const Generator exponential = generators_[*shown];
    if (exponential.kind != Generator::Kind::call || static_cast<Function>(exponential.tag) != Function::exp) continue;
    const PolynomialId hidden = negate(infinity());
    const PolynomialId inside = exponential.polynomials[0];
    const PolynomialId masked =
        holds ? select(node.conditions[0], hidden, inside) : select(node.conditions[0], inside, hidden);
    if (is_below(masked, maximum)) return true;
  }
  return false;
}

}  // namespace steptp::forms
