// operator_fusion, operator_fission, dead_code_elimination
#include <algorithm>
#include "steptp/reasoning/tellings.h"

namespace steptp {

namespace {

void tell_operator_fusion(Teller& teller) {
  const Facts& facts = teller.facts;
  const std::vector<std::uint32_t>& items = facts.removed[0].site.items;
  const std::int64_t depth = teller.integer("depth");
  teller.bind("first", nest_of(teller.before, facts.removed[0].site));
  teller.bind("second", nest_of(teller.before, facts.removed[1].site));
  teller.bind_count("depth_words", depth, "loop", "loops");
  const Site loop{items, Site::Part::loop, {}, 0};
  const auto last = static_cast<std::uint32_t>(depth - 1);
  teller.bind("common", quote_piece(teller.before, {loop, depth == 1 ? std::nullopt : std::optional(last)}));
  teller.bind("header", header_of(teller.after, facts.added[0].site.items));
  teller.bind("body", items_of(teller.after, facts.added[0].site.items));
  const std::vector<Loop>& loops = nest_at(*teller.before.program, items)->loops;
  const bool shares_concurrent_loop =
      std::any_of(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(depth),
                  [](const Loop& one) { return one.kind != LoopKind::serial && one.kind != LoopKind::unrolled; });
  teller.say("take");
  for (const Holds& one : facts.holds) {
    teller.bind_values(one.values);
    const bool jumps = one.precondition->id == "between" && teller.integer("next") > 1;
    const bool alone = one.precondition->id == std::string_view("races") && !shares_concurrent_loop;
    teller.say(jumps ? "jumped" : alone ? "races-none" : one.precondition->id);
  }
  std::vector<TracePieces> renamings;
  for (const Renaming& one : facts.renamings) {
    if (one.from == one.to) continue;
    renamings.push_back(name_piece(one.from));
    add(renamings.back(), " becomes ");
    add(renamings.back(), name_piece(one.to));
  }
  if (!renamings.empty()) {
    teller.bind("renamings", list_of(std::move(renamings)));
    teller.say("renamed");
  }
  teller.say("become");
  teller.say("why");
  teller.say("back");
}

void tell_fission(Teller& teller) {
  const Facts& facts = teller.facts;
  const std::vector<std::uint32_t>& items = facts.removed[0].site.items;
  const auto count = static_cast<std::int64_t>(nest_at(*teller.before.program, items)->items.size());
  const std::int64_t cut = teller.integer("cut");
  bind_where(teller);
  teller.bind("old_header", header_of(teller.before, items));
  teller.bind("body", body_of(teller.before, items));
  teller.bind("cut_words", cut == 1 ? std::string("the first") : "the first " + std::to_string(cut));
  teller.bind("cut_count", cut == 1 ? std::string("one") : std::to_string(cut));
  teller.bind("rest_count", count - cut == 1 ? std::string("one") : std::to_string(count - cut));
  teller.bind("one", nest_of(teller.after, facts.added[0].site));
  teller.bind("two", nest_of(teller.after, facts.added[1].site));
  teller.say("take");
  teller.say_preconditions();
  teller.say("become");
  teller.say("why");
  teller.say("back");
}

void tell_dead(Teller& teller) {
  bind_where(teller);
  teller.bind_before("equation", teller.facts.removed[0].site);
  teller.say("take");
  teller.say_preconditions();
  teller.say("why");
  teller.say("back");
}

constexpr Telling kTellings[] = {
    {"operator_fusion", tell_operator_fusion},
    {"operator_fission", tell_fission},
    {"dead_code_elimination", tell_dead},
};

}  // namespace

std::span<const Telling> fusion_tellings() { return kTellings; }

}  // namespace steptp
