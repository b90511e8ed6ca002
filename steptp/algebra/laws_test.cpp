// The laws of the algebra layer where it rewrites, on random expressions in exact fractions. Calls are evaluated as
// functions of their argument's exact value, so that a law that looks into them wrongly shows.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "steptp/algebra/build.h"
#include "steptp/algebra/partial_fractions.h"
#include "steptp/algebra/polynomial.h"
#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "testing/algebra_support.h"
#include "testing/shorthand.h"
#include "testing/soak.h"

namespace steptp::testing {
namespace {

using namespace algebra;

/// Sums, products, quotients, powers, negations, a few literals and calls over four reads.
class Maker {
 public:
  explicit Maker(std::uint64_t seed, bool calls, bool quotients)
      : random_(seed), calls_(calls), quotients_(quotients) {}

  ExprPtr make(int depth) {
    const std::uint64_t kind = depth == 0 ? 0 : random_.below(10);
    if (kind < 2) return leaf();
    if (kind < 5) {
      Sum sum;
      const std::uint64_t count = 2 + random_.below(2);
      for (std::uint64_t i = 0; i < count; ++i) sum.operands.push_back(make(depth - 1));
      for (std::uint64_t i = 1; i < count; ++i) {
        sum.operators.push_back(random_.chance(1, 2) ? ArithmeticOp::add : ArithmeticOp::subtract);
      }
      return make_expr(std::move(sum));
    }
    if (kind < 8) {
      const bool divide = quotients_ && random_.chance(1, 3);
      return make_product(make(depth - 1), divide ? ArithmeticOp::divide : ArithmeticOp::multiply, make(depth - 1));
    }
    if (kind == 8) return make_power(make(depth - 1), 2);
    if (calls_ && random_.chance(1, 2)) return make_call(Function::exp, make(depth - 1));
    return make_call(Function::negate, make(depth - 1));
  }

 private:
  ExprPtr leaf() {
    if (random_.chance(1, 4)) {
      constexpr double kReals[] = {0.5, 0.1, 1.5, 3.0, 0.25};
      return random_.chance(1, 2) ? integer_literal(random_.between(1, 4)) : real_literal(kReals[random_.below(5)]);
    }
    return read_of("ACDF"[random_.below(4)]);
  }

  Random random_;
  bool calls_;
  bool quotients_;
};

/// The exact value; nothing where a divisor is zero or a number becomes too long.
std::optional<Rational> exact(const ExprPtr& expr, std::uint64_t seed) {
  if (const auto* literal = std::get_if<Literal>(&expr->node)) return value_of(*literal);
  if (std::holds_alternative<Read>(expr->node)) {
    Random random(combine(seed, expr->hash));
    return make_rational(random.between(-7, 7), random.between(1, 3));
  }
  if (const auto* call = std::get_if<Call>(&expr->node)) {
    const auto inner = exact(call->argument, seed);
    if (!inner) return std::nullopt;
    if (call->function == Function::negate) return inner->negated();
    Random random(combine(static_cast<Hash>(inner->numerator), static_cast<Hash>(inner->denominator)));
    return make_rational(random.between(-7, 7), random.between(1, 3));
  }
  if (const auto* power = std::get_if<Power>(&expr->node)) {
    const auto base = exact(power->base, seed);
    return base ? algebra::power(*base, *Scalars::natural_exponent(*power->exponent)) : std::nullopt;
  }
  const auto* sum = std::get_if<Sum>(&expr->node);
  const auto* product = std::get_if<Product>(&expr->node);
  const auto& operands = sum ? sum->operands : product->operands;
  const auto& operators = sum ? sum->operators : product->operators;
  std::optional<Rational> out = exact(operands[0], seed);
  for (std::size_t i = 0; i < operators.size() && out; ++i) {
    const auto next = exact(operands[i + 1], seed);
    if (!next) return std::nullopt;
    if (operators[i] == ArithmeticOp::add) out = add(*out, *next);
    if (operators[i] == ArithmeticOp::subtract) out = add(*out, next->negated());
    if (operators[i] == ArithmeticOp::multiply) out = multiply(*out, *next);
    if (operators[i] == ArithmeticOp::divide) out = divide(*out, *next);
  }
  return out;
}

/// Equal at some points at which both have a value; counts those.
void expect_same(const ExprPtr& before, const ExprPtr& after, std::uint64_t& compared) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const auto left = exact(before, seed);
    const auto right = exact(after, seed);
    if (!left || !right) continue;
    ++compared;
    ASSERT_EQ(*left, *right) << text_of(before) << "\n" << text_of(after);
  }
}

TEST(AlgebraLaws, KeysFactorsAndTerms) {
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 0; seed < soaked(3000); ++seed) {
    const ExprPtr expr = Maker(seed, true, true).make(3);
    Scalars scalars;
    expect_same(expr, build_sum(scalars.sum(expr)), compared);
    const Term product = scalars.product(expr);
    const ExprPtr built = build_product(product.factors);
    expect_same(expr, product.negative ? make_negated(built) : built, compared);
    // What is built from the parts is the same up to order, brackets and spelling; divisors that are quotients apart.
    const ExprPtr plain = Maker(seed, true, false).make(3);
    EXPECT_TRUE(scalars.same(plain, build_sum(scalars.sum(plain)))) << text_of(plain);
    if (HasFailure()) return;
  }
  EXPECT_GT(compared, 10000U);
}

// Expressions with one key have one value: nothing that differs is called the same.
TEST(AlgebraLaws, EqualKeysAreEqualValues) {
  Scalars scalars;
  std::map<Hash, ExprPtr> seen;
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 0; seed < soaked(8000); ++seed) {
    const ExprPtr expr = Maker(seed, true, true).make(2);
    const auto [at, fresh] = seen.emplace(scalars.key(expr)->hash, expr);
    if (!fresh && scalars.same(at->second, expr)) expect_same(at->second, expr, compared);
    if (HasFailure()) return;
  }
  EXPECT_GT(compared, 1000U);
}

ExprPtr parsed(std::string_view right) {
  const Program program = shorthand_program(
      concat("@input A f32[9]\n@input C f32[8]\n@input D f32[8]\n@input I i32[8]\n@output E f32[8]\nB(tx,8)[E[tx]=",
             right, ";];\n"),
      {{"T", "f32"}});
  return std::get<EquationPtr>(program.nests[0]->items[0])->right;
}

// Rule 5 of the strategies: what is a step, and what is only spelled differently.
TEST(AlgebraLaws, WhatCountsAsTheSame) {
  Scalars scalars;
  const auto same = [&](std::string_view a, std::string_view b) { return scalars.same(parsed(a), parsed(b)); };
  EXPECT_TRUE(same("A[tx]-C[tx]", "A[tx]+(-1)*C[tx]"));
  EXPECT_TRUE(same("A[tx]-C[tx]", "-C[tx]+A[tx]"));
  EXPECT_TRUE(same("(A[tx]+C[tx])+D[tx]", "A[tx]+(D[tx]+C[tx])"));
  EXPECT_TRUE(same("2*A[tx]*C[tx]", "C[tx]*(A[tx]*2.0)"));
  EXPECT_TRUE(same("A[tx]/2", "0.5*A[tx]"));
  EXPECT_TRUE(same("A[tx]/C[tx]/D[tx]", "A[tx]/(C[tx]*D[tx])"));
  EXPECT_TRUE(same("A[tx]+-(-1.5)", "A[tx]+1.5"));
  EXPECT_TRUE(same("exp(A[tx]+1e-05)", "exp(0.00001+A[tx])"));
  EXPECT_TRUE(same("max(A[tx],C[tx])", "max(C[tx],A[tx])"));
  EXPECT_FALSE(same("A[tx]*A[tx]", "A[tx]**2"));
  EXPECT_FALSE(same("A[tx]+A[tx]", "2*A[tx]"));
  EXPECT_FALSE(same("A[tx]*(C[tx]+D[tx])", "A[tx]*C[tx]+A[tx]*D[tx]"));
  EXPECT_FALSE(same("A[tx]", "A[tx+1]"));
  EXPECT_FALSE(same("A[tx]/(C[tx]/D[tx])", "A[tx]*D[tx]/C[tx]"));
  EXPECT_FALSE(same("max(A[tx],C[tx])", "min(A[tx],C[tx])"));
  EXPECT_FALSE(same("A[tx]-C[tx]", "C[tx]-A[tx]"));
  // Integers wrap before they meet a float: their chain is one thing, and its order part of it.
  EXPECT_FALSE(same("I:i32[tx]*3*A[tx]", "I:i32[tx]*(3*A[tx])"));
}

TEST(AlgebraLaws, Polynomials) {
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 0; seed < soaked(1500); ++seed) {
    const ExprPtr expr = Maker(seed, true, true).make(3);
    Scalars scalars;
    Generators generators;
    const auto polynomial = to_polynomial(scalars, generators, expr);
    if (!polynomial) continue;
    expect_same(expr, to_expr(generators, *polynomial), compared);
    if (HasFailure()) return;
  }
  EXPECT_GT(compared, 3000U);
}

TEST(AlgebraLaws, Factors) {
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 0; seed < soaked(700); ++seed) {
    Scalars scalars;
    Generators generators;
    const ExprPtr expr = make_product(Maker(seed, true, false).make(2), ArithmeticOp::multiply,
                                      Maker(seed + 100'000, true, false).make(2));
    const auto polynomial = to_polynomial(scalars, generators, expr);
    if (!polynomial || polynomial->terms.empty()) continue;
    for (const bool square_free : {false, true}) {
      const auto found = factorise(*polynomial, square_free);
      if (!found) continue;
      std::optional<Polynomial> product = Polynomial::constant(found->scale);
      for (const PolynomialPower& factor : found->factors) {
        for (int i = 0; i < factor.exponent && product; ++i) product = multiply(*product, factor.base);
      }
      ASSERT_TRUE(product);
      ASSERT_EQ(*product, *polynomial) << text_of(expr);
      ++compared;
    }
  }
  EXPECT_GT(compared, 700U);
}

TEST(AlgebraLaws, CommonDivisorsAndQuotients) {
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 0; seed < soaked(400); ++seed) {
    Scalars scalars;
    Generators generators;
    std::vector<Polynomial> parts;
    for (std::uint64_t i = 0; i < 3; ++i) {
      const auto part = to_polynomial(scalars, generators, Maker(seed * 3 + i, false, false).make(2));
      if (part && !part->terms.empty()) parts.push_back(*part);
    }
    if (parts.size() < 3) continue;
    const auto a = multiply(parts[0], parts[1]);
    const auto b = multiply(parts[0], parts[2]);
    const auto common = a && b ? common_divisor(*a, *b) : std::nullopt;
    if (!common) continue;
    ++compared;
    // What both were multiplied by divides it, and it divides both.
    EXPECT_TRUE(quotient(*common, parts[0]));
    for (const Polynomial& one : {*a, *b}) {
      const auto rest = quotient(one, *common);
      ASSERT_TRUE(rest);
      EXPECT_EQ(*multiply(*rest, *common), one);
    }
  }
  EXPECT_GT(compared, 150U);
}

TEST(AlgebraLaws, PartialFractions) {
  std::uint64_t compared = 0;
  Random random(11);
  for (std::uint64_t round = 0; round < soaked(300); ++round) {
    const auto linear = [&] {
      Polynomial out;
      out.terms[{1}] = {random.between(1, 3), 1};
      const std::int64_t constant = random.between(-4, 4);
      if (constant != 0) out.terms[{}] = {constant, 1};
      return out;
    };
    std::optional<Polynomial> below = Polynomial::constant({1, 1});
    for (std::uint64_t i = 0; i < 2 + random.below(3); ++i) below = multiply(*below, linear());
    Polynomial above;
    above.terms[{static_cast<std::uint16_t>(random.below(5)), 1}] = *make_rational(random.between(1, 5), 2);
    above.terms[{}] = {random.between(1, 5), 1};
    const auto found = partial_fractions(above, *below, 0);
    if (!found) continue;
    ++compared;
    // Multiplied by the divisor, they add up to what was divided.
    std::optional<Polynomial> total = multiply(found->whole, *below);
    for (const PartialFraction& part : found->parts) {
      Polynomial rest = *below;
      for (int i = 0; i < part.denominator.exponent; ++i) {
        const auto divided = quotient(rest, part.denominator.base);
        ASSERT_TRUE(divided);
        rest = *divided;
      }
      total = add(*total, *multiply(rest, part.numerator));
    }
    EXPECT_EQ(*total, above);
  }
  EXPECT_GT(compared, 200U);
}

TEST(AlgebraLaws, LiteralsAreWhatIsWritten) {
  for (const double value : {0.1, 1e-05, 0.044715, 0.7978845608028654, 1.6732631921768188, 3.0, 0.3333333333333333}) {
    const auto exact_value = value_of(Literal{false, 0, value});
    ASSERT_TRUE(exact_value) << value;
    const ExprPtr literal = literal_of(*exact_value);
    ASSERT_TRUE(literal) << value;
    EXPECT_EQ(std::get<Literal>(literal->node).real, value);
  }
  EXPECT_EQ(*value_of(Literal{false, 0, 0.1}), (Rational{1, 10}));
  EXPECT_FALSE(literal_of({1, 3}));
  EXPECT_FALSE(value_of(Literal{false, 0, 1e-30}));
  EXPECT_FALSE(multiply({INT64_MAX, 1}, {2, 1}));
}

}  // namespace
}  // namespace steptp::testing
