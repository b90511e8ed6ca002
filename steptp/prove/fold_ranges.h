#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "steptp/prove/arena.h"
#include "steptp/prove/fold.h"

namespace steptp::forms {

/// The variables of a fold on their way to normal form: ranges take over
/// conditions, and variables are split into digits and merged again.
class FoldRanges {
 public:
  FoldRanges(Arena& arena, Fold& fold)
      : arena_(arena), fold_(fold), variables_(fold.variables), conditions_(fold.conditions), body_(fold.body) {}

  enum class Outcome : std::uint8_t {
    settled,  ///< the fold is as it was given, with fewer conditions perhaps
    changed,  ///< what is inside may be a different kind of thing now: a sum of
              ///< several terms, a choice that was made
    empty,    ///< it has no rounds
  };
  [[nodiscard]] Outcome settle();
  /// Takes away the variables that nothing depends on; how many rounds they
  /// have together.
  [[nodiscard]] mpq_class drop_unused();

 private:
  void substitute(VariableId variable, const Affine& value, const std::vector<VariableId>& instead);
  void substitute(const Substitution& map, const std::vector<VariableId>& instead);
  [[nodiscard]] bool is_own(VariableId variable) const { return fold_.is_own(variable); }
  void add_condition(ConditionId condition) { fold_.add_condition(arena_, condition); }
  void for_each_affine(const std::function<void(const Affine&)>& visit);

  // ---- each makes one change, and says whether it did
  [[nodiscard]] bool use_conditions();
  [[nodiscard]] bool use_bound(std::size_t number);
  [[nodiscard]] bool use_equation(std::size_t number);
  [[nodiscard]] bool fix_single_values();
  [[nodiscard]] bool split_digits();
  [[nodiscard]] bool merge_digits();

  void replace_range(VariableId variable, std::int64_t low, std::int64_t high);
  void bound_both_digits(VariableId high, VariableId low, std::int64_t radix);
  [[nodiscard]] bool occur_together(VariableId high, VariableId low, std::int64_t radix);
  [[nodiscard]] bool are_one_value(VariableId high, VariableId low, std::int64_t radix);

  Arena& arena_;
  Fold& fold_;
  std::vector<VariableId>& variables_;
  std::vector<ConditionId>& conditions_;
  PolynomialId& body_;
  bool is_empty_ = false;
  bool is_changed_ = false;
};

}  // namespace steptp::forms
