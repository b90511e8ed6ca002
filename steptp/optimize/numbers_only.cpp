#include "steptp/optimize/numbers_only.h"

#include <algorithm>
#include <cmath>

namespace steptp {

namespace {

const Literal* literal_of(const ExprPtr& expr) { return std::get_if<Literal>(&expr->node); }

bool is_even(const ExprPtr& exponent) {
  const Literal* number = literal_of(exponent);
  return number && std::fmod(number->real, 2) == 0;
}

}  // namespace

Numbers::Traits Numbers::traits_of(const std::string& tensor) {
  if (const auto known = known_.find(tensor); known != known_.end()) return known->second;
  // A tensor that depends on itself, other than as its own accumulator, is not looked into.
  known_[tensor] = {};
  const TensorFacts& facts = table_.tensors.at(tensor);
  Traits out = {true, true, Sign::any};
  if (facts.known && facts.writes.empty()) {
    const Domain& domain = facts.known->domain;
    out.is_number = domain.kind != Domain::Kind::masked;
    if (domain.kind == Domain::Kind::positive || (domain.kind == Domain::Kind::range && domain.low > 0))
      out.sign = Sign::positive;
    // A constant may be zero everywhere.
    out.is_smooth = facts.known->role != Role::constant;
    return known_[tensor] = out;
  }
  if (facts.writes.empty()) return {};
  out.sign = Sign::positive;
  for (const std::size_t number : facts.writes) {
    const Traits one = traits_of(table_.statements[table_.accesses[number].statement]);
    out = {out.is_number && one.is_number, out.is_smooth && one.is_smooth, std::min(out.sign, one.sign)};
  }
  return known_[tensor] = out;
}

/// Of an accumulation what is folded, which its right side says together with the accumulator itself.
Numbers::Traits Numbers::traits_of(const Statement& statement) {
  const std::string& tensor = statement.equation->left->tensor;
  Traits guards = {true, true, Sign::any};
  for (const ExprPtr& guard : statement.guards) guards.is_number = guards.is_number && traits_of(guard).is_number;
  if (!statement.accumulates) {
    Traits out = traits_of(statement.equation->right);
    out.is_number = out.is_number && guards.is_number;
    return out;
  }
  const ArithmeticOp op = *statement.accumulates;
  const bool is_extremum = op == ArithmeticOp::max || op == ArithmeticOp::min;
  const Traits before = known_[tensor];
  // The accumulator as it can be: what it begins with joins what is folded.
  Sign begins = Sign::any;
  if (op == ArithmeticOp::add) begins = Sign::not_negative;
  if (op == ArithmeticOp::multiply || op == ArithmeticOp::min) begins = Sign::positive;
  known_[tensor] = {true, !is_extremum, begins};
  Traits out = traits_of(statement.equation->right);
  known_[tensor] = before;
  // Where a guard lets nothing through, an extremum is infinite and a sum is zero.
  const bool has_guard = !statement.guards.empty();
  out.is_number = out.is_number && guards.is_number && !(is_extremum && has_guard);
  if (has_guard) out.sign = std::min(out.sign, op == ArithmeticOp::multiply ? out.sign : Sign::not_negative);
  out.is_smooth = out.is_smooth && !is_extremum && !has_guard;
  return out;
}

Numbers::Traits Numbers::traits_of(const ExprPtr& expr) {
  const ExprNode& node = expr->node;
  if (const auto* number = std::get_if<Literal>(&node)) {
    const Sign sign = number->real > 0 ? Sign::positive : number->real == 0 ? Sign::not_negative : Sign::any;
    return {std::isfinite(number->real), number->real != 0, sign};
  }
  if (const auto* read = std::get_if<Read>(&node)) return traits_of(read->ref->tensor);
  if (std::holds_alternative<IndexValue>(node)) return {true, false, Sign::not_negative};
  if (const auto* one = std::get_if<Sum>(&node)) return sum(*one);
  if (const auto* one = std::get_if<Product>(&node)) return product(*one);
  if (const auto* one = std::get_if<Power>(&node)) return power(*one);
  if (const auto* one = std::get_if<Extremum>(&node)) return extremum(*one);
  if (const auto* one = std::get_if<Call>(&node)) return call(*one);
  if (const auto* one = std::get_if<Select>(&node)) {
    const Traits values = both(one->if_true, one->if_false);
    return {values.is_number && traits_of(one->condition).is_number, false, values.sign};
  }
  if (std::holds_alternative<Infinity>(node)) return {};
  const auto parts = children(*expr);
  const bool are_numbers =
      std::all_of(parts.begin(), parts.end(), [&](const ExprPtr* part) { return traits_of(*part).is_number; });
  return {are_numbers, false, Sign::not_negative};
}

Numbers::Traits Numbers::both(const ExprPtr& left, const ExprPtr& right) {
  const Traits first = traits_of(left);
  const Traits second = traits_of(right);
  return {first.is_number && second.is_number, first.is_smooth && second.is_smooth, std::min(first.sign, second.sign)};
}

Numbers::Traits Numbers::sum(const Sum& node) {
  Traits out = traits_of(node.operands[0]);
  for (std::size_t i = 1; i < node.operands.size(); ++i) {
    const Traits next = traits_of(node.operands[i]);
    const bool is_added = node.operators[i - 1] == ArithmeticOp::add;
    const bool has_sign = is_added && out.sign != Sign::any && next.sign != Sign::any;
    out = {out.is_number && next.is_number, out.is_smooth && next.is_smooth,
           has_sign ? std::max(out.sign, next.sign) : Sign::any};
  }
  return out;
}

Numbers::Traits Numbers::product(const Product& node) {
  Traits out = traits_of(node.operands[0]);
  for (std::size_t i = 1; i < node.operands.size(); ++i) {
    const Traits next = traits_of(node.operands[i]);
    const ArithmeticOp op = node.operators[i - 1];
    out.is_number = out.is_number && next.is_number;
    out.is_smooth = out.is_smooth && next.is_smooth;
    out.sign = std::min(out.sign, next.sign);
    if (op == ArithmeticOp::multiply) continue;
    out.is_number = out.is_number && (next.is_smooth || next.sign == Sign::positive);
    if (op == ArithmeticOp::divide) continue;
    out.is_smooth = false;  // // and %
    out.sign = Sign::any;
  }
  return out;
}

Numbers::Traits Numbers::power(const Power& node) {
  Traits base = traits_of(node.base);
  const Literal* exponent = literal_of(node.exponent);
  const bool is_whole = exponent && std::floor(exponent->real) == exponent->real;
  const bool divides = !exponent || exponent->real < 0;
  if (!traits_of(node.exponent).is_number) return {};
  if (base.sign == Sign::positive) return base;
  base.is_number = base.is_number && is_whole && (!divides || base.is_smooth);
  base.sign = is_even(node.exponent) ? Sign::not_negative : base.sign;
  return base;
}

Numbers::Traits Numbers::extremum(const Extremum& node) {
  const Traits left = traits_of(node.left);
  const Traits right = traits_of(node.right);
  const bool are_numbers = left.is_number && right.is_number;
  return {are_numbers, false, node.is_max ? std::max(left.sign, right.sign) : std::min(left.sign, right.sign)};
}

Numbers::Traits Numbers::call(const Call& node) {
  const Traits of = traits_of(node.argument);
  switch (node.function) {
    case Function::exp: return {of.is_number, of.is_smooth, Sign::positive};
    case Function::negate:
    case Function::erf:
    case Function::tanh:
    case Function::sin:
    case Function::cos: return {of.is_number, of.is_smooth, Sign::any};
    case Function::abs: return {of.is_number, of.is_smooth, std::max(of.sign, Sign::not_negative)};
    case Function::sqrt: return {of.is_number && of.sign != Sign::any, of.is_smooth, of.sign};
    case Function::rsqrt: {
      const bool is_number = of.sign == Sign::positive || (of.sign == Sign::not_negative && of.is_smooth);
      return {of.is_number && is_number, of.is_smooth, Sign::positive};
    }
    case Function::log: return {of.is_number && of.sign == Sign::positive, of.is_smooth, Sign::any};
    case Function::floor:
    case Function::ceil:
    case Function::round: return {of.is_number, false, Sign::any};
  }
  return {};
}

}  // namespace steptp
