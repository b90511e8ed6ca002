// Reductions over threads and blocks, and the same write by many threads: only one equation may share an element in
// these ways, so every step that makes two equations of one, or puts something beside it, has to look. The programs are
// of small nests with their loops in any order, and every result is only checked: nothing is judged, so that many are.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>

#include "steptp/base/text.h"
#include "steptp/recipe/registry.h"
#include "steptp/recipe/selection.h"
#include "steptp/safety/check.h"
#include "steptp/strategies/view.h"
#include "steptp/text/printer.h"
#include "testing/soak.h"
#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

struct DrawnLoop {
  std::string kind;
  std::string index;
  std::int64_t extent = 1;

  [[nodiscard]] std::string header() const { return concat(kind, "(", index, ",", extent, ")"); }
};

std::string headers(const std::vector<DrawnLoop>& loops) {
  return join(loops, "", [](const DrawnLoop& loop) { return loop.header(); });
}

std::string list(const std::vector<DrawnLoop>& loops, bool extents) {
  return join(loops, ",",
              [extents](const DrawnLoop& loop) { return extents ? std::to_string(loop.extent) : loop.index; });
}

/// One equation under loops of all kinds in any order, which writes an element for some of them only.
class DrawnNest {
 public:
  explicit DrawnNest(Random& random) : random_(random) {
    std::vector<DrawnLoop> some = {{"B", "bx", 0}, {"B", "tx", 0}, {"B", "ty", 0}, {"P", "p", 0},
                                   {"L", "a", 0},  {"L", "c", 0},  {"U", "d", 0}};
    for (DrawnLoop& loop : some) {
      loop.extent = random.between(2, 5);
      if (random.chance(3, 5)) loops_.push_back(loop);
    }
    if (loops_.empty()) loops_.push_back(some[1]);
    for (std::size_t i = loops_.size(); i > 1; --i) std::swap(loops_[i - 1], loops_[random.below(i)]);
    // Blocks enclose their kernel.
    std::stable_partition(loops_.begin(), loops_.end(), [](const DrawnLoop& loop) { return loop.index == "bx"; });
    for (const DrawnLoop& loop : loops_) {
      if (random.chance(1, 2)) kept_.push_back(loop);
    }
    cut_ = random.below(loops_.size());
  }

  std::string text() {
    const std::string left = concat("D[", list(kept_, false), "]");
    const std::string out = concat("@input A f32[", list(loops_, true), "]\n@input C f32[", list(kept_, true),
                                   "]\n@output D f32[", list(kept_, true), "]\n");
    const bool folds = random_.chance(3, 4);
    const std::string read = concat("A[", list(loops_, false), "]");
    std::string right = concat("C[", list(kept_, false), "]");
    if (folds) right = random_.chance(1, 2) ? concat(left, "+", read) : concat("max(", left, ",", read, ")");
    const std::string equation = concat("[", left, "=", right, ";]");
    const std::string guard = random_.chance(1, 3) ? guard_text() : "";
    if (random_.chance(1, 2) || cut_ == 0) return concat(out, headers(loops_), guard, equation, ";\n");
    // In nests inside of each other.
    const auto middle = loops_.begin() + static_cast<std::ptrdiff_t>(cut_);
    return concat(out, headers({loops_.begin(), middle}), "[", headers({middle, loops_.end()}), guard, equation,
                  ";];\n");
  }

 private:
  /// On a loop that is reduced over, so that every element is written.
  std::string guard_text() {
    for (const DrawnLoop& loop : loops_) {
      const bool is_kept =
          std::any_of(kept_.begin(), kept_.end(), [&](const DrawnLoop& own) { return own.index == loop.index; });
      if (!is_kept && random_.chance(1, 2)) return concat("?{", loop.index, "<", loop.extent - 1, "}");
    }
    return {};
  }

  Random& random_;
  std::vector<DrawnLoop> loops_;
  std::vector<DrawnLoop> kept_;  ///< those that the left side has
  std::size_t cut_ = 0;
};

bool is_ok(const Program& program) { return check_program(program).verdict == CheckReport::Verdict::ok; }

std::string first_error(const CheckReport& report) {
  for (const Diagnostic& found : report.diagnostics) {
    if (found.severity == Severity::error) return found.message;
  }
  return {};
}

/// The first step of each strategy that leads to a program which is not safe.
using Wrong = std::map<std::string_view, std::string>;

/// Some choices of each strategy are made. One of the results, to go on with.
Program take_steps(const Program& program, Random& random, Wrong& wrong, std::size_t& steps) {
  Program next = program;
  View view(program);
  for (const Strategy* strategy : all_strategies()) {
    const Listing listing = list_choices(*strategy, view, true);
    for (std::size_t tried = 0; tried < std::min<std::size_t>(listing.sites.size(), 4); ++tried) {
      const ChoiceSite& site = listing.sites[random.below(listing.sites.size())];
      const Choice choice = site.choice(random.below(site.count()));
      const auto applied = apply(*strategy, view, choice);
      const std::string about = concat(choice.to_json().dump(), " on\n", print(program));
      if (!applied) {
        wrong.emplace(strategy->name, concat(about, "\nis refused: ", to_text(strategy->name, applied.error())));
        continue;
      }
      ++steps;
      const CheckReport report = check_program(applied->program);
      if (report.verdict == CheckReport::Verdict::errors) {
        wrong.emplace(strategy->name, concat(about, "\ngives\n", print(applied->program), "\n", first_error(report)));
      } else if (report.verdict == CheckReport::Verdict::ok && random.chance(1, 12)) {
        next = applied->program;
      }
    }
  }
  return next;
}

TEST(Collectives, StayAloneWhateverTheStep) {
  std::size_t programs = 0;
  std::size_t steps = 0;
  Wrong wrong;
  for (std::uint64_t seed = 0; seed < soaked(60); ++seed) {
    Random random(seed + 4000);
    Program program = strategy_program(DrawnNest(random).text());
    if (!is_ok(program)) continue;
    ++programs;
    for (int depth = 0; depth < 2; ++depth) program = take_steps(program, random, wrong, steps);
  }
  for (const auto& [strategy, what] : wrong) ADD_FAILURE() << strategy << " " << what;
  std::cout << programs << " programs, " << steps << " steps checked\n";
  EXPECT_GT(programs, 15U);
}

}  // namespace
}  // namespace steptp::testing
