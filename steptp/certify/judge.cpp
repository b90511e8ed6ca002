#include "steptp/certify/judge.h"

#include <algorithm>
#include <utility>

#include "steptp/base/hash.h"
#include "steptp/base/text.h"
#include "steptp/certify/simplify.h"

namespace steptp::certify {

namespace {

using Verdict = CertifiedAnswer::Verdict;

/// A counterexample that reads no more elements than these is written out.
constexpr std::size_t kMostReads = 4096;

/// Reals of such a draw lie on a set of measure zero.
bool is_thin(DrawKind kind) { return !is_open(kind); }

}  // namespace

Judge::Judge(const Program& before, const Program& after, const CertifyOptions& options, std::optional<int> kept)
    : options_(options),
      programs_{before, after},
      before_(compile(before)),
      after_(compile(after)),
      model_(model_inputs(before, after, options.guesses_domains ? Guesses::from_use : Guesses::none)),
      window_(kept ? cut_window(before_, after_, model_, before.signature, options.same_tensors, *kept) : Window{}),
      pair_{before_, after_, combine(combine(options.seed, hash_of(before)), hash_of(after))},
      before_coverage_(before_, model_),
      after_coverage_(after_, model_),
      budget_{options.budget_operations, options.budget_bytes, options.stop},
      signature_(kept ? window_.signature : before.signature),
      random_(options.seed) {
  answer_.assumes = model_.assumes;
  std::sort(answer_.assumes.begin(), answer_.assumes.end());
  answer_.assumes.erase(std::unique(answer_.assumes.begin(), answer_.assumes.end()), answer_.assumes.end());
}

CertifiedAnswer Judge::run() {
  decide();
  answer_.work = options_.budget_operations - budget_.operations;
  return std::move(answer_);
}

void Judge::decide() {
  if (!model_.problem.empty()) return undecided(model_.problem);
  choose_points();
  if (!bools_of_one_kind() || !first_look() || !sweep() || is_equal_in_window() || !generic_trials() ||
      !patterns_of_bools() || !hidden_elements())
    return;
  show_every_way();
  if (is_hazardous()) return;
  const bool was_shown = is_shown_;
  if (!look_around()) return;
  // What was looked at since may have shown less than the first elements did.
  if (was_shown && !is_shown_ && !look_around()) return;
  if (!combine_ways() || !make_solid()) return;
  for (const OutputPoint& point : points_) {
    if (!counted_.contains(point.output)) {
      return undecided(concat("before is finite at none of the points tried in ", point.output));
    }
  }
  conclude();
}

bool Judge::look_around() { return special_draws() && peaks() && cover() && edges_of_data(); }

bool Judge::is_hazardous() {
  if (!window_.has_hazards || is_shown_) return false;
  undecided("after may leave a domain where before does not, and not every way was shown");
  return true;
}

void Judge::undecided(std::string reason) {
  answer_.verdict = Verdict::undecided;
  answer_.reason = std::move(reason);
}

bool Judge::look(Comparison& comparison, const Draw& draw, const OutputPoint& point) {
  const PointAnswer found = comparison.at(point);
  switch (found.kind) {
    case PointAnswer::Kind::equal:
      answer_.points += 1;
      record_point(comparison, draw, point, found);
      (is_thin(draw.kind) ? thin_points_ : solid_points_).insert(point);
      if (draw.kind == DrawKind::generic) counted_.insert(point.output);
      if (found.by_field && !found.is_integer && draw.kind == DrawKind::generic) {
        const auto [at, added] = bounds_.try_emplace(point, 0.0);
        at->second += found.bound_log2;
      } else if (!found.by_field) {
        answer_.agree_bits = std::min(answer_.agree_bits.value_or(found.agree_bits), found.agree_bits);
      }
      return true;
    case PointAnswer::Kind::not_counted:
      answer_.not_counted += 1;
      // Where that is the rule, not the exception, a minimum or a comparison may make a number of the infinity.
      // A row that is masked whole has none by design.
      if (found.has_no_value && !is_thin(draw.kind) && draw.kind != DrawKind::pattern) {
        undecided(concat(found.reason, " (", point.output, ", ", name_of(draw.kind), " draw)"));
        return false;
      }
      return true;
    case PointAnswer::Kind::undefined:
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

bool Judge::look_at_all(const std::vector<OutputPoint>& points, DrawKind kind, std::uint64_t trial) {
  const Draw draw{kind, seed_of(kind, trial)};
  Comparison comparison(pair_, model_, draw, options_, budget_);
  for (const OutputPoint& point : points) {
    add_point(point);
    if (known_points_.contains(point) && !look(comparison, draw, point)) return false;
  }
  comparison.collect_outcomes(seen_before_, seen_after_);
  if (is_shown_) show_at(points, draw);
  return true;
}

void Judge::differs(Comparison& comparison, const Draw& draw, const OutputPoint& point, const PointAnswer& found) {
  answer_.verdict = Verdict::differs;
  answer_.reason = found.reason.empty() ? "values differ" : found.reason;
  Counterexample example;
  example.output = point.output;
  example.index = point.element;
  example.seed = draw.seed;
  example.draw = name_of(draw.kind);
  if (draw.kind == DrawKind::pattern) append(example.draw, " ", draw.input);
  if (draw.kind == DrawKind::line || draw.kind == DrawKind::pattern) append(example.draw, " ", draw.step);
  example.before = found.before;
  example.after = found.after;
  example.inputs = comparison.inputs_of(point);
  example.given = comparison.given_inputs(point, kMostReads);
  simplify(pair_, model_, options_, example);
  answer_.counterexample = std::move(example);
}

void Judge::set_bound() {
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

void Judge::conclude() {
  if (!converts_alike_ && !is_shown_) {
    return undecided("the programs make integers or bools of different reals, and samples show little of these");
  }
  if (!doubt_.empty() && !is_shown_) return undecided(doubt_);
  if (is_hazardous()) return;
  set_bound();
  // Whichever way comparisons go includes the way they went.
  if (is_shown_) answer_.bound_log2 = std::min(answer_.bound_log2.value_or(shown_bound_), shown_bound_);
  if (answer_.bound_log2.value_or(options_.bound_log2) > options_.bound_log2) {
    return undecided(concat("the error bound 2^", static_cast<std::int64_t>(*answer_.bound_log2), " is too weak"));
  }
  answer_.verdict = Verdict::equal;
  answer_.in_every_way = is_shown_;
  record_branches();
}

}  // namespace steptp::certify
