// Which sides of conditions and of other questions there are, read off spans.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "replay/spans.h"
#include "replay/types.h"
#include "steptp/ir/dtype.h"

namespace steptp::replayer {

namespace {

constexpr long double kFar = std::numeric_limits<long double>::infinity();

bool may_be_infinite(const Span& a) { return a.low == -kFar || a.high == kFar; }
bool may_be_zero(const Span& a) { return !a.is_nonzero && a.low <= 0 && a.high >= 0; }

/// All numbers of the span have one quotient by a divisor that lies in the other.
bool is_one_quotient(const Span& left, const Span& right) {
  const bool is_known = !left.may_be_nan && !right.may_be_nan && !may_be_infinite(left) && !may_be_infinite(right);
  if (!is_known || right.low <= 0) return false;
  const long double quotient = std::floor(left.low / right.low);
  return quotient == std::floor(left.low / right.high) && quotient == std::floor(left.high / right.low) &&
         quotient == std::floor(left.high / right.high);
}

}  // namespace

Span Spans::converted(const Expr& expr, const std::optional<DType>& dtype) {
  const Span out = of(expr);
  if (dtype && is_float(*dtype)) return out;
  const DTypeInfo& type = info(dtype.value_or(DType::i64));
  const bool is_inside = dtype && !out.may_be_nan && out.low >= static_cast<long double>(type.least) &&
                         out.high <= static_cast<long double>(type.greatest);
  return is_inside ? out : Span{-kFar, kFar, true};
}

/// In which type two operands meet; nothing where that is not known.
static std::optional<DType> common_type(const Expr& left, const Expr& right, bool is_compared) {
  const auto a = type_of(left);
  const auto b = type_of(right);
  if (!a || !b) return std::nullopt;
  if (is_compared) return comparison_dtype(*a, *b);
  const auto type = binary_type(ArithmeticOp::max, *a, *b, false);
  return type ? std::optional(type->dtype) : std::nullopt;
}

bool Spans::has_one_quotient(const Product& product, std::size_t count) {
  // Of integers only where nothing has wrapped before.
  if (count != 2) return false;
  const auto dtype = common_type(*product.operands[0], *product.operands[1], false);
  return is_one_quotient(converted(*product.operands[0], dtype), converted(*product.operands[1], dtype));
}

/// Indices of loops and values of tensors, as long as nothing wraps.
Span Spans::of_subscript(const Subscript& subscript, const Statement& statement) {
  Span total = {static_cast<long double>(subscript.constant), static_cast<long double>(subscript.constant), false};
  for (const Subscript::Term& term : subscript.terms) {
    const auto coefficient = static_cast<long double>(term.coefficient);
    Span product = {coefficient, coefficient, false};
    for (const SubscriptAtom& atom : term.factors) {
      const Span one = of_atom(atom, statement);
      const auto [low, high] =
          std::minmax({product.low * one.low, product.low * one.high, product.high * one.low, product.high * one.high});
      product = {low, high, product.may_be_nan || one.may_be_nan};
    }
    total = {total.low + product.low, total.high + product.high, total.may_be_nan || product.may_be_nan};
  }
  constexpr long double kMost = 0x1p62L;
  return {total.low, total.high, total.may_be_nan || !(total.low > -kMost && total.high < kMost)};
}

Span Spans::of_atom(const SubscriptAtom& atom, const Statement& statement) {
  if (atom.kind == SubscriptAtom::Kind::slot) {
    return {0, static_cast<long double>(statement.loops[atom.slot]->extent - 1), false};
  }
  if (atom.kind == SubscriptAtom::Kind::read) return of_tensor(atom.ref->tensor);
  const Span above = of_subscript(*atom.dividend, statement);
  const Span below = of_subscript(*atom.divisor, statement);
  if (below.low != below.high || !(below.low > 0)) return {0, 0, true};
  const Span whole = {std::floor(above.low / below.low), std::floor(above.high / below.low), above.may_be_nan};
  if (atom.kind == SubscriptAtom::Kind::quotient) return whole;
  if (whole.low != whole.high) return {0, below.low - 1, above.may_be_nan};
  return {above.low - whole.low * below.low, above.high - whole.low * below.low, above.may_be_nan};
}

bool Spans::has_one_quotient(const Subscript& subscript, const Statement& statement) {
  const auto is_plain = [&](const SubscriptAtom& atom) {
    if (!atom.dividend) return true;
    const bool is_open = atom.dividend->reads_data || atom.divisor->reads_data;
    return (!is_open ||
            is_one_quotient(of_subscript(*atom.dividend, statement), of_subscript(*atom.divisor, statement))) &&
           has_one_quotient(*atom.dividend, statement) && has_one_quotient(*atom.divisor, statement);
  };
  return std::all_of(subscript.terms.begin(), subscript.terms.end(), [&](const Subscript::Term& term) {
    return std::all_of(term.factors.begin(), term.factors.end(), is_plain);
  });
}

/// All quotients of data in the subscripts of the statement with this right side.
bool Spans::have_one_quotient(const Expr& right) {
  for (const Statement& statement : layout_.statements()) {
    if (statement.equation->right.get() != &right) continue;
    bool all = std::all_of(statement.left.begin(), statement.left.end(),
                           [&](const Subscript& one) { return has_one_quotient(one, statement); });
    for_each_ref(right, [&](const RefPtr& ref) {
      for (const Subscript& one : layout_.storage(*ref, statement)) all = all && has_one_quotient(one, statement);
    });
    if (!all || !statement.guards.empty()) return false;
  }
  return true;
}

bool Spans::is_zero_at_infinity(const Compare& compare, std::size_t part) {
  const Span a = of(*compare.operands[part]);
  const Span b = of(*compare.operands[part + 1]);
  const auto is_zero = [](const Span& span) { return span.low == 0 && span.high == 0 && !span.may_be_nan; };
  return (a.is_solid && is_zero(b)) || (b.is_solid && is_zero(a));
}

bool Spans::is_answered(const Place& place, bool first_is_missing) {
  if (place.part == Place::kNowhere) return false;
  if (place.part == Place::kSubscripts) return have_one_quotient(*place.expr);
  if (place.question == Question::tie) {
    const auto& compare = std::get<Compare>(place.expr->node);
    const Span a = of(*compare.operands[place.part]);
    const Span b = of(*compare.operands[place.part + 1]);
    return first_is_missing && (a.low > b.high || a.high < b.low);
  }
  Span span = of(*place.expr);
  if (place.question == Question::range) {
    const DTypeInfo& type = info(static_cast<DType>(place.part));
    return first_is_missing && !span.may_be_nan && span.low > static_cast<long double>(type.least) - 1 &&
           span.high < static_cast<long double>(type.greatest) + 1;
  }
  if (place.part > 0) {
    const auto* product = std::get_if<Product>(&place.expr->node);
    if (product && place.question == Question::rounding) return has_one_quotient(*product, place.part);
    // Integers of a part may wrap in a narrower type than the whole.
    const auto is_real = [](const ExprPtr& operand) {
      const auto type = type_of(*operand);
      return std::holds_alternative<Literal>(operand->node) || (type && is_float(type->dtype));
    };
    if (!product || !std::all_of(product->operands.begin(), product->operands.end(), is_real)) return false;
    span = chain(product->operands, product->operators, place.part);
  }
  switch (place.question) {
    case Question::truth:
    case Question::divisor:
    case Question::pole:
    case Question::factor:
    case Question::base:
    case Question::exponent: return first_is_missing && (!may_be_zero(span) || span.is_solid);
    case Question::domain:
    case Question::factor_sign:
    case Question::exponent_sign: return first_is_missing ? span.low >= 0 : !span.may_be_nan && span.high < 0;
    case Question::rounding:
      return !span.may_be_nan && std::floor(span.low) == std::floor(span.high) &&
             std::ceil(span.low) == std::ceil(span.high);
    case Question::special: return first_is_missing && span.low > 0;
    case Question::writer:
    case Question::digits:
    case Question::range:
    case Question::tie:
    case Question::way: break;
  }
  return false;
}

std::optional<bool> Spans::decided(const Compare& compare, std::size_t part) {
  const auto dtype = common_type(*compare.operands[part], *compare.operands[part + 1], true);
  const Span a = converted(*compare.operands[part], dtype);
  const Span b = converted(*compare.operands[part + 1], dtype);
  // What may be NaN may fail, and `!=` hold, at any input.
  if (a.may_be_nan || b.may_be_nan) return std::nullopt;
  const auto less = [](const Span& x, const Span& y, bool or_equal) -> std::optional<bool> {
    if (or_equal ? x.high <= y.low : x.high < y.low) return true;
    if (or_equal ? x.low > y.high : x.low >= y.high) return false;
    return std::nullopt;
  };
  const bool is_apart = a.low > b.high || a.high < b.low;
  switch (compare.operators[part]) {
    case CompareOp::less: return less(a, b, false);
    case CompareOp::less_equal: return less(a, b, true);
    case CompareOp::greater: return less(b, a, false);
    case CompareOp::greater_equal: return less(b, a, true);
    case CompareOp::equal: return is_apart ? std::optional(false) : std::nullopt;
    case CompareOp::not_equal: return is_apart ? std::optional(true) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<bool> Spans::decided(const Expr& condition) {
  const auto* compare = std::get_if<Compare>(&condition.node);
  const auto* logic = std::get_if<Logic>(&condition.node);
  if (!compare && !logic) {
    const Span span = of(condition);
    if (!span.may_be_nan && (span.low > 0 || span.high < 0)) return true;
    return !span.may_be_nan && span.low == 0 && span.high == 0 ? std::optional(false) : std::nullopt;
  }
  const bool is_conjunction = compare || logic->op == LogicOp::conjunction;
  const std::size_t count = compare ? compare->operators.size() : logic->operands.size();
  bool all_known = true;
  for (std::size_t i = 0; i < count; ++i) {
    const auto one = compare ? decided(*compare, i) : decided(*logic->operands[i]);
    if (one && *one != is_conjunction) return *one;
    all_known = all_known && one;
  }
  return all_known ? std::optional(is_conjunction) : std::nullopt;
}

bool Spans::is_one_sided(const Expr& expr) {
  Span a = {-kFar, kFar, true};
  Span b = {0, 0, false};
  if (const auto* extremum = std::get_if<Extremum>(&expr.node)) {
    const auto dtype = common_type(*extremum->left, *extremum->right, false);
    a = converted(*extremum->left, dtype);
    b = converted(*extremum->right, dtype);
  } else if (const auto* call = std::get_if<Call>(&expr.node)) {
    a = of(*call->argument);
  }
  return !a.may_be_nan && !b.may_be_nan && (a.low >= b.high || a.high <= b.low);
}

}  // namespace steptp::replayer
