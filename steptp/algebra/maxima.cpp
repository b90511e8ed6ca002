#include "steptp/algebra/maxima.h"

#include <algorithm>
#include <set>

#include "steptp/analysis/box_search.h"
#include "steptp/analysis/interval.h"

namespace steptp::algebra {

namespace {

/// The read that an equation takes the maximum of; null for other equations.
const Ref* folded(const Statement& statement) {
  const auto* extremum = std::get_if<Extremum>(&statement.equation->right->node);
  if (!extremum || !extremum->is_max || statement.accumulates != ArithmeticOp::max) return nullptr;
  const auto* left = std::get_if<Read>(&extremum->left->node);
  const auto* right = std::get_if<Read>(&extremum->right->node);
  if (!left || !right) return nullptr;
  return equal(*left->ref, *statement.equation->left) ? right->ref.get() : left->ref.get();
}

/// Every loop variable stands alone in some subscript of the element, and every subscript is one or a number.
bool has_plain_subscripts(const Ref& ref) {
  return std::all_of(ref.subscripts.begin(), ref.subscripts.end(),
                     [](const Index& subscript) { return subscript.is_constant() || subscript.as_variable(); });
}

}  // namespace

Maxima::Maxima(const AccessTable& table) : table_(table) {
  for (const Statement& statement : table.statements) {
    const Ref* element = folded(statement);
    const Ref& left = *statement.equation->left;
    if (!element || !statement.guards.empty() || !is_float(left.dtype) || element->dtype != left.dtype) continue;
    if (!has_plain_subscripts(left) || !has_plain_subscripts(*element) || left.scope != Scope::global) continue;
    const TensorFacts& tensor = table.tensors.at(left.tensor);
    if (tensor.writes.size() != 1) continue;
    // The elements are what they were: all written before the maximum is begun.
    const TensorFacts& elements = table.tensors.at(element->tensor);
    const bool settled = std::all_of(elements.writes.begin(), elements.writes.end(), [&](std::size_t number) {
      return table.statements[table.accesses[number].statement].items[0] < statement.items[0];
    });
    if (settled && elements.scope == Scope::global) makers_[left.tensor] = &statement;
  }
}

std::optional<Maxima::Values> Maxima::match(const Statement& statement, const Ref& maximum, const Ref& element) const {
  const auto made = makers_.find(maximum.tensor);
  if (made == makers_.end()) return std::nullopt;
  const Statement& maker = *made->second;
  const Ref& pattern = *folded(maker);
  if (maker.items[0] >= statement.items[0] || pattern.tensor != element.tensor) return std::nullopt;
  Values values;
  const auto agree = [&values](const std::vector<Index>& names, const std::vector<Index>& at) {
    if (names.size() != at.size()) return false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string* name = names[i].as_variable();
      if (!name && !(names[i] == at[i])) return false;
      if (name && !(values.emplace(*name, at[i]).first->second == at[i])) return false;
    }
    return true;
  };
  if (!agree(maker.equation->left->subscripts, maximum.subscripts)) return std::nullopt;
  if (!agree(pattern.subscripts, element.subscripts)) return std::nullopt;
  const Ranges box = loop_box(statement);
  for (const Loop* loop : maker.loops) {
    const auto value = values.find(loop->index);
    if (value == values.end()) continue;  // the element does not depend on it
    if (!Interval{0, loop->extent - 1}.contains(range_of(value->second, box))) return std::nullopt;
  }
  return values;
}

bool Maxima::covers(const Statement& statement, const Ref& maximum, const Ref& element) const {
  return match(statement, maximum, element).has_value();
}

bool Maxima::is_reached(const Statement& statement, const Ref& maximum, const Ref& element) const {
  const auto values = match(statement, maximum, element);
  if (!values || !statement.guards.empty() || !has_plain_subscripts(*statement.equation->left)) return false;
  std::set<std::string> kept;
  for (const Index& subscript : statement.equation->left->subscripts) {
    if (const std::string* name = subscript.as_variable()) kept.insert(*name);
  }
  // The maximum is one for all rounds of an element.
  for (const Index& subscript : maximum.subscripts) {
    bool follows = true;
    for_each_variable(subscript, [&](const std::string& name) { follows = follows && kept.contains(name); });
    if (!follows) return false;
  }
  // Its own rounds are rounds here: each of its loops is another loop of the same length.
  std::set<std::string> own;
  for (const Index& subscript : makers_.at(maximum.tensor)->equation->left->subscripts) {
    if (const std::string* name = subscript.as_variable()) own.insert(*name);
  }
  std::set<std::string> used;
  for (const Loop* loop : makers_.at(maximum.tensor)->loops) {
    const auto value = values->find(loop->index);
    if (own.contains(loop->index) || value == values->end()) continue;
    const std::string* name = value->second.as_variable();
    if (!name || kept.contains(*name) || !used.insert(*name).second) return false;
    const bool same = std::any_of(statement.loops.begin(), statement.loops.end(), [&](const Loop* other) {
      return other->index == *name && other->extent == loop->extent;
    });
    if (!same) return false;
  }
  return true;
}

}  // namespace steptp::algebra
