// What a run has to give, element by element: bounds where comparisons are open, runs in the order of the text, and
// results that are refused.
#include "steptp/measure/expected.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "steptp/arithmetic/ball_arithmetic.h"
#include "steptp/arithmetic/ordered_arithmetic.h"
#include "steptp/arithmetic/rounded_arithmetic.h"
#include "steptp/base/random.h"
#include "steptp/certify/inputs.h"
#include "steptp/machine/big_stack.h"
#include "steptp/machine/machine.h"
#include "steptp/oracle/machine.h"
#include "steptp/text/document.h"
#include "testing/lowering_support.h"

namespace steptp::testing {
namespace {

Program program_of(const std::string& text) {
  Document document = read_document("test", text);
  EXPECT_TRUE(document.ok) << text << (document.diagnostics.empty() ? "" : document.diagnostics[0].message);
  return document.program;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// Of all expected elements, how many the oracle's run of another program meets at the same inputs.
std::size_t met(const Expectations& expected, const Program& inputs_of, const Program& other) {
  const auto ran = run(other, drawn_inputs(inputs_of, 1).value());
  EXPECT_TRUE(ran.ok());
  std::size_t count = 0;
  for (const ExpectedElement& element : expected.elements) {
    const Tensor& tensor = ran->outputs.at(element.output);
    count += is_expected(element, load(tensor.dtype, tensor.data.data() + element.position * info(tensor.dtype).bytes));
  }
  return count;
}

/// Functions that go one way on one side of a threshold and another way on the other, and meet there. Z is zero, with
/// an error: every comparison of it is open.
constexpr const char* kHuber =
    "@input A f32[8,64]\n@input C f32[8,64]\n@output D f32[8]\n"
    "B^{8}_{tx=0}L^{64}_{a=0}[E^{f32,g}_{tx,a}=if_then_else(abs(A^{f32,g}_{tx,a}-C^{f32,g}_{tx,a})<1,"
    "0.5*(A^{f32,g}_{tx,a}-C^{f32,g}_{tx,a})**2,abs(A^{f32,g}_{tx,a}-C^{f32,g}_{tx,a})-0.5);];"
    "B^{8}_{tx=0}L^{64}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+E^{f32,g}_{tx,a};];";
constexpr const char* kAtThreshold =
    "@input A f32[8,64] positive\n@output D f32[8]\n"
    "B^{8}_{tx=0}L^{64}_{a=0}[Z^{f32,g}_{tx,a}=A^{f32,g}_{tx,a}*3.3-A^{f32,g}_{tx,a}*3.3;];"
    "B^{8}_{tx=0}L^{64}_{a=0}[E^{f32,g}_{tx,a}=if_then_else(Z^{f32,g}_{tx,a}<0,-Z^{f32,g}_{tx,a},"
    "Z^{f32,g}_{tx,a}*2)+A^{f32,g}_{tx,a};];"
    "B^{8}_{tx=0}L^{64}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+E^{f32,g}_{tx,a};];";

TEST(Expected, OpenComparisonsOfContinuousFunctionsAreCovered) {
  for (const char* text : {kHuber, kAtThreshold}) {
    const Program program = program_of(text);
    const Expectations expected = expected_elements(program, program, 1);
    ASSERT_EQ(expected.elements.size(), 8U) << expected.problem;
    EXPECT_EQ(met(expected, program, program), 8U);
    // The same sum from the other end.
    const std::string reversed = replaced(text, "+E^{f32,g}_{tx,a}", "+E^{f32,g}_{tx,63-a}");
    EXPECT_EQ(met(expected, program, program_of(reversed)), 8U);
    const std::string shorter = replaced(text, "L^{64}_{a=0}[D", "L^{63}_{a=0}[D");
    ASSERT_NE(shorter, text);
    EXPECT_EQ(met(expected, program, program_of(shorter)), 0U);
  }
  const Program huber = program_of(kHuber);
  const Expectations expected = expected_elements(huber, huber, 1);
  EXPECT_EQ(met(expected, huber, program_of(replaced(kHuber, "<1,", ">1,"))), 0U);
  EXPECT_EQ(met(expected, huber, program_of(replaced(kHuber, "-0.5)", "-0.4)"))), 0U);
}

TEST(Expected, OpenComparisonsBetweenDistantValuesAreLeftOut) {
  const std::string leap = replaced(replaced(kAtThreshold, "-Z^{f32,g}_{tx,a},", "7,"), "Z^{f32,g}_{tx,a}*2)", "9)");
  const Program program = program_of(leap);
  const Expectations expected = expected_elements(program, program, 1);
  EXPECT_TRUE(expected.elements.empty());
  EXPECT_NE(expected.problem, "");
  // An index that a rounding error decides.
  const Program index = program_of(
      "@input A f32[8] positive\n@output D f32[8]\n"
      "B^{8}_{tx=0}[Z^{i32,g}_{tx}=if_then_else(A^{f32,g}_{tx}*3.3-A^{f32,g}_{tx}*3.3<0,1,5);];"
      "B^{8}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{Z^{i32,g}_{tx}};];");
  EXPECT_TRUE(expected_elements(index, index, 1).elements.empty());
  const Program same_index = program_of(
      "@input A f32[8] positive\n@output D f32[8]\n"
      "B^{8}_{tx=0}[Z^{i32,g}_{tx}=if_then_else(A^{f32,g}_{tx}*3.3-A^{f32,g}_{tx}*3.3<0,5,5);];"
      "B^{8}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{Z^{i32,g}_{tx}};];");
  EXPECT_EQ(expected_elements(same_index, same_index, 1).elements.size(), 8U);
}

/// A bool that is kept in a tensor is open for every reader, not only for the first.
TEST(Expected, OpenBoolsStayOpen) {
  const std::string text =
      "@input A f32[8] positive\n@output D f32[8]\n"
      "B^{8}_{tx=0}[Z^{bool,g}_{tx}=A^{f32,g}_{tx}*3.3-A^{f32,g}_{tx}*3.3<0;];"
      "B^{8}_{tx=0}[D^{f32,g}_{tx}=if_then_else(Z^{bool,g}_{tx},A^{f32,g}_{tx}*2,A^{f32,g}_{tx}+A^{f32,g}_{tx})"
      "+if_then_else(Z^{bool,g}_{tx},SECOND,A^{f32,g}_{tx});];";
  const Program meets = program_of(replaced(text, "SECOND", "A^{f32,g}_{tx}"));
  EXPECT_EQ(expected_elements(meets, meets, 1).elements.size(), 8U);
  const Program leaps = program_of(replaced(text, "SECOND", "A^{f32,g}_{tx}*3"));
  EXPECT_TRUE(expected_elements(leaps, leaps, 1).elements.empty());
  // A side that is sure decides.
  const Program decided = program_of(replaced(text, "Z^{bool,g}_{tx},SECOND", "Z^{bool,g}_{tx}&tx<0,5.0"));
  EXPECT_EQ(expected_elements(decided, decided, 1).elements.size(), 8U);
}

constexpr const char* kLongHalfSum =
    "@input A f16[4,3000] positive\n@output D f16[4]\n"
    "B^{4}_{tx=0}L^{3000}_{a=0}[D^{f16,g}_{tx}=D^{f16,g}_{tx}+exp(A^{f16,g}_{tx,a});];";

/// No digit of it is certain in another order; in that of the text it is one number, or nearly.
TEST(Expected, LongSumsOfHalvesAreComparedInTheirOrder) {
  const Program program = program_of(kLongHalfSum);
  const Expectations expected = expected_elements(program, program, 1);
  ASSERT_EQ(expected.elements.size(), 8U) << expected.problem;
  for (const ExpectedElement& element : expected.elements) {
    EXPECT_GT(element.any_order, element.value / 4);
    EXPECT_LT(element.allowed, element.value / 32);
  }
  EXPECT_EQ(met(expected, program, program), 8U);
  EXPECT_EQ(met(expected, program, program_of(replaced(kLongHalfSum, "L^{3000}", "L^{2700}"))), 0U);
}

/// Threads add in another order, which is known too (testing/cuda_order_test.cpp); what comes of it is another value.
TEST(Expected, LongSumsOfHalvesOverThreadsAreComparedInTheOrderOfThreads) {
  const Program program = program_of(
      "@input A f16[200,20] positive\n@output D f16[1]\n"
      "B^{200}_{tx=0}L^{20}_{a=0}[D^{f16,g}_{0}=D^{f16,g}_{0}+exp(A^{f16,g}_{tx,a});];");
  const Expectations threads = expected_elements(program, program, 1, 8, 30'000'000, RunOrder::threads);
  const Expectations text = expected_elements(program, program, 1, 8, 30'000'000, RunOrder::text);
  ASSERT_FALSE(threads.elements.empty()) << threads.problem;
  ASSERT_FALSE(text.elements.empty()) << text.problem;
  const ExpectedElement& one = threads.elements[0];
  const ExpectedElement& other = text.elements[0];
  EXPECT_GT(std::fabs(one.value - other.value), one.allowed);
  EXPECT_LT(one.allowed, one.value / 32);
  // In any order both may come out.
  EXPECT_LE(std::fabs(one.value - other.value), one.any_order + other.any_order);
  EXPECT_EQ(met(text, program, program), text.elements.size());
  // Blocks whose launches are not in the order of the text: nothing is known.
  const Program blocks = program_of(
      "@input A f16[9,400] positive\n@output D f16[1]\n"
      "B^{9}_{by=0}B^{400}_{bx=0}[D^{f16,g}_{0}=D^{f16,g}_{0}+exp(A^{f16,g}_{by,bx});];");
  EXPECT_TRUE(expected_elements(blocks, blocks, 1, 8, 30'000'000, RunOrder::threads).elements.empty());
  EXPECT_FALSE(expected_elements(blocks, blocks, 1, 8, 30'000'000, RunOrder::text).elements.empty());
}

/// A sum that overflows in one order is a number in another.
TEST(Expected, InfinitiesOfOneOrderAreNotExpectedOfAnother) {
  const std::string text =
      "@input A f16[64] [1,2)\n@output D f16[1]\n"
      "KIND^{64}_{tx=0}[D^{f16,g}_{0}=D^{f16,g}_{0}+A^{f16,g}_{tx}*2000;];";
  const Program blocks = program_of(
      "@input A f16[8,8] [1,2)\n@output D f16[1]\n"
      "B^{8}_{by=0}B^{8}_{bx=0}[D^{f16,g}_{0}=D^{f16,g}_{0}+A^{f16,g}_{by,bx}*2000;];");
  EXPECT_TRUE(expected_elements(blocks, blocks, 1).elements.empty());
  const Program loop = program_of(replaced(replaced(text, "KIND", "L"), "tx", "a"));
  const Expectations expected = expected_elements(loop, loop, 1);
  ASSERT_FALSE(expected.elements.empty());
  EXPECT_TRUE(std::isinf(expected.elements[0].value));
  EXPECT_EQ(met(expected, loop, loop), expected.elements.size());
}

/// Where comparisons are open and where results leap, the exact value lies within the bound for both outcomes.
TEST(Expected, BoundsForBothOutcomesAreBounds) {
  constexpr const char* kTexts[] = {
      kHuber, kAtThreshold,
      "@input A f32[8,8]\n@input C f32[8,8]\n@output D f32[8]\n"
      "B^{8}_{tx=0}L^{8}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+floor(A^{f32,g}_{tx,a}*3.3)"
      "+(A^{f32,g}_{tx,a}*1.1)**2+(C^{f32,g}_{tx,a}*1.3)**3;];",
      "@input A f32[8,8]\n@input C f32[8,8] positive\n@output D f32[8]\n"
      "B^{8}_{tx=0}L^{8}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+(A^{f32,g}_{tx,a}*1.7)%(C^{f32,g}_{tx,a}*0.6)"
      "+max(A^{f32,g}_{tx,a}*1.1,C^{f32,g}_{tx,a}*1.1)"
      "*if_then_else(A^{f32,g}_{tx,a}*1.3<C^{f32,g}_{tx,a}*1.3,1,C^{f32,g}_{tx,a});];"};
  ASSERT_TRUE(certify::run_on_big_stack([&] {
    std::size_t compared = 0;
    for (const char* text : kTexts) {
      for (const char* dtype : {"f32", "bf16", "f64"}) {
        const Program program = program_of(replaced(text, "f32", dtype));
        const certify::Code code = certify::compile(program);
        const certify::InputModel model = certify::model_inputs(program, program);
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
          // Ties are small dyadic numbers, which these types hold; some are too small for f16.
          const certify::InputSource source(model, {certify::DrawKind::ties, seed});
          certify::Budget budget{10'000'000, 100'000'000};
          certify::RoundedArithmetic rounded(certify::Outcomes::both);
          certify::Machine<certify::RoundedArithmetic> machine(code, rounded, source, budget);
          certify::BallArithmetic exact(3, 256);
          certify::Machine<certify::BallArithmetic> reference(code, exact, source, budget);
          for (std::int64_t at = 0; at < 8; ++at) {
            const auto value = machine.output(code.tensor_numbers.at("D"), {at});
            const auto certified = reference.output(code.tensor_numbers.at("D"), {at});
            if (!value || !certified || certified->real.value_class != certify::ValueClass::finite) continue;
            const double wanted = arf_get_d(arb_midref(certified->real.ball), ARF_RND_NEAR);
            EXPECT_LE(std::fabs(value->real.value - wanted), value->real.error * (1 + 1e-9))
                << text << " " << dtype << " " << seed << " " << value->real.value << " " << wanted;
            compared += std::isfinite(value->real.error) ? 1 : 0;
          }
        }
      }
    }
    EXPECT_GT(compared, 400U);
  }));
}

/// Long sums of products take a shorter way to the same numbers.
TEST(Expected, ProductsAreAddedAsSingleOperationsAre) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    certify::RoundedArithmetic sooner;
    certify::RoundedArithmetic later;
    sooner.set_type(dtype);
    later.set_type(dtype);
    Random random(11);
    certify::RoundedArithmetic::Value one;
    certify::RoundedArithmetic::Value other;
    for (int i = 0; i < 3000; ++i) {
      // Now and then so large that halves overflow.
      const double scale = i % 500 == 499 ? 0x1p9 : 1;
      const double x = certify::round_to(dtype, scale * static_cast<double>(random.between(-4096, 4096)) / 1237);
      const double y = certify::round_to(dtype, scale * static_cast<double>(random.between(-4096, 4096)) / 977);
      sooner.add_product(one, x, y);
      certify::RoundedArithmetic::Value product;
      later.arithmetic(ArithmeticOp::multiply, product, {x, 0}, {y, 0});
      later.arithmetic(ArithmeticOp::add, other, other, product);
      EXPECT_TRUE(one.value == other.value || (std::isnan(one.value) && std::isnan(other.value))) << code(dtype);
      EXPECT_EQ(one.error, other.error) << code(dtype) << " " << i;
      if (::testing::Test::HasFailure()) return;
    }
  }
}

/// A statistic of a whole channel is paid for once: other elements are taken where they share it.
TEST(Expected, ElementsLieBesideADearOne) {
  const Program program = program_of(
      "@input A f32[40,5,60]\n@output D f32[40,5,60]\n"
      "B^{5}_{tx=0}L^{40}_{a=0}L^{60}_{c=0}[E^{f32,g}_{tx}=E^{f32,g}_{tx}+exp(A^{f32,g}_{a,tx,c})*A^{f32,g}_{a,tx,c};];"
      "B^{40}_{tx=0}L^{5}_{a=0}L^{60}_{c=0}[D^{f32,g}_{tx,a,c}=A^{f32,g}_{tx,a,c}/E^{f32,g}_{a};];");
  const Expectations enough = expected_elements(program, program, 1, 8, 1'000'000);
  const Expectations scarce = expected_elements(program, program, 1, 8, 30'000);
  ASSERT_EQ(enough.elements.size(), 8U) << enough.problem;
  ASSERT_EQ(scarce.elements.size(), 8U) << scarce.problem;
  std::set<std::int64_t> channels;
  for (const ExpectedElement& element : enough.elements) channels.insert(element.subscripts[1]);
  EXPECT_GT(channels.size(), 2U);
  channels.clear();
  for (const ExpectedElement& element : scarce.elements) channels.insert(element.subscripts[1]);
  EXPECT_EQ(channels.size(), 1U);
  EXPECT_EQ(met(scarce, program, program), 8U);
}

/// A machine that does operations in their order, but takes products into sums now and then and is a little wrong with
/// functions.
class Sloppy {
 public:
  Sloppy(DType dtype, std::uint64_t seed) : dtype_(dtype), random_(seed) {}
  struct Register {
    double value = 0;
    double factors[2] = {0, 0};
    bool is_product = false;
  };
  Register multiply(const Register& a, const Register& b) {
    return {certify::round_to(dtype_, a.value * b.value), {a.value, b.value}, true};
  }
  Register add(const Register& a, const Register& b) {
    const bool can_contract = dtype_ == DType::f32 || dtype_ == DType::f64;
    if (can_contract && a.is_product && random_.below(2) == 0) {
      const double sum = dtype_ == DType::f64 ? std::fma(a.factors[0], a.factors[1], b.value)
                                              : std::fma(static_cast<float>(a.factors[0]),
                                                         static_cast<float>(a.factors[1]), static_cast<float>(b.value));
      return {sum};
    }
    return {certify::round_to(dtype_, a.value + b.value)};
  }
  Register exp(const Register& a) {
    const DType computed = dtype_ == DType::f64 ? DType::f64 : DType::f32;
    const double right = certify::round_to(computed, std::exp(a.value));
    const double off = static_cast<double>(random_.between(-3, 3)) * certify::unit_in_last_place(computed, right);
    return {certify::round_to(dtype_, right + off)};
  }
  Register divide(const Register& a, const Register& b) { return {certify::round_to(dtype_, a.value / b.value)}; }

 private:
  DType dtype_;
  Random random_;
};

TEST(Expected, RunsInOrderLieWithinTheInterval) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    std::size_t narrow = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
      Random random(seed);
      Sloppy machine(dtype, seed + 77);
      certify::OrderedArithmetic arithmetic;
      arithmetic.set_type(dtype);
      std::vector<Sloppy::Register> registers(4);
      std::vector<certify::OrderedArithmetic::Value> values(4);
      for (std::size_t i = 0; i < 4; ++i) {
        const certify::Fraction drawn{random.between(1, 1 << 10), -9};
        arithmetic.input(values[i], drawn);
        arithmetic.store_input(dtype, values[i]);
        registers[i] = {values[i].value};
      }
      for (int step = 0; step < 24; ++step) {
        const auto [to, a, b] = std::array{random.below(4), random.below(4), random.below(4)};
        switch (random.below(8)) {
          case 0:
            registers[to] =
                machine.exp(machine.divide(registers[a], machine.add({2.0}, {std::fabs(registers[a].value)})));
            {
              certify::OrderedArithmetic::Value two;
              certify::OrderedArithmetic::Value size;
              arithmetic.integer(two, 2);
              arithmetic.function(Function::abs, size, values[a]);
              arithmetic.arithmetic(ArithmeticOp::add, size, two, size);
              arithmetic.arithmetic(ArithmeticOp::divide, size, values[a], size);
              arithmetic.function(Function::exp, values[to], size);
            }
            break;
          case 1:
          case 2:
          case 3:
            registers[to] = machine.multiply(registers[a], registers[b]);
            arithmetic.arithmetic(ArithmeticOp::multiply, values[to], values[a], values[b]);
            break;
          default:
            registers[to] = machine.add(registers[a], registers[b]);
            arithmetic.arithmetic(ArithmeticOp::add, values[to], values[a], values[b]);
            break;
        }
        if (!std::isfinite(registers[to].value)) break;
        EXPECT_LE(values[to].low, registers[to].value) << code(dtype) << " seed " << seed << " step " << step;
        EXPECT_GE(values[to].high, registers[to].value) << code(dtype) << " seed " << seed << " step " << step;
        if (::testing::Test::HasFailure()) return;
        narrow += values[to].high - values[to].low <= 0.1 * std::fabs(values[to].value) ? 1 : 0;
      }
    }
    EXPECT_GT(narrow, 10'000U) << code(dtype);
  }
}

/// The oracle does the operations in the order of the text: its results lie in the intervals, at every element.
TEST(Expected, TheOracleRunsInOrder) {
  std::size_t compared = 0;
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32}) {
    for (const Judged& one : small_zoo(dtype, 23, static_cast<std::size_t>(dtype) % 5)) {
      const auto inputs = drawn_inputs(one.program, 5);
      ASSERT_TRUE(inputs.ok()) << one.name;
      const auto ran = run(one.program, *inputs);
      const Expectations expected = expected_elements(one.program, one.program, 5, 8, 3'000'000, RunOrder::text);
      if (!ran) continue;  // a draw at which the oracle traps
      for (const ExpectedElement& element : expected.elements) {
        const Tensor& tensor = ran->outputs.at(element.output);
        const Scalar value = load(tensor.dtype, tensor.data.data() + element.position * info(tensor.dtype).bytes);
        EXPECT_TRUE(is_expected(element, value))
            << one.name << " " << element.output << " " << element.position << ": " << element.value << " within "
            << element.allowed << ", not " << value.as_real();
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 150U);
}

}  // namespace
}  // namespace steptp::testing
