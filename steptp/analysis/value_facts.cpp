// What integer tensors can hold, so that subscripts that read data can be bounded. A known variable holds what its
// domain says; an intermediate holds what its writers store. Reads in subscripts and conditions are then replaced by
// variables with these ranges, and the questions become ones about indices alone.
#include "steptp/analysis/value_facts.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "steptp/analysis/box_search.h"
#include "steptp/base/text.h"

namespace steptp {

namespace {

constexpr std::uint64_t kBudget = 2'000;

Interval dtype_range(DType dtype) { return {info(dtype).least, info(dtype).greatest}; }

std::optional<Interval> known_range(const Variable& variable) {
  if (!variable.values.empty()) {
    const auto [low, high] = std::minmax_element(variable.values.begin(), variable.values.end());
    if (!std::isfinite(*low) || !std::isfinite(*high) || std::abs(*low) > 9e15 || std::abs(*high) > 9e15) {
      return std::nullopt;
    }
    return Interval{static_cast<std::int64_t>(*low), static_cast<std::int64_t>(*high)};
  }
  const Domain& domain = variable.domain;
  if (domain.kind == Domain::Kind::positive) return Interval{1, info(variable.dtype).greatest};
  if (domain.kind != Domain::Kind::range) return std::nullopt;
  if (std::abs(domain.low) > 9e15 || std::abs(domain.high) > 9e15) return std::nullopt;
  return Interval{static_cast<std::int64_t>(std::ceil(domain.low)),
                  static_cast<std::int64_t>(std::ceil(domain.high)) - 1};
}

/// X=max(X,e) and X=min(X,e), in any order: e. Whatever interval holds all values of e, and all that is written to X
/// otherwise, holds those of X: the first write of an element finds the identity there, or one of them.
const ExprPtr& folded_in(const Statement& statement) {
  const ExprPtr& right = statement.equation->right;
  const auto* extremum = std::get_if<Extremum>(&right->node);
  if (!extremum) return right;
  const auto is_self = [&](const ExprPtr& expr) {
    const auto* read = std::get_if<Read>(&expr->node);
    return read && equal(*read->ref, *statement.equation->left);
  };
  if (is_self(extremum->left)) return extremum->right;
  return is_self(extremum->right) ? extremum->left : right;
}

/// The values that a tensor's writers store; its dtype's range where they are not narrower.
Interval written_range(const AccessTable& table, const TensorFacts& tensor, const ValueFacts& facts) {
  const Interval everything = dtype_range(tensor.dtype);
  std::optional<Interval> all;
  for (const std::size_t number : tensor.writes) {
    const Statement& statement = table.statements[table.accesses[number].statement];
    Ranges ranges = loop_box(statement);
    ranges.tensors = facts.ranges;
    const Interval value = value_range(*folded_in(statement), ranges);
    if (!everything.contains(value)) return everything;
    all = all ? hull(*all, value) : value;
  }
  return all.value_or(everything);
}

class ReadAbstraction {
 public:
  ReadAbstraction(AbstractAccess& problem, const ValueFacts& facts) : problem_(problem), facts_(facts) {}

  Index abstract(const Index& index) {
    if (!reads_tensor(index)) return index;
    Index result = Index::constant(index.constant_term());
    for (const IndexTerm& term : index.terms()) {
      Index product = Index::constant(term.coefficient);
      for (const IndexAtom& factor : term.factors) {
        const auto next = Index::multiply(product, abstract(factor));
        if (!next) return index;
        product = *next;
      }
      const auto sum = Index::add(result, product);
      if (!sum) return index;
      result = *sum;
    }
    return result;
  }

  ExprPtr abstract(const ExprPtr& expr) {
    if (const auto* read = std::get_if<Read>(&expr->node)) {
      return is_float(read->ref->dtype) ? expr : make_expr(IndexValue{variable_for(read->ref)});
    }
    std::vector<ExprPtr> replaced;
    for (const ExprPtr* place : children(*expr)) replaced.push_back(abstract(*place));
    return with_children(expr, replaced);
  }

 private:
  Index abstract(const IndexAtom& atom) {
    struct Visitor {
      ReadAbstraction& self;
      Index operator()(const LoopVariable& variable) const { return Index::variable(variable.name); }
      Index operator()(const FloorQuotient& node) const {
        const Index dividend = self.abstract(*node.dividend);
        const Index divisor = self.abstract(*node.divisor);
        return Index::floor_divide(dividend, divisor).value_or(Index());
      }
      Index operator()(const FloorRemainder& node) const {
        const Index dividend = self.abstract(*node.dividend);
        const Index divisor = self.abstract(*node.divisor);
        return Index::modulo(dividend, divisor).value_or(Index());
      }
      Index operator()(const IndirectRead& read) const { return Index::variable(self.variable_for(read.ref)); }
    };
    return std::visit(Visitor{*this}, atom);
  }

  std::string variable_for(const RefPtr& ref) {
    std::size_t number = 0;
    while (number < problem_.abstracted.size() && !equal(*problem_.abstracted[number], *ref)) ++number;
    std::string name = abstract_name(number);
    if (number == problem_.abstracted.size()) {
      problem_.abstracted.push_back(ref);
      const auto known = facts_.ranges.find(ref->tensor);
      problem_.ranges.variables[name] = known == facts_.ranges.end() ? dtype_range(ref->dtype) : known->second;
    }
    return name;
  }

  AbstractAccess& problem_;
  const ValueFacts& facts_;
};

/// The subscript as scale*C+offset with one read of one tensor: what an assumption on C can be drawn from.
struct DirectUse {
  RefPtr ref;
  std::int64_t scale = 1;
  std::int64_t offset = 0;
};
std::optional<DirectUse> direct_use(const Index& subscript) {
  if (subscript.terms().size() != 1 || subscript.terms()[0].factors.size() != 1) return std::nullopt;
  const IndexTerm& term = subscript.terms()[0];
  const auto* read = std::get_if<IndirectRead>(&term.factors[0]);
  if (!read || term.coefficient < 1) return std::nullopt;
  return DirectUse{read->ref, term.coefficient, subscript.constant_term()};
}

/// The values of the tensor that index within a dimension.
Interval fitting_range(const DirectUse& use, std::int64_t dimension) {
  const Interval allowed{0, static_cast<Wide>(dimension) - 1};
  const Interval values = floor_quotient(allowed - Interval{use.offset, use.offset}, Interval{use.scale, use.scale});
  // The least value whose index is not negative rounds up.
  return {values.low * use.scale < -static_cast<Wide>(use.offset) ? values.low + 1 : values.low, values.high};
}

/// A direct use of a known variable of which nothing is stated.
std::optional<DirectUse> assumable_use(const AccessTable& table, const ValueFacts& facts, const Index& subscript) {
  const auto use = direct_use(subscript);
  if (!use) return std::nullopt;
  const Variable* known = table.tensors.at(use->ref->tensor).known;
  if (!known || known->role == Role::output || facts.ranges.contains(use->ref->tensor)) return std::nullopt;
  return known->domain.kind == Domain::Kind::unstated ? use : std::nullopt;
}

/// Where an access is evaluated, its indices are assumed to lie within the shape.
void assume_own_indices(const AccessTable& table, const ValueFacts& facts, const Access& access,
                        AbstractAccess& problem) {
  const auto dimensions = facts.assumed_dimensions.find(access.ref->tensor);
  if (dimensions == facts.assumed_dimensions.end()) return;
  for (std::size_t i = 0; i < access.ref->subscripts.size() && i < dimensions->second.size(); ++i) {
    const auto use = assumable_use(table, facts, access.ref->subscripts[i]);
    if (!use) continue;
    const auto at = std::find_if(problem.abstracted.begin(), problem.abstracted.end(),
                                 [&](const RefPtr& ref) { return equal(*ref, *use->ref); });
    if (at == problem.abstracted.end()) continue;
    const auto number = static_cast<std::size_t>(at - problem.abstracted.begin());
    Interval& range = problem.ranges.variables[abstract_name(number)];
    const Interval fitting = fitting_range(*use, dimensions->second[i]);
    const Interval both{std::max(range.low, fitting.low), std::min(range.high, fitting.high)};
    if (both.low <= both.high) range = both;
  }
}

}  // namespace

ValueFacts derive_value_facts(const AccessTable& table) {
  ValueFacts facts;
  for (const auto& [name, tensor] : table.tensors) {
    if (!tensor.known || is_float(tensor.dtype) || tensor.known->role == Role::output) continue;
    if (const auto range = known_range(*tensor.known)) facts.ranges[name] = *range;
  }
  // In the order of first writes, so that a definition sees those before it; a tensor that is not done yet counts as
  // anything its dtype holds.
  std::vector<std::string> order;
  for (const Access& access : table.accesses) {
    const std::string& name = access.ref->tensor;
    if (!access.is_write || is_float(access.ref->dtype)) continue;
    if (std::find(order.begin(), order.end(), name) == order.end()) order.push_back(name);
    if (order.size() > 1000) break;
  }
  for (const std::string& name : order) {
    const TensorFacts& tensor = table.tensors.at(name);
    if (tensor.known && tensor.known->role != Role::output) continue;
    facts.ranges[name] = written_range(table, tensor, facts);
  }
  return facts;
}

std::string abstract_name(std::size_t number) { return concat('@', number); }

AbstractAccess abstract_access(const AccessTable& table, const ValueFacts& facts, const Access& access,
                               const std::vector<Index>& subscripts) {
  const Statement& statement = table.statements[access.statement];
  AbstractAccess result;
  result.ranges = loop_box(statement);
  result.ranges.tensors = facts.ranges;
  ReadAbstraction abstraction(result, facts);
  for (const Index& subscript : subscripts) result.subscripts.push_back(abstraction.abstract(subscript));
  for (const PathCondition& item : path_conditions(statement, access)) {
    result.conditions.push_back({abstraction.abstract(item.condition), item.holds});
  }
  assume_own_indices(table, facts, access, result);
  return result;
}

AbstractValue abstract_value(const Statement& statement, const ValueFacts& facts,
                             const std::vector<PathCondition>& conditions, const ExprPtr& value) {
  AbstractAccess work;
  work.ranges = loop_box(statement);
  work.ranges.tensors = facts.ranges;
  ReadAbstraction abstraction(work, facts);
  AbstractValue result;
  result.value = abstraction.abstract(value);
  for (const PathCondition& item : conditions)
    result.conditions.push_back({abstraction.abstract(item.condition), item.holds});
  result.ranges = std::move(work.ranges);
  result.abstracted = std::move(work.abstracted);
  return result;
}

std::vector<PathCondition> index_conditions(const AbstractAccess& access) {
  std::vector<PathCondition> plain;
  for (const PathCondition& item : access.conditions) {
    bool data = !is_index_condition(*item.condition);
    for_each_variable(*item.condition, [&data](const std::string& name) { data = data || name[0] == '@'; });
    if (!data) plain.push_back(item);
  }
  return plain;
}

std::vector<UseAsIndex> uses_as_index(const AccessTable& table, const std::map<std::string, InferredShape>& shapes,
                                      const ValueFacts& facts) {
  std::vector<UseAsIndex> out;
  for (const Access& access : table.accesses) {
    const auto& dimensions = shapes.at(access.ref->tensor).dimensions;
    for (std::size_t i = 0; i < access.ref->subscripts.size() && i < dimensions.size(); ++i) {
      const auto use = assumable_use(table, facts, access.ref->subscripts[i]);
      if (!use) continue;
      const Interval allowed{0, static_cast<Wide>(dimensions[i]) - 1};
      const AbstractAccess problem = abstract_access(table, facts, access, {access.ref->subscripts[i]});
      const SearchAnswer answer =
          find_outside({problem.ranges, problem.conditions, &problem.subscripts[0], allowed}, kBudget);
      if (answer.kind == SearchAnswer::Kind::none) continue;  // its own conditions protect it
      UseAsIndex found{use->ref->tensor, access.ref->tensor, fitting_range(*use, dimensions[i])};
      if (found.range.low > found.range.high || std::find(out.begin(), out.end(), found) != out.end()) continue;
      out.push_back(std::move(found));
    }
  }
  return out;
}

void assume_from_use(const AccessTable& table, const std::map<std::string, InferredShape>& shapes, ValueFacts& facts) {
  for (const UseAsIndex& use : uses_as_index(table, shapes, facts)) {
    facts.assumes.push_back(concat(use.variable, " lies in [", static_cast<std::int64_t>(use.range.low), ',',
                                   static_cast<std::int64_t>(use.range.high + 1), ") where it indexes ", use.indexed));
    facts.assumed_dimensions[use.indexed] = shapes.at(use.indexed).dimensions;
  }
}

}  // namespace steptp
