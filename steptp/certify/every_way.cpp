// Both programs are evaluated at random unknowns, with every comparison of reals left open. Equal numbers mean equal
// expressions, up to a chance that is bounded by degrees and by the number of unknowns; and `after` may have no hazard
// that `before` has not. docs/decisions/0012-every-way-at-once.md.
#include "steptp/certify/every_way.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "steptp/base/hash.h"
#include "steptp/base/text.h"

namespace steptp::certify {

namespace {

constexpr std::uint64_t kStream = 0x6f7061717565;

void merge(std::vector<std::uint8_t>& into, const std::vector<std::uint8_t>& from) {
  into.resize(std::max(into.size(), from.size()));
  for (std::size_t i = 0; i < from.size(); ++i) into[i] |= from[i];
}

WrittenNumbers numbers_of(const Code& code) {
  WrittenNumbers numbers{code.literals, {}};
  for (const Node& node : code.nodes) {
    if (node.op == Op::integer_literal) numbers.integers.push_back(node.integer);
  }
  return numbers;
}

EveryWay::Shown not_shown(std::string reason) {
  EveryWay::Shown shown;
  shown.reason = std::move(reason);
  return shown;
}

}  // namespace

EveryWay::EveryWay(const Pair& pair, const Code& before, const Code& after, const InputModel& model, const Draw& draw,
                   Budget& budget, const Window& window)
    : needs_same_hazards_(window.needs_same_hazards),
      before_code_(before),
      after_code_(after),
      source_(model, draw),
      space_(combine(combine(pair.hash, kStream), draw.seed), numbers_of(before), numbers_of(after)),
      before_arithmetic_(space_),
      after_arithmetic_(space_),
      before_(before, before_arithmetic_, source_, budget),
      after_(after, after_arithmetic_, source_, budget) {
  space_.poles_are_hazards = window.has_hazards;
}

EveryWay::Shown EveryWay::at(const OutputPoint& point) {
  const std::uint32_t tensor = before_code_.tensor_numbers.find(point.output)->second;
  const std::uint32_t same = after_code_.tensor_numbers.find(point.output)->second;
  if (before_code_.tensors[tensor].dtype == DType::boolean) {
    const auto before = before_.output_decision(tensor, point.element);
    if (!before) return not_shown(before.error().message);
    const auto after = after_.output_decision(same, point.element);
    if (!after) return not_shown(after.error().message);
    if (before->number != after->number) return not_shown("the conditions are not known to be the same");
    if (has_new_hazards(before->hazards, after->hazards)) return not_shown("a condition may have no value");
    return {true, bound_of(static_cast<double>(before->degree) + static_cast<double>(after->degree)), {}};
  }
  const auto before = before_.output(tensor, point.element);
  if (!before) return not_shown(before.error().message);
  // NaN because of where it stands, at whatever inputs: nothing is asked there.
  if (before->is_real && before->real.value_class == ValueClass::nan) return {true, bound_of(1), {}};
  const auto after = after_.output(same, point.element);
  if (!after) return not_shown(after.error().message);
  // An infinity is a value as any other.
  if (before->is_real && after->is_real && before->real.value_class != ValueClass::finite) {
    const bool is_same = before->real.value_class == after->real.value_class;
    if (!is_same || has_new_hazards(before->real.hazards, after->real.hazards)) return not_shown("an infinity differs");
    return {true, bound_of(1), {}};
  }
  if (before->is_real != after->is_real) return not_shown("one program only chooses between integers");
  if (before->is_real) return reals(before->real, after->real);
  if (before->integer != after->integer) return not_shown("integers differ");
  return {true, bound_of(1), {}};
}

EveryWay::Shown EveryWay::reals(const OpaqueArithmetic::Value& before, const OpaqueArithmetic::Value& after) const {
  if (after.value_class != ValueClass::finite) return not_shown("after is not finite");
  if (before.number != after.number) return not_shown("the programs are not the same in every way");
  if (has_new_hazards(before.hazards, after.hazards)) {
    return not_shown("a function of after may leave its domain where none of before does");
  }
  return {true, bound_of(before.degrees.total() + after.degrees.total() + 1), {}};
}

bool EveryWay::has_new_hazards(std::uint32_t before, std::uint32_t after) const {
  if (!space_.includes_hazards(before, after)) return true;
  return needs_same_hazards_ && !space_.includes_hazards(after, before);
}

/// Schwartz and Zippel modulo p, of 60 bits; two different arguments of functions may coincide there, and two of exp
/// modulo q, of 54.
double EveryWay::bound_of(double degree) const {
  const auto unknowns = before_arithmetic_.unknowns() + after_arithmetic_.unknowns();
  const auto exponentials = before_arithmetic_.exponentials() + after_arithmetic_.exponentials();
  const double modulo_p = (degree + unknowns.pairs()) * 0x1p-60;
  const double modulo_q = exponentials.pairs() * 0x1p-54;
  return std::min(0.0, std::log2(modulo_p + modulo_q));
}

void EveryWay::collect_outcomes(std::vector<std::uint8_t>& before, std::vector<std::uint8_t>& after) const {
  merge(before, before_.outcomes());
  merge(after, after_.outcomes());
}

}  // namespace steptp::certify
