// Questions about integer boxes, answered by halving. An interval holds all values that the target takes on a box;
// if the interval lies wholly inside (or outside) the wanted one, the box is decided, otherwise the box is cut in
// two along its widest variable. A single point is always decided, so the search is complete; a budget of boxes
// bounds it. Linear conditions narrow a box before it is looked at, because a condition such as 1<=c+g cuts boxes
// askew and splitting alone would need as many boxes as there are points. Decision 0003.
#include "steptp/analysis/box_search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <queue>
#include <set>
#include <utility>

namespace steptp {

namespace {

/// One linear requirement: a sum of coefficient*variable plus a constant is at most zero.
struct LinearRequirement {
  std::vector<std::pair<std::string, std::int64_t>> terms;
  std::int64_t constant = 0;
};

/// The linear part of an index; nothing where it has any other term.
std::optional<LinearRequirement> linear(const Index& index) {
  LinearRequirement out;
  out.constant = index.constant_term();
  for (const IndexTerm& term : index.terms()) {
    const auto* variable = term.factors.size() == 1 ? std::get_if<LoopVariable>(&term.factors[0]) : nullptr;
    if (!variable) return std::nullopt;
    out.terms.emplace_back(variable->name, term.coefficient);
  }
  return out;
}

/// left - right + offset <= 0
void require(const Expr& left, const Expr& right, std::int64_t offset, std::vector<LinearRequirement>& out) {
  const auto a = to_index(left);
  const auto b = to_index(right);
  if (!a || !b) return;
  const auto difference = Index::subtract(*a, *b);
  const auto shifted = difference ? Index::add(*difference, Index::constant(offset)) : std::nullopt;
  if (!shifted) return;
  if (auto requirement = linear(*shifted)) out.push_back(std::move(*requirement));
}

/// What a condition that must hold (or fail) demands linearly; what is not linear is left to the search.
void collect_requirements(const Expr& condition, bool holds, std::vector<LinearRequirement>& out) {
  if (const auto* logic = std::get_if<Logic>(&condition.node)) {
    if ((logic->op == LogicOp::conjunction) != holds) return;
    for (const ExprPtr& operand : logic->operands) collect_requirements(*operand, holds, out);
    return;
  }
  const auto* compare = std::get_if<Compare>(&condition.node);
  if (!compare || (!holds && compare->operators.size() != 1)) return;
  for (std::size_t i = 0; i < compare->operators.size(); ++i) {
    const Expr& a = *compare->operands[i];
    const Expr& b = *compare->operands[i + 1];
    switch (compare->operators[i]) {
      case CompareOp::less: holds ? require(a, b, 1, out) : require(b, a, 0, out); break;
      case CompareOp::less_equal: holds ? require(a, b, 0, out) : require(b, a, 1, out); break;
      case CompareOp::greater: holds ? require(b, a, 1, out) : require(a, b, 0, out); break;
      case CompareOp::greater_equal: holds ? require(b, a, 0, out) : require(a, b, 1, out); break;
      case CompareOp::equal:
        if (holds) require(a, b, 0, out), require(b, a, 0, out);
        break;
      case CompareOp::not_equal:
        if (!holds) require(a, b, 0, out), require(b, a, 0, out);
        break;
    }
  }
}

bool fits(Wide value) {
  return value >= std::numeric_limits<std::int64_t>::min() && value <= std::numeric_limits<std::int64_t>::max();
}

Wide floor_divide(Wide a, Wide b) {
  const Wide quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// Narrows the box by a requirement. False: no point is left.
bool narrow(const LinearRequirement& requirement, Ranges& box) {
  Wide least = requirement.constant;
  for (const auto& [name, coefficient] : requirement.terms) {
    const Interval range = box.variables.find(name)->second;
    least += coefficient * (coefficient > 0 ? range.low : range.high);
  }
  if (least > 0) return false;
  for (const auto& [name, coefficient] : requirement.terms) {
    Interval& range = box.variables.find(name)->second;
    const Wide rest = least - coefficient * (coefficient > 0 ? range.low : range.high);
    // coefficient * x <= -rest
    if (coefficient > 0) {
      range.high = std::min(range.high, floor_divide(-rest, coefficient));
    } else {
      range.low = std::max(range.low, -floor_divide(-rest, -static_cast<Wide>(coefficient)));
    }
    if (range.low > range.high) return false;
  }
  return true;
}

/// The sum of two requirements, where something cancels; 1<=c+g and c+g-1<0 leave nothing but 1<=0.
std::optional<LinearRequirement> cancelled(const LinearRequirement& one, const LinearRequirement& other) {
  std::map<std::string, Wide> sum;
  for (const auto& [name, coefficient] : one.terms) sum[name] += coefficient;
  for (const auto& [name, coefficient] : other.terms) sum[name] += coefficient;
  const auto left = static_cast<std::size_t>(
      std::count_if(sum.begin(), sum.end(), [](const auto& term) { return term.second != 0; }));
  if (left >= std::max(one.terms.size(), other.terms.size())) return std::nullopt;
  LinearRequirement out;
  const Wide constant = static_cast<Wide>(one.constant) + other.constant;
  if (!fits(constant)) return std::nullopt;
  out.constant = static_cast<std::int64_t>(constant);
  for (const auto& [name, coefficient] : sum) {
    if (!fits(coefficient)) return std::nullopt;
    if (coefficient != 0) out.terms.emplace_back(name, static_cast<std::int64_t>(coefficient));
  }
  return out;
}

void note_variables(const Index& index, std::set<std::string>& out) {
  for_each_variable(index, [&out](const std::string& name) { out.insert(name); });
}

/// The box, the conditions and the target, prepared once for a search.
class Search {
 public:
  explicit Search(const SearchProblem& problem) : problem_(problem) {
    note_variables(*problem.target, relevant_);
    for (const PathCondition& item : problem.conditions) {
      for_each_variable(*item.condition, [this](const std::string& name) { relevant_.insert(name); });
      collect_requirements(*item.condition, item.holds, requirements_);
      certain_ = certain_ && is_index_condition(*item.condition);
    }
    certain_ = certain_ && !reads_tensor(*problem.target);
    affine_ = linear(*problem.target).has_value();
    bound_ = std::all_of(relevant_.begin(), relevant_.end(),
                         [&](const std::string& name) { return problem.ranges.variables.contains(name); });
  }

  /// Adds that the target is at least (or at most) a limit, and what follows where that cancels against a condition.
  /// False: no point of the box is left.
  [[nodiscard]] bool may_reach(Wide limit, bool upwards) const {
    auto reach = linear(*problem_.target);
    if (!reach || !fits(limit) || !bound_) return true;
    const Wide constant = upwards ? limit - reach->constant : reach->constant - limit;
    if (!fits(constant)) return true;
    reach->constant = static_cast<std::int64_t>(constant);
    if (upwards) {
      for (auto& [name, coefficient] : reach->terms) {
        if (coefficient == std::numeric_limits<std::int64_t>::min()) return true;
        coefficient = -coefficient;
      }
    }
    Ranges box = problem_.ranges;
    if (!narrow_all(box) || !narrow(*reach, box)) return false;
    return std::all_of(requirements_.begin(), requirements_.end(), [&](const LinearRequirement& requirement) {
      const auto sum = cancelled(requirement, *reach);
      return !sum || narrow(*sum, box);
    });
  }

  /// Every index that occurs is a loop of the box; otherwise there is nothing to search.
  [[nodiscard]] bool usable() const { return bound_; }
  /// Indices alone decide.
  [[nodiscard]] bool certain() const { return certain_; }

  /// An affine target takes its extreme values at corners of a box.
  [[nodiscard]] bool affine() const { return affine_; }

  bool narrow_all(Ranges& box) const {
    for (int round = 0; round < 3; ++round) {
      for (const LinearRequirement& requirement : requirements_) {
        if (!narrow(requirement, box)) return false;
      }
    }
    return true;
  }

  [[nodiscard]] Truth conditions_hold(const Ranges& box) const {
    Truth all = Truth::yes;
    for (const PathCondition& item : problem_.conditions) {
      Truth truth = truth_of(*item.condition, box);
      if (!item.holds) truth = !truth;
      if (truth == Truth::no) return Truth::no;
      if (truth == Truth::maybe) all = Truth::maybe;
    }
    return all;
  }

  /// The variable with most values among those that matter; none where only one point is left.
  [[nodiscard]] const std::string* widest(const Ranges& box) const {
    const std::string* best = nullptr;
    Wide width = 0;
    for (const std::string& name : relevant_) {
      const Interval range = box.variables.find(name)->second;
      if (range.high - range.low > width) {
        width = range.high - range.low;
        best = &name;
      }
    }
    return best;
  }

  [[nodiscard]] static Point some_point(const Ranges& box) {
    Point point;
    for (const auto& [name, range] : box.variables) point[name] = static_cast<std::int64_t>(range.low);
    return point;
  }

  [[nodiscard]] const SearchProblem& problem() const { return problem_; }

 private:
  const SearchProblem& problem_;
  std::set<std::string> relevant_;
  std::vector<LinearRequirement> requirements_;
  bool certain_ = true;
  bool affine_ = false;
  bool bound_ = true;
};

std::pair<Ranges, Ranges> split(const Ranges& box, const std::string& name) {
  std::pair<Ranges, Ranges> halves(box, box);
  const Interval range = box.variables.find(name)->second;
  const Wide middle = range.low + (range.high - range.low) / 2;
  halves.first.variables.find(name)->second.high = middle;
  halves.second.variables.find(name)->second.low = middle + 1;
  return halves;
}

}  // namespace

namespace {

/// `settled(values)`: no value of the interval is what is looked for; on a single point, that decides.
template <typename Settled>
SearchAnswer find(const SearchProblem& problem, std::uint64_t budget, Settled settled) {
  SearchAnswer answer;
  const Search search(problem);
  if (!search.usable()) {
    answer.kind = SearchAnswer::Kind::gave_up;
    return answer;
  }
  std::vector<Ranges> open = {problem.ranges};
  while (!open.empty()) {
    if (budget-- == 0) {
      answer.kind = SearchAnswer::Kind::gave_up;
      return answer;
    }
    Ranges box = std::move(open.back());
    open.pop_back();
    if (!search.narrow_all(box)) continue;
    const Interval value = range_of(*problem.target, box);
    if (settled(value)) continue;
    const Truth hold = search.conditions_hold(box);
    if (hold == Truth::no) continue;
    if (const std::string* name = search.widest(box)) {
      auto [low, high] = split(box, *name);
      open.push_back(std::move(low));
      open.push_back(std::move(high));
      continue;
    }
    answer.point = Search::some_point(box);
    answer.value = value.low < problem.interval.low ? value.low : value.high;
    // A target without one value there divides by zero, or reads a tensor.
    const bool certain = search.certain() && hold == Truth::yes && value.is_point();
    answer.kind = certain ? SearchAnswer::Kind::found : SearchAnswer::Kind::possible;
    return answer;
  }
  return answer;
}

}  // namespace

SearchAnswer find_outside(const SearchProblem& problem, std::uint64_t budget) {
  // Splitting alone takes a number of boxes that grows with the extents where a condition such as 1<=c+g cuts a box
  // askew; most often it is that very condition which keeps the target inside.
  const Search search(problem);
  if (!search.may_reach(problem.interval.high + 1, true) && !search.may_reach(problem.interval.low - 1, false))
    return {};
  return find(problem, budget, [&problem](const Interval& values) { return problem.interval.contains(values); });
}

SearchAnswer find_inside(const SearchProblem& problem, std::uint64_t budget) {
  return find(problem, budget, [&problem](const Interval& values) {
    return values.high < problem.interval.low || problem.interval.high < values.low;
  });
}

namespace {

/// The greatest value of the target, best box first.
std::optional<Wide> greatest(const SearchProblem& problem, const Search& search, bool negate, std::uint64_t budget) {
  struct Entry {
    Wide bound;
    Ranges box;
    bool operator<(const Entry& other) const { return bound < other.bound; }
  };
  const auto value_of = [&](const Ranges& box) {
    const Interval range = range_of(*problem.target, box);
    return negate ? Interval{-range.high, -range.low} : range;
  };
  std::priority_queue<Entry> open;
  open.push({kWideLimit, problem.ranges});
  while (!open.empty()) {
    if (budget-- == 0) return std::nullopt;
    Ranges box = open.top().box;
    open.pop();
    if (!search.narrow_all(box)) continue;
    const Truth hold = search.conditions_hold(box);
    if (hold == Truth::no) continue;
    const Interval value = value_of(box);
    // The conditions narrowed the box: another one may now reach further, and has to be looked at first.
    if (value.high < (open.empty() ? -kWideLimit : open.top().bound)) {
      open.push({value.high, std::move(box)});
      continue;
    }
    const std::string* name = search.widest(box);
    if ((value.is_point() || search.affine()) && hold == Truth::yes) return value.high;
    if (!name) return value.high;  // one point; where data decides, this is the safe side
    auto [low, high] = split(box, *name);
    const Wide low_bound = value_of(low).high;
    const Wide high_bound = value_of(high).high;
    open.push({low_bound, std::move(low)});
    open.push({high_bound, std::move(high)});
  }
  return std::nullopt;
}

}  // namespace

std::optional<Interval> exact_range(const SearchProblem& problem, std::uint64_t budget) {
  const Search search(problem);
  if (!search.usable()) return std::nullopt;
  const auto high = greatest(problem, search, false, budget);
  const auto low = high ? greatest(problem, search, true, budget) : std::nullopt;
  if (!low) return std::nullopt;
  return Interval{-*low, *high};
}

Ranges loop_box(const Statement& statement) {
  Ranges ranges;
  for (const Loop* loop : statement.loops) ranges.variables[loop->index] = {0, static_cast<Wide>(loop->extent) - 1};
  return ranges;
}

std::vector<PathCondition> path_conditions(const Statement& statement, const Access& access) {
  std::vector<PathCondition> conditions;
  for (const ExprPtr& guard : statement.guards) conditions.push_back({guard, true});
  conditions.insert(conditions.end(), access.conditions.begin(), access.conditions.end());
  return conditions;
}

}  // namespace steptp
