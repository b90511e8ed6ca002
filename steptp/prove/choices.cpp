// Choices and extrema (docs/decisions/0011). max and min drop NaN and start from -inf and inf, as folds do; their
// operands are a sorted set, with at most one number in it. A choice by a condition is kept under the condition or
// its opposite, whichever has the smaller number, and choices inside choices with a common arm are one choice.
#include <algorithm>
#include <cstdint>

#include "steptp/prove/arena.h"

namespace steptp::forms {

/// max(max(x,y),z) = max(x,y,z), and n*max(x,y) = max(n*x,n*y) for a positive n; -3*min(x,y) is a maximum too. Of
/// several numbers only the greatest counts.
void Choices::collect(bool is_max, PolynomialId neutral, PolynomialId id, Operands& out) {
  if (const auto inner = as_scaled_generator(id)) {
    const Generator& node = generators_[inner->first];
    if (node.kind == Generator::Kind::extremum && (node.tag == 1) == (is_max == (inner->second > 0))) {
      const PolynomialId inner_neutral =
          arena_.reductions.identity(node.tag == 1 ? ArithmeticOp::max : ArithmeticOp::min);
      const std::vector<PolynomialId> parts = node.polynomials;
      for (const PolynomialId part : parts) {
        collect(is_max, neutral, part == inner_neutral ? neutral : scale(part, inner->second), out);
      }
      return;
    }
  }
  std::optional<mpq_class>& limit = out.limit;
  out.may_be_nan |= traits(id).may_be_nan;
  if (id == neutral) {
    out.had_neutral = true;
  } else if (const auto value = as_constant(id)) {
    if (!limit || (is_max ? *value > *limit : *value < *limit)) limit = value;
  } else {
    out.flat.push_back(id);
  }
}

/// max(i,n) = i where the integer i is never less than n.
bool Choices::has_idle_limit(bool is_max, const Operands& operands) {
  const auto& limit = operands.limit;
  const auto is_within_limit = [&](PolynomialId id) {
    const auto integers = as_affine(id);
    if (!integers) return false;
    const Interval values = range(*integers);
    const Wide whole = limit->get_num().get_si();
    return is_max ? values.low >= whole : values.high <= whole;
  };
  const bool has_whole_limit = limit && limit->get_den() == 1 && limit->get_num().fits_slong_p();
  return has_whole_limit && std::any_of(operands.flat.begin(), operands.flat.end(), is_within_limit);
}

/// max(max{a..b}(x),max{b+1..c}(x)) = max{a..c}(x): folds over neighbouring ranges are one fold.
bool Choices::join_two_folds(bool is_max, std::vector<PolynomialId>& operands) {
  const auto op = is_max ? ArithmeticOp::max : ArithmeticOp::min;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    for (std::size_t j = i + 1; j < operands.size(); ++j) {
      const auto a = as_generator(operands[i]);
      const auto b = as_generator(operands[j]);
      const auto both = a && b ? arena_.reductions.join_two(op, *a, *b) : std::nullopt;
      if (!both) continue;
      operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(j));
      operands[i] = *both;
      return true;
    }
  }
  return false;
}

/// max(max{a..b}(x(k)),x(b+1)) = max{a..b+1}(x(k)).
bool Choices::lengthen_fold(bool is_max, std::vector<PolynomialId>& operands) {
  for (std::size_t i = 0; i < operands.size() && operands.size() > 1; ++i) {
    const auto fold = as_generator(operands[i]);
    const auto op = static_cast<std::uint32_t>(is_max ? ArithmeticOp::max : ArithmeticOp::min);
    if (!fold || generators_[*fold].kind != Generator::Kind::reduction || generators_[*fold].tag != op) continue;
    std::size_t other = 0;
    const auto longer = arena_.reductions.longer_by(*fold, [&](PolynomialId piece) {
      other = static_cast<std::size_t>(std::find(operands.begin(), operands.end(), piece) - operands.begin());
      return other < operands.size() && other != i;
    });
    if (!longer) continue;
    operands[i] = *longer;
    operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(other));
    return true;
  }
  return false;
}

PolynomialId Choices::extremum(bool is_max, const std::vector<PolynomialId>& operands) {
  const Deeper deeper(budget_);
  const PolynomialId neutral = arena_.reductions.identity(is_max ? ArithmeticOp::max : ArithmeticOp::min);
  Operands collected;
  for (const PolynomialId operand : operands) collect(is_max, neutral, operand, collected);
  if (has_idle_limit(is_max, collected)) collected.limit.reset();
  auto& [flat, limit, may_be_nan, had_neutral] = collected;
  if (limit) flat.push_back(constant(*limit));
  // max(-inf,x) = x where x is never NaN: max(-inf,NaN) is -inf, so -inf stays where a NaN is possible.
  if (had_neutral && (flat.empty() || may_be_nan)) flat.push_back(neutral);
  std::sort(flat.begin(), flat.end());
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  if (!may_be_nan) {
    while (join_two_folds(is_max, flat) || lengthen_fold(is_max, flat)) {
    }
  }
  std::sort(flat.begin(), flat.end());
  if (flat.size() == 1) return flat[0];
  // max(n*x,n*y) = n*max(x,y), for a positive n.
  const bool scales = with_algebra_ && std::find(flat.begin(), flat.end(), neutral) == flat.end();
  const mpq_class factor = scales ? common_factor(flat) : mpq_class(1);
  if (factor != 1) {
    for (PolynomialId& operand : flat) operand = scale(operand, 1 / factor);
    std::sort(flat.begin(), flat.end());
  }
  if (const auto exponents = with_algebra_ ? all_exponents(flat) : std::nullopt) {
    return scale(call(Function::exp, extremum(is_max, *exponents)), factor);
  }
  if (const auto squares = with_algebra_ && is_max ? all_squares(flat) : std::nullopt) {
    return scale(call(Function::sqrt, extremum(true, *squares)), factor);
  }
  return scale(generator({Generator::Kind::extremum, is_max ? 1U : 0U, std::move(flat), {}, {}, {}}), factor);
}

/// max(a*sqrt(x),b) = sqrt(max(a**2*x,b**2)) where a and b are not negative, because the root grows: a root of a
/// negative number is passed over in one, and that number in the other.
std::optional<std::vector<PolynomialId>> Choices::all_squares(const std::vector<PolynomialId>& operands) {
  std::vector<PolynomialId> out;
  bool has_function = false;
  for (const PolynomialId operand : operands) {
    if (const auto number = as_constant(operand)) {
      if (*number < 0) return std::nullopt;
      out.push_back(constant(*number * *number));
      continue;
    }
    const auto root = as_scaled_generator(operand);
    if (!root || root->second < 0) return std::nullopt;
    const Generator& node = generators_[root->first];
    if (node.kind != Generator::Kind::call || static_cast<Function>(node.tag) != Function::sqrt) return std::nullopt;
    out.push_back(scale(node.polynomials[0], root->second * root->second));
    has_function = true;
  }
  return has_function ? std::optional(std::move(out)) : std::nullopt;
}

/// max(exp(x),exp(y)) = exp(max(x,y)), because exp grows, and likewise min; 1 is exp(0). NaN is passed over in both.
std::optional<std::vector<PolynomialId>> Choices::all_exponents(const std::vector<PolynomialId>& operands) {
  std::vector<PolynomialId> out;
  bool has_function = false;
  for (const PolynomialId operand : operands) {
    if (operand == constant(1)) {
      out.push_back(constant(0));
      continue;
    }
    const auto only = as_generator(operand);
    if (!only) return std::nullopt;
    const Generator& node = generators_[*only];
    if (node.kind != Generator::Kind::call || static_cast<Function>(node.tag) != Function::exp) return std::nullopt;
    out.push_back(node.polynomials[0]);
    has_function = true;
  }
  return has_function ? std::optional(std::move(out)) : std::nullopt;
}

mpq_class Choices::common_factor(const std::vector<PolynomialId>& polynomials) const {
  mpz_class numerators = 0;
  mpz_class denominators = 1;
  for (const PolynomialId id : polynomials) {
    for (const auto& [monomial, coefficient] : polynomials_[id].terms) {
      numerators = gcd(numerators, coefficient.get_num());
      denominators = lcm(denominators, coefficient.get_den());
    }
  }
  mpq_class factor(numerators == 0 ? mpz_class(1) : numerators, denominators);
  factor.canonicalize();
  return factor;
}

/// i == 3 = i >= 3 where i is never greater than 3: as everything else does that begins there.
ConditionId Choices::at_an_end(ConditionId condition) {
  const Condition& node = conditions_[condition];
  if (node.kind != Condition::Kind::zero) return condition;
  const Affine value = store_.affine(node.left);
  const Interval reach = range(value);
  if (reach.high == 0) return arena_.conditions.nonnegative(value);
  return reach.low == 0 ? arena_.conditions.nonnegative(Affine::scaled(value, -1)) : condition;
}

std::optional<PolynomialId> Choices::joined_choices(ConditionId condition, PolynomialId if_true,
                                                    PolynomialId if_false) {
  // A choice inside is made only where its branch is taken; of a conjunction every part is computed. So, as written, a
  // condition inside that computes something stays where it is.
  const auto is_joinable = [&](const Generator& node) {
    return node.kind == Generator::Kind::select && !arena_.conditions.computes(node.conditions[0]);
  };
  if (const auto inner = as_generator(if_true)) {
    const Generator& node = generators_[*inner];
    if (is_joinable(node)) {
      // if(c;if(d;x;y);y) = if(c and d;x;y).
      if (node.polynomials[1] == if_false) {
        return select(conjunction({condition, node.conditions[0]}), node.polynomials[0], if_false);
      }
      // if(c;if(d;y;x);y) = if(c and not(d);x;y).
      if (node.polynomials[0] == if_false) {
        return select(conjunction({condition, negation(node.conditions[0])}), node.polynomials[1], if_false);
      }
    }
  }
  if (const auto inner = as_generator(if_false)) {
    const Generator& node = generators_[*inner];
    if (is_joinable(node)) {
      // if(c;x;if(d;x;y)) = if(c or d;x;y).
      if (node.polynomials[0] == if_true) {
        return select(arena_.conditions.disjunction({condition, node.conditions[0]}), if_true, node.polynomials[1]);
      }
      // if(c;x;if(d;y;x)) = if(c or not(d);x;y).
      if (node.polynomials[1] == if_true) {
        return select(arena_.conditions.disjunction({condition, negation(node.conditions[0])}), if_true,
                      node.polynomials[0]);
      }
    }
  }
  return std::nullopt;
}

PolynomialId Choices::select(ConditionId condition, PolynomialId if_true, PolynomialId if_false) {
  const Deeper deeper(budget_);
  const Truth known = arena_.conditions.may_be_left_out(condition) ? truth(condition) : Truth::maybe;
  if (known == Truth::yes) return if_true;
  if (known == Truth::no) return if_false;
  // if(c;x;x) = x. As written, what the condition computes may overflow, or divide by what was rounded to zero.
  if (if_true == if_false && !arena_.conditions.computes(condition)) return if_true;
  if (!is_index_condition(condition)) {
    // if(c;x;if(c;NaN;y)) = if(c;x;y): what is NaN only where it is not chosen.
    if (const auto veiled = as_veiled(if_false); veiled && veiled->where == condition) if_false = veiled->value;
    if (const auto veiled = as_veiled(if_true); veiled && veiled->where == negation(condition)) if_true = veiled->value;
  }
  condition = at_an_end(condition);
  if (const auto joined = joined_choices(condition, if_true, if_false)) return *joined;
  // if(c;x;y) = if(not(c);y;x).
  const ConditionId opposite = negation(condition);
  if (opposite < condition) {
    return generator({Generator::Kind::select, 0, {if_false, if_true}, {opposite}, {}, {}});
  }
  return generator({Generator::Kind::select, 0, {if_true, if_false}, {condition}, {}, {}});
}

}  // namespace steptp::forms
