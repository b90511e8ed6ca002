// Conditions (docs/decisions/0011). Comparisons of integers become "affine >= 0" and "affine == 0" with coefficients
// that have no common divisor; comparisons of reals stay as they are, because NaN makes them false. Every constructor
// asks what is known at the moment, and answers `always` or `never` where that decides.
#include <algorithm>
#include <numeric>

#include "steptp/ir/index.h"
#include "steptp/prove/arena.h"

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

Conditions::Conditions(Arena& arena)
    : Room(arena),
      never_(store_.intern_condition({Condition::Kind::never, 0, 0, {}})),
      always_(store_.intern_condition({Condition::Kind::always, 0, 0, {}})) {}

/// n*x+c >= 0 = x+c//n >= 0, of integers.
ConditionId Conditions::nonnegative(Affine affine) {
  if (affine.is_constant()) return affine.constant >= 0 ? always_ : never_;
  const std::int64_t divisor = common_divisor(affine);
  divide(affine, divisor);
  affine.constant = floor_quotient(affine.constant, divisor);
  const ConditionId id = store_.intern_condition({Condition::Kind::nonnegative, intern(std::move(affine)), 0, {}});
  const Truth known = truth(id);
  return known == Truth::maybe ? id : known == Truth::yes ? always_ : never_;
}

/// n*x+c == 0 = x+c/n == 0 of integers, and never where n does not divide c. The first coefficient is positive.
ConditionId Conditions::zero(Affine affine) {
  if (affine.is_constant()) return affine.constant == 0 ? always_ : never_;
  std::int64_t divisor = common_divisor(affine);
  if (affine.constant % divisor != 0) return never_;
  if (affine.terms.front().second < 0) divisor = -divisor;
  divide(affine, divisor);
  affine.constant /= divisor;
  const ConditionId id = store_.intern_condition({Condition::Kind::zero, intern(std::move(affine)), 0, {}});
  const Truth known = truth(id);
  return known == Truth::maybe ? id : known == Truth::yes ? always_ : never_;
}

ConditionId Conditions::boolean(GeneratorId generator) {
  const Generator& node = generators_[generator];
  if (node.kind == Generator::Kind::truth) return node.conditions[0];
  return store_.intern_condition({Condition::Kind::boolean, generator, 0, {}});
}

ConditionId Conditions::negation(ConditionId condition) {
  const Deeper deeper(budget_);
  const Condition& node = conditions_[condition];
  switch (node.kind) {
    case Condition::Kind::never: return always_;
    case Condition::Kind::always: return never_;
    // not(x >= 0) = -1-x >= 0, of integers.
    case Condition::Kind::nonnegative: return nonnegative(Affine::difference(Affine::number(-1), affines_[node.left]));
    case Condition::Kind::negation: return node.left;
    case Condition::Kind::conjunction:
    case Condition::Kind::disjunction: {
      // not(a and b) = not(a) or not(b).
      std::vector<ConditionId> parts;
      for (const ConditionId part : node.parts) parts.push_back(negation(part));
      return node.kind == Condition::Kind::conjunction ? disjunction(parts) : conjunction(parts);
    }
    case Condition::Kind::less:
    case Condition::Kind::less_equal:
      // not(x < y) = y <= x, and not(x <= y) = y < x, of values that are never NaN.
      if (is_never_nan(node.left) && is_never_nan(node.right)) {
        return compare(node.kind == Condition::Kind::less ? CompareOp::less_equal : CompareOp::less, node.right,
                       node.left);
      }
      break;
    case Condition::Kind::zero:
    case Condition::Kind::equal:
    case Condition::Kind::boolean: break;
  }
  return store_.intern_condition({Condition::Kind::negation, condition, 0, {}});
}

ConditionId Conditions::conjunction(const std::vector<ConditionId>& parts) {
  return combined(Condition::Kind::conjunction, parts, always_, never_);
}

ConditionId Conditions::disjunction(const std::vector<ConditionId>& parts) {
  return combined(Condition::Kind::disjunction, parts, never_, always_);
}

ConditionId Conditions::combined(Condition::Kind kind, const std::vector<ConditionId>& parts, ConditionId neutral,
                                 ConditionId deciding) {
  std::vector<ConditionId> flat;
  for (const ConditionId part : parts) {
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
  // (a and never) = never, (a and not(a)) = never, (a or not(a)) = always. As written, the other parts are computed
  // all the same, and may overflow: those that compute something stay.
  const auto is_present = [&](ConditionId part) { return std::binary_search(flat.begin(), flat.end(), part); };
  const auto has_opposite = [&](ConditionId part) { return is_present(negation(part)); };
  if (is_present(deciding) || std::any_of(flat.begin(), flat.end(), has_opposite)) {
    std::erase_if(flat, [&](ConditionId part) { return !computes(part); });
    if (flat.empty()) return deciding;
    flat.insert(std::lower_bound(flat.begin(), flat.end(), deciding), deciding);
  }
  if (flat.empty()) return neutral;
  if (flat.size() == 1) return flat[0];
  return store_.intern_condition({kind, 0, 0, std::move(flat)});
}

bool Conditions::is_without_rounding(PolynomialId value) const {
  if (with_algebra_ || as_constant(value)) return true;
  const auto single = as_generator(value);
  if (!single) return false;
  const Generator::Kind kind = generators_[*single].kind;
  return kind == Generator::Kind::input || kind == Generator::Kind::integer;
}

/// Whether an integer is made of indices and of inputs without a conversion or a quotient of data.
bool Conditions::is_plain_integer(const Affine& affine) const {
  return std::all_of(affine.terms.begin(), affine.terms.end(),
                     [&](const auto& term) { return is_plain_atom(term.first); });
}

bool Conditions::is_plain_atom(AtomId id) const {
  const Atom& atom = store_.atom(id);
  switch (atom.kind) {
    case Atom::Kind::variable: return true;
    case Atom::Kind::value: return generators_[atom.argument].kind == Generator::Kind::input;
    case Atom::Kind::quotient:
    case Atom::Kind::wrapped: return is_plain_integer(affines_[atom.argument]);
    case Atom::Kind::product: break;
  }
  return std::all_of(atom.factors.begin(), atom.factors.end(), [&](AtomId factor) { return is_plain_atom(factor); });
}

bool Conditions::computes(ConditionId condition) const {
  if (with_algebra_) return false;
  const auto is_plain = [&](PolynomialId value) {
    const auto single = as_scaled_generator(value);
    return is_without_rounding(value) || (single && generators_[single->first].kind == Generator::Kind::infinity);
  };
  const Condition& node = conditions_[condition];
  switch (node.kind) {
    case Condition::Kind::never:
    case Condition::Kind::always: return false;
    case Condition::Kind::nonnegative:
    case Condition::Kind::zero: return !is_plain_integer(affines_[node.left]);
    case Condition::Kind::less:
    case Condition::Kind::less_equal:
    case Condition::Kind::equal: return !is_plain(node.left) || !is_plain(node.right);
    case Condition::Kind::boolean: return generators_[node.left].kind != Generator::Kind::input;
    case Condition::Kind::negation: return computes(node.left);
    case Condition::Kind::conjunction:
    case Condition::Kind::disjunction: break;
  }
  return std::any_of(node.parts.begin(), node.parts.end(), [&](ConditionId part) { return computes(part); });
}

bool Conditions::may_be_left_out(ConditionId condition) const {
  return !computes(condition) || arena_.known.is_assumed(condition);
}

ConditionId Conditions::compare(CompareOp op, PolynomialId left, PolynomialId right) {
  const Deeper deeper(budget_);
  switch (op) {
    case CompareOp::greater: return compare(CompareOp::less, right, left);
    case CompareOp::greater_equal: return compare(CompareOp::less_equal, right, left);
    case CompareOp::not_equal: return negation(compare(CompareOp::equal, left, right));
    case CompareOp::less:
    case CompareOp::less_equal:
    case CompareOp::equal: break;
  }
  // Of integers: x < y = y-x-1 >= 0.
  const auto a = as_affine(left);
  const auto b = as_affine(right);
  if (a && b) {
    const Affine gap = Affine::difference(*b, *a);
    if (op == CompareOp::less) return nonnegative(Affine::sum(gap, Affine::number(-1)));
    return op == CompareOp::less_equal ? nonnegative(gap) : zero(gap);
  }
  const auto x = as_constant(left);
  const auto y = as_constant(right);
  if (x && y) {
    const bool holds = op == CompareOp::less ? *x < *y : op == CompareOp::less_equal ? *x <= *y : *x == *y;
    return holds ? always_ : never_;
  }
  // x == x and x <= x always, x < x never, of what is never NaN.
  if (left == right && is_never_nan(left)) return op == CompareOp::less ? never_ : always_;
  // x < inf, -inf < x and not(x == inf), of a number x.
  for (const auto& [one, other] : {std::pair(left, right), std::pair(right, left)}) {
    const auto infinite = as_scaled_generator(one);
    if (!infinite || generators_[infinite->first].kind != Generator::Kind::infinity) continue;
    if (traits(other).is_wild() || !is_without_rounding(other)) continue;
    if (op == CompareOp::equal) return never_;
    return (infinite->second > 0) == (other == left) ? always_ : never_;
  }
  // (if(c;x;y) == inf) = (c and x == inf) or (not(c) and y == inf).
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
  // x == 0 never where x is never zero; sum(exp(x)) == 0 exactly where max(x) == -inf.
  for (const auto& [one, other] : {std::pair(left, right), std::pair(right, left)}) {
    // As written, what is never zero may be rounded to it.
    if (op != CompareOp::equal || one != constant(0) || !with_algebra_) continue;
    if (sign(other).nonzero) return never_;
    if (const auto none = arena_.masks.vanishes_where(other)) return *none;
  }
  if (op == CompareOp::equal && right < left) std::swap(left, right);
  const auto kind = op == CompareOp::less         ? Condition::Kind::less
                    : op == CompareOp::less_equal ? Condition::Kind::less_equal
                                                  : Condition::Kind::equal;
  const ConditionId id = store_.intern_condition({kind, left, right, {}});
  const Truth known = truth(id);
  return known == Truth::maybe ? id : known == Truth::yes ? always_ : never_;
}

}  // namespace steptp::forms
