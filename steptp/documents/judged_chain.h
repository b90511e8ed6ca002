#pragma once

// Steps judged with as few questions as possible: the end against the root, and where that is not shown, the chain of
// programs between them in parts (docs/decisions/0197).

#include <optional>
#include <string>
#include <vector>

#include "steptp/documents/judged_recipe.h"

namespace steptp {

/// The program after step `last` against the program before step `first`; steps are counted from 1.
struct JudgedLink {
  std::size_t first = 1;
  std::size_t last = 0;
  ApartAnswer answer;
};

struct JudgedChain {
  Program program;  ///< the end
  std::size_t steps = 0;
  /// From the root to the end without gaps where all are equal. Otherwise the last one is a single step that is not
  /// shown, or differs.
  std::vector<JudgedLink> links;
  Grade worst = Grade::proved;  ///< of the links
  /// The logarithm of the sum of the chances of error of all links; nothing where no chance played a part.
  std::optional<double> bound_log2;
  ApartAnswer end;  ///< against the root, with its `safe`

  /// The grade of the end against the root, as `JudgedRecipe` has it.
  [[nodiscard]] Grade verdict() const { return grade_of_chain(worst, end.verdict); }
  /// What supports it, for steptp-replay: the certificate of the pair, or of all links. Empty where nothing does.
  [[nodiscard]] std::string certificate(const std::string& id) const;
};

/// Judges the end against the root, and where that is not shown, what lies between the cuts (numbers of steps, rising),
/// and what is not shown there by halves, down to single steps. The error is the step that is refused.
[[nodiscard]] Result<JudgedChain, Stopped> judge_chain(const Document& root, const Recipe& recipe,
                                                       const std::vector<std::size_t>& cuts, const ApartOptions& how);

/// {"leir","steps","links":[{"first","last","verdict","bound_log2","reason"}],"worst","bound_log2","verdict","safe",
/// "end":{as verify answers}}
[[nodiscard]] Json to_json(const JudgedChain& judged);
/// A line for each link, then the whole, for people.
[[nodiscard]] std::string to_text(const JudgedChain& judged);

}  // namespace steptp
