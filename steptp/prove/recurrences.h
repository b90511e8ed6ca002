#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "steptp/prove/flow_room.h"

namespace steptp::forms {

/// One step of a recurrence as a formula of the round before it, `earlier`, with the value of that round as a
/// generator.
struct RecurrenceStep {
  PolynomialId value = 0;
  PolynomialId previous = 0;
  VariableId earlier = 0;
};

/// The rounds of a recurrence from `low` on, where the value is `first`; asked for at `here`.
struct RecurrenceRounds {
  std::int64_t low = 0;
  std::int64_t high = 0;
  PolynomialId first = 0;
  VariableId here = 0;
};

/// Statements that read what they wrote in an earlier round: as folds where they are some, and otherwise as functions
/// that are defined by their bodies.
class Recurrences : private FlowRoom {
 public:
  explicit Recurrences(FlowParts& parts) : FlowRoom(parts) {}

  void find_recurrences();
  /// Writes down those among the first statements, while nothing is assumed. Reads of what has a number by then stay
  /// reads.
  void prepare_recurrences(std::size_t end);
  [[nodiscard]] bool is_cyclic(std::size_t statement) const { return is_cyclic_[statement]; }
  /// Some recurrence goes through other statements.
  [[nodiscard]] bool has_roundabouts() const {
    return std::find(is_roundabout_.begin(), is_roundabout_.end(), true) != is_roundabout_.end();
  }
  /// What a write of a recurrence wrote to an element.
  [[nodiscard]] Value recurrence(const CandidateWrite& write, std::vector<Affine> element);

 private:
  /// One round of a recurrence, and where that round has no value.
  struct Round {
    PolynomialId value = 0;
    PolynomialId hazard = kHarmless;
  };
  struct Closed {
    std::vector<VariableId> element;
    PolynomialId value = 0;
    PolynomialId hazard = kHarmless;
  };
  /// Through other statements, such as a copy of the old value: one statement of each cycle is the recurrence.
  void break_longer_cycles();
  /// By statement: which statements of the same nest it may read from.
  [[nodiscard]] std::vector<std::vector<std::size_t>> near_sources();
  /// Variables that stand for the element which a statement writes.
  [[nodiscard]] std::vector<VariableId> element_names(std::size_t statement);
  void make_body(std::size_t statement, const std::vector<VariableId>& names);
  void forget_open_recurrence();
  [[nodiscard]] Round body_at(std::size_t statement, const std::vector<Affine>& element);
  /// What holds of an element that is written, as far as its names alone decide; rounds have none.
  [[nodiscard]] ConditionId conditions_on(const std::vector<Affine>& element, const SolvedWrite& solved);
  [[nodiscard]] Generator self(std::size_t statement, const std::vector<Affine>& element);
  /// The only loop in whose rounds an element is written again and again; its round is one more subscript then.
  [[nodiscard]] std::optional<std::size_t> rolled_loop(std::size_t statement, const std::vector<VariableId>& names);

  // ---- recurrences that are folds (closed_recurrences.cpp)
  /// What the recurrence is as a fold, if it is one.
  void close(std::size_t statement, const std::vector<VariableId>& names);
  [[nodiscard]] PolynomialId hazard_of_rounds(const RecurrenceRounds& rounds, const Round& first,
                                              const RecurrenceStep& step, const Round& later);
  [[nodiscard]] std::optional<std::size_t> direction(const std::vector<VariableId>& names) const;

  std::vector<bool> is_cyclic_;
  std::vector<bool> is_roundabout_;           ///< only through other statements
  std::vector<std::optional<Round>> bodies_;  ///< of recurrences, by statement
  std::size_t prepared_ = 0;                  ///< the statements before have bodies, if they can
  std::optional<std::size_t> open_recurrence_;
  std::vector<std::vector<Affine>> reads_of_itself_;  ///< of the open one, so far: which elements
  bool self_is_number_ = false;                       ///< the open one, as far as reals go
  std::vector<std::optional<Closed>> closed_;         ///< recurrences that are folds, by statement
  std::vector<std::optional<std::size_t>> rolled_;    ///< the loop along which a recurrence overwrites its elements
};

}  // namespace steptp::forms
