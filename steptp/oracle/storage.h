#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "steptp/oracle/scalar.h"

namespace steptp {

/// The elements of one tensor while a program runs, with the launch in which each was last written (0: never).
/// Definedness and freshness follow from that number: storage that starts undefined with every launch ignores
/// elements stamped with an earlier one. Dense where the box of subscripts is known and worth it, otherwise a map.
class Storage {
 public:
  using Launch = std::uint32_t;
  /// Not an element: outside the box, or never written.
  static constexpr std::int64_t kNone = -1;

  Storage() = default;
  /// The caller has made sure that the product of the extents fits in memory.
  [[nodiscard]] static Storage dense(DType dtype, std::vector<std::int64_t> extents);
  /// Extents, where there are any, are only for the check of the range.
  [[nodiscard]] static Storage sparse(DType dtype, std::vector<std::int64_t> extents);
  /// An input: its elements lie elsewhere, are all defined and are never written.
  [[nodiscard]] static Storage view(DType dtype, std::vector<std::int64_t> extents, const std::byte* data);

  /// The number of the element, or kNone.
  [[nodiscard]] std::int64_t find(std::span<const std::int64_t> subscripts) const;
  /// The same for writing: a map gets a new element. kNone only outside the extents.
  [[nodiscard]] std::int64_t find_or_add(std::span<const std::int64_t> subscripts);
  [[nodiscard]] bool contains(std::span<const std::int64_t> subscripts) const;

  [[nodiscard]] Scalar read(std::int64_t element) const { return load(dtype_, data_ + element * bytes_); }
  [[nodiscard]] Launch written(std::int64_t element) const {
    return stamps_.empty() ? 1 : stamps_[static_cast<std::size_t>(element)];
  }
  void write(std::int64_t element, Scalar value, Launch launch) {
    store(value, own_.data() + element * bytes_);
    stamps_[static_cast<std::size_t>(element)] = launch;
  }

  [[nodiscard]] bool is_sparse() const { return sparse_; }
  [[nodiscard]] std::size_t element_count() const { return stamps_.size(); }
  [[nodiscard]] const std::vector<std::int64_t>& extents() const { return extents_; }
  [[nodiscard]] std::vector<std::byte> take_bytes() { return std::move(own_); }

  /// What one element costs.
  [[nodiscard]] static double dense_bytes(DType dtype) {
    return info(dtype).bytes + static_cast<double>(sizeof(Launch));
  }
  static constexpr double kSparseBytes = 128;

 private:
  struct TupleHash {
    std::size_t operator()(const std::vector<std::int64_t>& tuple) const;
  };

  DType dtype_ = DType::f32;
  int bytes_ = 4;
  bool sparse_ = false;
  std::vector<std::int64_t> extents_;
  std::vector<std::byte> own_;
  const std::byte* data_ = nullptr;
  std::vector<Launch> stamps_;
  std::unordered_map<std::vector<std::int64_t>, std::int64_t, TupleHash> places_;
};

}  // namespace steptp
