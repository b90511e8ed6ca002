// What is seen of copies before anything is built: it agrees with what the result shows, and says no more than is
// known.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "steptp/analysis/box_search.h"
#include "steptp/analysis/instances.h"
#include "steptp/documents/zoo_program.h"
#include "steptp/recipe/registry.h"
#include "steptp/strategies/legality.h"
#include "steptp/strategies/storage.h"
#include "steptp/strategies/view.h"
#include "testing/soak.h"
#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kHead = "@input A f32[8,6]\n@input C f32[8]\n@output E f32[8,6]\n";

/// Of all reads of D, in order.
std::vector<bool> plainly_written(const std::string& nests, std::size_t same_loops = 0) {
  const Program program = strategy_program(std::string(kHead) + nests);
  View view(program);
  const AccessTable& table = view.table();
  const TensorFacts& tensor = table.tensors.at("D");
  std::vector<bool> out;
  for (const std::size_t number : tensor.reads) {
    const Access& read = table.accesses[number];
    const Statement& reader = table.statements[read.statement];
    out.push_back(is_plainly_written(view, tensor, reader, full_subscripts(table, read), loop_box(reader), same_loops));
    // Nothing is seen at once that is not so.
    EXPECT_TRUE(!out.back() || is_defined(view, read, same_loops)) << nests;
  }
  return out;
}
const std::vector<bool> kYes = {true};
const std::vector<bool> kNo = {false};

TEST(PlainlyWritten, BoxesOfEarlierExpressions) {
  EXPECT_EQ(plainly_written("B(tx,8)L(a,6)[D[tx,a]=A[tx,a];];B(tx,8)L(a,6)[E[tx,a]=D[7-tx,a];];"), kYes);
  EXPECT_EQ(plainly_written("B(tx,8)L(a,5)[D[tx,a]=A[tx,a];];B(tx,8)L(a,6)[E[tx,a]=D[tx,a];];"), kNo);
  EXPECT_EQ(plainly_written("B(tx,8)L(a,6)[D[tx,a]=A[tx,a];];B(tx,8)L(a,6)[E[tx,a]=D[tx,a+1];];"), kNo);
  // Two halves, and one with gaps.
  EXPECT_EQ(plainly_written("B(tx,4)[D[tx]=C[tx];];B(tx,4)[D[tx+4]=C[tx];];B(tx,8)L(a,6)[E[tx,a]=D[tx];];"), kYes);
  EXPECT_EQ(plainly_written("B(tx,4)[D[2*tx]=C[tx];];B(tx,8)L(a,6)[E[tx,a]=D[tx];];"), kNo);
}

TEST(PlainlyWritten, InTheSameIteration) {
  const std::string before = "B(tx,8)[L(a,6)[D[tx,a]=A[tx,a];];L(a,6)[E[tx,a]=D[tx,a];];];";
  EXPECT_EQ(plainly_written(before), kYes);
  EXPECT_EQ(plainly_written(before, 1), kYes);
  EXPECT_EQ(plainly_written(before, 2), kNo);
  EXPECT_EQ(plainly_written("B(tx,8)[L(a,6)[D[tx,a]=A[tx,a];];L(a,6)[E[tx,a]=D[7-tx,a];];];"), kNo);
  EXPECT_EQ(plainly_written("B(tx,8)[L(a,6)[E[tx,a]=D[tx,a];];L(a,6)[D[tx,a]=A[tx,a];];];"), kNo);
}

// Another scope is another element: a thread's own data is there for that thread alone.
TEST(PlainlyWritten, HiddenSubscripts) {
  EXPECT_EQ(plainly_written("B(tx,8)[L(a,6)[D:l[a]=A[tx,a];];L(a,6)[E[tx,a]=D:l[a];];];"), kYes);
  EXPECT_EQ(plainly_written("B(bx,2)[B(tx,4)[D:s[tx]=C[bx*4+tx];];B(tx,4)L(a,6)[E[bx*4+tx,a]=D:s[3-tx];];];"), kYes);
  EXPECT_EQ(plainly_written("B(bx,2)[B(tx,4)[D:l[]=C[bx*4+tx];];B(ty,4)L(a,6)[E[bx*4+ty,a]=D:l[];];];"), kNo);
}

// Guards are left to isl.
TEST(PlainlyWritten, NothingUnderGuards) {
  EXPECT_EQ(plainly_written("B(tx,8)L(a,6)?{tx<8}[D[tx,a]=A[tx,a];];B(tx,8)L(a,6)[E[tx,a]=D[tx,a];];"), kNo);
}

/// Every copy that is offered: what is asked of results in general has nothing against it.
void expect_well_placed(const Program& program, std::size_t& copies) {
  const Strategy& strategy = *find_strategy("cache_read_write");
  View view(program);
  for (const ChoiceSite& site : list_choices(strategy, view, false).sites) {
    const Choice choice = site.choice(0);
    const auto applied = apply(strategy, view, choice);
    ASSERT_TRUE(applied.ok()) << choice.to_json().dump() << ": " << to_text(strategy.name, applied.error());
    std::string cache;
    for (const auto& [key, value] : applied->facts.values) {
      if (key == "cache") cache = *value.as_string();
    }
    View after(applied->program);
    EXPECT_FALSE(placement_conflict(after, cache)) << choice.to_json().dump();
    EXPECT_FALSE(oversize_of(after, cache)) << choice.to_json().dump();
    EXPECT_FALSE(race_conflict(view, after, choice.at.items[0])) << choice.to_json().dump();
    for (const std::size_t number : after.table().tensors.at(cache).reads) {
      const Access& read = after.table().accesses[number];
      EXPECT_TRUE(read.is_accumulator || is_defined(after, read)) << choice.to_json().dump();
    }
    ++copies;
  }
}

TEST(PlacedCopies, ResultsAgree) {
  const std::uint64_t step = soaked(1) > 1 ? 1 : 5;
  std::size_t copies = 0;
  const auto& types = zoo::all_types();
  for (std::size_t i = 0; i < types.size(); i += step) {
    const auto made = zoo_program(std::string(types[i].name), {}, DType::f32);
    ASSERT_TRUE(made.ok()) << types[i].name;
    expect_well_placed(made->program, copies);
  }
  for (const char* text : {
           "B(bx,2)[B(tx,4)[D:s[tx]=C[bx*4+tx];];B(tx,4)L(a,6)[E[bx*4+tx,a]=D:s[3-tx]*A[bx*4+tx,a];];];",
           "B(bx,2)L(c,2)[B(tx,2)[D[bx*4+c*2+tx]=C[bx*4+c*2+tx];];B(ty,2)L(a,6)[E[bx*4+c*2+ty,a]=A[bx*4+c*2+ty,a];];];",
           "L(c,8)[B(tx,6)[D[c,tx]=A[c,tx];];B(tx,6)[E[c,tx]=D[c,tx]*C[c];];];",
       }) {
    expect_well_placed(strategy_program(std::string(kHead) + text), copies);
  }
  EXPECT_GT(copies, 300U);
}

}  // namespace
}  // namespace steptp::testing
