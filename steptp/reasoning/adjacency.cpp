#include "steptp/reasoning/adjacency.h"

#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/reasoning/quoting.h"

namespace steptp {

Adjacency adjacency_of(const Program& program, const std::vector<std::uint32_t>& items,
                       const std::function<bool(const std::string&)>& is_wanted) {
  Adjacency out;
  const std::string& fastest = nest_at(program, items)->loops.back().index;
  const auto mentions = [&fastest](const Index& subscript) {
    bool found = false;
    for_each_variable(subscript, [&](const std::string& index) { found = found || index == fastest; });
    return found;
  };
  const auto look = [&](const RefPtr& ref) {
    if (!is_wanted(ref->tensor)) return;
    ++out.all;
    if (ref->subscripts.empty()) return;
    const Index& last = ref->subscripts.back();
    if (std::any_of(ref->subscripts.begin(), ref->subscripts.end() - 1, mentions)) return;
    const auto rest = Index::subtract(last, Index::variable(fastest));
    if (rest && mentions(last) && !mentions(*rest)) ++out.adjacent;
  };
  for (const Site& site : equations_below(program, items)) {
    const Equation& equation = *equation_at(program, site.items);
    for_each_ref(equation.left, look);
    for_each_ref(*equation.right, look);
  }
  return out;
}

bool has_fastest_loop(const Nest& nest) {
  if (std::any_of(nest.items.begin(), nest.items.end(),
                  [](const Item& item) { return std::holds_alternative<NestPtr>(item); })) {
    return false;
  }
  const Loop& last = nest.loops.back();
  return last.kind != LoopKind::bound && last.kind != LoopKind::parallel && last.extent > 1;
}

std::string share_words(std::int64_t some, std::int64_t all, std::string_view one, std::string_view several) {
  if (all == 1) return concat(some == 0 ? "no " : "the ", one);
  if (all == 2 && some != 1) return concat(some == 0 ? "neither " : "both ", some == 0 ? one : several);
  if (some == 0) return concat("none of ", all, " ", several);
  return some == all ? concat("all ", all, " ", several) : concat(some, " of ", all, " ", several);
}

}  // namespace steptp
