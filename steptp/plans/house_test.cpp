// The properties that every move in the registry inherits.
#include <gtest/gtest.h>

#include <ctime>
#include <iostream>

#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/documents/zoo_program.h"
#include "steptp/plans/listing.h"
#include "steptp/plans/registry.h"
#include "steptp/strategies/parameters.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "steptp/zoo/types.h"
#include "testing/move_test.h"
#include "testing/soak.h"
#include "testing/zoo_share.h"

namespace steptp::testing {
namespace {

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

class MoveHouse : public ::testing::TestWithParam<const Move*> {};

std::vector<std::string> all_texts(const Listing& listing) {
  std::vector<std::string> out;
  for (const ChoiceSite& site : listing.sites) {
    out.push_back(concat(to_text(site.at), " ", site.count()));
    for (const ParameterDomain& domain : site.parameters) out.push_back(domain.to_json().dump());
  }
  for (const Refusal& refusal : listing.refusals) out.push_back(to_text("", refusal));
  return out;
}

/// Programs of the zoo at their default shapes: what is listed can be made, checks, and is equal.
TEST_P(MoveHouse, OnProgramsOfTheZoo) {
  const Move& move = *GetParam();
  const double begin = cpu_seconds();
  std::size_t types = 0;
  std::size_t made = 0;
  std::size_t undecided = 0;
  std::size_t number = 0;
  const ZooShare share = zoo_share(move);
  for (const zoo::ProgramType& type : zoo::all_types()) {
    if (!share.has(number++)) continue;
    const auto program = zoo_program(type.name, {}, move.zoo_dtype);
    ASSERT_TRUE(program.ok()) << type.name;
    View view(program->program);
    const Listing listing = list_choices(move, view, true);
    for (const Refusal& refusal : listing.refusals) note_move_refusal(move.name, refusal);
    if (listing.sites.empty()) continue;
    Random random(soak_seed(types + 1));
    ++types;
    for (std::uint64_t draw = 0; draw < soaked(1); ++draw) {
      const ChoiceSite& site = listing.sites[random.below(listing.sites.size())];
      const Choice choice = site.choice(random.below(site.count()));
      EXPECT_TRUE(site.contains(choice));
      ++made;
      if (!check_move(move, program->program, choice)) {
        ++undecided;
        if (soaked(1) > 1)
          std::cout << move.name << " undecided: " << type.name << " " << choice.to_json().dump() << "\n";
      }
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(types, 0U) << move.name;
  if (soaked(1) > 1) {
    EXPECT_GE(types, move.zoo_types) << move.name << " says that it is offered on " << move.zoo_types << " types";
  }
  std::cout << move.name << ": on " << types << " zoo types, " << made << " made, " << undecided << " undecided, "
            << cpu_seconds() - begin << " s\n";
}

TEST_P(MoveHouse, ListsTheSameTwice) {
  const Move& move = *GetParam();
  const Document document = read_document("example", std::string(move.example.program));
  ASSERT_TRUE(document.ok);
  View view(document.program);
  View again(document.program);
  EXPECT_EQ(all_texts(list_choices(move, view, true)), all_texts(list_choices(move, again, true)));
}

TEST_P(MoveHouse, DescribesItself) {
  const Move& move = *GetParam();
  EXPECT_FALSE(move.summary.empty());
  EXPECT_NE(move.picture.find("-->"), std::string_view::npos);
  const Document document = read_document("example", std::string(move.example.program));
  ASSERT_TRUE(document.ok) << move.example.program;
  const auto choice = choice_from_json(*parse_json(move.example.choice));
  ASSERT_TRUE(choice.ok());
  EXPECT_TRUE(check_move(move, document.program, *choice));
  View view(document.program);
  const Choice whole = with_fallbacks(move.parameters, *choice);
  bool listed = false;
  for (const ChoiceSite& site : list_choices(move, view).sites) listed = listed || site.contains(whole);
  EXPECT_TRUE(listed) << "the example is not among the choices";
  EXPECT_NE(explain(move).find("-->"), std::string::npos);
  ASSERT_FALSE(move.needs.empty());
  EXPECT_EQ(move.needs[0].id, kStep.id);
}

INSTANTIATE_TEST_SUITE_P(Moves, MoveHouse, ::testing::ValuesIn(all_moves()),
                         [](const auto& instance) { return std::string(instance.param->name); });

}  // namespace
}  // namespace steptp::testing
