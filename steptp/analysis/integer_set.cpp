// The half of presburger.h that does not know isl: constraints from subscripts and conditions.
#include <algorithm>
#include <utility>

#include "steptp/analysis/presburger.h"

namespace steptp {

namespace {

constexpr std::size_t kMaxClauses = 1024;

/// Of what linear() gives: a product of two such numbers fits in Wide, with room for sums.
constexpr Wide kMaxCoefficient = static_cast<Wide>(1) << 63;

bool is_small(const Linear& sum) {
  const auto fits = [](Wide value) { return -kMaxCoefficient <= value && value <= kMaxCoefficient; };
  return fits(sum.constant) &&
         std::all_of(sum.terms.begin(), sum.terms.end(), [&fits](const auto& term) { return fits(term.second); });
}

Linear scaled(Linear sum, Wide factor) {
  for (auto& [variable, coefficient] : sum.terms) coefficient *= factor;
  sum.constant *= factor;
  return sum;
}

CompareOp negated(CompareOp op) {
  switch (op) {
    case CompareOp::less: return CompareOp::greater_equal;
    case CompareOp::less_equal: return CompareOp::greater;
    case CompareOp::greater: return CompareOp::less_equal;
    case CompareOp::greater_equal: return CompareOp::less;
    case CompareOp::equal: return CompareOp::not_equal;
    case CompareOp::not_equal: return CompareOp::equal;
  }
  return op;
}

Formula comparison(const Linear& left, CompareOp op, const Linear& right) {
  switch (op) {
    case CompareOp::less: return {{less(left, right)}};
    case CompareOp::less_equal: return {{at_most(left, right)}};
    case CompareOp::greater: return {{less(right, left)}};
    case CompareOp::greater_equal: return {{at_most(right, left)}};
    case CompareOp::equal: return {{equals(left, right)}};
    case CompareOp::not_equal: return {{less(left, right)}, {less(right, left)}};
  }
  return {};
}

/// Both; nothing where that has too many clauses.
std::optional<Formula> conjunction(const Formula& left, const Formula& right) {
  if (left.size() * right.size() > kMaxClauses) return std::nullopt;
  Formula both;
  both.reserve(left.size() * right.size());
  for (const Clause& first : left) {
    for (const Clause& second : right) {
      Clause& clause = both.emplace_back(first);
      clause.insert(clause.end(), second.begin(), second.end());
    }
  }
  return both;
}

std::optional<Formula> joined(const std::vector<Formula>& parts, bool is_conjunction) {
  std::optional<Formula> all = is_conjunction ? Formula{{}} : Formula{};
  for (const Formula& part : parts) {
    if (is_conjunction) {
      all = conjunction(*all, part);
    } else {
      all->insert(all->end(), part.begin(), part.end());
    }
    if (!all || all->size() > kMaxClauses) return std::nullopt;
  }
  return all;
}

}  // namespace

Linear operator+(Linear left, const Linear& right) {
  left.terms.insert(left.terms.end(), right.terms.begin(), right.terms.end());
  left.constant += right.constant;
  return left;
}

Linear operator-(Linear left, const Linear& right) { return std::move(left) + scaled(right, -1); }

Constraint at_most(const Linear& left, const Linear& right) { return {right - left, false}; }
Constraint less(const Linear& left, const Linear& right) { return {right - left - Linear::number(1), false}; }
Constraint equals(const Linear& left, const Linear& right) { return {right - left, true}; }

std::optional<Linear> IntegerSet::quotient(const Index& dividend, const Index& divisor, const VariableNumbers& names) {
  auto sum = linear(dividend, names);
  if (!sum || !divisor.is_constant()) return std::nullopt;
  Wide by = divisor.constant_term();
  if (by < 0) {
    by = -by;
    sum = scaled(*std::move(sum), -1);
  }
  // floor(sum/by) is the one integer q with by*q <= sum <= by*q + by-1. It exists whatever the other variables are, so
  // it is no matter that it is required of all clauses.
  const Linear result = Linear::variable(add_variable());
  const Linear multiple = scaled(result, by);
  require(at_most(multiple, *sum));
  require(less(*sum, multiple + Linear::number(by)));
  return result;
}

std::optional<Linear> IntegerSet::atom(const IndexAtom& atom, const VariableNumbers& names) {
  struct Visitor {
    IntegerSet& set;
    const VariableNumbers& names;
    std::optional<Linear> operator()(const LoopVariable& variable) const {
      const auto known = names.find(variable.name);
      if (known == names.end()) return std::nullopt;
      return Linear::variable(known->second);
    }
    std::optional<Linear> operator()(const FloorQuotient& node) const {
      return set.quotient(*node.dividend, *node.divisor, names);
    }
    std::optional<Linear> operator()(const FloorRemainder& node) const {
      const auto dividend = set.linear(*node.dividend, names);
      const auto floor = set.quotient(*node.dividend, *node.divisor, names);
      if (!dividend || !floor) return std::nullopt;
      return *dividend - scaled(*floor, node.divisor->constant_term());
    }
    std::optional<Linear> operator()(const IndirectRead&) const { return std::nullopt; }
  };
  return std::visit(Visitor{*this, names}, atom);
}

std::optional<Linear> IntegerSet::linear(const Index& index, const VariableNumbers& names) {
  Linear sum = Linear::number(index.constant_term());
  for (const IndexTerm& term : index.terms()) {
    if (term.factors.size() != 1) return std::nullopt;
    auto factor = atom(term.factors[0], names);
    if (!factor) return std::nullopt;
    sum = std::move(sum) + scaled(*std::move(factor), term.coefficient);
    if (!is_small(sum)) return std::nullopt;
  }
  return sum;
}

std::optional<Formula> IntegerSet::formula(const Expr& condition, bool holds, const VariableNumbers& names) {
  std::vector<Formula> parts;
  if (const auto* logic = std::get_if<Logic>(&condition.node)) {
    for (const ExprPtr& operand : logic->operands) {
      auto part = formula(*operand, holds, names);
      if (!part) return std::nullopt;
      parts.push_back(*std::move(part));
    }
    return joined(parts, (logic->op == LogicOp::conjunction) == holds);
  }
  const auto operand = [&](const Expr& expr) {
    const auto index = to_index(expr);
    return index ? linear(*index, names) : std::nullopt;
  };
  if (const auto* compare = std::get_if<Compare>(&condition.node)) {
    std::optional<Linear> left = operand(*compare->operands[0]);
    for (std::size_t i = 0; left && i < compare->operators.size(); ++i) {
      std::optional<Linear> right = operand(*compare->operands[i + 1]);
      if (!right) return std::nullopt;
      const CompareOp op = compare->operators[i];
      parts.push_back(comparison(*left, holds ? op : negated(op), *right));
      left = std::move(right);
    }
    return left ? joined(parts, holds) : std::nullopt;
  }
  const auto value = operand(condition);
  if (!value) return std::nullopt;
  return comparison(*value, holds ? CompareOp::not_equal : CompareOp::equal, Linear::number(0));
}

std::optional<Formula> IntegerSet::clauses() const {
  std::optional<Formula> all = Formula{common_};
  for (const Formula& formula : formulas_) {
    all = conjunction(*all, formula);
    if (!all) return std::nullopt;
  }
  return all;
}

namespace {

template <class Number>
void append(std::string& text, Number number) {
  text.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append(std::string& text, const Clause& clause) {
  append(text, clause.size());
  for (const Constraint& constraint : clause) {
    append(text, constraint.is_equation);
    append(text, constraint.sum.constant);
    append(text, constraint.sum.terms.size());
    for (const auto& [variable, coefficient] : constraint.sum.terms) {
      append(text, variable);
      append(text, coefficient);
    }
  }
}

}  // namespace

// Every list has its length in front, so that no two sets run into the same text.
void IntegerSet::append_text(std::string& text) const {
  append(text, dimensions);
  append(text, variables_);
  append(text, common_);
  append(text, formulas_.size());
  for (const Formula& formula : formulas_) {
    append(text, formula.size());
    for (const Clause& clause : formula) append(text, clause);
  }
}

}  // namespace steptp
