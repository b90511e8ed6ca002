#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "steptp/certify/safety_run.h"

namespace steptp::certify {

/// Looks for a good input at which the second program is worse than the first one may be. It starts from a list of
/// inputs and from drawn ones and climbs: one change after the other, of magnitudes, signs, ratios and single elements,
/// is kept where it does not lead away from a fault. Deterministic by its seed.
/// More than thirty functions, because each way of looking for inputs is a few of them, and all ways share what was
/// measured, what was found and what the search may still spend.
class Adversary {
 public:
  /// What is climbed.
  enum class Goal : std::uint8_t { loss, guide, overflow, root, branch, instability };
  struct Finding {
    bool is_finished = false;
    bool has_good_input = false;
    std::optional<SafetyMeasure> fault;
    Candidate at;
    std::string reason;  ///< where it did not finish
  };

  Adversary(SafetyRun& run, CandidateMaker& maker, Budget& budget, std::uint64_t seed);

  /// A part of the programs, with fewer bounds on its inputs, was searched already: fewer inputs will do.
  void take_second_look() { is_second_look_ = true; }
  /// `hints` are tried first.
  [[nodiscard]] Finding run(const std::vector<Candidate>& hints = {});
  /// Does not end with the first fault: a loss that is only just one in a part of the programs need not be one in the
  /// whole. faults() has the worst then.
  void collect() { collects_ = true; }
  [[nodiscard]] std::vector<Candidate> faults() const;
  /// Where too few inputs can be run to say something by finding nothing, none are.
  void give_up_early() { gives_up_early_ = true; }
  /// Tries the hints and nothing else.
  void try_hints_only() { tries_hints_only_ = true; }
  /// After a fault of digits alone was found: whether they are also more than half a unit in each input explains.
  [[nodiscard]] Finding run_for_stability(const Candidate& from);

 private:
  struct Known {
    Candidate candidate;
    SafetyMeasure measure;
  };
  enum class Progress : std::uint8_t { go_on, stop };
  static constexpr std::size_t kMostReadsLooked = 40;

  [[nodiscard]] bool estimate();
  [[nodiscard]] Finding finished();
  [[nodiscard]] bool is_spent() const { return spent_ >= allowed_; }
  SafetyMeasure measure(const Candidate& candidate, const std::vector<std::size_t>& which);
  /// Notes what was seen; stops where a fault was found and confirmed at all points.
  [[nodiscard]] Progress look_at(const Candidate& candidate, const SafetyMeasure& measure);
  void remember(const Candidate& candidate, const SafetyMeasure& measure);
  void keep_fault(const Candidate& candidate, const SafetyMeasure& measure);
  [[nodiscard]] Progress try_hints(const std::vector<Candidate>& hints);
  [[nodiscard]] Progress draw(std::uint64_t until);
  /// Inputs of all magnitudes alike, each at one element.
  [[nodiscard]] Progress draw_evenly();
  /// Ones, with a single element that is large, small or zero, or with two that cancel.
  [[nodiscard]] Progress draw_peaks();
  /// Sorts the elements by which way the programs go for them, so that each way is looked at as often as the others.
  void find_ways();
  [[nodiscard]] Progress climb(Goal goal, Known from, std::uint64_t until);
  [[nodiscard]] Progress reach_outcomes(std::uint64_t until);
  /// A condition and how it is wanted.
  struct Outcome {
    std::size_t condition = 0;
    bool is_true = false;
  };
  [[nodiscard]] std::vector<Outcome> rare() const;
  [[nodiscard]] double distance(const std::vector<Outcome>& wanted, const SafetyMeasure& measure) const;
  [[nodiscard]] Progress reach(const std::vector<Outcome>& wanted, std::uint64_t until);
  /// An element of an input, or all of one that is read at many places.
  struct Coordinate {
    std::size_t input = 0;
    std::optional<std::int64_t> position;
  };
  /// Where a search for outcomes stands.
  struct Search {
    const std::vector<Outcome>& wanted;
    std::uint64_t until = 0;
    Candidate at;
    double best = 0;
  };
  [[nodiscard]] std::vector<Coordinate> coordinates(const Candidate& at);
  void set(Candidate& candidate, const Coordinate& coordinate, double value) const;
  [[nodiscard]] Progress try_value(Search& search, const Coordinate& coordinate, double value, double& distance);
  [[nodiscard]] Progress search_along(Search& search, const Coordinate& coordinate);
  [[nodiscard]] Progress search_by_chance(Search& search);
  [[nodiscard]] Progress climb_all(std::uint64_t until);
  [[nodiscard]] double fitness(Goal goal, const SafetyMeasure& measure) const;
  [[nodiscard]] bool is_fault(const SafetyMeasure& measure) const;
  [[nodiscard]] std::vector<std::size_t> some_points(Goal goal, std::size_t best);
  /// A few elements, other ones each time, so that all are looked at in turn.
  [[nodiscard]] std::vector<std::size_t> next_points();
  [[nodiscard]] std::size_t next_point();

  SafetyRun& run_;
  CandidateMaker& maker_;
  Budget& budget_;
  Random random_;
  bool for_stability_ = false;
  bool is_second_look_ = false;
  bool collects_ = false;
  bool tries_hints_only_ = false;
  bool gives_up_early_ = false;
  std::vector<Known> losses_;        ///< the greatest that were collected
  std::vector<Known> events_;        ///< overflows and the like, the first ones
  bool is_short_ = false;            ///< fewer inputs than a search needs that is to say something by finding nothing
  std::vector<std::size_t> all_;     ///< elements of outputs
  std::vector<std::size_t> guides_;  ///< elements on the way there
  /// All elements of outputs, by the way the programs go; those where both do the same are looked at less often.
  std::vector<std::vector<std::size_t>> ways_;
  std::vector<std::vector<std::size_t>> same_ways_;
  std::size_t turn_ = 0;
  std::size_t focus_ = 0;             ///< the element at which conditions are sought
  std::optional<Candidate> closest_;  ///< where the last search for conditions ended
  // In operations; a search for conditions looks at one element, and gets the more inputs for it.
  std::uint64_t spent_ = 0;
  std::uint64_t allowed_ = 0;
  std::uint64_t allowed_for_conditions_ = 0;
  std::uint64_t cost_ = 1;      ///< of one input at a few elements
  std::vector<Known> best_[6];  ///< by goal
  Finding finding_;
};

}  // namespace steptp::certify
