#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "steptp/base/random.h"
#include "steptp/certify/certify.h"
#include "steptp/certify/combinations.h"
#include "steptp/certify/comparison.h"
#include "steptp/certify/coverage.h"
#include "steptp/certify/inputs.h"
#include "steptp/certify/window.h"
#include "steptp/machine/code.h"

namespace steptp::certify {

/// Special draws look at this many elements of each output.
inline constexpr std::size_t kSpecialPoints = 6;
/// Outputs of so few elements are looked at everywhere, as long as that is cheap.
inline constexpr std::int64_t kFewElements = 64;

/// Judges one pair: which elements, which draws, which branches; Comparison answers for one element at one draw.
/// Methods that return a bool return false where the answer is found.
class Judge {
 public:
  /// `kept`: of the changed window only, with so many layers around it (window.h); nothing for the whole programs.
  Judge(const Program& before, const Program& after, const CertifyOptions& options, std::optional<int> kept = {});

  [[nodiscard]] bool has_window() const { return window_.is_cut && window_.is_usable; }

  [[nodiscard]] CertifiedAnswer run();

 private:
  void decide();
  /// Draws that look for differences, and the branches.
  bool look_around();
  void undecided(std::string reason);
  void differs(Comparison& comparison, const Draw& draw, const OutputPoint& point, const PointAnswer& found);
  void conclude();
  /// The bound is that of the points that were looked at often enough; there is one of every output.
  void set_bound();
  [[nodiscard]] bool is_enough() const {
    return options_.budget_operations - budget_.operations > options_.enough_operations;
  }
  bool look(Comparison& comparison, const Draw& draw, const OutputPoint& point);
  bool look_at_all(const std::vector<OutputPoint>& points, DrawKind kind, std::uint64_t trial);

  // For a certificate (judge_record.cpp).

  void record_point(Comparison& comparison, const Draw& draw, const OutputPoint& point, const PointAnswer& found);
  void record_branches();

  // Elements (judge_points.cpp).

  void add_point(OutputPoint point);
  void choose_points();
  void add_small_outputs();

  // Draws (judge_draws.cpp).

  [[nodiscard]] bool has_integer_inputs() const;
  [[nodiscard]] bool has_free_integers() const;
  [[nodiscard]] std::uint64_t seed_of(DrawKind kind, std::uint64_t trial) const;
  bool generic_trials();
  /// Masks of whole rows and columns, which random bools do not make.
  bool bools_of_one_kind();
  bool patterns_of_bools();
  /// Elements of masked inputs at -inf: some, whole rows, all.
  bool hidden_elements();
  /// A few integers coincide often: A_{C_{0}} and A_{C_{1}} are the same element in every other draw where C has two
  /// values, and the bound of the field knows nothing of it.
  [[nodiscard]] std::uint32_t least_trials() const;
  [[nodiscard]] bool needs_more(const OutputPoint& point) const;
  /// Analytic functions that agree at generic points agree everywhere; only what depends on order, on integers, or may
  /// be undefined asks for special points.
  [[nodiscard]] bool is_wanted(DrawKind kind) const;
  /// A draw of thresholds meets one threshold exactly at one element in some twenty, so it takes many to meet them all.
  [[nodiscard]] std::uint64_t seeds_of(DrawKind kind) const;
  bool special_draws();
  bool special_draw(const Draw& draw);
  /// Lets single elements win, one at a time, in what takes the greatest or least of many.
  bool peaks();
  /// Where `before` is finite at special draws only, a few of these say nothing: more generic draws, or undecided.
  bool make_solid();
  /// Looks at both programs close to where one of them changes its way: between two draws at which a program goes
  /// different ways, the change is found by bisection. A comparison that is a little off shows there and hardly
  /// anywhere else.
  bool edges_of_data();
  bool edge_of_data(const Code& code, const OutputPoint& point, std::uint64_t seed);

  // As many elements as cost little (judge_sweep.cpp).

  bool sweep();
  bool sweep_output(const Variable& variable, const Draw& draw, Budget& budget);

  // The changed window (judge_window.cpp).

  /// A wrong program mostly differs anywhere: one look, with everything that the programs share evaluated once.
  bool first_look();
  /// One further than the first along every dimension: cheap, and a recurrence has begun there.
  [[nodiscard]] OutputPoint second_element(OutputPoint first) const;
  /// Programs that are expensive to evaluate share most of it: are they equal whatever its values are? A wider window
  /// is tried only where the narrow one differs almost everywhere, so that a real difference would show in the wider
  /// one too. One that shows only here and there (one element that wins a maximum, a tie) might not: then an answer
  /// `equal` of the whole programs would not be believed either.
  bool is_equal_in_window();
  /// Values of a window that lie outside of a domain of `after` may be all that the program ever has there, so that
  /// draws show nothing; showing every way compares what the programs divide by, take roots and logarithms of.
  bool is_hazardous();
  [[nodiscard]] std::optional<CertifiedAnswer> in_window(int kept, std::uint64_t seed);
  [[nodiscard]] bool differs_everywhere(int kept, const CertifiedAnswer& answer);

  // Every way at once (judge_ways.cpp).

  /// Sets is_shown_ where the programs agree whichever way their comparisons of reals go.
  void show_every_way();
  /// The same at further elements, with the integers of a draw; clears is_shown_ where they do not agree there.
  void show_at(const std::vector<OutputPoint>& points, const Draw& draw);
  /// Integers are drawn, as inputs or for reals that become integers.
  [[nodiscard]] bool draws_integers() const;
  /// Draws that show which way comparisons of reals go are not needed where every way was shown.
  [[nodiscard]] bool asks_order() const {
    return (before_.has_order || after_.has_order) && (!is_shown_ || draws_integers());
  }

  // Combinations of comparisons (judge_combinations.cpp).

  /// Looks at both programs on every way on which their comparisons lead to an element, where these are few.
  bool combine_ways();
  bool combine_ways_of(const OutputPoint& point);
  /// Looks for ways that draws do not take (judge_explore.cpp): from the ways that are new, others, by solving for
  /// one input after the other.
  bool explore(const OutputPoint& point, Combinations& ways);
  [[nodiscard]] Trace open_steps(const Trace& trace, bool in_before) const;

  // Branches (judge_branches.cpp).

  struct Missing {
    Coverage* coverage = nullptr;
    std::uint32_t branch = 0;
    bool outcome = false;
    bool in_before = false;
  };
  /// The other program has the same fold, and it never went this way there either. What went the other way has shown
  /// the folded value, so that the two agree up to the fold and beyond it as analytic functions, and where one goes
  /// this way, so does the other. A clamp shows the value only where the number does not win; rounding never shows it.
  [[nodiscard]] bool is_folded_alike(const Branch& branch, bool outcome, bool in_before) const;
  [[nodiscard]] std::vector<Missing> missing();
  /// Tries to see every outcome that was not seen, or to show that it does not exist.
  bool cover();

  const CertifyOptions options_;
  std::pair<const Program&, const Program&> programs_;
  Code before_;
  Code after_;
  InputModel model_;
  Window window_;
  Pair pair_;
  Coverage before_coverage_;
  Coverage after_coverage_;
  Budget budget_;
  const Signature& signature_;
  Random random_;
  CertifiedAnswer answer_;
  std::vector<OutputPoint> points_;
  std::size_t required_ = 0;  ///< so many points are looked at whatever they cost
  std::set<OutputPoint> known_points_;
  std::map<OutputPoint, double> bounds_;  ///< by field, over generic draws
  bool converts_alike_ = true;
  std::string doubt_;                   ///< why samples that agree would not be believed
  std::set<OutputPoint> thin_points_;   ///< that counted at a draw of measure zero
  std::set<OutputPoint> solid_points_;  ///< that counted at another one
  std::set<std::string> counted_;       ///< outputs with an element that counted
  std::vector<std::uint8_t> seen_before_;
  std::vector<std::uint8_t> seen_after_;
  std::shared_ptr<const Code> opaque_before_;  ///< with choices as reals, where that is another code
  std::shared_ptr<const Code> opaque_after_;
  bool is_shown_ = false;                                          ///< equal in every way, so far
  double shown_bound_ = -std::numeric_limits<double>::infinity();  ///< of that, at the weakest element
  std::uint64_t integer_draws_ = 0;
  std::vector<std::uint8_t> ways_seen_before_;
  std::vector<std::uint8_t> ways_seen_after_;
  std::set<std::tuple<bool, std::uint32_t, bool>> settled_;  ///< outcomes that do not exist
};

}  // namespace steptp::certify
