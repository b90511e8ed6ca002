#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "replay/search.h"
#include "steptp/ir/expr.h"

namespace steptp::replayer {

/// A condition on indices alone, made ready to be asked in millions of rounds.
class IndexCondition {
 public:
  /// `slot_of`: the place of an index in a round. Nothing where data takes part, or what is no whole number.
  static std::optional<IndexCondition> of(const Expr& condition,
                                          const std::function<std::size_t(const std::string&)>& slot_of);
  [[nodiscard]] bool holds(const Iteration& round) const { return value(nodes_.size() - 1, round) != 0; }

 private:
  enum class Kind : std::uint8_t {
    number,
    slot,
    add,
    subtract,
    multiply,
    quotient,
    remainder,
    least,
    greatest,
    magnitude,
    less,
    less_equal,
    equal,
    conjunction,
    disjunction,
    negation,
  };
  struct Node {
    Kind kind = Kind::number;
    std::int64_t number = 0;  ///< or the slot
    std::size_t left = 0;
    std::size_t right = 0;
  };
  using SlotOf = std::function<std::size_t(const std::string&)>;

  [[nodiscard]] Wide value(std::size_t at, const Iteration& round) const;
  std::size_t push(Kind kind, std::size_t left = 0, std::size_t right = 0, std::int64_t number = 0);
  /// Throws Undecided where it cannot be made.
  std::size_t add(const Expr& expr, const SlotOf& slot_of);
  std::size_t add_chain(const std::vector<ExprPtr>& operands, const std::vector<ArithmeticOp>& operators,
                        const SlotOf& slot_of);
  std::size_t add_comparison(const Compare& compare, const SlotOf& slot_of);

  std::vector<Node> nodes_;
};

}  // namespace steptp::replayer
