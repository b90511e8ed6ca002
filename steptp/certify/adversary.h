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
  /// After a fault of digits alone was found: whether they are also more than half a unit in each input explains.
  [[nodiscard]] Finding run_for_stability(const Candidate& from);

 private:
  struct Known {
    Candidate candidate;
    SafetyMeasure measure;
  };
  enum class Progress : std::uint8_t { go_on, stop };

  [[nodiscard]] bool estimate();
  [[nodiscard]] Finding finished();
  [[nodiscard]] bool is_spent() const { return spent_ >= allowed_; }
  SafetyMeasure measure(const Candidate& candidate, const std::vector<std::size_t>& which);
  /// Notes what was seen; stops where a fault was found and confirmed at all points.
  [[nodiscard]] Progress look_at(const Candidate& candidate, const SafetyMeasure& measure);
  void remember(const Candidate& candidate, const SafetyMeasure& measure);
  [[nodiscard]] Progress try_hints(const std::vector<Candidate>& hints);
  [[nodiscard]] Progress draw(std::uint64_t until);
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
  [[nodiscard]] Progress climb_all(std::uint64_t until);
  [[nodiscard]] double fitness(Goal goal, const SafetyMeasure& measure) const;
  [[nodiscard]] bool is_fault(const SafetyMeasure& measure) const;
  [[nodiscard]] std::vector<std::size_t> some_points(std::size_t best);
  /// A few elements, other ones each time, so that all are looked at in turn.
  [[nodiscard]] std::vector<std::size_t> next_points();

  SafetyRun& run_;
  CandidateMaker& maker_;
  Budget& budget_;
  Random random_;
  bool for_stability_ = false;
  bool is_second_look_ = false;
  bool is_short_ = false;            ///< fewer inputs than a search needs that is to say something by finding nothing
  std::vector<std::size_t> all_;     ///< elements of outputs
  std::vector<std::size_t> guides_;  ///< elements on the way there
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
