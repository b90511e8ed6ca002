#pragma once

// The structures of one run of expressions: what its program has places for, with what strategies accept.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "steptp/cursor/forms.h"
#include "steptp/cursor/structure.h"
#include "steptp/cursor/tile_structure.h"
#include "steptp/planner/proposals.h"

namespace steptp::cursor {

/// What moves make of a run of a program, by itself: what is outside stays as it is and is cut off. They are made on
/// the whole program, because what is a result of a run may be an intermediate of the whole, of which other steps are
/// made. Nothing where a move is refused.
[[nodiscard]] std::optional<Program> made_alone(const Program& whole, std::uint32_t first, std::uint32_t count,
                                                const std::vector<PlannedMove>& moves);

/// All that can be made of a run, by kind. Choices that strategies treat alike are made once, and speak for each other:
/// what is offered is what really is made and passes `check`. Trials take milliseconds, so nothing is tried before
/// somebody asks for it.
class RunStructures {
 public:
  /// The section is the run as a program of its own; without one it can only stay as it is. `proposals` are those for
  /// this very run. The whole program outlives this.
  RunStructures(const Program& whole, std::uint32_t first, std::uint32_t count, std::optional<Program> section,
                const std::vector<Proposal>& proposals, PlanTarget target);

  /// Whether anything works.
  [[nodiscard]] bool any();
  /// The kinds of which something works, ascending.
  [[nodiscard]] const std::vector<Token>& kinds();
  /// Null where nothing of the kind works.
  [[nodiscard]] const Structure* structure(Token kind);

 private:
  struct Kind {
    CandidateList list;
    std::map<std::string, bool> known;  ///< by what is alike
    std::optional<bool> works;
    std::unique_ptr<Structure> structure;
    bool is_tile = false;
  };
  [[nodiscard]] bool works(const std::vector<PlannedMove>& moves, std::size_t kernels) const;
  [[nodiscard]] bool works(Kind& kind, const Candidate& candidate) const;
  [[nodiscard]] bool any_of(Kind& kind);
  void make(Kind& kind);
  [[nodiscard]] std::unique_ptr<Structure> tiles() const;

  const Program& whole_;
  std::uint32_t first_;
  std::uint32_t count_;
  std::optional<Program> section_;
  PlanTarget target_;
  std::vector<Kind> all_;
  std::optional<std::vector<Token>> kinds_;
};

}  // namespace steptp::cursor
