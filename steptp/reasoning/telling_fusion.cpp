// operator_fusion, operator_fission, dead_code_elimination
#include <algorithm>
#include <set>
#include <string>

#include "steptp/base/text.h"
#include "steptp/reasoning/tellings.h"

namespace steptp {

namespace {

struct Touched {
  std::set<std::string> written;
  std::set<std::string> read;
};
Touched touched_below(const Program& program, const std::vector<std::uint32_t>& items) {
  Touched out;
  for (const Site& site : equations_below(program, items)) {
    const Equation& equation = *equation_at(program, site.items);
    out.written.insert(equation.left->tensor);
    for_each_ref(*equation.right, [&](const RefPtr& ref) { out.read.insert(ref->tensor); });
    for_each_ref(equation.left, [&](const RefPtr& ref) {
      if (ref != equation.left) out.read.insert(ref->tensor);
    });
  }
  return out;
}

bool have_common(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& one) { return b.contains(one); });
}

/// What connects the two nests, as the end of a slot: the second reads what the first has written (nothing is added),
/// one only overwrites what the other touches, or neither touches what the other writes.
std::string_view connection_of(const Teller& teller) {
  const Touched first = touched_below(*teller.before.program, teller.facts.removed[0].site.items);
  const Touched second = touched_below(*teller.before.program, teller.facts.removed[1].site.items);
  if (have_common(first.written, second.read)) return "";
  const bool overwrites = have_common(second.written, first.read) || have_common(second.written, first.written);
  return overwrites ? "-kept" : "-none";
}

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
  const std::string_view connection = connection_of(teller);
  teller.say("take");
  for (const Holds& one : facts.holds) {
    teller.bind_values(one.values);
    const bool jumps = one.precondition->id == "between" && teller.integer("next") > 1;
    const std::string_view id = one.precondition->id;
    const bool alone = id == "races" && !shares_concurrent_loop;
    teller.say(id == "forward" ? concat(id, connection) : jumps ? "jumped" : alone ? "races-none" : std::string(id));
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
  teller.say(connection == "-none" ? "why-none" : "why");
  teller.say("back");
  if (!connection.empty()) teller.set_purpose("purpose-none");
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
