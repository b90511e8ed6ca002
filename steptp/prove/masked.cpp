// Rows that may be masked as a whole: M, the greatest of many values, may be -inf. exp(x-M) is then NaN, and elsewhere
// a number, to which all laws apply. So such values are taken apart: NaN where M is -inf, and otherwise what they are
// with number(M) in place of M, which is a number always.
#include <algorithm>
#include <functional>
#include <set>

#include "steptp/ir/index.h"
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
  const Deeper deeper(*this);
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
    case Generator::Kind::input: return inputs[node.tag].is_below_infinity;
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
  const Deeper deeper(*this);
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
         generators_.traits(id).may_be_infinite && is_below_infinity(node.polynomials[0]) &&
         !traits(node.polynomials[0]).may_be_nan;
}

Polynomial Arena::infinite_terms(PolynomialId id) const {
  Polynomial result = polynomials_[id];
  std::erase_if(result.terms, [this](const auto& term) { return !monomials_.traits(term.first).may_be_infinite; });
  return result;
}

/// The value, as far as it may be infinite, is one of those of which the maximum is the greatest. Which one is guessed
/// from the subscripts of a tensor that both read.
bool Arena::takes_in(GeneratorId maximum, PolynomialId value) {
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
std::vector<Arena::Reading> Arena::readings(PolynomialId id) {
  std::vector<Reading> found;
  std::set<GeneratorId> seen;
  const std::function<void(PolynomialId)> visit_polynomial = [&](PolynomialId inside) {
    const Deeper deeper(*this);
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
void Arena::solve_subscript(const Affine& pattern, const Affine& target, const std::function<bool(VariableId)>& is_own,
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
      rest = difference(rest, Affine{{{id, coefficient}}, 0});
    }
  }
  std::sort(own.begin(), own.end(), std::greater<>());
  for (const auto& [coefficient, id] : own) {
    if (coefficient <= 0) return;
    Affine quotient = number(rest.constant / coefficient);
    for (const auto& [atom, factor] : rest.terms) {
      if (factor % coefficient == 0) quotient.terms.emplace_back(atom, factor / coefficient);
    }
    rest = difference(rest, scaled(quotient, coefficient));
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

bool Arena::takes_in_at(GeneratorId maximum, const Substitution& place, PolynomialId value) {
  const Generator node = generators_[maximum];
  for (const auto& [id, affine] : place) {
    const std::size_t number = (id - kFirstBound) % kMaxBoundPerReduction;
    const auto& used = traits_of_affine(intern(affine)).variables;
    if (!used.empty() && used.back() >= kFirstBound) return false;
    const Interval reach = range(affine);
    if (reach.low < node.ranges[number].first || reach.high > node.ranges[number].second) return false;
  }
  for (const ConditionId condition : node.conditions) {
    if (truth(substitute_condition(condition, place)) != Truth::yes) return false;
  }
  return infinite_terms(substitute_polynomial(node.polynomials[0], place)) == infinite_terms(value);
}

bool Arena::is_below(PolynomialId value, GeneratorId maximum) {
  if (takes_in(maximum, value)) return true;
  const auto inner = as_generator(intern_polynomial(infinite_terms(value)));
  if (!inner || !is_maximum(*inner)) return false;
  const Opened fold = opened(*inner);
  const Assumption assumed(*this, conjunction(fold.conditions));
  return takes_in(maximum, fold.body);
}

bool Arena::vanishes_with(PolynomialId value, GeneratorId maximum) {
  const Deeper deeper(*this);
  if (traits(value).is_wild()) return false;
  const Polynomial sum = polynomials_[value];
  return std::all_of(sum.terms.begin(), sum.terms.end(), [&](const auto& term) {
    const Monomial product = monomials_[term.first];
    return std::any_of(product.factors.begin(), product.factors.end(), [&](const auto& factor) {
      return factor.second > 0 && factor_vanishes_with(factor.first, maximum);
    });
  });
}

bool Arena::factor_vanishes_with(GeneratorId factor, GeneratorId maximum) {
  const Generator node = generators_[factor];
  if (node.kind == Generator::Kind::reduction && static_cast<ArithmeticOp>(node.tag) == ArithmeticOp::add) {
    const Opened fold = opened(factor);
    const Assumption assumed(*this, conjunction(fold.conditions));
    return vanishes_with(fold.body, maximum);
  }
  if (node.kind == Generator::Kind::call && static_cast<Function>(node.tag) == Function::exp) {
    const Polynomial infinite = infinite_terms(node.polynomials[0]);
    if (infinite.terms.size() != 1 || infinite.terms[0].second <= 0) return false;
    return is_below(intern_polynomial({{{infinite.terms[0].first, mpq_class(1)}}}), maximum);
  }
  // exp(if(c;-inf;x)) is if(c;0;exp(x)).
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
  const Deeper deeper(*this);
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
      if (inside != node.polynomials[0] || node.kind == Generator::Kind::inverse) {
        result = node.kind == Generator::Kind::inverse ? inverse_where(known, inside)
                 : node.kind == Generator::Kind::call  ? call(static_cast<Function>(node.tag), inside)
                                                       : lump(inside);
        if (const auto veiled = as_veiled(result); veiled && holds(negation(veiled->where))) result = veiled->value;
      }
    } else if (traits(same).may_be_infinite && !traits(same).may_be_nan && is_below_infinity(same) &&
               holds(negation(is_minus_infinity(same)))) {
      result = number_part(same);
    } else if (node.kind == Generator::Kind::reduction) {
      const Opened fold = opened(one);
      const PolynomialId inside = where(known, fold.body);
      if (inside != fold.body) {
        result = reduce(static_cast<ArithmeticOp>(node.tag), fold.variables, fold.conditions, inside);
      }
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

std::optional<PolynomialId> Arena::argument_of_exponential(PolynomialId id) {
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

/// A sum of exponentials is zero exactly where all their arguments are -inf, and so is the greatest of these.
std::optional<ConditionId> Arena::vanishes_where(PolynomialId id) {
  const auto only = as_scaled_generator(id);
  if (!only) return std::nullopt;
  const Generator& node = generators_[only->first];
  if (node.kind != Generator::Kind::reduction || static_cast<ArithmeticOp>(node.tag) != ArithmeticOp::add) {
    return std::nullopt;
  }
  const Opened fold = opened(only->first);
  const auto argument = argument_of_exponential(fold.body);
  if (!argument || traits(*argument).may_be_nan || !traits(*argument).may_be_infinite) return std::nullopt;
  if (!is_below_infinity(*argument)) return std::nullopt;
  return is_minus_infinity(reduce(ArithmeticOp::max, fold.variables, fold.conditions, *argument));
}

/// Where a maximum M is not -inf, the sum of all exp(x-M) is positive, since it has a summand 1, and so is the sum of
/// all exp(x).
PolynomialId Arena::inverse_where(const std::vector<ConditionId>& known, PolynomialId id) {
  if (!with_algebra_ || polynomials_[id].terms.size() != 1) return inverse(id);
  const mpq_class coefficient = polynomials_[id].terms[0].second;
  for (const ConditionId condition : known) {
    const Condition negated = conditions_[negation(condition)];
    if (negated.kind != Condition::Kind::equal || coefficient <= 0) continue;
    for (const PolynomialId side : {negated.left, negated.right}) {
      const auto maximum = as_generator(side);
      if (!maximum || !is_maximum(*maximum)) continue;
      const Opened fold = opened(*maximum);
      const PolynomialId below = add(fold.body, negate(number_part(side)));
      const auto is_sum_of = [&](PolynomialId argument) {
        const PolynomialId value = call(Function::exp, argument);
        return scale(reduce(ArithmeticOp::add, fold.variables, fold.conditions, value), coefficient) == id;
      };
      if (!is_sum_of(below) && !is_sum_of(fold.body)) continue;
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
