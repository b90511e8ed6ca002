#include "steptp/arithmetic/error_tape.h"

#include <cmath>

#include "steptp/arithmetic/failure.h"

namespace steptp::certify {

namespace {

/// Some 200 MB. Programs that need more are looked at in a smaller part.
constexpr std::size_t kMostNodes = 2'500'000;

/// A derivative by something that has no error counts nothing, even where it is infinite.
ErrorTape::Number product(ErrorTape::Number slope, ErrorTape::Number error) { return error == 0 ? 0 : slope * error; }

}  // namespace

void ErrorTape::clear() {
  nodes_.clear();
  nodes_.emplace_back();
}

ErrorTape::NodeId ErrorTape::add(Operand first, Operand second, Number charge, Number half_unit, Number of_zero) {
  if (nodes_.size() >= kMostNodes) fail(FailureKind::memory, "the record of roundings is too long");
  nodes_.push_back({first.node, second.node, first.slope, second.slope, charge, half_unit, of_zero});
  return static_cast<NodeId>(nodes_.size() - 1);
}

ErrorTape::Bound ErrorTape::bound_of(NodeId node) {
  Bound bound;
  if (node == 0) return bound;
  adjoints_.assign(static_cast<std::size_t>(node) + 1, 0);
  adjoints_[node] = 1;
  for (NodeId at = node; at > 0; --at) {
    const Number adjoint = adjoints_[at];
    if (adjoint == 0) continue;
    const Node& here = nodes_[at];
    const Number size = std::fabs(adjoint);
    bound.of_roundings += product(size, here.charge);
    bound.of_inputs += product(size, here.half_unit);
    bound.of_zeros += product(size, here.of_zero);
    if (here.first != 0) adjoints_[here.first] += adjoint * here.first_slope;
    if (here.second != 0) adjoints_[here.second] += adjoint * here.second_slope;
  }
  // An infinite slope beside a zero one says nothing: then no bound is known.
  if (std::isnan(bound.of_roundings)) bound.of_roundings = HUGE_VALL;
  if (std::isnan(bound.of_inputs)) bound.of_inputs = HUGE_VALL;
  // Zeros are to make a bound greater by a little, not to take it away.
  if (!std::isfinite(bound.of_zeros)) bound.of_zeros = 0;
  return bound;
}

}  // namespace steptp::certify
