#include "steptp/reasoning/worth_showing.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "steptp/ir/forms.h"
#include "steptp/reasoning/effect.h"
#include "steptp/reasoning/teller.h"

namespace steptp {

namespace {

constexpr std::int64_t kManyLaunches = 16;
constexpr std::int64_t kWarp = 32;

bool is_power_of_two(std::int64_t number) { return number > 0 && (number & (number - 1)) == 0; }

const Loop* loop_here(const Program& program, const Site& site) {
  const SitePart part = resolve(program.nests, site);
  const auto* loop = std::get_if<const Loop*>(&part);
  return loop ? *loop : nullptr;
}

/// Whether pieces of this many iterations are a good way to cut a loop: they fill it, or they are a power of two that
/// leaves less than a half of the loop unused.
bool is_fair_cut(std::int64_t extent, std::int64_t piece) {
  if (piece < 1 || extent % piece == 0) return true;
  const std::int64_t unused = (extent / piece + 1) * piece - extent;
  return is_power_of_two(piece) && unused < extent - unused;
}

/// A loop over an axis that had another one is a renaming; threads that are masked do nothing.
bool is_fair_binding(const Program& before, const Choice& choice, const Applied& applied) {
  const Loop* was = loop_here(before, choice.at);
  const Loop* is = loop_here(applied.program, choice.at);
  if (!was || !is) return true;
  if (was->kind == LoopKind::bound) return false;
  const std::int64_t masked = is->extent - was->extent;
  return masked < kWarp && masked < was->extent - masked;
}

bool is_fair_split(const Program& before, const Choice& choice) {
  const Loop* loop = loop_here(before, choice.at);
  return !loop || choice.word("kind") == "rest" || is_fair_cut(loop->extent, choice.integer("inner"));
}

bool is_fair_tiling(const Program& before, const Choice& choice) {
  Site second = choice.at;
  if (second.number) ++*second.number;
  const Loop* outer = loop_here(before, choice.at);
  const Loop* inner = loop_here(before, second);
  if (!outer || !inner) return true;
  return is_fair_cut(outer->extent, choice.integer("first")) && is_fair_cut(inner->extent, choice.integer("second"));
}

/// A copy of one element that nothing reads a second time.
bool is_scalar_copy(const Applied& applied) {
  return applied.facts.removed.size() == 1 &&
         std::any_of(applied.facts.values.begin(), applied.facts.values.end(), [](const auto& named) {
           return named.first == "extents" && named.second.as_array() && named.second.as_array()->empty();
         });
}

bool is_fair(const Strategy& strategy, const Program& before, const Choice& choice, const Applied& applied) {
  if (strategy.name == std::string_view("cache_read_write")) return !is_scalar_copy(applied);
  if (strategy.name == std::string_view("loop_binding")) return is_fair_binding(before, choice, applied);
  if (strategy.name == std::string_view("loop_split")) return is_fair_split(before, choice);
  if (strategy.name == std::string_view("loop_tiling")) return is_fair_tiling(before, choice);
  return true;
}

}  // namespace

bool is_worth_showing(const Strategy& strategy, const Program& before, const Choice& choice, const Applied& applied) {
  if (is_true(applied.facts.values, "same_order")) return false;
  if (!is_fair(strategy, before, choice, applied)) return false;
  const bool removes_dead_code = strategy.name == std::string_view("dead_code_elimination");
  if (!removes_dead_code && plain_form_of(before) == plain_form_of(applied.program)) return false;
  const auto [was, is] = effect_of(before, applied.program).counts[Effect::kLaunches];
  return is <= kManyLaunches * std::max<std::int64_t>(1, was);
}

}  // namespace steptp
