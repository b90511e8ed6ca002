// Rows that may be masked as a whole (docs/decisions/0034): M, the greatest of many values, may be -inf. exp(x-M) is
// then NaN, and elsewhere a number, to which all laws apply. So such values are taken apart: NaN where M is -inf, and
// otherwise what they are with number(M) in place of M, which is a number always. A value of this shape is "veiled";
// the veil stays outermost, because sums, products and functions of NaN are NaN.
#include <algorithm>

#include "steptp/prove/arena.h"

namespace steptp::forms {

PolynomialId Masks::nan() { return scale(infinity(), 0); }

std::optional<Veiled> Masks::as_veiled(PolynomialId id) {
  const auto whole = as_generator(id);
  if (!whole || generators_[*whole].kind != Generator::Kind::select || !traits(id).may_be_nan) return std::nullopt;
  const Generator& node = generators_[*whole];
  const PolynomialId none = nan();
  if (node.polynomials[0] == none) return Veiled{node.conditions[0], node.polynomials[1]};
  if (node.polynomials[1] == none) return Veiled{negation(node.conditions[0]), node.polynomials[0]};
  return std::nullopt;
}

ConditionId Masks::is_minus_infinity(PolynomialId id) {
  return arena_.conditions.compare(CompareOp::equal, id, negate(infinity()));
}

/// number(if(c;x;y)) = if(c;number(x);number(y)), number(inf) = 0, and number(x) = x where x is always a number.
PolynomialId Masks::number_part(PolynomialId id) {
  const Deeper deeper(budget_);
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

/// positive(x) = x where x is always a positive number.
PolynomialId Masks::positive_part(PolynomialId id) {
  const Sign known = sign(id);
  if (!traits(id).is_wild() && known.nonnegative && known.nonzero) return id;
  return generator({Generator::Kind::tamed, static_cast<std::uint32_t>(TamedKind::positive), {id}, {}, {}, {}});
}

PolynomialId Masks::where(ConditionId condition, PolynomialId id) {
  const Condition& node = conditions_[condition];
  return where(node.kind == Condition::Kind::conjunction ? node.parts : std::vector<ConditionId>{condition}, id);
}

/// if(c;x;y) = x where c holds, and M = number(M) where M is not -inf, for a factor of a product.
PolynomialId Masks::factor_where(const std::vector<ConditionId>& known, GeneratorId factor) {
  const auto holds = [&](ConditionId condition) {
    return std::find(known.begin(), known.end(), condition) != known.end();
  };
  const Generator node = generators_[factor];
  const PolynomialId same = intern_polynomial({{{intern_monomial({{{factor, 1}}}), mpq_class(1)}}});
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
                                                     : arena_.polynomials.lump(inside);
      if (const auto veiled = as_veiled(result); veiled && holds(negation(veiled->where))) result = veiled->value;
    }
  } else if (traits(same).may_be_infinite && !traits(same).may_be_nan && is_below_infinity(same) &&
             holds(negation(is_minus_infinity(same)))) {
    result = number_part(same);
  } else if (node.kind == Generator::Kind::reduction) {
    const OpenedFold fold = arena_.reductions.opened(factor);
    const PolynomialId inside = where(known, fold.body);
    if (inside != fold.body) {
      result = arena_.reductions.reduce(static_cast<ArithmeticOp>(node.tag), fold.variables, fold.conditions, inside);
    }
  }
  return result;
}

PolynomialId Masks::where(const std::vector<ConditionId>& known, PolynomialId id) {
  const Deeper deeper(budget_);
  bool is_changed = false;
  PolynomialId total = constant(0);
  for (const auto& [monomial, coefficient] : Polynomial(polynomials_[id]).terms) {
    PolynomialId product = constant(1);
    for (const auto& [one, exponent] : Monomial(monomials_[monomial]).factors) {
      const PolynomialId same = intern_polynomial({{{intern_monomial({{{one, 1}}}), mpq_class(1)}}});
      const PolynomialId factor = factor_where(known, one);
      is_changed |= factor != same;
      product = multiply(product, integer_power(factor, exponent));
    }
    total = add(total, scale(product, coefficient));
  }
  return is_changed ? total : id;
}

/// 1/sum(exp(x-M)) = 1/positive(sum(exp(x-M))) where the maximum M of x is not -inf: the sum is positive there, since
/// it has a summand 1, and so is the sum of all exp(x).
PolynomialId Masks::inverse_where(const std::vector<ConditionId>& known, PolynomialId id) {
  if (!with_algebra_ || polynomials_[id].terms.size() != 1) return inverse(id);
  const mpq_class coefficient = polynomials_[id].terms[0].second;
  for (const ConditionId condition : known) {
    const Condition negated = conditions_[negation(condition)];
    if (negated.kind != Condition::Kind::equal || coefficient <= 0) continue;
    for (const PolynomialId side : {negated.left, negated.right}) {
      const auto maximum = as_generator(side);
      if (!maximum || !arena_.maxima.is_maximum(*maximum)) continue;
      const OpenedFold fold = arena_.reductions.opened(*maximum);
      const PolynomialId below = add(fold.body, negate(number_part(side)));
      const auto is_sum_of = [&](PolynomialId argument) {
        const PolynomialId value = call(Function::exp, argument);
        return scale(arena_.reductions.reduce(ArithmeticOp::add, fold.variables, fold.conditions, value),
                     coefficient) == id;
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

/// if(c;0;x)/if(c;0;y) = if(c;NaN;x/y), because 0/0 is NaN.
std::optional<PolynomialId> Masks::nothing_by_nothing(const Monomial& product) {
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
