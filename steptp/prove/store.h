#pragma once

#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "steptp/prove/budget.h"
#include "steptp/prove/facts.h"
#include "steptp/prove/interner.h"

namespace steptp::forms {

class TraitRules;

/// The nodes of both programs, each with its number and its traits, and what can be read off a node as it stands. The
/// store applies no law: it keeps what the rooms of an arena make (room.h).
class Store {
 public:
  Store(std::uint64_t work_limit, Laws laws) : budget(work_limit), laws_(laws), with_algebra_(laws == Laws::all) {}
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  [[nodiscard]] bool with_algebra() const { return with_algebra_; }
  [[nodiscard]] Laws laws() const { return laws_; }

  // ---- nodes by their numbers
  [[nodiscard]] const Atom& atom(AtomId id) const { return atoms_[id]; }
  [[nodiscard]] const Affine& affine(AffineId id) const { return affines_[id]; }
  [[nodiscard]] const Condition& condition(ConditionId id) const { return conditions_[id]; }
  [[nodiscard]] const Generator& generator(GeneratorId id) const { return generators_[id]; }
  [[nodiscard]] const Monomial& monomial(MonomialId id) const { return monomials_[id]; }
  [[nodiscard]] const Polynomial& polynomial(PolynomialId id) const { return polynomials_[id]; }
  [[nodiscard]] const Traits& traits_of_atom(AtomId id) const { return atoms_.traits(id); }
  [[nodiscard]] const Traits& traits_of_affine(AffineId id) const { return affines_.traits(id); }
  [[nodiscard]] const Traits& traits_of_condition(ConditionId id) const { return conditions_.traits(id); }
  [[nodiscard]] const Traits& traits_of_generator(GeneratorId id) const { return generators_.traits(id); }
  [[nodiscard]] const Traits& traits_of_monomial(MonomialId id) const { return monomials_.traits(id); }
  [[nodiscard]] const Traits& traits(PolynomialId id) const { return polynomials_.traits(id); }

  // ---- numbers for nodes, which are taken as they are
  [[nodiscard]] AtomId intern_atom(Atom atom);
  [[nodiscard]] AffineId intern(Affine affine);
  [[nodiscard]] ConditionId intern_condition(Condition condition);
  [[nodiscard]] GeneratorId intern_generator(Generator generator);
  [[nodiscard]] MonomialId intern_monomial(Monomial monomial);
  [[nodiscard]] PolynomialId intern_polynomial(Polynomial polynomial);

  // ---- what a node is
  [[nodiscard]] std::optional<mpq_class> as_constant(PolynomialId id) const;
  [[nodiscard]] std::optional<GeneratorId> as_generator(PolynomialId id) const;
  /// A multiple of a generator, but not 0 times it; without algebra only the generator itself.
  [[nodiscard]] std::optional<std::pair<GeneratorId, mpq_class>> as_scaled_generator(PolynomialId id) const;
  /// 1 for inf, -1 for -inf.
  [[nodiscard]] std::optional<int> as_infinity(PolynomialId id) const;
  [[nodiscard]] bool is_free_of_data(const Affine& affine) const;
  /// On indices only: integers, no data.
  [[nodiscard]] bool is_index_condition(ConditionId id) const;

  /// Lists a side condition that a law needed, if anybody asks.
  void note(Need need) const {
    if (needs) needs->insert(need);
  }

  Budget budget;
  std::vector<InputFacts> inputs;            ///< by number
  std::vector<DefinitionFacts> definitions;  ///< by value number
  std::set<Need>* needs = nullptr;           ///< where they are listed, if anybody asks

 protected:
  TraitRules* rules_ = nullptr;  ///< an arena's own; set before the first node is made

 private:
  friend class Room;
  friend class Signs;

  Interner<Atom> atoms_;
  Interner<Affine> affines_;
  Interner<Condition> conditions_;
  Interner<Generator> generators_;
  Interner<Monomial> monomials_;
  Interner<Polynomial> polynomials_;
  std::unordered_map<PolynomialId, bool> nonnegative_;  ///< although their terms do not show it; true: positive
  /// Of these, what holds whatever the variables are: a formula may be asked for beyond the ranges of its variables, as
  /// that of a later round is at the first one.
  std::unordered_map<PolynomialId, bool> nonnegative_anywhere_;
  Laws laws_;
  bool with_algebra_;
};

/// The union of two sorted lists.
void merge_variables(std::vector<VariableId>& into, const std::vector<VariableId>& from);
/// Adds the variables of a part, and with them, or not, what values it may have.
void absorb(Traits& into, const Traits& from);
void absorb_values(Traits& into, const Traits& from);

}  // namespace steptp::forms
