// flashattention_wo_tiling, normal_matmul_to_prefix_matmul_based_on_online_softmax
#include <algorithm>
#include <string>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/reasoning/tellings.h"

namespace steptp {

namespace {

TracePieces recurrence_of(const Quotable& from, const Site& site) {
  TracePieces out = plain("the nest ");
  add(out, header_of(from, site.items));
  add(out, " with ");
  add(out, body_of(from, site.items));
  return out;
}

void bind_added(Teller& teller) {
  std::vector<TracePieces> recurrences;
  std::vector<TracePieces> copies;
  for (const Part& part : teller.facts.added) {
    if (part.role == "use") continue;
    if (part.role == "recurrence")
      recurrences.push_back(recurrence_of(teller.after, part.site));
    else
      copies.push_back(nest_of(teller.after, part.site));
  }
  teller.bind("new", list_of(std::move(recurrences)));
  teller.bind("copy", list_of(std::move(copies)));
}

void bind_removed(Teller& teller) {
  for (const Part& part : teller.facts.removed) {
    if (part.role == "use") continue;
    if (part.role == "recurrence")
      teller.bind("online", recurrence_of(teller.before, part.site));
    else
      teller.bind(part.role, nest_of(teller.before, part.site));
  }
}

bool is_inside(const Site& site, const std::vector<Part>& parts) {
  return std::any_of(parts.begin(), parts.end(), [&](const Part& part) {
    return site.items.size() >= part.site.items.size() &&
           std::equal(part.site.items.begin(), part.site.items.end(), site.items.begin());
  });
}

/// Others that read the maximum read its last element now.
void tell_other_uses(Teller& teller) {
  const Facts& facts = teller.facts;
  std::vector<Site> before;
  for (const Part& part : facts.removed) {
    if (part.role == "use") before.push_back(part.site);
  }
  if (before.empty()) return;
  const Site maximum = equations_below(*teller.before.program, facts.removed[0].site.items)[0];
  const std::string& name = equation_at(*teller.before.program, maximum.items)->left->tensor;
  std::vector<Site> after;
  for (std::uint32_t i = 0; i < teller.after.program->nests.size(); ++i) {
    for (Site site : accesses_below(*teller.after.program, {i}, name)) {
      if (site.part != Site::Part::right || is_inside(site, facts.added)) continue;
      after.push_back({site.items, Site::Part::item, {}, {}});
    }
  }
  teller.bind("uses", places_of(teller.before, std::move(before)));
  teller.bind("uses_after", places_of(teller.after, std::move(after), std::nullopt, false));
  teller.say("uses-at-end");
}

/// A name that is free because what it stood for is gone: that is said, as the words before speak of the old tensor.
TracePieces reused_names(const Teller& teller) {
  TracePieces out;
  for (const Part& part : teller.facts.removed) {
    if (part.role == "use") continue;
    const std::vector<Site> equations = equations_below(*teller.before.program, part.site.items);
    const std::string& name = equation_at(*teller.before.program, equations[0].items)->left->tensor;
    if (name != teller.word("sum") && name != teller.word("output")) continue;
    add(out, out.empty() ? " (the name " : ", ");
    add(out, name_piece(name));
    add(out, concat(" was that of the old ", part.role, ", which is gone"));
  }
  if (!out.empty()) add(out, ")");
  return out;
}

void tell_flash(Teller& teller) {
  teller.bind_name("sum_name", teller.word("sum"));
  teller.bind_name("output", teller.word("output"));
  teller.bind("reused", reused_names(teller));
  bind_removed(teller);
  bind_added(teller);
  teller.say("take");
  teller.say_preconditions();
  teller.say("become");
  teller.say("copy");
  tell_other_uses(teller);
  teller.say("why");
  teller.say("back");
}

void tell_matmul(Teller& teller) {
  bind_removed(teller);
  bind_added(teller);
  teller.say("take");
  teller.say_preconditions();
  teller.say("become");
  teller.say("copy");
  teller.say("why");
  teller.say("back");
}

constexpr Telling kTellings[] = {
    {"flashattention_wo_tiling", tell_flash},
    {"normal_matmul_to_prefix_matmul_based_on_online_softmax", tell_matmul},
};

}  // namespace

std::span<const Telling> attention_tellings() { return kTellings; }

}  // namespace steptp
