#pragma once

// Subscripts over two loops, one right inside the other, in terms of the one loop that takes their place.

#include <cstdint>
#include <optional>
#include <string>

#include "steptp/ir/program.h"

namespace steptp {

/// The loop outside, the one inside, and how many iterations that has.
struct FusedPair {
  std::string outer;
  std::string inner;
  std::int64_t inner_extent = 1;
  /// Also P*(m//g)+p//g becomes f//g, and p%g becomes f%g, where g divides m: loops that were split more than once.
  bool undoes_parts = false;
};

/// Rewrites indices over the two loops (P, p) with p < m in terms of the fused one: P*m+p, and its multiples, become f;
/// other uses become f//m and f%m.
class LoopFuser {
 public:
  LoopFuser(FusedPair pair, const std::string& fused);

  [[nodiscard]] const Index& quotient() const { return quotient_; }
  [[nodiscard]] const Index& remainder() const { return remainder_; }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool used_division() const { return used_division_; }

  /// Nothing where the index has neither loop in it.
  std::optional<Index> operator()(const Index& index);
  /// Only P*m+p, so that other calculations keep their form: nothing where there is no such sum.
  std::optional<Index> undo(const Index& index);

 private:
  Index take(std::optional<Index> result);
  Index fuse(const Index& index);
  Index fuse_atom(const IndexAtom& atom);
  [[nodiscard]] std::int64_t part_of(const Index& dividend, const Index& divisor) const;
  [[nodiscard]] std::int64_t part_of(const IndexTerm& term) const;

  FusedPair pair_;
  Index fused_;
  Index quotient_;
  Index remainder_;
  bool failed_ = false;
  bool used_division_ = false;
};

}  // namespace steptp
