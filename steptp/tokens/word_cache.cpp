#include "steptp/tokens/word_cache.h"

#include <algorithm>
#include <bit>

namespace steptp {

WordCache::WordCache(std::size_t slots)
    : slots_(std::bit_ceil(std::max<std::size_t>(slots, 2))), shift_(64 - std::countr_zero(slots_.size())) {}

void WordCache::keep(Slot& slot, std::string_view word, std::span<const std::uint32_t> ids) {
  if (ids.size() > kMaxIds) return;
  slot.length = static_cast<std::uint8_t>(word.size());
  slot.count = static_cast<std::uint8_t>(ids.size());
  std::copy(word.begin(), word.end(), slot.word);
  std::copy(ids.begin(), ids.end(), slot.ids);
}

void WordCache::belong_to(const std::shared_ptr<const void>& owner) {
  if (owner_ == owner) return;
  for (Slot& slot : slots_) slot.length = 0;
  owner_ = owner;
}

}  // namespace steptp
