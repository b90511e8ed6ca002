#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace steptp {

/// Something per tensor. Nearly all tensors are called by one capital, and those are found without a search; most
/// others by a few letters, which are compared as one number.
template <typename Value>
class NameTable {
 public:
  /// Null where the name is not in the table.
  [[nodiscard]] const Value* find(std::string_view name) const {
    if (is_letter(name)) {
      const std::optional<Value>& place = letters_[static_cast<std::size_t>(name[0] - 'A')];
      return place ? &*place : nullptr;
    }
    if (is_short(name)) {
      const std::uint64_t key = key_of(name);
      for (const auto& [known, value] : short_names_) {
        if (known == key) return &value;
      }
    }
    if (others_.empty()) return nullptr;
    const auto known = others_.find(name);
    return known == others_.end() ? nullptr : &known->second;
  }
  /// The name must not be in the table.
  void add(std::string_view name, Value value) {
    if (is_letter(name)) {
      letters_[static_cast<std::size_t>(name[0] - 'A')] = std::move(value);
    } else if (is_short(name) && short_names_.size() < kMaxShortNames) {
      short_names_.emplace_back(key_of(name), std::move(value));
    } else {
      others_.emplace(std::string(name), std::move(value));
    }
  }

 private:
  static constexpr std::size_t kMaxShortNames = 32;  ///< a search through more would take longer than one in a map

  static bool is_letter(std::string_view name) { return name.size() == 1 && name[0] >= 'A' && name[0] <= 'Z'; }
  static bool is_short(std::string_view name) { return name.size() <= sizeof(std::uint64_t); }
  /// Different for different short names: a name holds no zero bytes.
  static std::uint64_t key_of(std::string_view name) {
    std::uint64_t key = 0;
    for (const char c : name) key = key << 8 | static_cast<unsigned char>(c);
    return key;
  }

  std::array<std::optional<Value>, 26> letters_;
  std::vector<std::pair<std::uint64_t, Value>> short_names_;
  std::map<std::string, Value, std::less<>> others_;
};

}  // namespace steptp
