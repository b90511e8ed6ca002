#include "steptp/certify/certify.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "steptp/base/hash.h"
#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/certify/big_stack.h"
#include "steptp/certify/code.h"
#include "steptp/certify/comparison.h"
#include "steptp/certify/coverage.h"
#include "steptp/certify/failure.h"
#include "steptp/certify/inputs.h"
#include "steptp/certify/window.h"

namespace steptp::certify {

namespace {

using Verdict = CertifiedAnswer::Verdict;

/// Special draws look at this many elements of each output.
constexpr std::size_t kSpecialPoints = 6;
/// Outputs of so few elements are looked at everywhere, as long as that is cheap.
constexpr std::int64_t kFewElements = 64;
/// Seeds of each special draw: in a single one, chance may hide what the draw is for.
constexpr std::uint64_t kSpecialSeeds = 3;
/// Further seeds of each directed draw, where an outcome of a comparison is still missing.
constexpr std::uint64_t kDirectedSeeds = 6;

/// Elements of each output, and lines through the inputs of each, along which changes of way are looked for.
constexpr std::size_t kEdgePoints = 3;
constexpr std::uint64_t kEdgeLines = 2;
constexpr std::uint64_t kEdgeOperations = 20'000;

class Judge {
 public:
  /// `kept`: of the changed window only, with so many layers around it (window.h); nothing for the whole programs.
  Judge(const Program& before, const Program& after, const CertifyOptions& options, std::optional<int> kept = {})
      : options_(options),
        programs_{before, after},
        before_(compile(before)),
        after_(compile(after)),
        model_(model_inputs(before, after)),
        window_(kept ? cut_window(before_, after_, model_, before.signature, *kept) : Window{}),
        pair_{before_, after_, combine(combine(options.seed, hash_of(before)), hash_of(after))},
        before_coverage_(before_, model_),
        after_coverage_(after_, model_),
        budget_{options.budget_operations, options.budget_bytes},
        signature_(kept ? window_.signature : before.signature),
        random_(options.seed) {
    answer_.assumes = model_.assumes;
    std::sort(answer_.assumes.begin(), answer_.assumes.end());
    answer_.assumes.erase(std::unique(answer_.assumes.begin(), answer_.assumes.end()), answer_.assumes.end());
  }

  [[nodiscard]] bool has_window() const { return window_.is_cut && window_.is_usable; }

  CertifiedAnswer run() {
    decide();
    answer_.work = options_.budget_operations - budget_.operations;
    return std::move(answer_);
  }

 private:
  void decide() {
    if (model_.is_empty) return undecided("an input has no legal value");
    choose_points();
    if (!first_look() || is_equal_in_window()) return;
    if (!generic_trials() || !special_draws() || !peaks() || !cover() || !edges_of_data() || !make_solid()) return;
    for (const OutputPoint& point : points_) {
      if (!counted_.contains(point.output)) {
        return undecided(concat("before is finite at none of the points tried in ", point.output));
      }
    }
    conclude();
  }

  void undecided(std::string reason) {
    answer_.verdict = Verdict::undecided;
    answer_.reason = std::move(reason);
  }

  // Elements.

  void add_point(OutputPoint point) {
    const Variable* variable = signature_.find(point.output);
    if (!variable || variable->shape.size() != point.element.size()) return;
    for (std::size_t d = 0; d < point.element.size(); ++d) {
      if (point.element[d] < 0 || point.element[d] >= variable->shape[d]) return;
    }
    if (known_points_.insert(point).second) points_.push_back(std::move(point));
  }

  void choose_points() {
    for (const Variable& variable : signature_.variables) {
      if (variable.role != Role::output) continue;
      std::vector<std::int64_t> last;
      for (const std::int64_t size : variable.shape) last.push_back(size - 1);
      add_point({variable.name, std::vector<std::int64_t>(variable.shape.size(), 0)});
      add_point({variable.name, last});
    }
    required_ = points_.size();
    for (Coverage* coverage : {&before_coverage_, &after_coverage_}) {
      for (OutputPoint& point : coverage->edges()) add_point(std::move(point));
    }
    required_ = points_.size();
    add_small_outputs();
    for (const Variable& variable : signature_.variables) {
      if (variable.role != Role::output) continue;
      const std::size_t corners =
          std::min<std::size_t>(std::size_t{1} << std::min<std::size_t>(variable.shape.size(), 4), 16);
      for (std::uint32_t i = 0; i < options_.points; ++i) {
        std::vector<std::int64_t> element;
        for (const std::int64_t size : variable.shape) {
          element.push_back(static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(size))));
        }
        add_point({variable.name, std::move(element)});
      }
      for (std::size_t corner = 1; corner + 1 < corners; ++corner) {
        std::vector<std::int64_t> element;
        for (std::size_t d = 0; d < variable.shape.size(); ++d) {
          element.push_back(((corner >> d) & 1) != 0 ? variable.shape[d] - 1 : 0);
        }
        add_point({variable.name, std::move(element)});
      }
    }
  }

  void add_small_outputs() {
    for (const Variable& variable : signature_.variables) {
      const auto count = element_count(variable.shape);
      if (variable.role != Role::output || !count || *count > kFewElements) continue;
      for (std::int64_t position = 0; position < *count; ++position) {
        std::vector<std::int64_t> element(variable.shape.size());
        std::int64_t rest = position;
        for (std::size_t d = element.size(); d-- > 0; rest /= variable.shape[d]) element[d] = rest % variable.shape[d];
        add_point({variable.name, std::move(element)});
      }
    }
  }

  [[nodiscard]] bool is_enough() const {
    return options_.budget_operations - budget_.operations > options_.enough_operations;
  }

  // Draws.

  /// Reals of such a draw lie on a set of measure zero.
  [[nodiscard]] static bool is_thin(DrawKind kind) {
    return kind == DrawKind::zeros || kind == DrawKind::ties || kind == DrawKind::thresholds;
  }

  [[nodiscard]] bool has_integer_inputs() const {
    return std::any_of(model_.inputs.begin(), model_.inputs.end(),
                       [](const InputFacts& facts) { return !is_float(facts.variable->dtype); });
  }

  [[nodiscard]] std::uint64_t seed_of(DrawKind kind, std::uint64_t trial) const {
    return combine(combine(mix(options_.seed), static_cast<Hash>(kind)), trial);
  }

  /// False where the answer is found.
  bool look(Comparison& comparison, Draw draw, const OutputPoint& point) {
    const PointAnswer found = comparison.at(point);
    switch (found.kind) {
      case PointAnswer::Kind::equal:
        answer_.points += 1;
        (is_thin(draw.kind) ? thin_points_ : solid_points_).insert(point);
        if (draw.kind == DrawKind::generic) counted_.insert(point.output);
        if (found.by_field && !found.is_integer && draw.kind == DrawKind::generic) {
          const auto [at, added] = bounds_.try_emplace(point, 0.0);
          at->second += found.bound_log2;
        } else if (!found.by_field) {
          answer_.agree_bits = std::min(answer_.agree_bits.value_or(found.agree_bits), found.agree_bits);
        }
        return true;
      case PointAnswer::Kind::not_counted: answer_.not_counted += 1; return true;
      case PointAnswer::Kind::undefined:
        if (is_thin(draw.kind)) {
          answer_.is_defined_everywhere = false;
          return true;
        }
        differs(comparison, draw, point, found);
        return false;
      case PointAnswer::Kind::differs: differs(comparison, draw, point, found); return false;
      case PointAnswer::Kind::undecided:
        // A special draw looks for differences; what it cannot see is left to the generic ones.
        if (found.lacks_precision && draw.kind != DrawKind::generic) {
          answer_.not_counted += 1;
          return true;
        }
        undecided(concat(found.reason, " (", point.output, "[",
                         join(point.element, ",", [](std::int64_t at) { return std::to_string(at); }), "], ",
                         name_of(draw.kind), " draw)"));
        return false;
    }
    return false;
  }

  void differs(Comparison& comparison, Draw draw, const OutputPoint& point, const PointAnswer& found) {
    answer_.verdict = Verdict::differs;
    answer_.reason = found.reason.empty() ? "values differ" : found.reason;
    Counterexample example;
    example.output = point.output;
    example.index = point.element;
    example.seed = draw.seed;
    example.draw = name_of(draw.kind);
    if (draw.kind == DrawKind::line) append(example.draw, " ", draw.step);
    example.before = found.before;
    example.after = found.after;
    example.inputs = comparison.inputs_of(point);
    answer_.counterexample = std::move(example);
  }

  /// A wrong program mostly differs anywhere: one look, with everything that the programs share evaluated once.
  bool first_look() {
    if (points_.empty()) return true;
    const Draw draw{DrawKind::generic, seed_of(DrawKind::generic, 0)};
    Comparison comparison(pair_, model_, draw, options_, budget_, Share::all);
    for (const OutputPoint& point :
         {points_[0], second_element(points_[0]), points_[std::min<std::size_t>(1, points_.size() - 1)]}) {
      const PointAnswer found = comparison.quickly_at(point);
      if (found.kind == PointAnswer::Kind::differs || found.kind == PointAnswer::Kind::undefined) {
        differs(comparison, draw, point, found);
        return false;
      }
      if (is_enough()) break;
    }
    return true;
  }

  /// One further than the first along every dimension: cheap, and a recurrence has begun there.
  [[nodiscard]] OutputPoint second_element(OutputPoint first) const {
    const std::vector<std::int64_t>& shape = signature_.find(first.output)->shape;
    for (std::size_t d = 0; d < shape.size(); ++d) first.element[d] = std::min<std::int64_t>(1, shape[d] - 1);
    return first;
  }

  /// Programs that are expensive to evaluate share most of it: are they equal whatever its values are? A wider window
  /// is tried only where the narrow one differs almost everywhere, so that a real difference would show in the wider
  /// one too. One that shows only here and there (one element that wins a maximum, a tie) might not: then an answer
  /// `equal` of the whole programs would not be believed either.
  bool is_equal_in_window() {
    constexpr std::uint64_t kCheap = 20'000;
    if (window_.is_cut || options_.budget_operations - budget_.operations < kCheap) return false;
    for (const int kept : {0, 1, 3}) {
      const auto answer = in_window(kept, options_.seed);
      if (!answer) continue;
      if (answer->verdict == Verdict::equal && answer->is_defined_everywhere) {
        answer_ = *answer;
        return true;
      }
      if (answer->verdict == Verdict::differs && !differs_everywhere(kept, *answer)) {
        doubt_ = concat("the changed parts differ for some values that they might get (", answer->reason, ", ",
                        answer->counterexample->draw, " draw), and samples do not show whether they do");
        return false;
      }
    }
    return false;
  }

  [[nodiscard]] std::optional<CertifiedAnswer> in_window(int kept, std::uint64_t seed) {
    constexpr std::uint64_t kMostOperations = 20'000'000;
    CertifyOptions options = options_;
    options.seed = seed;
    options.budget_operations = std::min(budget_.operations, kMostOperations);
    Judge judge(programs_.first, programs_.second, options, kept);
    if (!judge.has_window()) return std::nullopt;
    CertifiedAnswer answer = judge.run();
    budget_.operations -= answer.work;
    return answer;
  }

  [[nodiscard]] bool differs_everywhere(int kept, const CertifiedAnswer& answer) {
    constexpr std::uint64_t kSeeds = 3;
    if (answer.points > 0) return false;
    for (std::uint64_t i = 1; i <= kSeeds; ++i) {
      const auto again = in_window(kept, mix(options_.seed + i));
      if (!again || again->verdict != Verdict::differs || again->points > 0) return false;
    }
    return true;
  }

  bool generic_trials() {
    const std::uint32_t least = least_trials();
    for (std::uint32_t trial = 0; trial < std::max(least, options_.most_trials); ++trial) {
      if (trial >= options_.most_trials && is_enough()) break;
      const Draw draw{DrawKind::generic, seed_of(DrawKind::generic, trial)};
      Comparison comparison(pair_, model_, draw, options_, budget_);
      const bool late = trial >= least;
      for (std::size_t i = 0; i < points_.size(); ++i) {
        if (i >= required_ && is_enough()) break;
        if (late && !needs_more(points_[i])) continue;
        if (!look(comparison, draw, points_[i])) return false;
      }
      comparison.collect_outcomes(seen_before_, seen_after_);
      converts_alike_ = converts_alike_ && comparison.converts_alike();
      if (trial + 1 >= least && std::none_of(points_.begin(), points_.end(),
                                             [this](const OutputPoint& point) { return needs_more(point); })) {
        return true;
      }
    }
    return true;
  }

  /// A few integers coincide often: A_{C_{0}} and A_{C_{1}} are the same element in every other draw where C has two
  /// values, and the bound of the field knows nothing of it.
  [[nodiscard]] std::uint32_t least_trials() const {
    constexpr std::uint32_t kTrialsOfIntegers = 40;
    const bool has_integers = std::any_of(model_.inputs.begin(), model_.inputs.end(), [](const InputFacts& facts) {
      return !is_float(facts.variable->dtype) && facts.variable->values.empty();
    });
    return has_integers ? std::max(kTrialsOfIntegers, options_.trials) : options_.trials;
  }

  [[nodiscard]] bool needs_more(const OutputPoint& point) const {
    const auto at = bounds_.find(point);
    return at != bounds_.end() && at->second > options_.bound_log2;
  }

  /// The bound is that of the points that were looked at often enough; there is one of every output.
  void set_bound() {
    std::map<std::string, double> best;
    for (const auto& [point, bound] : bounds_) {
      const auto [at, added] = best.try_emplace(point.output, bound);
      at->second = std::min(at->second, bound);
    }
    for (const auto& [output, bound] : best) answer_.bound_log2 = std::max(answer_.bound_log2.value_or(bound), bound);
    for (const auto& [point, bound] : bounds_) {
      if (bound <= options_.bound_log2) answer_.bound_log2 = std::max(*answer_.bound_log2, bound);
    }
  }

  /// Analytic functions that agree at generic points agree everywhere; only what depends on order, on integers, or may
  /// be undefined asks for special points.
  [[nodiscard]] bool is_wanted(DrawKind kind) const {
    const bool has_order = before_.has_order || after_.has_order;
    switch (kind) {
      case DrawKind::generic:
      case DrawKind::line: return true;
      case DrawKind::zeros:
        return has_order || before_.has_divisions || after_.has_divisions || before_.has_functions ||
               after_.has_functions;
      case DrawKind::huge: return has_order || before_.has_roots || after_.has_roots;
      case DrawKind::positive:
      case DrawKind::negative:
      case DrawKind::ties:
      case DrawKind::thresholds:
      case DrawKind::large:
      case DrawKind::wide:
      case DrawKind::tiny:
      case DrawKind::below:
      case DrawKind::above:
      case DrawKind::rising:
      case DrawKind::falling: return has_order;
      case DrawKind::peak:
      case DrawKind::dip: return false;  // drawn where there are peaks
      case DrawKind::first_index:
      case DrawKind::last_index: return has_integer_inputs();
    }
    return true;
  }

  /// Where `before` is finite at special draws only, a few of these say nothing: more generic draws, or undecided.
  bool make_solid() {
    for (std::uint64_t trial = 0; trial < options_.most_trials; ++trial) {
      std::vector<OutputPoint> left;
      std::set_difference(thin_points_.begin(), thin_points_.end(), solid_points_.begin(), solid_points_.end(),
                          std::back_inserter(left));
      if (left.empty()) return true;
      if (!look_at_all(left, DrawKind::generic, options_.most_trials + trial)) return false;
      if (!look_at_all(left, DrawKind::positive, options_.most_trials + trial)) return false;
    }
    for (const OutputPoint& point : thin_points_) {
      if (solid_points_.contains(point)) continue;
      undecided(concat("before is finite at an element of ", point.output, " on special draws only"));
      return false;
    }
    return true;
  }

  /// Looks at both programs close to where one of them changes its way: between two draws at which a program goes
  /// different ways, the change is found by bisection. A comparison that is a little off shows there and hardly
  /// anywhere else.
  bool edges_of_data() {
    if (!before_.has_order && !after_.has_order) return true;
    std::map<std::string, std::size_t> done;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const OutputPoint point = points_[i];
      if (done[point.output]++ >= kEdgePoints) continue;
      for (std::uint64_t line = 0; line < kEdgeLines; ++line) {
        for (const Code* code : {&before_, &after_}) {
          if (!edge_of_data(*code, point, seed_of(DrawKind::line, i * kEdgeLines + line))) return false;
        }
      }
    }
    return true;
  }

  bool edge_of_data(const Code& code, const OutputPoint& point, std::uint64_t seed) {
    std::int64_t low = 0;
    std::int64_t high = kLineSteps;
    const std::uint64_t before = budget_.operations;
    const auto at = [&](std::int64_t step) {
      return Comparison::path(code, model_, {DrawKind::line, seed, step}, point, budget_);
    };
    const auto start = at(low);
    if (before - budget_.operations > kEdgeOperations) return true;  // 40 such evaluations are not worth it
    const auto end = at(high);
    if (!start || !end || start == end) return true;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      const auto here = at(middle);
      if (!here) return true;
      (here == start ? low : high) = middle;
    }
    for (const std::int64_t step : {low, high}) {
      const Draw draw{DrawKind::line, seed, step};
      Comparison comparison(pair_, model_, draw, options_, budget_);
      if (!look(comparison, draw, point)) return false;
    }
    return true;
  }

  /// A draw of thresholds meets one threshold exactly at one element in some twenty, so it takes many to meet them all.
  [[nodiscard]] std::uint64_t seeds_of(DrawKind kind) const {
    constexpr std::uint64_t kSeedsOfAThreshold = 12;
    constexpr std::uint64_t kSeedsOfTies = 64;
    constexpr std::uint64_t kMost = 96;
    if (kind == DrawKind::zeros) return 1;
    if (kind == DrawKind::ties) return kSeedsOfTies;
    if (kind != DrawKind::thresholds) return kSpecialSeeds;
    return std::clamp<std::uint64_t>(kSeedsOfAThreshold * model_.thresholds.size(), kSpecialSeeds, kMost);
  }

  bool special_draws() {
    bool is_left = true;
    for (std::uint64_t trial = 0; is_left && (trial == 0 || !is_enough()); ++trial) {
      is_left = false;
      for (const DrawKind kind : kSpecialDraws) {
        if (!is_wanted(kind) || trial >= seeds_of(kind) || (trial > 0 && is_enough())) continue;
        is_left = true;
        if (!special_draw({kind, seed_of(kind, trial)})) return false;
      }
    }
    return true;
  }

  /// Lets single elements win, one at a time, in what takes the greatest or least of many.
  bool peaks() {
    constexpr std::uint64_t kMostOperations = 20'000'000;
    const std::uint64_t start = budget_.operations;
    std::set<Coverage::Peak> wanted;
    for (Coverage* coverage : {&before_coverage_, &after_coverage_}) {
      for (Coverage::Peak& peak : coverage->peaks()) wanted.insert(std::move(peak));
    }
    for (const Coverage::Peak& peak : wanted) {
      for (const DrawKind kind : {DrawKind::peak, DrawKind::dip}) {
        if (start - budget_.operations > kMostOperations) return true;
        add_point(peak.point);
        if (!known_points_.contains(peak.point)) continue;
        const Draw draw{kind, seed_of(kind, 0), 0, peak.input, peak.position};
        Comparison comparison(pair_, model_, draw, options_, budget_);
        if (!look(comparison, draw, peak.point)) return false;
        comparison.collect_outcomes(seen_before_, seen_after_);
      }
    }
    return true;
  }

  bool special_draw(Draw draw) {
    Comparison comparison(pair_, model_, draw, options_, budget_);
    std::map<std::string, std::size_t> done;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (i >= 2 && is_enough()) break;
      const auto count = element_count(signature_.find(points_[i].output)->shape);
      const std::size_t most = count && *count <= kFewElements ? kFewElements : kSpecialPoints;
      if (done[points_[i].output]++ >= most) continue;
      if (!look(comparison, draw, points_[i])) return false;
    }
    comparison.collect_outcomes(seen_before_, seen_after_);
    return true;
  }

  // Branches.

  struct Missing {
    Coverage* coverage = nullptr;
    std::uint32_t branch = 0;
    bool outcome = false;
    bool in_before = false;
  };

  /// The other program has the same fold, and it never went this way there either. What went the other way has shown
  /// the folded value, so that the two agree up to the fold and beyond it as analytic functions, and where one goes
  /// this way, so does the other. A clamp shows the value only where the number does not win; rounding never shows it.
  [[nodiscard]] bool is_folded_alike(const Branch& branch, bool outcome, bool in_before) const {
    if (!branch.fold) return false;
    switch (branch.fold->kind) {
      case Fold::Kind::absolute: break;
      case Fold::Kind::clamp: {
        const bool number_wins = (branch.fold->op == ArithmeticOp::max) == (outcome == branch.fold->is_first);
        if (!number_wins) return false;
        break;
      }
      case Fold::Kind::to_bool:
      case Fold::Kind::rounding: return false;
    }
    const Code& other = in_before ? after_ : before_;
    const auto& seen = in_before ? seen_after_ : seen_before_;
    for (std::size_t i = 0; i < other.branches.size(); ++i) {
      if (other.branches[i].fold == branch.fold && (seen[i] & (outcome ? 2 : 1)) == 0) return true;
    }
    return false;
  }

  [[nodiscard]] std::vector<Missing> missing() {
    std::vector<Missing> out;
    for (const bool in_before : {true, false}) {
      const Code& code = in_before ? before_ : after_;
      Coverage& coverage = in_before ? before_coverage_ : after_coverage_;
      const auto& seen = in_before ? seen_before_ : seen_after_;
      for (std::uint32_t i = 0; i < code.branches.size(); ++i) {
        if (!coverage.matters(i)) continue;
        for (const bool outcome : {false, true}) {
          if ((seen[i] & (outcome ? 2 : 1)) != 0 || settled_.contains({in_before, i, outcome})) continue;
          // Small results of a rounding are met by any draw that matters.
          if (code.branches[i].fold && code.branches[i].fold->kind == Fold::Kind::rounding && !outcome) continue;
          if (is_folded_alike(code.branches[i], outcome, in_before)) continue;
          out.push_back({&coverage, i, outcome, in_before});
        }
      }
    }
    return out;
  }

  /// Tries to see every outcome that was not seen, or to show that it does not exist.
  bool cover() {
    std::vector<OutputPoint> wanted;
    for (const Missing& item : missing()) {
      Coverage::Witness witness = item.coverage->witness(item.branch, item.outcome);
      if (witness.is_infeasible || item.coverage->is_unused(item.branch, item.outcome))
        settled_.insert({item.in_before, item.branch, item.outcome});
      wanted.insert(wanted.end(), witness.points.begin(), witness.points.end());
    }
    if (!missing().empty() && !look_at_all(wanted, DrawKind::generic, 0)) return false;
    for (std::uint64_t trial = 1; trial <= kDirectedSeeds && !missing().empty(); ++trial) {
      std::vector<OutputPoint> some(
          points_.begin(), points_.begin() + static_cast<std::ptrdiff_t>(std::min(points_.size(), kSpecialPoints)));
      some.insert(some.end(), wanted.begin(), wanted.end());
      for (const DrawKind kind : {DrawKind::thresholds, DrawKind::large, DrawKind::ties, DrawKind::positive,
                                  DrawKind::negative, DrawKind::huge, DrawKind::tiny}) {
        if (!look_at_all(some, kind, trial)) return false;
      }
    }
    const std::vector<Missing> left = missing();
    if (left.empty()) return true;
    undecided(concat(left[0].in_before ? "before: " : "after: ", left[0].coverage->text(left[0].branch), " was never ",
                     left[0].outcome ? "true" : "false", " at the points tried"));
    return false;
  }

  bool look_at_all(const std::vector<OutputPoint>& points, DrawKind kind, std::uint64_t trial) {
    const Draw draw{kind, seed_of(kind, trial)};
    Comparison comparison(pair_, model_, draw, options_, budget_);
    for (const OutputPoint& point : points) {
      add_point(point);
      if (known_points_.contains(point) && !look(comparison, draw, point)) return false;
    }
    comparison.collect_outcomes(seen_before_, seen_after_);
    return true;
  }

  void conclude() {
    if (!converts_alike_) {
      return undecided("the programs make integers or bools of different reals, and samples show little of these");
    }
    if (!doubt_.empty()) return undecided(doubt_);
    set_bound();
    if (answer_.bound_log2.value_or(options_.bound_log2) > options_.bound_log2) {
      return undecided(concat("the error bound 2^", static_cast<std::int64_t>(*answer_.bound_log2), " is too weak"));
    }
    answer_.verdict = Verdict::equal;
  }

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
  std::string doubt_;                   ///< why `equal` would not be believed
  std::set<OutputPoint> thin_points_;   ///< that counted at a draw of measure zero
  std::set<OutputPoint> solid_points_;  ///< that counted at another one
  std::set<std::string> counted_;       ///< outputs with an element that counted
  std::vector<std::uint8_t> seen_before_;
  std::vector<std::uint8_t> seen_after_;
  std::set<std::tuple<bool, std::uint32_t, bool>> settled_;  ///< outcomes that do not exist
};

}  // namespace

CertifiedAnswer certify(const Program& before, const Program& after, const CertifyOptions& options) {
  CertifiedAnswer answer;
  const bool ran = run_on_big_stack([&] {
    try {
      answer = Judge(before, after, options).run();
    } catch (const Failure& failure) {
      answer.verdict = Verdict::undecided;
      answer.reason = failure.message;
    }
  });
  if (!ran) answer.reason = "no stack for the evaluation";
  return answer;
}

}  // namespace steptp::certify
