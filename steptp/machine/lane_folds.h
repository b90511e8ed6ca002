#pragma once

// Many iterations of an accumulation at once: a box of iterations is cut into pieces, the terms of a piece are
// evaluated side by side (lane_values.h), and the arithmetic adds them up in one call. Included only by the files that
// make machines. docs/decisions/0013-windows-and-lanes.md.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "steptp/machine/evaluation.h"
#include "steptp/machine/lane_pieces.h"
#include "steptp/machine/lane_values.h"
#include "steptp/machine/lanes.h"

namespace steptp::certify {

template <typename Arithmetic>
class LaneFolds {
 public:
  using Value = typename Arithmetic::Value;

  explicit LaneFolds(Evaluation<Arithmetic>& evaluation)
      : evaluation_(evaluation),
        arithmetic_(evaluation.arithmetic),
        code_(evaluation.code),
        values_(evaluation, pools_) {}

  /// Folds all iterations of a box of more than one into a value. The accumulation has terms (StatementCode::terms).
  void fold_box(const StatementCode& statement, const std::vector<Range>& box, Value& sum) {
    LanePieces pieces(statement, box, pools_.integers);
    while (const Lanes* lanes = pieces.next()) {
      evaluation_.spend(statement.work * lanes->count / kLanesPerOperation + 1);
      fold(*lanes, sum);
    }
  }

 private:
  using BorrowedValues = typename LanePool<Value>::Borrowed;
  using BorrowedIntegers = typename LanePool<std::int64_t>::Borrowed;

  void fold(const Lanes& lanes, Value& sum);
  void fold_term(std::uint32_t number, bool is_subtracted, const Lanes& lanes, Value& sum);
  /// Products of two inputs, which are multiples of 2^-52, are added as integers. False where they are none.
  [[nodiscard]] bool fold_inputs(const Node& product, bool is_subtracted, const Lanes& lanes, Value& sum);

  Evaluation<Arithmetic>& evaluation_;
  Arithmetic& arithmetic_;
  const Code& code_;
  LanePools<Value> pools_;
  LaneValues<Arithmetic> values_;
};

template <typename A>
void LaneFolds<A>::fold(const Lanes& lanes, Value& sum) {
  const StatementCode& statement = *lanes.statement;
  for (const FoldTerm& term : statement.terms) {
    if (statement.accumulation == ArithmeticOp::add) {
      fold_term(term.node, term.is_subtracted, lanes, sum);
      continue;
    }
    const BorrowedValues values(pools_.values);
    values_.real(term.node, lanes, values.get());
    for (std::size_t lane = 0; lane < lanes.count; ++lane) {
      arithmetic_.arithmetic(statement.accumulation, sum, sum, values[lane]);
    }
  }
}

template <typename A>
void LaneFolds<A>::fold_term(std::uint32_t number, bool is_subtracted, const Lanes& lanes, Value& sum) {
  const Node& node = code_.nodes[number];
  const BorrowedValues values(pools_.values);
  if (node.op == Op::real_arithmetic && node.arithmetic == ArithmeticOp::multiply) {
    if (fold_inputs(node, is_subtracted, lanes, sum)) return;
    const BorrowedValues factors(pools_.values);
    values_.real(node.first, lanes, values.get());
    values_.real(node.second, lanes, factors.get());
    return arithmetic_.add_products(sum, values.get(), factors.get(), lanes.count, is_subtracted);
  }
  values_.real(number, lanes, values.get());
  arithmetic_.add_all(sum, values.get(), lanes.count, is_subtracted);
}

template <typename A>
bool LaneFolds<A>::fold_inputs(const Node& product, bool is_subtracted, const Lanes& lanes, Value& sum) {
  const Node& left = code_.nodes[product.first];
  const Node& right = code_.nodes[product.second];
  if (!values_.inputs().is_plain(left) || !values_.inputs().is_plain(right)) return false;
  const BorrowedIntegers left_own(pools_.integers);
  const BorrowedIntegers right_own(pools_.integers);
  const std::int64_t* left_row = values_.inputs().mantissas(code_.accesses[left.payload], lanes, left_own.get());
  // The cache may put the second row where the first one is.
  if (left_row != left_own.get()) left_row = std::copy_n(left_row, lanes.count, left_own.get()) - lanes.count;
  const std::int64_t* right_row = values_.inputs().mantissas(code_.accesses[right.payload], lanes, right_own.get());
  arithmetic_.add_input_products(sum, left_row, right_row, lanes.count, is_subtracted);
  return true;
}

}  // namespace steptp::certify
