#pragma once

#include "steptp/certify/inquiry.h"
#include "steptp/certify/progress.h"

namespace steptp::certify {

/// Cheap looks for a difference, before anything is counted. What they see as equal shows nothing.
class FirstLooks {
 public:
  explicit FirstLooks(Inquiry& inquiry)
      : pair_(inquiry.pair), points_(inquiry.points), findings_(inquiry.findings), ways_(inquiry.ways) {}

  /// Masks that are true everywhere or false everywhere, which random bools are not.
  [[nodiscard]] Progress bools_of_one_kind();
  /// A wrong program mostly differs anywhere: one look, with everything that the programs share evaluated once.
  [[nodiscard]] Progress first_elements();
  /// As many elements as cost little.
  [[nodiscard]] Progress sweep();

 private:
  [[nodiscard]] Progress bools_as(std::size_t input, std::int64_t pattern);
  [[nodiscard]] Progress sweep_output(const Variable& variable, const Draw& draw, Budget& budget);
  /// One further than the first along every dimension: cheap, and a recurrence has begun there.
  [[nodiscard]] OutputPoint second_element(OutputPoint first) const;

  JudgedPair& pair_;
  const OutputPoints& points_;
  Findings& findings_;
  const ShownWays& ways_;
};

}  // namespace steptp::certify
