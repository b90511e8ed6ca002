// What `check` says about races against the rules applied to an enumeration of all iterations: over generated programs,
// their mutants, and small kernels drawn to collide.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "steptp/base/text.h"
#include "steptp/ir/site.h"
#include "steptp/safety/check.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "testing/demotions.h"
#include "testing/generator.h"
#include "testing/mutator.h"
#include "testing/race_detector.h"
#include "testing/small_kernels.h"
#include "testing/soak.h"
#include "testing/tree_editor.h"

namespace steptp::testing {
namespace {

/// After such an error races are looked for all the same; after any other, names or scopes do not fit.
bool leaves_races_open(const Diagnostic& diagnostic) {
  for (const char* id : {"out-of-range", "undefined-read", "not-written", "division-by-zero", "race",
                         "divergent-barrier", "scope-ambiguous", "launch-limit"}) {
    if (diagnostic.id == id) return true;
  }
  return diagnostic.severity != Severity::error;
}

struct Findings {
  std::set<std::string> races;
  std::set<std::string> unknown;
  std::set<std::string> redundant;
};

Findings findings_of(const Program& program, const CheckReport& report) {
  Findings out;
  for (const Diagnostic& item : report.diagnostics) {
    std::set<std::string>* kind = nullptr;
    if (item.id == "race" || item.id == "divergent-barrier") kind = &out.races;
    if (item.id == "race-unknown") kind = &out.unknown;
    if (item.id == "redundant-write") kind = &out.redundant;
    const auto site = parse_site(item.site);
    if (!kind || !site) continue;
    const auto part = resolve(program.nests, *site);
    kind->insert(std::get<const Ref*>(part)->tensor);
  }
  return out;
}

std::string names(const std::set<std::string>& set) {
  return set.empty() ? "none" : join(set, " ", [](const std::string& name) { return name; });
}

struct Tally {
  std::map<std::string, std::size_t> counts;
  std::vector<std::string> disagreements;
};

/// `exact`: the program is affine, so that unknown is not an answer.
void judge(const Program& program, bool exact, const std::string& about, Tally& tally) {
  const CheckReport report = check_program(program);
  if (!std::all_of(report.diagnostics.begin(), report.diagnostics.end(), leaves_races_open)) {
    ++tally.counts["other errors"];
    return;
  }
  const Findings found = findings_of(program, report);
  const RaceReport truth = detect_races(with_demotions(program, report.diagnostics), 7);
  if (!truth.decided) {
    ++tally.counts["undecided"];
    return;
  }
  ++tally.counts["judged"];
  if (!truth.races.empty()) ++tally.counts["races"];
  if (!truth.redundant.empty()) ++tally.counts["redundant"];
  if (!found.unknown.empty()) ++tally.counts["unknown"];
  const auto disagree = [&](const std::string& why) {
    std::string text = concat(about, ": ", why, "\n", print_document(program, Profile::paper), "  enumerated: races ",
                              names(truth.races), ", redundant ", names(truth.redundant), "\n");
    for (const Diagnostic& item : report.diagnostics) append(text, "  check: ", item.id, ": ", item.message, "\n");
    tally.disagreements.push_back(text);
  };
  for (const std::string& tensor : truth.races) {
    if (!found.races.contains(tensor) && (exact || !found.unknown.contains(tensor))) {
      return disagree(concat("the race on ", tensor, " is missed"));
    }
  }
  if (!exact) return;
  if (!found.unknown.empty()) return disagree("unknown on an affine program");
  for (const std::string& tensor : found.races) {
    if (!truth.races.contains(tensor)) return disagree(concat("there is no race on ", tensor));
  }
  for (const auto& [one, other] : {std::pair(found.redundant, truth.redundant), {truth.redundant, found.redundant}}) {
    for (const std::string& tensor : one) {
      if (!other.contains(tensor) && !truth.races.contains(tensor)) return disagree("redundant writes differ");
    }
  }
}

void expect_agreement(const Tally& tally) {
  for (const auto& [what, count] : tally.counts) ::testing::Test::RecordProperty(what, static_cast<int>(count));
  EXPECT_TRUE(tally.disagreements.empty()) << tally.disagreements.size() << " disagreements";
  for (std::size_t i = 0; i < std::min<std::size_t>(tally.disagreements.size(), 5); ++i)
    ADD_FAILURE() << tally.disagreements[i];
}

Program generated(std::uint64_t seed, bool affine_only) {
  Random random(seed);
  return generate_program(random, {.affine_only = affine_only, .max_operations = 4000});
}

TEST(RaceBruteForce, GeneratedProgramsHaveNone) {
  Tally tally;
  for (std::uint64_t seed = 0; seed < soaked(600); ++seed) {
    judge(generated(seed, seed % 2 == 0), seed % 2 == 0, concat("seed ", seed), tally);
  }
  expect_agreement(tally);
  EXPECT_EQ(tally.counts["races"], 0u);
  EXPECT_EQ(tally.counts["redundant"], 0u);
  EXPECT_GE(tally.counts["judged"], soaked(600) / 2);
}

/// Turns one loop that runs in order into one that does not, or binds it.
Program with_kind(const Program& program, Random& random) {
  std::vector<LoopKind> kinds{LoopKind::parallel, LoopKind::vectorized, LoopKind::bound};
  std::size_t loops = 0;
  TreeHooks count;
  count.nest = [&loops](Nest& nest) { loops += nest.loops.size(); };
  (void)edit(program, count);
  std::size_t chosen = loops == 0 ? 0 : random.below(loops);
  const LoopKind kind = kinds[random.below(kinds.size())];
  const char* const axes[] = {"tx", "ty", "tz", "bx", "by"};
  const std::string axis = axes[random.below(5)];
  TreeHooks change;
  change.nest = [&](Nest& nest) {
    for (std::size_t i = 0; i < nest.loops.size(); ++i) {
      if (chosen-- != 0) continue;
      Loop& loop = nest.loops[i];
      if (loop.kind == LoopKind::bound) return;
      if (kind == LoopKind::bound) {
        const std::string before = loop.index;
        for (Item& item : nest.items) item = rename_index(item, before, axis);
        if (nest.guard) return;  // would need renaming too
        loop.index = axis;
      }
      loop.kind = kind;
      return;
    }
  };
  return edit(program, change);
}

TEST(RaceBruteForce, OtherLoopKinds) {
  Tally tally;
  for (std::uint64_t seed = 0; seed < soaked(1500); ++seed) {
    Random random = Random(seed).fork(5);
    Program program = with_kind(generated(seed, true), random);
    if (random.chance(1, 2)) program = with_kind(program, random);
    judge(program, true, concat("seed ", seed), tally);
  }
  expect_agreement(tally);
  EXPECT_GE(tally.counts["races"], soaked(1500) / 40);
}

TEST(RaceBruteForce, Mutants) {
  Tally tally;
  for (std::uint64_t seed = 0; seed < soaked(500); ++seed) {
    const bool affine = seed % 4 != 0;
    const Program program = generated(seed, affine);
    for (std::uint64_t number = 0; number < 3; ++number) {
      Random random = Random(seed).fork(30 + number);
      // A mutant of an affine program may fail to be affine: only missed races count there.
      if (const auto mutant = mutate(program, random)) {
        judge(mutant->program, false, concat("seed ", seed, ", ", mutant->label), tally);
      }
    }
  }
  expect_agreement(tally);
  EXPECT_GE(tally.counts["races"], soaked(500) / 50);
}

TEST(RaceBruteForce, DrawnCollisions) {
  Signature signature;
  signature.variables.push_back({"D", Role::output, DType::f32, {20, 20}, {}, {}});
  Tally tally;
  const std::uint64_t seeds = soaked(3000);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Random random(seed);
    const std::string text = small_kernel(random);
    const Document document = read_program_text("text", text, signature);
    ASSERT_TRUE(document.ok) << text << render(document.diagnostics, *document.source);
    judge(document.program, true, concat("seed ", seed, ": ", text), tally);
  }
  expect_agreement(tally);
  EXPECT_GE(tally.counts["races"], seeds / 10);
  EXPECT_GE(tally.counts["redundant"], seeds / 100);
  EXPECT_GE(tally.counts["judged"] - tally.counts["races"], seeds / 10);
}

}  // namespace
}  // namespace steptp::testing
