// The run in the declared types: its rounding against the oracle's, its bound against certified values, and types that
// are too narrow. What is equal but not as good is in safe_search_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "steptp/arithmetic/field_arithmetic.h"
#include "steptp/arithmetic/rounded_arithmetic.h"
#include "steptp/base/text.h"
#include "steptp/certify/inputs.h"
#include "steptp/machine/big_stack.h"
#include "steptp/machine/machine.h"
#include "steptp/verify/verify.h"
#include "testing/oracle_support.h"

namespace steptp::testing {
namespace {

std::string with_type(std::string text, const std::string& dtype) {
  for (std::size_t at = text.find("f32"); at != std::string::npos; at = text.find("f32", at)) {
    text.replace(at, 3, dtype);
    at += dtype.size();
  }
  return text;
}

TEST(DeclaredTypes, RoundLikeTheOracle) {
  Random random(5);
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    for (int i = 0; i < 20000; ++i) {
      const auto exponent = static_cast<int>(random.between(-160, 140));
      const double value = std::ldexp(static_cast<double>(random.between(-(1 << 30), 1 << 30)), exponent - 30);
      const double expected = convert(Scalar::real(dtype, value), DType::f64).as_real();
      const double rounded = certify::round_to(dtype, value);
      ASSERT_EQ(rounded, expected) << value << " in " << code(dtype);
    }
  }
}

constexpr const char* kMatmul =
    "@input A f32[4,64]\n@input C f32[64,4]\n@output D f32[4,4]\n"
    "B^{4}_{tx=0}L^{4}_{a=0}L^{64}_{c=0}[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+A^{f32,g}_{tx,c}*C^{f32,g}_{c,a};];";
constexpr const char* kSoftmax =
    "@input A f32[4,16]\n@output C f32[4,16]\n"
    "B^{4}_{tx=0}L^{16}_{a=0}[D^{f32,g}_{tx}=max(D^{f32,g}_{tx},A^{f32,g}_{tx,a});];"
    "B^{4}_{tx=0}L^{16}_{a=0}[E^{f32,g}_{tx}=E^{f32,g}_{tx}+exp(A^{f32,g}_{tx,a}-D^{f32,g}_{tx});];"
    "B^{4}_{tx=0}L^{16}_{a=0}[C^{f32,g}_{tx,a}=exp(A^{f32,g}_{tx,a}-D^{f32,g}_{tx})/E^{f32,g}_{tx};];";
constexpr const char* kNorm =
    "@input A f32[4,32]\n@output C f32[4,32]\n"
    "B^{4}_{tx=0}L^{32}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a}*A^{f32,g}_{tx,a};];"
    "B^{4}_{tx=0}L^{32}_{a=0}[C^{f32,g}_{tx,a}=A^{f32,g}_{tx,a}/sqrt(D^{f32,g}_{tx}/32+0.001);];";

/// The bound next to a rounded value is a bound: the exact value lies within it, whatever the type.
void bound_holds(const std::string& text) {
  const Program program = program_of(text);
  const certify::Code code = certify::compile(program);
  const certify::InputModel model = certify::model_inputs(program, program);
  ASSERT_TRUE(certify::run_on_big_stack([&] {
    for (const certify::DrawKind kind : {certify::DrawKind::ties, certify::DrawKind::large}) {
      const certify::InputSource source(model, {kind, 7});
      certify::Budget budget{10'000'000, 100'000'000};
      certify::RoundedArithmetic rounded;
      certify::Machine<certify::RoundedArithmetic> machine(code, rounded, source, budget);
      for (const Variable& variable : program.signature.variables) {
        if (variable.role != Role::output) continue;
        std::vector<std::int64_t> element(variable.shape.size(), 1);
        const auto value = machine.output(code.tensor_numbers.at(variable.name), element);
        ASSERT_TRUE(value.ok()) << value.error().message;
        ASSERT_TRUE(std::isfinite(value->real.value));
        if (kind != certify::DrawKind::ties) continue;  // ties are small dyadic numbers: every type holds them
        certify::FieldArithmetic exact(3);
        certify::Machine<certify::FieldArithmetic> reference(code, exact, source, budget);
        const auto certified = reference.output(code.tensor_numbers.at(variable.name), element);
        ASSERT_TRUE(certified.ok()) << certified.error().message;
        EXPECT_LE(certified->real.low - value->real.value, value->real.error * (1 + 1e-9)) << text;
        EXPECT_LE(value->real.value - certified->real.high, value->real.error * (1 + 1e-9)) << text;
      }
    }
  }));
}

TEST(DeclaredTypes, TheBoundIsABound) {
  for (const char* dtype : {"f64", "f32", "f16", "bf16"}) {
    for (const char* text : {kMatmul, kSoftmax, kNorm}) bound_holds(with_type(text, dtype));
  }
}

Judgement judge(const std::string& before, const std::string& after) {
  return verify(program_of(before), program_of(after));
}

TEST(Precision, NarrowerStorageDiffers) {
  const std::string header = "@input A f32[8]\n@output C f32[8]\n";
  const std::string before = header + "B^{8}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx}*2;C^{f32,g}_{tx}=D^{f32,g}_{tx}+1;];";
  const std::string narrow = header + "B^{8}_{tx=0}[D^{f16,g}_{tx}=A^{f32,g}_{tx}*2;C^{f32,g}_{tx}=D^{f16,g}_{tx}+1;];";
  const std::string wide = header + "B^{8}_{tx=0}[D^{f64,g}_{tx}=A^{f32,g}_{tx}*2;C^{f32,g}_{tx}=D^{f64,g}_{tx}+1;];";
  EXPECT_EQ(judge(before, narrow).verdict, Grade::differs);
  EXPECT_EQ(judge(before, narrow).reason.substr(0, 9), "precision");
  EXPECT_TRUE(is_equal(judge(before, wide).verdict));
  EXPECT_TRUE(is_equal(judge(narrow, before).verdict));
}

TEST(Precision, AccumulatingInTheNarrowInputTypeDiffers) {
  const auto through = [](const std::string& dtype) {
    return "@input A f16[4,64]\n@input C f16[64,4]\n@output D f16[4,4]\n"
           "B^{4}_{tx=0}L^{4}_{a=0}L^{64}_{c=0}[E^{" +
           dtype + ",g}_{tx,a}=E^{" + dtype +
           ",g}_{tx,a}+A^{f16,g}_{tx,c}*C^{f16,g}_{c,a};];B^{4}_{tx=0}L^{4}_{a=0}[D^{f16,g}_{tx,a}=E^{" + dtype +
           ",g}_{tx,a};];";
  };
  const std::string direct =
      "@input A f16[4,64]\n@input C f16[64,4]\n@output D f16[4,4]\n"
      "B^{4}_{tx=0}L^{4}_{a=0}L^{64}_{c=0}[D^{f16,g}_{tx,a}=D^{f16,g}_{tx,a}+A^{f16,g}_{tx,c}*C^{f16,g}_{c,a};];";
  EXPECT_EQ(judge(through("f32"), through("f16")).verdict, Grade::differs);
  EXPECT_EQ(judge(through("f32"), direct).verdict, Grade::differs);
  EXPECT_TRUE(is_equal(judge(through("f16"), through("f32")).verdict));
  EXPECT_TRUE(is_equal(judge(direct, through("f16")).verdict));
}

TEST(Precision, ACopyLosesNothing) {
  const std::string header = "@input A f16[4,8]\n@output D f32[4]\n";
  const std::string before = header + "B^{4}_{tx=0}L^{8}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f16,g}_{tx,a};];";
  const std::string cached = header +
                             "B^{4}_{tx=0}L^{8}_{a=0}[E^{f16,g}_{tx,a}=A^{f16,g}_{tx,a};];"
                             "B^{4}_{tx=0}L^{8}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+E^{f16,g}_{tx,a};];";
  EXPECT_TRUE(is_equal(judge(before, cached).verdict));
}

}  // namespace
}  // namespace steptp::testing
