// The LLVM engine against the oracle: bit for bit, but for functions of libm.
#include <gtest/gtest.h>

#include <cstdio>

#include "steptp/base/text.h"
#include "steptp/documents/run_document.h"
#include "steptp/execution/llvm_program.h"
#include "steptp/llvm/lower.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "testing/lowering_support.h"
#include "testing/soak.h"

namespace steptp::testing {
namespace {

class LlvmEngine : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto engine = find_llvm_engine();
    if (!engine) GTEST_SKIP() << engine.error().message;
  }
};

void expect_agreement(const std::string& name, const std::vector<Judged>& programs, double tolerance) {
  std::size_t elements = 0;
  std::size_t different = 0;
  double milliseconds = 0;
  for (const Judged& one : programs) {
    const auto compiled = LlvmProgram::compile(one.program);
    ASSERT_TRUE(compiled.ok()) << one.name << ": " << compiled.error().message << "\n"
                               << print(one.program) << "\n"
                               << llvm_ir::lower(one.program).value().text;
    milliseconds += compiled->compile_milliseconds();
    const auto got = compiled->run(one.inputs);
    ASSERT_TRUE(got.ok()) << one.name << ": " << got.error().message;
    const Comparison found = compare_outputs(*got, one.outputs, tolerance);
    EXPECT_EQ(found.first, "") << one.name << "\n" << print(one.program);
    elements += found.elements;
    different += found.different;
  }
  std::printf("%s: %zu programs, %zu of %zu elements differ in a bit, %.1f ms to compile one\n", name.c_str(),
              programs.size(), different, elements, milliseconds / static_cast<double>(programs.size()));
}

TEST_F(LlvmEngine, WrittenKernels) { expect_agreement("written", written_kernels(), 1e-15); }

TEST_F(LlvmEngine, Generated) {
  expect_agreement("generated", generated(soak_seed(2), static_cast<std::size_t>(soaked(60))), 1e-12);
}

TEST_F(LlvmEngine, RecipeStates) {
  const std::vector<Judged> states = recipe_states(soaked(1) > 1 ? 1 : 4);
  ASSERT_GT(states.size(), 40U);
  expect_agreement("recipes", states, 1e-6);
}

TEST_F(LlvmEngine, ZooTypes) {
  const std::size_t part = soaked(1) > 1 ? 1 : 12;
  std::size_t offset = 0;
  for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
    expect_agreement(concat("zoo ", code(dtype)), small_zoo(dtype, part, offset++), dtype == DType::f64 ? 1e-13 : 1e-6);
  }
}

Program program_of(const std::string& text) {
  const Document document = read_document("test", text);
  EXPECT_TRUE(document.ok);
  return document.program;
}

/// Units are threads that run one after another, and T loops are serial: two chained products with a row statistic.
TEST_F(LlvmEngine, MatrixNestsAreTheirSerialLoops) {
  const Program program = program_of(
      "@input A f16[32,16]\n@input C f16[16,16]\n@output D f32[64,16]\n"
      "^f16;bx2{tx32 a16 G^s(tx,a)=A(tx,a)*(bx+1);tx16 a16 H^s(tx,a)=C(tx,a);"
      "wx2 Ta16 Tc16 Td16 E^f32^f(a,c)+=G(wx*16+a,d)*H(d,c);wx2 Ta16 Tc16 N^f32^f(a)=max(N(a),E(a,c));"
      "wx2 Ta16 Tc16 F^f(a,c)=E(a,c)-N(a);wx2 Ta16 Tc16 Td16 R^f32^f(a,c)+=F(a,d)*H(d,c);"
      "wx2 Ta16 Tc16 ?(a>0) R(a,c)=R(a,c)+N(a);wx2 Ta16 Tc16 D^f32(bx*32+wx*16+a,c)=R(a,c);}");
  const auto inputs = seeded_inputs(program, 5);
  ASSERT_TRUE(inputs.ok());
  const auto compiled = LlvmProgram::compile(program);
  ASSERT_TRUE(compiled.ok()) << compiled.error().message;
  const auto wanted = run(program, *inputs);
  ASSERT_TRUE(wanted.ok()) << wanted.error().message;
  for (const unsigned threads : {1U, 2U}) {
    const auto got = compiled->run(*inputs, threads);
    ASSERT_TRUE(got.ok());
    EXPECT_EQ(*got, wanted->outputs) << threads;
  }
}

/// Blocks are divided among threads; the values are those of one thread, and of the oracle.
TEST_F(LlvmEngine, ThreadsDoNotChangeValues) {
  const Program program = program_of(
      "@input A f32[64,64]\n@input C f32[64,64]\n@output D f32[64,64]\n"
      "B^{64}_{bx=0}[B^{64}_{tx=0}[E^{f32,s}_{tx}=A^{f32,g}_{bx,tx};];"
      "B^{64}_{tx=0}L^{64}_{a=0}[D^{f32,g}_{bx,tx}=D^{f32,g}_{bx,tx}+E^{f32,s}_{a}*C^{f32,g}_{a,tx};];];");
  const auto inputs = seeded_inputs(program, 3);
  ASSERT_TRUE(inputs.ok());
  const auto compiled = LlvmProgram::compile(program);
  ASSERT_TRUE(compiled.ok()) << compiled.error().message;
  const auto wanted = run(program, *inputs);
  ASSERT_TRUE(wanted.ok());
  for (const unsigned threads : {1U, 2U, 5U, 64U, 100U}) {
    const auto got = compiled->run(*inputs, threads);
    ASSERT_TRUE(got.ok());
    EXPECT_EQ(*got, wanted->outputs) << threads;
  }
}

/// What `check` could only assume of data is looked at when it runs.
TEST_F(LlvmEngine, DataThatBreaksAnAssumptionIsATrap) {
  const Program program = program_of(
      "@input A f32[6]\n@input C i64[3]\n@output D f32[3]\nB^{3}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{C^{i64,g}_{tx}};];");
  const auto compiled = LlvmProgram::compile(program);
  ASSERT_TRUE(compiled.ok()) << compiled.error().message;
  Tensors inputs = seeded_inputs(program, 1).value();
  EXPECT_TRUE(compiled->run(inputs).ok());
  inputs.at("C").data.back() = std::byte{0x7f};
  const auto got = compiled->run(inputs);
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().kind, TrapKind::out_of_range);

  const Program quotient = program_of(
      "@input A i32[4]\n@input C i32[4]\n@output D "
      "i32[4]\nB^{4}_{tx=0}[D^{i32,g}_{tx}=A^{i32,g}_{tx}//C^{i32,g}_{tx};];");
  const auto divides = LlvmProgram::compile(quotient);
  ASSERT_TRUE(divides.ok()) << divides.error().message;
  Tensors zeros = seeded_inputs(quotient, 1).value();
  std::fill(zeros.at("C").data.begin(), zeros.at("C").data.end(), std::byte{0});
  const auto trapped = divides->run(zeros);
  ASSERT_FALSE(trapped.ok());
  EXPECT_EQ(trapped.error().kind, TrapKind::integer_division_by_zero);
}

TEST_F(LlvmEngine, InputsThatDoNotFit) {
  const Program program = program_of("@input A f32[4]\n@output D f32[4]\nL^{4}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a};];");
  const auto compiled = LlvmProgram::compile(program);
  ASSERT_TRUE(compiled.ok());
  EXPECT_EQ(compiled->run({}).error().kind, TrapKind::input_missing);
  Tensors inputs = seeded_inputs(program, 1).value();
  inputs.at("A").shape = {2, 2};
  EXPECT_EQ(compiled->run(inputs).error().kind, TrapKind::input_mismatch);
}

}  // namespace
}  // namespace steptp::testing
