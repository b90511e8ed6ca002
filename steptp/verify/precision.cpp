#include "steptp/verify/precision.h"

#include <algorithm>
#include <map>
#include <vector>

#include "steptp/analysis/accesses.h"
#include "steptp/base/text.h"
#include "steptp/check/types.h"

namespace steptp {

namespace {

/// What the values on a way were stored in, at the narrowest place.
struct Width {
  int precision = 1 << 20;
  int exponent = 1 << 20;
  bool operator==(const Width&) const = default;
};

Width narrower(Width a, Width b) { return {std::min(a.precision, b.precision), std::min(a.exponent, b.exponent)}; }
Width wider(Width a, Width b) { return {std::max(a.precision, b.precision), std::max(a.exponent, b.exponent)}; }

Width width_of(DType dtype) {
  if (!is_float(dtype)) return {};  // a conversion to an integer is a value of its own, not a loss of digits
  return {info(dtype).precision, info(dtype).max_exponent};
}

/// What a store does to the digits of a value that passes through it. The type of an output is given, so that only
/// accumulating in it counts. `only_losses`: a copy, and a value kept in the type it was computed in, lose nothing.
Width width_of_store(const Statement& statement, bool is_output, bool only_losses) {
  const Equation& equation = *statement.equation;
  if (statement.accumulates) return width_of(equation.left->dtype);
  if (is_output) return {};
  const auto type = type_of(*equation.right);
  const Width stored = width_of(equation.left->dtype);
  if (only_losses && type) {
    const Width computed = width_of(type->dtype);
    if (computed.precision <= stored.precision && computed.exponent <= stored.exponent) return {};
  }
  return stored;
}

/// Of all ways from a variable to a tensor: the narrowest and the widest.
struct Ways {
  Width narrowest;
  Width widest{0, 0};
  bool operator==(const Ways&) const = default;
};
using WaysFrom = std::map<std::string, Ways>;

/// References whose values flow into the value: not those in subscripts or in conditions.
void collect_sources(const Expr& expr, std::vector<std::string>& out) {
  if (const auto* read = std::get_if<Read>(&expr.node)) out.push_back(read->ref->tensor);
  const bool is_select = std::holds_alternative<Select>(expr.node);
  const auto parts = children(expr);
  for (std::size_t i = is_select ? 1 : 0; i < parts.size(); ++i) collect_sources(**parts[i], out);
}

std::map<std::string, WaysFrom> all_ways(const Program& program, bool only_losses) {
  std::map<std::string, WaysFrom> ways;
  for (const Variable& variable : program.signature.variables) {
    if (variable.role == Role::output) continue;
    ways[variable.name][variable.name] = {Width{}, Width{}};
  }
  const AccessTable table = collect_accesses(program);
  // Ways only get narrower and wider in finitely many steps, so this ends; programs settle in a round or two.
  for (bool changed = true; changed;) {
    changed = false;
    for (const Statement& statement : table.statements) {
      const Ref& left = *statement.equation->left;
      std::vector<std::string> sources;
      collect_sources(*statement.equation->right, sources);
      const Variable* known = program.signature.find(left.tensor);
      const Width stored = width_of_store(statement, known != nullptr, only_losses);
      WaysFrom& target = ways[left.tensor];
      for (const std::string& source : sources) {
        if (source == left.tensor) continue;
        for (const auto& [variable, from] : WaysFrom(ways[source])) {
          const auto [place, is_new] = target.try_emplace(variable);
          const Ways old = place->second;
          place->second.narrowest = narrower(old.narrowest, narrower(from.narrowest, stored));
          place->second.widest = wider(old.widest, narrower(from.widest, stored));
          changed = changed || is_new || !(old == place->second);
        }
      }
    }
  }
  return ways;
}

}  // namespace

std::optional<std::string> lost_precision(const Program& before, const Program& after) {
  auto old_ways = all_ways(before, false);
  auto new_ways = all_ways(after, true);
  for (const Variable& output : before.signature.variables) {
    if (output.role != Role::output) continue;
    for (const auto& [variable, now] : new_ways[output.name]) {
      const auto known = old_ways[output.name].find(variable);
      if (known == old_ways[output.name].end()) continue;
      // Where `before` keeps nothing on the way, the output's own type is what may be expected.
      Ways then = known->second;
      if (then.narrowest == Width{}) then.narrowest = width_of(output.dtype);
      if (then.widest == Width{}) then.widest = width_of(output.dtype);
      const auto is_less = [](Width a, Width b) { return a.precision < b.precision || a.exponent < b.exponent; };
      if (is_less(now.narrowest, then.narrowest) || is_less(now.widest, then.widest)) {
        return concat("values of ", variable, " reach ", output.name, " through a float type of ",
                      std::to_string(std::min(now.narrowest.precision, now.widest.precision)),
                      " significand bits, where before it was ",
                      std::to_string(std::min(then.narrowest.precision, then.widest.precision)));
      }
    }
  }
  return std::nullopt;
}

}  // namespace steptp
