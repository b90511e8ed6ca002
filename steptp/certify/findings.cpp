// Every comparison of an element ends here. What agrees is counted: by output, by whether the draw lies on a set of
// measure zero, and with its share of the error bound. A difference is made into a counterexample at once. At the end,
// all that speaks against believing the sample is asked for before the programs are called equal.
// docs/decisions/0010-certified-evaluation.md.
#include "steptp/certify/findings.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/certify/simplify.h"

namespace steptp::certify {

namespace {

using Verdict = CertifiedAnswer::Verdict;

/// A counterexample that reads no more elements than these is written out.
constexpr std::size_t kMostReads = 16384;

/// Reals of such a draw lie on a set of measure zero.
bool is_thin(DrawKind kind) { return !is_open(kind); }

}  // namespace

Findings::Findings(JudgedPair& pair) : pair_(pair) {
  answer_.assumes = pair.model.assumes;
  std::sort(answer_.assumes.begin(), answer_.assumes.end());
  answer_.assumes.erase(std::unique(answer_.assumes.begin(), answer_.assumes.end()), answer_.assumes.end());
}

Progress Findings::undecided(std::string reason) {
  answer_.verdict = Verdict::undecided;
  answer_.reason = std::move(reason);
  return Progress::decided;
}

Progress Findings::take(CertifiedAnswer answer) {
  answer_ = std::move(answer);
  return Progress::decided;
}

Progress Findings::compare(Comparison& comparison, const Draw& draw, const OutputPoint& point) {
  const PointAnswer found = comparison.at(point);
  switch (found.kind) {
    case PointAnswer::Kind::equal: note_equal(comparison, draw, point, found); return Progress::go_on;
    case PointAnswer::Kind::not_counted:
      answer_.not_counted += 1;
      // Where that is the rule, not the exception, a minimum or a comparison may make a number of the infinity.
      // A row that is masked whole has none by design.
      if (found.has_no_value && !is_thin(draw.kind) && draw.kind != DrawKind::pattern) {
        return undecided(concat(found.reason, " (", point.output, ", ", name_of(draw.kind), " draw)"));
      }
      return Progress::go_on;
    case PointAnswer::Kind::undefined:
    case PointAnswer::Kind::differs: return differs(comparison, draw, point, found);
    case PointAnswer::Kind::undecided:
      // A special draw looks for differences; what it cannot see is left to the generic ones.
      if (found.lacks_precision && draw.kind != DrawKind::generic) {
        answer_.not_counted += 1;
        return Progress::go_on;
      }
      return undecided(concat(found.reason, " (", point.output, "[",
                              join(point.element, ",", [](std::int64_t at) { return std::to_string(at); }), "], ",
                              name_of(draw.kind), " draw)"));
  }
  return Progress::decided;
}

void Findings::note_equal(Comparison& comparison, const Draw& draw, const OutputPoint& point,
                          const PointAnswer& found) {
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
}

Progress Findings::take_difference(Comparison& comparison, const Draw& draw, const OutputPoint& point,
                                   const PointAnswer& found) {
  const bool is_one = found.kind == PointAnswer::Kind::differs || found.kind == PointAnswer::Kind::undefined;
  return is_one ? differs(comparison, draw, point, found) : Progress::go_on;
}

Progress Findings::differs(Comparison& comparison, const Draw& draw, const OutputPoint& point,
                           const PointAnswer& found) {
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
  simplify(pair_.pair, pair_.model, pair_.options, example);
  answer_.counterexample = std::move(example);
  return Progress::decided;
}

void Findings::note_conversions(const Comparison& comparison) {
  converts_alike_ = converts_alike_ && comparison.converts_alike();
}

bool Findings::needs_more(const OutputPoint& point) const {
  const auto at = bounds_.find(point);
  return at != bounds_.end() && at->second > pair_.options.bound_log2;
}

std::vector<OutputPoint> Findings::thin_points() const {
  std::vector<OutputPoint> out;
  std::set_difference(thin_points_.begin(), thin_points_.end(), solid_points_.begin(), solid_points_.end(),
                      std::back_inserter(out));
  return out;
}

Progress Findings::refuse_hazards(const ShownWays& ways) {
  if (!pair_.window.has_hazards || ways.is_shown()) return Progress::go_on;
  return undecided("after may leave a domain where before does not, and not every way was shown");
}

void Findings::set_bound() {
  std::map<std::string, double> best;
  for (const auto& [point, bound] : bounds_) {
    const auto [at, added] = best.try_emplace(point.output, bound);
    at->second = std::min(at->second, bound);
  }
  for (const auto& [output, bound] : best) answer_.bound_log2 = std::max(answer_.bound_log2.value_or(bound), bound);
  for (const auto& [point, bound] : bounds_) {
    if (bound <= pair_.options.bound_log2) answer_.bound_log2 = std::max(*answer_.bound_log2, bound);
  }
}

Progress Findings::conclude(const OutputPoints& points, const ShownWays& ways) {
  for (const OutputPoint& point : points.list()) {
    if (!counted_.contains(point.output)) {
      return undecided(concat("before is finite at none of the points tried in ", point.output));
    }
  }
  if (!converts_alike_ && !ways.is_shown()) {
    return undecided("the programs make integers or bools of different reals, and samples show little of these");
  }
  if (!doubt_.empty() && !ways.is_shown()) return undecided(doubt_);
  if (is_decided(refuse_hazards(ways))) return Progress::decided;
  set_bound();
  // Whichever way comparisons go includes the way they went.
  if (ways.is_shown()) answer_.bound_log2 = std::min(answer_.bound_log2.value_or(ways.bound_log2()), ways.bound_log2());
  if (answer_.bound_log2.value_or(pair_.options.bound_log2) > pair_.options.bound_log2) {
    return undecided(concat("the error bound 2^", static_cast<std::int64_t>(*answer_.bound_log2), " is too weak"));
  }
  answer_.verdict = Verdict::equal;
  answer_.in_every_way = ways.is_shown();
  return Progress::decided;
}

}  // namespace steptp::certify
