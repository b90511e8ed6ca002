#include "steptp/reasoning/tellings.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "steptp/reasoning/scalar_telling.h"

namespace steptp {

namespace {

using List = std::span<const Telling> (*)();
constexpr std::array kLists = {
    loop_structure_tellings, loop_order_tellings, loop_kind_tellings, fusion_tellings,    definition_tellings,
    tensor_tellings,         cache_tellings,      storage_tellings,   factoring_tellings, fraction_tellings,
    power_tellings,          online_tellings,     attention_tellings,
};

void tell_by_slots(Teller& teller) {
  bind_where(teller);
  if (!teller.facts.removed.empty()) teller.bind_before("old", teller.facts.removed[0].site);
  if (!teller.facts.added.empty()) teller.bind_after("new", teller.facts.added[0].site);
  if (teller.has("take")) teller.say("take");
  teller.say_preconditions();
  for (const std::string_view slot : {"become", "why", "back"}) {
    if (teller.has(slot)) teller.say(slot);
  }
}

}  // namespace

Telling telling_of(const Strategy& strategy) {
  for (const List list : kLists) {
    for (const Telling& telling : list()) {
      if (telling.strategy == strategy.name) return telling;
    }
  }
  return {strategy.name, strategy.level == Level::math ? tell_scalar : tell_by_slots};
}

void bind_where(Teller& teller) { teller.bind_expression("where", teller.choice.at); }

void say_preconditions_of_order(Teller& teller, const Site& loop) {
  const Program& program = *teller.before.program;
  const std::vector<Site> equations = equations_below(program, loop.items);
  const bool accumulates = std::any_of(equations.begin(), equations.end(), [&](const Site& site) {
    const Equation* equation = equation_at(program, site.items);
    bool reads_itself = false;
    for_each_ref(*equation->right,
                 [&](const RefPtr& ref) { reads_itself = reads_itself || ref->tensor == equation->left->tensor; });
    return reads_itself;
  });
  for (const Holds& one : teller.facts.holds) {
    teller.bind_values(one.values);
    const std::string_view id = one.precondition->id;
    teller.say(id == "order" && !accumulates ? "order-plain" : id);
  }
}

TracePieces calculation_of(const Substitution& one) {
  TracePieces out = index_words(one.value);
  bool is_named_alike = false;
  for_each_variable(one.value,
                    [&](const std::string& index) { is_named_alike = is_named_alike || index == one.index; });
  if (!is_named_alike) return out;
  add(out, " (with the new ");
  add(out, name_piece(one.index));
  add(out, ")");
  return out;
}

void bind_access(Teller& teller, Site subscript) {
  subscript.number.reset();
  teller.bind_before("from", subscript);
  teller.bind_after("to", subscript);
}

void tell_substitutions(Teller& teller) {
  std::optional<Site> shown;
  for (const Substitution& one : teller.facts.substitutions) {
    teller.bind_name("index", one.index);
    teller.bind("calculation", calculation_of(one));
    const auto from = subscript_with(*teller.before.program, one.below.items, one.index);
    if (!from) {
      teller.say("unused");
      continue;
    }
    Site access = *from;
    access.number.reset();
    // One access shows both of its changes.
    if (shown == access) {
      teller.say("likewise");
      continue;
    }
    shown = access;
    bind_access(teller, *from);
    teller.say("substituted");
  }
}

}  // namespace steptp
