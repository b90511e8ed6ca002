#include "steptp/analysis/dependences.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "steptp/analysis/coincidence.h"

namespace steptp {

namespace {

constexpr std::size_t kMaxQueries = 20'000;  // to isl, per program

DependenceKind kind_of(const Access& earlier, const Access& later) {
  if (!later.is_write) return DependenceKind::flow;
  return earlier.is_write ? DependenceKind::output : DependenceKind::anti;
}

}  // namespace

std::string_view direction(const Distance& distance) {
  constexpr std::string_view kNames[] = {"", "<", "=", "<=", ">", "<>", ">=", "*"};
  return kNames[(distance.positive ? 1 : 0) + (distance.zero ? 2 : 0) + (distance.negative ? 4 : 0)];
}

std::vector<Dependence> DependenceAnalysis::between(std::size_t earlier, std::size_t later) {
  const Access& first = table_.accesses[earlier];
  const Access& second = table_.accesses[later];
  std::vector<Dependence> found;
  if (first.ref->tensor != second.ref->tensor || (!first.is_write && !second.is_write)) return found;
  const Relation relation = relate(table_.statements[first.statement], table_.statements[second.statement]);
  const std::size_t shared = relation.shared_loops;
  const bool same_statement = first.statement == second.statement;
  const bool before = same_statement ? !first.is_write && second.is_write : relation.before;
  for (std::size_t level = 0; level <= shared; ++level) {
    if (level == shared && !before) continue;
    auto dependence = at_level(first, second, level, shared);
    if (!dependence) continue;
    dependence->earlier = earlier;
    dependence->later = later;
    found.push_back(*std::move(dependence));
  }
  return found;
}

std::vector<Dependence> DependenceAnalysis::all() {
  std::vector<Dependence> found;
  for (std::size_t i = 0; i < table_.accesses.size(); ++i) {
    const TensorFacts& tensor = table_.tensors.at(table_.accesses[i].ref->tensor);
    std::vector<std::size_t> others = tensor.writes;
    if (table_.accesses[i].is_write) others.insert(others.end(), tensor.reads.begin(), tensor.reads.end());
    std::sort(others.begin(), others.end());
    for (const std::size_t other : others) {
      for (Dependence& dependence : between(i, other)) found.push_back(std::move(dependence));
    }
  }
  return found;
}

std::optional<Dependence> DependenceAnalysis::at_level(const Access& earlier, const Access& later, std::size_t level,
                                                       std::size_t shared) {
  const Statement& first = table_.statements[earlier.statement];
  const Statement& second = table_.statements[later.statement];
  if (level < shared && first.loops[level]->extent == 1) return std::nullopt;
  const Coincidence coincidence = coincide(table_, earlier, later, pair_loops(first, second, level));
  if (coincidence.impossible || (level < shared && coincidence.pairs[level].equal)) return std::nullopt;

  Dependence dependence;
  dependence.kind = kind_of(earlier, later);
  dependence.level = level;
  for (std::size_t i = 0; i < shared; ++i) {
    const bool equal = coincidence.pairs[i].equal;
    dependence.distances.push_back(equal ? Distance{false, true, false, 0} : Distance::any());
  }
  if (level < shared) dependence.distances[level] = {false, false, true, std::nullopt};

  IntegerSet set;
  const auto a = add_instance(set, table_, facts_, earlier, true);
  const auto b = a ? add_instance(set, table_, facts_, later, true) : std::nullopt;
  dependence.certain = a && b && a->certain && b->certain;
  if (!a || !b) return dependence;
  set.dimensions = set.variables();
  require_same_element(set, *a, *b);
  for (std::size_t i = 0; i < shared; ++i) {
    const Linear x = Linear::variable(a->variables[i]);
    const Linear y = Linear::variable(b->variables[i]);
    if (coincidence.pairs[i].equal) set.require(equals(x, y));
    if (i == level) set.require(less(x, y));
  }
  if (++queries_ > kMaxQueries) {
    dependence.certain = false;
    return dependence;
  }
  const Presburger::Sample sample = isl_.least_point(set);
  if (sample.kind == Presburger::Sample::Kind::empty) return std::nullopt;
  dependence.certain = dependence.certain && sample.kind == Presburger::Sample::Kind::found;
  if (sample.kind == Presburger::Sample::Kind::found) measure(set, *a, *b, dependence);
  return dependence;
}

void DependenceAnalysis::measure(const IntegerSet& set, const Instance& earlier, const Instance& later,
                                 Dependence& dependence) {
  const auto ask = [this](const IntegerSet& narrower) {
    return ++queries_ > kMaxQueries ? Presburger::Sample{} : isl_.least_point(narrower);
  };
  for (std::size_t i = 0; i < dependence.distances.size(); ++i) {
    Distance& distance = dependence.distances[i];
    if (distance.constant) continue;
    const Linear x = Linear::variable(earlier.variables[i]);
    const Linear y = Linear::variable(later.variables[i]);
    std::optional<std::int64_t> example;
    const auto narrow = [&](bool& flag, const Constraint& constraint) {
      if (!flag) return;
      IntegerSet narrower = set;
      narrower.require(constraint);
      const Presburger::Sample sample = ask(narrower);
      flag = sample.kind != Presburger::Sample::Kind::empty;
      if (sample.kind != Presburger::Sample::Kind::found) return;
      example = sample.point[later.variables[i]] - sample.point[earlier.variables[i]];
    };
    narrow(distance.negative, less(y, x));
    narrow(distance.zero, equals(x, y));
    narrow(distance.positive, less(x, y));
    if (!example || distance.negative + distance.zero + distance.positive != 1) continue;
    IntegerSet others = set;
    const Linear moved = x + Linear::number(*example);
    others.require(Formula{{less(y, moved)}, {less(moved, y)}});
    if (ask(others).kind == Presburger::Sample::Kind::empty) distance.constant = example;
  }
}

std::vector<std::size_t> reduction_axes(const Statement& statement) {
  std::vector<std::size_t> axes;
  if (!statement.accumulates) return axes;
  std::set<std::string> used;
  for (const Index& subscript : statement.equation->left->subscripts) {
    for_each_variable(subscript, [&used](const std::string& name) { used.insert(name); });
  }
  for (std::size_t i = 0; i < statement.loops.size(); ++i) {
    if (!used.contains(statement.loops[i]->index)) axes.push_back(i);
  }
  return axes;
}

LoopRole role_of_loop(const AccessTable& table, DependenceAnalysis& analysis, std::size_t statement,
                      std::size_t position) {
  std::vector<std::size_t> own;
  for (std::size_t i = 0; i < table.accesses.size(); ++i) {
    if (table.accesses[i].statement == statement) own.push_back(i);
  }
  bool carried = false;
  bool accumulates = true;
  bool flows = false;
  bool certain = true;
  for (const std::size_t earlier : own) {
    for (const std::size_t later : own) {
      for (const Dependence& dependence : analysis.between(earlier, later)) {
        if (dependence.level != position) continue;
        carried = true;
        certain = certain && dependence.certain;
        const auto of_accumulator = [&](std::size_t number) {
          return table.accesses[number].is_write || table.accesses[number].is_accumulator;
        };
        accumulates =
            accumulates && table.statements[statement].accumulates && of_accumulator(earlier) && of_accumulator(later);
        flows = flows || dependence.kind == DependenceKind::flow;
      }
    }
  }
  if (!carried) return LoopRole::independent;
  if (accumulates) return LoopRole::reduction;
  if (!certain) return LoopRole::unknown;
  return flows ? LoopRole::recurrence : LoopRole::reuse;
}

}  // namespace steptp
