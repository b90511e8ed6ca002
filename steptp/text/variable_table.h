#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "steptp/ir/index.h"
#include "steptp/ir/program.h"

namespace steptp {

/// Subscripts that are one variable, shared by all that use them within one text (not by all texts: their counters
/// would be fought over by threads). Letters and axes, which are nearly all, are found without a search.
class VariableTable {
 public:
  [[nodiscard]] const Index& find(std::string_view name) {
    if (name.size() == 1) return letter(name[0]);
    if (name.size() == 2) {
      if (const auto axis = axis_of(name)) return this->axis(*axis);
    }
    for (const auto& [known, index] : others_) {
      if (known == name) return index;
    }
    if (others_.size() >= kMaxOthers) others_.clear();
    return others_.emplace_back(std::string(name), Index::variable(std::string(name))).second;
  }
  /// `letter` is one of a..z.
  [[nodiscard]] const Index& letter(char letter) {
    return variable_at(short_names_[static_cast<std::size_t>(letter - 'a')], std::string_view(&letter, 1));
  }
  [[nodiscard]] const Index& axis(Axis axis) {
    return variable_at(short_names_[kLetters + static_cast<std::size_t>(axis)], name_of(axis));
  }

 private:
  static constexpr std::size_t kLetters = 26;
  static constexpr std::size_t kMaxOthers = 32;  ///< a search through more would cost more than it saves

  /// A variable is never a constant, so a constant marks an entry that is still empty.
  static const Index& variable_at(Index& place, std::string_view name) {
    if (place.is_constant()) place = Index::variable(std::string(name));
    return place;
  }

  std::array<Index, kLetters + kAxes> short_names_;
  std::vector<std::pair<std::string, Index>> others_;
};

}  // namespace steptp
