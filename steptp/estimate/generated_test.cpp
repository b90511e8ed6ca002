// What the model owes to any program that `check` accepts: an answer, finite, not below the floor, the same each time.
#include <gtest/gtest.h>

#include <cmath>

#include "steptp/base/random.h"
#include "steptp/estimate/estimate.h"
#include "steptp/text/printer.h"
#include "testing/generator.h"
#include "testing/soak.h"

namespace steptp::testing {
namespace {

TEST(Estimate, AnswersForEveryGeneratedProgram) {
  const int programs = static_cast<int>(soaked(300));
  for (int i = 0; i < programs; ++i) {
    Random random(soak_seed(1) + static_cast<std::uint64_t>(i));
    const Program program = generate_program(random);
    for (const DeviceRates& device : shipped_rates()) {
      const auto made = estimate(program, device);
      ASSERT_TRUE(made.ok()) << made.error() << "\n" << print(program, Profile::paper);
      ASSERT_TRUE(std::isfinite(made->seconds)) << print(program, Profile::paper);
      EXPECT_GE(made->seconds, 0.99 * floor_seconds(program, device)) << print(program, Profile::paper);
      EXPECT_EQ(to_json(*made).dump(), to_json(*estimate(program, device)).dump());
      EXPECT_FALSE(to_text(*made).empty());
    }
  }
}

}  // namespace
}  // namespace steptp::testing
