#include "replay/spans.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "replay/types.h"
#include "steptp/ir/dtype.h"

namespace steptp::replayer {

namespace {

constexpr long double kFar = std::numeric_limits<long double>::infinity();
/// Stands for all that is greater than zero, however small.
constexpr long double kLeast = std::numeric_limits<long double>::denorm_min();

/// Stands for all finite numbers, however large.
constexpr long double kMost = std::numeric_limits<long double>::max();

Span anything() { return {-kFar, kFar, true}; }

/// Bounds are off by roundings; zero and what is greater stay what they are.
Span widened(long double low, long double high, bool may_be_nan) {
  constexpr long double kSlack = 0x1p-60L;
  if (std::isnan(low) || std::isnan(high)) return anything();
  const auto moved = [](long double value, long double by) {
    const long double out = value + std::fabs(value) * by;
    if (value > 0) return std::fmax(out, kLeast);
    return value < 0 ? std::fmin(out, -kLeast) : value;
  };
  return {moved(low, -kSlack), moved(high, kSlack), may_be_nan};
}

/// What finite numbers make is finite.
Span finite(Span span, bool is_finite) {
  if (!is_finite) return span;
  span.low = std::clamp(span.low, -kMost, kMost);
  span.high = std::clamp(span.high, -kMost, kMost);
  return span;
}

/// Neither zero nor infinite where nothing is infinite.
bool is_solid(const Span& a) { return a.is_solid || a.is_nonzero || a.low > 0 || a.high < 0; }

bool may_be_infinite(const Span& a) { return a.low == -kFar || a.high == kFar; }
bool may_be_zero(const Span& a) { return !a.is_nonzero && a.low <= 0 && a.high >= 0; }

long double product_of(long double a, long double b) {
  if (a == 0 || b == 0) return 0;
  const long double out = a * b;
  return out == 0 ? ((a > 0) == (b > 0) ? kLeast : -kLeast) : out;
}

Span product(const Span& a, const Span& b) {
  const long double ends[] = {product_of(a.low, b.low), product_of(a.low, b.high), product_of(a.high, b.low),
                              product_of(a.high, b.high)};
  const bool is_nan = (may_be_infinite(a) && may_be_zero(b)) || (may_be_infinite(b) && may_be_zero(a));
  Span out = finite(widened(*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4),
                            a.may_be_nan || b.may_be_nan || is_nan),
                    !may_be_infinite(a) && !may_be_infinite(b));
  out.is_nonzero = !may_be_zero(a) && !may_be_zero(b);
  out.is_solid = is_solid(a) && is_solid(b);
  return out;
}

Span sum(const Span& a, const Span& b) {
  const bool is_nan = (a.low == -kFar && b.high == kFar) || (a.high == kFar && b.low == -kFar);
  Span out = finite(widened(a.low + b.low, a.high + b.high, a.may_be_nan || b.may_be_nan || is_nan),
                    !may_be_infinite(a) && !may_be_infinite(b));
  // Exact ends stay what they are.
  const long double low = a.low + b.low;
  if (low - a.low == b.low && low - b.low == a.low) out.low = std::fmax(out.low, low);
  out.is_solid = a.low >= 0 && b.low >= 0 && (is_solid(a) || is_solid(b));
  return out;
}

Span hull(const Span& a, const Span& b) {
  return {std::fmin(a.low, b.low), std::fmax(a.high, b.high), a.may_be_nan || b.may_be_nan,
          !may_be_zero(a) && !may_be_zero(b), is_solid(a) && is_solid(b)};
}

Span magnitude_of(const Span& a) {
  const bool is_apart = a.low > 0 || a.high < 0;
  const long double least = is_apart ? std::fmin(std::fabs(a.low), std::fabs(a.high)) : may_be_zero(a) ? 0 : kLeast;
  return {least, std::fmax(std::fabs(a.low), std::fabs(a.high)), a.may_be_nan, !may_be_zero(a), is_solid(a)};
}

Span whole_power(const Span& a, std::int64_t exponent) {
  if (exponent < 0 || exponent > 64) return anything();
  if (exponent == 0) return {1, 1, false};
  Span out = {1, 1, false};
  const Span size = magnitude_of(a);
  for (std::int64_t i = 0; i < exponent; ++i) out = product(out, exponent % 2 == 0 ? size : a);
  // A power of what is infinite is infinite, and no factor of it is zero at the same time.
  out.may_be_nan = a.may_be_nan;
  return out;
}

Span identity_of(ArithmeticOp op) {
  const long double value = op == ArithmeticOp::add        ? 0
                            : op == ArithmeticOp::multiply ? 1
                            : op == ArithmeticOp::max      ? -kFar
                                                           : kFar;
  return {value, value, false};
}

Span of_domain(const Variable& variable) {
  const Domain& domain = variable.domain;
  const bool has_values = !variable.values.empty();
  if (has_values) {
    Span out{variable.values[0], variable.values[0], false};
    for (const double value : variable.values) {
      if (std::isnan(value)) return anything();
      out = hull(out, {value, value, false});
    }
    return out;
  }
  Span out = {-kMost, kMost, false};
  if (!is_float(variable.dtype)) {
    out = {static_cast<long double>(info(variable.dtype).least),
           static_cast<long double>(info(variable.dtype).greatest), false};
  }
  if (domain.kind == Domain::Kind::masked) out.low = -kFar;
  if (domain.kind == Domain::Kind::positive) out.low = kLeast;
  if (domain.kind == Domain::Kind::nonzero) out.is_nonzero = true;
  if (domain.kind == Domain::Kind::range) {
    // The end does not belong to it.
    const long double end = is_float(variable.dtype) ? domain.high : std::ceil(domain.high) - 1;
    out = {std::fmax(out.low, static_cast<long double>(domain.low)), std::fmin(out.high, end), false};
    out.is_nonzero = domain.high == 0;
  }
  return out;
}

/// A part of a chain of integers may wrap in a narrower type than the whole.
bool mixes_types(const Expr& expr) {
  const auto* sum = std::get_if<Sum>(&expr.node);
  const auto* product = std::get_if<Product>(&expr.node);
  if (!sum && !product) return false;
  const std::vector<ExprPtr>& operands = sum ? sum->operands : product->operands;
  std::optional<DType> dtype;
  for (const ExprPtr& operand : operands) {
    if (std::holds_alternative<Literal>(operand->node)) continue;
    const auto type = type_of(*operand);
    if (!type || (dtype && *dtype != type->dtype)) return true;
    dtype = type->dtype;
  }
  return false;
}

}  // namespace

Span Spans::of_tensor(const std::string& name) {
  const Tensor& tensor = layout_.tensor(name);
  if (tensor.known && tensor.known->role != Role::output) return of_domain(*tensor.known);
  for (std::size_t i = 0; i < assumed_.size(); ++i) {
    if (assumed_[i].name != name) continue;
    lowest_used_ = std::min(lowest_used_, i);
    assumed_[i].is_used = true;
    return assumed_[i].span;
  }
  if (const auto known = tensors_.find(name); known != tensors_.end()) return known->second;
  const std::size_t own = assumed_.size();
  const std::size_t outer = std::exchange(lowest_used_, Place::kNowhere);
  const Span out = found_of_tensor(name);
  // What rests on an assumption about another tensor holds only as long as that is made.
  if (lowest_used_ >= own) tensors_[name] = out;
  lowest_used_ = std::min(outer, lowest_used_ < own ? lowest_used_ : Place::kNowhere);
  return out;
}

/// What stays in a span as long as everything earlier was in it, always is: a sum begins with 0, a product with 1, and
/// a maximum or a minimum with its first term.
Span Spans::found_of_tensor(const std::string& name) {
  std::size_t lowest = Place::kNowhere;
  for (const Span& earlier :
       {Span{kLeast, kMost, false}, Span{0, kMost, false}, Span{0, kFar, false}, Span{-kMost, kMost, false, true},
        Span{-kMost, kMost, false}, Span{0, kMost, true, false, true}, Span{0, kFar, true}, anything()}) {
    lowest_used_ = Place::kNowhere;
    const Span found = of_writers(name, earlier);
    lowest = std::min(lowest, lowest_used_);
    const bool stays = found.low >= earlier.low && found.high <= earlier.high &&
                       found.may_be_nan <= earlier.may_be_nan && (!earlier.is_nonzero || !may_be_zero(found)) &&
                       (!earlier.is_solid || is_solid(found));
    if (stays || !used_own_) {
      lowest_used_ = lowest;
      return found;
    }
  }
  lowest_used_ = lowest;
  return anything();
}

/// What the writers of a tensor write where it holds `earlier` before.
Span Spans::of_writers(const std::string& name, const Span& earlier) {
  const Tensor& tensor = layout_.tensor(name);
  assumed_.push_back({name, earlier});
  std::optional<Span> out;
  for (const std::size_t number : tensor.writers) {
    const Statement& statement = layout_.statements()[number];
    Span one = of(*statement.equation->right);
    if (statement.accumulates) {
      // The first round begins with the identity.
      assumed_.back().span = identity_of(*statement.accumulates);
      one = hull(one, of(*statement.equation->right));
      assumed_.back().span = earlier;
    }
    if (tensor.dtype == DType::boolean) {
      const auto truth = decided(*statement.equation->right);
      one = truth ? Span{*truth ? 1.0L : 0.0L, *truth ? 1.0L : 0.0L, false} : Span{0, 1, false};
    } else if (!is_float(tensor.dtype)) {
      const auto least = static_cast<long double>(info(tensor.dtype).least);
      const auto greatest = static_cast<long double>(info(tensor.dtype).greatest);
      if (one.may_be_nan || one.low < least || one.high > greatest) one = {least, greatest, false};
      one = {std::trunc(one.low), std::trunc(one.high), false};
    }
    out = out ? hull(*out, one) : one;
  }
  used_own_ = assumed_.back().is_used;
  assumed_.pop_back();
  return out.value_or(anything());
}

Span Spans::of_function(Function function, const Span& a) {
  switch (function) {
    case Function::negate: return {-a.high, -a.low, a.may_be_nan, a.is_nonzero, a.is_solid};
    case Function::abs: return magnitude_of(a);
    case Function::exp: {
      const Span out = finite(widened(std::exp(a.low), std::exp(a.high), a.may_be_nan), a.high != kFar);
      return {a.low == -kFar ? 0 : std::fmax(out.low, kLeast), out.high, a.may_be_nan, false, true};
    }
    case Function::sqrt:
      if (a.high < 0) return anything();
      {
        Span out = widened(std::sqrt(std::fmax(a.low, 0.0L)), std::sqrt(a.high), a.may_be_nan || a.low < 0);
        out.is_nonzero = a.is_nonzero;
        out.is_solid = is_solid(a);
        return out;
      }
    case Function::tanh:
    case Function::erf: return {a.low >= 0 ? 0.0L : -1.0L, a.high <= 0 ? 0.0L : 1.0L, a.may_be_nan};
    case Function::sin:
    case Function::cos: return {-1, 1, a.may_be_nan || may_be_infinite(a)};
    case Function::floor: return {std::floor(a.low), std::floor(a.high), a.may_be_nan};
    case Function::ceil: return {std::ceil(a.low), std::ceil(a.high), a.may_be_nan};
    case Function::rsqrt:
      // Zero has no value, and infinity is sent to zero.
      return {a.high == kFar ? 0.0L : kLeast, kMost, a.may_be_nan || a.low < 0, false, true};
    case Function::log:
      if (a.low >= 1) return {0, may_be_infinite(a) ? kFar : kMost, a.may_be_nan};
      break;
    case Function::round: break;
  }
  return anything();
}

Span Spans::chain(const std::vector<ExprPtr>& operands, const std::vector<ArithmeticOp>& operators, std::size_t count) {
  count = std::min(count, operands.size());
  Span total = of(*operands[0]);
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const Span next = of(*operands[i + 1]);
    switch (operators[i]) {
      case ArithmeticOp::add: total = sum(total, next); break;
      case ArithmeticOp::subtract: total = sum(total, {-next.high, -next.low, next.may_be_nan}); break;
      case ArithmeticOp::multiply: {
        // What is multiplied by itself is a square.
        const bool is_square = i == 0 && equal(*operands[0], *operands[1]);
        total = is_square ? whole_power(total, 2) : product(total, next);
        break;
      }
      case ArithmeticOp::divide: {
        // Where the divisor is zero there is no value.
        const bool is_apart = next.low > 0 || next.high < 0;
        const bool is_finite = !may_be_infinite(next);
        Span inverse = is_apart && is_finite ? finite(widened(1 / next.high, 1 / next.low, next.may_be_nan), true)
                       : next.low >= 0       ? Span{is_finite ? kLeast : 0, kMost, next.may_be_nan}
                       : next.high <= 0      ? Span{-kMost, is_finite ? -kLeast : 0, next.may_be_nan}
                                             : Span{-kMost, kMost, next.may_be_nan, is_finite};
        // Of infinity the inverse is zero; inf/inf is NaN.
        inverse.is_solid = true;
        const bool may_be_both = !is_finite && may_be_infinite(total);
        total = product(total, inverse);
        total.may_be_nan = total.may_be_nan || may_be_both;
        break;
      }
      default: return anything();
    }
  }
  return total;
}

/// NaN gives way to a number.
static Span of_extremum(bool is_max, const Span& a, const Span& b) {
  Span out = hull(a, b);
  if (is_max && !a.may_be_nan && !b.may_be_nan) out.low = std::fmax(a.low, b.low);
  if (!is_max && !a.may_be_nan && !b.may_be_nan) out.high = std::fmin(a.high, b.high);
  if (is_max && (!a.may_be_nan || !b.may_be_nan)) out.low = std::fmax(out.low, a.may_be_nan ? b.low : a.low);
  if (!is_max && (!a.may_be_nan || !b.may_be_nan)) out.high = std::fmin(out.high, a.may_be_nan ? b.high : a.high);
  out.may_be_nan = a.may_be_nan && b.may_be_nan;
  return out;
}

Span Spans::of_power(const Power& power) {
  const Span base = of(*power.base);
  const auto* exponent = std::get_if<Literal>(&power.exponent->node);
  if (exponent && exponent->is_integer && exponent->integer >= 0) return whole_power(base, exponent->integer);
  if (base.low < 0) return anything();
  // A power of what is not negative is not negative either.
  const Span size = of(*power.exponent);
  const bool is_plain = base.low > 0 && base.high != kFar && !base.may_be_nan && !may_be_infinite(size);
  return is_plain && !size.may_be_nan ? Span{kLeast, kMost, false} : Span{0, kFar, true};
}

Span Spans::of(const Expr& expr) {
  constexpr int kMostDepth = 100;
  if (++depth_ > kMostDepth) {
    --depth_;
    return anything();
  }
  Span out = anything();
  if (const auto* literal = std::get_if<Literal>(&expr.node)) {
    const auto value = literal->is_integer ? static_cast<long double>(literal->integer) : literal->real;
    // The double is the nearest one to the decimal that is meant.
    constexpr long double kSlack = 0x1p-52L;
    const long double slack = literal->is_integer ? 0 : std::fabs(value) * kSlack;
    // Long doubles hold all 64-bit integers.
    out = literal->is_integer ? Span{value, value, false} : widened(value - slack, value + slack, false);
  } else if (std::holds_alternative<Infinity>(expr.node)) {
    out = {kFar, kFar, false};
  } else if (const auto* read = std::get_if<Read>(&expr.node)) {
    out = of_tensor(read->ref->tensor);
  } else if (const auto* total = std::get_if<Sum>(&expr.node)) {
    out = chain(total->operands, total->operators);
  } else if (const auto* factors = std::get_if<Product>(&expr.node)) {
    out = chain(factors->operands, factors->operators);
  } else if (const auto* call = std::get_if<Call>(&expr.node)) {
    out = of_function(call->function, of(*call->argument));
  } else if (const auto* extremum = std::get_if<Extremum>(&expr.node)) {
    out = of_extremum(extremum->is_max, of(*extremum->left), of(*extremum->right));
  } else if (const auto* power = std::get_if<Power>(&expr.node)) {
    out = of_power(*power);
  } else if (const auto* select = std::get_if<Select>(&expr.node)) {
    out = hull(of(*select->if_true), of(*select->if_false));
  }
  --depth_;
  // An integer wraps, whatever its parts are.
  if (is_condition(expr)) return {0, 1, false};
  const auto type = type_of(expr);
  if (type && !is_float(type->dtype) && !std::holds_alternative<Read>(expr.node)) {
    const long double least = static_cast<long double>(info(type->dtype).least);
    const long double greatest = static_cast<long double>(info(type->dtype).greatest);
    if (!(out.low >= least && out.high <= greatest) || mixes_types(expr)) out = {least, greatest, false};
  }
  return out;
}

}  // namespace steptp::replayer
