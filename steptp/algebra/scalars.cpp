#include "steptp/algebra/scalars.h"

#include <algorithm>
#include <cmath>

#include "steptp/structure/types.h"

namespace steptp::algebra {

namespace {

bool by_hash(const ExprPtr& a, const ExprPtr& b) { return a->hash < b->hash; }

ExprPtr exact_integer(std::int64_t value) { return make_expr(Literal{true, value, static_cast<double>(value)}); }

}  // namespace

std::optional<int> Scalars::natural_exponent(const Expr& exponent) {
  const auto* literal = std::get_if<Literal>(&exponent.node);
  if (!literal || literal->real != std::floor(literal->real)) return std::nullopt;
  if (literal->real < 1 || literal->real > kMaxExponent) return std::nullopt;
  return static_cast<int>(literal->real);
}

std::optional<ValueType> Scalars::type(const ExprPtr& expr) {
  Entry& entry = entries_[expr.get()];
  if (!entry.self) entry.self = expr;
  if (!entry.type) entry.type = is_condition(*expr) ? std::nullopt : type_of(*expr);
  return *entry.type;
}

bool Scalars::are_reals(const std::vector<ExprPtr>& operands) {
  return std::all_of(operands.begin(), operands.end(), [this](const ExprPtr& operand) {
    const auto found = type(operand);
    return found && (found->weak || is_float(found->dtype));
  });
}

bool Scalars::is_arithmetic(const ExprPtr& expr) {
  if (const auto* sum = std::get_if<Sum>(&expr->node)) return are_reals(sum->operands);
  if (const auto* product = std::get_if<Product>(&expr->node)) {
    return are_reals(product->operands) &&
           std::all_of(product->operators.begin(), product->operators.end(),
                       [](ArithmeticOp op) { return op == ArithmeticOp::multiply || op == ArithmeticOp::divide; });
  }
  if (const auto* power = std::get_if<Power>(&expr->node)) {
    return natural_exponent(*power->exponent) && are_reals({power->base});
  }
  if (const auto* call = std::get_if<Call>(&expr->node)) {
    return call->function == Function::negate && are_reals({call->argument});
  }
  return false;
}

void Scalars::add_factors(const ExprPtr& expr, int exponent, Term& out) {
  if (const auto* literal = std::get_if<Literal>(&expr->node)) {
    auto number = value_of(*literal);
    if (number && number->is_zero() && exponent < 0) number.reset();
    out.factors.push_back({expr, key(expr), exponent, number});
    return;
  }
  if (is_arithmetic(expr)) {
    if (const auto* call = std::get_if<Call>(&expr->node)) {
      out.negative = !out.negative;
      return add_factors(call->argument, exponent, out);
    }
    if (const auto* power = std::get_if<Power>(&expr->node)) {
      out.factors.push_back({power->base, key(power->base), exponent * *natural_exponent(*power->exponent), {}});
      return;
    }
    const auto* product = std::get_if<Product>(&expr->node);
    // A divisor that is itself a quotient stays whole: a/(b/c) has a value where c is zero, a*c/b another.
    const bool whole = exponent < 0 && product &&
                       std::find(product->operators.begin(), product->operators.end(), ArithmeticOp::divide) !=
                           product->operators.end();
    if (product && !whole) {
      add_factors(product->operands[0], exponent, out);
      for (std::size_t i = 0; i < product->operators.size(); ++i) {
        add_factors(product->operands[i + 1], product->operators[i] == ArithmeticOp::divide ? -exponent : exponent,
                    out);
      }
      return;
    }
  }
  out.factors.push_back({expr, key(expr), exponent, {}});
}

void Scalars::add_terms(const ExprPtr& expr, bool negative, std::vector<Term>& out) {
  if (is_arithmetic(expr)) {
    if (const auto* sum = std::get_if<Sum>(&expr->node)) {
      add_terms(sum->operands[0], negative, out);
      for (std::size_t i = 0; i < sum->operators.size(); ++i) {
        add_terms(sum->operands[i + 1], negative != (sum->operators[i] == ArithmeticOp::subtract), out);
      }
      return;
    }
    if (const auto* call = std::get_if<Call>(&expr->node)) return add_terms(call->argument, !negative, out);
  }
  out.push_back(product(expr));
  out.back().negative = out.back().negative != negative;
}

std::vector<Term> Scalars::sum(const ExprPtr& expr) {
  std::vector<Term> out;
  add_terms(expr, false, out);
  return out;
}

Term Scalars::product(const ExprPtr& expr) {
  Term out;
  add_factors(expr, 1, out);
  return out;
}

std::optional<Rational> coefficient(const Term& term) {
  Rational out{term.negative ? -1 : 1, 1};
  for (const Factor& factor : term.factors) {
    if (!factor.number) continue;
    const auto raised = power(*factor.number, factor.exponent);
    const auto next = raised ? multiply(out, *raised) : std::nullopt;
    if (!next) return std::nullopt;
    out = *next;
  }
  return out;
}

std::vector<Factor> symbols(const Term& term) {
  std::vector<Factor> out;
  for (const Factor& factor : term.factors) {
    if (!factor.number) out.push_back(factor);
  }
  return out;
}

ExprPtr Scalars::encoded(const Term& term) {
  const auto number = coefficient(term);
  std::vector<ExprPtr> above;
  std::vector<ExprPtr> below;
  for (const Factor& factor : number ? symbols(term) : term.factors) {
    const int size = std::abs(factor.exponent);
    const ExprPtr one = size == 1 ? factor.key : make_expr(Power{factor.key, exact_integer(size)});
    (factor.exponent > 0 ? above : below).push_back(one);
  }
  std::sort(above.begin(), above.end(), by_hash);
  std::sort(below.begin(), below.end(), by_hash);
  const Rational scale = number.value_or(Rational{term.negative ? -1 : 1, 1});
  if (scale.denominator != 1) below.push_back(exact_integer(scale.denominator));
  Product out;
  // A product in front would be spliced into the chain: the number stands there always, but for a lone factor.
  if (scale.numerator == 1 && above.size() == 1 && below.empty()) return above[0];
  out.operands.push_back(exact_integer(scale.numerator));
  for (const ExprPtr& factor : above) {
    out.operands.push_back(factor);
    out.operators.push_back(ArithmeticOp::multiply);
  }
  for (const ExprPtr& factor : below) {
    out.operands.push_back(factor);
    out.operators.push_back(ArithmeticOp::divide);
  }
  return out.operators.empty() ? out.operands[0] : make_expr(std::move(out));
}

ExprPtr Scalars::make_key(const ExprPtr& expr) {
  if (const auto* literal = std::get_if<Literal>(&expr->node)) {
    const auto number = value_of(*literal);
    return number ? encoded(Term{false, {{expr, nullptr, 1, number}}}) : expr;
  }
  if (is_arithmetic(expr)) {
    std::vector<ExprPtr> terms;
    for (const Term& term : sum(expr)) terms.push_back(encoded(term));
    if (terms.size() == 1) return terms[0];
    std::sort(terms.begin(), terms.end(), by_hash);
    Sum out;
    out.operands = std::move(terms);
    out.operators.assign(out.operands.size() - 1, ArithmeticOp::add);
    return make_expr(std::move(out));
  }
  std::vector<ExprPtr> keys;
  for (const ExprPtr* place : children(*expr)) keys.push_back(key(*place));
  if (std::holds_alternative<Extremum>(expr->node)) std::sort(keys.begin(), keys.end(), by_hash);
  return with_children(expr, keys);
}

const ExprPtr& Scalars::key(const ExprPtr& expr) {
  if (const auto found = entries_.find(expr.get()); found != entries_.end() && found->second.key) {
    return found->second.key;
  }
  ExprPtr made = make_key(expr);
  Entry& entry = entries_[expr.get()];
  entry.self = expr;
  entry.key = std::move(made);
  return entry.key;
}

}  // namespace steptp::algebra
