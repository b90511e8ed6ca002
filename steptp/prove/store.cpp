// Numbers for nodes (docs/decisions/0011). Equal content has an equal number, so that comparing two normal forms is
// comparing two numbers. Every new node costs work and gets its traits at once: which variables are free in it, and
// whether it may be infinite or NaN. Traits are made of those of the parts, and of the rules for generators
// (traits.cpp).
#include <algorithm>
#include <utility>

#include "steptp/prove/arena.h"
#include "steptp/prove/give_up.h"
#include "steptp/prove/written_operations.h"

namespace steptp::forms {

namespace {

/// A new node whose traits are not known yet. Where the work on them ends early, nobody finds the node any more: with
/// the traits of nothing it would be taken for a number that depends on no variable.
template <typename Node>
class Unfinished {
 public:
  Unfinished(Interner<Node>& nodes, std::uint32_t id) : nodes_(nodes), id_(id) {}
  ~Unfinished() {
    if (!is_done_) nodes_.forget(id_);
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  void done() { is_done_ = true; }

 private:
  Interner<Node>& nodes_;
  std::uint32_t id_;
  bool is_done_ = false;
};

}  // namespace

void merge_variables(std::vector<VariableId>& into, const std::vector<VariableId>& from) {
  if (from.empty()) return;
  if (into.empty()) {
    into = from;
    return;
  }
  std::vector<VariableId> result;
  result.reserve(into.size() + from.size());
  std::set_union(into.begin(), into.end(), from.begin(), from.end(), std::back_inserter(result));
  into.swap(result);
}

void absorb(Traits& into, const Traits& from) {
  merge_variables(into.variables, from.variables);
  into.height = std::max(into.height, from.height);
  into.has_self |= from.has_self;
}

void absorb_values(Traits& into, const Traits& from) {
  absorb(into, from);
  into.may_be_infinite |= from.may_be_infinite;
  into.may_be_nan |= from.may_be_nan;
}

AtomId Store::intern_atom(Atom atom) {
  const auto [id, is_new] = atoms_.add(std::move(atom));
  if (!is_new) return id;
  Unfinished unfinished(atoms_, id);
  budget.spend(1);
  const Atom& node = atoms_[id];
  Traits& traits = atoms_.traits(id);
  switch (node.kind) {
    case Atom::Kind::variable: traits.variables = {node.argument}; break;
    case Atom::Kind::quotient:
    case Atom::Kind::wrapped: absorb(traits, affines_.traits(node.argument)); break;
    case Atom::Kind::product:
      for (const AtomId factor : node.factors) absorb(traits, atoms_.traits(factor));
      break;
    case Atom::Kind::value: absorb(traits, generators_.traits(node.argument)); break;
  }
  unfinished.done();
  return id;
}

AffineId Store::intern(Affine affine) {
  const auto [id, is_new] = affines_.add(std::move(affine));
  if (!is_new) return id;
  Unfinished unfinished(affines_, id);
  budget.spend(1);
  Traits& traits = affines_.traits(id);
  for (const auto& [atom, coefficient] : affines_[id].terms) absorb(traits, atoms_.traits(atom));
  unfinished.done();
  return id;
}

ConditionId Store::intern_condition(Condition condition) {
  const auto [id, is_new] = conditions_.add(std::move(condition));
  if (!is_new) return id;
  Unfinished unfinished(conditions_, id);
  budget.spend(1);
  const Condition& node = conditions_[id];
  Traits& traits = conditions_.traits(id);
  switch (node.kind) {
    case Condition::Kind::never:
    case Condition::Kind::always: break;
    case Condition::Kind::nonnegative:
    case Condition::Kind::zero: absorb(traits, affines_.traits(node.left)); break;
    case Condition::Kind::less:
    case Condition::Kind::less_equal:
    case Condition::Kind::equal:
      absorb_values(traits, polynomials_.traits(node.left));
      absorb_values(traits, polynomials_.traits(node.right));
      break;
    case Condition::Kind::boolean: absorb(traits, generators_.traits(node.left)); break;
    case Condition::Kind::negation: absorb(traits, conditions_.traits(node.left)); break;
    case Condition::Kind::conjunction:
    case Condition::Kind::disjunction:
      for (const ConditionId part : node.parts) absorb(traits, conditions_.traits(part));
      break;
  }
  unfinished.done();
  return id;
}

MonomialId Store::intern_monomial(Monomial monomial) {
  const auto [id, is_new] = monomials_.add(std::move(monomial));
  if (!is_new) return id;
  Unfinished unfinished(monomials_, id);
  budget.spend(1);
  Traits& traits = monomials_.traits(id);
  bool zero_possible = false;
  traits.is_integer = true;
  for (const auto& [generator, exponent] : monomials_[id].factors) {
    absorb_values(traits, generators_.traits(generator));
    traits.is_integer &= generators_.traits(generator).is_integer && exponent > 0;
    zero_possible |= monomials_[id].factors.size() > 1;
  }
  // 0*inf = NaN.
  if (traits.may_be_infinite && zero_possible) traits.may_be_nan = true;
  unfinished.done();
  return id;
}

PolynomialId Store::intern_polynomial(Polynomial polynomial) {
  constexpr std::size_t kMaxTerms = 4000;
  constexpr std::size_t kMaxLimbs = 1024;  // of 64 bits: some 20,000 digits
  constexpr std::size_t kLimbsPerWork = 4;
  if (polynomial.terms.size() > kMaxTerms) throw GiveUp{"a polynomial with too many terms"};
  std::size_t all_limbs = 0;
  for (const auto& [monomial, coefficient] : polynomial.terms) {
    const std::size_t limbs = mpz_size(coefficient.get_num_mpz_t()) + mpz_size(coefficient.get_den_mpz_t());
    if (limbs > kMaxLimbs) throw GiveUp{"a number with too many digits"};
    all_limbs += limbs > 2 ? limbs - 2 : 0;
  }
  const auto [id, is_new] = polynomials_.add(std::move(polynomial));
  if (!is_new) return id;
  Unfinished unfinished(polynomials_, id);
  budget.spend(1 + polynomials_[id].terms.size() + all_limbs / kLimbsPerWork);
  Traits& traits = polynomials_.traits(id);
  traits.is_integer = true;
  std::size_t infinite = 0;
  for (const auto& [monomial, coefficient] : polynomials_[id].terms) {
    const Traits& factors = monomials_.traits(monomial);
    traits.is_integer &= factors.is_integer && coefficient.get_den() == 1;
    absorb(traits, factors);
    // 0*inf = NaN.
    traits.may_be_nan |= factors.may_be_nan || (coefficient == 0 && factors.may_be_infinite);
    traits.may_be_infinite |= factors.may_be_infinite && coefficient != 0;
    infinite += factors.may_be_infinite && coefficient != 0 ? 1 : 0;
  }
  // inf-inf = NaN.
  if (infinite > 1 && rules_->may_cancel_infinities(id)) traits.may_be_nan = true;
  unfinished.done();
  return id;
}

GeneratorId Store::intern_generator(Generator generator) {
  if (is_commutative(generator)) std::sort(generator.polynomials.begin(), generator.polynomials.end());
  const auto [id, is_new] = generators_.add(std::move(generator));
  if (!is_new) return id;
  Unfinished unfinished(generators_, id);
  budget.spend(1);
  generators_.traits(id) = rules_->traits_of(generators_[id]);
  unfinished.done();
  return id;
}

std::optional<mpq_class> Store::as_constant(PolynomialId id) const {
  const Polynomial& node = polynomials_[id];
  if (node.terms.empty()) return mpq_class(0);
  if (node.terms.size() == 1 && monomials_[node.terms[0].first].factors.empty()) return node.terms[0].second;
  return std::nullopt;
}

std::optional<GeneratorId> Store::as_generator(PolynomialId id) const {
  const Polynomial& node = polynomials_[id];
  if (node.terms.size() != 1 || node.terms[0].second != 1) return std::nullopt;
  const Monomial& monomial = monomials_[node.terms[0].first];
  if (monomial.factors.size() != 1 || monomial.factors[0].second != 1) return std::nullopt;
  return monomial.factors[0].first;
}

std::optional<std::pair<GeneratorId, mpq_class>> Store::as_scaled_generator(PolynomialId id) const {
  const Polynomial& node = polynomials_[id];
  if (node.terms.size() != 1 || node.terms[0].second == 0) return std::nullopt;
  if (!with_algebra_ && node.terms[0].second != 1) return std::nullopt;
  const Monomial& factors = monomials_[node.terms[0].first];
  if (factors.factors.size() != 1 || factors.factors[0].second != 1) return std::nullopt;
  return std::pair(factors.factors[0].first, node.terms[0].second);
}

std::optional<int> Store::as_infinity(PolynomialId id) const {
  const auto scaled = as_scaled_generator(id);
  if (!scaled || generators_[scaled->first].kind != Generator::Kind::infinity) return std::nullopt;
  return sgn(scaled->second);
}

bool Store::is_free_of_data(const Affine& affine) const {
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

bool Store::is_index_condition(ConditionId id) const {
  const Deeper deeper(budget);
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

}  // namespace steptp::forms
