#include "steptp/lowering/conditions.h"

#include <gtest/gtest.h>

#include "steptp/lowering/host_condition.h"
#include "testing/oracle_support.h"

namespace steptp::testing {
namespace {

using lowering::ValuePtr;

/// The guard of a program `L^{40}_{a=0}L^{extent}_{c=0}?{guard}[..]`, as back ends see it.
ValuePtr guard_of(const std::string& guard, std::int64_t extent, Loop& loop) {
  const Program program = program_of(
      concat("@output D f32[40,", extent, "]\nL^{40}_{a=0}L^{", extent, "}_{c=0}?{", guard, "}[D^{f32,g}_{a,c}=1;];"));
  loop = program.nests[0]->loops[1];
  return lowering::condition_value(*program.nests[0]->guard);
}

/// Each comparison that is found to be free is asked in every iteration, and says what it said with the index; and each
/// that is not free really changes somewhere, so that nothing is refused that need not be.
TEST(Conditions, AreFreeWhereTheyNeverChange) {
  int free = 0;
  int bound = 0;
  for (const char* comparison : {"<", "<=", ">", ">="}) {
    for (const int step : {1, 2, 3, 4, -1, -2, 6}) {
      for (const int factor : {0, 1, 2, 4, 6}) {
        for (int limit = -3; limit < 14; ++limit) {
          Loop loop;
          const std::string guard = concat("a*", factor, "+c*", step, comparison, limit);
          const std::string text = factor == 0 ? concat("c*", step, comparison, limit) : guard;
          const ValuePtr with = guard_of(text, 3, loop);
          const ValuePtr without = lowering::free_of(with, loop);
          bool changes = false;
          for (std::int64_t a = -40; a < 40; ++a) {
            const bool first = lowering::holds(*with, {{"a", a}, {"c", 0}});
            for (std::int64_t c = 0; c < 3; ++c) {
              const bool now = lowering::holds(*with, {{"a", a}, {"c", c}});
              changes = changes || now != first;
              if (!without) continue;
              ASSERT_EQ(lowering::holds(*without, {{"a", a}, {"c", c}}), now) << text << " at " << a;
            }
          }
          EXPECT_EQ(without == nullptr, changes) << text;
          (without ? free : bound) += 1;
        }
      }
    }
  }
  EXPECT_GT(free, 300);
  EXPECT_GT(bound, 300);
}

TEST(Conditions, OfSeveralComparisonsAllHaveToBeFree) {
  Loop loop;
  EXPECT_TRUE(lowering::free_of(guard_of("a*4+c<32&a<7", 4, loop), loop));
  EXPECT_TRUE(lowering::free_of(guard_of("a*4+c<32|a*8+c>=16", 4, loop), loop));
  EXPECT_FALSE(lowering::free_of(guard_of("a*4+c<32&a*4+c<31", 4, loop), loop));
  EXPECT_FALSE(lowering::free_of(guard_of("(a*4+c)%4<4&a<7", 4, loop), loop));
  EXPECT_FALSE(lowering::free_of(guard_of("a*4+c==32", 4, loop), loop));
}

}  // namespace
}  // namespace steptp::testing
