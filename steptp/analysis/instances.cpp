#include "steptp/analysis/instances.h"

#include <utility>

namespace steptp {

namespace {
constexpr std::size_t kMaxLoops = 24;
}

std::vector<Index> full_subscripts(const AccessTable& table, const Access& access) {
  std::vector<Index> all = hidden_subscripts(table, access);
  all.insert(all.end(), access.ref->subscripts.begin(), access.ref->subscripts.end());
  return all;
}

std::optional<Instance> add_instance(IntegerSet& set, const AccessTable& table, const ValueFacts& facts,
                                     const Access& access, bool where) {
  const Statement& statement = table.statements[access.statement];
  const AbstractAccess problem = abstract_access(table, facts, access, full_subscripts(table, access));
  if (statement.loops.size() + problem.abstracted.size() > kMaxLoops) return std::nullopt;
  Instance instance;
  VariableNumbers names;
  std::vector<Interval> ranges;
  const auto add = [&](const std::string& variable, const Interval& range) {
    names[variable] = instance.variables.emplace_back(set.add_variable());
    ranges.push_back(range);
  };
  for (const Loop* loop : statement.loops) add(loop->index, {0, static_cast<Wide>(loop->extent) - 1});
  for (std::size_t i = 0; i < problem.abstracted.size(); ++i) {
    add(abstract_name(i), problem.ranges.variables.find(abstract_name(i))->second);
  }
  for (const Index& subscript : problem.subscripts) {
    auto sum = set.linear(subscript, names);
    if (!sum) return std::nullopt;
    instance.subscripts.push_back(*std::move(sum));
  }
  if (!where) return instance;
  instance.certain = problem.abstracted.empty();
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    set.require(at_most(Linear::number(ranges[i].low), Linear::variable(instance.variables[i])));
    set.require(at_most(Linear::variable(instance.variables[i]), Linear::number(ranges[i].high)));
  }
  for (const PathCondition& item : problem.conditions) {
    auto formula = set.formula(*item.condition, item.holds, names);
    instance.certain = instance.certain && formula;
    if (formula) set.require(*std::move(formula));
  }
  return instance;
}

void require_same_element(IntegerSet& set, const Instance& first, const Instance& second) {
  for (std::size_t i = 0; i < first.subscripts.size() && i < second.subscripts.size(); ++i) {
    set.require(equals(first.subscripts[i], second.subscripts[i]));
  }
}

Formula runs_before(const AccessTable& table, const Access& first, const Instance& first_instance, const Access& second,
                    const Instance& second_instance) {
  const Relation relation = relate(table.statements[first.statement], table.statements[second.statement]);
  Formula cases;
  Clause equal_so_far;
  for (std::size_t i = 0; i < relation.shared_loops; ++i) {
    const Linear a = Linear::variable(first_instance.variables[i]);
    const Linear b = Linear::variable(second_instance.variables[i]);
    cases.push_back(equal_so_far);
    cases.back().push_back(less(a, b));
    equal_so_far.push_back(equals(a, b));
  }
  const bool same_statement = first.statement == second.statement;
  const bool before = same_statement ? !first.is_write && second.is_write : relation.before;
  if (before) cases.push_back(std::move(equal_so_far));
  return cases;
}

}  // namespace steptp
