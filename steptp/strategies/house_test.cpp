// The properties that every strategy in the registry inherits (design habit: join the registry, inherit the
// properties).
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <set>

#include "source_dir.h"
#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/ir/canonical.h"
#include "steptp/recipe/registry.h"
#include "steptp/strategies/view.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "steptp/text/strategy_names.h"
#include "testing/generator.h"
#include "testing/soak.h"
#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

struct Example {
  std::string id;
  std::string strategy;
  Program before;
  Program after;
};

std::vector<Example> read_pairs(const std::string& file) {
  std::vector<Example> out;
  const auto text = read_file(concat(STEPTP_SOURCE_DIR, "/testing/data/", file));
  EXPECT_TRUE(text.ok()) << file;
  if (!text) return out;
  for (std::size_t at = 0; at < text->size();) {
    const std::size_t end = std::min(text->find('\n', at), text->size());
    const auto json = parse_json(std::string_view(*text).substr(at, end - at));
    at = end + 1;
    if (!json) continue;
    Example example;
    example.id = *json->find("id")->as_string();
    if (const Json* strategy = json->find("strategy")) example.strategy = *strategy->as_string();
    for (const auto& [key, program] : {std::pair("before", &example.before), std::pair("after", &example.after)}) {
      Json record;
      record.set("program", "Example").set("signature", *json->find("signature")).set("leir", *json->find(key));
      const Document document = read_document(key, record.dump());
      EXPECT_TRUE(document.ok) << example.id;
      *program = document.program;
    }
    out.push_back(std::move(example));
  }
  return out;
}

const std::vector<Example>& examples() {
  static const std::vector<Example> kExamples = read_pairs("strategy_examples.jsonl");
  return kExamples;
}

/// The programs on which every site is tried: both sides of the examples and of the derivations, each once.
std::vector<Program> small_programs() {
  std::vector<Program> out;
  std::set<Hash> seen;
  for (const char* file : {"strategy_examples.jsonl", "derivation_targets.jsonl"}) {
    for (const Example& example : read_pairs(file)) {
      for (const Program* program : {&example.before, &example.after}) {
        if (seen.insert(canonical_hash(*program)).second) out.push_back(*program);
      }
    }
  }
  return out;
}

class House : public ::testing::TestWithParam<const Strategy*> {
 protected:
  /// Some choices of each site, other ones in each program. Of programs with many sites only some are tried, but for
  /// long runs: tiled ones have hundreds for a single strategy, which are alike.
  void try_choices(const Program& program, std::uint64_t per_site) {
    View view(program);
    const Listing listing = list_choices(*GetParam(), view, true, true);
    View again(program);
    EXPECT_EQ(all_texts(listing), all_texts(list_choices(*GetParam(), again, true, true))) << "listed twice, differs";
    for (const Refusal& refusal : listing.refusals) note_refusal(GetParam()->name, refusal);
    Random random(hash_of(program));
    constexpr std::size_t kSites = 12;
    const std::size_t stride = soaked(1) > 1 ? 1 : (listing.sites.size() + kSites - 1) / kSites;
    for (std::size_t number = stride > 1 ? random.below(stride) : 0; number < listing.sites.size(); number += stride) {
      const ChoiceSite& site = listing.sites[number];
      for (std::uint64_t i = 0; i < std::min(site.count(), per_site); ++i) {
        const Choice choice = site.choice(site.count() <= per_site ? i : random.below(site.count()));
        EXPECT_TRUE(site.contains(choice));
        ++applications_;
        if (check_application(*GetParam(), program, choice) == HouseResult::undecided) ++undecided_;
        if (HasFailure()) return;
      }
    }
  }

  static std::vector<std::string> all_texts(const Listing& listing) {
    std::vector<std::string> out;
    for (const ChoiceSite& site : listing.sites) {
      out.push_back(concat(to_text(site.at), site.extended ? " extended" : "", " ", site.count()));
      for (const ParameterDomain& domain : site.parameters) out.push_back(domain.to_json().dump());
    }
    for (const Refusal& refusal : listing.refusals) out.push_back(to_text("", refusal));
    return out;
  }

  void TearDown() override {
    std::cout << GetParam()->name << ": " << applications_ << " applications judged, " << undecided_ << " undecided\n";
  }

  std::uint64_t applications_ = 0;
  std::uint64_t undecided_ = 0;
};

TEST_P(House, ItsExamplesAreChoices) {
  for (const Example& example : examples()) {
    if (example.strategy != GetParam()->name) continue;
    View view(example.before);
    bool found = false;
    for (const ChoiceSite& site : list_choices(*GetParam(), view, true).sites) {
      for (std::uint64_t i = 0; i < std::min<std::uint64_t>(site.count(), 200) && !found; ++i) {
        const auto applied = apply(*GetParam(), view, site.choice(i));
        found = applied && same_up_to_renaming(applied->program, example.after);
        applications_ += found ? 1 : 0;
      }
    }
    EXPECT_TRUE(found) << example.id << ": no choice leads from\n"
                       << print(example.before) << "\nto\n"
                       << print(example.after);
  }
}

TEST_P(House, EveryChoiceOnSmallPrograms) {
  for (const Program& program : small_programs()) {
    try_choices(program, soaked(1) > 1 ? 4 : 1);
    if (HasFailure()) return;
  }
}

TEST_P(House, EveryChoiceOnGeneratedPrograms) {
  const std::uint64_t seeds = soaked(12);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Random random(seed + 1000);
    GeneratorOptions options;
    options.max_operations = 2000;
    options.affine_only = seed % 3 != 0;
    try_choices(generate_program(random, options), soaked(1) > 1 ? 2 : 1);
    if (HasFailure()) return;
  }
}

TEST_P(House, ItDescribesItself) {
  const Strategy& strategy = *GetParam();
  EXPECT_FALSE(strategy.summary.empty());
  EXPECT_NE(strategy.picture.find("-->"), std::string_view::npos);
  EXPECT_FALSE(strategy.reason.empty());
  if (!strategy.inverse.empty()) {
    const auto& names = strategy_names();
    EXPECT_NE(std::find(names.begin(), names.end(), strategy.inverse), names.end()) << strategy.inverse;
  }
  for (const Precondition& precondition : strategy.published) EXPECT_TRUE(is_published(precondition.check));
  for (const Precondition& precondition : strategy.safety) EXPECT_FALSE(is_published(precondition.check));
}

INSTANTIATE_TEST_SUITE_P(Strategies, House, ::testing::ValuesIn(all_strategies()),
                         [](const auto& instance) { return std::string(instance.param->name); });

/// Name, class and score of the published table.
TEST(Registry, ReproducesThePublishedClasses) {
  struct Row {
    std::string_view difficulty;
    int tenths;
  };
  const std::map<std::string_view, Row> kTable = {
      {"operator_fusion", {"medium", 12}},
      {"operator_fission", {"easy", 7}},
      {"compute_inline", {"medium", 12}},
      {"expression_splitting", {"medium", 15}},
      {"tensor_concat_to_fuse_operators", {"difficult", 52}},
      {"tensor_split_to_decouple_operators", {"difficult", 50}},
      {"common_subexpression_elimination", {"difficult", 32}},
      {"expression_reorder", {"medium", 11}},
      {"loop_reorder", {"medium", 11}},
      {"loop_tiling", {"difficult", 32}},
      {"loop_split", {"difficult", 31}},
      {"loop_fusion", {"difficult", 32}},
      {"loop_unrolling", {"medium", 10}},
      {"loop_parallelization", {"medium", 11}},
      {"loop_vectorization", {"medium", 11}},
      {"loop_binding", {"medium", 16}},
      {"reduction_factorization", {"difficult", 51}},
      {"cache_read_write", {"difficult", 25}},
      {"layout_transformation", {"difficult", 40}},
      {"set_storage_scope", {"difficult", 26}},
      {"set_storage_layout", {"difficult", 26}},
      {"precompute_indices", {"difficult", 31}},
      {"factorization", {"easy", 6}},
      {"expand_factorization", {"easy", 6}},
      {"cancellation", {"easy", 6}},
      {"expand_cancellation", {"easy", 6}},
      {"apart", {"easy", 6}},
      {"together", {"easy", 6}},
      {"powsimp", {"easy", 6}},
      {"expand_powsimp", {"easy", 6}},
      {"logsimp", {"easy", 6}},
      {"expand_log", {"easy", 6}},
      {"collect", {"easy", 6}},
      {"expand_collect", {"easy", 6}},
      {"exponential_split", {"medium", 16}},
      {"multiplicative_split", {"medium", 15}},
      {"additive_split", {"medium", 15}},
      {"partially_equivalent_then_correct", {"difficult", 50}},
      {"normal_loop_max_to_prefix_max", {"difficult", 46}},
      {"normal_loop_summation_on_exp_to_prefix_summation_on_exp", {"difficult", 51}},
      {"online_softmax", {"difficult", 41}},
      {"flashattention_wo_tiling", {"difficult", 51}},
      {"normal_matmul_to_prefix_matmul_based_on_online_softmax", {"difficult", 51}},
      {"dead_code_elimination", {"easy", 1}},
  };
  for (const Strategy* strategy : all_strategies()) {
    const auto row = kTable.find(strategy->name);
    if (row == kTable.end()) continue;
    EXPECT_EQ(strategy->score_in_tenths(), row->second.tenths) << strategy->name;
    EXPECT_EQ(strategy->difficulty(), row->second.difficulty) << strategy->name;
  }
}

}  // namespace
}  // namespace steptp::testing
