// The LLVM engine against the oracle: bit for bit, but for functions of libm.
#include <gtest/gtest.h>

#include <cstdio>

#include "steptp/base/text.h"
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
  const std::vector<Judged> states = recipe_states();
  ASSERT_GT(states.size(), 50U);
  expect_agreement("recipes", states, 1e-6);
}

TEST_F(LlvmEngine, ZooTypes) {
  const std::size_t part = soaked(1) > 1 ? 1 : 12;
  std::size_t offset = 0;
  for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
    expect_agreement(concat("zoo ", code(dtype)), small_zoo(dtype, part, offset++), dtype == DType::f64 ? 1e-13 : 1e-6);
  }
}

}  // namespace
}  // namespace steptp::testing
