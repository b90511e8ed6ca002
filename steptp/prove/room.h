#pragma once

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "steptp/prove/store.h"

namespace steptp::forms {

class Arena;

/// What every room of an arena has: the store, the arena with its other rooms, and the words in which laws are written.
/// Each word leads to the room that knows it, so that a law reads as its formula does: add(left, negate(right)). A word
/// stands here if several rooms use it; anything else is said with its room, as in arena_.masks.where(...).
class Room {
 public:
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

 protected:
  explicit Room(Arena& arena);
  ~Room() = default;

  // ---- what a node is, and what is known of it
  [[nodiscard]] const Traits& traits(PolynomialId id) const { return polynomials_.traits(id); }
  [[nodiscard]] std::optional<mpq_class> as_constant(PolynomialId id) const { return store_.as_constant(id); }
  [[nodiscard]] std::optional<GeneratorId> as_generator(PolynomialId id) const { return store_.as_generator(id); }
  [[nodiscard]] std::optional<std::pair<GeneratorId, mpq_class>> as_scaled_generator(PolynomialId id) const {
    return store_.as_scaled_generator(id);
  }
  [[nodiscard]] bool is_index_condition(ConditionId id) const { return store_.is_index_condition(id); }
  [[nodiscard]] std::optional<Affine> as_affine(PolynomialId id);
  [[nodiscard]] std::optional<Veiled> as_veiled(PolynomialId id);
  [[nodiscard]] bool is_below_infinity(PolynomialId id) const;
  [[nodiscard]] Sign sign(PolynomialId id, Variables variables = Variables::in_range);
  [[nodiscard]] Truth truth(ConditionId condition);
  [[nodiscard]] Interval range(const Affine& affine);

  // ---- new nodes
  [[nodiscard]] AffineId intern(Affine affine) { return store_.intern(std::move(affine)); }
  [[nodiscard]] MonomialId intern_monomial(Monomial monomial) { return store_.intern_monomial(std::move(monomial)); }
  [[nodiscard]] PolynomialId intern_polynomial(Polynomial polynomial) {
    return store_.intern_polynomial(std::move(polynomial));
  }
  [[nodiscard]] PolynomialId constant(mpq_class value);
  [[nodiscard]] PolynomialId generator(Generator generator);
  [[nodiscard]] PolynomialId add(PolynomialId left, PolynomialId right);
  [[nodiscard]] PolynomialId scale(PolynomialId polynomial, const mpq_class& factor);
  [[nodiscard]] PolynomialId negate(PolynomialId polynomial) { return scale(polynomial, -1); }
  [[nodiscard]] PolynomialId multiply(PolynomialId left, PolynomialId right);
  [[nodiscard]] PolynomialId inverse(PolynomialId polynomial);
  [[nodiscard]] PolynomialId integer_power(PolynomialId base, std::int64_t exponent);
  [[nodiscard]] PolynomialId infinity();
  [[nodiscard]] PolynomialId call(Function function, PolynomialId argument);
  [[nodiscard]] PolynomialId select(ConditionId condition, PolynomialId if_true, PolynomialId if_false);
  [[nodiscard]] PolynomialId veil(const Veiled& veiled);
  [[nodiscard]] ConditionId negation(ConditionId condition);
  [[nodiscard]] ConditionId conjunction(const std::vector<ConditionId>& parts);

  /// A side condition that a law needed. One that holds only under what is known just now is no statement by itself.
  void note(Need need) const;

  Arena& arena_;
  Store& store_;
  Budget& budget_;
  const Interner<Atom>& atoms_;
  const Interner<Affine>& affines_;
  const Interner<Condition>& conditions_;
  const Interner<Generator>& generators_;
  const Interner<Monomial>& monomials_;
  const Interner<Polynomial>& polynomials_;
  const std::unordered_map<PolynomialId, bool>& nonnegative_;
  const std::unordered_map<PolynomialId, bool>& nonnegative_anywhere_;
  const Laws laws_;
  const bool with_algebra_;
};

}  // namespace steptp::forms
