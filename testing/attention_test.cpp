// Every kind of attention of the zoo becomes one kernel by the move `flash`.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <sstream>

#include "source_dir.h"
#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/documents/zoo_program.h"
#include "steptp/ir/canonical.h"
#include "steptp/plans/registry.h"
#include "steptp/safety/check.h"
#include "steptp/strategies/view.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "steptp/verify/verify.h"
#include "testing/attention_judging.h"
#include "testing/attention_moves.h"
#include "testing/judge_support.h"
#include "testing/soak.h"

namespace steptp::testing {
namespace {

constexpr FlashSizes kSmall = {2, 2, 1, "keys"};
/// One thread for a query; two, with keys of their own, and with parts of the head.
const FlashSizes kForms[] = {kSmall, {2, 2, 2, "keys"}, {2, 2, 2, "head"}};

Program zoo_text(const std::string& name, const zoo::Arguments& arguments) {
  const auto program = zoo_program(name, arguments, DType::f32);
  EXPECT_TRUE(program.ok()) << name;
  return program->program;
}

Program alone(const Program& program, std::uint32_t expression) {
  Program out;
  out.nests = {program.nests[expression]};
  return out;
}

/// One kernel that keeps what it computes in `s` and `l`, but for its result.
void expect_in_one_kernel(const FlashAttention& made) {
  EXPECT_EQ(made.moved.program.nests[made.kernel]->loops.size(), 3U);
  const Program kernel = alone(made.moved.program, made.kernel);
  std::size_t global = 0;
  for (const Statement& statement : collect_accesses(kernel).statements) {
    global += statement.equation->left->scope == Scope::global ? 1 : 0;
  }
  EXPECT_EQ(global, 1U) << print(made.moved.program);
}

void expect_checked(const std::string& name, const Program& program) {
  const CheckReport report = check_program(program, {find_device("nvidia-h200")});
  EXPECT_EQ(report.verdict, CheckReport::Verdict::ok) << name;
  for (const Diagnostic& diagnostic : report.diagnostics) {
    ADD_FAILURE() << name << " " << diagnostic.id << ": " << diagnostic.message;
  }
}

TEST(Attention, EveryTypeAtItsDefaultShape) {
  const std::vector<std::string> types = attention_types();
  EXPECT_EQ(types.size(), 33U);
  for (std::size_t i = 0; i < types.size(); ++i) {
    for (const FlashSizes& most : {FlashSizes{}, FlashSizes{32, 64, 4, i % 2 == 0 ? "keys" : "head"}}) {
      const auto made = make_flash(zoo_text(types[i], {}), most);
      ASSERT_TRUE(made.ok()) << types[i] << ": " << made.error();
      expect_in_one_kernel(*made);
      expect_checked(types[i], made->moved.program);
    }
  }
}

/// Batches of one, single keys, prime lengths, heads of two to 255.
TEST(Attention, EveryTypeAtDrawnShapes) {
  std::uint64_t number = 0;
  for (const std::string& name : attention_types()) {
    for (std::uint64_t draw = 0; draw < soaked(1); ++draw) {
      const auto drawn = zoo_program_drawn(name, {}, DType::f32, soak_seed(1 + number++ % 3 + 3 * draw));
      ASSERT_TRUE(drawn.ok()) << name;
      const auto made = make_flash(drawn->program, number % 2 == 0 ? FlashSizes{} : FlashSizes{32, 64, 8, "keys"});
      ASSERT_TRUE(made.ok()) << name << ": " << made.error();
      expect_in_one_kernel(*made);
    }
  }
}

/// Ends of the recipe from which the move was made: for heads of 16, of 64, whose queries go into `s`, and of 128 and
/// 256, whose outputs do too.
TEST(Attention, EndsOfTheRecipe) {
  const auto text = read_file(concat(STEPTP_SOURCE_DIR, "/testing/data/attention/ends.jsonl"));
  ASSERT_TRUE(text.ok());
  std::size_t ends = 0;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    const Json json = *parse_json(line);
    const std::string& name = *json.find("type")->as_string();
    zoo::Arguments arguments;
    for (const auto& [key, value] : *json.find("arguments")->as_object()) arguments[key] = value.number();
    const auto choice = choice_from_json(*json.find("choice"));
    ASSERT_TRUE(choice.ok());
    const auto moved = apply(*find_move("flash"), zoo_text(name, arguments), *choice);
    ASSERT_TRUE(moved.ok()) << name << ": " << to_text(*find_move("flash"), moved.error());
    const Program wanted = read_document("end", *json.find("kernel")->as_string()).program;
    bool is_there = false;
    for (std::uint32_t i = 0; i < moved->program.nests.size(); ++i) {
      const Program one = read_document("one", print(alone(moved->program, i))).program;
      is_there = is_there || same_up_to_renaming(one, wanted);
    }
    EXPECT_TRUE(is_there) << name << "\n" << print(moved->program) << "\n" << print(wanted);
    expect_checked(name, moved->program);
    ++ends;
  }
  EXPECT_EQ(ends, 12U);
}

/// What one thread would have to hold of such heads does not fit into registers.
TEST(Attention, HeadsThatSeveralThreadsShare) {
  for (const double heads : {2, 4}) {
    for (const std::string_view scores : {"keys", "head"}) {
      const Program root = zoo_text("MQA", {{"n_embd", 512}, {"n_head", heads}, {"seq_len", 512}});
      const auto made = make_flash(root, {32, 64, 16, std::string(scores)});
      ASSERT_TRUE(made.ok()) << made.error();
      expect_in_one_kernel(*made);
      expect_checked("MQA", made->moved.program);
    }
  }
  const Program root = zoo_text("MQA", {{"n_embd", 96}, {"n_head", 2}, {"batch_size", 1}, {"seq_len", 4}});
  for (const FlashSizes& most :
       {FlashSizes{2, 2, 1, "keys"}, FlashSizes{4, 4, 8, "keys"}, FlashSizes{2, 2, 16, "head"}}) {
    const auto made = make_flash(root, most);
    ASSERT_TRUE(made.ok()) << made.error();
    const OracleOpinion opinion = ask_oracle(root, made->moved.program, 1);
    EXPECT_TRUE(opinion.compared);
    EXPECT_FALSE(opinion.difference.has_value()) << *opinion.difference;
  }
}

TEST(Attention, EveryTypeInSmallAgainstTheOracle) {
  std::size_t number = 0;
  for (const std::string& name : attention_types()) {
    const Program root = zoo_text(name, small_attention(name));
    const auto made = make_flash(root, kForms[number++ % std::size(kForms)]);
    ASSERT_TRUE(made.ok()) << name << ": " << made.error();
    const OracleOpinion opinion = ask_oracle(root, made->moved.program, 1);
    EXPECT_TRUE(opinion.compared) << name;
    EXPECT_FALSE(opinion.difference.has_value()) << name << ": " << *opinion.difference;
  }
}

/// Each form end against root. Where a tanh stands behind the attention the judge does not decide it (docs/status.md).
TEST(Attention, EndsAreEqualAndSafe) {
  for (const std::string name : {"MHA_sum", "MQA", "GQA_Gemm"}) {
    for (const FlashSizes& most : kForms) {
      const Program root = zoo_text(name, small_attention(name));
      const auto made = make_flash(root, most);
      ASSERT_TRUE(made.ok()) << name << ": " << made.error();
      const Judgement judgement = verify(root, made->moved.program);
      EXPECT_TRUE(is_equal(judgement.verdict)) << describe(root, made->moved.program, judgement);
      EXPECT_TRUE(judgement.is_safe()) << describe(root, made->moved.program, judgement);
    }
  }
}

/// At the default shape, by proof.
TEST(Attention, EndsAreProvedAtFullSize) {
  for (const FlashSizes& most : {FlashSizes{}, FlashSizes{32, 64, 4, "keys"}, FlashSizes{32, 64, 4, "head"}}) {
    const Program root = zoo_text("GQA", {});
    const auto made = make_flash(root, most);
    ASSERT_TRUE(made.ok()) << made.error();
    EXPECT_EQ(verify(root, made->moved.program, without_safety()).verdict, Grade::proved);
  }
}

/// Some types in an ordinary run, heads of each kind among them; all with STEPTP_SOAK. Where a tanh stands behind the
/// attention the judge does not decide the step to the online form (docs/status.md).
TEST(Attention, EveryStepInSmall) {
  const std::vector<std::string> types = attention_types();
  const std::uint64_t number = std::min<std::uint64_t>(types.size(), soaked(4));
  std::cout << table_header() << "\n";
  for (std::uint64_t i = 0; i < number; ++i) {
    const std::string& name = types[(10 * i) % types.size()];
    const Program root = zoo_text(name, small_attention(name));
    const auto made = make_flash(root, kForms[i % std::size(kForms)]);
    ASSERT_TRUE(made.ok()) << name << ": " << made.error();
    const Recipe& recipe = made->moved.recipe;
    const JudgedRecipe judged = judge_steps(root, recipe, {});
    std::cout << table_line(name, judged) << "\n";
    EXPECT_EQ(judged.steps(), recipe.size()) << name;
    EXPECT_EQ(judged.wrong, 0U) << name;
    EXPECT_EQ(judged.unsafe, 0U) << name;
    for (const std::string& line : judged.not_equal) {
      const bool is_known = name.find("Tanh") != std::string::npos && line.find("flashattention") != std::string::npos;
      EXPECT_TRUE(is_known) << name << ", " << line;
    }
  }
}

/// A step that is not what it says is seen.
TEST(Attention, AWrongStepIsSeen) {
  const Program root = zoo_text("MQA", small_attention("MQA"));
  auto made = make_flash(root, kSmall);
  ASSERT_TRUE(made.ok());
  made->moved.recipe.erase(made->moved.recipe.begin() + 3);
  EXPECT_EQ(judge_steps(root, made->moved.recipe, {}).wrong, 1U);
}

}  // namespace
}  // namespace steptp::testing
