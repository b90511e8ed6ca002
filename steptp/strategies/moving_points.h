#pragma once

// What moves in the indices of an access, or of an expression, while the loops around it stand still: the dimensions of
// a copy that goes point by point.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "steptp/analysis/interval.h"
#include "steptp/ir/index.h"

namespace steptp {

/// The moving parts of indices, each a dimension of the copy. An index as a whole has one moving part. With
/// `inside_divisions` those inside of // and % count by themselves: of (bx*64+f)//56 and (bx*64+f)%56+c the parts are f
/// and c, so that a tile of fused loops has a place for each of their iterations and not for the box of all subscripts
/// that they reach.
class MovingPoints {
 public:
  MovingPoints(std::set<std::string> still, bool inside_divisions)
      : still_(std::move(still)), inside_divisions_(inside_divisions) {}

  /// Takes note of an index over loops with these ranges. False where it reads a tensor, does not fit, is very wide, or
  /// (inside divisions) multiplies what moves.
  bool note(const Index& index, const Ranges& box);

  /// Of the dimensions of the copy: parts with more than one value that are no quotient of another part.
  [[nodiscard]] std::vector<std::int64_t> extents() const;
  /// Where a use finds its value, over its own loops. Nothing where an index does not fit.
  [[nodiscard]] std::optional<std::vector<Index>> places() const;
  /// What an index is at a point of the copy. Nothing where a part of it was never noted, nor is a sum of multiples of
  /// noted ones, or where it does not fit.
  [[nodiscard]] std::optional<Index> at(const Index& index, const std::vector<Index>& point) const;

 private:
  struct Part {
    Index moving;
    Interval range;
  };

  /// A part is the other one divided by a number: of f*4+c and f, where c is below 4, the second is.
  struct Digit {
    std::size_t of = 0;
    std::int64_t by = 1;
  };

  [[nodiscard]] std::optional<Digit> digit(std::size_t part) const;
  [[nodiscard]] bool is_dimension(std::size_t part) const;
  [[nodiscard]] std::optional<Index> value_of(const Index& moving, const std::vector<Index>& point) const;
  [[nodiscard]] std::optional<Index> value_of(std::size_t part, const std::vector<Index>& point) const;

  std::set<std::string> still_;
  bool inside_divisions_;
  std::vector<Part> parts_;
  std::vector<Ranges> boxes_;  ///< of the uses
};

/// An index divides, or takes the remainder of, something over loops that do not stand still.
[[nodiscard]] bool divides_what_moves(const Index& index, const std::set<std::string>& still);

}  // namespace steptp
