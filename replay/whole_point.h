#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "replay/whole.h"

namespace steptp::replayer {

/// Both programs at one element and one input; nothing where a program has no value.
struct WholeCheck::Point {
  Point(const Certificate& certificate, const Spot& spot, long bits = 0)
      : output(spot.output),
        element(spot.element),
        given(spot.given),
        forced(spot.forced),
        shifted(spot.shifted),
        signs(spot.signs),
        numbers(kPrime, bits),
        draws(certificate, numbers, spot.kind, spot.seed, spot.assumes) {
    sources.input = [this](const Variable& variable, const std::vector<std::int64_t>& index) {
      const Value value = input(variable, index);
      if (seen) seen->read(variable, index, value);
      return value;
    };
    if (given && given->uses_functions) numbers.note_function();
  }
  [[nodiscard]] Value input(const Variable& variable, const std::vector<std::int64_t>& index) const {
    if (given) {
      if (const auto found = given->values.find({variable.name, index}); found != given->values.end()) {
        return found->second;
      }
    }
    return draws.input(variable, index);
  }
  const std::string& output;
  const std::vector<std::int64_t>& element;
  const Given* given;
  const std::array<std::vector<Met::Way>, 2>* forced;
  const std::set<std::uint64_t>* shifted;
  const Signs* signs;
  Numbers numbers;
  Draws draws;
  Sources sources;
  Seen* seen = nullptr;
  std::array<Met, 2> met;
  std::optional<Value> before;
  std::optional<Value> after;
  std::string after_lacks;  ///< why `after` has no value

  [[nodiscard]] bool before_is_nan() const { return before && !before->is_integer && before->real.kind == Class::nan; }
  [[nodiscard]] Agreement compared() const {
    if (before->is_integer) return before->integer == after->integer ? Agreement::by_residue : Agreement::differs;
    return compare_values(before->real, after->real, numbers.used_functions());
  }
};

}  // namespace steptp::replayer
