#include "steptp/strategies/handles.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "source_dir.h"
#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/documents/zoo_program.h"
#include "steptp/recipe/registry.h"
#include "steptp/recipe/selection.h"
#include "steptp/strategies/rewrite.h"
#include "steptp/strategies/view.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "steptp/zoo/types.h"
#include "testing/soak.h"
#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

struct Row {
  std::string strategy;
  std::string choice;
  std::string program;
  std::string expected;  ///< the lines behind ---
};

std::vector<Row> read_rows() {
  std::vector<Row> out;
  const auto text = read_file(concat(STEPTP_SOURCE_DIR, "/steptp/strategies/handles_test.rows"));
  EXPECT_TRUE(text.ok());
  if (!text) return out;
  std::istringstream lines(*text);
  bool behind = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# ")) {
      const std::size_t space = line.find(' ', 2);
      out.push_back({line.substr(2, space - 2), line.substr(space + 1), {}, {}});
      behind = false;
    } else if (line == "---") {
      behind = true;
    } else if (!out.empty() && !line.empty()) {
      append(behind ? out.back().expected : out.back().program, line, "\n");
    }
  }
  return out;
}

Program program_of(const Row& row) {
  if (row.program.find("^{") == std::string::npos) return strategy_program(row.program);
  return read_document(row.strategy, row.program).program;
}

Choice choice_of(const std::string& text) { return choice_from_json(*parse_json(text)).value(); }

std::string text_of(const std::vector<Site>& sites) {
  return join(sites, " ", [](const Site& site) { return to_text(site); });
}

/// A map as the rows have it.
std::string text_of(const HandleMap& map) {
  std::string out;
  for (const auto& [site, images] : map.images()) {
    if (images.size() == 1 && images[0] == site) continue;
    append(out, to_text(site), " -> ", images.empty() ? "gone" : text_of(images), "\n");
  }
  if (!map.added().empty()) append(out, "+ ", text_of(map.added()), "\n");
  return out;
}

TEST(Handles, FollowPartsAsTheRowsSay) {
  for (const Row& row : read_rows()) {
    const Program program = program_of(row);
    const auto tracked = apply_tracked(*find_strategy(row.strategy), program, choice_of(row.choice));
    ASSERT_TRUE(tracked.ok()) << row.strategy << " " << row.choice << "\n" << to_text(row.strategy, tracked.error());
    EXPECT_EQ(text_of(tracked->map), row.expected) << row.strategy << " " << row.choice << "\n"
                                                   << print(program) << "\n"
                                                   << print(tracked->applied.program);
  }
}

TEST(Handles, HaveARowForEveryStrategy) {
  std::set<std::string, std::less<>> seen;
  for (const Row& row : read_rows()) seen.insert(row.strategy);
  for (const Strategy* strategy : all_strategies()) EXPECT_TRUE(seen.contains(strategy->name)) << strategy->name;
}

bool is_inside(const Site& part, const Site& around) {
  const bool below = part.items.size() >= around.items.size() &&
                     std::equal(around.items.begin(), around.items.end(), part.items.begin());
  if (!below || around.part == Site::Part::item) return below;
  // Inside an expression: the address of the one begins with that of the other.
  return part.items == around.items && part.part == around.part && part.path.size() >= around.path.size() &&
         std::equal(around.path.begin(), around.path.end(), part.path.begin());
}

/// The kind of what stands at an address, as something to compare.
std::string kind_at(const Program& program, const Site& site) {
  const SitePart part = resolve(program.nests, site);
  if (std::holds_alternative<const Nest*>(part)) return "nest";
  if (std::holds_alternative<const Loop*>(part)) return "loop";
  if (std::holds_alternative<const Equation*>(part)) return "equation";
  if (std::holds_alternative<const Ref*>(part)) return "left";
  if (std::holds_alternative<const Index*>(part)) return "subscript";
  const auto* expr = std::get_if<const Expr*>(&part);
  return expr && std::holds_alternative<Read>((*expr)->node) ? "read" : "nothing";
}

/// What holds of every map: it is of this program before and after, kinds stay, and every part after is an image or
/// added, one of the two; what is new lies where the facts say that something was added or changed.
void expect_sound(const Strategy& strategy, const Program& before, const Choice& choice) {
  const auto tracked = apply_tracked(strategy, before, choice);
  View view(before);
  const auto plain = apply(strategy, view, choice);
  const std::string about = concat(strategy.name, " ", choice.to_json().dump(), "\n", print(before), "\n");
  ASSERT_EQ(tracked.ok(), plain.ok()) << about;
  if (!tracked) return;
  const Program& after = tracked->applied.program;
  ASSERT_EQ(print_document(after, Profile::paper), print_document(plain->program, Profile::paper)) << about;
  const std::vector<Site> parts = followed_parts(before);
  ASSERT_EQ(tracked->map.images().size(), parts.size()) << about;
  std::set<std::string> images;
  for (const auto& [site, list] : tracked->map.images()) {
    for (const Site& image : list) {
      images.insert(to_text(image));
      EXPECT_EQ(kind_at(before, site), kind_at(after, image)) << about << to_text(site) << " " << to_text(image);
    }
  }
  std::set<std::string> added;
  for (const Site& site : tracked->map.added()) added.insert(to_text(site));
  for (const Site& site : followed_parts(after)) {
    EXPECT_NE(images.contains(to_text(site)), added.contains(to_text(site))) << about << to_text(site);
  }
  for (const Site& site : tracked->map.added()) {
    bool said = false;
    for (const Part& part : tracked->applied.facts.added) {
      // Facts may name the new equation, and not the nest that was put around it.
      said = said || is_inside(site, part.site) || is_inside(part.site, item_site(site.items));
    }
    if (!said && site.part == Site::Part::right) continue;  // a read in an equation that was changed
    EXPECT_TRUE(said) << about << to_text(site) << " is new, and the facts do not say so";
  }
  for (const auto& [site, list] : tracked->map.images()) {
    bool said = !list.empty();
    for (const Part& part : tracked->applied.facts.removed) {
      said = said || is_inside(site, part.site) || is_inside(part.site, item_site(site.items));
    }
    EXPECT_TRUE(said) << about << to_text(site) << " is gone, and the facts do not say so";
  }
}

TEST(Handles, AreSoundOnTheZoo) {
  std::uint64_t number = 0;
  const std::uint64_t stride = soaked(1) > 1 ? 1 : 4;
  for (const zoo::ProgramType& type : zoo::all_types()) {
    if (number++ % stride != 0) continue;
    const auto made = zoo_program(type.name, {}, DType::f32);
    ASSERT_TRUE(made.ok()) << type.name;
    View view(made->program);
    const Choices choices = list_choices(all_strategies(), view, true);
    for (const StrategyChoice& entry : sample_choices(choices, soaked(10), number)) {
      expect_sound(*entry.strategy, made->program, entry.choice);
      if (HasFailure()) return;
    }
  }
}

constexpr std::string_view kIndirect[] = {
    "@input A f32[9,6]\n@input I i64[8] [0,9)\n@output D f32[8,6]\ntx8 a6 D(tx,a)=A(I^i64(tx),a)*2;\n",
    "@input A f32[9,6]\n@input I i64[8] [0,9)\n@output D f32[8,6]\n"
    "tx8 a6 E(tx,a)=exp(A(I^i64(tx),a))+1;tx8 a6 D(tx,a)=E(tx,a)*exp(A(I^i64(tx),a));\n",
    "@input A f32[9]\n@input I i64[8] [0,9)\n@input J i64[6] [0,8)\n@output D f32[6]\n"
    "tx6 c2 D(tx)+=A(I^i64(J^i64(tx)))*c;\n",
};

TEST(Handles, FollowReadsInSubscripts) {
  const auto images = [](std::string_view strategy, std::string_view program, std::string_view choice,
                         std::string_view site) {
    const auto tracked =
        apply_tracked(*find_strategy(strategy), read_document("indirect", std::string(program)).program,
                      choice_of(std::string(choice)));
    if (!tracked) return to_text(strategy, tracked.error());
    const Json json = tracked->map.to_json();
    const Json* list = json.find(site);
    return list ? list->dump() : "no entry";
  };
  EXPECT_EQ(images("loop_parallelization", kIndirect[0], R"({"at":"0:loop[1]"})", "0/0:right.0[0]"),
            R"(["0/0:right.0[0]"])");
  EXPECT_EQ(images("loop_split", kIndirect[0], R"({"at":"0:loop[0]","inner":4,"kind":"inner"})", "0/0:right.0[0]"),
            R"(["0/0:right.0[0]"])");
  EXPECT_EQ(images("compute_inline", kIndirect[1], R"({"at":"0/0"})", "0/0:right.0.0[0]"), R"(["0/0:right.0.0.0[0]"])");
  EXPECT_EQ(images("loop_split", kIndirect[2], R"({"at":"0:loop[0]","inner":3,"kind":"inner"})", "0/0:right.1.0[0]"),
            R"(["0/0:right.1.0[0]"])");
}

TEST(Handles, AreSoundWhereSubscriptsRead) {
  for (const std::string_view text : kIndirect) {
    const Document document = read_document("indirect", std::string(text));
    ASSERT_TRUE(document.ok) << text;
    const Program& program = document.program;
    View view(program);
    const Choices choices = list_choices(all_strategies(), view, true);
    for (const StrategyChoice& entry : sample_choices(choices, soaked(60), 7)) {
      expect_sound(*entry.strategy, program, entry.choice);
      if (HasFailure()) return;
    }
  }
}

/// Steps drawn one after the other, followed step by step and by the map of all of them.
TEST(Handles, AreFollowedThroughRecipes) {
  const Row row = read_rows().front();
  for (std::uint64_t seed = 0; seed < soaked(20); ++seed) {
    Program program = program_of(row);
    HandleMap whole = HandleMap::identity(program);
    std::vector<HandleMap> maps;
    std::map<Site, Handle, SiteOrder> handles;
    for (const Site& site : followed_parts(program)) handles.emplace(site, Handle(site));
    for (std::uint64_t step = 0; step < 5; ++step) {
      View view(program);
      const auto drawn = sample_choices(list_choices(all_strategies(), view, true), 1, seed * 7 + step);
      if (drawn.empty()) break;
      auto tracked = apply_tracked(*drawn[0].strategy, program, drawn[0].choice);
      ASSERT_TRUE(tracked.ok());
      for (auto& [site, handle] : handles) handle.follow(tracked->map);
      whole = whole.then(tracked->map);
      maps.push_back(tracked->map);
      program = tracked->applied.program;
    }
    for (const auto& [site, handle] : handles) EXPECT_EQ(text_of(handle.sites()), text_of(whole.of(site)));
    // Every part at the end is an image or added, one of the two.
    std::set<Site, SiteOrder> images;
    for (const auto& [site, list] : whole.images()) images.insert(list.begin(), list.end());
    const std::set<Site, SiteOrder> added(whole.added().begin(), whole.added().end());
    for (const Site& site : followed_parts(program)) EXPECT_NE(images.contains(site), added.contains(site));
    // Steps may be put together in any order.
    if (maps.size() < 3) continue;
    EXPECT_EQ(text_of(maps[0].then(maps[1]).then(maps[2])), text_of(maps[0].then(maps[1].then(maps[2]))));
  }
}

TEST(Handles, AHandleKnowsWhetherItIsOne) {
  const Program program = strategy_program(R"(
@input A f32[8,6]
@output D f32[8,6]
B(tx,8)L(a,6)[D[tx,a]=A[tx,a];];
)");
  const auto split =
      apply_tracked(*find_strategy("loop_split"), program, choice_of(R"({"at":"0:loop[1]","inner":3,"kind":"inner"})"));
  ASSERT_TRUE(split.ok());
  Handle loop(*parse_site("0:loop[1]"));
  ASSERT_TRUE(loop.only());
  loop.follow(split->map);
  EXPECT_FALSE(loop.only());
  EXPECT_FALSE(loop.is_gone());
  EXPECT_EQ(text_of(loop.sites()), "0:loop[1] 0:loop[2]");
  EXPECT_EQ(split->map.to_json().find("0:loop[1]")->dump(), R"(["0:loop[1]","0:loop[2]"])");
  loop.follow(HandleMap());
  EXPECT_TRUE(loop.is_gone());
}

}  // namespace
}  // namespace steptp::testing
