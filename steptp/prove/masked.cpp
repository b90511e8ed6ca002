// Rows that may be masked as a whole: M, the greatest of many values, may be -inf. exp(x-M) is then NaN, and elsewhere
// a number, to which all laws apply. So such values are taken apart: NaN where M is -inf, and otherwise what they are
// with number(M) in place of M, which is a number always.
#include <algorithm>
#include <set>

#include "steptp/prove/arena.h"

namespace steptp::forms {

PolynomialId Arena::nan() { return scale(infinity(), 0); }

std::optional<Arena::Veiled> Arena::as_veiled(PolynomialId id) {
  const auto whole = as_generator(id);
  if (!whole || generators_[*whole].kind != Generator::Kind::select || !traits(id).may_be_nan) return std::nullopt;
  const Generator& node = generators_[*whole];
  const PolynomialId none = nan();
  if (node.polynomials[0] == none) return Veiled{node.conditions[0], node.polynomials[1]};
  if (node.polynomials[1] == none) return Veiled{negation(node.conditions[0]), node.polynomials[0]};
  return std::nullopt;
}

PolynomialId Arena::number_part(PolynomialId id) {
  if (!traits(id).is_wild()) return id;
  if (const auto infinite = as_scaled_generator(id);
      id == nan() || (infinite && generators_[infinite->first].kind == Generator::Kind::infinity)) {
    return constant(0);
  }
  if (const auto chosen = as_generator(id); chosen && generators_[*chosen].kind == Generator::Kind::select) {
    const Generator node = generators_[*chosen];
    return select(node.conditions[0], number_part(node.polynomials[0]), number_part(node.polynomials[1]));
  }
  return generator({Generator::Kind::tamed, static_cast<std::uint32_t>(TamedKind::number), {id}, {}, {}, {}});
}

PolynomialId Arena::positive_part(PolynomialId id) {
  const Sign known = sign(id);
  if (!traits(id).is_wild() && known.nonnegative && known.nonzero) return id;
  return generator({Generator::Kind::tamed, static_cast<std::uint32_t>(TamedKind::positive), {id}, {}, {}, {}});
}

bool Arena::generator_is_below_infinity(GeneratorId id) const {
  if (!generators_.traits(id).may_be_infinite) return true;
  const Generator& node = generators_[id];
  switch (node.kind) {
    case Generator::Kind::select: break;
    case Generator::Kind::definition: return definitions[node.tag].is_below_infinity;
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

bool Arena::is_below_infinity(PolynomialId id) const {
  const Polynomial& sum = polynomials_[id];
  return std::all_of(sum.terms.begin(), sum.terms.end(), [this](const auto& term) {
    if (!monomials_.traits(term.first).may_be_infinite || term.second == 0) return true;
    const auto& factors = monomials_[term.first].factors;
    if (factors.size() != 1 || factors[0].second != 1) return false;
    if (generators_[factors[0].first].kind == Generator::Kind::infinity) return term.second < 0;
    return term.second > 0 && generator_is_below_infinity(factors[0].first);
  });
}

bool Arena::is_maximum(GeneratorId id) const {
  const Generator& node = generators_[id];
  return node.kind == Generator::Kind::reduction && static_cast<ArithmeticOp>(node.tag) == ArithmeticOp::max &&
         node.ranges.size() == 1 && generators_.traits(id).may_be_infinite && is_below_infinity(node.polynomials[0]) &&
         !traits(node.polynomials[0]).may_be_nan;
}

PolynomialId Arena::taken_in(GeneratorId maximum, const Affine& place) {
  const VariableId loop = bound_variable(generators_.traits(maximum).height, 0);
  return substitute_polynomial(generators_[maximum].polynomials[0], {{loop, place}});
}

Polynomial Arena::infinite_terms(PolynomialId id) const {
  Polynomial result = polynomials_[id];
  std::erase_if(result.terms, [this](const auto& term) { return !monomials_.traits(term.first).may_be_infinite; });
  return result;
}

/// The value, as far as it may be infinite, is one of those of which the maximum is the greatest.
bool Arena::takes_in(GeneratorId maximum, PolynomialId value) {
  constexpr std::size_t kMostPlaces = 24;
  const Polynomial wanted = infinite_terms(value);
  std::vector<Affine> places;
  const auto add_place = [&](const Affine& place) {
    const auto& used = traits_of_affine(intern(place)).variables;
    const bool is_free = used.empty() || used.back() < kFirstBound;
    if (is_free && std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
  };
  for (const VariableId id : traits(value).variables) add_place(variable(id));
  for_each_affine(value, add_place);
  if (places.size() > kMostPlaces) places.resize(kMostPlaces);
  const Generator node = generators_[maximum];
  const VariableId loop = bound_variable(generators_.traits(maximum).height, 0);
  return std::any_of(places.begin(), places.end(), [&](const Affine& place) {
    const Interval reach = range(place);
    if (reach.low < node.ranges[0].first || reach.high > node.ranges[0].second) return false;
    const bool is_inside = std::all_of(node.conditions.begin(), node.conditions.end(), [&](ConditionId condition) {
      return truth(substitute_condition(condition, {{loop, place}})) == Truth::yes;
    });
    return is_inside && infinite_terms(taken_in(maximum, place)) == wanted;
  });
}

bool Arena::is_below(PolynomialId value, GeneratorId maximum) {
  if (takes_in(maximum, value)) return true;
  const auto inner = as_generator(intern_polynomial(infinite_terms(value)));
  if (!inner || !is_maximum(*inner)) return false;
  const Generator node = generators_[*inner];
  const VariableId loop = bound_variable(generators_.traits(*inner).height, 0);
  const Affine place = variable(new_variable(node.ranges[0].first, node.ranges[0].second));
  std::vector<ConditionId> conditions;
  for (const ConditionId condition : node.conditions) {
    conditions.push_back(substitute_condition(condition, {{loop, place}}));
  }
  const Assumption assumed(*this, conjunction(conditions));
  return takes_in(maximum, taken_in(*inner, place));
}

/// exp(x-M+y) is NaN where M is -inf, x being -inf there too; elsewhere M is a number.
std::optional<PolynomialId> Arena::exp_below_maximum(PolynomialId argument) {
  if (!traits(argument).may_be_infinite) return std::nullopt;
  const Polynomial sum = polynomials_[argument];
  for (std::size_t i = 0; i < sum.terms.size(); ++i) {
    const auto& [monomial, coefficient] = sum.terms[i];
    const auto& factors = monomials_[monomial].factors;
    if (coefficient >= 0 || factors.size() != 1 || factors[0].second != 1 || !is_maximum(factors[0].first)) continue;
    const GeneratorId maximum = factors[0].first;
    Polynomial others = sum;
    others.terms.erase(others.terms.begin() + static_cast<std::ptrdiff_t>(i));
    const PolynomialId rest = intern_polynomial(std::move(others));
    if (traits(rest).may_be_nan || !is_below(scale(rest, -1 / coefficient), maximum)) continue;
    const PolynomialId greatest = intern_polynomial({{{monomial, mpq_class(1)}}});
    const PolynomialId value = call(Function::exp, add(rest, scale(number_part(greatest), coefficient)));
    return veil({is_minus_infinity(greatest), value});
  }
  return std::nullopt;
}

/// exp(0*x+y) is NaN where x is -inf, and exp(y) elsewhere.
std::optional<PolynomialId> Arena::exp_of_difference(PolynomialId argument) {
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

PolynomialId Arena::where(ConditionId condition, PolynomialId id) {
  const Condition& node = conditions_[condition];
  return where(node.kind == Condition::Kind::conjunction ? node.parts : std::vector<ConditionId>{condition}, id);
}

PolynomialId Arena::where(const std::vector<ConditionId>& known, PolynomialId id) {
  const auto holds = [&](ConditionId condition) {
    return std::find(known.begin(), known.end(), condition) != known.end();
  };
  bool is_changed = false;
  const auto factor = [&](GeneratorId one) {
    const Generator node = generators_[one];
    const PolynomialId same = intern_polynomial({{{intern_monomial({{{one, 1}}}), mpq_class(1)}}});
    PolynomialId result = same;
    if (node.kind == Generator::Kind::select) {
      if (holds(node.conditions[0])) result = where(known, node.polynomials[0]);
      if (holds(negation(node.conditions[0]))) result = where(known, node.polynomials[1]);
    } else if (node.kind == Generator::Kind::inverse || node.kind == Generator::Kind::call ||
               node.kind == Generator::Kind::lump) {
      const PolynomialId inside = where(known, node.polynomials[0]);
      if (inside != node.polynomials[0]) {
        result = node.kind == Generator::Kind::inverse ? inverse_where(known, inside)
                 : node.kind == Generator::Kind::call  ? call(static_cast<Function>(node.tag), inside)
                                                       : lump(inside);
        if (const auto veiled = as_veiled(result); veiled && holds(negation(veiled->where))) result = veiled->value;
      }
    } else if (traits(same).may_be_infinite && !traits(same).may_be_nan && is_below_infinity(same) &&
               holds(negation(is_minus_infinity(same)))) {
      result = number_part(same);
    }
    is_changed |= result != same;
    return result;
  };
  PolynomialId total = constant(0);
  for (const auto& [monomial, coefficient] : Polynomial(polynomials_[id]).terms) {
    PolynomialId product = constant(1);
    for (const auto& [one, exponent] : Monomial(monomials_[monomial]).factors) {
      product = multiply(product, integer_power(factor(one), exponent));
    }
    total = add(total, scale(product, coefficient));
  }
  return is_changed ? total : id;
}

/// Where a maximum M is not -inf, the sum of all exp(x-M) is positive: it has a summand 1.
PolynomialId Arena::inverse_where(const std::vector<ConditionId>& known, PolynomialId id) {
  if (!with_algebra_ || polynomials_[id].terms.size() != 1) return inverse(id);
  const mpq_class coefficient = polynomials_[id].terms[0].second;
  for (const ConditionId condition : known) {
    const Condition negated = conditions_[negation(condition)];
    if (negated.kind != Condition::Kind::equal || coefficient <= 0) continue;
    for (const PolynomialId side : {negated.left, negated.right}) {
      const auto maximum = as_generator(side);
      if (!maximum || !is_maximum(*maximum)) continue;
      const auto& [low, high] = generators_[*maximum].ranges[0];
      const VariableId loop = new_variable(low, high);
      const Substitution place = {{bound_variable(generators_.traits(*maximum).height, 0), variable(loop)}};
      std::vector<ConditionId> conditions;
      for (const ConditionId one : Generator(generators_[*maximum]).conditions) {
        conditions.push_back(substitute_condition(one, place));
      }
      const PolynomialId below = add(taken_in(*maximum, variable(loop)), negate(number_part(side)));
      const PolynomialId sum = reduce(ArithmeticOp::add, {loop}, conditions, call(Function::exp, below));
      if (scale(sum, coefficient) != id) continue;
      PolynomialId result = constant(1 / coefficient);
      Monomial unknown;
      for (const auto& power : Monomial(monomials_[polynomials_[id].terms[0].first]).factors) {
        const PolynomialId one = intern_polynomial({{{intern_monomial({{power}}), mpq_class(1)}}});
        if (!traits(one).is_wild() && sign(one).nonnegative && sign(one).nonzero) {
          result = multiply(result, inverse(one));
        } else {
          unknown.factors.push_back(power);
        }
      }
      // The other factors are positive, so what is left is.
      const PolynomialId rest = intern_polynomial({{{intern_monomial(std::move(unknown)), mpq_class(1)}}});
      return multiply(result, inverse(positive_part(rest)));
    }
  }
  return inverse(id);
}

/// if(c;0;x)/if(c;0;y) is NaN where c holds, and x/y elsewhere.
std::optional<PolynomialId> Arena::nothing_by_nothing(const Monomial& product) {
  const PolynomialId nothing = constant(0);
  const auto nothing_where = [&](GeneratorId id) -> std::optional<ConditionId> {
    const Generator& node = generators_[id];
    if (node.kind != Generator::Kind::select || is_index_condition(node.conditions[0])) return std::nullopt;
    if (node.polynomials[0] == nothing) return node.conditions[0];
    if (node.polynomials[1] == nothing) return negation(node.conditions[0]);
    return std::nullopt;
  };
  for (const auto& [divisor, power] : product.factors) {
    if (power != 1 || generators_[divisor].kind != Generator::Kind::inverse) continue;
    const auto below = as_generator(generators_[divisor].polynomials[0]);
    const auto condition = below ? nothing_where(*below) : std::nullopt;
    const bool is_above =
        condition && std::any_of(product.factors.begin(), product.factors.end(), [&](const auto& one) {
          return one.second == 1 && nothing_where(one.first) == condition;
        });
    if (!is_above) continue;
    const ConditionId elsewhere = negation(*condition);
    PolynomialId value = constant(1);
    for (const auto& [one, exponent] : product.factors) {
      const PolynomialId factor = intern_polynomial({{{intern_monomial({{{one, 1}}}), mpq_class(1)}}});
      value = multiply(value, where(elsewhere, integer_power(factor, exponent)));
    }
    return veil({*condition, value});
  }
  return std::nullopt;
}

}  // namespace steptp::forms
