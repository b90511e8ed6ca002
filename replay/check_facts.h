#pragma once

#include <optional>
#include <set>
#include <string>

#include "replay/check.h"
#include "replay/natures.h"
#include "replay/uses.h"

namespace steptp::replayer {

/// What a proof states besides its forms: facts of tensors that stand for themselves, and side conditions of laws. Each
/// must be bound (it speaks of what is listed, and of variables that it declares), must be needed (a program does
/// something for which it matters), and must be shown: from the forms and the domains alone, or it is looked at in
/// points, where it may be refused but is not confirmed.
class FactCheck {
 public:
  explicit FactCheck(Context& context);

  /// A value number, in their order.
  void add(const Claim& claim);
  /// An element of it at some point. Throws Refused where a fact does not hold there.
  static void look_at(const Claim& claim, const Real& value, const Numbers& numbers, const std::string& place);
  /// All side conditions; and throws Undecided where something was neither shown nor refused.
  void finish();

 private:
  void check_needed(const Claim& claim) const;
  void check_condition(const SideCondition& condition);
  void check_bound(const SideCondition& condition) const;
  void check_needed(const SideCondition& condition) const;
  void look_at(const SideCondition& condition, bool is_shown);
  [[nodiscard]] bool signs_matter(const Claim& claim) const;
  [[nodiscard]] bool signs_matter(const FormPtr& form) const;

  Context& context_;
  Natures natures_;
  Uses before_;
  Uses after_;
  std::map<std::int64_t, const Claim*> claims_;
  std::uint64_t shown_ = 0;
  std::string not_shown_;  ///< the first of them
};

/// Whether everything that is listed is referred to: value numbers and parts of forms. Throws Refused.
void check_references_are_needed(const Certificate& certificate);

}  // namespace steptp::replayer
