// Calls of functions (docs/decisions/0011, 0024). A call is a generator that algebra does not look into, once the laws
// of its function have been tried. A law of exp or log of sums and products stands where those are taken apart:
// quotients.cpp (exponentials under divisions and logarithms), products.cpp (logarithms and roots of products),
// masked_exponentials.cpp (exponentials of what may be -inf). Every law holds for infinite and NaN arguments too, or
// asks the traits first.
#include <cstdlib>

#include "steptp/prove/arena.h"

namespace steptp::forms {

PolynomialId Functions::infinity() { return generator({Generator::Kind::infinity, 0, {}, {}, {}, {}}); }

PolynomialId Functions::input(std::uint32_t number, std::vector<Affine> subscripts) {
  Generator node{Generator::Kind::input, number, {}, {}, {}, {}};
  for (Affine& subscript : subscripts) node.subscripts.push_back(intern(std::move(subscript)));
  return generator(std::move(node));
}

/// exp(0) = 1; the other laws of exp are about sums, and need algebra.
std::optional<PolynomialId> Functions::exp_by_law(PolynomialId argument) {
  const auto value = as_constant(argument);
  if (value && *value == 0) return constant(1);
  if (const auto powers = with_algebra_ ? arena_.quotients.exp_of_logs(argument) : std::nullopt) return *powers;
  if (const auto none = with_algebra_ ? arena_.masks.exp_of_difference(argument) : std::nullopt) return *none;
  if (const auto below = with_algebra_ ? arena_.masks.exp_below_maximum(argument) : std::nullopt) return *below;
  if (const auto masked = with_algebra_ ? arena_.masks.exp_of_masked(argument) : std::nullopt) return *masked;
  return std::nullopt;
}

/// log(1) = 0 and log(exp(x)) = x, whatever x is; the other laws of log are about products, and need algebra.
std::optional<PolynomialId> Functions::log_by_law(PolynomialId argument) {
  const auto value = as_constant(argument);
  if (value && *value == 1) return constant(0);
  if (const auto inner = as_generator(argument)) {
    const Generator& node = generators_[*inner];
    if (node.kind == Generator::Kind::call && static_cast<Function>(node.tag) == Function::exp) {
      return node.polynomials[0];
    }
  }
  if (const auto split = with_algebra_ ? arena_.quotients.log_of_exponentials(argument) : std::nullopt) return *split;
  if (const auto split = with_algebra_ ? arena_.products.log_of_product(argument) : std::nullopt) return *split;
  return std::nullopt;
}

/// abs(x) = x where x is never negative and never NaN.
std::optional<PolynomialId> Functions::abs_by_law(PolynomialId argument) {
  const auto value = as_constant(argument);
  if (value) return constant(*value < 0 ? mpq_class(-*value) : *value);
  if (const Sign s = sign(argument); s.nonnegative && !traits(argument).may_be_nan) {
    if (const auto only = as_generator(argument)) note({Need::Kind::nonnegative, false, *only});
    return argument;
  }
  return std::nullopt;
}

PolynomialId Functions::call(Function function, PolynomialId argument) {
  const Deeper deeper(budget_);
  const auto value = as_constant(argument);
  bool flip_argument = false;
  bool flip_result = false;
  // f(NaN) = NaN.
  if (const auto veiled = as_veiled(argument)) return veil({veiled->where, call(function, veiled->value)});
  switch (function) {
    case Function::negate: return negate(argument);
    case Function::exp:
      if (const auto result = exp_by_law(argument)) return *result;
      break;
    case Function::log:
      if (const auto result = log_by_law(argument)) return *result;
      break;
    case Function::sqrt:
      // sqrt(0) = 0, sqrt(1) = 1.
      if (value && (*value == 0 || *value == 1)) return argument;
      if (const auto split = with_algebra_ && !value ? arena_.products.root_of_product(argument) : std::nullopt)
        return *split;
      break;
    // rsqrt(x) = 1/sqrt(x).
    case Function::rsqrt: return inverse(call(Function::sqrt, argument));
    // abs(-x) = abs(x), cos(-x) = cos(x).
    case Function::abs:
      if (const auto result = abs_by_law(argument)) return *result;
      flip_argument = true;
      break;
    case Function::cos: flip_argument = true; break;
    // f(0) = 0 and f(-x) = -f(x).
    case Function::erf:
    case Function::tanh:
    case Function::sin:
      if (value && *value == 0) return constant(0);
      flip_argument = flip_result = true;
      break;
    // floor(n) = n, of integers.
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

PolynomialId Functions::power(PolynomialId base, PolynomialId exponent) {
  if (const auto value = as_constant(exponent)) {
    if (value->get_den() == 1 && abs(value->get_num()) <= 64) {
      // x**-n = 1/x**n: a negative power of what may be zero is a division; integer_power keeps it as one.
      return integer_power(base, value->get_num().get_si());
    }
    // x**1.5 = x*sqrt(x), of numbers: NaN where x is negative, as the root is.
    if (value->get_den() == 2 && abs(value->get_num()) <= 64 && !traits(base).is_wild()) {
      const std::int64_t halves = std::abs(value->get_num().get_si());
      const PolynomialId power = multiply(integer_power(base, halves / 2), call(Function::sqrt, base));
      return sgn(*value) < 0 ? inverse(power) : power;
    }
  }
  return generator({Generator::Kind::power, 0, {base, exponent}, {}, {}, {}});
}

}  // namespace steptp::forms
