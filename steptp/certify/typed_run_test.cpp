// The door for whoever checks a run: inputs as they are drawn, and elements in the declared types.
#include "steptp/certify/typed_run.h"

#include <gtest/gtest.h>

#include <cmath>

#include "steptp/machine/big_stack.h"
#include "testing/oracle_support.h"

namespace steptp::testing {
namespace {

constexpr const char* kSum =
    "@input A f16[4,300]\n@output D f16[4]\n"
    "B^{4}_{tx=0}L^{300}_{a=0}[D^{f16,g}_{tx}=D^{f16,g}_{tx}+A^{f16,g}_{tx,a};];";

TEST(TypedRun, BoundsHoldInAnyOrderAndOneOrderIsOneNumber) {
  const Program program = program_of(kSum);
  ASSERT_TRUE(certify::run_on_big_stack([&] {
    certify::TypedRun run(program, program, 3, 1U << 24);
    ASSERT_TRUE(run.problem().empty());
    std::uint64_t operations = 1'000'000;
    const auto any = run.in_any_order("D", {2}, operations);
    const auto text = run.in_order("D", {2}, operations);
    ASSERT_FALSE(any.failure);
    ASSERT_FALSE(text.failure);
    EXPECT_LT(operations, 1'000'000U);
    EXPECT_EQ(any.value, text.value);
    EXPECT_EQ(text.low, text.high);
    EXPECT_GT(any.error, 0);
    EXPECT_EQ(any.unit, text.unit);

    certify::DrawnInputs inputs(program, 3);
    ASSERT_EQ(inputs.count(), 1U);
    double exact = 0;
    for (std::int64_t a = 0; a < 300; ++a) exact += inputs.real(0, 600 + a);
    // Inputs are rounded to f16 first, which is no error of the run.
    EXPECT_LE(std::fabs(exact - any.value), any.error + 300 * 0x1p-11);

    std::uint64_t few = 10;
    const auto spent = run.in_any_order("D", {3}, few);
    ASSERT_TRUE(spent.failure);
    EXPECT_EQ(spent.failure->kind, certify::FailureKind::operations);
  }));
}

}  // namespace
}  // namespace steptp::testing
