#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "steptp/recipe/recipe.h"
#include "steptp/verify/verify.h"
#include "steptp/zoo/types.h"

namespace steptp::testing {

/// The attention types of the zoo, by level and number.
[[nodiscard]] std::vector<std::string> attention_types();

/// Arguments at which a type has all its parts and little work: heads of two, four keys, batches of two.
[[nodiscard]] zoo::Arguments small_attention(const std::string& type);

/// What the judge says of a recipe, step by step.
struct JudgedRecipe {
  std::size_t proved = 0;
  std::size_t exact = 0;
  std::size_t numeric = 0;
  std::size_t undecided = 0;
  std::size_t wrong = 0;  ///< differs, is invalid, or is refused
  std::size_t unsafe = 0;
  double seconds = 0;                  ///< of CPU, in the judge
  std::vector<std::string> not_equal;  ///< of each such step: its number, strategy and choice, and what the judge says
  [[nodiscard]] std::size_t steps() const { return proved + exact + numeric + undecided + wrong; }
};
[[nodiscard]] JudgedRecipe judge_steps(const Program& root, const Recipe& recipe, const VerifyOptions& options);

/// A line of the table that `attention_judge` prints, and what stands above the lines.
[[nodiscard]] std::string table_header();
[[nodiscard]] std::string table_line(const std::string& type, const JudgedRecipe& judged);

}  // namespace steptp::testing
