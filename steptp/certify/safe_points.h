#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "steptp/base/random.h"
#include "steptp/certify/comparison.h"
#include "steptp/certify/inputs.h"
#include "steptp/ir/signature.h"
#include "steptp/machine/code.h"

namespace steptp::certify {

/// Elements of the outputs: every one of small outputs, corners, edges of conditions on indices, one at least in every
/// part that has a writer of its own.
class PointChoice {
 public:
  PointChoice(const Signature& signature, std::uint64_t seed) : signature_(signature), random_(seed) {}

  /// The first, a drawn and the last element of each tensor on the way.
  [[nodiscard]] std::vector<OutputPoint> few();
  /// All elements of outputs that are not large, many of others.
  [[nodiscard]] std::vector<OutputPoint> many();
  [[nodiscard]] std::vector<OutputPoint> choose(const Code& before, const Code& after, const InputModel& model);

 private:
  void add(const OutputPoint& point);
  void add_few(const Variable& variable);
  void add_ends(const Variable& variable);

  static constexpr std::size_t kMostPoints = 28;
  const Signature& signature_;
  Random random_;
  std::vector<OutputPoint> points_;
  std::set<OutputPoint> known_;
  std::size_t limit_ = kMostPoints;
};

}  // namespace steptp::certify
