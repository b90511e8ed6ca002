// Residues of indices and conditions (docs/decisions/0039). A condition is an unknown b with the value 0 or 1, and its
// opposite is 1-b; conditions that say the same of their sides, written in two ways, must have one unknown.
#include <algorithm>

#include "steptp/prove/give_up.h"
#include "steptp/prove/residue_keys.h"
#include "steptp/prove/residues.h"

namespace steptp::forms {

Residues::Value Residues::of_affine(const Affine& affine) {
  Value sum = of_number(affine.constant);
  for (const auto& [atom, coefficient] : affine.terms) {
    const Value value = of_atom(atom);
    const Value number = of_number(coefficient);
    sum.residue = field_.add(sum.residue, field_.multiply(number.residue, value.residue));
    sum.degree = std::max(sum.degree, value.degree + number.degree);
  }
  sum.degree += weight_of_terms(affine.terms.size() + 1);
  return sum;
}

Residues::Value Residues::of_atom(AtomId id) {
  const Atom node = arena_.atom(id);
  switch (node.kind) {
    case Atom::Kind::variable: return opaque(start(ResidueKey::variable, node.argument), true, 1);
    case Atom::Kind::quotient:
    case Atom::Kind::wrapped: {
      const Value inside = of_affine(arena_.affine(node.argument));
      const ResidueKey kind = node.kind == Atom::Kind::quotient ? ResidueKey::quotient : ResidueKey::wrapped;
      return opaque(combine(start(kind, static_cast<std::uint64_t>(node.divisor)), inside.residue), true,
                    inside.degree);
    }
    case Atom::Kind::product: {
      Value product{1, true, 0};
      for (const AtomId factor : node.factors) {
        const Value value = of_atom(factor);
        product.residue = field_.multiply(product.residue, value.residue);
        product.degree += value.degree;
      }
      return product;
    }
    case Atom::Kind::value: return of_generator(node.argument);
  }
  throw GiveUp{"an index without a residue"};
}

Residues::Value Residues::of_condition(ConditionId id) {
  if (const auto known = conditions_.find(id); known != conditions_.end()) return known->second;
  arena_.budget.spend(1);
  const Condition node = arena_.condition(id);
  Value value;
  switch (node.kind) {
    case Condition::Kind::never: break;
    case Condition::Kind::always: value.residue = 1; break;
    case Condition::Kind::nonnegative: value = of_bound(arena_.affine(node.left), false); break;
    case Condition::Kind::zero: value = of_bound(arena_.affine(node.left), true); break;
    case Condition::Kind::less:
    case Condition::Kind::less_equal:
    case Condition::Kind::equal: value = of_comparison(node); break;
    case Condition::Kind::boolean: value = of_generator(node.left); break;
    case Condition::Kind::negation: value = complement(of_condition(node.left)); break;
    case Condition::Kind::conjunction:
    case Condition::Kind::disjunction: value = of_connective(node); break;
  }
  value.is_number = true;
  value.nan.clear();  // a comparison with NaN is false, not NaN
  conditions_.emplace(id, value);
  return value;
}

/// affine >= 0, or affine == 0. The opposite of x >= 0 is -1-x >= 0.
Residues::Value Residues::of_bound(const Affine& affine, bool equality) {
  const Value value = of_affine(affine);
  if (equality) {
    const Field::Residue sign_free = std::min(value.residue, field_.negate(value.residue));
    return opaque(combine(start(ResidueKey::equality), sign_free), true, 2 * value.degree);
  }
  const Field::Residue opposite = field_.subtract(field_.negate(value.residue), 1);
  const Value bound =
      opaque(combine(start(ResidueKey::bound), std::min(value.residue, opposite)), true, 2 * value.degree);
  return opposite < value.residue ? complement(bound) : bound;
}

Residues::Value Residues::of_comparison(const Condition& node) {
  const Value left = of_polynomial(node.left);
  const Value right = of_polynomial(node.right);
  const double degree = left.degree + right.degree;
  const bool are_numbers = left.is_number && right.is_number && left.nan.empty() && right.nan.empty();
  if (node.kind == Condition::Kind::equal) {
    if (are_numbers) {
      const Field::Residue gap = field_.subtract(left.residue, right.residue);
      return opaque(combine(start(ResidueKey::equality), std::min(gap, field_.negate(gap))), true, 2 * degree);
    }
    const std::uint64_t one = left.key();
    const std::uint64_t other = right.key();
    return opaque(combine(combine(start(ResidueKey::comparison, 2), std::min(one, other)), std::max(one, other)), true,
                  degree);
  }
  const bool is_strict = node.kind == Condition::Kind::less;
  // Numbers are comparable: x<=y is the opposite of y<x. With NaN both are false.
  if (are_numbers) {
    const Field::Residue gap =
        is_strict ? field_.subtract(left.residue, right.residue) : field_.subtract(right.residue, left.residue);
    const Value below = opaque(combine(start(ResidueKey::below), gap), true, degree);
    return is_strict ? below : complement(below);
  }
  return opaque(combine(combine(start(ResidueKey::comparison, is_strict ? 0 : 1), left.key()), right.key()), true,
                degree);
}

Residues::Value Residues::of_connective(const Condition& node) {
  const bool is_conjunction = node.kind == Condition::Kind::conjunction;
  Value product{1, true, 0};
  for (const ConditionId part : node.parts) {
    Value value = of_condition(part);
    if (!is_conjunction) value = complement(value);
    product.residue = field_.multiply(product.residue, value.residue);
    product.degree += value.degree;
  }
  return is_conjunction ? product : complement(product);
}

}  // namespace steptp::forms
