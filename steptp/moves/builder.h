#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/moves/move.h"

namespace steptp {

/// Makes the steps of a move, follows handles through them, and collects the recipe. After a step that a strategy has
/// refused nothing more is made: every further step answers false, and `refusal` says which step it was and why.
class MoveBuilder {
 public:
  explicit MoveBuilder(Program program, Tracking tracking = Tracking::on);

  [[nodiscard]] const Program& program() const { return program_; }
  /// Of the program as it is now; gone with the next step.
  [[nodiscard]] View& view();

  /// A part that is followed through all further steps. The reference lasts as long as the builder.
  [[nodiscard]] const Handle& follow(Site site);

  /// A step; false where it was refused, or one before it. Values are in the words of the strategy:
  ///   step("loop_split", *loop.only(), {{"inner", 4}, {"kind", "inner"}})
  [[nodiscard]] bool step(std::string_view strategy, const Site& at, Values values = {});
  /// A step that the move can do without: false where it is refused, and all is as it was.
  bool may_step(std::string_view strategy, const Site& at, Values values = {});
  /// Where the only part of a handle is; a refusal where it is gone or there are several.
  [[nodiscard]] bool step(std::string_view strategy, const Handle& at, Values values = {});

  /// The parts that the last step added with this role ("copy", "part", ...), by the facts.
  [[nodiscard]] std::vector<Site> added(std::string_view role) const;
  [[nodiscard]] const Facts& facts() const { return facts_.back(); }
  [[nodiscard]] std::size_t steps() const { return recipe_.size(); }

  /// What `make` answers with: nothing where no step was refused.
  [[nodiscard]] const std::optional<Refusal>& refusal() const { return refusal_; }

  /// Its map is empty where tracking is off.
  [[nodiscard]] Moved take();
  [[nodiscard]] const Recipe& recipe() const { return recipe_; }

 private:
  [[nodiscard]] std::optional<Refusal> try_step(std::string_view strategy, const Site& at, Values values);
  [[nodiscard]] Result<Applied, Refusal> applied(const Strategy& strategy, const Choice& choice);

  Program program_;
  Tracking tracking_ = Tracking::on;
  std::optional<View> view_;
  std::deque<Handle> handles_;
  Recipe recipe_;
  std::vector<Facts> facts_;
  HandleMap map_;
  std::optional<Refusal> refusal_;
};

}  // namespace steptp
