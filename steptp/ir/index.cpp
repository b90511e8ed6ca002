#include "steptp/ir/index.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "steptp/base/recycled.h"
#include "steptp/ir/ref.h"

namespace steptp {

namespace {

int compare_numbers(std::int64_t left, std::int64_t right) { return left < right ? -1 : left > right ? 1 : 0; }

int compare_factors(const std::vector<IndexAtom>& left, const std::vector<IndexAtom>& right) {
  if (left.size() != right.size()) return left.size() < right.size() ? -1 : 1;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (const int order = compare(left[i], right[i])) return order;
  }
  return 0;
}

int compare_terms(const IndexTerm& left, const IndexTerm& right) {
  if (const int order = compare_factors(left.factors, right.factors)) return order;
  return compare_numbers(left.coefficient, right.coefficient);
}

Hash hash_of(const IndexAtom& atom) {
  struct Visitor {
    Hash operator()(const LoopVariable& variable) const { return hash_text(variable.name); }
    Hash operator()(const FloorQuotient& quotient) const {
      return combine(combine(2, quotient.dividend->hash()), quotient.divisor->hash());
    }
    Hash operator()(const FloorRemainder& remainder) const {
      return combine(combine(3, remainder.dividend->hash()), remainder.divisor->hash());
    }
    Hash operator()(const IndirectRead& read) const { return combine(4, hash_of(*read.ref)); }
  };
  return std::visit(Visitor{}, atom);
}

Hash hash_factors(const std::vector<IndexAtom>& factors) {
  Hash hash = factors.size();
  for (const IndexAtom& factor : factors) hash = combine(hash, hash_of(factor));
  return hash;
}

/// Terms in canonical order, as pointers: the order of display plays no part in comparisons.
std::vector<const IndexTerm*> in_order(const std::vector<IndexTerm>& terms) {
  std::vector<const IndexTerm*> order;
  order.reserve(terms.size());
  for (const IndexTerm& term : terms) order.push_back(&term);
  std::sort(order.begin(), order.end(),
            [](const IndexTerm* left, const IndexTerm* right) { return compare_terms(*left, *right) < 0; });
  return order;
}

}  // namespace

std::int64_t floor_quotient(std::int64_t dividend, std::int64_t divisor) {
  const std::int64_t quotient = dividend / divisor;
  return dividend % divisor != 0 && (dividend < 0) != (divisor < 0) ? quotient - 1 : quotient;
}

std::int64_t floor_remainder(std::int64_t dividend, std::int64_t divisor) {
  const std::int64_t remainder = dividend % divisor;
  return remainder != 0 && (remainder < 0) != (divisor < 0) ? remainder + divisor : remainder;
}

Index Index::constant(std::int64_t value) {
  Index index;
  index.constant_ = value;
  return index;
}

const std::vector<IndexTerm>& Index::no_terms() {
  static const std::vector<IndexTerm> kNone;
  return kNone;
}

namespace {

struct AtomNesting {
  int operator()(const LoopVariable&) const { return 0; }
  int operator()(const FloorQuotient& node) const {
    return 2 + std::max(node.dividend->nesting(), node.divisor->nesting());
  }
  int operator()(const FloorRemainder& node) const {
    return 2 + std::max(node.dividend->nesting(), node.divisor->nesting());
  }
  int operator()(const IndirectRead& read) const {
    int deepest = 0;
    for (const Index& subscript : read.ref->subscripts) deepest = std::max(deepest, subscript.nesting());
    return 1 + deepest;
  }
};

}  // namespace

/// The grammar has no leading minus in a subscript, so the first positive term is shown first.
Index Index::from_terms(std::vector<IndexTerm> terms, std::int64_t constant) {
  Index index;
  index.constant_ = constant;
  if (terms.empty()) return index;
  const auto positive = std::find_if(terms.begin(), terms.end(), [](const IndexTerm& t) { return t.coefficient > 0; });
  if (positive != terms.end()) std::rotate(terms.begin(), positive, positive + 1);
  // A sum of the terms' hashes: the order of display must not matter.
  Hash hash = 0;
  for (const IndexTerm& term : terms) hash += combine(hash_factors(term.factors), static_cast<Hash>(term.coefficient));
  int deepest = 0;
  for (const IndexTerm& term : terms) {
    for (const IndexAtom& factor : term.factors) deepest = std::max(deepest, std::visit(AtomNesting{}, factor));
  }
  index.body_ = make_recycled<const Body>(Body{std::move(terms), hash, deepest});
  return index;
}

namespace {

std::vector<IndexTerm> single_term(IndexAtom atom) {
  std::vector<IndexTerm> terms(1);
  terms[0].factors.push_back(std::move(atom));
  return terms;
}

/// Letters and axes are nearly all the variables there are; the others have no place of their own.
constexpr std::size_t kShortNames = 26 + 6;
std::size_t short_name_place(std::string_view name) {
  if (name.size() == 1 && name[0] >= 'a' && name[0] <= 'z') return static_cast<std::size_t>(name[0] - 'a');
  if (name.size() == 2 && (name[0] == 'b' || name[0] == 't') && name[1] >= 'x' && name[1] <= 'z') {
    const int axis = (name[0] == 't' ? 3 : 0) + (name[1] - 'x');
    return 26 + static_cast<std::size_t>(axis);
  }
  return kShortNames;
}

}  // namespace

Index Index::variable(std::string name) {
  const std::size_t place = short_name_place(name);
  if (place == kShortNames) return from_terms(single_term(LoopVariable{std::move(name)}), 0);
  // Making a variable takes as long as reading an equation. One table per thread: threads would fight over counters
  // that they share.
  thread_local std::array<Index, kShortNames> short_names;
  Index& known = short_names[place];
  if (known.is_constant()) known = from_terms(single_term(LoopVariable{std::move(name)}), 0);
  return known;
}
Index Index::read(RefPtr ref) { return from_terms(single_term(IndirectRead{std::move(ref)}), 0); }

const std::string* Index::as_variable() const {
  if (constant_ != 0 || terms().size() != 1) return nullptr;
  const IndexTerm& only = terms()[0];
  if (only.coefficient != 1 || only.factors.size() != 1) return nullptr;
  const auto* variable = std::get_if<LoopVariable>(&only.factors[0]);
  return variable ? &variable->name : nullptr;
}

std::optional<Index> Index::combine_terms(std::vector<IndexTerm> terms, std::int64_t constant) {
  std::vector<IndexTerm> combined;
  combined.reserve(terms.size());
  std::unordered_multimap<Hash, std::size_t> seen;  // only for long sums: short ones are faster searched
  const bool many = terms.size() > 8;
  for (IndexTerm& term : terms) {
    IndexTerm* like = nullptr;
    Hash hash = 0;
    if (many) {
      hash = hash_factors(term.factors);
      const auto [begin, end] = seen.equal_range(hash);
      for (auto at = begin; at != end && !like; ++at) {
        if (compare_factors(combined[at->second].factors, term.factors) == 0) like = &combined[at->second];
      }
    } else {
      for (IndexTerm& known : combined) {
        if (compare_factors(known.factors, term.factors) == 0) like = &known;
      }
    }
    if (like) {
      if (__builtin_add_overflow(like->coefficient, term.coefficient, &like->coefficient)) return std::nullopt;
    } else {
      if (many) seen.emplace(hash, combined.size());
      combined.push_back(std::move(term));
    }
  }
  std::erase_if(combined, [](const IndexTerm& term) { return term.coefficient == 0; });
  // The least 64-bit integer has no positive counterpart, so its text could not be read back.
  const bool extreme = constant == INT64_MIN || std::any_of(combined.begin(), combined.end(), [](const IndexTerm& t) {
                         return t.coefficient == INT64_MIN;
                       });
  if (extreme || combined.size() > kMaxTerms) return std::nullopt;
  return from_terms(std::move(combined), constant);
}

std::optional<Index> Index::scaled_sum(const Index& left, const Index& right, std::int64_t scale) {
  std::int64_t constant = 0;
  std::int64_t scaled = 0;
  if (__builtin_mul_overflow(right.constant_, scale, &scaled)) return std::nullopt;
  if (__builtin_add_overflow(left.constant_, scaled, &constant)) return std::nullopt;
  if (constant == INT64_MIN) return std::nullopt;
  // Only a constant is added, or nothing else is: the terms are those of one operand, and shared.
  const bool only_left = right.is_constant() || scale == 0;
  if (only_left || (left.is_constant() && scale == 1)) {
    Index result = only_left ? left : right;
    result.constant_ = constant;
    return result;
  }
  std::vector<IndexTerm> terms;
  terms.reserve(left.terms().size() + right.terms().size());
  terms = left.terms();
  for (const IndexTerm& term : right.terms()) {
    terms.push_back(term);
    if (__builtin_mul_overflow(term.coefficient, scale, &terms.back().coefficient)) return std::nullopt;
  }
  return combine_terms(std::move(terms), constant);
}

std::optional<Index> Index::add(const Index& left, const Index& right) { return scaled_sum(left, right, 1); }
std::optional<Index> Index::subtract(const Index& left, const Index& right) { return scaled_sum(left, right, -1); }

std::optional<Index> Index::sum(const Index& first, const std::vector<Index>& others) {
  std::int64_t constant = first.constant_;
  std::vector<IndexTerm> terms = first.terms();
  for (const Index& other : others) {
    if (__builtin_add_overflow(constant, other.constant_, &constant)) return std::nullopt;
    terms.insert(terms.end(), other.terms().begin(), other.terms().end());
  }
  return combine_terms(std::move(terms), constant);
}

std::optional<Index> Index::multiply(const Index& left, const Index& right) {
  if (left.is_constant()) return scaled_sum(Index(), right, left.constant_);
  if (right.is_constant()) return scaled_sum(Index(), left, right.constant_);
  if ((left.terms().size() + 1) * (right.terms().size() + 1) > kMaxTerms) return std::nullopt;
  std::vector<IndexTerm> terms;
  std::int64_t constant = 0;
  if (__builtin_mul_overflow(left.constant_, right.constant_, &constant)) return std::nullopt;
  const auto add_scaled = [&terms](const std::vector<IndexTerm>& source, std::int64_t scale) {
    for (const IndexTerm& term : source) {
      terms.push_back(term);
      if (__builtin_mul_overflow(term.coefficient, scale, &terms.back().coefficient)) return false;
    }
    return true;
  };
  for (const IndexTerm& a : left.terms()) {
    for (const IndexTerm& b : right.terms()) {
      IndexTerm product;
      if (__builtin_mul_overflow(a.coefficient, b.coefficient, &product.coefficient)) return std::nullopt;
      product.factors = a.factors;
      product.factors.insert(product.factors.end(), b.factors.begin(), b.factors.end());
      std::sort(product.factors.begin(), product.factors.end(),
                [](const IndexAtom& x, const IndexAtom& y) { return compare(x, y) < 0; });
      if (product.factors.size() > 64) return std::nullopt;  // a degree nobody means
      terms.push_back(std::move(product));
    }
    if (right.constant_ != 0 && !add_scaled({a}, right.constant_)) return std::nullopt;
  }
  if (left.constant_ != 0 && !add_scaled(right.terms(), left.constant_)) return std::nullopt;
  return combine_terms(std::move(terms), constant);
}

namespace {
/// Everything walks an index recursively, so that a chain of a hundred thousand divisions must not come to be.
bool too_deep(const Index& dividend, const Index& divisor) {
  return std::max(dividend.nesting(), divisor.nesting()) >= 2 * Index::kMaxNesting;
}
}  // namespace

std::optional<Index> Index::floor_divide(const Index& dividend, const Index& divisor) {
  if (divisor.is_constant()) {
    if (divisor.constant_ == 0) return std::nullopt;
    if (divisor.constant_ == 1) return dividend;
    if (dividend.is_constant()) return constant(floor_quotient(dividend.constant_, divisor.constant_));
  }
  if (too_deep(dividend, divisor)) return std::nullopt;
  return from_terms(
      single_term(FloorQuotient{std::make_shared<const Index>(dividend), std::make_shared<const Index>(divisor)}), 0);
}

std::optional<Index> Index::modulo(const Index& dividend, const Index& divisor) {
  if (divisor.is_constant()) {
    if (divisor.constant_ == 0) return std::nullopt;
    if (divisor.constant_ == 1 || divisor.constant_ == -1) return Index();
    if (dividend.is_constant()) return constant(floor_remainder(dividend.constant_, divisor.constant_));
  }
  if (too_deep(dividend, divisor)) return std::nullopt;
  return from_terms(
      single_term(FloorRemainder{std::make_shared<const Index>(dividend), std::make_shared<const Index>(divisor)}), 0);
}

bool Index::operator==(const Index& other) const {
  if (constant_ != other.constant_) return false;
  if (body_ == other.body_) return true;
  if (!body_ || !other.body_ || body_->hash != other.body_->hash) return false;
  return compare(*this, other) == 0;
}

Index Index::sorted() const {
  std::vector<IndexTerm> order;
  for (const IndexTerm* term : in_order(terms())) {
    order.push_back(*term);
    for (IndexAtom& factor : order.back().factors) {
      if (auto* quotient = std::get_if<FloorQuotient>(&factor)) {
        quotient->dividend = std::make_shared<const Index>(quotient->dividend->sorted());
        quotient->divisor = std::make_shared<const Index>(quotient->divisor->sorted());
      } else if (auto* remainder = std::get_if<FloorRemainder>(&factor)) {
        remainder->dividend = std::make_shared<const Index>(remainder->dividend->sorted());
        remainder->divisor = std::make_shared<const Index>(remainder->divisor->sorted());
      } else if (auto* read = std::get_if<IndirectRead>(&factor)) {
        std::vector<Index> subscripts;
        for (const Index& subscript : read->ref->subscripts) subscripts.push_back(subscript.sorted());
        read->ref = make_ref(read->ref->tensor, read->ref->dtype, read->ref->scope, std::move(subscripts));
      }
    }
  }
  return from_terms(std::move(order), constant_);
}

int compare(const IndexAtom& left, const IndexAtom& right) {
  if (left.index() != right.index()) return left.index() < right.index() ? -1 : 1;
  struct Visitor {
    const IndexAtom& right;
    int operator()(const LoopVariable& a) const { return a.name.compare(std::get<LoopVariable>(right).name); }
    int operator()(const FloorQuotient& a) const {
      const auto& b = std::get<FloorQuotient>(right);
      const int order = compare(*a.dividend, *b.dividend);
      return order ? order : compare(*a.divisor, *b.divisor);
    }
    int operator()(const FloorRemainder& a) const {
      const auto& b = std::get<FloorRemainder>(right);
      const int order = compare(*a.dividend, *b.dividend);
      return order ? order : compare(*a.divisor, *b.divisor);
    }
    int operator()(const IndirectRead& a) const {
      const auto& b = std::get<IndirectRead>(right);
      return a.ref == b.ref ? 0 : compare(*a.ref, *b.ref);
    }
  };
  return std::visit(Visitor{right}, left);
}

int compare(const Index& left, const Index& right) {
  if (left.terms().size() != right.terms().size()) return left.terms().size() < right.terms().size() ? -1 : 1;
  if (left.terms().size() == 1) {
    if (const int order = compare_terms(left.terms()[0], right.terms()[0])) return order;
  } else if (!left.terms().empty()) {
    const auto a = in_order(left.terms());
    const auto b = in_order(right.terms());
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (const int order = compare_terms(*a[i], *b[i])) return order;
    }
  }
  return compare_numbers(left.constant_term(), right.constant_term());
}

}  // namespace steptp
