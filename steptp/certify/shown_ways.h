#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "steptp/certify/judged_pair.h"
#include "steptp/certify/output_points.h"

namespace steptp::certify {

/// Whether the programs agree whichever way their comparisons of reals go ([decision 0012]). Shown at some elements
/// first; what is compared later, with other integers or at other elements, is shown there too, or counts as not shown.
class ShownWays {
 public:
  ShownWays(JudgedPair& pair, const OutputPoints& points) : pair_(pair), points_(points) {}

  /// At the elements that were chosen.
  void show();
  /// At further elements, with the integers of a draw. Only where it is shown so far.
  void show_at(const std::vector<OutputPoint>& points, const Draw& draw);
  /// The same after a special draw, which matters only where integers are drawn, and so often.
  void show_integers_at(const std::vector<OutputPoint>& points, const Draw& draw);

  [[nodiscard]] bool is_shown() const { return is_shown_; }
  /// Why it was not shown; empty where it was, or no reals are compared.
  [[nodiscard]] const std::string& reason() const { return reason_; }
  /// The chance of agreeing by accident at the weakest element, as a power of two.
  [[nodiscard]] double bound_log2() const { return bound_log2_; }
  /// Outcomes that were seen by the way (Machine::outcomes).
  [[nodiscard]] const std::vector<std::uint8_t>& seen(bool in_before) const {
    return in_before ? seen_before_ : seen_after_;
  }
  /// Draws that show which way comparisons of reals go are not needed where every way was shown.
  [[nodiscard]] bool asks_order() const { return pair_.has_order() && (!is_shown_ || pair_.draws_integers()); }

 private:
  void not_shown(std::string reason);

  JudgedPair& pair_;
  const OutputPoints& points_;
  std::shared_ptr<const Code> before_;  ///< with choices as reals, where that is another code
  std::shared_ptr<const Code> after_;
  bool is_shown_ = false;
  std::string reason_;
  double bound_log2_ = -std::numeric_limits<double>::infinity();
  std::uint64_t integer_draws_ = 0;
  std::vector<std::uint8_t> seen_before_;
  std::vector<std::uint8_t> seen_after_;
};

}  // namespace steptp::certify
