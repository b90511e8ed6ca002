#pragma once

#include <optional>
#include <string>

#include "steptp/base/random.h"
#include "steptp/ir/program.h"

namespace steptp::testing {

/// A program one small change away from another. It differs from the original as a tree and its text reads back as
/// the same tree, but it may be ill-formed in any way that a tree can be.
struct Mutant {
  Program program;
  std::string label;  ///< what was done: "subscript off by one"
};

/// Nothing where the change that was drawn has no place in the program, which is rare.
[[nodiscard]] std::optional<Mutant> mutate(const Program& program, Random& random);

/// A few changes of bytes or tokens: deleted, doubled, replaced, inserted, moved, truncated. The result is any text.
[[nodiscard]] std::string mutate_text(std::string text, Random& random);

}  // namespace steptp::testing
