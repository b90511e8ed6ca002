// loop_unrolling, loop_parallelization, loop_vectorization, loop_binding
#include <algorithm>

#include "steptp/reasoning/tellings.h"

namespace steptp {

namespace {

void bind_loop(Teller& teller) {
  const Site& site = teller.facts.removed[0].site;
  const Loop* loop = loop_at(*teller.before.program, site);
  bind_where(teller);
  teller.bind_before("old", site);
  teller.bind_after("new", teller.facts.added[0].site);
  teller.bind_name("index", loop->index);
  teller.bind_count("extent_words", loop->extent, "iteration", "iterations");
}

bool is_unrolled(const Loop& loop) { return loop.kind == LoopKind::unrolled; }

/// Whether items have a loop in them that is no repetition of text, or a guard.
struct Inside {
  bool has_loops = false;
  bool has_guard = false;
};
void look_inside(const std::vector<Item>& items, Inside& inside) {
  for (const Item& item : items) {
    const auto* nest = std::get_if<NestPtr>(&item);
    if (!nest) continue;
    inside.has_loops = inside.has_loops || !std::all_of((*nest)->loops.begin(), (*nest)->loops.end(), is_unrolled);
    inside.has_guard = inside.has_guard || (*nest)->guard;
    look_inside((*nest)->items, inside);
  }
}

/// "4 copies of the inner loop `L^{8}_{c=0}`"
TracePieces copies_of(const Teller& teller, const Site& site, const Nest& nest) {
  const std::int64_t extent = nest.loops[*site.number].extent;
  TracePieces out = plain(counted(extent, "copy", "copies"));
  const auto last = static_cast<std::uint32_t>(nest.loops.size() - 1);
  const std::uint32_t first = *site.number + 1;
  if (first > last) {
    add(out, " of the loops inside");
    return out;
  }
  add(out, first == last ? " of the inner loop " : " of the inner loops ");
  Site inner = site;
  inner.number = first;
  add(out, quote_piece(teller.before, {inner, first == last ? std::nullopt : std::optional(last)}));
  return out;
}

void tell_unrolling(Teller& teller) {
  const Site& site = teller.facts.removed[0].site;
  const Nest& nest = *nest_at(*teller.before.program, site.items);
  const auto below = nest.loops.begin() + static_cast<std::ptrdiff_t>(*site.number) + 1;
  Inside inside{!std::all_of(below, nest.loops.end(), is_unrolled), nest.guard != nullptr};
  look_inside(nest.items, inside);
  bind_loop(teller);
  teller.bind_count("equations_words", teller.integer("equations"), "equation", "equations");
  if (inside.has_loops) teller.bind("copies", copies_of(teller, site, nest));
  teller.say("take");
  for (const Holds& one : teller.facts.holds) {
    teller.bind_values(one.values);
    const std::string_view id = one.precondition->id;
    teller.say(id == "budget" && inside.has_loops ? "budget-loops" : id);
  }
  teller.say("become");
  teller.say("why");
  teller.say("back");
  const bool is_one = nest.loops[*site.number].extent == 1;
  teller.set_purpose(is_one             ? "purpose-one"
                     : inside.has_loops ? "purpose-loops"
                     : inside.has_guard ? "purpose-guard"
                                        : "purpose");
}

void tell_parallelization(Teller& teller) {
  bind_loop(teller);
  std::vector<Site> targets;
  for (Site site : equations_below(*teller.before.program, teller.facts.removed[0].site.items)) {
    site.part = Site::Part::left;
    targets.push_back(std::move(site));
  }
  teller.bind("targets", places_of(teller.before, targets, teller.choice.at.items[0]));
  teller.say("take");
  teller.say_preconditions();
  teller.say("become");
  teller.say("why");
  teller.say("back");
}

void tell_vectorization(Teller& teller) {
  bind_loop(teller);
  const Site& site = teller.facts.removed[0].site;
  const Loop* loop = loop_at(*teller.before.program, site);
  auto access = subscript_with(*teller.before.program, site.items, loop->index);
  if (access) access->number.reset();
  const Site first{site.items, Site::Part::item, {}, {}};
  teller.bind("access", access ? quote_piece(teller.before, {*access, {}}) : nest_of(teller.before, first));
  teller.say("take");
  const bool has_rest = teller.integer("rest") == 1;
  for (const Holds& one : teller.facts.holds) {
    teller.bind_values(one.values);
    const std::string_view id = one.precondition->id;
    if (id == "rest" || (id == "innermost" && has_rest)) continue;
    teller.say(is_true(one.values, "by_offset") ? "by-offset" : id);
  }
  if (has_rest) {
    teller.bind_after("rest_loop", teller.facts.added[1].site);
    teller.say("rest");
  }
  teller.say("become");
  teller.say("why");
  teller.say("back");
}

void tell_binding(Teller& teller) {
  const Facts& facts = teller.facts;
  const Renaming& renaming = facts.renamings[0];
  const std::string axis = teller.word("axis");
  const bool release = axis == "none";
  bind_loop(teller);
  TracePieces target = plain(axis.starts_with("b") ? "the block axis " : "the thread axis ");
  add(target, name_piece(axis));
  teller.bind("target", std::move(target));
  teller.bind_name("new_index", renaming.to);
  const std::int64_t extent = teller.integer("extent");
  const std::string unit = release ? "iteration" : axis.starts_with("b") ? "block" : "thread";
  teller.bind("extent_of_axis", counted(extent, unit, unit + "s"));
  const bool guarded = facts.added.size() > 1;
  if (guarded) teller.bind_after("guard", facts.added[1].site);
  const Loop& old = *loop_at(*teller.before.program, facts.removed[0].site);
  teller.set_purpose(release                       ? "purpose-release"
                     : old.extent == 1             ? "purpose-one"
                     : old.kind == LoopKind::bound ? "purpose-moved"
                                                   : "purpose");
  const bool is_collective = is_true(facts.holds[0].values, "collective");
  teller.say(release ? "untake" : "take");
  for (const Holds& one : facts.holds) {
    teller.bind_values(one.values);
    const std::string_view id = one.precondition->id;
    if (is_true(one.values, "collective"))
      teller.say("collective");
    else if (id == "races" && is_collective)
      teller.say("races-collective");
    else if (id == "tail" && guarded)
      teller.say("rounded");
    else if (id == "axis-free" && release)
      teller.say("released");
    else if (id == "launch" && release)
      teller.say("launch-released");
    else
      teller.say(id);
  }
  teller.say("become");
  const auto from = subscript_with(*teller.before.program, renaming.below.items, renaming.from);
  if (from && renaming.from != renaming.to) {
    bind_access(teller, *from);
    teller.say(release ? "renamed-released" : "renamed");
  } else if (renaming.from != renaming.to) {
    teller.say("renamed-only");
  }
  teller.say("back");
}

constexpr Telling kTellings[] = {
    {"loop_unrolling", tell_unrolling},
    {"loop_parallelization", tell_parallelization},
    {"loop_vectorization", tell_vectorization},
    {"loop_binding", tell_binding},
};

}  // namespace

std::span<const Telling> loop_kind_tellings() { return kTellings; }

}  // namespace steptp
