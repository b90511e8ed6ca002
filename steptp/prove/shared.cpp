// What both programs of a pair agree on: what their signature says of known variables, as facts for the laws.
#include "steptp/prove/shared.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace steptp::forms {

namespace {

/// The integers that a variable can hold: those of its type, its domain and its given values.
Interval integers_of(const Variable& variable) {
  Interval out{info(variable.dtype).least, info(variable.dtype).greatest};
  if (variable.domain.kind == Domain::Kind::range) {
    constexpr double kFar = 0x1p62;  // beyond, the bounds of the type are the closer ones
    if (variable.domain.low > -kFar && variable.domain.low < kFar) {
      out.low = std::max(out.low, Wide{static_cast<std::int64_t>(std::ceil(variable.domain.low))});
    }
    if (variable.domain.high > -kFar && variable.domain.high < kFar) {
      out.high = std::min(out.high, Wide{static_cast<std::int64_t>(std::ceil(variable.domain.high)) - 1});
    }
  }
  if (!variable.values.empty()) {
    const auto [least, greatest] = std::minmax_element(variable.values.begin(), variable.values.end());
    out = {static_cast<std::int64_t>(*least), static_cast<std::int64_t>(*greatest)};
  }
  return out;
}

}  // namespace

Shared::Shared(Arena& where, const Signature& known_variables) : arena(where), signature(known_variables) {
  for (const Variable& variable : signature.variables) {
    numbers_.emplace(variable.name, static_cast<std::uint32_t>(arena.inputs.size()));
    InputFacts facts;
    facts.positive = variable.domain.kind == Domain::Kind::positive;
    facts.nonzero = variable.domain.kind == Domain::Kind::nonzero;
    facts.may_be_infinite = variable.domain.kind == Domain::Kind::masked;
    if (variable.domain.kind == Domain::Kind::range) {
      facts.positive = variable.domain.low > 0;
      facts.nonzero = variable.domain.low > 0 || variable.domain.high <= 0;
    }
    if (!variable.values.empty()) {
      const auto all = [&](auto holds) { return std::all_of(variable.values.begin(), variable.values.end(), holds); };
      facts.positive = all([](double value) { return value > 0; });
      facts.nonzero = all([](double value) { return value > 0 || value < 0; });
      facts.may_be_infinite = !all([](double value) { return std::isfinite(value); });
      facts.is_below_infinity = all([](double value) { return value < std::numeric_limits<double>::infinity(); });
      facts.may_be_nan = !all([](double value) { return !std::isnan(value); });
      if (auto rule = two_valued(variable)) tables_.emplace(arena.inputs.size(), std::move(*rule));
    }
    facts.is_integer = !is_float(variable.dtype);
    if (facts.is_integer) facts.integers = integers_of(variable);
    arena.inputs.push_back(facts);
  }
}

std::optional<std::uint32_t> Shared::known(const std::string& name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

const TwoValuedTable* Shared::table(std::uint32_t number) const {
  const auto found = tables_.find(number);
  return found == tables_.end() ? nullptr : &found->second;
}

const std::vector<VariableId>& Shared::element(const std::vector<std::int64_t>& shape) {
  const auto [place, is_new] = elements_.try_emplace(shape);
  if (is_new) {
    for (const std::int64_t extent : shape) place->second.push_back(arena.known.new_variable(0, extent - 1));
  }
  return place->second;
}

std::vector<Affine> Shared::subscripts(const std::vector<std::int64_t>& shape) {
  std::vector<Affine> out;
  for (const VariableId id : element(shape)) {
    const Interval range = arena.known.range(id);
    out.push_back(range.is_point() ? Affine::number(static_cast<std::int64_t>(range.low)) : arena.affines.variable(id));
  }
  return out;
}

}  // namespace steptp::forms
