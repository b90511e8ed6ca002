#include "testing/move_test.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "steptp/base/text.h"
#include "steptp/ir/canonical.h"
#include "steptp/plans/registry.h"
#include "steptp/safety/check.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "steptp/verify/verify.h"
#include "testing/judge_support.h"
#include "testing/refusal_notes.h"
#include "testing/shorthand.h"

namespace steptp::testing {

namespace {

RefusalNotes* const kNotes = new RefusalNotes([] {
  std::vector<std::string> out;
  for (const Move* move : all_moves()) {
    for (const Precondition& need : move->needs) out.push_back(RefusalNotes::note(move->name, need.id));
  }
  return out;
});
const ::testing::Environment* const kEnvironment = ::testing::AddGlobalTestEnvironment(kNotes);

const Move& move_named(std::string_view name) {
  const Move* move = find_move(name);
  if (!move) throw std::runtime_error(concat("no move ", name));
  return *move;
}

bool has_error(const Program& program) { return check_program(program).verdict == CheckReport::Verdict::errors; }

}  // namespace

Program move_program(std::string_view text) { return shorthand_program(text, {{"T", "f32"}}); }

void note_move_refusal(std::string_view move, const Refusal& refusal) { kNotes->add(move, refusal); }

void expect_move(std::string_view move, std::string_view before, std::string_view choice, std::string_view after) {
  const Program program = move_program(before);
  const auto moved = apply(move_named(move), program, choice_of(choice));
  ASSERT_TRUE(moved.ok()) << to_text(move_named(move), moved.error()) << "\n" << before;
  const Program wanted = move_program(concat(header_of(before), after));
  EXPECT_TRUE(same_up_to_renaming(moved->program, wanted))
      << move << " " << choice << "\n got    " << print(moved->program) << "\n wanted " << print(wanted);
  EXPECT_TRUE(check_move(move_named(move), program, choice_of(choice)));
}

void expect_move_refusal(std::string_view move, std::string_view before, std::string_view choice, std::string_view need,
                         std::string_view message) {
  const Program program = move_program(before);
  const auto moved = apply(move_named(move), program, choice_of(choice));
  ASSERT_FALSE(moved.ok()) << move << " " << choice << " was made and gave\n" << print(moved->program);
  EXPECT_EQ(moved.error().refusal.precondition->id, need) << to_text(move_named(move), moved.error());
  EXPECT_NE(moved.error().refusal.message.find(message), std::string::npos) << to_text(move_named(move), moved.error());
  note_move_refusal(move, moved.error().refusal);
}

Program after_move(std::string_view move, const Program& program, std::string_view choice) {
  const auto moved = apply(move_named(move), program, choice_of(choice));
  EXPECT_TRUE(moved.ok()) << to_text(move_named(move), moved.error()) << "\n" << print(program);
  if (!moved) return program;
  EXPECT_TRUE(check_move(move_named(move), program, choice_of(choice)));
  return moved->program;
}

bool check_move(const Move& move, const Program& before, const Choice& choice) {
  const std::string about = concat(move.name, " ", choice.to_json().dump(), " on\n", print(before), "\n");
  const auto moved = apply(move, before, choice);
  if (!moved) {
    ADD_FAILURE() << about << "is listed and refused: " << to_text(move, moved.error());
    return true;
  }
  const Program& after = moved->program;
  EXPECT_TRUE(before.signature == after.signature) << about;
  EXPECT_EQ(moved->facts.size(), moved->recipe.size()) << about;
  const auto recipe = recipe_from_json(*parse_json(to_json(moved->recipe).dump()));
  const auto replayed = recipe ? replay(before, *recipe) : Result<Replayed, Stopped>(Stopped{});
  EXPECT_TRUE(replayed && print_document(replayed->program, Profile::paper) == print_document(after, Profile::paper))
      << about << "does not replay to the same bytes";
  const auto untracked = apply(move, before, choice, Tracking::off);
  EXPECT_TRUE(untracked && print(untracked->program) == print(after)) << about << "is another move without tracking";
  EXPECT_EQ(moved->map.images().size(), followed_parts(before).size()) << about;
  std::set<std::string> known;
  for (const auto& [site, images] : moved->map.images()) {
    for (const Site& image : images) known.insert(to_text(image));
  }
  for (const Site& site : moved->map.added()) known.insert(to_text(site));
  for (const Site& site : followed_parts(after)) EXPECT_TRUE(known.contains(to_text(site))) << about << to_text(site);
  EXPECT_TRUE(has_error(before) || !has_error(after)) << about << "gives what check refuses:\n" << print(after);
  if (::testing::Test::HasFailure()) return true;
  VerifyOptions options;
  options.safety_budget = 0;
  options.budget = 20'000'000;
  const Judgement judgement = verify(before, after, options);
  if (is_equal(judgement.verdict)) return true;
  if (judgement.unusable || judgement.verdict == Grade::undecided || judgement.verdict == Grade::numeric) return false;
  ADD_FAILURE() << about << describe(before, after, judgement);
  return true;
}

}  // namespace steptp::testing
