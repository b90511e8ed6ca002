// compute_inline, expression_splitting, common_subexpression_elimination, hoist
#include <algorithm>
#include <string>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/reasoning/tellings.h"
#include "steptp/text/printer.h"

namespace steptp {

namespace {

std::vector<Site> equations_of(const std::vector<Part>& parts, std::string_view role) {
  std::vector<Site> out;
  for (const Part& part : parts) {
    if (part.role != role) continue;
    Site site{part.site.items, Site::Part::item, {}, {}};
    if (std::find(out.begin(), out.end(), site) == out.end()) out.push_back(std::move(site));
  }
  return out;
}

/// Where an item stands after the item at `gone` has been taken out, and loops that are then empty with it.
Site moved_up(const Program& program, const std::vector<std::uint32_t>& gone, Site site) {
  std::vector<std::uint32_t> removed = gone;
  while (removed.size() > 1) {
    const std::vector<std::uint32_t> around(removed.begin(), removed.end() - 1);
    if (nest_at(program, around)->items.size() > 1) break;
    removed = around;
  }
  const std::size_t last = removed.size() - 1;
  if (site.items.size() > last && std::equal(removed.begin(), removed.end() - 1, site.items.begin()) &&
      site.items[last] > removed[last]) {
    --site.items[last];
  }
  return site;
}

void tell_inline(Teller& teller) {
  const Facts& facts = teller.facts;
  const Site& definition = facts.removed[0].site;
  std::vector<Site> uses;
  for (const Part& part : facts.removed) {
    if (part.role == "use") uses.push_back(part.site);
  }
  bind_where(teller);
  teller.bind_before("definition", definition);
  teller.bind("uses", places_of(teller.before, uses));
  teller.bind("places", uses.size() == 1 ? "place" : "places");
  teller.say("take");
  teller.say("uses");
  teller.say_preconditions();
  std::vector<TracePieces> renamings;
  std::vector<std::string> known;
  for (const Substitution& one : facts.substitutions) {
    const std::string* same = one.value.as_variable();
    const std::string text = concat(one.index, " ", print(one.value));
    if ((same && *same == one.index) || std::find(known.begin(), known.end(), text) != known.end()) continue;
    known.push_back(text);
    if (known.size() > 5) continue;
    renamings.push_back(name_piece(one.index));
    add(renamings.back(), renamings.size() == 1 ? " is replaced by " : " by ");
    add(renamings.back(), index_words(one.value));
  }
  if (!renamings.empty()) {
    teller.bind("renaming", list_of(std::move(renamings)));
    teller.say("substitution");
  }
  std::vector<Site> results;
  for (const Site& site : equations_of(facts.removed, "use")) {
    results.push_back(moved_up(*teller.before.program, definition.items, site));
  }
  teller.bind("results", places_of(teller.after, results, std::nullopt, false));
  teller.bind("readers_word", results.size() == 1 ? "reader" : "readers");
  teller.bind("reads", results.size() == 1 ? "is" : "are");
  teller.bind("is_word", results.size() == 1 ? "is" : "are");
  teller.bind("remains", "remains of producer and consumer");
  teller.say("become");
  teller.say("why");
  teller.say("back");
}

void bind_definition(Teller& teller) {
  const Facts& facts = teller.facts;
  teller.bind_before("part", facts.removed[0].site);
  teller.bind("definition", nest_of(teller.after, facts.added[0].site));
}

void tell_splitting(Teller& teller) {
  const Facts& facts = teller.facts;
  const bool inside = teller.word("place") == "inside";
  bind_where(teller);
  bind_definition(teller);
  teller.bind_before("equation", facts.matched[1].site);
  teller.bind("place_words", inside ? "between the new equation and the old one" : "inside the nest");
  teller.bind("place_added", inside ? "directly before the equation" : "as a nest of its own before the old one");
  // The equation stands one further on: in its body, or because a nest has come before it.
  std::vector<std::uint32_t> items = facts.matched[1].site.items;
  ++items[inside ? items.size() - 1 : facts.added[0].site.items.size() - 1];
  teller.bind_after("reader", {items, Site::Part::item, {}, {}});
  teller.say("take");
  teller.say_preconditions();
  teller.say("become");
  teller.say("reader");
  teller.say("why");
  teller.say("back");
  if (inside) teller.set_purpose("purpose-inside");
}

void tell_common(Teller& teller) {
  const Facts& facts = teller.facts;
  std::vector<Site> places;
  for (const Part& part : facts.removed) places.push_back(part.site);
  bind_definition(teller);
  teller.bind("definition", nest_of(teller.after, {{facts.added[0].site.items[0]}, Site::Part::item, {}, {}}));
  teller.bind("places", places_of(teller.before, places));
  const std::int64_t occurrences = static_cast<std::int64_t>(places.size());
  teller.bind("all_occurrences", occurrences == 2 ? "both occurrences" : concat("all ", occurrences, " occurrences"));
  std::vector<Site> results = equations_of(facts.removed, "part");
  for (Site& site : results) ++site.items[0];
  teller.bind("results", places_of(teller.after, results, std::nullopt, false));
  teller.say("take");
  for (const Holds& one : facts.holds) {
    teller.bind_values(one.values);
    const Json* loops = find_value(one.values, "loops");
    const bool has_none = loops && *loops->as_integer() == 0;
    teller.say(has_none ? "same-loops-none" : one.precondition->id);
  }
  teller.say("become");
  teller.say("reads");
  teller.say("why");
  teller.say("back");
}

/// Whether a thread runs what stands at the items more than once, each time that it reaches the loop.
bool is_repeated(const Program& program, const Site& loop, const std::vector<std::uint32_t>& items) {
  for (std::size_t depth = loop.items.size(); depth < items.size(); ++depth) {
    const Nest* nest = nest_at(program, {items.begin(), items.begin() + static_cast<std::ptrdiff_t>(depth)});
    if (!nest) continue;
    const std::size_t first = depth == loop.items.size() ? loop.number.value_or(0) : 0;
    const auto repeats = [](const Loop& one) { return one.kind != LoopKind::bound && one.extent != 1; };
    if (std::any_of(nest->loops.begin() + static_cast<std::ptrdiff_t>(first), nest->loops.end(), repeats)) return true;
  }
  return false;
}

void tell_hoist(Teller& teller) {
  const Site& use = teller.facts.removed[0].site;
  const bool repeats =
      teller.facts.removed.size() > 1 || is_repeated(*teller.before.program, teller.choice.at, use.items);
  bind_where(teller);
  teller.bind_before("old", use);
  teller.bind_after("new", teller.facts.added[0].site);
  teller.say(repeats ? "take" : "take-once");
  teller.say_preconditions();
  teller.say("become");
  teller.say("why");
  teller.say("back");
  if (!repeats) teller.set_purpose("purpose-once");
}

}  // namespace

std::span<const Telling> definition_tellings() {
  static constexpr Telling kTellings[] = {
      {"compute_inline", tell_inline},
      {"expression_splitting", tell_splitting},
      {"common_subexpression_elimination", tell_common},
      {"hoist", tell_hoist},
  };
  return kTellings;
}

}  // namespace steptp
