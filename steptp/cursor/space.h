#pragma once

// What a space remembers of its program: runs of expressions and what can be made of them.

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "steptp/cursor/cursor.h"
#include "steptp/cursor/run_structures.h"
#include "steptp/cursor/structure.h"
#include "steptp/planner/prepare.h"
#include "steptp/planner/section.h"

namespace steptp::cursor {

class Space {
 public:
  Space(const Program& root, Target target, PreparedProgram prepared);

  [[nodiscard]] const Program& root() const { return root_; }
  [[nodiscard]] const Target& target() const { return target_; }
  [[nodiscard]] const PreparedProgram& prepared() const { return prepared_; }
  /// The steps that make the prepared program of the root.
  [[nodiscard]] const Recipe& prepared_recipe() const { return prepared_recipe_; }
  /// The program and the target as words, as sentences begin; the error says why there are none.
  [[nodiscard]] const Result<std::vector<Token>, std::string>& words() const { return words_; }
  [[nodiscard]] std::uint32_t expressions() const { return static_cast<std::uint32_t>(prepared_.program.nests.size()); }

  /// How many expressions the group can have that ends before this one, so that all before it can be decided as well:
  /// as tokens, ascending.
  [[nodiscard]] const std::vector<Token>& lengths(std::uint32_t end) const;
  /// The kinds of a run, ascending.
  [[nodiscard]] const std::vector<Token>& kinds(std::uint32_t first, std::uint32_t count) const;
  /// Null where the run has no such kind.
  [[nodiscard]] const Structure* structure(std::uint32_t first, std::uint32_t count, Token kind) const;

 private:
  using Place = std::pair<std::uint32_t, std::uint32_t>;
  // These are called with the lock held.
  RunStructures& run(Place place) const;
  const std::vector<Token>& known_lengths(std::uint32_t end) const;

  Program root_;
  Target target_;
  PreparedProgram prepared_;
  Recipe prepared_recipe_;
  Result<std::vector<Token>, std::string> words_;
  mutable std::mutex lock_;  ///< around all that is found out on the way
  mutable View view_;
  mutable Sections sections_;
  mutable std::map<Place, std::vector<Proposal>> proposals_;
  mutable std::map<Place, std::unique_ptr<RunStructures>> runs_;
  mutable std::map<std::uint32_t, std::vector<Token>> lengths_;
};

}  // namespace steptp::cursor
