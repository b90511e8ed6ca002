// What the algebra layer says of values, on random expressions in doubles over the declared domains, and on programs.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "steptp/algebra/build.h"
#include "steptp/algebra/facts.h"
#include "steptp/analysis/value_facts.h"
#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/documents/run_document.h"
#include "steptp/oracle/machine.h"
#include "testing/algebra_support.h"
#include "testing/generator.h"
#include "testing/judge_support.h"
#include "testing/oracle_support.h"
#include "testing/shorthand.h"
#include "testing/soak.h"

namespace steptp::testing {
namespace {

using namespace algebra;

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
