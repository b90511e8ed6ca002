#include "steptp/execution/cpu_inputs.h"

#include <gtest/gtest.h>

#include <cstring>

namespace steptp::testing {
namespace {

CpuInput input_of(std::int64_t bytes, char value, std::uint64_t epoch) {
  CpuInput out{AlignedBlock(bytes), 7, epoch};
  std::memset(out.block.begin(), value, static_cast<std::size_t>(bytes));
  return out;
}

TEST(CpuInputs, OneSessionAtATimeHasAnInput) {
  CpuInputs kept;
  EXPECT_FALSE(kept.take("A", 64));
  kept.give_back("A", input_of(64, 'x', kept.epoch()));
  EXPECT_FALSE(kept.take("C", 64));
  EXPECT_FALSE(kept.take("A", 65));
  auto taken = kept.take("A", 64);
  ASSERT_TRUE(taken);
  EXPECT_EQ(static_cast<char>(taken->block.begin()[63]), 'x');
  EXPECT_EQ(taken->hash, 7U);
  EXPECT_FALSE(kept.take("A", 64));
}

// A session may outlast the data that it began with.
TEST(CpuInputs, AnInputOfOtherDataIsNotKept) {
  CpuInputs kept;
  kept.give_back("A", input_of(8, 'x', kept.epoch()));
  auto taken = kept.take("A", 8);
  ASSERT_TRUE(taken);
  kept.forget();
  kept.give_back("A", *std::move(taken));
  EXPECT_FALSE(kept.take("A", 8));
  kept.give_back("A", input_of(8, 'y', kept.epoch()));
  EXPECT_TRUE(kept.take("A", 8));
}

}  // namespace
}  // namespace steptp::testing
