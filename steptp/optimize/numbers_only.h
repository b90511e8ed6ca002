#pragma once

#include <map>
#include <string>

#include "steptp/analysis/accesses.h"

namespace steptp {

/// Which tensors of a program hold numbers only, over the reals and at almost all inputs: nothing infinite, and nothing
/// that is not a number. A quotient is a number where its divisor is positive, or is made by functions without a kink,
/// which are zero almost nowhere.
class Numbers {
 public:
  /// The table outlives it.
  explicit Numbers(const AccessTable& table) : table_(table) {}

  /// No where it is not known.
  [[nodiscard]] bool are_in(const std::string& tensor) { return traits_of(tensor).is_number; }

 private:
  enum class Sign : std::uint8_t { any, not_negative, positive };
  struct Traits {
    bool is_number = false;
    bool is_smooth = false;  ///< no extremum, choice or comparison is in it
    Sign sign = Sign::any;
  };
  [[nodiscard]] Traits traits_of(const std::string& tensor);
  [[nodiscard]] Traits traits_of(const Statement& statement);
  [[nodiscard]] Traits traits_of(const ExprPtr& expr);
  [[nodiscard]] Traits sum(const Sum& node);
  [[nodiscard]] Traits product(const Product& node);
  [[nodiscard]] Traits power(const Power& node);
  [[nodiscard]] Traits extremum(const Extremum& node);
  [[nodiscard]] Traits call(const Call& node);
  [[nodiscard]] Traits both(const ExprPtr& left, const ExprPtr& right);

  const AccessTable& table_;
  std::map<std::string, Traits> known_;
};

}  // namespace steptp
