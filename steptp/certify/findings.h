#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "steptp/certify/comparison.h"
#include "steptp/certify/judged_pair.h"
#include "steptp/certify/progress.h"
#include "steptp/certify/shown_ways.h"

namespace steptp::certify {

/// What comparisons of single elements have shown so far, and the answer that follows from it.
class Findings {
 public:
  explicit Findings(JudgedPair& pair);

  /// Compares both programs at an element and notes what comes of it. Decided where they differ, or where a generic
  /// draw cannot tell.
  [[nodiscard]] Progress compare(Comparison& comparison, const Draw& draw, const OutputPoint& point);
  /// Takes an answer of another comparison where it shows a difference, and ignores it otherwise.
  [[nodiscard]] Progress take_difference(Comparison& comparison, const Draw& draw, const OutputPoint& point,
                                         const PointAnswer& found);
  [[nodiscard]] Progress undecided(std::string reason);
  /// The answer of another judge, about a part of the programs that stands for all of them.
  [[nodiscard]] Progress take(CertifiedAnswer answer);

  /// Adds the outcomes that a comparison has seen.
  void collect_outcomes(const Comparison& comparison) { comparison.collect_outcomes(seen_before_, seen_after_); }
  /// Outcomes of each branch that were seen at draws (Machine::outcomes).
  [[nodiscard]] const std::vector<std::uint8_t>& seen(bool in_before) const {
    return in_before ? seen_before_ : seen_after_;
  }
  void note_conversions(const Comparison& comparison);
  /// Why elements that agree would not be believed.
  void doubt(std::string reason) { doubt_ = std::move(reason); }

  /// The element was decided in the field, and not often enough for the bound.
  [[nodiscard]] bool needs_more(const OutputPoint& point) const;
  /// How often an element agreed so far.
  [[nodiscard]] std::uint64_t agreed() const { return answer_.points; }
  /// Elements that agreed at draws of measure zero only.
  [[nodiscard]] std::vector<OutputPoint> thin_points() const;

  /// Values of a window that lie outside of a domain of `after` may be all that the program ever has there, so that
  /// draws show nothing; showing every way compares what the programs divide by, take roots and logarithms of. Decided,
  /// as undecided, where that is so and not every way was shown.
  [[nodiscard]] Progress refuse_hazards(const ShownWays& ways);
  /// Nothing different was found: the answer is equal, unless something speaks against believing it.
  [[nodiscard]] Progress conclude(const OutputPoints& points, const ShownWays& ways);

  [[nodiscard]] const CertifiedAnswer& answer() const { return answer_; }

 private:
  void note_equal(Comparison& comparison, const Draw& draw, const OutputPoint& point, const PointAnswer& found);
  [[nodiscard]] Progress differs(Comparison& comparison, const Draw& draw, const OutputPoint& point,
                                 const PointAnswer& found);
  /// The bound is that of the points that were compared often enough; there is one of every output.
  void set_bound();

  // For a certificate (findings_record.cpp).
  void record_point(Comparison& comparison, const Draw& draw, const OutputPoint& point, const PointAnswer& found);

  JudgedPair& pair_;
  CertifiedAnswer answer_;
  std::map<OutputPoint, double> bounds_;  ///< by field, over generic draws
  bool converts_alike_ = true;
  std::string doubt_;
  std::set<OutputPoint> thin_points_;   ///< that counted at a draw of measure zero
  std::set<OutputPoint> solid_points_;  ///< that counted at another one
  std::set<std::string> counted_;       ///< outputs with an element that counted
  std::vector<std::uint8_t> seen_before_;
  std::vector<std::uint8_t> seen_after_;
};

}  // namespace steptp::certify
