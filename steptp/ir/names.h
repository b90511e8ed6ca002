#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace steptp {

/// The names that generated programs use, in order: tensors A C D E F G H I J K M N O Q R S W X Y Z, Aa Ac ... Az Ca
/// ...; indices a c d f g h i j k l m n o p q r s u w, aa ac ... (reserved words are passed over).
[[nodiscard]] std::string tensor_name(std::uint64_t number);
[[nodiscard]] std::string index_name(std::uint64_t number);

/// Hands out names in order, passing over those that are taken.
class NameSource {
 public:
  explicit NameSource(std::string (*name)(std::uint64_t)) : name_(name) {}
  void reserve(const std::string& taken) { taken_.insert(taken); }
  [[nodiscard]] std::string next();

 private:
  std::string (*name_)(std::uint64_t);
  std::uint64_t number_ = 0;
  std::set<std::string> taken_;
};

}  // namespace steptp
