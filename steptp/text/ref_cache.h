#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "steptp/ir/expr.h"

namespace steptp {

/// The references of one text by their spelling: nearly half of all occurrences repeat an earlier one letter by letter,
/// and share its nodes. Only for spellings that end with the bracket of their subscripts: what ends without one may go
/// on behind the match.
class RefCache {
 public:
  struct Entry {
    std::string_view spelling;
    RefPtr ref;
    ExprPtr read;  ///< null until the reference is first used as a value
    std::int32_t before = kNone;
  };

  RefCache() { newest_.fill(kNone); }

  /// The reference with which `text`, which begins with a capital, begins. Null where it is not known.
  [[nodiscard]] const Entry* find(std::string_view text) {
    return search(text[0], [text](const Entry& entry) { return text.starts_with(entry.spelling); });
  }

  /// The value of a reference: the same node for all occurrences of a reference that is known.
  [[nodiscard]] ExprPtr read_of(const RefPtr& ref) {
    Entry* const known = search(ref->tensor[0], [&ref](const Entry& entry) { return entry.ref == ref; });
    if (!known) return read_expr(ref);
    if (!known->read) known->read = read_expr(ref);
    return known->read;
  }

  void add(std::string_view spelling, RefPtr ref) {
    if (size_ == kMaxEntries) {
      newest_.fill(kNone);
      size_ = 0;
    }
    std::int32_t& newest = newest_[place_of(spelling[0])];
    const std::int32_t before = std::exchange(newest, size_);
    entries_[static_cast<std::size_t>(size_++)] = {spelling, std::move(ref), nullptr, before};
  }

 private:
  static constexpr std::int32_t kNone = -1;
  static constexpr int kMaxTries = 12;             ///< a longer search would cost more than it saves
  static constexpr std::int32_t kMaxEntries = 32;  ///< then it begins anew; held in place, since a text is read in
                                                   ///< less time than the allocator takes for a large block

  static std::size_t place_of(char letter) { return static_cast<std::size_t>(letter - 'A'); }

  template <typename Accept>
  Entry* search(char letter, Accept accept) {
    std::int32_t at = newest_[place_of(letter)];
    for (int tries = 0; at != kNone && tries < kMaxTries; ++tries) {
      Entry& entry = entries_[static_cast<std::size_t>(at)];
      if (accept(entry)) return &entry;
      at = entry.before;
    }
    return nullptr;
  }

  std::array<std::int32_t, 26> newest_{};
  std::int32_t size_ = 0;
  std::array<Entry, kMaxEntries> entries_;
};

}  // namespace steptp
