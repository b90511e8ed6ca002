#include "testing/strategy_test.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "steptp/base/text.h"
#include "steptp/ir/canonical.h"
#include "steptp/recipe/registry.h"
#include "steptp/safety/check.h"
#include "steptp/strategies/view.h"
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
  for (const Strategy* strategy : all_strategies()) {
    for (const auto& list : {strategy->published, strategy->safety}) {
      for (const Precondition& item : list) out.push_back(RefusalNotes::note(strategy->name, item.id));
    }
  }
  return out;
});
const ::testing::Environment* const kEnvironment = ::testing::AddGlobalTestEnvironment(kNotes);

const Strategy& strategy_named(std::string_view name) {
  const Strategy* strategy = find_strategy(name);
  if (!strategy) throw std::runtime_error(concat("no strategy ", name));
  return *strategy;
}

}  // namespace

Program strategy_program(std::string_view text) { return shorthand_program(text, {{"T", "f32"}}); }

std::string vector_nest(std::string_view right) { return concat("B(tx,8)[E[tx]=", right, ";];\n"); }
std::string vector_program(std::string_view right) { return concat(kVectors, vector_nest(right)); }
std::string row_nest(std::string_view right) { return concat("B(tx,8)L(a,6)[E[tx,a]=", right, ";];\n"); }

void note_refusal(std::string_view strategy, const Refusal& refusal) { kNotes->add(strategy, refusal); }

void expect_rewrite(std::string_view strategy, std::string_view before, std::string_view choice, std::string_view after,
                    HouseResult result) {
  const Program program = strategy_program(before);
  View view(program);
  const auto applied = apply(strategy_named(strategy), view, choice_of(choice));
  ASSERT_TRUE(applied.ok()) << to_text(strategy, applied.error()) << "\n" << before;
  const Program wanted = strategy_program(concat(header_of(before), after));
  EXPECT_TRUE(same_up_to_renaming(applied->program, wanted))
      << strategy << " " << choice << "\n got    " << print(applied->program) << "\n wanted " << print(wanted);
  EXPECT_EQ(check_application(strategy_named(strategy), program, choice_of(choice)), result);
}

namespace {

Judgement judged_step(std::string_view strategy, std::string_view before, std::string_view choice) {
  const Program program = strategy_program(before);
  View view(program);
  const auto applied = apply(strategy_named(strategy), view, choice_of(choice));
  if (!applied) throw std::runtime_error(to_text(strategy, applied.error()));
  return verify(program, applied->program);
}

}  // namespace

void expect_safe_rewrite(std::string_view strategy, std::string_view before, std::string_view choice,
                         std::string_view after) {
  expect_rewrite(strategy, before, choice, after);
  const Judgement judgement = judged_step(strategy, before, choice);
  EXPECT_TRUE(is_equal(judgement.verdict) && judgement.is_safe()) << strategy << " " << choice << "\n"
                                                                  << judgement.reason;
}

void expect_unsafe_step(std::string_view strategy, std::string_view before, std::string_view choice) {
  const Judgement judgement = judged_step(strategy, before, choice);
  EXPECT_TRUE(is_equal(judgement.verdict)) << strategy << " " << choice << "\n" << judgement.reason;
  EXPECT_EQ(judgement.safe, Shown::no) << strategy << " " << choice;
}

void expect_refusal(std::string_view strategy, std::string_view before, std::string_view choice,
                    std::string_view precondition) {
  const Program program = strategy_program(before);
  View view(program);
  const auto applied = apply(strategy_named(strategy), view, choice_of(choice));
  ASSERT_FALSE(applied.ok()) << strategy << " " << choice << " was applied to\n"
                             << print(program) << "\nand gave\n"
                             << print(applied->program);
  EXPECT_EQ(applied.error().precondition->id, precondition) << to_text(strategy, applied.error());
  note_refusal(strategy, applied.error());
}

Program after_step(std::string_view strategy, const Program& program, std::string_view choice) {
  View view(program);
  const auto applied = apply(strategy_named(strategy), view, choice_of(choice));
  EXPECT_TRUE(applied.ok()) << to_text(strategy, applied.error()) << "\n" << print(program);
  if (!applied) return program;
  EXPECT_NE(check_application(strategy_named(strategy), program, choice_of(choice)), HouseResult::bad);
  return applied->program;
}

void expect_no_choice(std::string_view strategy, std::string_view text, std::string_view precondition) {
  const Program program = strategy_program(text);
  View view(program);
  const Listing listing = list_choices(strategy_named(strategy), view, true, true);
  EXPECT_TRUE(listing.sites.empty()) << strategy << " lists " << listing.sites[0].choice(0).to_json().dump() << "\n"
                                     << text;
  bool found = false;
  for (const Refusal& refusal : listing.refusals) {
    found = found || refusal.precondition->id == precondition;
    note_refusal(strategy, refusal);
  }
  EXPECT_TRUE(found) << strategy << " does not refuse because of [" << precondition << "]\n" << text;
}

std::vector<std::string> listed(std::string_view strategy, std::string_view text, bool extended,
                                std::uint64_t per_site) {
  const Program program = strategy_program(text);
  View view(program);
  std::vector<std::string> out;
  for (const ChoiceSite& site : list_choices(strategy_named(strategy), view, extended).sites) {
    for (std::uint64_t i = 0; i < std::min(site.count(), per_site); ++i) {
      out.push_back(site.choice(i).to_json().dump());
    }
  }
  return out;
}

HouseResult check_application(const Strategy& strategy, const Program& before, const Choice& choice) {
  const std::string about = concat(strategy.name, " ", choice.to_json().dump(), " on\n", print(before), "\n");
  const std::string input = print_document(before, Profile::paper);
  View view(before);
  const auto applied = apply(strategy, view, choice);
  if (!applied) {
    ADD_FAILURE() << about << "is listed and refused: " << to_text(strategy.name, applied.error());
    return HouseResult::bad;
  }
  const Program& after = applied->program;
  const std::string output = print_document(after, Profile::paper);
  bool good = true;
  const auto want = [&](bool holds, std::string_view what) {
    good = good && holds;
    EXPECT_TRUE(holds) << about << "gives\n" << print(after) << "\n" << what;
  };
  want(print_document(before, Profile::paper) == input, "the input was changed");
  want(!equal_nests(before, after), "nothing was changed");
  want(before.signature == after.signature, "the signature was changed");
  const Document again = read_document("again", output);
  want(again.ok && equal(again.program, after), "the result does not read back as it was printed");
  const Document reread = read_document("before", input);
  const auto replayed_choice = choice_from_json(*parse_json(choice.to_json().dump()));
  View other(reread.program);
  const auto replayed = apply(strategy, other, *replayed_choice);
  want(replayed && print_document(replayed->program, Profile::paper) == output, "it does not replay to the same bytes");
  for (const Part& part : applied->facts.matched) {
    want(!std::holds_alternative<std::monostate>(resolve(before.nests, part.site)), "a matched part is not there");
  }
  for (const Part& part : applied->facts.removed) {
    want(!std::holds_alternative<std::monostate>(resolve(before.nests, part.site)), "a removed part was not there");
  }
  for (const Part& part : applied->facts.added) {
    want(!std::holds_alternative<std::monostate>(resolve(after.nests, part.site)),
         concat("an added part is not there: ", to_text(part.site)));
  }
  want(!applied->facts.because.empty() && !applied->facts.matched.empty(), "the facts are empty");
  if (!good) return HouseResult::bad;
  const Judgement judgement = verify(before, after, without_safety());
  if (is_equal(judgement.verdict)) return HouseResult::good;
  if (judgement.unusable) return HouseResult::undecided;
  // Evidence is not equality, but it is not a difference either.
  if (judgement.verdict == Grade::undecided || judgement.verdict == Grade::numeric) {
    const OracleOpinion opinion = ask_oracle(before, after, 1);
    want(!opinion.difference, concat("undecided, but the oracle sees ", opinion.difference.value_or("")));
    return good ? HouseResult::undecided : HouseResult::bad;
  }
  ADD_FAILURE() << about << describe(before, after, judgement);
  return HouseResult::bad;
}

}  // namespace steptp::testing
