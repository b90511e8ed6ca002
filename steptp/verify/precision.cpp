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
#include "steptp/verify/precision_ways.h"

namespace steptp {

namespace {

/// What may be expected of the ways between two ends.
struct Expected {
  Width least;  ///< of what is held on the narrowest way
  Width most{0, 0};
  Width widest{0, 0};  ///< of anything on the way
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

std::optional<Shortage> shortage_of(const Way& way, const Expected& expected) {
  if (!way.lost.holds(expected.least)) return Shortage{way.lost, expected.least};
  for (std::size_t i = 0; i < kRoundings; ++i) {
    const Width wanted = expected.of_kept(i);
    const Width kept = narrower(way.kept[i], way.kept_first[i]);
    if (kept.is_limited() && !kept.holds(wanted)) return Shortage{kept, wanted};
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

/// Programs in which what is read of narrow tensors went through a function of which nothing is known but that it is
/// one: erf, of the value times a number that stands for the type.
class Marker {
 public:
  /// `marks_all`: also what is stored in the type in which it was computed.
  Marker(const Program& program, bool marks_all)
      : program_(program), table_(collect_accesses(program)), marks_all_(marks_all) {
    Width widest{0, 0};
    for (const auto& [name, facts] : table_.tensors) {
      if (is_float(facts.dtype)) widest = wider(widest, width_of(facts.dtype));
    }
    for (const auto& [name, facts] : table_.tensors) {
      const bool is_made = !facts.known || facts.known->role == Role::output;
      if (!is_made || !is_float(facts.dtype) || width_of(facts.dtype).holds(widest)) continue;
      if (rounds(facts)) narrow_.insert(name);
    }
  }

  Program run() {
    Program out = program_;
    for (NestPtr& nest : out.nests) nest = marked(*nest);
    return out;
  }

 private:
  /// Some statement that writes the tensor stores what its type may not hold, or accumulates.
  [[nodiscard]] bool rounds(const TensorFacts& facts) const {
    for (const std::size_t number : facts.writes) {
      const Statement& statement = table_.statements[table_.accesses[number].statement];
      const Expr& right = *statement.equation->right;
      const auto type = type_of(right);
      const bool is_held = type && !type->weak && width_of(facts.dtype).holds(width_of(type->dtype));
      if (statement.accumulates || !is_held) return true;
      if (marks_all_ && !std::holds_alternative<Read>(right.node)) return true;
    }
    return false;
  }

  NestPtr marked(const Nest& nest) {
    std::vector<Item> items;
    for (const Item& item : nest.items) {
      if (const auto* inner = std::get_if<NestPtr>(&item)) {
        items.emplace_back(marked(**inner));
        continue;
      }
      const Equation& equation = *std::get<EquationPtr>(item);
      const bool accumulates = accumulation_operator(*equation.left, equation.right).has_value();
      const std::string accumulator = accumulates ? equation.left->tensor : std::string();
      items.emplace_back(make_equation(equation.left, marked(equation.right, accumulator)));
    }
    return make_nest(nest.loops, nest.guard, std::move(items));
  }

  ExprPtr marked(const ExprPtr& expr, const std::string& accumulator) {
    if (const auto* read = std::get_if<Read>(&expr->node)) {
      if (read->ref->tensor == accumulator || !narrow_.contains(read->ref->tensor)) return expr;
      const double mark = 3 + 2 * static_cast<double>(read->ref->dtype);
      return make_call(Function::erf, make_product(expr, ArithmeticOp::multiply, real_literal(mark)));
    }
    std::vector<ExprPtr> parts;
    for (const ExprPtr* part : children(*expr)) parts.push_back(marked(*part, accumulator));
    return with_children(expr, parts);
  }

  const Program& program_;
  AccessTable table_;
  bool marks_all_;
  std::set<std::string> narrow_;
};

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
  const Proof proof = prove(Marker(before, marks_all).run(), Marker(after, marks_all).run(), options);
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
    if (const auto shortage = shortage_of(way, expected_); shortage && !lost_) lost_ = loss(*shortage);
    ++count_;
    const Width narrow = below_the_widest(way, expected_);
    narrow_ += narrow.is_limited() ? 1 : 0;
    narrowest_ = narrower(narrowest_, narrow);
    is_unclear_ = is_unclear_ || is_below_something(way, expected_) || is_below_a_computation(way, expected_);
    marks_all_ = marks_all_ || is_below_a_computation(way, expected_);
  }

  /// Every way is narrower than the widest of `before`, or one is narrower than the narrowest.
  [[nodiscard]] std::optional<PrecisionLoss> lost() const {
    const bool are_all_narrow = count_ > 0 && narrow_ == count_ && expected_.is_of_source;
    return !lost_ && are_all_narrow ? loss({narrowest_, expected_.most}) : lost_;
  }
  [[nodiscard]] std::string unclear() const {
    const bool is_open = is_unclear_ || narrow_ > 0;
    return is_open ? concat(text_of(loss({expected_.least, expected_.widest})), " on some way") : "";
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
