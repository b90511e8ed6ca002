// Order: comparisons, choices, maxima and minima, without deciding any. A comparison is an unknown of the difference up
// to a positive factor; a choice is linear in it; a maximum of two is v + r(u-v), one of more is an unknown of the set
// of its operands. Only laws that hold for all reals, ties included, make two of these the same number; a law that is
// missing costs a proof, never soundness. docs/decisions/0012-every-way-at-once.md.
#include "steptp/arithmetic/opaque_order.h"

#include <algorithm>
#include <limits>

#include "steptp/arithmetic/failure.h"
#include "steptp/arithmetic/real_rules.h"
#include "steptp/base/hash.h"

namespace steptp::certify {

namespace {

using Value = OpaqueValue;
using Decision = OpaqueDecision;
using State = Decision::State;
using Form = Decision::Form;

/// Sets so small are looked through.
constexpr std::uint32_t kSmallSet = 8;
constexpr std::uint64_t kCompared = 0x636f6d70;
constexpr std::uint64_t kGreatest = 0x6d6178;
constexpr std::uint64_t kFromInfinity = 0x2d696e66;

}  // namespace

// Conditions.

Decision OpaqueOrder::negation(Decision a) const {
  a.number = space_.field.subtract(space_.field.one(), a.number);
  a.is_negated = !a.is_negated;
  if (a.state != State::open) a.state = a.state == State::holds ? State::fails : State::holds;
  return a;
}

Decision OpaqueOrder::above_zero(Twin d) {
  const OpaqueSpace::Difference found = space_.difference(d);
  Decision made;
  made.state = State::open;
  made.form = Form::above;
  made.difference = d;
  made.number = found.above;
  if (!found.is_positive) {
    const Twin rest = space_.field.subtract(space_.field.one(), found.zero);
    made.number = space_.field.subtract(rest, found.above);
  }
  return made;
}

Decision OpaqueOrder::at_zero(Twin d) {
  Decision made;
  made.state = State::open;
  made.form = Form::zero;
  made.difference = d;
  made.number = space_.difference(d).zero;
  return made;
}

Value OpaqueOrder::value_of(const ExtremumSets::Member& member) {
  Value out;
  out.number = member.number;
  out.core = member.core;
  out.range = member.range;
  out.set = member.set;
  out.is_least = member.is_least;
  out.degrees.numerator = member.is_number ? 0 : 1;
  out.is_piecewise = !member.is_number;
  return out;
}

bool OpaqueOrder::sign_of_greatest(const Value& a, const Value& b, Twin& sign) {
  if (a.set == 0 || a.is_least || !is_number(b) || space_.sets.size(a.set) > kSmallSet) return false;
  std::vector<ExtremumSets::Member> left;
  for (const ExtremumSets::Member& member : space_.sets.members(a.set)) {
    if (member.holes != 0) return false;
    if (member.range.high >= b.range.low) left.push_back(member);
  }
  if (left.size() != 1) return false;
  sign = sign_of_difference(value_of(left[0]), b);
  return true;
}

Twin OpaqueOrder::sign_of_difference(const Value& a, const Value& b) {
  Twin sign;
  if (sign_of_greatest(a, b, sign)) return sign;
  if (sign_of_greatest(b, a, sign)) return space_.field.negate(sign);
  Value left;
  Value right;
  reals_.negate(left, a);
  reals_.negate(right, b);
  if (sign_of_greatest(left, right, sign)) return space_.field.negate(sign);
  if (sign_of_greatest(right, left, sign)) return sign;
  if (b.number.is_zero()) return a.core;
  if (a.number.is_zero()) return space_.field.negate(b.core);
  return space_.field.subtract(a.number, b.number);
}

/// Comparisons with NaN are false, != is true: no comparison is the opposite of another, except those two.
Decision OpaqueOrder::decide_with_holes(CompareOp op, const Value& a, const Value& b) {
  if (!is_finite(a) || !is_finite(b))
    fail(FailureKind::unsupported, "an infinity is compared with what may have no value");
  if (op == CompareOp::less || op == CompareOp::less_equal) {
    return decide_with_holes(op == CompareOp::less ? CompareOp::greater : CompareOp::greater_equal, b, a);
  }
  if (op == CompareOp::not_equal) return negation(decide_with_holes(CompareOp::equal, a, b));
  Value d;
  reals_.subtract(d, a, b);
  reals_.note_unknown(d);
  Decision made;
  made.state = State::open;
  const Twin mirrored = space_.field.negate(d.number);
  const bool is_first = op != CompareOp::equal || d.number.p < mirrored.p;
  const Hash compared = combine(static_cast<Hash>(op) + 1, is_first ? d.number.p : mirrored.p);
  made.number = space_.field.unknown(combine(compared, reals_.holes_of(d)));
  // NaN is swallowed, so that where the operands leave their domain the condition need not.
  if (d.hazards != 0) made.hazards = space_.hazard(combine(kCompared, made.number.p));
  return assumptions_.known(made);
}

Decision OpaqueOrder::decide(CompareOp op, const Value& a, const Value& b) {
  need_class(a);
  need_class(b);
  if (has_holes(a) || has_holes(b)) return decide_with_holes(op, a, b);
  if (is_nan(a) || is_nan(b)) return decided(space_.field, op == CompareOp::not_equal);
  if (!is_finite(a) || !is_finite(b))
    return decided(space_.field, holds(op, order_of_classes(a.value_class, b.value_class)));
  if (op == CompareOp::less) return decide(CompareOp::greater, b, a);
  if (op == CompareOp::greater_equal) return negation(decide(CompareOp::greater, b, a));
  if (op == CompareOp::less_equal) return negation(decide(CompareOp::greater, a, b));
  if (op == CompareOp::not_equal) return negation(decide(CompareOp::equal, a, b));
  Value d;
  reals_.subtract(d, a, b);
  if (d.number.is_zero()) return decided(space_.field, op == CompareOp::equal);
  d.is_nonzero = d.is_nonzero || (b.number.is_zero() && a.is_nonzero) || (a.number.is_zero() && b.is_nonzero);
  const bool is_apart = d.is_nonzero || d.range.is_positive() || d.range.is_negative();
  reals_.note_unknown(d);
  const Twin sign = sign_of_difference(a, b);
  if (op == CompareOp::equal) return is_apart ? decided(space_.field, false) : assumptions_.known(at_zero(sign));
  if (d.range.is_positive() || (d.range.low >= 0 && is_apart)) return decided(space_.field, true);
  if (d.range.high <= 0) return decided(space_.field, false);
  if (d.range.low >= 0) return assumptions_.known(negation(at_zero(sign)));
  return assumptions_.known(above_zero(sign));
}

Decision OpaqueOrder::both(LogicOp op, const Decision& a, const Decision& b) {
  if (op == LogicOp::disjunction) return negation(both(LogicOp::conjunction, negation(a), negation(b)));
  // Both are evaluated, whatever the first one says.
  const std::uint32_t hazards = space_.united_hazards(a.hazards, b.hazards);
  const auto with_hazards = [hazards](Decision made) {
    made.hazards = hazards;
    return made;
  };
  if (a.state == State::fails || b.state == State::fails) return with_hazards(decided(space_.field, false));
  if (a.state == State::holds) return with_hazards(b);
  if (b.state == State::holds || a.number == b.number) return with_hazards(a);
  if (a.number == negation(b).number) return with_hazards(decided(space_.field, false));
  Decision made;
  made.state = State::open;
  made.hazards = hazards;
  made.number = space_.field.multiply(a.number, b.number);
  made.degree = a.degree + b.degree;
  return assumptions_.known(made);
}

Decision OpaqueOrder::chosen(const Decision& condition, const Decision& a, const Decision& b) {
  if (a.hazards != 0 || b.hazards != 0) fail(FailureKind::unsupported, "a choice of conditions that may have no value");
  if (condition.state != State::open || a.number == b.number) {
    Decision taken = condition.state == State::fails ? b : a;
    taken.hazards = condition.hazards;
    return taken;
  }
  Decision made;
  made.state = State::open;
  made.hazards = condition.hazards;
  const Twin apart = space_.field.subtract(a.number, b.number);
  made.number = space_.field.add(b.number, space_.field.multiply(condition.number, apart));
  made.degree = condition.degree + std::max(a.degree, b.degree);
  return assumptions_.known(made);
}

Twin OpaqueOrder::ramp(Twin d, Twin sign) {
  if (d.is_zero()) return d;
  const OpaqueSpace::Difference found = space_.difference(sign);
  const Twin ramp = space_.field.multiply(found.above, d);
  // By the opposite sign: r(d) = d + r(-d).
  return found.is_positive ? ramp : space_.field.subtract(d, ramp);
}

std::uint32_t OpaqueOrder::hazards_under(const Decision& condition, bool outcome, std::uint32_t hazards) {
  if (hazards == 0) return 0;
  const Hash under = combine(condition.number.p, outcome ? 1 : 0);
  return space_.hazard(combine(under, space_.hash_of_hazards(hazards)));
}

void OpaqueOrder::choose(Value& out, const Decision& condition, const Value& a, const Value& b) {
  if (condition.state != State::open) {
    const Value& taken = condition.state == State::holds ? a : b;
    if (&out != &taken) out = taken;
    out.hazards = space_.united_hazards(out.hazards, condition.hazards);
    return;
  }
  if (condition.is_negated) return choose(out, negation(condition), b, a);
  if (!is_finite(a) || !is_finite(b)) fail(FailureKind::unsupported, "a comparison of reals chooses an infinity");
  const Twin apart = space_.field.subtract(a.number, b.number);
  const int by_condition =
      condition.form == Form::other ? 0 : space_.sign_of_ratio(sign_of_difference(a, b), condition.difference);
  const bool has_value = !has_holes(a) && !has_holes(b) && condition.hazards == 0;
  Value made;
  reals_.inherit(made, a, b);
  // Which of the two leaves its domain depends on the condition.
  made.hazards =
      space_.united_hazards(hazards_under(condition, true, a.hazards), hazards_under(condition, false, b.hazards));
  made.hazards = space_.united_hazards(made.hazards, condition.hazards);
  made.poles = space_.united_hazards(hazards_under(condition, true, a.poles), hazards_under(condition, false, b.poles));
  if (apart.is_zero() || (by_condition != 0 && condition.form == Form::zero)) {
    const Value taken = b;
    const Value flags = made;
    out = taken;
    out.hazards = flags.hazards;
    out.poles = flags.poles;
    out.has_logarithm = flags.has_logarithm;
    out.is_piecewise = flags.is_piecewise;
    return;
  }
  if (by_condition != 0 && has_value) return by_condition > 0 ? greatest(out, a, b) : least(out, a, b);
  made.core = made.number = space_.field.add(b.number, space_.field.multiply(condition.number, apart));
  made.range = hull(a.range, b.range);
  made.is_nonzero = a.is_nonzero && b.is_nonzero;
  made.is_piecewise = true;
  made.degrees = degrees_of_sum(a.degrees, b.degrees);
  made.degrees.numerator += condition.degree;
  out = made;
}

// Maxima and minima.

void OpaqueOrder::absolute(Value& out, const Value& a) {
  Value mirrored;
  reals_.negate(mirrored, a);
  greatest(out, a, mirrored);
}

ExtremumSets::Member OpaqueOrder::member_of(const Value& a) const {
  return {a.number, a.range, a.set, a.is_least, a.core, is_number(a), reals_.holes_of(a)};
}

std::uint32_t OpaqueOrder::set_of(const Value& a) {
  if (a.set != 0 && !a.is_least) return a.set;
  return space_.sets.with(0, member_of(a));
}

void OpaqueOrder::greatest(Value& out, const Value& a, const Value& b, bool distributes) {
  need_class(a);
  need_class(b);
  const bool has_value = !has_holes(a) && !has_holes(b);
  const bool decided = !is_finite(a) || !is_finite(b);
  if (decided && !has_value) return greatest_from_infinity(out, is_finite(a) ? b : a, is_finite(a) ? a : b);
  const bool a_wins = decided
                          ? is_nan(b) || (!is_nan(a) && order_of_classes(a.value_class, b.value_class) != Order::less)
                          : has_value && (a.number == b.number || a.range.low >= b.range.high);
  if (decided || a_wins || (has_value && b.range.low >= a.range.high)) {
    const Value& winner = a_wins ? a : b;
    if (&out != &winner) out = winner;
    return;
  }
  for (const bool swapped : {false, true}) {
    const Value& number = swapped ? b : a;
    const Value& least = swapped ? a : b;
    const bool is_small = least.set != 0 && least.is_least && space_.sets.size(least.set) <= kSmallSet;
    if (has_value && distributes && is_small && is_number(number)) return greatest_of_least(out, number, least);
  }
  std::uint32_t set = space_.sets.united(set_of(a), set_of(b));
  reals_.note_unknown(a);
  reals_.note_unknown(b);
  Value made;
  reals_.inherit(made, a, b);
  made.is_piecewise = true;
  made.range = has_value ? RealRange{std::max(a.range.low, b.range.low), std::max(a.range.high, b.range.high)}
                         : hull(a.range, b.range);
  made.is_nonzero = (a.is_nonzero && b.is_nonzero) || made.range.is_positive();
  made.degrees = degrees_of_sum(a.degrees, b.degrees);
  made.degrees.numerator += 1;
  if (space_.sets.size(set) <= kSmallSet && has_value) {
    // What never wins is not a member.
    std::uint32_t kept = 0;
    for (const ExtremumSets::Member& member : space_.sets.members(set)) {
      if (member.range.high >= made.range.low) kept = space_.sets.with(kept, member);
    }
    set = kept;
  }
  made.set = set;
  if (space_.sets.size(set) > 2 || space_.sets.has_holes(set)) {
    const Hash key = combine(kGreatest, space_.sets.hash(set));
    made.number = space_.field.unknown(key);
    made.degrees = {1, 0, 0};
    // NaN loses against a number: where one operand leaves its domain the greatest need not.
    if (made.hazards != 0) made.hazards = space_.hazard(key);
    if (made.poles != 0) made.poles = space_.hazard(key);
  } else {
    const std::vector<ExtremumSets::Member> members = space_.sets.members(set);
    const Twin second = members.back().number;
    const Twin sign = sign_of_difference(value_of(members.front()), value_of(members.back()));
    made.number = space_.field.add(second, ramp(space_.field.subtract(members.front().number, second), sign));
  }
  made.core = made.number;
  out = made;
}

/// -inf is one of the set: it wins where nothing else has a value.
void OpaqueOrder::greatest_from_infinity(Value& out, const Value& infinity, const Value& other) {
  if (!is_finite(other) || infinity.value_class != ValueClass::negative_infinity || has_holes(infinity) ||
      has_holes(other)) {
    fail(FailureKind::unsupported, "the greatest of an infinity and what may have no value");
  }
  constexpr double kLowest = -std::numeric_limits<double>::infinity();
  Value start;
  start.core = start.number = space_.field.unknown(kFromInfinity);
  start.range = {kLowest, kLowest};
  start.degrees.numerator = 1;
  greatest(out, start, other);
}

void OpaqueOrder::least(Value& out, const Value& a, const Value& b) {
  Value left;
  Value right;
  reals_.negate(left, a);
  reals_.negate(right, b);
  greatest(left, left, right, false);
  reals_.negate(out, left);
}

/// max(c,min(x,y)) is min(max(c,x),max(c,y)): one of the two ways to write a clamp.
void OpaqueOrder::greatest_of_least(Value& out, const Value& number, const Value& least) {
  const Value bound = number;
  Value all;
  bool is_first = true;
  for (const ExtremumSets::Member& member : space_.sets.members(least.set)) {
    Value one = value_of(member);
    reals_.negate(one, one);
    greatest(one, one, bound);
    if (is_first) {
      all = one;
    } else {
      this->least(all, all, one);
    }
    is_first = false;
  }
  out = all;
}

}  // namespace steptp::certify
