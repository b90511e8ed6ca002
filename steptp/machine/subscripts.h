#pragma once

#include <cstdint>

#include "steptp/arithmetic/failure.h"
#include "steptp/arithmetic/integer_rules.h"
#include "steptp/base/text.h"
#include "steptp/machine/code.h"
#include "steptp/machine/instance.h"

namespace steptp::certify {

/// Subscripts in one execution of a statement. Some read data, which is why they belong to an evaluation.
template <typename Evaluation>
class Subscripts {
 public:
  using EvaluationFrame = typename Evaluation::EvaluationFrame;

  Subscripts(Evaluation& evaluation, const EvaluationFrame& frame) : evaluation_(evaluation), frame_(frame) {}

  [[nodiscard]] std::int64_t value(const IndexCode& code) const {
    std::int64_t total = code.constant;
    if (code.is_linear) {
      for (const LinearPart& part : code.linear) total += part.coefficient * frame_.slots[part.slot];
      return total;
    }
    for (const IndexProduct& product : code.terms) {
      std::int64_t term = product.coefficient;
      for (const IndexAtom& factor : product.factors) term = wrapped_multiply(term, atom(factor));
      total = wrapped_add(total, term);
    }
    return total;
  }

  /// Where in a known variable an access reads, in row-major order.
  [[nodiscard]] std::int64_t position(const Access& access) const {
    if (access.is_flat) {
      std::int64_t total = access.flat_constant;
      for (const LinearPart& part : access.flat) total += part.coefficient * frame_.slots[part.slot];
      return total;
    }
    const TensorCode& tensor = evaluation_.code.tensors[access.tensor];
    std::int64_t total = 0;
    for (std::size_t d = 0; d < access.subscripts.size(); ++d) {
      const std::int64_t at = value(access.subscripts[d]);
      if (at < 0 || at >= tensor.shape[d]) {
        fail(FailureKind::out_of_range, concat(tensor.name, " is read at ", at, " along dimension ", d, " of size ",
                                               tensor.shape[d], " in ", frame_.statement->text));
      }
      total = total * tensor.shape[d] + at;
    }
    return total;
  }

  void cell(const Access& access, Cell& out) const {
    if (access.subscripts.size() + access.hidden.size() > kMaxRank) {
      fail(FailureKind::unsupported, "too many subscripts");
    }
    out.size = 0;
    for (const IndexCode& subscript : access.subscripts) out.at[out.size++] = value(subscript);
    for (const IndexCode& hidden : access.hidden) out.at[out.size++] = value(hidden);
  }

 private:
  [[nodiscard]] std::int64_t atom(const IndexAtom& atom) const {
    switch (atom.kind) {
      case IndexAtom::Kind::slot: return frame_.slots[atom.slot];
      case IndexAtom::Kind::read: return evaluation_.read_integer(*atom.read, frame_);
      case IndexAtom::Kind::quotient:
      case IndexAtom::Kind::remainder: break;
    }
    const std::int64_t dividend = value(*atom.dividend);
    const std::int64_t divisor = value(*atom.divisor);
    if (divisor == 0) fail(FailureKind::integer_division_by_zero, "a subscript is divided by zero");
    return atom.kind == IndexAtom::Kind::quotient ? safe_quotient(dividend, divisor)
                                                  : safe_remainder(dividend, divisor);
  }

  Evaluation& evaluation_;
  const EvaluationFrame& frame_;
};

}  // namespace steptp::certify
