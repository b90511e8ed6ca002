// Signs (docs/decisions/0011): whether a value is never negative, never positive, never zero, whatever the inputs are.
// A sum has the sign that all its terms have, a product the one that its factors make, a generator what its kind says.
// Of NaN nothing is said: "never negative" means that it is not a negative number. What does not show any more once a
// square is multiplied out is remembered by its number (as_nonnegative).
#include <utility>

#include "steptp/prove/arena.h"
#include "steptp/prove/written_operations.h"

namespace steptp::forms {

/// exp(x) > 0 where x is not -inf; sqrt(x) >= 0 and abs(x) >= 0, and they are zero only where x is.
Sign Signs::sign_of_call(const Generator& node, Variables variables) {
  const auto of = [this, variables](PolynomialId polynomial) { return sign(polynomial, variables); };
  const bool is_in_range = variables == Variables::in_range;
  Sign result;
  const auto function = static_cast<Function>(node.tag);
  const bool finite = !traits(node.polynomials[0]).is_wild();
  // Of NaN it is NaN, which is not zero either. A maximum inside may be empty, and -inf, beyond the ranges.
  if (function == Function::exp) {
    const Traits& argument = traits(node.polynomials[0]);
    result = {true, false, !argument.may_be_infinite && (is_in_range || argument.height == 0)};
  }
  if (function == Function::sqrt || function == Function::abs) {
    result = {true, false, finite && of(node.polynomials[0]).nonzero};
  }
  return result;
}

/// max(x,y) >= 0 where x >= 0 is no NaN; min(x,y) >= 0 where both are.
Sign Signs::sign_of_extremum(const Generator& node, Variables variables) {
  Sign result;
  bool all_nonnegative = true;
  bool all_positive = true;
  bool some_nonnegative = false;
  bool some_positive = false;
  for (const PolynomialId operand : node.polynomials) {
    const Sign s = sign(operand, variables);
    const bool positive = s.nonnegative && s.nonzero;
    all_nonnegative &= s.nonnegative;
    all_positive &= positive;
    // An operand that is NaN is dropped, and what is left may be anything.
    if (traits(operand).may_be_nan) continue;
    some_nonnegative |= s.nonnegative;
    some_positive |= positive;
  }
  result.nonnegative = node.tag == 1 ? some_nonnegative : all_nonnegative;
  result.nonzero = node.tag == 1 ? some_positive : all_positive;
  return result;
}

/// A sum of what is positive is positive, if it has a term; a maximum of it is, if it has one.
Sign Signs::sign_of_fold(GeneratorId id, Variables variables) {
  const Generator& node = generators_[id];
  Sign result;
  const Sign inside = sign(node.polynomials[0], variables);
  const bool filled = variables == Variables::in_range
                          ? arena_.reductions.is_filled(node, generators_.traits(id).height)
                          : node.conditions.empty();
  const auto op = static_cast<ArithmeticOp>(node.tag);
  if (op == ArithmeticOp::add) result = {inside.nonnegative, false, filled && inside.nonnegative && inside.nonzero};
  if (op == ArithmeticOp::multiply) result = {inside.nonnegative, false, inside.nonzero};
  if ((op == ArithmeticOp::max || op == ArithmeticOp::min) && filled) result = inside;
  return result;
}

Sign Signs::sign_of_generator(GeneratorId id, Variables variables) {
  const Generator& node = generators_[id];
  if (const Sign given = arena_.known.sign_by_facts(id); given.nonnegative || given.nonpositive) return given;
  const auto of = [this, variables](PolynomialId polynomial) { return sign(polynomial, variables); };
  const bool is_in_range = variables == Variables::in_range;
  const std::vector<InputFacts>& inputs = store_.inputs;
  Sign result;
  switch (node.kind) {
    case Generator::Kind::input:
      result.nonnegative = inputs[node.tag].positive;
      result.nonzero = inputs[node.tag].positive || inputs[node.tag].nonzero;
      break;
    case Generator::Kind::integer: {
      const Interval values = is_in_range ? arena_.known.atom_range(node.tag) : Interval::everything();
      result = {values.low >= 0, values.high <= 0, values.low > 0 || values.high < 0};
      break;
    }
    case Generator::Kind::inverse: {
      const Sign inside = of(node.polynomials[0]);
      if (!traits(node.polynomials[0]).is_wild() && inside.nonzero) result = inside;
      break;
    }
    case Generator::Kind::call: result = sign_of_call(node, variables); break;
    case Generator::Kind::extremum: result = sign_of_extremum(node, variables); break;
    case Generator::Kind::select: {
      const Sign a = of(node.polynomials[0]);
      const Sign b = of(node.polynomials[1]);
      result = {a.nonnegative && b.nonnegative, a.nonpositive && b.nonpositive, a.nonzero && b.nonzero};
      break;
    }
    case Generator::Kind::reduction: result = sign_of_fold(id, variables); break;
    case Generator::Kind::truth: result.nonnegative = true; break;
    case Generator::Kind::lump: result = of(node.polynomials[0]); break;
    case Generator::Kind::tamed:
      if (static_cast<TamedKind>(node.tag) == TamedKind::positive) result = {true, false, true};
      break;
    case Generator::Kind::definition: result = store_.definitions[node.tag].sign; break;
    case Generator::Kind::operation: result = is_in_range ? sign_of_operation(node) : Sign{}; break;
    case Generator::Kind::infinity:
    case Generator::Kind::conversion:
    case Generator::Kind::power:
    case Generator::Kind::recurrence:
    case Generator::Kind::self: break;
  }
  return result;
}

/// x*y >= 0 where both signs are known and equal; x+y >= 0 where both are; x+y != 0 where both have one sign and one of
/// them is not zero.
Sign Signs::sign(PolynomialId id, Variables variables) {
  const Deeper deeper(budget_);
  const Polynomial& node = polynomials_[id];
  if (node.terms.empty()) return {true, true, false};
  bool all_nonnegative = true;
  bool all_nonpositive = true;
  bool some_nonzero = false;
  for (const auto& [monomial, coefficient] : node.terms) {
    Sign term{true, false, true};
    for (const auto& [generator, exponent] : monomials_[monomial].factors) {
      const Sign s = sign_of_generator(generator, variables);
      term.nonzero &= s.nonzero;
      if (exponent % 2 == 0) continue;
      if (s.nonnegative) continue;
      if (s.nonpositive) {
        std::swap(term.nonnegative, term.nonpositive);
      } else {
        term.nonnegative = term.nonpositive = false;
      }
    }
    if (coefficient < 0) std::swap(term.nonnegative, term.nonpositive);
    if (coefficient == 0) term = {true, true, false};
    all_nonnegative &= term.nonnegative;
    all_nonpositive &= term.nonpositive;
    some_nonzero |= term.nonzero;
  }
  const bool one_sided = all_nonnegative || all_nonpositive;
  Sign result = {all_nonnegative, all_nonpositive, some_nonzero && (one_sided || node.terms.size() == 1)};
  const auto& remembered = variables == Variables::in_range ? nonnegative_ : nonnegative_anywhere_;
  if (const auto known = remembered.find(id); known != remembered.end()) {
    result.nonnegative = true;
    result.nonzero |= known->second;
  }
  return result;
}

PolynomialId Signs::as_nonnegative(PolynomialId id, bool is_positive, Variables variables) {
  // What was made under an assumption may be so under it only.
  if (arena_.known.knowledge() != 0 || polynomials_[id].terms.size() < 2 || traits(id).is_wild()) return id;
  store_.nonnegative_[id] |= is_positive;
  if (variables == Variables::anything) store_.nonnegative_anywhere_[id] |= is_positive;
  return id;
}

PolynomialId Signs::as_nonnegative_as(PolynomialId id, PolynomialId known) {
  const auto in_range = nonnegative_.find(known);
  if (in_range != nonnegative_.end()) as_nonnegative(id, in_range->second, Variables::in_range);
  return as_nonnegative_element(id, known);
}

PolynomialId Signs::as_nonnegative_element(PolynomialId id, PolynomialId known) {
  const auto anywhere = nonnegative_anywhere_.find(known);
  return anywhere == nonnegative_anywhere_.end() ? id : as_nonnegative(id, anywhere->second);
}

/// Of the exact value: roundings do not count.
Sign Signs::sign_of_operation(const Generator& node) {
  const WrittenOperation operation = operation_of(node.tag);
  if (!is_float(operation.dtype)) return {};
  const auto of = [&](std::size_t operand) { return sign(node.polynomials[operand]); };
  switch (operation.kind) {
    case WrittenOperation::Kind::rounding:
    case WrittenOperation::Kind::term: return of(0);
    case WrittenOperation::Kind::function:
      if (operation.function == Function::exp) return {true, false, !traits(node.polynomials[0]).is_wild()};
      if (operation.function == Function::sqrt) {
        return {true, false, !traits(node.polynomials[0]).is_wild() && of(0).nonzero};
      }
      return {};
    case WrittenOperation::Kind::arithmetic: break;
  }
  const Sign a = of(0);
  const Sign b = of(1);
  switch (operation.op) {
    case ArithmeticOp::add:
      return {a.nonnegative && b.nonnegative, a.nonpositive && b.nonpositive,
              a.nonnegative && b.nonnegative && (a.nonzero || b.nonzero)};
    case ArithmeticOp::multiply:
      return {(a.nonnegative && b.nonnegative) || node.polynomials[0] == node.polynomials[1], false,
              a.nonzero && b.nonzero};
    case ArithmeticOp::divide: return {a.nonnegative && b.nonnegative, false, a.nonzero && b.nonzero};
    case ArithmeticOp::power: {
      const auto exponent = as_constant(node.polynomials[1]);
      const bool is_even = exponent && exponent->get_den() == 1 && mpz_even_p(exponent->get_num_mpz_t()) != 0;
      return {a.nonnegative || is_even, false, false};
    }
    default: return {};
  }
}

}  // namespace steptp::forms
