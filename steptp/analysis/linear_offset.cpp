// Where an element lies in its array, as one index. Loops that were fused leave subscripts x//5 and x%5 behind; in the
// offset of the element these are the digits of one number again, so that vectors, and what an access costs, can be
// seen from the offset.
#include "steptp/analysis/linear_offset.h"

#include "steptp/analysis/interval.h"

namespace steptp {

namespace {

/// A quotient or a remainder of an index by a positive constant.
struct Digits {
  Index number;
  std::int64_t by = 1;
};

/// The quotient (or the remainder) that a term is a multiple of.
template <class Node>
std::optional<Digits> digits_in(const IndexTerm& term) {
  const auto* node = term.factors.size() == 1 ? std::get_if<Node>(&term.factors[0]) : nullptr;
  if (!node || !node->divisor->is_constant() || node->divisor->constant_term() < 1) return std::nullopt;
  return Digits{*node->dividend, node->divisor->constant_term()};
}

/// The quotient that an index is.
std::optional<Digits> quotient_of(const Index& index) {
  const bool single = index.constant_term() == 0 && index.terms().size() == 1 && index.terms()[0].coefficient == 1;
  return single ? digits_in<FloorQuotient>(index.terms()[0]) : std::nullopt;
}

/// low is a multiple of x%n, high the same multiple of n*(x//n), or of n*((x//n)%m): together x, or x%(n*m), times the
/// coefficient of low.
std::optional<Index> joined(const IndexTerm& low, const IndexTerm& high) {
  const auto rest = digits_in<FloorRemainder>(low);
  if (!rest || static_cast<Wide>(low.coefficient) * rest->by != high.coefficient) return std::nullopt;
  const Index scale = Index::constant(low.coefficient);
  const auto whole = digits_in<FloorQuotient>(high);
  if (whole && whole->by == rest->by && whole->number == rest->number) return Index::multiply(scale, rest->number);
  const auto middle = digits_in<FloorRemainder>(high);
  const auto inner = middle ? quotient_of(middle->number) : std::nullopt;
  if (!inner || inner->by != rest->by || !(inner->number == rest->number)) return std::nullopt;
  const Wide all = static_cast<Wide>(rest->by) * middle->by;
  if (all > INT64_MAX) return std::nullopt;
  const auto remainder = Index::modulo(rest->number, Index::constant(static_cast<std::int64_t>(all)));
  return remainder ? Index::multiply(scale, *remainder) : std::nullopt;
}

/// One term of an index as an index.
std::optional<Index> index_of(const IndexTerm& term) {
  struct Visitor {
    std::optional<Index> operator()(const LoopVariable& node) const { return Index::variable(node.name); }
    std::optional<Index> operator()(const FloorQuotient& node) const {
      return Index::floor_divide(*node.dividend, *node.divisor);
    }
    std::optional<Index> operator()(const FloorRemainder& node) const {
      return Index::modulo(*node.dividend, *node.divisor);
    }
    std::optional<Index> operator()(const IndirectRead& node) const { return Index::read(node.ref); }
  };
  std::optional<Index> product = Index::constant(term.coefficient);
  for (const IndexAtom& factor : term.factors) {
    const auto value = std::visit(Visitor{}, factor);
    product = product && value ? Index::multiply(*product, *value) : std::nullopt;
  }
  return product;
}

/// The index with one pair of digits put together; nothing where there is none.
std::optional<Index> with_one_pair_joined(const Index& index) {
  for (const IndexTerm& low : index.terms()) {
    for (const IndexTerm& high : index.terms()) {
      const auto number = joined(low, high);
      if (!number) continue;
      const auto first = index_of(low);
      const auto second = index_of(high);
      auto rest = first && second ? Index::subtract(index, *first) : std::nullopt;
      if (rest) rest = Index::subtract(*rest, *second);
      return rest ? Index::add(*rest, *number) : std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<std::int64_t>> row_major_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    if (__builtin_mul_overflow(stride, shape[i], &stride)) return std::nullopt;
  }
  return strides;
}

std::optional<Index> linear_offset(const std::vector<Index>& subscripts, const std::vector<std::int64_t>& strides,
                                   const std::vector<BoxVariable>& box) {
  Index sum;
  for (std::size_t i = 0; i < subscripts.size(); ++i) {
    const auto product = Index::multiply(simplified(subscripts[i], box), Index::constant(strides[i]));
    const auto next = product ? Index::add(sum, *product) : std::nullopt;
    if (!next) return std::nullopt;
    sum = *next;
  }
  while (auto next = with_one_pair_joined(sum)) sum = *std::move(next);
  return simplified(sum, box);
}

}  // namespace steptp
