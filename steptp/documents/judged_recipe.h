#pragma once

// A recipe judged step by step: what `replay --judge` answers.

#include <optional>
#include <string>
#include <vector>

#include "steptp/recipe/recipe.h"
#include "steptp/text/document.h"
#include "steptp/verify/judge_worker.h"

namespace steptp {

/// A step, and what the judge says of the program after it against the program before it.
struct JudgedStep {
  Step step;
  ApartAnswer answer;
};

/// A difference is worse than an open question; the order of the grades themselves is that of an answer to one pair.
[[nodiscard]] Grade worse_of(Grade one, Grade other);
/// Of an end whose steps are of this grade at worst, and that is of that grade against its root.
[[nodiscard]] Grade grade_of_chain(Grade steps, Grade end);
/// Two programs that were made here, judged as `verify_apart` does; `root` says where they come from.
[[nodiscard]] ApartAnswer judge_programs(const Document& root, const Program& before, const Program& after,
                                         std::string id, const ApartOptions& how);
[[nodiscard]] std::optional<double> bound_of(const ApartAnswer& answer);
/// "safe by proof", ", chance of error at most 2^-90" or nothing: parts of lines for people.
[[nodiscard]] std::string safety_text(const ApartAnswer& answer);
[[nodiscard]] std::string chance_text(std::optional<double> bound_log2);

struct JudgedRecipe {
  Program program;  ///< after the last step
  std::vector<JudgedStep> steps;
  /// The worst grade of a step; `proved` where there is no step. Equality passes from step to step, so this is a grade
  /// of the whole recipe too.
  Grade worst = Grade::proved;
  /// The logarithm of the sum of the chances of error of all steps; nothing where no chance played a part.
  std::optional<double> bound_log2;
  /// The last program against the root. Its `safe` is asked whenever all steps are equal, even where the judge cannot
  /// show this pair equal by itself.
  ApartAnswer end;

  /// The grade of the last program against the root: that of the steps or that of the pair, whichever says more. Where
  /// the pair differs although all steps are equal, one of the answers is wrong, and the grade is `differs`.
  [[nodiscard]] Grade verdict() const;
};

/// The logarithm of a sum of chances, of which each is given by its logarithm: a whole number that is not below it.
/// Nothing where there is no chance. One chance is itself.
[[nodiscard]] std::optional<double> sum_of_chances(const std::vector<double>& logarithms);

/// Makes the steps one after the other and judges each, then the end against the root. `how.judge.seed` is the seed of
/// every judgement. The error is the step that is refused. `how.go_on` may end it early: then `end.cancelled` is true.
[[nodiscard]] Result<JudgedRecipe, Stopped> judge_recipe(const Document& root, const Recipe& recipe, ApartOptions how);

/// {"leir","steps","judged":[{"step","strategy","choice","verdict","bound_log2","safe","safe_by","seed","reason"}],
/// "worst","bound_log2","verdict","safe","end":{as verify answers}}
[[nodiscard]] Json to_json(const JudgedRecipe& judged);
/// A line for each step, then the whole, for people.
[[nodiscard]] std::string to_text(const JudgedRecipe& judged);

}  // namespace steptp
