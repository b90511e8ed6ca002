#include "testing/trace_rows.h"

#include <optional>
#include <utility>
#include <vector>

#include "steptp/base/hash.h"
#include "steptp/base/json.h"
#include "steptp/frontend/lower.h"
#include "steptp/recipe/registry.h"
#include "steptp/recipe/selection.h"
#include "steptp/strategies/view.h"
#include "steptp/text/document.h"
#include "steptp/zoo/types.h"

namespace steptp::testing {

namespace {

std::optional<Program> program_of(const zoo::ProgramType& type) {
  auto arguments = zoo::complete(type, {});
  if (!arguments) return std::nullopt;
  auto graph = zoo::build(type, *arguments, DType::f32);
  if (!graph) return std::nullopt;
  auto lowered = frontend::lower(*graph);
  if (!lowered) return std::nullopt;
  return std::move(lowered).value().program;
}

/// Applies each choice; the last program that came out.
Program visit_choices(const std::string& type, const Program& state, View& view,
                      const std::vector<StrategyChoice>& drawn, std::uint64_t seed,
                      const std::function<void(const TraceRow&)>& visit) {
  Program next = state;
  for (const StrategyChoice& one : drawn) {
    auto applied = apply(*one.strategy, view, one.choice);
    if (!applied) continue;
    next = applied->program;
    visit({type, one.strategy, state, one.choice, *std::move(applied), seed++});
  }
  return next;
}

void walk(const std::string& type, Program state, const TraceRows& rows, std::uint64_t seed,
          const std::function<void(const TraceRow&)>& visit) {
  for (std::uint64_t step = 0; step < rows.steps; ++step) {
    View view(state);
    const Choices choices = list_choices(all_strategies(), view, seed % 2 == 0);
    const auto drawn = sample_choices(choices, rows.draws, combine(seed, step));
    if (drawn.empty()) return;
    Program next = visit_choices(type, state, view, drawn, combine(seed, step), visit);
    state = std::move(next);
  }
}

/// Algebra on what inlining has made.
void walk_inlined(const std::string& type, Program state, const TraceRows& rows, std::uint64_t seed,
                  const std::function<void(const TraceRow&)>& visit) {
  std::vector<const Strategy*> algebra;
  for (const Strategy* strategy : all_strategies()) {
    if (strategy->level == Level::math) algebra.push_back(strategy);
  }
  for (std::uint64_t step = 0; step <= rows.steps; ++step) {
    View view(state);
    const auto drawn = sample_choices(list_choices(algebra, view, false), rows.draws, combine(seed, step));
    Program next = visit_choices(type, state, view, drawn, combine(seed, step), visit);
    const bool go_on = combine(seed, step) % 3 == 0 && !drawn.empty();
    if (!go_on) {
      const auto inlining = sample_choices(list_choices({find_strategy("compute_inline")}, view, false), 1, seed);
      if (inlining.empty()) return;
      next = visit_choices(type, state, view, inlining, combine(seed, step), visit);
    }
    state = std::move(next);
  }
}

}  // namespace

void for_each_example(const std::function<void(const TraceRow&)>& visit) {
  std::uint64_t seed = 0;
  for (const Strategy* strategy : all_strategies()) {
    const Document document = read_document("example", std::string(strategy->example.program));
    const auto json = parse_json(strategy->example.choice);
    const auto choice = json ? choice_from_json(*json) : Result<Choice, std::string>(std::string("not JSON"));
    if (!document.ok || !choice) continue;
    View view(document.program);
    auto applied = apply(*strategy, view, *choice);
    // What a choice leaves out has its fallback.
    if (applied) visit({"example", strategy, document.program, *choice, *std::move(applied), seed++});
  }
}

void for_each_row(const TraceRows& rows, const std::function<void(const TraceRow&)>& visit) {
  const auto& types = zoo::all_types();
  for (std::size_t i = rows.first; i < types.size(); i += rows.stride) {
    const auto program = program_of(types[i]);
    if (!program) continue;
    const std::uint64_t seed = combine(rows.seed, i);
    walk(types[i].name, *program, rows, seed, visit);
    walk_inlined(types[i].name, *program, rows, seed, visit);
  }
}

}  // namespace steptp::testing
