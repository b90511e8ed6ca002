#include "steptp/plans/plan.h"

#include <gtest/gtest.h>

#include "source_dir.h"
#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/plans/listing.h"
#include "steptp/text/printer.h"
#include "testing/move_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kChain = R"(
@input A f32[8,6]
@output E f32[8,6]
B(tx,8)L(a,6)[D[tx,a]=A[tx,a]*2;];B(tx,8)L(a,6)[E[tx,a]=exp(D[tx,a]);];
)";

Plan plan_for(const Program& program) {
  Plan plan{root_hash(program), "cuda", {}};
  plan.moves.push_back({"inline", *choice_from_json(*parse_json(R"({"at":"0","form":"producer"})"))});
  plan.moves.push_back({"step", *choice_from_json(*parse_json(
                                    R"({"at":"0:loop[1]","strategy":"loop_split","inner":3,"kind":"inner"})"))});
  return plan;
}

TEST(MovesPage, IsWhatTheMovesSay) {
  const auto page = read_file(concat(STEPTP_SOURCE_DIR, "/docs/moves.md"));
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(*page, moves_page()) << "run: steptp moves --markdown > docs/moves.md";
}

TEST(Plan, ReplaysToTheSameBytes) {
  const Program program = move_program(kChain);
  const Plan plan = plan_for(program);
  const auto read = plan_from_json(*parse_json(to_json(plan).dump()));
  ASSERT_TRUE(read.ok()) << read.error();
  EXPECT_EQ(to_json(*read).dump(), to_json(plan).dump());
  const auto first = replay(program, plan);
  const auto second = replay(program, *read);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(print(first->program), print(second->program));
  EXPECT_EQ(first->recipe.size(), 2U);
  EXPECT_TRUE(first->map.of(*parse_site("0")).empty());
  EXPECT_EQ(first->map.of(*parse_site("1:loop[1]")).size(), 2U);
}

TEST(Plan, IsForOneProgram) {
  const Program program = move_program(kChain);
  const Plan plan = plan_for(program);
  EXPECT_EQ(other_root(program, plan), "");
  Program renamed = program;
  renamed.name = "Another";
  EXPECT_EQ(other_root(renamed, plan), "");
  const auto end = replay(program, plan);
  ASSERT_TRUE(end.ok());
  EXPECT_NE(other_root(end->program, plan).find("the plan is for another program"), std::string::npos);
}

TEST(Plan, SaysWhichMoveStops) {
  const Program program = move_program(kChain);
  const Plan plan = plan_for(program);
  const auto other =
      retuned(plan, 2,
              *choice_from_json(*parse_json(R"({"at":"0:loop[1]","strategy":"loop_split","inner":9,"kind":"inner"})")));
  ASSERT_TRUE(other.ok());
  const auto stopped = replay(program, *other);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().move, 2U);
  EXPECT_TRUE(to_text(stopped.error(), *other).starts_with("move 2 of 2: step refused [step] at 0:loop[1]: step 1, "))
      << to_text(stopped.error(), *other);
  EXPECT_FALSE(retuned(plan, 3, plan.moves[0].choice).ok());
  EXPECT_FALSE(retuned(plan, 0, plan.moves[0].choice).ok());
}

/// A plan file in which one part is another.
std::string error_of(std::string_view what, std::string_view instead) {
  const std::string hash(64, 'a');
  std::string text =
      concat(R"({"version":1,"root":")", hash, R"(","target":"","moves":[{"move":"inline","choice":{"at":"0"}}]})");
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  text.replace(at, what.size(), instead);
  const auto plan = plan_from_json(*parse_json(text));
  return plan.ok() ? "" : plan.error();
}

TEST(Plan, RefusesDamagedFiles) {
  EXPECT_EQ(error_of("\"version\":1", "\"version\":1"), "");
  EXPECT_EQ(error_of("\"version\":1", "\"version\":2"), "the plan has version 2; this program reads version 1");
  EXPECT_EQ(error_of("\"version\":1,", ""), "the key \"version\" is missing or no integer");
  EXPECT_EQ(error_of("aaaa", "zzzz"), "\"root\" is not a SHA-256 hash: 64 digits and letters from a to f");
  EXPECT_EQ(error_of("\"target\":\"\",", ""), "the key \"target\" is missing or no string");
  EXPECT_EQ(error_of("\"target\"", "\"device\":1,\"target\""),
            "there is no key \"device\" in a plan; the keys are version, root, target, moves");
  EXPECT_EQ(error_of("\"choice\":", "\"note\":1,\"choice\":"),
            "move 1: there is no key \"note\" beside a move; the keys are move, choice");
  EXPECT_NE(error_of("inline", "inlin").find("move 1: unknown move 'inlin'"), std::string::npos);
  EXPECT_EQ(error_of("\"at\":\"0\"", "\"at\":\"zero\"").substr(0, 8), "move 1: ");
  EXPECT_EQ(error_of("\"moves\":[", "\"moves\":7,\"more\":["), "the key \"moves\" is missing or no array");
  EXPECT_EQ(plan_from_json(*parse_json("[]")).ok(), false);
}

}  // namespace
}  // namespace steptp::testing
