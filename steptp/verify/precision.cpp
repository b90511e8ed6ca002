// Ways of values through types (precision_ways.h) of one program against those of the other. Ways are told apart by
// where they start and end and by whether the values decide something, not by what is computed on them. Where that is
// too coarse, because `before` has wide and narrow ways between the same ends, the narrow stores are made opaque
// functions in both programs, and the proof must go through with them.

#include "steptp/verify/precision.h"

#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "steptp/analysis/accesses.h"
#include "steptp/base/text.h"
#include "steptp/prove/prove.h"
#include "steptp/structure/types.h"
#include "steptp/verify/precision_marks.h"
#include "steptp/verify/precision_ways.h"

namespace steptp {

namespace {

/// What may be expected of the ways between two ends.
struct Expected {
  Width least;  ///< of what is held on the narrowest way
  Width most{0, 0};
  Width widest{0, 0};  ///< of anything on the way
  Width first;         ///< the narrowest type in which a way begins to compute
  Width source;
  Width copied{0, 0};  ///< on ways on which nothing is computed
  Widths computed;
  Widths widest_computed = Way().widest;
  Widths leading;  ///< of operations at the beginning of a way
  Width least_accumulated;
  Width most_accumulated{0, 0};
  bool is_any = false;
  bool is_of_source = false;  ///< otherwise of all sources: the source is new in `after`

  void take(const Way& way) {
    is_any = true;
    least = narrower(least, way.held());
    most = wider(most, way.held());
    widest = wider(widest, way.widest_held());
    first = narrower(first, way.first);
    source = narrower(source, way.source);
    if (!way.is_computed() && !way.stored.is_limited()) copied = wider(copied, way.own);
    for (std::size_t i = 0; i < kRoundings; ++i) {
      computed[i] = narrower(computed[i], way.computed[i]);
      widest_computed[i] = wider(widest_computed[i], way.widest[i]);
      leading[i] = narrower(leading[i], way.leading[i]);
    }
    const Width accumulated = narrower(way.accumulated, way.counted);
    if (!accumulated.is_limited()) return;
    least_accumulated = narrower(least_accumulated, accumulated);
    most_accumulated = wider(most_accumulated, accumulated);
  }

  /// What an operation must hold that is not stored: what `before` computes so, or else what it starts from.
  [[nodiscard]] Width of_computed(std::size_t rounding) const {
    return narrower(least, computed[rounding].is_limited() ? computed[rounding] : source);
  }
  /// What a store must hold whose value was computed by such an operation, in the type of the store.
  [[nodiscard]] Width of_kept(std::size_t rounding) const {
    return computed[rounding].is_limited() ? narrower(least, computed[rounding]) : least;
  }
};

/// The ways of a source in `before`: in the same role, else in any; of what is new in `after`, all ways to the output.
Expected expected_of(const WaysOf& before, const std::string& source, bool decides) {
  Expected same;
  Expected any;
  Expected all;
  for (const auto& [name, ways] : before) {
    for (const Way& way : ways) {
      all.take(way);
      if (name != source) continue;
      any.take(way);
      if (way.decides == decides) same.take(way);
    }
  }
  same.is_of_source = any.is_of_source = true;
  return same.is_any ? same : any.is_any ? any : all;
}

/// A store of an intermediate in the type of the output, or a wider one, that is only copied there is the output's own.
/// Before a conversion to an integer or a bool it is not: that asks for every digit.
Way ended_at(Way way, DType output) {
  if (!way.pending.is_limited() || (is_float(output) && way.pending.holds(width_of(output)))) return way;
  if (way.pending_lost) {
    way.lost = narrower(way.lost, way.pending);
  } else {
    Width& kept = (way.is_leading ? way.kept_first : way.kept)[static_cast<std::size_t>(way.last)];
    kept = narrower(kept, way.pending);
  }
  return way;
}

/// The type that is too narrow, with what was expected.
struct Shortage {
  Width found;
  Width expected;
};

/// `computes`: operations whose results are not stored count too, and not conversions alone.
std::optional<Shortage> shortage_of(const Way& way, const Expected& expected, bool computes) {
  if (!way.lost.holds(expected.least)) return Shortage{way.lost, expected.least};
  for (std::size_t i = 0; i < kRoundings; ++i) {
    const Width wanted = expected.of_kept(i);
    const Width kept = narrower(way.kept[i], way.kept_first[i]);
    if (kept.is_limited() && !kept.holds(wanted)) return Shortage{kept, wanted};
  }
  for (std::size_t i = 0; i < kRoundings; ++i) {
    if (!computes && i != static_cast<std::size_t>(Rounding::conversion)) continue;
    const Width& found = way.computed[i];
    const Width wanted = expected.of_computed(i);
    // An operation before anything wider is met may be one more in the type in which a way of `before` begins.
    const bool is_at_beginning = found == way.leading[i] && expected.first.is_limited() && found.holds(expected.first);
    if (found.is_limited() && !is_at_beginning && !found.holds(wanted)) return Shortage{found, wanted};
  }
  const bool both_accumulate = way.accumulated.is_limited() && expected.least_accumulated.is_limited();
  if (both_accumulate && !way.accumulated.holds(expected.least_accumulated))
    return Shortage{way.accumulated, expected.least_accumulated};
  return std::nullopt;
}

/// Where some way of `before` is wider than this one: the type that is too narrow.
Width below_the_widest(const Way& way, const Expected& expected) {
  Width out;
  if (way.lost.is_limited() && !way.lost.holds(expected.most)) out = way.lost;
  const bool both_accumulate = way.accumulated.is_limited() && expected.least_accumulated.is_limited();
  if (both_accumulate && !way.accumulated.holds(expected.most_accumulated)) out = narrower(out, way.accumulated);
  return out;
}

/// Somewhere on a way of `before` there is something wider than what was lost here.
bool is_below_something(const Way& way, const Expected& expected) {
  return way.lost.is_limited() && !way.lost.holds(expected.widest);
}

Width narrowest_computed(const Way& way) {
  Width out;
  for (const Width& one : way.computed) out = narrower(out, one);
  return out;
}

/// Somewhere on a way of `before` the same operation is done in a wider type than here, or nothing is done to what this
/// operation rounds.
bool is_computed_below(const Way& way, const Expected& expected, bool computes) {
  for (std::size_t i = 0; i < kRoundings; ++i) {
    if (!computes && i != static_cast<std::size_t>(Rounding::conversion)) continue;
    if (!way.computed[i].is_limited()) continue;
    const Width& same = expected.widest_computed[i];
    const Width& wanted = same == Width{0, 0} ? expected.widest : same;
    if (!way.computed[i].holds(wanted) || !way.computed[i].holds(expected.copied)) return true;
  }
  return false;
}

/// Somewhere on a way of `before` the same operation is done in a wider type than that of a value kept here.
bool is_below_a_computation(const Way& way, const Expected& expected) {
  for (std::size_t i = 0; i < kRoundings; ++i) {
    if (way.kept[i].is_limited() && !way.kept[i].holds(expected.widest_computed[i])) return true;
    const bool is_at_beginning = expected.leading[i].is_limited() && way.kept_first[i].holds(expected.leading[i]);
    if (way.kept_first[i].is_limited() && !is_at_beginning && !way.kept_first[i].holds(expected.widest_computed[i]))
      return true;
  }
  return false;
}

std::string text_of(const PrecisionLoss& loss) {
  return concat("values of ", loss.source, loss.decides ? " decide what reaches " : " reach ", loss.output,
                " through a type of ", loss.found.first, " significand bits and exponents to ", loss.found.second,
                ", where before it was ", loss.expected.first, " and ", loss.expected.second);
}

/// All floats have one type, and no integers are stored as floats, so that nothing can be lost: most programs.
/// An operation of floats takes an integer, which then has to fit in the type of the operation.
bool makes_floats_of_integers(const Expr& expr) {
  constexpr std::int64_t kSmall = 128;
  const auto is_integer = [](const Expr& part) {
    if (std::holds_alternative<IndexValue>(part.node)) return true;
    if (const auto* literal = std::get_if<Literal>(&part.node)) {
      return literal->is_integer && std::abs(literal->integer) > kSmall;
    }
    const auto type = type_of(part);
    return !type || (!type->weak && !is_float(type->dtype) && type->dtype != DType::boolean);
  };
  const auto parts = children(expr);
  const bool has_float = std::any_of(parts.begin(), parts.end(), [](const ExprPtr* part) {
    const auto type = type_of(**part);
    return !type || is_float(type->dtype);
  });
  const auto own = type_of(expr);
  const bool is_of_floats = has_float || !own || is_float(own->dtype);
  return std::any_of(parts.begin(), parts.end(), [&](const ExprPtr* part) {
    return (is_of_floats && is_integer(**part)) || makes_floats_of_integers(**part);
  });
}

bool has_one_width(const Program& before, const Program& after) {
  std::optional<Width> only;
  bool is_only = true;
  const auto note = [&](DType dtype) {
    if (!is_float(dtype)) return;
    is_only = is_only && (!only || *only == width_of(dtype));
    only = width_of(dtype);
  };
  for (const Variable& variable : before.signature.variables) note(variable.dtype);
  for (const Program* program : {&before, &after}) {
    for_each_equation(*program, [&](const Equation& equation, const std::vector<const Nest*>&) {
      note(equation.left->dtype);
      is_only = is_only && !makes_floats_of_integers(*equation.right);
      if (!is_only || program == &before || !is_float(equation.left->dtype)) return;
      const auto index = to_index(*equation.right);
      const auto type = type_of(*equation.right);
      // Of integers only 0 and other small numbers are stored as floats without a second look.
      constexpr std::int64_t kSmall = 128;
      is_only =
          index ? index->is_constant() && std::abs(index->constant_term()) <= kSmall : type && is_float(type->dtype);
    });
  }
  return is_only;
}

Precision settled_by_proof(const Program& before, const Program& after, const ProofOptions& options, bool marks_all,
                           std::string reason) {
  const Width widest = widest_float(before);
  const Proof proof = prove(with_marks(before, widest, marks_all), with_marks(after, widest, marks_all), options);
  if (proof.proved || proof.shown) return {};
  return {Precision::Verdict::unclear, std::move(reason), {}};
}

}  // namespace

namespace {

/// The ways of one source to one output, in one role.
class SourceComparison {
 public:
  SourceComparison(const std::string& source, bool decides, const Variable& output, const WaysOf& before)
      : source_(source), decides_(decides), output_(output), expected_(expected_of(before, source, decides)) {}

  void take(const Way& one) {
    if (!expected_.is_any) return;
    const Way way = ended_at(one, output_.dtype);
    // What is done to a literal or an index beside data is seen on the ways of the data, unless it is only converted.
    const bool computes = !(is_constant(source_) && way.is_used);
    if (const auto shortage = shortage_of(way, expected_, computes); shortage && !lost_) lost_ = loss(*shortage);
    ++count_;
    const Width narrow = below_the_widest(way, expected_);
    narrow_ += narrow.is_limited() ? 1 : 0;
    narrowest_ = narrower(narrowest_, narrow);
    const bool is_computed = is_below_a_computation(way, expected_) || is_computed_below(way, expected_, computes);
    if (is_computed) unclear_ = narrower(unclear_, narrowest_computed(way));
    is_unclear_ = is_unclear_ || is_below_something(way, expected_) || is_computed;
    marks_all_ = marks_all_ || is_computed;
  }

  /// Every way is narrower than the widest of `before`, or one is narrower than the narrowest.
  [[nodiscard]] std::optional<PrecisionLoss> lost() const {
    const bool are_all_narrow = count_ > 0 && narrow_ == count_ && expected_.is_of_source;
    return !lost_ && are_all_narrow ? loss({narrowest_, expected_.most}) : lost_;
  }
  [[nodiscard]] std::string unclear() const {
    const bool is_open = is_unclear_ || narrow_ > 0;
    const Width found = unclear_.is_limited() ? unclear_ : expected_.least;
    return is_open ? concat(text_of(loss({found, expected_.widest})), " on some way") : "";
  }
  [[nodiscard]] bool marks_all() const { return marks_all_; }

 private:
  [[nodiscard]] PrecisionLoss loss(const Shortage& shortage) const {
    return {source_,
            decides_,
            output_.name,
            {shortage.found.precision, shortage.found.exponent},
            {shortage.expected.precision, shortage.expected.exponent}};
  }

  const std::string& source_;
  bool decides_;
  const Variable& output_;
  Expected expected_;
  std::optional<PrecisionLoss> lost_;
  std::size_t count_ = 0;
  std::size_t narrow_ = 0;
  Width narrowest_;  ///< of these
  bool is_unclear_ = false;
  Width unclear_;  ///< of operations that are narrower than some of `before`
  bool marks_all_ = false;
};

}  // namespace

Precision compare_precision(const Program& before, const Program& after, const ProofOptions& options) {
  if (has_one_width(before, after)) return {};
  const auto old_ways = ways_to_outputs(before);
  const auto new_ways = ways_to_outputs(after);
  if (!old_ways || !new_ways)
    return {Precision::Verdict::unclear, "values go through too many types to be compared one by one", {}};
  std::string unclear;
  bool marks_all = false;
  for (const Variable& output : before.signature.variables) {
    const auto found = new_ways->find(output.name);
    if (output.role != Role::output || found == new_ways->end()) continue;
    for (const auto& [source, ways] : found->second) {
      for (const bool decides : {false, true}) {
        SourceComparison comparison(source, decides, output, old_ways->at(output.name));
        for (const Way& way : ways) {
          if (way.decides == decides) comparison.take(way);
        }
        if (auto lost = comparison.lost()) return {Precision::Verdict::lost, text_of(*lost), lost};
        if (unclear.empty()) unclear = comparison.unclear();
        marks_all = marks_all || comparison.marks_all();
      }
    }
  }
  if (unclear.empty()) return {};
  return settled_by_proof(before, after, options, marks_all, std::move(unclear));
}

}  // namespace steptp
