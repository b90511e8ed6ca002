#pragma once

#include <cstdint>
#include <vector>

namespace steptp::certify {

/// What every rounding of a run does to a value, to first order: each stored result is a node that knows its operands,
/// the derivatives by them, and how much rounding it adds itself. A walk back from a value gives the exact first-order
/// bound, in which errors that reach it on two ways and cancel do cancel: x-x has none, whatever the error of x.
class ErrorTape {
 public:
  using Number = long double;
  /// 0 is the node of everything exact.
  using NodeId = std::uint32_t;

  struct Operand {
    NodeId node = 0;
    Number slope = 0;
  };

  ErrorTape() { clear(); }
  void clear();
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  /// `charge` is how far the operation itself may be off. An input has none, but may be off by half a unit. `of_zero`
  /// is what is charged for an operation whose result is an exact zero here and is not one at all inputs.
  [[nodiscard]] NodeId add(Operand first, Operand second, Number charge, Number half_unit = 0, Number of_zero = 0);

  struct Bound {
    Number of_roundings = 0;
    Number of_inputs = 0;  ///< what half a unit in the last place of each input does
    Number of_zeros = 0;   ///< what operations may be off by that are exact here because an operand is zero
  };
  [[nodiscard]] Bound bound_of(NodeId node);

 private:
  struct Node {
    NodeId first = 0;
    NodeId second = 0;
    Number first_slope = 0;
    Number second_slope = 0;
    Number charge = 0;
    Number half_unit = 0;
    Number of_zero = 0;
  };
  std::vector<Node> nodes_;
  std::vector<Number> adjoints_;  ///< of the last walk
};

}  // namespace steptp::certify
