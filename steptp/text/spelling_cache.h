#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "steptp/text/scanner.h"

namespace steptp {

/// What was read from a few pieces of one text, to be found again where the text repeats a piece letter by letter. For
/// pieces whose meaning does not depend on their place, and that end with a bracket or a number.
template <typename Value, std::size_t Size>
class SpellingCache {
 public:
  struct Entry {
    std::string_view spelling;
    Value value;
  };

  /// The piece that comes next in the text, not taken yet. Null where it is not known.
  [[nodiscard]] const Entry* find(const Scanner& scan) {
    const std::string_view rest = scan.text().substr(scan.position());
    for (std::size_t tries = 0; tries < size_; ++tries) {
      if (next_ >= size_) next_ = 0;
      const Entry& entry = entries_[next_++];
      if (!rest.starts_with(entry.spelling)) continue;
      if (is_digit(scan.raw(entry.spelling.size()))) continue;  // a longer number
      return &entry;
    }
    return nullptr;
  }

  void add(std::string_view spelling, Value value) {
    if (size_ == Size) size_ = 0;
    entries_[size_++] = {spelling, std::move(value)};
    next_ = size_;
  }

 private:
  std::array<Entry, Size> entries_;
  std::size_t size_ = 0;
  std::size_t next_ = 0;  ///< where the search begins: what follows the piece found last also followed it before
};

}  // namespace steptp
