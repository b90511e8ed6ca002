// normal_loop_max_to_prefix_max, normal_loop_summation_on_exp_to_prefix_summation_on_exp, online_softmax
#include <algorithm>
#include <string>
#include <vector>

#include "steptp/reasoning/tellings.h"

namespace steptp {

namespace {

void bind_online(Teller& teller) {
  const Facts& facts = teller.facts;
  bind_where(teller);
  teller.bind("old", nest_of(teller.before, facts.removed[0].site));
  if (facts.matched.size() > 1) teller.bind("sum", nest_of(teller.before, facts.removed[1].site));
  std::vector<TracePieces> recurrences;
  std::vector<TracePieces> copies;
  for (const Part& part : facts.added) {
    if (part.role == "recurrence") {
      TracePieces shown = plain("the nest ");
      add(shown, header_of(teller.after, part.site.items));
      add(shown, " with ");
      add(shown, body_of(teller.after, part.site.items));
      recurrences.push_back(std::move(shown));
    } else if (part.role == "copy") {
      copies.push_back(nest_of(teller.after, part.site));
    }
  }
  teller.bind("new", list_of(std::move(recurrences)));
  teller.bind("has_copies", copies.size() == 1 ? "reads" : "read");
  teller.bind("copy", list_of(std::move(copies)));
}

/// Equations that read the maximum or the sum, which are read at their last value now.
void tell_uses(Teller& teller) {
  std::vector<Site> before;
  std::vector<Site> after;
  for (const Part& part : teller.facts.removed) {
    if (part.role == "use") before.push_back(part.site);
  }
  for (const Part& part : teller.facts.added) {
    if (part.role == "use") after.push_back(part.site);
  }
  if (before.empty()) return;
  teller.bind("uses", places_of(teller.before, std::move(before)));
  teller.bind("uses_after", places_of(teller.after, std::move(after), std::nullopt, false));
  teller.say("uses-at-end");
}

void tell_max(Teller& teller) {
  bind_online(teller);
  teller.say("take");
  teller.say_preconditions();
  teller.say("become");
  teller.say("copy");
  teller.say("why");
  teller.say("back");
}

void tell_sum(Teller& teller) {
  bind_online(teller);
  const bool plain_sum = teller.word("form") == "sum";
  teller.say(plain_sum ? "take-plain" : "take");
  for (const Holds& one : teller.facts.holds) {
    // A lone sum has nothing in between.
    if (plain_sum && one.precondition->id == std::string_view("between")) continue;
    teller.bind_values(one.values);
    teller.say(one.precondition->id);
  }
  teller.say(plain_sum ? "become-plain" : "become");
  teller.say("copy");
  tell_uses(teller);
  teller.say(plain_sum ? "why-plain" : "why");
  const auto is_use = [](const Part& part) { return part.role == "use"; };
  const bool has_uses = std::any_of(teller.facts.removed.begin(), teller.facts.removed.end(), is_use);
  teller.say(has_uses ? "back-uses" : "back");
}

void tell_softmax(Teller& teller) {
  bind_online(teller);
  const auto is_copy = [](const Part& part) { return part.role == "copy"; };
  teller.say("take");
  teller.say_preconditions();
  teller.say("become");
  if (std::any_of(teller.facts.added.begin(), teller.facts.added.end(), is_copy)) teller.say("copy");
  tell_uses(teller);
  teller.say("why");
  teller.say("back");
}

constexpr Telling kTellings[] = {
    {"normal_loop_max_to_prefix_max", tell_max},
    {"normal_loop_summation_on_exp_to_prefix_summation_on_exp", tell_sum},
    {"online_softmax", tell_softmax},
};

}  // namespace

std::span<const Telling> online_tellings() { return kTellings; }

}  // namespace steptp
