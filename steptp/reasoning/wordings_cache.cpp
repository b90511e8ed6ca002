// cache_read_write, precompute_indices
#include <algorithm>
#include <string>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/reasoning/wordings.h"

namespace steptp {

namespace {

constexpr std::string_view kCacheGeneral[] = {
    "Cache read/write routes data through a small copy in fast memory. For reads, the elements that a loop body needs "
    "are staged in shared or thread-local memory before they are used; for writes, results are collected there and "
    "written back at the end.",
    "Global memory is slow, and the same element is often touched repeatedly. A cache nest copies what one round of a "
    "loop works on into memory close to the threads, and the body works on the copy.",
    "Staging means making a local copy of a piece of a tensor, using it in place of the tensor, and throwing it away "
    "(or writing it back) when the loop moves on. The piece must cover everything that is touched in one round.",
    "This strategy introduces a cache for one tensor at one loop level. The footprint of the body at that level "
    "determines the shape of the cache; the accesses are then redirected to it.",
    "A program-managed cache is a tensor in shared or local memory with a nest that fills it or drains it. It reduces "
    "traffic to global memory without changing any value.",
};
constexpr Phrase kCachePhrases[] = {
    {"take-read", "At the loop {old} of {where}, the reads to be cached are {uses}."},
    {"take-read", "Inside {old} in {where} the body reads {uses}, and these reads <go through|get> a cache."},
    {"take-read", "The body of {old} in {where} <fetches|reads> {uses}, and I put a cache in between."},
    {"take-write",
     "At the loop {old} of {where}, the result is written through {uses}, <and a cache is to collect it|which a cache "
     "is to collect>."},
    {"take-write", "Inside {old} in {where} the body updates {uses}; the updates <are moved|go> to a cache first."},
    {"take-write",
     "The body of {old} in {where} produces its result in {uses}; it is now <collected|accumulated> close by and "
     "written back once."},
    {"uses", "There {are_uses} to <redirect|send there>."},
    {"uses", "In all, {uses_words} {is_redirected} redirected to the cache."},
    {"uses", "<I count|There is a total of> {uses_words} in the body of the loop."},
    {"footprint", "What one round touches is a box of {box}, and that is the shape of the cache."},
    {"footprint",
     "The footprint of one round is regular, {box}, <so the cache gets this shape|which fixes the shape of the "
     "cache>."},
    {"footprint", "For one round a cache of {box} <suffices|is enough>."},
    {"footprint-scalar", "One round touches a single element, <so|hence> the cache is a scalar."},
    {"footprint-scalar", "The footprint of one round is just one element, so a scalar <suffices|is enough>."},
    {"footprint-scalar", "A scalar is enough, <because|since> only one element is touched per round."},
    {"placement", "The cache lives in {scope}, and copy and uses stand in one kernel under matching thread loops."},
    {"placement", "It <is placed|lives> in {scope}; both the copying nest and the uses belong to the same kernel."},
    {"placement", "Its scope is {scope}, which <every|each> use can see from where it stands."},
    {"size", "The device has <room|space> for it."},
    {"size", "That fits <easily into|into> the memory of the device."},
    {"size", "Its size is within the limits of the device."},
    {"unchanged", "Nothing in the body writes the original, <so|hence> the copy does not go stale."},
    {"unchanged", "The source is only read in the body; a staged element <stays|remains> valid for the whole round."},
    {"unchanged", "During a round no element of the source changes."},
    {"whole",
     "The result is produced entirely within the body, <so|hence> nothing from outside has to be loaded first."},
    {"whole", "The cache starts fresh: no earlier value of the result is needed in the body."},
    {"whole", "All contributions to a cached element come from this body, <made|produced> by one owner alone."},
    {"become-read", "Staging is done by {copies}, and this fills {cache}."},
    {"become-read", "Before the uses the <fresh|new> cache {cache} is loaded by {copies}."},
    {"become-read", "I <insert|add> {copies} to fill {cache} with what the round needs."},
    {"become-write", "The new parts are {copies}, working on the <fresh|new> cache {cache}."},
    {"become-write", "Around the uses I <add|put> {copies}; {cache} holds the result in the meantime."},
    {"become-write", "Cache {cache} and original are <connected|linked> by {copies}."},
    {"guarded",
     "Where the box sticks out of the source, a condition <supplies a neutral value|fills in a neutral value> or skips "
     "the element."},
    {"guarded", "Elements of the box that do not exist in the source are <masked|handled> by a condition."},
    {"guarded", "Part of the box may lie outside of the source, and that part is guarded."},
    {"dropped", "As the filler is neutral, {dropped_words} around the uses can <be dropped|go>."},
    {"dropped", "The neutral filling makes {dropped_words} at the uses superfluous."},
    {"dropped", "Thanks to the filling, {dropped_words} <may go|can be left out>."},
    {"identity", "An explicit <initialization|assignment> gives the accumulator its identity at the start."},
    {"identity", "Because a cached accumulator starts undefined in each round, its identity is written out first."},
    {"identity", "The first of them <sets|initializes> the accumulator to its identity."},
    {"renamed",
     "In the body {source} is <replaced by|exchanged for> {cache} with subscripts relative to the box: {results}."},
    {"renamed", "The uses <now name|refer to> {cache} instead of {source}, as in {results}."},
    {"renamed", "Redirected from {source} to {cache}, the accesses become {results}."},
    {"redirected", "The uses <read|refer to> {cache} instead: {results}."},
    {"redirected", "In the body the value <is taken|comes> from {cache}: {results}."},
    {"redirected", "Redirected to {cache}, the accesses become {results}."},
    {"why-read",
     "<This|The step> is legal <because|since> {cache} holds everything that is read in one round of {index}, and "
     "nothing in that round changes it."},
    {"why-read", "Every redirected read finds in {cache} the very value it would have found in the original."},
    {"why-read", "Since the cache covers the footprint and is filled before it is used, all values stay the same."},
    {"why-write",
     "<It|The step> is legal <because|since> all that one round of {index} contributes is collected in {cache} and "
     "then stored once."},
    {"why-write",
     "Collecting first and storing later leaves the same value in the original, as nobody reads it in between."},
    {"why-write",
     "At the end of a round of {index} the original holds exactly what the direct updates would have left."},
    {"back", "Loops and equations around the body <stay|remain> as they were."},
    {"back", "The body of {where} is otherwise <kept|left> in its order."},
    {"back", "No other access is affected."},
};

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

void bind_cache(Teller& teller) {
  const Facts& facts = teller.facts;
  std::vector<Site> uses;
  for (const Part& part : facts.removed) uses.push_back(part.site);
  bind_where(teller);
  teller.bind_before("old", teller.choice.at);
  teller.bind_name("index", loop_at(*teller.before.program, teller.choice.at)->index);
  teller.bind("uses", places_of(teller.before, uses, teller.choice.at.items[0]));
  const auto count = static_cast<std::int64_t>(uses.size());
  teller.bind("are_uses", (count == 1 ? "is " : "are ") + counted(count, "use", "uses"));
  teller.bind("is_redirected", count == 1 ? "is" : "are");
  std::vector<TracePieces> copies;
  for (const Part& part : facts.added) copies.push_back(nest_of(teller.after, part.site));
  teller.bind("copies", list_of(std::move(copies)));
  const std::string cache = teller.word("cache");
  std::vector<Site> results;
  for (const Site& site : accesses_below(*teller.after.program, {teller.choice.at.items[0]}, cache)) {
    if (!is_inside(site, facts.added)) results.push_back(site);
  }
  teller.bind("results", places_of(teller.after, results, teller.choice.at.items[0]));
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
}

constexpr std::string_view kIndicesGeneral[] = {
    "Precompute indices takes an address calculation out of the inner loops. The values of a calculated subscript are "
    "stored in a table of integers once, and the access looks its subscript up in the table.",
    "A subscript that involves arithmetic is evaluated again and again. A small integer table can hold all its values; "
    "the read then becomes an indirect one, with the table supplying the position.",
    "Index arithmetic can cost as much as the arithmetic on data. Tabulating a calculated subscript moves that cost to "
    "a preparatory nest and makes the main nest simpler.",
    "The idea is to separate where to read from what to compute. Positions are worked out first and written to a "
    "lookup table, then the computation uses the table.",
    "By storing the results of a subscript calculation, quotients, remainders and offsets disappear from the main "
    "expression. What remains is a gather through a table.",
};
constexpr Phrase kIndicesPhrases[] = {
    {"take", "The calculated subscript is {part}, in the access {access} of {where}."},
    {"take", "<In {where}|Within {where}> the access {access} <has|contains> the subscript calculation {part}."},
    {"take", "<I tabulate|What gets tabulated is> {part}, a subscript of {access} in {where}."},
    {"calculated",
     "It is more than a plain index: it depends on {loops_words}, <so there is something to precompute|and is worth a "
     "table>."},
    {"calculated", "The calculation <involves|depends on> {loops_words} and reads no tensor."},
    {"calculated", "Being a genuine calculation over {loops_words}, it qualifies for a table."},
    {"not-written",
     "The tensor it addresses is not written in this expression, <so no dependence gets hidden|hence an indirect "
     "access hides nothing>."},
    {"not-written", "Going through a table hides no dependence, <since|because> the tensor is only read here."},
    {"not-written", "Nothing in the expression writes the tensor that is read through the table."},
    {"in-range",
     "For all values of the loops the position is in range, <so|hence> the table may be filled unconditionally."},
    {"in-range",
     "Every position that can come up lies inside the tensor, <without any condition|even without guards>."},
    {"in-range", "No value of the calculation leaves the tensor, <so|hence> a full table is safe."},
    {"memory", "The table <has|gets> {elements_words}."},
    {"memory", "That takes a table of {elements_words}, which is acceptable."},
    {"memory", "As a table of 64-bit integers <it has|it takes> {elements_words}."},
    {"become", "The table {tensor} is filled by {table}."},
    {"become", "A preparatory nest, {table}, computes all positions into {tensor}."},
    {"become", "First comes {table}, <with|so that> the fresh tensor {tensor} <holding|holds> the positions."},
    {"reader", "The access itself <turns into|becomes> {result}."},
    {"reader", "In the main expression the lookup replaces the arithmetic: {result}."},
    {"reader", "<Then|After that> {access} is rewritten as {result}, which looks the position up."},
    {"why",
     "<It|The step> is legal, <since|because> the table holds for every combination of the loops exactly the value of "
     "the calculation, in integers wide enough for any subscript."},
    {"why", "A lookup returns the same position as the arithmetic did, <so|hence> the same elements are read."},
    {"why", "Integers are stored without rounding, and the table is never written again; the positions are the same."},
    {"back",
     "The table nest stands directly before {where}, <which is otherwise unchanged|whose other accesses stay>."},
    {"back", "Placed ahead of its only user, the table leaves the rest of the program <alone|as it is>."},
    {"back", "All other subscripts are left as they were."},
};

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

constexpr Wording kWordings[] = {
    {"cache_read_write", kCacheGeneral, kCachePhrases, tell_cache},
    {"precompute_indices", kIndicesGeneral, kIndicesPhrases, tell_indices},
};

}  // namespace

std::span<const Wording> cache_wordings() { return kWordings; }

}  // namespace steptp
