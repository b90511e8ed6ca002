#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "replay/boxes.h"
#include "replay/certificate.h"
#include "replay/nature.h"

namespace steptp::replayer {

/// What the values of forms can be, shown from the domains of the signature and the forms alone: for every element and
/// every input, without any point.
class Natures {
 public:
  explicit Natures(const Certificate& certificate);

  /// What the elements of a value number can be. Its claim has been added.
  void add(const Claim& claim);
  [[nodiscard]] Nature of_value(std::int64_t number) const;
  /// A form whose variables lie in these ranges, by number; others are bound inside.
  [[nodiscard]] Nature of_form(const Form& form, const std::vector<std::pair<std::uint32_t, Range>>& ranges);

 private:
  struct Known {
    const Form* form = nullptr;
    Nature nature = 0;
  };
  [[nodiscard]] Nature of(const Form& form);
  [[nodiscard]] Nature written(const Form& form);
  [[nodiscard]] Nature of_input(const Form& form) const;
  [[nodiscard]] Nature of_sum(const Form& form);
  [[nodiscard]] Nature of_product(const Form& form);
  [[nodiscard]] Nature of_select(const Form& form);
  [[nodiscard]] Nature of_fold(const Form& form);
  [[nodiscard]] Nature of_recurrence(const Form& form);
  [[nodiscard]] bool has_a_round(const Form& fold);
  /// Notes what a condition that holds, or does not, says of the operands of its comparisons.
  void assume(const Form& condition, bool holds);
  void assume_order(const Form& condition, bool holds);
  void know(const Form& form, Nature nature) { known_.push_back({&form, nature}); }

  const Certificate& certificate_;
  std::map<std::string, Nature, std::less<>> inputs_;
  std::map<std::int64_t, Nature> values_;
  IndexBox box_;
  Nature self_ = nature::kAnything;  ///< an earlier round of the recurrence that is looked into
  std::vector<Known> known_;         ///< on the way to where it is asked
  std::uint64_t steps_ = 0;
  int depth_ = 0;
  std::map<std::pair<const Form*, std::vector<Range>>, Nature> done_;  ///< where nothing is known besides
};

}  // namespace steptp::replayer
