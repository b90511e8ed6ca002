#include "steptp/algebra/build.h"

#include <algorithm>
#include <cmath>

namespace steptp::algebra {

namespace {

ExprPtr chain(const std::vector<ExprPtr>& operands) {
  if (operands.size() == 1) return operands[0];
  // A chain in front is spliced, which regroups nothing that counts.
  return make_expr(Product{operands, std::vector(operands.size() - 1, ArithmeticOp::multiply)});
}

}  // namespace

ExprPtr make_power(ExprPtr base, int exponent) {
  if (exponent == 1) return base;
  return make_expr(Power{std::move(base), integer_literal(exponent)});
}

ExprPtr build_product(const std::vector<Factor>& factors) {
  std::vector<ExprPtr> above;
  std::vector<ExprPtr> below;
  for (const Factor& factor : factors) {
    (factor.exponent > 0 ? above : below).push_back(make_power(factor.base, std::abs(factor.exponent)));
  }
  if (above.empty()) above.push_back(integer_literal(1));
  const ExprPtr numerator = chain(above);
  return below.empty() ? numerator : make_product(numerator, ArithmeticOp::divide, chain(below));
}

ExprPtr build_scaled(const Rational& size, std::vector<Factor> factors) {
  const auto number = [](ExprPtr literal, int exponent) {
    Factor out{std::move(literal), nullptr, exponent, {}};
    return out;
  };
  if (size.is_one()) return build_product(factors);
  if (ExprPtr literal = literal_of(size)) {
    factors.insert(factors.begin(), number(std::move(literal), 1));
  } else {
    if (size.numerator != 1) factors.insert(factors.begin(), number(integer_literal(size.numerator), 1));
    factors.push_back(number(integer_literal(size.denominator), -1));
  }
  return build_product(factors);
}

Signed build(const Term& term) { return {term.negative, build_product(term.factors)}; }

std::vector<Term> distributed(const Term& product, std::size_t at, const std::vector<Term>& sum) {
  std::vector<Term> out;
  for (const Term& term : sum) {
    Term one{product.negative != term.negative, {}};
    for (std::size_t i = 0; i < product.factors.size(); ++i) {
      if (i != at) {
        one.factors.push_back(product.factors[i]);
        continue;
      }
      for (const Factor& factor : term.factors) {
        if (!factor.number || !factor.number->is_one()) one.factors.push_back(factor);
      }
    }
    out.push_back(std::move(one));
  }
  return out;
}

ExprPtr make_negated(const ExprPtr& expr) {
  // -a*b is (-a)*b: the sign goes to the first factor, as the text would have it.
  if (const auto* product = std::get_if<Product>(&expr->node)) {
    Product out = *product;
    out.operands[0] = make_negated(out.operands[0]);
    return make_expr(std::move(out));
  }
  return make_call(Function::negate, expr);
}

ExprPtr build_sum(std::vector<Signed> terms) {
  if (terms.empty()) return integer_literal(0);
  const auto added = std::find_if(terms.begin(), terms.end(), [](const Signed& term) { return !term.negative; });
  if (added != terms.end()) std::rotate(terms.begin(), added, added + 1);
  Sum out;
  out.operands.push_back(terms[0].negative ? make_negated(terms[0].expr) : terms[0].expr);
  for (std::size_t i = 1; i < terms.size(); ++i) {
    out.operands.push_back(terms[i].expr);
    out.operators.push_back(terms[i].negative ? ArithmeticOp::subtract : ArithmeticOp::add);
  }
  return out.operators.empty() ? out.operands[0] : make_expr(std::move(out));
}

ExprPtr build_sum(const std::vector<Term>& terms) {
  std::vector<Signed> parts;
  parts.reserve(terms.size());
  for (const Term& term : terms) parts.push_back(build(term));
  return build_sum(std::move(parts));
}

}  // namespace steptp::algebra
