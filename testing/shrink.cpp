#include "testing/shrink.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "steptp/safety/check.h"
#include "testing/generator.h"
#include "testing/generator_context.h"
#include "testing/tree_editor.h"

namespace steptp::testing {

namespace {

using NumberMap = std::function<std::int64_t(std::int64_t)>;

/// Only numbers beyond what kernels, strides and paddings use.
constexpr std::int64_t kKept = 11;

Index mapped(const Index& index, const NumberMap& map) {
  Index result = Index::constant(index.constant_term() < 0 ? -map(-index.constant_term()) : map(index.constant_term()));
  for (const IndexTerm& term : index.terms()) {
    Index product = Index::constant(term.coefficient < 0 ? -map(-term.coefficient) : map(term.coefficient));
    for (const IndexAtom& atom : term.factors) {
      Index factor;
      if (const auto* variable = std::get_if<LoopVariable>(&atom)) factor = Index::variable(variable->name);
      if (const auto* read = std::get_if<IndirectRead>(&atom)) factor = Index::read(read->ref);
      if (const auto* quotient = std::get_if<FloorQuotient>(&atom)) {
        factor =
            Index::floor_divide(mapped(*quotient->dividend, map), mapped(*quotient->divisor, map)).value_or(Index());
      }
      if (const auto* remainder = std::get_if<FloorRemainder>(&atom)) {
        factor = Index::modulo(mapped(*remainder->dividend, map), mapped(*remainder->divisor, map)).value_or(Index());
      }
      product = Index::multiply(product, factor).value_or(Index());
    }
    result = plus(result, product);
  }
  return result;
}

Program mapped(const Program& program, const NumberMap& map) {
  TreeHooks hooks;
  hooks.ref = [&](const RefPtr& ref, bool) {
    std::vector<Index> subscripts;
    for (const Index& index : ref->subscripts) subscripts.push_back(mapped(index, map));
    return make_ref(ref->tensor, ref->dtype, ref->scope, std::move(subscripts));
  };
  hooks.expr = [&](const ExprPtr& expr) {
    const auto* literal = std::get_if<Literal>(&expr->node);
    return literal && literal->is_integer ? integer_literal(map(literal->integer)) : expr;
  };
  hooks.nest = [&](Nest& nest) {
    for (Loop& loop : nest.loops) loop.extent = map(loop.extent);
  };
  Program result = edit(program, hooks);
  for (Variable& variable : result.signature.variables) {
    for (std::int64_t& size : variable.shape) size = map(size);
    if (variable.domain.kind == Domain::Kind::range) {
      variable.domain.high = static_cast<double>(map(static_cast<std::int64_t>(variable.domain.high)));
    }
    if (!variable.values.empty()) variable.values.clear();
  }
  return result;
}

std::set<std::int64_t> extents_of(const Program& program) {
  std::set<std::int64_t> found;
  for (const Variable& variable : program.signature.variables)
    found.insert(variable.shape.begin(), variable.shape.end());
  for_each_equation(program, [&](const Equation&, const std::vector<const Nest*>& around) {
    for (const Nest* nest : around) {
      for (const Loop& loop : nest->loops) found.insert(loop.extent);
    }
  });
  return found;
}

/// Extents that are near each other (a padded one and its own) stay so far apart; groups of them move down together.
NumberMap by_groups(const std::set<std::int64_t>& extents, std::int64_t base) {
  std::map<std::int64_t, std::int64_t> to;
  std::int64_t first = 0;
  std::int64_t last = -100;
  std::int64_t target = base;
  for (const std::int64_t extent : extents) {
    if (extent <= kKept) continue;
    if (extent - last > 8) {
      first = extent;
      target = base + (last > 0 ? 1 : 0) * static_cast<std::int64_t>(to.size() % 3);
    }
    last = extent;
    to[extent] = target + (extent - first);
  }
  return [to](std::int64_t number) {
    if (number <= kKept) return number;
    // A number beside an extent (a last index, a bound of a padded range) follows it.
    for (const std::int64_t off : {0, 1, -1, 2, -2, 3, -3, 4, -4}) {
      if (const auto at = to.find(number + off); at != to.end()) return at->second - off;
    }
    return number;
  };
}

NumberMap by_quotient(std::int64_t divisor) {
  return [divisor](std::int64_t number) {
    return number <= kKept ? number : std::max<std::int64_t>(1, (number + divisor - 1) / divisor);
  };
}

}  // namespace

std::optional<Program> shrink(const Program& program) {
  constexpr std::int64_t kSmall = 400'000;
  const std::set<std::int64_t> extents = extents_of(program);
  std::vector<NumberMap> maps;
  for (const std::int64_t base : {4, 6, 8, 12}) maps.push_back(by_groups(extents, base));
  for (const std::int64_t divisor : {4096, 1024, 256, 64, 32, 16, 8, 4}) maps.push_back(by_quotient(divisor));
  for (const NumberMap& map : maps) {
    Program small = mapped(program, map);
    const auto operations = operation_count(small);
    if (operations <= kSmall && check_program(small).verdict == CheckReport::Verdict::ok) return small;
  }
  return std::nullopt;
}

}  // namespace steptp::testing
