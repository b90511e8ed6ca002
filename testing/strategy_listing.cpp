#include "testing/strategy_listing.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include "steptp/base/hash.h"
#include "steptp/documents/zoo_program.h"
#include "steptp/recipe/registry.h"
#include "steptp/recipe/selection.h"
#include "steptp/strategies/view.h"

namespace steptp::testing {

namespace {

constexpr std::uint64_t kStates = 6;  ///< of each walk

Program default_program(const zoo::ProgramType& type) {
  auto made = zoo_program(type.name, {}, DType::f32);
  if (!made) throw std::runtime_error(type.name + ": " + made.error().message);
  return std::move(made->program);
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double mean_of(const std::vector<double>& values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

using NamesByStrategy = std::map<std::string_view, std::vector<std::string>>;

/// The state after one more step; nothing where there is none to make.
std::optional<Program> next_state(View& view, const Choices& choices, std::uint64_t seed) {
  const auto drawn = sample_choices(choices, 1, seed);
  if (drawn.empty()) return std::nullopt;
  auto applied = apply(*drawn[0].strategy, view, drawn[0].choice);
  if (!applied) return std::nullopt;
  return std::move(applied->program);
}

void walk(const zoo::ProgramType& type, Program state, bool inlines, std::uint64_t seed, NamesByStrategy& found) {
  for (std::uint64_t step = 0; step < kStates; ++step) {
    View view(state);
    const Choices choices = list_choices(all_strategies(), view, step % 2 == 1);
    for (const StrategySite& site : choices.sites) {
      std::vector<std::string>& names = found[site.strategy->name];
      if (step > 0 && (names.empty() || names.back() != type.name)) names.push_back(type.name);
    }
    auto next = next_state(view, inlines ? list_choices({find_strategy("compute_inline")}, view, false) : choices,
                           combine(seed, step));
    if (!next) return;
    state = *std::move(next);
  }
}

}  // namespace

StrategyMeasurements list_on_zoo() {
  StrategyMeasurements out;
  NamesByStrategy types;
  std::map<std::string_view, std::vector<double>> choices;
  for (const zoo::ProgramType& type : zoo::all_types()) {
    out.zoo.push_back(type.name);
    const Program program = default_program(type);
    View view(program);
    for (const Strategy* strategy : all_strategies()) {
      double count = 0;
      for (const ChoiceSite& site : list_choices(*strategy, view, false).sites) {
        count += static_cast<double>(site.count());
      }
      if (count == 0) continue;
      types[strategy->name].push_back(type.name);
      choices[strategy->name].push_back(count);
    }
  }
  for (const Strategy* strategy : all_strategies()) {
    const std::vector<double>& counts = choices[strategy->name];
    out.strategies.push_back(
        {std::string(strategy->name), types[strategy->name], {}, median_of(counts), mean_of(counts), {}});
  }
  return out;
}

void add_reached(StrategyMeasurements& measured) {
  NamesByStrategy found;
  std::uint64_t number = 0;
  for (const zoo::ProgramType& type : zoo::all_types()) {
    const Program program = default_program(type);
    walk(type, program, true, ++number, found);
    walk(type, program, false, ++number, found);
  }
  for (StrategyMeasurement& entry : measured.strategies) {
    std::vector<std::string> names = found[entry.name];
    names.insert(names.end(), entry.reached.begin(), entry.reached.end());
    entry.reached = in_order_of_zoo(measured, entry.types, names);
  }
}

std::vector<std::string> in_order_of_zoo(const StrategyMeasurements& measured, const std::vector<std::string>& types,
                                         const std::vector<std::string>& names) {
  const auto has = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  std::vector<std::string> out;
  for (const std::string& name : measured.zoo) {
    if (has(names, name) && !has(types, name)) out.push_back(name);
  }
  return out;
}

}  // namespace steptp::testing
