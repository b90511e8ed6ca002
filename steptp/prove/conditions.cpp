#include <algorithm>
#include <numeric>

#include "steptp/ir/index.h"
#include "steptp/prove/arena.h"
#include "steptp/prove/give_up.h"

namespace steptp::forms {

namespace {

std::int64_t common_divisor(const Affine& affine) {
  std::int64_t result = 0;
  for (const auto& [atom, coefficient] : affine.terms) result = std::gcd(result, coefficient);
  return result;
}

void divide(Affine& affine, std::int64_t divisor) {
  for (auto& [atom, coefficient] : affine.terms) coefficient /= divisor;
}

}  // namespace

ConditionId Arena::nonnegative(Affine affine) {
  if (affine.is_constant()) return affine.constant >= 0 ? always_ : never_;
  const std::int64_t divisor = common_divisor(affine);
  divide(affine, divisor);
  affine.constant = floor_quotient(affine.constant, divisor);
  const ConditionId id = intern_condition({Condition::Kind::nonnegative, intern(std::move(affine)), 0, {}});
  const Truth known = truth(id);
  return known == Truth::maybe ? id : known == Truth::yes ? always_ : never_;
}

ConditionId Arena::zero(Affine affine) {
  if (affine.is_constant()) return affine.constant == 0 ? always_ : never_;
  std::int64_t divisor = common_divisor(affine);
  if (affine.constant % divisor != 0) return never_;
  if (affine.terms.front().second < 0) divisor = -divisor;
  divide(affine, divisor);
  affine.constant /= divisor;
  const ConditionId id = intern_condition({Condition::Kind::zero, intern(std::move(affine)), 0, {}});
  const Truth known = truth(id);
  return known == Truth::maybe ? id : known == Truth::yes ? always_ : never_;
}

ConditionId Arena::boolean(GeneratorId generator) {
  const Generator& node = generators_[generator];
  if (node.kind == Generator::Kind::truth) return node.conditions[0];
  return intern_condition({Condition::Kind::boolean, generator, 0, {}});
}

ConditionId Arena::negation(ConditionId condition) {
  const Deeper deeper(*this);
  const Condition& node = conditions_[condition];
  switch (node.kind) {
    case Condition::Kind::never: return always_;
    case Condition::Kind::always: return never_;
    case Condition::Kind::nonnegative: return nonnegative(difference(number(-1), affines_[node.left]));
    case Condition::Kind::negation: return node.left;
    case Condition::Kind::conjunction:
    case Condition::Kind::disjunction: {
      std::vector<ConditionId> parts;
      for (const ConditionId part : node.parts) parts.push_back(negation(part));
      return node.kind == Condition::Kind::conjunction ? disjunction(parts) : conjunction(parts);
    }
    case Condition::Kind::less:
    case Condition::Kind::less_equal:
      // Of values that are never NaN one comparison is the opposite of another.
      if (!traits(node.left).may_be_nan && !traits(node.right).may_be_nan) {
        return compare(node.kind == Condition::Kind::less ? CompareOp::less_equal : CompareOp::less, node.right,
                       node.left);
      }
      break;
    case Condition::Kind::zero:
    case Condition::Kind::equal:
    case Condition::Kind::boolean: break;
  }
  return intern_condition({Condition::Kind::negation, condition, 0, {}});
}

ConditionId Arena::conjunction(const std::vector<ConditionId>& parts) {
  return combined(Condition::Kind::conjunction, parts, always_, never_);
}

ConditionId Arena::disjunction(const std::vector<ConditionId>& parts) {
  return combined(Condition::Kind::disjunction, parts, never_, always_);
}

ConditionId Arena::combined(Condition::Kind kind, const std::vector<ConditionId>& parts, ConditionId neutral,
                            ConditionId deciding) {
  std::vector<ConditionId> flat;
  for (const ConditionId part : parts) {
    if (part == deciding) return deciding;
    if (part == neutral) continue;
    const Condition& node = conditions_[part];
    if (node.kind == kind) {
      flat.insert(flat.end(), node.parts.begin(), node.parts.end());
    } else {
      flat.push_back(part);
    }
  }
  std::sort(flat.begin(), flat.end());
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  for (const ConditionId part : flat) {
    if (std::binary_search(flat.begin(), flat.end(), negation(part))) return deciding;
  }
  if (flat.empty()) return neutral;
  if (flat.size() == 1) return flat[0];
  return intern_condition({kind, 0, 0, std::move(flat)});
}

ConditionId Arena::compare(CompareOp op, PolynomialId left, PolynomialId right) {
  const Deeper deeper(*this);
  switch (op) {
    case CompareOp::greater: return compare(CompareOp::less, right, left);
    case CompareOp::greater_equal: return compare(CompareOp::less_equal, right, left);
    case CompareOp::not_equal: return negation(compare(CompareOp::equal, left, right));
    case CompareOp::less:
    case CompareOp::less_equal:
    case CompareOp::equal: break;
  }
  const auto a = as_affine(left);
  const auto b = as_affine(right);
  if (a && b) {
    const Affine gap = difference(*b, *a);
    if (op == CompareOp::less) return nonnegative(sum(gap, number(-1)));
    return op == CompareOp::less_equal ? nonnegative(gap) : zero(gap);
  }
  const auto x = as_constant(left);
  const auto y = as_constant(right);
  if (x && y) {
    const bool holds = op == CompareOp::less ? *x < *y : op == CompareOp::less_equal ? *x <= *y : *x == *y;
    return holds ? always_ : never_;
  }
  if (left == right && !traits(left).may_be_nan) return op == CompareOp::less ? never_ : always_;
  for (const auto& [one, other] : {std::pair(left, right), std::pair(right, left)}) {
    const auto infinite = as_scaled_generator(one);
    if (!infinite || generators_[infinite->first].kind != Generator::Kind::infinity || traits(other).is_wild())
      continue;
    // A number beside inf or -inf.
    if (op == CompareOp::equal) return never_;
    return (infinite->second > 0) == (other == left) ? always_ : never_;
  }
  for (const auto& [one, other] : {std::pair(left, right), std::pair(right, left)}) {
    const auto infinite = as_scaled_generator(one);
    const auto chosen = as_generator(other);
    if (op != CompareOp::equal || !infinite || generators_[infinite->first].kind != Generator::Kind::infinity) continue;
    if (!chosen || generators_[*chosen].kind != Generator::Kind::select) continue;
    const Generator node = generators_[*chosen];
    const ConditionId first = compare(op, node.polynomials[0], one);
    const ConditionId second = compare(op, node.polynomials[1], one);
    return disjunction({conjunction({node.conditions[0], first}), conjunction({negation(node.conditions[0]), second})});
  }
  for (const auto& [one, other] : {std::pair(left, right), std::pair(right, left)}) {
    // As written, what is never zero may be rounded to it.
    if (op != CompareOp::equal || one != constant(0) || !with_algebra_) continue;
    if (sign(other).nonzero) return never_;
    if (const auto none = vanishes_where(other)) return *none;
  }
  if (op == CompareOp::equal && right < left) std::swap(left, right);
  const auto kind = op == CompareOp::less         ? Condition::Kind::less
                    : op == CompareOp::less_equal ? Condition::Kind::less_equal
                                                  : Condition::Kind::equal;
  const ConditionId id = intern_condition({kind, left, right, {}});
  const Truth known = truth(id);
  return known == Truth::maybe ? id : known == Truth::yes ? always_ : never_;
}

bool Arena::is_free_of_data(const Affine& affine) const {
  // No atom holds a generator.
  std::vector<AtomId> atoms;
  const auto open = [&](const Affine& sum) {
    for (const auto& [atom, coefficient] : sum.terms) atoms.push_back(atom);
  };
  open(affine);
  while (!atoms.empty()) {
    const Atom& atom = atoms_[atoms.back()];
    atoms.pop_back();
    if (atom.kind == Atom::Kind::value) return false;
    if (atom.kind == Atom::Kind::quotient || atom.kind == Atom::Kind::wrapped) open(affines_[atom.argument]);
    atoms.insert(atoms.end(), atom.factors.begin(), atom.factors.end());
  }
  return true;
}

bool Arena::is_index_condition(ConditionId id) const {
  const Deeper deeper(*this);
  const Condition& node = conditions_[id];
  switch (node.kind) {
    case Condition::Kind::never:
    case Condition::Kind::always: return true;
    case Condition::Kind::nonnegative:
    case Condition::Kind::zero: return is_free_of_data(affines_[node.left]);
    case Condition::Kind::less:
    case Condition::Kind::less_equal:
    case Condition::Kind::equal:
    case Condition::Kind::boolean: return false;
    case Condition::Kind::negation: return is_index_condition(node.left);
    case Condition::Kind::conjunction:
    case Condition::Kind::disjunction:
      return std::all_of(node.parts.begin(), node.parts.end(),
                         [this](ConditionId part) { return is_index_condition(part); });
  }
  return false;
}

Truth Arena::truth_of_affine(const Affine& affine, bool equality) {
  const Interval values = range(affine);
  if (equality) {
    if (values.is_point()) return values.low == 0 ? Truth::yes : Truth::no;
    if (values.low > 0 || values.high < 0) return Truth::no;
  } else {
    if (values.low >= 0) return Truth::yes;
    if (values.high < 0) return Truth::no;
  }
  if (ignore_assumptions_) return Truth::maybe;
  look(facts_.size());
  for (const ConditionId fact : facts_) {
    const Condition& known = conditions_[fact];
    if (known.kind != Condition::Kind::nonnegative && known.kind != Condition::Kind::zero) continue;
    const Affine& given = affines_[known.left];
    // affine - given and affine + given: where one is bounded, given's sign decides.
    const Interval less_given = range(difference(affine, given));
    const Interval plus_given = range(sum(affine, given));
    if (known.kind == Condition::Kind::zero) {
      for (const Interval& shifted : {less_given, plus_given}) {
        if (shifted.is_point()) {
          if (equality) return shifted.low == 0 ? Truth::yes : Truth::no;
          return shifted.low >= 0 ? Truth::yes : Truth::no;
        }
        if (!equality && shifted.low >= 0) return Truth::yes;
        if (shifted.high < 0) return Truth::no;
        if (equality && shifted.low > 0) return Truth::no;
      }
    } else {
      // affine = given + rest, rest > 0 or >= 0; affine = -given + rest, rest < 0.
      if (!equality && less_given.low >= 0) return Truth::yes;
      if (equality && less_given.low > 0) return Truth::no;
      if (plus_given.high < 0) return Truth::no;
    }
  }
  return Truth::maybe;
}

Truth Arena::truth(ConditionId condition) {
  const Deeper deeper(*this);
  const Condition& node = conditions_[condition];
  // Whatever is assumed: facts that contradict each other make nothing of these.
  if (node.kind == Condition::Kind::never) return Truth::no;
  if (node.kind == Condition::Kind::always) return Truth::yes;
  if (!facts_.empty() && !ignore_assumptions_) {
    if (std::find(facts_.begin(), facts_.end(), condition) != facts_.end()) return Truth::yes;
    for (const ConditionId fact : facts_) {
      const Condition& known = conditions_[fact];
      if (known.kind == Condition::Kind::negation && known.left == condition) return Truth::no;
    }
  }
  switch (node.kind) {
    case Condition::Kind::never: return Truth::no;
    case Condition::Kind::always: return Truth::yes;
    case Condition::Kind::nonnegative: return truth_of_affine(affines_[node.left], false);
    case Condition::Kind::zero: return truth_of_affine(affines_[node.left], true);
    case Condition::Kind::less:
    case Condition::Kind::less_equal:
    case Condition::Kind::equal:
    case Condition::Kind::boolean: return Truth::maybe;
    case Condition::Kind::negation: return !truth(node.left);
    case Condition::Kind::conjunction: {
      Truth result = Truth::yes;
      for (const ConditionId part : node.parts) {
        const Truth one = truth(part);
        if (one == Truth::no) return Truth::no;
        if (one == Truth::maybe) result = Truth::maybe;
      }
      return result;
    }
    case Condition::Kind::disjunction: {
      Truth result = Truth::no;
      for (const ConditionId part : node.parts) {
        const Truth one = truth(part);
        if (one == Truth::yes) return Truth::yes;
        if (one == Truth::maybe) result = Truth::maybe;
      }
      return result;
    }
  }
  return Truth::maybe;
}

}  // namespace steptp::forms
