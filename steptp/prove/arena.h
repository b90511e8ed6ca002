#pragma once

#include "steptp/prove/affines.h"
#include "steptp/prove/choices.h"
#include "steptp/prove/conditions.h"
#include "steptp/prove/functions.h"
#include "steptp/prove/knowledge.h"
#include "steptp/prove/masks.h"
#include "steptp/prove/maxima.h"
#include "steptp/prove/occurrences.h"
#include "steptp/prove/polynomials.h"
#include "steptp/prove/products.h"
#include "steptp/prove/quotients.h"
#include "steptp/prove/reductions.h"
#include "steptp/prove/signs.h"
#include "steptp/prove/store.h"
#include "steptp/prove/substitution.h"
#include "steptp/prove/traits.h"

namespace steptp::forms {

/// Where normal forms are made: a store of nodes, and the rooms that make them (docs/decisions/0047). Every constructor
/// of a room returns the normal form of what it is asked for, under what is known of variables at that moment
/// (Assumption). Work and sizes are limited; beyond a limit GiveUp is thrown.
class Arena : public Store {
 public:
  explicit Arena(std::uint64_t work_limit, Laws laws = Laws::all);

  TraitRules trait_rules;
  Knowledge known;
  Affines affines;
  Conditions conditions;
  Polynomials polynomials;
  Signs signs;
  Quotients quotients;
  Products products;
  Functions functions;
  Choices choices;
  Masks masks;
  Maxima maxima;
  Reductions reductions;
  Substitutions substitute;
  Occurrences occurrences;
};

// The words of Room, once all rooms are known.
inline std::optional<Affine> Room::as_affine(PolynomialId id) { return arena_.polynomials.as_affine(id); }
inline std::optional<Veiled> Room::as_veiled(PolynomialId id) { return arena_.masks.as_veiled(id); }
inline bool Room::is_below_infinity(PolynomialId id) const { return arena_.maxima.is_below_infinity(id); }
inline Sign Room::sign(PolynomialId id, Variables variables) { return arena_.signs.sign(id, variables); }
inline void Room::note(Need need) const {
  if (arena_.known.knowledge() == 0) store_.note(need);
}
inline Truth Room::truth(ConditionId condition) { return arena_.known.truth(condition); }
inline Interval Room::range(const Affine& affine) { return arena_.known.range(affine); }
inline PolynomialId Room::constant(mpq_class value) { return arena_.polynomials.constant(std::move(value)); }
inline PolynomialId Room::generator(Generator generator) { return arena_.polynomials.generator(std::move(generator)); }
inline PolynomialId Room::add(PolynomialId left, PolynomialId right) { return arena_.polynomials.add(left, right); }
inline PolynomialId Room::scale(PolynomialId polynomial, const mpq_class& factor) {
  return arena_.polynomials.scale(polynomial, factor);
}
inline PolynomialId Room::multiply(PolynomialId left, PolynomialId right) {
  return arena_.polynomials.multiply(left, right);
}
inline PolynomialId Room::inverse(PolynomialId polynomial) { return arena_.polynomials.inverse(polynomial); }
inline PolynomialId Room::integer_power(PolynomialId base, std::int64_t exponent) {
  return arena_.polynomials.integer_power(base, exponent);
}
inline PolynomialId Room::infinity() { return arena_.functions.infinity(); }
inline PolynomialId Room::call(Function function, PolynomialId argument) {
  return arena_.functions.call(function, argument);
}
inline PolynomialId Room::select(ConditionId condition, PolynomialId if_true, PolynomialId if_false) {
  return arena_.choices.select(condition, if_true, if_false);
}
inline PolynomialId Room::veil(const Veiled& veiled) { return arena_.masks.veil(veiled); }
inline ConditionId Room::negation(ConditionId condition) { return arena_.conditions.negation(condition); }
inline ConditionId Room::conjunction(const std::vector<ConditionId>& parts) {
  return arena_.conditions.conjunction(parts);
}

}  // namespace steptp::forms
