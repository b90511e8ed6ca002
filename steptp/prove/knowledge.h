#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "steptp/prove/room.h"

namespace steptp::forms {

/// What is known at the moment: the ranges of variables, the conditions that are assumed, and what follows from both
/// for sums and conditions. Knowledge comes and goes (Assumption); nodes and their traits stay.
class Knowledge : private Room {
 public:
  explicit Knowledge(Arena& arena) : Room(arena) {}

  [[nodiscard]] VariableId new_variable(std::int64_t low, std::int64_t high);
  /// Numbers the set of facts: equal sets made in the same order have equal numbers, and zero is the empty one.
  [[nodiscard]] std::uint32_t knowledge() const { return knowledge_; }
  [[nodiscard]] Truth truth(ConditionId condition);
  /// Whether the condition, or its opposite, is one of the facts that are assumed at the moment.
  [[nodiscard]] bool is_assumed(ConditionId condition) const;
  /// What the conditions that are assumed at the moment say of a generator.
  [[nodiscard]] Sign sign_by_facts(GeneratorId id) const;

  // ---- ranges (ranges.cpp)
  [[nodiscard]] Interval range(VariableId variable) const;
  [[nodiscard]] Interval range(const Affine& affine);
  /// The same where what is assumed may bound the sum as a whole: 8a+c where 8a+c<37 is assumed.
  [[nodiscard]] Interval range_by_facts(const Affine& affine);
  [[nodiscard]] Interval atom_range(AtomId id);

  /// Answers as if nothing were assumed, until the object dies: what outlives assumptions must not depend on them.
  class Ignoring {
   public:
    explicit Ignoring(Knowledge& knowledge)
        : knowledge_(knowledge), old_(std::exchange(knowledge.ignore_assumptions_, true)) {}
    ~Ignoring() { knowledge_.ignore_assumptions_ = old_; }
    Ignoring(const Ignoring&) = delete;
    Ignoring& operator=(const Ignoring&) = delete;

   private:
    Knowledge& knowledge_;
    bool old_;
  };

 private:
  friend class Assumption;

  void add_fact(ConditionId condition);
  void narrow(const Affine& nonnegative);
  [[nodiscard]] Truth truth_of_affine(const Affine& affine, bool equality);
  [[nodiscard]] Interval value_range(GeneratorId id);
  using Terms = std::vector<std::pair<AtomId, std::int64_t>>;
  void take_digits(Terms& rest, Interval& total) const;
  void take_sums_of_digits(Terms& rest, Interval& total) const;
  /// Of a maximum or minimum of integers that is not empty.
  [[nodiscard]] Interval range_of_fold(GeneratorId id);

  std::vector<Interval> ranges_;
  std::vector<Interval> first_ranges_;  ///< without what is assumed
  bool ignore_assumptions_ = false;
  std::vector<std::pair<VariableId, Interval>> changes_;  ///< what narrowing replaced, to be put back
  std::vector<ConditionId> facts_;
  std::map<std::pair<std::uint32_t, ConditionId>, std::uint32_t> knowledge_numbers_;
  std::uint32_t knowledge_ = 0;
};

/// Assumes a condition until the object dies.
class Assumption {
 public:
  Assumption(Arena& arena, ConditionId condition);
  ~Assumption();
  Assumption(const Assumption&) = delete;
  Assumption& operator=(const Assumption&) = delete;

 private:
  Knowledge& known_;
  std::size_t facts_;
  std::size_t changes_;
  std::uint32_t knowledge_;
};

}  // namespace steptp::forms
