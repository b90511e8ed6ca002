/// expression_reorder: an item and the one behind it change places.
///   S1;S2;   -->   S2;S1;
/// Safe because no element that one of them writes is touched by the other in the same iteration of the loops around
/// both; updates of one accumulator by one operator may change places, up to rounding.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/strategies/legality.h"

namespace steptp {

namespace {

constexpr Precondition kPublished[] = {
    {Check::dependency, "independent", "neither writes an element that the other touches"},
};
constexpr Precondition kSafety[] = {
    {Check::order, "follows", "another item stands directly behind it"},
};
constexpr const Precondition& kIndependent = kPublished[0];
constexpr const Precondition& kFollows = kSafety[0];
constexpr Component kModifies[] = {Component::expressions, Component::loop_axes, Component::equations};

struct Neighbours {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> second;
};

Result<Neighbours, Refusal> plan(View& view, const Site& site) {
  if (site.part != Site::Part::item || !find_item(view.program(), site.items)) {
    return Refusal{&kPlace, site, "there is no expression or item at this address", {}};
  }
  Neighbours out{site.items, sibling(site.items, 1)};
  if (!find_item(view.program(), out.second)) return Refusal{&kFollows, site, "it is the last of its body", {}};
  if (const auto conflict = exchange_conflict(view, out.first, out.second)) {
    return refuse(kIndependent, site, *conflict);
  }
  return out;
}

/// Tensors that both items update, and by which operator: their updates may come in either order.
struct SharedUpdates {
  std::set<std::string> tensors;
  std::set<std::string> operators;
};
SharedUpdates shared_updates(View& view, const Neighbours& pair) {
  const auto is_below = [](const Statement& statement, const std::vector<std::uint32_t>& items) {
    return statement.items.size() >= items.size() && std::equal(items.begin(), items.end(), statement.items.begin());
  };
  std::map<std::string, ArithmeticOp> by_first;
  SharedUpdates out;
  for (const Statement& statement : view.table().statements) {
    if (!statement.accumulates) continue;
    const std::string& tensor = statement.equation->left->tensor;
    if (is_below(statement, pair.first)) by_first.emplace(tensor, *statement.accumulates);
    const auto known = by_first.find(tensor);
    if (!is_below(statement, pair.second) || known == by_first.end() || known->second != *statement.accumulates)
      continue;
    out.tensors.insert(tensor);
    out.operators.emplace(text_of(*statement.accumulates));
  }
  return out;
}

void choices(View& view, Listing& listing) {
  const auto look = [&](const std::vector<std::uint32_t>& items) {
    if (listing.allows(plan(view, item_site(items)))) listing.offer({item_site(items), {}, false});
  };
  for (std::uint32_t i = 0; i < view.program().nests.size(); ++i) look({i});
  for (const PlacedNest& nest : view.nests()) {
    for (std::uint32_t i = 0; i + 1 < nest.nest->items.size(); ++i) {
      std::vector<std::uint32_t> items = nest.items;
      items.push_back(i);
      look(items);
    }
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto planned = plan(view, choice.at);
  if (!planned) return planned.error();
  const Item first = item_at(view.program(), planned->first);
  const Item second = item_at(view.program(), planned->second);
  Applied out;
  out.program = with_items(view.program(), planned->second, {});
  out.program = with_items(out.program, planned->first, {second, first});
  out.facts.matched = {{"expression", item_site(planned->first)}, {"expression", item_site(planned->second)}};
  out.facts.removed = out.facts.matched;
  out.facts.added = out.facts.matched;
  out.facts.holds = {{&kIndependent, {}}, {&kFollows, {}}};
  const SharedUpdates shared = shared_updates(view, *planned);
  if (!shared.tensors.empty()) {
    out.facts.values = {{"shared", Json::Array(shared.tensors.begin(), shared.tensors.end())},
                        {"operators", Json::Array(shared.operators.begin(), shared.operators.end())}};
  }
  out.facts.because = "neither writes an element that the other reads or writes";
  return out;
}

}  // namespace

const Strategy& expression_reorder_strategy() {
  static constexpr Strategy kStrategy = {
      "expression_reorder",
      Level::graph,
      "an expression and the one behind it change places",
      "S1;S2;   -->   S2;S1;",
      "no element that one of them writes is touched by the other in the same iteration of the loops around both; "
      "updates "
      "of one accumulator by one operator may change places, up to rounding",
      "expression_reorder",
      {"@input A f32[8]\n@input C f32[8]\n@output D f32[8]\n@output E f32[8]\n"
       "B^{8}_{tx=0}[D^{f32,g}_{tx}=log(A^{f32,g}_{tx});];B^{8}_{tx=0}[E^{f32,g}_{tx}=log(C^{f32,g}_{tx});];\n",
       R"({"at":"0"})"},
      {},
      kPublished,
      kSafety,
      kModifies,
      {},
      choices,
      apply,
  };
  return kStrategy;
}

}  // namespace steptp
