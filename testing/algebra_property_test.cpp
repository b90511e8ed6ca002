// The laws of the algebra layer, on random expressions: in exact fractions where it rewrites, and in doubles over the
// declared domains where it states facts. Calls are evaluated as functions of their argument's exact value, so that a
// law that looks into them wrongly shows.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "steptp/algebra/build.h"
#include "steptp/algebra/facts.h"
#include "steptp/algebra/partial_fractions.h"
#include "steptp/algebra/polynomial.h"
#include "steptp/analysis/value_facts.h"
#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/oracle/machine.h"
#include "steptp/text/printer.h"
#include "steptp/verbs/run_document.h"
#include "testing/generator.h"
#include "testing/judge_support.h"
#include "testing/oracle_support.h"
#include "testing/shorthand.h"
#include "testing/soak.h"

namespace steptp::testing {
namespace {

using namespace algebra;

ExprPtr read_of(char tensor) {
  return read_expr(make_ref(std::string(1, tensor), DType::f32, Scope::global, {Index::variable("tx")}));
}

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

std::string text_of(const ExprPtr& expr) {
  Program program;
  program.nests = {make_nest({{LoopKind::bound, 8, "tx"}}, nullptr,
                             {make_equation(make_ref("E", DType::f32, Scope::global, {Index::variable("tx")}), expr)})};
  return print(program);
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

/// The value in doubles; NaN where it has none.
double approximate(const ExprPtr& expr, const std::function<double(const Ref&)>& read) {
  const auto of = [&](const ExprPtr& part) { return approximate(part, read); };
  if (const auto* literal = std::get_if<Literal>(&expr->node)) return literal->real;
  if (const auto* node = std::get_if<Read>(&expr->node)) return read(*node->ref);
  if (const auto* power = std::get_if<Power>(&expr->node)) return std::pow(of(power->base), of(power->exponent));
  if (const auto* extremum = std::get_if<Extremum>(&expr->node)) {
    const double a = of(extremum->left);
    const double b = of(extremum->right);
    return extremum->is_max ? std::fmax(a, b) : std::fmin(a, b);
  }
  if (const auto* call = std::get_if<Call>(&expr->node)) {
    const double a = of(call->argument);
    switch (call->function) {
      case Function::negate: return -a;
      case Function::exp: return std::exp(a);
      case Function::log: return std::log(a);
      case Function::sqrt: return std::sqrt(a);
      case Function::abs: return std::fabs(a);
      case Function::erf: return std::erf(a);
      case Function::tanh: return std::tanh(a);
      case Function::sin: return std::sin(a);
      case Function::cos: return std::cos(a);
      case Function::floor: return std::floor(a);
      case Function::ceil: return std::ceil(a);
      case Function::round: return std::nearbyint(a);
      case Function::rsqrt: return 1 / std::sqrt(a);
    }
  }
  const auto* sum = std::get_if<Sum>(&expr->node);
  const auto* product = std::get_if<Product>(&expr->node);
  const auto& operands = sum ? sum->operands : product->operands;
  const auto& operators = sum ? sum->operators : product->operators;
  double out = of(operands[0]);
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const double next = of(operands[i + 1]);
    if (operators[i] == ArithmeticOp::add) out += next;
    if (operators[i] == ArithmeticOp::subtract) out -= next;
    if (operators[i] == ArithmeticOp::multiply) out *= next;
    if (operators[i] == ArithmeticOp::divide) out /= next;
  }
  return out;
}

constexpr std::string_view kDomains =
    "@input A f32[8]\n@input C f32[8] positive\n@input D f32[8] [-3,2)\n@input F f32[8] nonzero\n@output E f32[8]\n"
    "B(tx,8)[E[tx]=A[tx]+C[tx]+D[tx]+F[tx];];\n";

double drawn(const std::string& tensor, Random& random) {
  const double unit = static_cast<double>(random.below(1U << 20U)) / (1U << 20U);
  const double wide = random.chance(1, 3) ? std::floor(unit * 5) : unit * 6;
  if (tensor == "A") return random.chance(1, 8) ? 0 : wide - 3;
  if (tensor == "C") return random.chance(1, 2) ? wide + 1e-3 : 1e-3;
  if (tensor == "D") return random.chance(1, 8) ? -3 : std::fmin(1.999, wide - 3);
  return random.chance(1, 2) ? wide + 0.01 : -wide - 0.01;
}

class FactMaker {
 public:
  explicit FactMaker(std::uint64_t seed) : random_(seed) {}
  ExprPtr make(int depth) {
    if (depth == 0 || random_.chance(1, 6)) {
      if (random_.chance(1, 4)) return real_literal(static_cast<double>(random_.below(4)) / 2);
      return read_of("ACDF"[random_.below(4)]);
    }
    constexpr Function kCalls[] = {Function::negate, Function::exp,  Function::log,   Function::sqrt,  Function::abs,
                                   Function::erf,    Function::tanh, Function::rsqrt, Function::floor, Function::sin};
    switch (random_.below(6)) {
      case 0: return make_sum(make(depth - 1), ArithmeticOp::add, make(depth - 1));
      case 1: return make_sum(make(depth - 1), ArithmeticOp::subtract, make(depth - 1));
      case 2: return make_product(make(depth - 1), ArithmeticOp::multiply, make(depth - 1));
      case 3: return make_product(make(depth - 1), ArithmeticOp::divide, make(depth - 1));
      case 4: {
        if (random_.chance(1, 2)) return make_power(make(depth - 1), static_cast<int>(random_.between(2, 3)));
        return make_expr(Extremum{random_.chance(1, 2), make(depth - 1), make(depth - 1)});
      }
      default: return make_call(kCalls[random_.below(10)], make(depth - 1));
    }
  }

 private:
  Random random_;
};

// What is said of a value holds wherever it is computed; what doubles cannot hold is left out.
TEST(AlgebraFacts, HoldAtRandomPoints) {
  const Program program = shorthand_program(kDomains, {{"T", "f32"}});
  const AccessTable table = collect_accesses(program);
  const ValueFacts integers = derive_value_facts(table);
  const Facts facts(table, integers);
  std::uint64_t finite = 0;
  std::uint64_t nonzero = 0;
  for (std::uint64_t seed = 0; seed < soaked(6000); ++seed) {
    const ExprPtr expr = FactMaker(seed).make(3);
    const Fact fact = facts.of(expr, {&table.statements[0], {}});
    if (!fact.finite) continue;
    ++finite;
    nonzero += fact.is_nonzero() ? 1 : 0;
    for (std::uint64_t point = 0; point < 12; ++point) {
      Random random(combine(seed, point));
      std::map<std::string, double> values;
      for (const char* name : {"A", "C", "D", "F"}) values[name] = drawn(name, random);
      const double value = approximate(expr, [&](const Ref& ref) { return values.at(ref.tensor); });
      ASSERT_FALSE(std::isnan(value) && fact.large < 300 && fact.small > -300) << text_of(expr);
      if (!std::isfinite(value) || std::fabs(value) > 1e200) continue;
      const double slack = 1e-9 * (1 + std::fabs(value));
      ASSERT_GE(value, fact.low - slack) << text_of(expr);
      ASSERT_LE(value, fact.high + slack) << text_of(expr);
      ASSERT_FALSE(fact.is_nonzero() && fact.small > -300 && value == 0) << text_of(expr);
    }
  }
  EXPECT_GT(finite, 2000U);
  EXPECT_GT(nonzero, 500U);
}

// Definitions, accumulations and conditions.
TEST(AlgebraFacts, OfDefinitions) {
  const Program program = shorthand_program(R"(
@input A f32[8,6]
@input C i32[8] [2,5)
@output E f32[8]
B(tx,8)L(a,6)[D[tx]=max(D[tx],A[tx,a]);];
B(tx,8)L(a,6)[F[tx]=F[tx]+exp(A[tx,a]-D[tx]);];
B(tx,8)L(a,6)[G[tx]=G[tx]+(A[tx,a]-D[tx])**2;];
B(tx,8)[H[tx]=sqrt(G[tx]/6+1e-05);];
B(tx,8)L(a,6)[I[tx]=I[tx]+1/(1+exp(-A[tx,a]));];
B(tx,8)[J[tx]=if_then_else(D[tx]>0,log(D[tx]),-inf);K[tx]=if_then_else(D[tx]>0,log(D[tx]),0);];
B(tx,8)L(a,6)[M[tx,a]=if_then_else(a-1<0,1,M[tx,a-1])*2;];
B(tx,8)[N[tx]=C:i32[tx]*A[tx,0]/C:i32[tx];Q:i32[tx]=C:i32[tx]*C:i32[tx];];
B(tx,8)[E[tx]=F[tx]+H[tx]+I[tx]+J[tx]+K[tx]+M[tx,0]+N[tx]+Q:i32[tx];];
)",
                                            {{"T", "f32"}});
  const AccessTable table = collect_accesses(program);
  const ValueFacts integers = derive_value_facts(table);
  const Facts facts(table, integers);
  EXPECT_TRUE(facts.of_tensor("D").finite);
  EXPECT_FALSE(facts.of_tensor("D").is_nonzero());
  EXPECT_TRUE(facts.of_tensor("F").is_positive());
  EXPECT_EQ(facts.of_tensor("F").low, 1);
  EXPECT_TRUE(facts.of_tensor("G").is_nonnegative());
  EXPECT_FALSE(facts.of_tensor("G").is_nonzero());
  EXPECT_TRUE(facts.of_tensor("H").is_positive());
  EXPECT_GT(facts.of_tensor("H").low, 0.003);
  EXPECT_TRUE(facts.of_tensor("I").is_positive());
  EXPECT_LE(facts.of_tensor("I").high, 6.0001);
  EXPECT_FALSE(facts.of_tensor("J").finite);
  EXPECT_TRUE(facts.of_tensor("K").finite);
  EXPECT_TRUE(facts.of_tensor("M").finite) << "a recurrence";
  EXPECT_EQ(facts.of_tensor("M").large, kUnbounded) << "which may grow";
  EXPECT_TRUE(facts.of_tensor("N").finite);
  EXPECT_FALSE(facts.of_tensor("Z").finite) << "not there";
  EXPECT_EQ(facts.of_tensor("C").low, 2);
}

// What is said of a tensor holds for what the oracle stores there, in generated programs with their kernels, guards and
// accumulations.
TEST(AlgebraFacts, HoldForGeneratedPrograms) {
  std::uint64_t finite = 0;
  std::uint64_t bounded = 0;
  for (std::uint64_t seed = 0; seed < soaked(400); ++seed) {
    Random random(seed + 7000);
    GeneratorOptions options;
    options.max_operations = 2000;
    const Program program = widened(generate_program(random, options));
    const AccessTable table = collect_accesses(program);
    const ValueFacts integers = derive_value_facts(table);
    const Facts facts(table, integers);
    for (std::uint64_t draw = 0; draw < 3; ++draw) {
      const auto inputs = seeded_inputs(program, draw);
      if (!inputs) continue;
      const auto result = run(program, *inputs);
      if (!result) continue;
      for (const auto& [name, tensor] : result->outputs) {
        const Fact fact = facts.of_tensor(name);
        if (tensor.dtype != DType::f64 || !fact.finite || fact.large > 300) continue;
        ++finite;
        bounded += std::isfinite(fact.low) || std::isfinite(fact.high) ? 1 : 0;
        for (const double value : numbers(tensor)) {
          const double slack = 1e-6 * (1 + std::fabs(value));
          ASSERT_TRUE(std::isfinite(value)) << name << "\n" << print(program);
          ASSERT_GE(value, fact.low - slack) << name << "\n" << print(program);
          ASSERT_LE(value, fact.high + slack) << name << "\n" << print(program);
          ASSERT_FALSE(fact.is_nonzero() && fact.small > -300 && value == 0) << name << "\n" << print(program);
        }
      }
    }
  }
  EXPECT_GT(finite, 100U);
  EXPECT_GT(bounded, 20U);
}

struct Known {
  explicit Known(std::string_view text)
      : program(shorthand_program(text, {{"T", "f32"}})),
        table(collect_accesses(program)),
        integers(derive_value_facts(table)),
        facts(table, integers) {}
  const Program program;
  const AccessTable table;
  const ValueFacts integers;
  const Facts facts;
};

// What comes from earlier elements is finite if they are: alone, in turn, and not where one step may leave the reals.
TEST(AlgebraFacts, OfRecurrences) {
  const Known known(R"(
@input A f32[8,6]
@output E f32[8]
B(tx,8)L(a,6)[C[tx,a]=tanh(A[tx,a]+if_then_else(a-1<0,0,D[tx,a-1]));
              D[tx,a]=C[tx,a]*if_then_else(a-1<0,1,exp(C[tx,a-1]));];
B(tx,8)L(a,6)[F[tx,a]=if_then_else(a-1<0,4,sqrt(F[tx,a-1])-5);];
B(tx,8)L(a,6)[G[tx,a]=if_then_else(a-1<0,1,H[tx,a-1])*2;H[tx,a]=log(G[tx,a]);];
B(tx,8)L(a,6)[I[tx,a]=if_then_else(a-1<0,0,J[tx]);J[tx]=max(J[tx],A[tx,a]);];
B(tx,8)L(a,6)[K[tx,a]=if_then_else(a-1<0,-inf,K[tx,a-1])+A[tx,a];];
B(tx,8)L(a,6)[M[tx,a]=if_then_else(a-1<0,0,N[tx]);N[tx]=N[tx]+A[tx,a];];
B(tx,8)[E[tx]=C[tx,5]+D[tx,5]+F[tx,5]+G[tx,5]+H[tx,5]+I[tx,5]+J[tx]+K[tx,5]+M[tx,5]+N[tx];];
)");
  EXPECT_TRUE(known.facts.of_tensor("C").finite);
  EXPECT_LE(known.facts.of_tensor("C").high, 1.0001);
  EXPECT_TRUE(known.facts.of_tensor("D").finite);
  EXPECT_FALSE(known.facts.of_tensor("D").is_nonzero());
  EXPECT_FALSE(known.facts.of_tensor("F").finite) << "a root of what may be negative";
  EXPECT_FALSE(known.facts.of_tensor("G").finite) << "twice a logarithm";
  EXPECT_FALSE(known.facts.of_tensor("H").finite);
  EXPECT_FALSE(known.facts.of_tensor("I").finite) << "a maximum begins at -inf";
  EXPECT_FALSE(known.facts.of_tensor("K").finite);
  EXPECT_TRUE(known.facts.of_tensor("M").finite) << "part of a sum";
  EXPECT_FALSE(known.facts.of_tensor("E").finite);
}

// In a softmax no exponent is positive and the sum is at least 1: if it subtracts the maximum of what it adds.
TEST(AlgebraFacts, OfMaxima) {
  const Known known(R"(
@input A f32[8,6]
@output E f32[8,6]
B(tx,8)L(a,6)[D[tx]=max(D[tx],A[tx,a]);];
B(tx,8)L(c,6)[F[tx]=F[tx]+exp(A[tx,c]-D[tx]);];
B(tx,8)L(a,6)[G[tx,a]=exp(A[tx,a]-D[tx]);];
B(tx,8)L(a,5)[H[tx]=H[tx]+exp(A[tx,a]-D[tx]);];
B(tx,8)L(a,6)[I[tx,a]=exp(A[tx,a]-D[0]);];
B(tx,8)L(a,6)[J[tx,a]=J[tx,a]+exp(A[tx,a]-D[tx]);];
B(tx,8)L(a,5)[K[tx]=max(K[tx],A[tx,a]);];
B(tx,8)L(a,6)[M[tx,a]=exp(A[tx,a]-K[tx]);N[tx,a]=exp(D[tx]-A[tx,a]);];
B(tx,8)L(a,6)[E[tx,a]=F[tx]+G[tx,a]+H[tx]+I[tx,a]+J[tx,a]+M[tx,a]+N[tx,a];];
)");
  EXPECT_EQ(known.facts.of_tensor("F").low, 1);
  EXPECT_EQ(known.facts.of_tensor("F").small, 0);
  EXPECT_LE(known.facts.of_tensor("F").high, 6.0001);
  EXPECT_LE(known.facts.of_tensor("G").high, 1.0001);
  EXPECT_EQ(known.facts.of_tensor("H").low, 0) << "the largest may be the one that is left out";
  EXPECT_LE(known.facts.of_tensor("H").high, 5.0001);
  EXPECT_EQ(known.facts.of_tensor("I").high, kUnbounded) << "the maximum of another row";
  EXPECT_EQ(known.facts.of_tensor("J").low, 0) << "not a sum over the row";
  EXPECT_EQ(known.facts.of_tensor("M").high, kUnbounded) << "the last element is not in the maximum";
  EXPECT_EQ(known.facts.of_tensor("N").high, kUnbounded) << "the other way round";
}

// A maximum of what is written again, or that is not finished, says nothing.
TEST(AlgebraFacts, OfMaximaThatDoNotHold) {
  const Known rewritten(R"(
@input A f32[8,6]
@output E f32[8,6]
B(tx,8)L(a,6)[C[tx,a]=A[tx,a];];
B(tx,8)L(a,6)[D[tx]=max(D[tx],C[tx,a]);];
B(tx,8)L(a,6)[C[tx,a]=A[tx,a]*2;];
B(tx,8)L(a,6)[E[tx,a]=exp(C[tx,a]-D[tx]);];
)");
  EXPECT_EQ(rewritten.facts.of_tensor("E").high, kUnbounded);
  const Known unfinished(R"(
@input A f32[8,6]
@output E f32[8,6]
B(tx,8)L(a,6)[D[tx]=max(D[tx],A[tx,a]);E[tx,a]=exp(A[tx,5]-D[tx]);];
)");
  EXPECT_EQ(unfinished.facts.of_tensor("E").high, kUnbounded);
  const Known guarded(R"(
@input A f32[8,6]
@output E f32[8,6]
B(tx,8)L(a,6)?{a<5}[D[tx]=max(D[tx],A[tx,a]);];
B(tx,8)L(a,6)[E[tx,a]=exp(A[tx,a]-D[tx]);];
)");
  EXPECT_EQ(guarded.facts.of_tensor("E").high, kUnbounded);
}

// Integers wrap: what looks positive need not be.
TEST(AlgebraFacts, IntegersWrap) {
  const Program program = shorthand_program(
      "@input C i8[8] [100,120)\n@output E f32[8]\nB(tx,8)[E[tx]=1/(C:i8[tx]+C:i8[tx]);];\n", {{"T", "f32"}});
  const AccessTable table = collect_accesses(program);
  const ValueFacts integers = derive_value_facts(table);
  EXPECT_FALSE(Facts(table, integers).of_tensor("E").finite);
  // Also at the beginning of a chain of floats, and beside an accumulator.
  const Known chains(R"(
@input A f32[8] [1,2)
@input C i8[8] [100,120)
@output E f32[8]
@output F f32[8]
B(tx,8)[E[tx]=C:i8[tx]+C:i8[tx]+A[tx];];
B(tx,8)[F[tx]=F[tx]-(7-C:i8[tx]-C:i8[tx]);];
)");
  EXPECT_LE(chains.facts.of_tensor("E").low, -55);
  EXPECT_FALSE(chains.facts.of_tensor("E").is_nonzero());
  EXPECT_LE(chains.facts.of_tensor("F").low, -100);
}

}  // namespace
}  // namespace steptp::testing
