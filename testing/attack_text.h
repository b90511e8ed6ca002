#pragma once

// What the attacks that are written as text share: drawn extents and positions by name, and special values of inputs.

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "testing/attacker.h"
#include "testing/shorthand.h"

namespace steptp::testing {

/// `*` in a place: every position of the dimension.
inline constexpr std::int64_t kEvery = -1;

/// Numbers that texts name: N and M are extents, K and R positions in them that are neither first nor last.
class AttackNumbers {
 public:
  explicit AttackNumbers(Random& random);

  void set(const std::string& name, std::int64_t value);
  [[nodiscard]] std::int64_t at(std::string_view name) const;
  /// Names as texts, with T a float type and C a constant of few digits.
  [[nodiscard]] const ShorthandValues& texts() const { return texts_; }
  void set_text(const std::string& name, const std::string& text) { texts_[name] = text; }
  [[nodiscard]] double constant() const { return constant_; }
  [[nodiscard]] std::string fill(std::string_view text) const { return replace_names(text, texts_); }
  /// "R,K" as numbers; also plain numbers and `*`.
  [[nodiscard]] std::vector<std::int64_t> list(std::string_view names) const;

 private:
  std::map<std::string, std::int64_t, std::less<>> numbers_;
  ShorthandValues texts_;
  double constant_ = 0;
};

/// Sets one element of an input by its subscripts.
void set_input(Attack& attack, const std::string& name, const std::vector<std::int64_t>& subscripts, double value);
/// "A@R,*=0 A@R,K=2.5 J@3=K": several of them in turn, with values that may be names.
void set_inputs(Attack& attack, std::string_view text, const AttackNumbers& numbers);

}  // namespace steptp::testing
