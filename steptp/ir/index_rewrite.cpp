// Walks over indices, and indices made anew from their parts: every product and sum is normal again, or does not fit.
#include <utility>
#include <variant>

#include "steptp/ir/index.h"
#include "steptp/ir/ref.h"

namespace steptp {

void for_each_variable(const Index& index, const std::function<void(const std::string&)>& visit) {
  struct Visitor {
    const std::function<void(const std::string&)>& visit;
    void operator()(const LoopVariable& variable) const { visit(variable.name); }
    void operator()(const FloorQuotient& quotient) const {
      for_each_variable(*quotient.dividend, visit);
      for_each_variable(*quotient.divisor, visit);
    }
    void operator()(const FloorRemainder& remainder) const {
      for_each_variable(*remainder.dividend, visit);
      for_each_variable(*remainder.divisor, visit);
    }
    void operator()(const IndirectRead& read) const {
      for (const Index& subscript : read.ref->subscripts) for_each_variable(subscript, visit);
    }
  };
  for (const IndexTerm& term : index.terms()) {
    for (const IndexAtom& factor : term.factors) std::visit(Visitor{visit}, factor);
  }
}

void for_each_read(const Index& index, const std::function<void(const RefPtr&)>& visit) {
  struct Visitor {
    const std::function<void(const RefPtr&)>& visit;
    void operator()(const LoopVariable&) const {}
    void operator()(const FloorQuotient& quotient) const {
      for_each_read(*quotient.dividend, visit);
      for_each_read(*quotient.divisor, visit);
    }
    void operator()(const FloorRemainder& remainder) const {
      for_each_read(*remainder.dividend, visit);
      for_each_read(*remainder.divisor, visit);
    }
    void operator()(const IndirectRead& read) const { visit(read.ref); }
  };
  for (const IndexTerm& term : index.terms()) {
    for (const IndexAtom& factor : term.factors) std::visit(Visitor{visit}, factor);
  }
}

std::optional<Index> rewrite(const Index& index, const IndexRewriter& rewriter) {
  struct Visitor {
    const IndexRewriter& rewriter;
    std::optional<Index> operator()(const LoopVariable& variable) const {
      if (rewriter.variable) {
        if (auto replacement = rewriter.variable(variable.name)) return replacement;
      }
      return Index::variable(variable.name);
    }
    std::optional<Index> operator()(const FloorQuotient& quotient) const {
      const auto dividend = rewrite(*quotient.dividend, rewriter);
      const auto divisor = rewrite(*quotient.divisor, rewriter);
      if (!dividend || !divisor) return std::nullopt;
      return Index::floor_divide(*dividend, *divisor);
    }
    std::optional<Index> operator()(const FloorRemainder& remainder) const {
      const auto dividend = rewrite(*remainder.dividend, rewriter);
      const auto divisor = rewrite(*remainder.divisor, rewriter);
      if (!dividend || !divisor) return std::nullopt;
      return Index::modulo(*dividend, *divisor);
    }
    std::optional<Index> operator()(const IndirectRead& read) const {
      RefPtr replacement = rewriter.read ? rewriter.read(read.ref) : rewrite(read.ref, rewriter);
      if (!replacement) return std::nullopt;
      return Index::read(std::move(replacement));
    }
  };
  Index result = Index::constant(index.constant_term());
  for (const IndexTerm& term : index.terms()) {
    std::optional<Index> product = Index::constant(term.coefficient);
    for (const IndexAtom& factor : term.factors) {
      const auto value = std::visit(Visitor{rewriter}, factor);
      if (!value) return std::nullopt;
      product = Index::multiply(*product, *value);
      if (!product) return std::nullopt;
    }
    auto sum = Index::add(result, *product);
    if (!sum) return std::nullopt;
    result = std::move(*sum);
  }
  return result;
}

RefPtr rewrite(const RefPtr& ref, const IndexRewriter& rewriter) {
  std::vector<Index> subscripts;
  bool changed = false;
  for (const Index& subscript : ref->subscripts) {
    auto rewritten = rewrite(subscript, rewriter);
    if (!rewritten) return nullptr;
    changed = changed || !(*rewritten == subscript);
    subscripts.push_back(std::move(*rewritten));
  }
  return changed ? make_ref(ref->tensor, ref->dtype, ref->scope, std::move(subscripts)) : ref;
}

}  // namespace steptp
