#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/strategies/strategy.h"

namespace steptp {

/// One step: {"strategy":"loop_split","choice":{"at":"0:loop[1]","inner":4,"kind":"inner"}}. Places are addresses,
/// which do not change when a program is printed and read.
struct Step {
  std::string strategy;
  Choice choice;
};
[[nodiscard]] Json to_json(const Step& step);

/// The way from a program to another: {"steps":[...]}, or the array alone.
using Recipe = std::vector<Step>;
[[nodiscard]] Json to_json(const Recipe& recipe);
/// The text says which step is not one, and why.
[[nodiscard]] Result<Recipe, std::string> recipe_from_json(const Json& json);

/// Why a recipe stops: the number of the step, counted from 1, and the refusal.
struct Stopped {
  std::size_t step = 0;
  std::string strategy;
  Refusal refusal;
};
[[nodiscard]] std::string to_text(const Stopped& stopped, std::size_t steps);

struct Replayed {
  Program program;
  std::vector<Facts> facts;  ///< of each step
};
/// Steps name registered strategies: `recipe_from_json` has looked.
[[nodiscard]] Result<Replayed, Stopped> replay(const Program& root, const Recipe& recipe);

/// "unknown strategy 'loop_splt'; did you mean loop_split?"
[[nodiscard]] std::string unknown_strategy(std::string_view name);

}  // namespace steptp
