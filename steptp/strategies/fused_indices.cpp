#include "steptp/strategies/fused_indices.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "steptp/strategies/origins.h"

namespace steptp {

namespace {

bool occurs(const Index& index, const std::string& name) {
  bool found = false;
  for_each_variable(index, [&](const std::string& other) { found = found || other == name; });
  return found;
}

const std::string* variable(const IndexTerm& term) {
  if (term.factors.size() != 1) return nullptr;
  const auto* loop = std::get_if<LoopVariable>(&term.factors[0]);
  return loop ? &loop->name : nullptr;
}

std::int64_t coefficient(const Index& index, const std::string& name) {
  for (const IndexTerm& term : index.terms()) {
    const std::string* other = variable(term);
    if (other && *other == name) return term.coefficient;
  }
  return 0;
}

}  // namespace

LoopFuser::LoopFuser(FusedPair pair, const std::string& fused)
    : pair_(std::move(pair)), fused_(Index::variable(fused)) {
  const Index by = Index::constant(pair_.inner_extent);
  quotient_ = *Index::floor_divide(fused_, by);
  remainder_ = *Index::modulo(fused_, by);
}

std::optional<Index> LoopFuser::operator()(const Index& index) {
  if (!occurs(index, pair_.outer) && !occurs(index, pair_.inner)) return std::nullopt;
  return fuse(index);
}

std::optional<Index> LoopFuser::undo(const Index& index) {
  LoopFuser attempt = *this;
  attempt.used_division_ = false;
  auto fused = attempt(index);
  if (fused && !attempt.used_division_ && !attempt.failed_) return fused;
  used_division_ = used_division_ || fused;
  return std::nullopt;
}

Index LoopFuser::take(std::optional<Index> result) {
  failed_ = failed_ || !result;
  return result ? *std::move(result) : Index();
}

/// The g by which p alone is divided, where it divides m; 0 otherwise.
std::int64_t LoopFuser::part_of(const Index& dividend, const Index& divisor) const {
  const std::string* name = dividend.as_variable();
  const std::int64_t by = divisor.constant_term();
  if (!pair_.undoes_parts || !name || *name != pair_.inner || !divisor.terms().empty() || by < 1) return 0;
  return pair_.inner_extent % by == 0 ? by : 0;
}

std::int64_t LoopFuser::part_of(const IndexTerm& term) const {
  const auto* quotient = term.factors.size() == 1 ? std::get_if<FloorQuotient>(&term.factors[0]) : nullptr;
  return quotient ? part_of(*quotient->dividend, *quotient->divisor) : 0;
}

Index LoopFuser::fuse(const Index& index) {
  const std::int64_t of_outer = coefficient(index, pair_.outer);
  const std::int64_t of_inner = coefficient(index, pair_.inner);
  const auto scaled = Index::multiply(Index::constant(of_inner), Index::constant(pair_.inner_extent));
  const bool whole = scaled && scaled->constant_term() == of_outer;
  // The term c*(p//g) that makes c*(f//g) of a c*(m//g)*P beside it.
  const auto part = std::find_if(index.terms().begin(), index.terms().end(), [&](const IndexTerm& term) {
    const std::int64_t by = whole ? 0 : part_of(term);
    const std::int64_t steps = by > 0 ? pair_.inner_extent / by : 0;
    return by > 0 && of_outer % steps == 0 && of_outer / steps == term.coefficient;
  });
  Index sum = Index::constant(index.constant_term());
  for (const IndexTerm& term : index.terms()) {
    const std::string* name = variable(term);
    const bool is_outer = name && *name == pair_.outer;
    const bool is_inner = name && *name == pair_.inner;
    if (is_outer && (whole || part != index.terms().end())) continue;  // comes with the other term
    Index product = Index::constant(term.coefficient);
    if (part != index.terms().end() && &term == &*part) {
      product = take(Index::multiply(product, take(Index::floor_divide(fused_, Index::constant(part_of(term))))));
    } else if (is_outer || is_inner) {
      used_division_ = used_division_ || !whole;
      product = take(Index::multiply(product, whole ? fused_ : is_outer ? quotient_ : remainder_));
    } else {
      for (const IndexAtom& factor : term.factors) product = take(Index::multiply(product, fuse_atom(factor)));
    }
    sum = take(Index::add(sum, product));
  }
  return sum;
}

Index LoopFuser::fuse_atom(const IndexAtom& atom) {
  struct Visitor {
    LoopFuser& fuser;
    Index operator()(const LoopVariable& node) const {
      fuser.used_division_ = fuser.used_division_ || node.name == fuser.pair_.outer || node.name == fuser.pair_.inner;
      if (node.name == fuser.pair_.outer) return fuser.quotient_;
      return node.name == fuser.pair_.inner ? fuser.remainder_ : Index::variable(node.name);
    }
    Index operator()(const FloorQuotient& node) const {
      return fuser.take(Index::floor_divide(fuser.fuse(*node.dividend), fuser.fuse(*node.divisor)));
    }
    Index operator()(const FloorRemainder& node) const {
      if (fuser.part_of(*node.dividend, *node.divisor) > 0)
        return fuser.take(Index::modulo(fuser.fused_, *node.divisor));
      return fuser.take(Index::modulo(fuser.fuse(*node.dividend), fuser.fuse(*node.divisor)));
    }
    Index operator()(const IndirectRead& node) const {
      std::vector<Index> subscripts;
      for (const Index& subscript : node.ref->subscripts) subscripts.push_back(fuser.fuse(subscript));
      return Index::read(
          stands_for(make_ref(node.ref->tensor, node.ref->dtype, node.ref->scope, std::move(subscripts)), *node.ref));
    }
  };
  return std::visit(Visitor{*this}, atom);
}

}  // namespace steptp
