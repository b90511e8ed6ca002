#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "steptp/base/random.h"
#include "steptp/certify/judged_pair.h"

namespace steptp::certify {

/// The elements of the outputs at which two programs are compared: each once, in the order in which they were added.
class OutputPoints {
 public:
  explicit OutputPoints(JudgedPair& pair) : pair_(pair), random_(pair.options.seed) {}

  /// First and last elements, the edges of conditions on indices, all elements of small outputs, random ones, corners.
  void choose();
  /// Adds an element, unless the output has no such element.
  void add(OutputPoint point);

  [[nodiscard]] const std::vector<OutputPoint>& list() const { return points_; }
  [[nodiscard]] bool contains(const OutputPoint& point) const { return known_.contains(point); }
  /// So many of the list are compared whatever they cost.
  [[nodiscard]] std::size_t required() const { return required_; }
  /// The first ones of the list, at most so many.
  [[nodiscard]] std::vector<OutputPoint> first(std::size_t most) const;

 private:
  void add_small_outputs();
  void add_random(const Variable& output);
  void add_corners(const Variable& output);

  JudgedPair& pair_;
  Random random_;
  std::vector<OutputPoint> points_;
  std::set<OutputPoint> known_;
  std::size_t required_ = 0;
};

}  // namespace steptp::certify
