#include "replay/squares.h"

#include <cstdlib>

#include "replay/boxes.h"

namespace steptp::replayer {

namespace {

using Kind = Form::Kind;

/// A fraction of small numbers; products that do not fit say so.
struct Ratio {
  Wide above = 1;
  Wide below = 1;
};

bool multiply(Wide& total, Wide factor) { return !__builtin_mul_overflow(total, factor, &total); }

/// left <= right, both products of such numbers; false where that is not seen.
bool is_at_most(std::initializer_list<Wide> left, std::initializer_list<Wide> right) {
  Wide a = 1;
  Wide b = 1;
  for (const Wide factor : left) {
    if (!multiply(a, factor)) return false;
  }
  for (const Wide factor : right) {
    if (!multiply(b, factor)) return false;
  }
  return a <= b;
}

/// A term: its coefficient, and the other factors.
struct Term {
  Ratio coefficient;
  std::vector<const Form*> factors;
};

bool scale(Term& term, const Form& number) {
  constexpr std::size_t kShort = 12;
  if (number.numerator.size() > kShort || number.denominator.size() > kShort) return false;
  return multiply(term.coefficient.above, std::strtoll(number.numerator.c_str(), nullptr, 10)) &&
         multiply(term.coefficient.below, std::strtoll(number.denominator.c_str(), nullptr, 10));
}

bool add_factor(Term& term, const Form& factor) {
  if (factor.kind == Kind::number) return scale(term, factor);
  if (factor.kind == Kind::power && factor.number == 2) {
    term.factors.push_back(factor.parts[0].get());
    term.factors.push_back(factor.parts[0].get());
    return true;
  }
  if (factor.kind == Kind::product) {
    for (const FormPtr& part : factor.parts) {
      if (!add_factor(term, *part)) return false;
    }
    return true;
  }
  term.factors.push_back(&factor);
  return true;
}

std::optional<Term> term_of(const Form& part, bool is_negated) {
  Term out;
  if (is_negated) out.coefficient.above = -1;
  return add_factor(out, part) ? std::optional(std::move(out)) : std::nullopt;
}

bool is_plain_sum(const Form& form) {
  return form.kind == Kind::fold && form.op == ArithmeticOp::add && form.parts.size() == 1;
}

/// sum(y) over the same rounds, where `squares` is sum(y^2).
bool is_sum_of_roots(const Form& form, const Form& squares) {
  const Form& body = *squares.parts[0];
  if (!is_plain_sum(form) || form.bound.size() != squares.bound.size()) return false;
  for (std::size_t i = 0; i < form.bound.size(); ++i) {
    const Form::Bound& a = form.bound[i];
    const Form::Bound& b = squares.bound[i];
    if (a.variable != b.variable || a.low != b.low || a.high != b.high) return false;
  }
  return is_same_form(*form.parts[0], *body.parts[0]);
}

std::optional<Wide> rounds(const Form& fold) {
  Wide out = 1;
  for (const Form::Bound& bound : fold.bound) {
    if (bound.high < bound.low || !multiply(out, static_cast<Wide>(bound.high) - bound.low + 1)) return std::nullopt;
  }
  return out;
}

/// The other terms that go with a*sum(y^2), the term number `first`.
std::optional<SumOfSquares> complete(const std::vector<std::optional<Term>>& terms, std::size_t first) {
  const Form& squares = *terms[first]->factors[0];
  const Ratio& a = terms[first]->coefficient;
  const auto n = rounds(squares);
  if (!n) return std::nullopt;
  const auto taken = [&](std::initializer_list<std::size_t> numbers) {
    SumOfSquares out{std::vector<bool>(terms.size(), false)};
    for (const std::size_t number : numbers) out.taken[number] = true;
    return out;
  };
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (!terms[i] || terms[i]->factors.size() != 2 || i == first) continue;
    const Ratio& b = terms[i]->coefficient;
    const Form& left = *terms[i]->factors[0];
    const Form& right = *terms[i]->factors[1];
    const bool is_left = is_sum_of_roots(left, squares);
    const bool is_right = is_sum_of_roots(right, squares);
    if (is_left && is_right) {
      if (is_at_most({*n, -b.above, a.below}, {a.above, b.below})) return taken({first, i});
      continue;
    }
    if (!is_left && !is_right) continue;
    const Form& shift = is_left ? right : left;
    for (std::size_t j = 0; j < terms.size(); ++j) {
      if (!terms[j] || terms[j]->factors.size() != 2 || j == first || j == i) continue;
      const Ratio& d = terms[j]->coefficient;
      if (!is_same_form(*terms[j]->factors[0], shift) || !is_same_form(*terms[j]->factors[1], shift)) continue;
      if (d.above > 0 &&
          is_at_most({*n, b.above, b.above, a.below, d.below}, {4, a.above, d.above, b.below, b.below})) {
        return taken({first, i, j});
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<SumOfSquares> find_sum_of_squares(const Form& sum) {
  std::vector<std::optional<Term>> terms;
  for (std::size_t i = 0; i < sum.parts.size(); ++i) terms.push_back(term_of(*sum.parts[i], sum.negated[i]));
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (!terms[i] || terms[i]->factors.size() != 1 || terms[i]->coefficient.above <= 0) continue;
    const Form& fold = *terms[i]->factors[0];
    if (!is_plain_sum(fold) || fold.parts[0]->kind != Kind::power || fold.parts[0]->number != 2) continue;
    if (auto found = complete(terms, i)) return found;
  }
  return std::nullopt;
}

}  // namespace steptp::replayer
