// cache_read_write, pipelining, precompute_indices
#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/reasoning/tellings.h"

namespace steptp {

namespace {

bool is_inside(const Site& site, const std::vector<Part>& parts) {
  return std::any_of(parts.begin(), parts.end(), [&](const Part& part) {
    return site.items.size() >= part.site.items.size() &&
           std::equal(part.site.items.begin(), part.site.items.end(), site.items.begin());
  });
}

/// "8 elements", "8 by 4 elements"
std::string box_words(const Json::Array& extents) {
  if (extents.size() == 1) return counted(*extents[0].as_integer(), "element", "elements");
  return join(extents, " by ", [](const Json& one) { return one.dump(); }) + " elements";
}

/// Whether a read is that of an update, which reads what its equation writes.
bool is_update(const Program& program, const Site& site) {
  if (site.part == Site::Part::left) return false;
  const Equation* equation = equation_at(program, site.items);
  const SitePart part = resolve(program.nests, site);
  const auto* expr = std::get_if<const Expr*>(&part);
  const auto* read = expr ? std::get_if<Read>(&(*expr)->node) : nullptr;
  return read && equation && equal(*read->ref, *equation->left);
}

/// What the body does with its result: an update reads and writes one access, which is named once.
void bind_written(Teller& teller, std::vector<Site> uses) {
  const std::uint32_t here = teller.choice.at.items[0];
  const auto all = uses.size();
  std::erase_if(uses, [&](const Site& site) { return is_update(*teller.before.program, site); });
  const bool updates = uses.size() < all;
  std::vector<Site> writes;
  std::vector<Site> reads;
  for (const Site& site : uses) (site.part == Site::Part::left ? writes : reads).push_back(site);
  TracePieces written = plain(updates ? "read and updated as " : "written as ");
  TracePieces writes_it = plain(updates ? "reads and updates " : "writes its result to ");
  for (TracePieces* out : {&written, &writes_it}) add(*out, places_of(teller.before, writes, here));
  if (!reads.empty()) {
    add(written, ", and read as ");
    add(writes_it, ", and reads ");
    for (TracePieces* out : {&written, &writes_it}) add(*out, places_of(teller.before, reads, here));
  }
  teller.bind("written", std::move(written));
  teller.bind("writes_it", std::move(writes_it));
}

/// Equations that read the cache within a subscript, where an access by itself has no address.
std::vector<Site> equations_with(const Program& program, std::uint32_t expression, const std::string& cache,
                                 const std::vector<Part>& added) {
  std::vector<Site> out;
  for (const Site& site : equations_below(program, {expression})) {
    const Equation& equation = *equation_at(program, site.items);
    bool found = false;
    const auto look = [&](const RefPtr& ref) { found = found || ref->tensor == cache; };
    for_each_ref(equation.left, look);
    for_each_ref(*equation.right, look);
    if (found && !is_inside(site, added)) out.push_back(site);
  }
  return out;
}

void bind_cache(Teller& teller) {
  const Facts& facts = teller.facts;
  std::vector<Site> uses;
  for (const Part& part : facts.removed) uses.push_back(part.site);
  bind_where(teller);
  teller.bind_before("old", teller.choice.at);
  teller.bind_name("index", loop_at(*teller.before.program, teller.choice.at)->index);
  teller.bind("uses", places_of(teller.before, uses, teller.choice.at.items[0]));
  const auto count = static_cast<std::int64_t>(uses.size());
  if (teller.choice.word("direction") != "read") bind_written(teller, uses);
  teller.bind("are_uses", (count == 1 ? "is " : "are ") + counted(count, "use", "uses"));
  teller.bind("is_redirected", count == 1 ? "is" : "are");
  std::vector<TracePieces> copies;
  for (const Part& part : facts.added) copies.push_back(nest_of(teller.after, part.site));
  teller.bind("copies", list_of(std::move(copies)));
  const std::string cache = teller.word("cache");
  std::vector<Site> results;
  for (const Site& site : accesses_below(*teller.after.program, {teller.choice.at.items[0]}, cache)) {
    if (!is_inside(site, facts.added) && !is_update(*teller.after.program, site)) results.push_back(site);
  }
  if (results.empty()) results = equations_with(*teller.after.program, teller.choice.at.items[0], cache, facts.added);
  teller.bind("results", places_of(teller.after, results, teller.choice.at.items[0]));
}

bool has_condition(const Expr& expr) {
  if (std::holds_alternative<Select>(expr.node)) return true;
  const std::vector<const ExprPtr*> parts = children(expr);
  return std::any_of(parts.begin(), parts.end(), [](const ExprPtr* part) { return has_condition(**part); });
}

/// How often one round of the loop reads or writes the source: the iterations of the loops within it, for each use;
/// nothing where a guard or a branch leaves some out.
std::optional<std::int64_t> uses_in_a_round(const Teller& teller, bool is_read) {
  const Program& program = *teller.before.program;
  const Site& at = teller.choice.at;
  std::int64_t sum = 0;
  for (const Part& part : teller.facts.removed) {
    if (!is_read && part.site.part != Site::Part::left) continue;
    const Equation* equation = equation_at(program, part.site.items);
    if (!equation || (is_read && has_condition(*equation->right))) return std::nullopt;
    std::int64_t iterations = 1;
    for (std::size_t depth = at.items.size(); depth < part.site.items.size(); ++depth) {
      const Nest* nest =
          nest_at(program, {part.site.items.begin(), part.site.items.begin() + static_cast<std::ptrdiff_t>(depth)});
      if (!nest || nest->guard) return std::nullopt;
      const std::size_t first = depth == at.items.size() ? *at.number + 1 : 0;
      for (std::size_t i = first; i < nest->loops.size(); ++i) {
        if (__builtin_mul_overflow(iterations, nest->loops[i].extent, &iterations)) return std::nullopt;
      }
    }
    if (__builtin_add_overflow(sum, iterations, &sum)) return std::nullopt;
  }
  return sum;
}

/// What the cache is for. Reads are counted, so that a copy which is used once is not praised.
std::string_view purpose_of_cache(Teller& teller, const Json::Array& extents) {
  const bool is_read = teller.choice.word("direction") == "read";
  std::int64_t elements = 1;
  for (const Json& extent : extents) elements *= *extent.as_integer();
  const auto uses = uses_in_a_round(teller, is_read);
  if (!uses || teller.flag("guarded")) return is_read ? "purpose" : "purpose-write-unknown";
  teller.bind_count("reads_words", *uses, "read", "reads");
  teller.bind_count("writes_words", *uses, "write", "writes");
  teller.bind_count("elements_words", elements, "element", "elements");
  if (!is_read) return *uses > elements ? "purpose-write" : "purpose-write-once";
  return *uses > elements ? "purpose-reuse" : extents.empty() ? "purpose-once-scalar" : "purpose-once";
}

void tell_cache(Teller& teller) {
  const Facts& facts = teller.facts;
  const bool read = teller.choice.word("direction") == "read";
  bind_cache(teller);
  teller.say(read ? "take-read" : "take-write");
  const Json* extents = find_value(facts.values, "extents");
  const bool scalar = extents->as_array()->empty();
  if (!scalar) teller.bind("box", box_words(*extents->as_array()));
  for (const Holds& one : facts.holds) {
    teller.bind_values(one.values);
    teller.say(scalar && one.precondition->id == "footprint" ? "footprint-scalar" : one.precondition->id);
  }
  teller.say(read ? "become-read" : "become-write");
  if (teller.flag("guarded")) teller.say("guarded");
  if (teller.flag("initialised")) teller.say("identity");
  if (facts.renamings.empty()) {
    teller.say("redirected");
  } else {
    teller.bind_name("source", facts.renamings[0].from);
    teller.say("renamed");
  }
  if (const std::int64_t dropped = teller.integer("guards_dropped"); dropped > 0) {
    teller.bind_count("dropped_words", dropped, "condition", "conditions");
    teller.say("dropped");
  }
  teller.say(read ? "why-read" : "why-write");
  teller.say("back");
  teller.set_purpose(purpose_of_cache(teller, *extents->as_array()));
}

void tell_indices(Teller& teller) {
  const Facts& facts = teller.facts;
  const Site& part = facts.removed[0].site;
  bind_where(teller);
  teller.bind_before("part", part);
  Site access = part;
  access.number.reset();
  teller.bind_before("access", access);
  teller.bind("table", nest_of(teller.after, facts.added[0].site));
  Site result = access;
  ++result.items[0];
  teller.bind_after("result", result);
  teller.say("take");
  teller.say_preconditions();
  teller.say("become");
  teller.say("reader");
  teller.say("why");
  teller.say("back");
}

/// The copies that were added are those before the loop, and then the one inside of it.
void tell_pipelining(Teller& teller) {
  const Facts& facts = teller.facts;
  bind_where(teller);
  teller.bind("old", nest_of(teller.before, facts.removed[0].site));
  std::vector<TracePieces> early;
  for (std::size_t i = 0; i + 1 < facts.added.size(); ++i) early.push_back(nest_of(teller.after, facts.added[i].site));
  teller.bind("early", list_of(std::move(early)));
  teller.bind("later", nest_of(teller.after, facts.added.back().site));
  teller.say("take");
  teller.say_preconditions();
  teller.say("become");
  teller.say("why");
  teller.say("back");
}

constexpr Telling kTellings[] = {
    {"cache_read_write", tell_cache},
    {"pipelining", tell_pipelining},
    {"precompute_indices", tell_indices},
};

}  // namespace

std::span<const Telling> cache_tellings() { return kTellings; }

}  // namespace steptp
