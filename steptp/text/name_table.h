#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace steptp {

/// Something per tensor. Nearly all tensors are called by one capital, and those are found without a search.
template <typename Value>
class NameTable {
 public:
  /// Null where the name is not in the table.
  [[nodiscard]] const Value* find(std::string_view name) const {
    if (is_letter(name)) {
      const std::optional<Value>& place = letters_[static_cast<std::size_t>(name[0] - 'A')];
      return place ? &*place : nullptr;
    }
    const auto known = others_.find(name);
    return known == others_.end() ? nullptr : &known->second;
  }
  /// The name must not be in the table.
  void add(std::string_view name, Value value) {
    if (is_letter(name)) {
      letters_[static_cast<std::size_t>(name[0] - 'A')] = std::move(value);
    } else {
      others_.emplace(std::string(name), std::move(value));
    }
  }

 private:
  static bool is_letter(std::string_view name) { return name.size() == 1 && name[0] >= 'A' && name[0] <= 'Z'; }

  std::array<std::optional<Value>, 26> letters_;
  std::map<std::string, Value, std::less<>> others_;
};

}  // namespace steptp
