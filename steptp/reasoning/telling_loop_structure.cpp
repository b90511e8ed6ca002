// loop_split, loop_tiling, loop_fusion
#include "steptp/base/text.h"
#include "steptp/reasoning/tellings.h"

namespace steptp {

namespace {

/// What a loop of so many iterations lends itself to, as the end of a sentence.
std::string use_of(const Loop& loop) {
  const std::int64_t extent = loop.extent;
  const bool is_serial = loop.kind == LoopKind::serial;
  constexpr std::int64_t kWarp = 32;
  constexpr std::int64_t kMostThreads = 1024;
  constexpr std::int64_t kMostLanes = 8;
  if (!is_serial && extent < kWarp) return {};
  if (extent == 2 || extent == 4 || extent == kMostLanes) {
    return concat("; ", extent, " is a width that vectors have, and few enough to unroll");
  }
  if (extent < kWarp / 2) return concat("; ", extent, " iterations are few enough to unroll");
  if (extent % kWarp == 0 && extent <= kMostThreads) {
    const std::int64_t warps = extent / kWarp;
    return concat("; ", extent, " is a size for the threads of a block, ", counted(warps, "warp", "warps"));
  }
  return {};
}

/// Of a split with a rest, what becomes of the index in the full chunks; that of the rest has been told. Beside the
/// rest the chunks may stand one level further inside.
void tell_main_substitution(Teller& teller, const Site& old, const Site& chunks) {
  const Substitution& main = teller.facts.substitutions[0];
  teller.bind_name("index", main.index);
  teller.bind("calculation", calculation_of(main));
  auto from = subscript_with(*teller.before.program, main.below.items, main.index);
  if (!from) {
    teller.say("unused");
    return;
  }
  from->number.reset();
  Site to = *from;
  to.items = chunks.items;
  to.items.insert(to.items.end(), from->items.begin() + static_cast<std::ptrdiff_t>(old.items.size()),
                  from->items.end());
  teller.bind_before("from", *from);
  teller.bind_after("to", to);
  teller.say("substituted");
}

void tell_split(Teller& teller) {
  const Site& site = teller.facts.removed[0].site;
  const Site& outer = teller.facts.added[0].site;
  const Site& inner = teller.facts.added[1].site;
  bind_where(teller);
  teller.bind_before("old", site);
  teller.bind_name("index", loop_at(*teller.before.program, site)->index);
  teller.bind_after("outer_loop", outer);
  teller.bind_after("inner_loop", inner);
  teller.bind("pair", quote_piece(teller.after, {outer, inner.number}));
  teller.bind_name("outer_index", loop_at(*teller.after.program, outer)->index);
  teller.bind_name("inner_index", loop_at(*teller.after.program, inner)->index);
  teller.bind("calculation", index_words(teller.facts.substitutions[0].value));
  teller.bind_count("outer_words", teller.integer("outer"), "chunk", "chunks");
  teller.bind_count("inner_words", teller.integer("inner"), "iteration", "iterations");
  teller.bind("inner_use", use_of(*loop_at(*teller.after.program, inner)));
  teller.say("take");
  const bool serial = loop_at(*teller.before.program, site)->kind == LoopKind::serial;
  const std::int64_t old_extent = loop_at(*teller.before.program, site)->extent;
  const std::int64_t covered =
      loop_at(*teller.after.program, outer)->extent * loop_at(*teller.after.program, inner)->extent;
  const bool is_uneven = covered != old_extent;
  teller.bind("cover", covered > old_extent
                           ? concat("reach ", counted(covered - old_extent, "iteration", "iterations"), " too far")
                           : concat("leave ", counted(old_extent - covered, "iteration", "iterations"), " over"));
  for (const Holds& one : teller.facts.holds) {
    teller.bind_values(one.values);
    const std::string_view id = one.precondition->id;
    teller.say(serial && id == "kind" ? "kind-serial" : id == "divides" && is_uneven ? "divides-not" : id);
  }
  teller.say("become");
  const bool has_rest = teller.integer("rest") > 0;
  if (has_rest) {
    teller.bind_after("rest_loop", teller.facts.added[2].site);
    teller.bind("rest_calculation", index_words(teller.facts.substitutions[1].value));
    teller.bind_count("rest_words", teller.integer("rest"), "iteration", "iterations");
    teller.say("rest");
  } else if (teller.facts.added.size() > 2) {
    teller.bind_after("guard", teller.facts.added[2].site);
    teller.say("guard");
  }
  if (has_rest)
    tell_main_substitution(teller, site, outer);
  else
    tell_substitutions(teller);
  // Iterations that are bound, parallel or vectorized are not enumerated one after the other.
  const LoopKind kind = loop_at(*teller.before.program, site)->kind;
  const bool has_order = kind == LoopKind::serial || kind == LoopKind::unrolled;
  teller.say(has_rest ? "why-rest" : has_order ? "why" : "why-unordered");
  teller.say("back");
  if (serial) return;
  const bool outer_keeps = loop_at(*teller.after.program, outer)->kind == kind;
  teller.bind_after("kept_loop", outer_keeps ? outer : inner);
  teller.bind_after("serial_loop", outer_keeps ? inner : outer);
  teller.set_purpose("purpose-kind");
}

/// Whether an access depends on the inner loop and not on the outer one: what one round of the inner loop touches is
/// touched again in the next round of the outer one, and a tile brings that closer.
bool reuses_rounds(const Program& program, const Site& first, const Site& second) {
  const std::string& outer = loop_at(program, first)->index;
  const std::string& inner = loop_at(program, second)->index;
  bool reuses = false;
  const auto look = [&](const RefPtr& ref) {
    bool has_outer = false;
    bool has_inner = false;
    for (const Index& subscript : ref->subscripts) {
      for_each_variable(subscript, [&](const std::string& index) {
        has_outer = has_outer || index == outer;
        has_inner = has_inner || index == inner;
      });
    }
    reuses = reuses || (has_inner && !has_outer);
  };
  for (const Site& site : equations_below(program, first.items)) {
    const Equation& equation = *equation_at(program, site.items);
    for_each_ref(*equation.right, look);
    for_each_ref(equation.left, look);
  }
  return reuses;
}

/// What the tiles are for: points that share elements, blocks of threads, or loops that are treated by themselves.
std::string_view purpose_of_tiles(const Teller& teller, const Site& first, const Site& second) {
  const Program& program = *teller.before.program;
  if (reuses_rounds(program, first, second)) return "purpose";
  const bool was_bound = loop_at(program, first)->kind == LoopKind::bound;
  return was_bound ? "purpose-blocks" : "purpose-apart";
}

void tell_tiling(Teller& teller) {
  const Site& first = teller.facts.removed[0].site;
  const Site& second = teller.facts.removed[1].site;
  const auto added = [&](std::size_t number) { return teller.facts.added[number].site; };
  bind_where(teller);
  teller.bind("old_pair", quote_piece(teller.before, {first, second.number}));
  teller.bind_before("outer_old", first);
  teller.bind_before("inner_old", second);
  teller.bind_name("outer", loop_at(*teller.before.program, first)->index);
  teller.bind_name("inner", loop_at(*teller.before.program, second)->index);
  teller.bind("tiles", quote_piece(teller.after, {added(0), added(1).number}));
  teller.bind("points", quote_piece(teller.after, {added(2), added(3).number}));
  teller.say("take");
  say_preconditions_of_order(teller, first);
  teller.say("become");
  if (teller.facts.added.size() > 4) {
    teller.bind_after("guard", added(4));
    teller.say("guard");
  }
  tell_substitutions(teller);
  teller.say("why");
  teller.say("back");
  teller.set_purpose(purpose_of_tiles(teller, first, second));
}

/// Of two loops of which one makes a single iteration: that index is 0 now, and the other one has a new name.
void tell_single(Teller& teller, const Loop& single) {
  for (const Substitution& one : teller.facts.substitutions) {
    teller.bind_name("index", one.index);
    const auto from = subscript_with(*teller.before.program, one.below.items, one.index);
    if (!from) continue;
    if (one.index == single.index) {
      teller.bind("calculation", "0");
    } else {
      teller.bind_name("calculation", loop_at(*teller.after.program, teller.facts.added[0].site)->index);
    }
    bind_access(teller, *from);
    teller.say("substituted");
    return;
  }
}

/// Which of both roles the loops play: where the equations below differ in it, both are named.
std::string role_of(const Program& program, const Site& loop) {
  const std::string& index = loop_at(program, loop)->index;
  bool reduces = false;
  bool keeps = false;
  for (const Site& site : equations_below(program, loop.items)) {
    const Equation& equation = *equation_at(program, site.items);
    bool is_used = false;
    for (const Index& subscript : equation.left->subscripts) {
      for_each_variable(subscript, [&](const std::string& one) { is_used = is_used || one == index; });
    }
    const bool is_reduced = accumulation_operator(*equation.left, equation.right) && !is_used;
    reduces = reduces || is_reduced;
    keeps = keeps || !is_reduced;
  }
  if (reduces && keeps) return "some equations below reduce over both of them, the others over neither";
  return reduces ? "both are reduction axes" : "neither is a reduction axis";
}

void tell_fusion(Teller& teller) {
  const Site& first = teller.facts.removed[0].site;
  const Site& second = teller.facts.removed[1].site;
  const Site& fused = teller.facts.added[0].site;
  bind_where(teller);
  teller.bind("old_pair", quote_piece(teller.before, {first, second.number}));
  teller.bind_before("outer_old", first);
  teller.bind_before("inner_old", second);
  teller.bind_name("outer", loop_at(*teller.before.program, first)->index);
  teller.bind_name("inner", loop_at(*teller.before.program, second)->index);
  teller.bind("role", role_of(*teller.before.program, first));
  teller.bind("outer_extent", teller.integer("outer"));
  teller.bind("inner_extent", teller.integer("inner"));
  teller.bind_after("fused", fused);
  teller.bind_name("fused_index", loop_at(*teller.after.program, fused)->index);
  teller.bind_count("extent_words", loop_at(*teller.after.program, fused)->extent, "iteration", "iterations");
  const Loop* outer = loop_at(*teller.before.program, first);
  const Loop* inner = loop_at(*teller.before.program, second);
  const bool is_single = outer->extent == 1 || inner->extent == 1;
  teller.say("take");
  teller.say_preconditions();
  teller.say(is_single ? "become-single" : "become");
  if (is_single) teller.bind_before("short", inner->extent == 1 ? second : first);
  teller.say(is_single ? "single" : teller.flag("divides") ? "digits" : "whole");
  if (is_single) {
    tell_single(teller, inner->extent == 1 ? *inner : *outer);
  } else if (teller.flag("divides")) {
    tell_substitutions(teller);
  }
  teller.say(is_single ? "why-single" : "why");
  teller.say("back");
  if (is_single) teller.set_purpose("purpose-single");
}

constexpr Telling kTellings[] = {
    {"loop_split", tell_split},
    {"loop_tiling", tell_tiling},
    {"loop_fusion", tell_fusion},
};

}  // namespace

std::span<const Telling> loop_structure_tellings() { return kTellings; }

}  // namespace steptp
