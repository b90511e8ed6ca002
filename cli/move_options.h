#pragma once

#include <string>
#include <vector>

#include "cli/verb.h"
#include "steptp/plans/plan.h"
#include "steptp/plans/registry.h"

namespace steptp::cli {

/// The moves of these names, all where there is none; null where one is unknown, which is then reported.
[[nodiscard]] std::vector<const Move*> moves_named(const std::vector<std::string>& names);

/// A plan read from a file; an error that says what is damaged.
[[nodiscard]] Result<Plan, Diagnostic> read_plan(const std::string& file);

/// How `apply` answers.
struct ApplyStyle {
  bool json = false;
  Profile profile = Profile::paper;
};
/// The answer with what a move made of a document, or why it is refused; its steps into `made`.
[[nodiscard]] Answer apply_move(const Document& document, const Move& move, const Choice& choice, ApplyStyle style,
                                Recipe& made);

/// The answer with what a plan makes of a document, or which of its moves was refused and why. A plan for another
/// program is bad input.
[[nodiscard]] Answer replay_plan(const Document& document, const Plan& plan, const std::string& file, bool json);

}  // namespace steptp::cli
