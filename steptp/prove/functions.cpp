#include <algorithm>
#include <cstdlib>

#include "steptp/prove/arena.h"
#include "steptp/prove/give_up.h"

namespace steptp::forms {

PolynomialId Arena::infinity() { return generator({Generator::Kind::infinity, 0, {}, {}, {}, {}}); }

PolynomialId Arena::input(std::uint32_t number, std::vector<Affine> subscripts) {
  Generator node{Generator::Kind::input, number, {}, {}, {}, {}};
  for (Affine& subscript : subscripts) node.subscripts.push_back(intern(std::move(subscript)));
  return generator(std::move(node));
}

PolynomialId Arena::identity(ArithmeticOp op) {
  switch (op) {
    case ArithmeticOp::add: return constant(0);
    case ArithmeticOp::multiply: return constant(1);
    case ArithmeticOp::max: return negate(infinity());
    case ArithmeticOp::min: return infinity();
    default: throw GiveUp{"an accumulation with no identity"};
  }
}

PolynomialId Arena::call(Function function, PolynomialId argument) {
  const Deeper deeper(*this);
  const auto value = as_constant(argument);
  bool flip_argument = false;
  bool flip_result = false;
  if (const auto veiled = as_veiled(argument)) return veil({veiled->where, call(function, veiled->value)});
  switch (function) {
    case Function::negate: return negate(argument);
    case Function::exp:
      if (value && *value == 0) return constant(1);
      if (const auto powers = with_algebra_ ? exp_of_logs(argument) : std::nullopt) return *powers;
      if (const auto none = with_algebra_ ? exp_of_difference(argument) : std::nullopt) return *none;
      if (const auto below = with_algebra_ ? exp_below_maximum(argument) : std::nullopt) return *below;
      if (const auto masked = with_algebra_ ? exp_of_masked(argument) : std::nullopt) return *masked;
      break;
    case Function::log:
      if (value && *value == 1) return constant(0);
      if (const auto inner = as_generator(argument)) {
        const Generator& node = generators_[*inner];
        if (node.kind == Generator::Kind::call && static_cast<Function>(node.tag) == Function::exp) {
          return node.polynomials[0];
        }
      }
      if (const auto split = with_algebra_ ? log_of_exponentials(argument) : std::nullopt) return *split;
      if (const auto split = with_algebra_ ? log_of_product(argument) : std::nullopt) return *split;
      break;
    case Function::sqrt:
      if (value && (*value == 0 || *value == 1)) return argument;
      if (const auto split = with_algebra_ && !value ? root_of_product(argument) : std::nullopt) return *split;
      break;
    case Function::rsqrt: return inverse(call(Function::sqrt, argument));
    case Function::abs:
      if (value) return constant(*value < 0 ? mpq_class(-*value) : *value);
      if (const Sign s = sign(argument); s.nonnegative && !traits(argument).may_be_nan) {
        if (const auto only = as_generator(argument)) note({Need::Kind::nonnegative, false, *only});
        return argument;
      }
      flip_argument = true;
      break;
    case Function::cos: flip_argument = true; break;
    case Function::erf:
    case Function::tanh:
    case Function::sin:
      if (value && *value == 0) return constant(0);
      flip_argument = flip_result = true;
      break;
    case Function::floor:
    case Function::ceil:
    case Function::round:
      if (as_affine(argument)) return argument;
      break;
  }
  if (flip_argument && !polynomials_[argument].terms.empty() && polynomials_[argument].terms.front().second < 0) {
    argument = negate(argument);
  } else {
    flip_result = false;
  }
  const PolynomialId result =
      generator({Generator::Kind::call, static_cast<std::uint32_t>(function), {argument}, {}, {}, {}});
  return flip_result ? negate(result) : result;
}

/// exp(if_then_else(c,x,-inf)+y) is exp(y) times exp(x) where c holds and times 0 elsewhere, y being a number.
std::optional<PolynomialId> Arena::exp_of_masked(PolynomialId argument) {
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

PolynomialId Arena::extremum(bool is_max, const std::vector<PolynomialId>& operands) {
  const Deeper deeper(*this);
  const PolynomialId neutral = identity(is_max ? ArithmeticOp::max : ArithmeticOp::min);
  std::vector<PolynomialId> flat;
  std::optional<mpq_class> limit;
  bool may_be_nan = false;
  bool had_neutral = false;
  const std::function<void(PolynomialId)> collect = [&](PolynomialId id) {
    if (const auto inner = as_scaled_generator(id)) {
      const Generator& node = generators_[inner->first];
      // -3*min(a,b) is a maximum too.
      if (node.kind == Generator::Kind::extremum && (node.tag == 1) == (is_max == (inner->second > 0))) {
        const PolynomialId inner_neutral = identity(node.tag == 1 ? ArithmeticOp::max : ArithmeticOp::min);
        const std::vector<PolynomialId> parts = node.polynomials;
        for (const PolynomialId part : parts) collect(part == inner_neutral ? neutral : scale(part, inner->second));
        return;
      }
    }
    may_be_nan |= traits(id).may_be_nan;
    if (id == neutral) {
      had_neutral = true;
    } else if (const auto value = as_constant(id)) {
      if (!limit || (is_max ? *value > *limit : *value < *limit)) limit = value;
    } else {
      flat.push_back(id);
    }
  };
  for (const PolynomialId operand : operands) collect(operand);
  // An integer that never exceeds it leaves a limit without effect.
  const auto is_within_limit = [&](PolynomialId id) {
    const auto integers = as_affine(id);
    if (!integers) return false;
    const Interval values = range(*integers);
    const Wide whole = limit->get_num().get_si();
    return is_max ? values.low >= whole : values.high <= whole;
  };
  const bool has_whole_limit = limit && limit->get_den() == 1 && limit->get_num().fits_slong_p();
  if (has_whole_limit && std::any_of(flat.begin(), flat.end(), is_within_limit)) limit.reset();
  if (limit) flat.push_back(constant(*limit));
  // max(-inf, NaN) is -inf, so -inf stays where a NaN is possible.
  if (had_neutral && (flat.empty() || may_be_nan)) flat.push_back(neutral);
  std::sort(flat.begin(), flat.end());
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  // Folds over neighbouring ranges are one fold.
  for (bool joined = !may_be_nan; joined;) {
    joined = false;
    for (std::size_t i = 0; i < flat.size() && !joined; ++i) {
      for (std::size_t j = i + 1; j < flat.size() && !joined; ++j) {
        const auto a = as_generator(flat[i]);
        const auto b = as_generator(flat[j]);
        const auto both = a && b ? join_two(*a, *b) : std::nullopt;
        if (!both) continue;
        flat.erase(flat.begin() + static_cast<std::ptrdiff_t>(j));
        flat[i] = *both;
        joined = true;
      }
    }
    for (std::size_t i = 0; i < flat.size() && flat.size() > 1 && !joined; ++i) {
      const auto fold = as_generator(flat[i]);
      const auto op = static_cast<std::uint32_t>(is_max ? ArithmeticOp::max : ArithmeticOp::min);
      if (!fold || generators_[*fold].kind != Generator::Kind::reduction || generators_[*fold].tag != op) continue;
      std::size_t other = 0;
      const auto longer = longer_by(*fold, [&](PolynomialId piece) {
        other = static_cast<std::size_t>(std::find(flat.begin(), flat.end(), piece) - flat.begin());
        return other < flat.size() && other != i;
      });
      if (!longer) continue;
      flat[i] = *longer;
      flat.erase(flat.begin() + static_cast<std::ptrdiff_t>(other));
      joined = true;
    }
  }
  std::sort(flat.begin(), flat.end());
  if (flat.size() == 1) return flat[0];
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

/// Of a maximum of roots and numbers that are not negative, which is the root of the maximum: a root of a negative
/// number is passed over in one, and that number in the other.
std::optional<std::vector<PolynomialId>> Arena::all_squares(const std::vector<PolynomialId>& operands) {
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

/// Of a maximum of exponentials, which is the exponential of the maximum: NaN is passed over in both.
std::optional<std::vector<PolynomialId>> Arena::all_exponents(const std::vector<PolynomialId>& operands) {
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

std::optional<std::pair<GeneratorId, mpq_class>> Arena::as_scaled_generator(PolynomialId id) const {
  const Polynomial& node = polynomials_[id];
  if (node.terms.size() != 1 || node.terms[0].second == 0) return std::nullopt;
  if (!with_algebra_ && node.terms[0].second != 1) return std::nullopt;
  const Monomial& factors = monomials_[node.terms[0].first];
  if (factors.factors.size() != 1 || factors.factors[0].second != 1) return std::nullopt;
  return std::pair(factors.factors[0].first, node.terms[0].second);
}

mpq_class Arena::common_factor(const std::vector<PolynomialId>& polynomials) const {
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

/// i==3 of an i that is never greater says i>=3, as everything else does that begins there.
ConditionId Arena::at_an_end(ConditionId condition) {
  const Condition& node = conditions_[condition];
  if (node.kind != Condition::Kind::zero) return condition;
  const Affine value = affine(node.left);
  const Interval reach = range(value);
  if (reach.high == 0) return nonnegative(value);
  return reach.low == 0 ? nonnegative(scaled(value, -1)) : condition;
}

PolynomialId Arena::select(ConditionId condition, PolynomialId if_true, PolynomialId if_false) {
  const Deeper deeper(*this);
  const Truth known = truth(condition);
  if (known == Truth::yes) return if_true;
  if (known == Truth::no) return if_false;
  if (if_true == if_false) return if_true;
  if (!is_index_condition(condition)) {
    // What is NaN only where it is not chosen.
    if (const auto veiled = as_veiled(if_false); veiled && veiled->where == condition) if_false = veiled->value;
    if (const auto veiled = as_veiled(if_true); veiled && veiled->where == negation(condition)) if_true = veiled->value;
  }
  condition = at_an_end(condition);
  if (const auto inner = as_generator(if_true)) {
    const Generator& node = generators_[*inner];
    if (node.kind == Generator::Kind::select) {
      if (node.polynomials[1] == if_false) {
        return select(conjunction({condition, node.conditions[0]}), node.polynomials[0], if_false);
      }
      if (node.polynomials[0] == if_false) {
        return select(conjunction({condition, negation(node.conditions[0])}), node.polynomials[1], if_false);
      }
    }
  }
  if (const auto inner = as_generator(if_false)) {
    const Generator& node = generators_[*inner];
    if (node.kind == Generator::Kind::select) {
      if (node.polynomials[0] == if_true) {
        return select(disjunction({condition, node.conditions[0]}), if_true, node.polynomials[1]);
      }
      if (node.polynomials[1] == if_true) {
        return select(disjunction({condition, negation(node.conditions[0])}), if_true, node.polynomials[0]);
      }
    }
  }
  const ConditionId opposite = negation(condition);
  if (opposite < condition) {
    return generator({Generator::Kind::select, 0, {if_false, if_true}, {opposite}, {}, {}});
  }
  return generator({Generator::Kind::select, 0, {if_true, if_false}, {condition}, {}, {}});
}

PolynomialId Arena::power(PolynomialId base, PolynomialId exponent) {
  if (const auto value = as_constant(exponent)) {
    if (value->get_den() == 1 && abs(value->get_num()) <= 64) {
      // A negative power of what may be zero is a division; integer_power keeps it as one.
      return integer_power(base, value->get_num().get_si());
    }
    // x**1.5 is x*sqrt(x), and NaN where x is negative, as the root is.
    if (value->get_den() == 2 && abs(value->get_num()) <= 64 && !traits(base).is_wild()) {
      const std::int64_t halves = std::abs(value->get_num().get_si());
      const PolynomialId power = multiply(integer_power(base, halves / 2), call(Function::sqrt, base));
      return sgn(*value) < 0 ? inverse(power) : power;
    }
  }
  return generator({Generator::Kind::power, 0, {base, exponent}, {}, {}, {}});
}

Sign Arena::sign_by_facts(GeneratorId id) const {
  Sign result;
  if (ignore_assumptions_) return result;
  for (const ConditionId fact : facts_) {
    const Condition& known = conditions_[fact];
    const bool is_strict = known.kind == Condition::Kind::less;
    if (!is_strict && known.kind != Condition::Kind::less_equal) continue;
    // number < value, or value < number: what is assumed of a comparison that holds is not NaN.
    if (const auto low = as_constant(known.left); low && as_generator(known.right) == id && *low >= 0) {
      result.nonnegative = true;
      result.nonzero |= is_strict || *low > 0;
    }
    if (const auto high = as_constant(known.right); high && as_generator(known.left) == id && *high <= 0) {
      result.nonpositive = true;
      result.nonzero |= is_strict || *high < 0;
    }
  }
  return result;
}

Sign Arena::sign_of_generator(GeneratorId id, Variables variables) {
  const Generator& node = generators_[id];
  if (const Sign given = sign_by_facts(id); given.nonnegative || given.nonpositive) return given;
  const auto of = [this, variables](PolynomialId polynomial) { return sign(polynomial, variables); };
  const bool is_in_range = variables == Variables::in_range;
  Sign result;
  switch (node.kind) {
    case Generator::Kind::input:
      result.nonnegative = inputs[node.tag].positive;
      result.nonzero = inputs[node.tag].positive || inputs[node.tag].nonzero;
      break;
    case Generator::Kind::integer: {
      const Interval values = is_in_range ? atom_range(node.tag) : Interval::everything();
      result = {values.low >= 0, values.high <= 0, values.low > 0 || values.high < 0};
      break;
    }
    case Generator::Kind::inverse: {
      const Sign inside = of(node.polynomials[0]);
      if (!traits(node.polynomials[0]).is_wild() && inside.nonzero) result = inside;
      break;
    }
    case Generator::Kind::call: {
      const auto function = static_cast<Function>(node.tag);
      const bool finite = !traits(node.polynomials[0]).is_wild();
      // Of NaN it is NaN, which is not zero either. A maximum inside may be empty, and -inf, beyond the ranges.
      if (function == Function::exp) {
        const Traits& argument = traits(node.polynomials[0]);
        result = {true, false, !argument.may_be_infinite && (is_in_range || argument.height == 0)};
      }
      if (function == Function::sqrt || function == Function::abs) {
        result = {true, false, finite && of(node.polynomials[0]).nonzero};
      }
      break;
    }
    case Generator::Kind::extremum: {
      bool all_nonnegative = true;
      bool all_positive = true;
      bool some_nonnegative = false;
      bool some_positive = false;
      for (const PolynomialId operand : node.polynomials) {
        const Sign s = of(operand);
        const bool positive = s.nonnegative && s.nonzero;
        all_nonnegative &= s.nonnegative;
        all_positive &= positive;
        // An operand that is NaN is dropped, and what is left may be anything.
        if (traits(operand).may_be_nan) continue;
        some_nonnegative |= s.nonnegative;
        some_positive |= positive;
      }
      result.nonnegative = node.tag == 1 ? some_nonnegative : all_nonnegative;
      result.nonzero = node.tag == 1 ? some_positive : all_positive;
      break;
    }
    case Generator::Kind::select: {
      const Sign a = of(node.polynomials[0]);
      const Sign b = of(node.polynomials[1]);
      result = {a.nonnegative && b.nonnegative, a.nonpositive && b.nonpositive, a.nonzero && b.nonzero};
      break;
    }
    case Generator::Kind::reduction: {
      const Sign inside = of(node.polynomials[0]);
      const bool filled = is_in_range ? is_filled(node, generators_.traits(id).height) : node.conditions.empty();
      const auto op = static_cast<ArithmeticOp>(node.tag);
      if (op == ArithmeticOp::add) result = {inside.nonnegative, false, filled && inside.nonnegative && inside.nonzero};
      if (op == ArithmeticOp::multiply) result = {inside.nonnegative, false, inside.nonzero};
      if ((op == ArithmeticOp::max || op == ArithmeticOp::min) && filled) result = inside;
      break;
    }
    case Generator::Kind::truth: result.nonnegative = true; break;
    case Generator::Kind::lump: result = of(node.polynomials[0]); break;
    case Generator::Kind::tamed:
      if (static_cast<TamedKind>(node.tag) == TamedKind::positive) result = {true, false, true};
      break;
    case Generator::Kind::definition: result = definitions[node.tag].sign; break;
    case Generator::Kind::operation: result = is_in_range ? sign_of_operation(node) : Sign{}; break;
    case Generator::Kind::infinity:
    case Generator::Kind::conversion:
    case Generator::Kind::power:
    case Generator::Kind::recurrence:
    case Generator::Kind::self: break;
  }
  return result;
}

Sign Arena::sign(PolynomialId id, Variables variables) {
  const Deeper deeper(*this);
  const Polynomial& node = polynomials_[id];
  if (node.terms.empty()) return {true, true, false};
  bool all_nonnegative = true;
  bool all_nonpositive = true;
  bool some_nonzero = false;
  for (const auto& [monomial, coefficient] : node.terms) {
    Sign term{true, false, true};
    for (const auto& [generator, exponent] : monomials_[monomial].factors) {
      const Sign s = sign_of_generator(generator, variables);
      term.nonzero &= s.nonzero;
      if (exponent % 2 == 0) continue;
      if (s.nonnegative) continue;
      if (s.nonpositive) {
        std::swap(term.nonnegative, term.nonpositive);
      } else {
        term.nonnegative = term.nonpositive = false;
      }
    }
    if (coefficient < 0) std::swap(term.nonnegative, term.nonpositive);
    if (coefficient == 0) term = {true, true, false};
    all_nonnegative &= term.nonnegative;
    all_nonpositive &= term.nonpositive;
    some_nonzero |= term.nonzero;
  }
  const bool one_sided = all_nonnegative || all_nonpositive;
  Sign result = {all_nonnegative, all_nonpositive, some_nonzero && (one_sided || node.terms.size() == 1)};
  const auto& remembered = variables == Variables::in_range ? nonnegative_ : nonnegative_anywhere_;
  if (const auto known = remembered.find(id); known != remembered.end()) {
    result.nonnegative = true;
    result.nonzero |= known->second;
  }
  return result;
}

PolynomialId Arena::as_nonnegative(PolynomialId id, bool is_positive, Variables variables) {
  // What was made under an assumption may be so under it only.
  if (knowledge_ != 0 || polynomials_[id].terms.size() < 2 || traits(id).is_wild()) return id;
  nonnegative_[id] |= is_positive;
  if (variables == Variables::anything) nonnegative_anywhere_[id] |= is_positive;
  return id;
}

PolynomialId Arena::as_nonnegative_as(PolynomialId id, PolynomialId known) {
  const auto in_range = nonnegative_.find(known);
  if (in_range != nonnegative_.end()) as_nonnegative(id, in_range->second, Variables::in_range);
  const auto anywhere = nonnegative_anywhere_.find(known);
  return anywhere == nonnegative_anywhere_.end() ? id : as_nonnegative(id, anywhere->second);
}

}  // namespace steptp::forms
