// Sums (docs/decisions/0011). A real value is a sum of rational multiples of products of generators, sorted by product,
// so that two sums are merged like two sorted lists. A term with coefficient 0 stays where its product may be infinite
// or NaN: 0*inf is not nothing. Where terms of opposite sign meet that may be infinite, there is no normal form.
#include <algorithm>

#include "steptp/prove/arena.h"
#include "steptp/prove/give_up.h"

namespace steptp::forms {

namespace {

/// Terms that are only copied cost little.
constexpr std::size_t kTermsPerLook = 8;

}  // namespace

PolynomialId Polynomials::constant(mpq_class value) {
  Polynomial result;
  if (value != 0) result.terms.emplace_back(intern_monomial({}), std::move(value));
  return intern_polynomial(std::move(result));
}

PolynomialId Polynomials::generator(Generator generator) {
  const GeneratorId id = store_.intern_generator(std::move(generator));
  return intern_polynomial({{{intern_monomial({{{id, 1}}}), mpq_class(1)}}});
}

PolynomialId Polynomials::integer(const Affine& affine) {
  PolynomialId result = constant(mpq_class(static_cast<long>(affine.constant)));
  for (const auto& [atom, coefficient] : affine.terms) {
    const Atom& node = atoms_[atom];
    PolynomialId term = constant(1);
    for (const AtomId factor : node.kind == Atom::Kind::product ? node.factors : std::vector<AtomId>{atom}) {
      // An integer that is data stands for itself, as it does in real expressions.
      const Atom& inside = atoms_[factor];
      term = multiply(term, inside.kind == Atom::Kind::value
                                ? intern_polynomial({{{intern_monomial({{{inside.argument, 1}}}), mpq_class(1)}}})
                                : generator({Generator::Kind::integer, factor, {}, {}, {}, {}}));
    }
    result = add(result, scale(term, mpq_class(static_cast<long>(coefficient))));
  }
  return result;
}

std::optional<Affine> Polynomials::as_affine(PolynomialId id) {
  if (!polynomials_.traits(id).is_integer) return std::nullopt;
  const Polynomial& node = polynomials_[id];
  Affine result;
  for (const auto& [monomial, coefficient] : node.terms) {
    if (!coefficient.get_num().fits_slong_p()) return std::nullopt;
    Affine term = Affine::number(1);
    const Monomial& factors = monomials_[monomial];
    for (const auto& [generator, exponent] : factors.factors) {
      if (exponent > 4) return std::nullopt;
      const Generator& inside = generators_[generator];
      const AtomId one = inside.kind == Generator::Kind::integer
                             ? inside.tag
                             : store_.intern_atom({Atom::Kind::value, generator, 0, {}});
      for (int i = 0; i < exponent; ++i) term = arena_.affines.product(term, Affine{{{one, 1}}, 0});
    }
    result = Affine::sum(result, term, coefficient.get_num().get_si());
  }
  return result;
}

PolynomialId Polynomials::add(PolynomialId left, PolynomialId right) {
  const Deeper deeper(budget_);
  const Polynomial& a = polynomials_[left];
  const Polynomial& b = polynomials_[right];
  if (a.terms.empty()) return right;
  if (b.terms.empty()) return left;
  // NaN+x = NaN.
  if (const auto veiled = as_veiled(left)) {
    return veil({veiled->where, add(veiled->value, arena_.masks.where(negation(veiled->where), right))});
  }
  if (as_veiled(right)) return add(right, left);
  budget_.look((a.terms.size() + b.terms.size()) / kTermsPerLook);
  Polynomial result;
  result.terms.reserve(a.terms.size() + b.terms.size());
  auto l = a.terms.begin();
  auto r = b.terms.begin();
  while (l != a.terms.end() || r != b.terms.end()) {
    if (r == b.terms.end() || (l != a.terms.end() && l->first < r->first)) {
      result.terms.push_back(*l++);
    } else if (l == a.terms.end() || r->first < l->first) {
      result.terms.push_back(*r++);
    } else {
      mpq_class coefficient = l->second + r->second;
      const Traits& traits = monomials_.traits(l->first);
      // x-x = 0 is two roundings as it is written, and not nothing.
      if (laws_ == Laws::as_written && !traits.is_integer && sgn(l->second) != sgn(r->second)) {
        throw GiveUp{"a sum that cancels"};
      }
      // a*x+b*x = (a+b)*x where x is finite or a and b have one sign. x-x is 0*x for infinite x too; 3*x-x is not 2*x
      // there, and 0*x+x is not x.
      if (traits.may_be_infinite && coefficient != 0 && sgn(l->second) != sgn(r->second)) {
        throw GiveUp{"inf - inf is possible"};
      }
      if (coefficient != 0 || traits.is_wild()) {
        result.terms.emplace_back(l->first, std::move(coefficient));
      } else {
        note({Need::Kind::finite, true, l->first});
      }
      ++l;
      ++r;
    }
  }
  const PolynomialId sum = arena_.reductions.join_reductions(join_selects(intern_polynomial(std::move(result))));
  if (!nonnegative_.contains(left) && !nonnegative_.contains(right)) return sum;
  // x+y >= 0 where x >= 0 and y >= 0.
  for (const Variables variables : {Variables::in_range, Variables::anything}) {
    const Sign first = sign(left, variables);
    const Sign second = sign(right, variables);
    if (!first.nonnegative || !second.nonnegative) break;
    arena_.signs.as_nonnegative(sum, first.nonzero || second.nonzero, variables);
  }
  return sum;
}

/// if(c;x;y)+if(c;y;x) = x+y, of numbers with one coefficient. Parts of a tensor that are added to one by one look like
/// that.
PolynomialId Polynomials::join_selects(PolynomialId id) {
  const auto select_of = [this](MonomialId monomial) -> const Generator* {
    const auto& factors = monomials_[monomial].factors;
    if (factors.size() != 1 || factors[0].second != 1) return nullptr;
    const Generator& node = generators_[factors[0].first];
    return node.kind == Generator::Kind::select ? &node : nullptr;
  };
  std::size_t selects = 0;
  for (const auto& [monomial, coefficient] : polynomials_[id].terms) selects += select_of(monomial) ? 1 : 0;
  if (selects < 2) return id;
  const auto terms = polynomials_[id].terms;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Generator* first = select_of(terms[i].first);
    for (std::size_t j = i + 1; first && j < terms.size(); ++j) {
      const Generator* second = select_of(terms[j].first);
      if (!second || second->conditions[0] != first->conditions[0]) continue;
      if (monomials_.traits(terms[i].first).is_wild() || monomials_.traits(terms[j].first).is_wild()) continue;
      const std::vector<PolynomialId> one = first->polynomials;
      const std::vector<PolynomialId> other = second->polynomials;
      if (one[0] != other[1] || one[1] != other[0] || terms[i].second != terms[j].second) continue;
      Polynomial rest = polynomials_[id];
      rest.terms.erase(rest.terms.begin() + static_cast<std::ptrdiff_t>(j));
      rest.terms.erase(rest.terms.begin() + static_cast<std::ptrdiff_t>(i));
      const PolynomialId either = scale(add(one[0], one[1]), terms[i].second);
      return add(intern_polynomial(std::move(rest)), either);
    }
  }
  return id;
}

/// 0*x = 0 where x is a number; 0*x stays where x may be infinite or NaN.
PolynomialId Polynomials::scale(PolynomialId polynomial, const mpq_class& factor) {
  if (factor == 1) return polynomial;
  if (const auto veiled = as_veiled(polynomial)) return veil({veiled->where, scale(veiled->value, factor)});
  Polynomial result = polynomials_[polynomial];
  for (auto& [monomial, coefficient] : result.terms) coefficient *= factor;
  if (factor == 0) {
    std::erase_if(result.terms, [this](const auto& term) { return !monomials_.traits(term.first).is_wild(); });
  }
  const PolynomialId multiple = intern_polynomial(std::move(result));
  return factor > 0 ? arena_.signs.as_nonnegative_as(multiple, polynomial) : multiple;
}

}  // namespace steptp::forms
