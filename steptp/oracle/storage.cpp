#include "steptp/oracle/storage.h"

#include <utility>

#include "steptp/base/hash.h"

namespace steptp {

std::size_t Storage::TupleHash::operator()(const std::vector<std::int64_t>& tuple) const {
  Hash hash = tuple.size();
  for (const std::int64_t part : tuple) hash = combine(hash, static_cast<Hash>(part));
  return hash;
}

Storage Storage::view(DType dtype, std::vector<std::int64_t> extents, const std::byte* data) {
  Storage storage;
  storage.dtype_ = dtype;
  storage.bytes_ = info(dtype).bytes;
  storage.extents_ = std::move(extents);
  storage.data_ = data;
  return storage;
}

Storage Storage::dense(DType dtype, std::vector<std::int64_t> extents) {
  std::size_t count = 1;
  for (const std::int64_t extent : extents) count *= static_cast<std::size_t>(extent);
  Storage storage = view(dtype, std::move(extents), nullptr);
  storage.own_.resize(count * static_cast<std::size_t>(storage.bytes_));
  storage.stamps_.resize(count);
  storage.data_ = storage.own_.data();
  return storage;
}

Storage Storage::sparse(DType dtype, std::vector<std::int64_t> extents) {
  Storage storage = view(dtype, std::move(extents), nullptr);
  storage.sparse_ = true;
  return storage;
}

bool Storage::contains(std::span<const std::int64_t> subscripts) const {
  for (std::size_t i = 0; i < extents_.size(); ++i) {
    if (subscripts[i] < 0 || subscripts[i] >= extents_[i]) return false;
  }
  return true;
}

std::int64_t Storage::find(std::span<const std::int64_t> subscripts) const {
  if (sparse_) {
    const auto at = places_.find(std::vector<std::int64_t>(subscripts.begin(), subscripts.end()));
    return at == places_.end() ? kNone : at->second;
  }
  std::int64_t element = 0;
  for (std::size_t i = 0; i < extents_.size(); ++i) {
    if (subscripts[i] < 0 || subscripts[i] >= extents_[i]) return kNone;
    element = element * extents_[i] + subscripts[i];
  }
  return element;
}

std::int64_t Storage::find_or_add(std::span<const std::int64_t> subscripts) {
  if (!sparse_) return find(subscripts);
  if (!contains(subscripts)) return kNone;
  const auto next = static_cast<std::int64_t>(stamps_.size());
  const auto [at, added] = places_.try_emplace(std::vector<std::int64_t>(subscripts.begin(), subscripts.end()), next);
  if (added) {
    own_.resize(own_.size() + static_cast<std::size_t>(bytes_));
    stamps_.push_back(0);
    data_ = own_.data();
  }
  return at->second;
}

}  // namespace steptp
