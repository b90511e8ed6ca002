#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "steptp/prove/flow.h"

namespace steptp::forms {

/// The element functions of versions that two programs have in common. Equal forms have equal numbers, in both
/// programs: these are the cut points of a proof (docs/decisions/0011).
class ValueNumbers {
 public:
  explicit ValueNumbers(Shared& shared) : shared_(shared) {}

  enum class Whose : std::uint8_t { before, after };

  /// Numbers a program's versions; what cannot be written down gets no number.
  [[nodiscard]] Numbering number(Flow& flow, Whose role);
  /// Numbers only what both programs have, as soon as it is found in the second one: what one program alone has
  /// between two such versions is looked through.
  [[nodiscard]] std::pair<Numbering, Numbering> number_together(Flow& left, Flow& right);
  /// Shape and form of each number.
  [[nodiscard]] const std::map<std::uint32_t, std::pair<std::vector<std::int64_t>, Value>>& forms() const {
    return forms_;
  }

 private:
  using Form = std::pair<std::vector<std::int64_t>, PolynomialId>;
  struct Side {
    Flow& flow;
    std::vector<Version> versions;
    Whose role = Whose::before;
    std::size_t next = 0;
    std::map<Form, std::vector<std::pair<Version, Value>>> alone = {};  ///< not met in the other program yet
    Numbering numbers = {};
    /// How much of it has been looked at.
    [[nodiscard]] double share() const {
      return next == versions.size() ? 2 : static_cast<double>(next) / static_cast<double>(versions.size());
    }
    void set(const Version& version, VersionNumbers both) {
      flow.set_number(version, both);
      numbers.emplace(version, both.value);
    }
  };

  void look_at_next(Side& own, Side& other);
  /// Infinities that indices place, as a causal mask does: behind a name nobody could tell that no row is masked whole.
  [[nodiscard]] bool is_mask_of_indices(PolynomialId form);
  /// Of its value, and of where it has none: programs with one value may differ in that. Where the element of `after`
  /// has no value only where that of `before` is NaN or has none, both are said to have none exactly there: more than
  /// is true of `after`, which is on the safe side.
  [[nodiscard]] VersionNumbers numbers_of(const std::vector<std::int64_t>& shape, const Value& value, Whose role);
  [[nodiscard]] std::uint32_t number_of(const std::vector<std::int64_t>& shape, const Value& value);

  Shared& shared_;
  std::set<Form> met_;  ///< in both programs
  std::map<Form, std::uint32_t> numbers_;
  std::map<std::uint32_t, PolynomialId> hazards_;  ///< by value: where `before` has no value
  std::map<std::uint32_t, PolynomialId> excuses_;  ///< by value: where `before` is NaN or has no value
  std::map<std::uint32_t, std::pair<std::vector<std::int64_t>, Value>> forms_;
};

}  // namespace steptp::forms
