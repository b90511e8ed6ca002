#include "steptp/frontend/join.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace steptp::frontend {

namespace {

bool has_equations_only(const Nest& nest) {
  for (const Item& item : nest.items) {
    if (!std::holds_alternative<EquationPtr>(item)) return false;
  }
  return !nest.guard;
}

/// Every reference of a nest, with those that are written.
struct References {
  explicit References(const Nest& nest) {
    for (const Item& item : nest.items) {
      const Equation& equation = *std::get<EquationPtr>(item);
      written.emplace(equation.left->tensor, equation.left);
      for_each_ref(equation.left, [&](const RefPtr& ref) { all.push_back(ref); });
      for_each_ref(*equation.right, [&](const RefPtr& ref) { all.push_back(ref); });
    }
  }
  std::vector<RefPtr> all;
  std::map<std::string, RefPtr> written;
};

/// Whether each iteration has an element of its own: the subscripts are the loops, each once.
bool is_one_per_iteration(const Ref& ref, const Nest& nest) {
  std::set<std::string> indices;
  for (const Index& index : ref.subscripts) {
    for (const Loop& loop : nest.loops) {
      if (index == Index::variable(loop.index)) indices.insert(loop.index);
    }
  }
  return indices.size() == nest.loops.size() && ref.subscripts.size() == nest.loops.size();
}

}  // namespace

NestPtr join_nests(const Nest& first, const Nest& second) {
  if (first.loops != second.loops || !has_equations_only(first) || !has_equations_only(second)) return nullptr;
  const References before(first);
  const References after(second);
  for (const RefPtr& ref : before.all) {
    if (after.written.contains(ref->tensor)) return nullptr;
  }
  for (const RefPtr& ref : after.all) {
    const auto made = before.written.find(ref->tensor);
    if (made == before.written.end()) continue;
    if (!equal(*ref, *made->second) || !is_one_per_iteration(*ref, first)) return nullptr;
  }
  std::vector<Item> items = first.items;
  items.insert(items.end(), second.items.begin(), second.items.end());
  return make_nest(first.loops, nullptr, std::move(items));
}

}  // namespace steptp::frontend
