#pragma once

// A candidate as data: what a proposer answers, what a journal keeps, what is made into a program.

#include <optional>
#include <string>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/planner/plan_space.h"
#include "steptp/recipe/recipe.h"

namespace steptp::search {

/// One of the following makes its program: a whole plan for the root, one step on the program of the node, or the text
/// of a program with the node's signature. With a problem there is none.
struct Candidate {
  std::optional<WholePlan> plan;
  std::optional<Step> step;
  std::optional<std::string> leir;
  std::string problem;                  ///< why there is no program, in words
  std::vector<std::string> strategies;  ///< that the proposer claims; those of no known name are "other"
  std::string edge;                     ///< in words: "insert tile at 2"
  double prior = 1;
  std::optional<double> expected;  ///< seconds, where the proposer has an opinion
  std::optional<double> promise;   ///< seconds that two more edges may come to, likewise
};

[[nodiscard]] Json to_json(const Candidate& candidate);
/// The text says what is damaged.
[[nodiscard]] Result<Candidate, std::string> candidate_from_json(const Json& json);

/// What a proposer answers.
struct Proposals {
  std::vector<Candidate> candidates;
  std::int64_t scored = 0;  ///< edges that were looked at without being sent to judge or device
  std::int64_t tokens = 0;
  Json raw;  ///< whatever it wants kept in the journal: the text of a model's answer
};

[[nodiscard]] Json to_json(const Proposals& proposals);
[[nodiscard]] Result<Proposals, std::string> proposals_from_json(const Json& json);

}  // namespace steptp::search
