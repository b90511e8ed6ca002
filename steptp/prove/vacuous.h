#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "steptp/ir/signature.h"
#include "steptp/prove/arena.h"
#include "steptp/prove/flow.h"

namespace steptp::forms {

/// Finds where a normal form is NaN, or has no value, whatever the inputs are. What it does not find may still be so.
class Vacuity {
 public:
  explicit Vacuity(Arena& arena) : arena_(arena) {}

  /// Conditions on the element under which it is vacuous; they exclude each other.
  [[nodiscard]] std::vector<ConditionId> regions(const Value& value);
  /// At every input the element is NaN or has no value, under what is assumed.
  [[nodiscard]] bool is_vacuous(const Value& value);

 private:
  void split(const Value& value, const std::vector<ConditionId>& known, std::vector<ConditionId>& out);
  /// A condition on the element alone that is open and that a choice inside depends on.
  [[nodiscard]] std::optional<ConditionId> open_condition(PolynomialId id);
  [[nodiscard]] std::optional<ConditionId> open_condition(const Value& value);
  [[nodiscard]] bool is_nan(PolynomialId id);
  [[nodiscard]] bool is_one(PolynomialId id);
  [[nodiscard]] bool is_nan_generator(GeneratorId id);
  [[nodiscard]] bool finds_nan(GeneratorId id);
  /// 1 or -1 where it is inf or -inf at every input, else 0.
  [[nodiscard]] int sign_of_infinity(GeneratorId id);

  Arena& arena_;
  std::size_t leaves_ = 0;
  /// Parts are shared: what was asked of one under the same knowledge, and what was searched in vain.
  std::map<std::pair<std::uint32_t, GeneratorId>, bool> known_;
  std::set<GeneratorId> searched_;
};

/// "D" where all of an output is vacuous, "D where ge0(i0-5)" where a region is, in the words of certificates; nothing
/// for what may be a number.
[[nodiscard]] std::vector<std::string> vacuous_texts(Shared& shared, const Variable& output, const Value& value);

}  // namespace steptp::forms
