// layout_transformation, set_storage_layout, set_storage_scope
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/reasoning/wordings.h"

namespace steptp {

namespace {

constexpr std::array<std::string_view, 8> kOrdinals = {"first", "second", "third",   "fourth",
                                                       "fifth", "sixth",  "seventh", "eighth"};

std::vector<std::string> ordinals_of(const std::string& dimensions) {
  std::vector<std::string> out(1);
  std::size_t number = 0;
  const auto name = [&] { return std::string(number < kOrdinals.size() ? kOrdinals[number] : "last"); };
  for (const char c : dimensions) {
    if (c == ',') {
      out.back() = name();
      out.emplace_back();
      number = 0;
    } else {
      number = number * 10 + static_cast<std::size_t>(c - '0');
    }
  }
  out.back() = name();
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    append(out, i == 0 ? "" : i + 1 == words.size() ? " and " : ", ", words[i]);
  }
  return out;
}

/// What happens to the dimensions, as the end of a sentence: "the dimensions ...".
std::string layout_words(const std::string& form, const std::string& dimensions, std::int64_t number) {
  if (form == "expand") return "one more dimension is added at the end";
  const std::vector<std::string> which = ordinals_of(dimensions);
  const auto in_order = join(which, ", ", [](const std::string& word) { return word; });
  if (form == "transpose" && which.size() == 2) return "the two dimensions are exchanged";
  if (form == "transpose") return concat("the dimensions are permuted into the order ", in_order);
  if (form == "flatten") {
    const std::string padding = number > 0 ? concat(", with ", number, " unused after each run") : std::string();
    return concat("all dimensions are laid out as one (from slowest to fastest: ", in_order, ")", padding);
  }
  if (form == "merge") return concat("the ", joined(which), " dimensions are merged into one");
  if (form == "split") return concat("the ", which[0], " dimension is split into quotient and remainder by ", number);
  if (form == "rotate") return concat("the ", which[0], " dimension is rotated by the ", which.back(), " subscript");
  return concat("the ", which[0], " dimension is given up");
}

constexpr std::string_view kTransformGeneral[] = {
    "Layout transformation gives an operator a rearranged copy of one of its operands. The copy holds the same "
    "elements in another order in memory, so that the operator can read them contiguously or without conflicts.",
    "How a tensor lies in memory matters for the speed of its readers. This strategy inserts a nest that repacks an "
    "operand into a better layout, and redirects the reads of one expression to the repacked copy.",
    "Repacking an operand is worth a copy if the operand is read often. The values are the same; only their addresses "
    "change, and the subscripts of the reads change accordingly.",
    "A transposed, flattened or blocked copy of an operand can make accesses regular. The copy is made once the "
    "operand is complete, and the expression then uses the copy instead.",
    "The layout of an operand is changed by copying: first a nest that moves each element to its new place, then the "
    "old computation on the new arrangement.",
};
constexpr Phrase kTransformPhrases[] = {
    {"take", "The operand {tensor} is read in {where} at {uses}."},
    {"take",
     "<In {where}|Within {where}> the reads of {tensor} are {uses}; these are redirected to <a copy|a repacked copy>."},
    {"take", "<I repack|The tensor to repack is> {tensor}, which {where} reads as {uses}."},
    {"operand", "{where} does real work with {tensor}, so a better layout <can pay off|makes sense>."},
    {"operand", "{tensor} is a proper operand here, <not just something that gets copied|used in a computation>."},
    {"operand", "The expression computes with {tensor} <rather than|and does more than> merely copying it."},
    {"complete",
     "All elements of {tensor} have their final values before {where} starts, <so|hence> the copy can be made there."},
    {"complete",
     "Nothing writes {tensor} in {where} or later, <hence a copy does not go stale|so a copy stays valid>."},
    {"complete", "At this point {tensor} is complete, and it is not written again."},
    {"fits", "The operand has {elements_words}, <and the copy has room for each of them|which the copy can hold>."},
    {"fits", "With {elements_words} to move, the copy <stays|remains> within the size limit."},
    {"fits", "Size is no obstacle: the operand has {elements_words}."},
    {"become", "In the new layout {change}; the repacking nest is {copy_nest}."},
    {"become", "The copy {copy} is <made|produced> by {copy_nest}, in which {change}."},
    {"become", "{copy_nest} <fills|writes> {copy}, where {change}."},
    {"reads", "The expression behind it reads {copy} instead of {tensor}: {results}."},
    {"reads",
     "In the computation {tensor} is <replaced by|exchanged for> {copy} with <rearranged|matching> subscripts: "
     "{results}."},
    {"reads", "Redirected to {copy}, the reads become {results}."},
    {"why",
     "Each element of {tensor} has exactly one place in {copy}, <so|hence> every read finds the value it found "
     "before."},
    {"why", "The map between the layouts is one to one, <therefore|so> the redirected reads return the same values."},
    {"why",
     "It is legal, <because|since> repacking loses no element and the subscripts of the reads apply the same map."},
    {"back",
     "The copy goes directly before the expression that uses it; {tensor} itself <stays|remains> for its other "
     "readers."},
    {"back",
     "Other expressions, if there are any, keep reading {tensor}, and the repacking nest is inserted just ahead of its "
     "reader."},
    {"back",
     "Nothing else in the program refers to {copy}; <the remaining text is unchanged|all else stays the same>."},
};

std::vector<Site> sites_of(const std::vector<Part>& parts) {
  std::vector<Site> out;
  for (const Part& part : parts) out.push_back(part.site);
  return out;
}

void tell_transformation(Teller& teller) {
  const Facts& facts = teller.facts;
  const std::uint32_t expression = facts.added[0].site.items[0];
  bind_where(teller);
  teller.bind("uses", places_of(teller.before, sites_of(facts.removed), teller.choice.at.items[0]));
  teller.bind("change", layout_words(teller.word("form"), teller.word("dimensions"), teller.integer("number")));
  teller.bind("copy_nest", nest_of(teller.after, facts.added[0].site));
  std::vector<std::uint32_t> reader = facts.added[0].site.items;
  ++reader.back();
  const std::vector<Site> results = accesses_below(*teller.after.program, reader, teller.word("copy"));
  teller.bind("results", results.empty() ? nest_of(teller.after, {reader, Site::Part::item, {}, {}})
                                         : places_of(teller.after, results, expression + 1));
  teller.say("take");
  teller.say_preconditions();
  teller.say("become");
  teller.say("reads");
  teller.say("why");
  teller.say("back");
}

constexpr std::string_view kLayoutGeneral[] = {
    "Set storage layout changes where the elements of an intermediate tensor are kept, without making a copy: all "
    "writes and all reads get new subscripts by one and the same map.",
    "An intermediate tensor is private to the program, so its arrangement in memory is ours to choose. This strategy "
    "chooses another one and applies it to every access consistently.",
    "Where a layout is only seen by the program itself, it can be changed in place. Elements may be permuted, packed "
    "into fewer dimensions, or share places if they are never needed at the same time.",
    "Changing the storage layout of an intermediate rewrites subscripts and nothing else. The values that flow from "
    "writers to readers are the same as long as the addressing is consistent.",
    "The step redefines the shape in which an intermediate is stored. Since producer and consumers are all in view, "
    "they can be switched over together.",
};
constexpr Phrase kLayoutPhrases[] = {
    {"take", "The tensor is {tensor}, and these are its accesses: {accesses}."},
    {"take", "<All|Taken together, the> accesses to {tensor} are {accesses}."},
    {"take", "{tensor} is accessed as {accesses}, <and all of these change|which is what has to be rewritten>."},
    {"intermediate",
     "{tensor} is an intermediate, neither given nor returned, <so its arrangement is free|which leaves its layout "
     "open>."},
    {"intermediate", "Nobody outside sees {tensor}, <because it is|as it is> a pure intermediate."},
    {"intermediate",
     "It is permitted to touch the layout, <since|because> {tensor} is no known variable of the program."},
    {"fits", "It has {elements_words} at present, and the new arrangement <stays|remains> within the limits."},
    {"fits", "Its {elements_words} <find room|fit> in the new arrangement."},
    {"fits", "The size, {elements_words}, is no obstacle."},
    {"lifetimes",
     "Elements along the dropped dimension are never alive together: one is written only after the <last|final> read "
     "of the one before."},
    {"lifetimes",
     "Lifetimes do not overlap along that dimension, <so the elements can share a place|and sharing one place is "
     "safe>."},
    {"lifetimes", "When an element is written, its predecessor along that dimension is no longer needed."},
    {"own-iteration",
     "Each iteration of {loop} reads only what it has written itself, <so|hence> giving it a slot of its own changes "
     "nothing."},
    {"own-iteration", "No value of {tensor} passes from one iteration of {loop} to another."},
    {"own-iteration", "Within {loop} <every|each> read is preceded by a write of the same iteration."},
    {"recurrence",
     "{tensor} is a recurrence over {loop} that only looks one step back, <so|hence> <two values suffice|the current "
     "and the previous value are enough>."},
    {"recurrence",
     "Along {loop} the recurrence reads its current and its previous element and, behind the loop, the last one."},
    {"recurrence", "Only the latest value is ever needed while {loop} advances, besides the one before it."},
    {"become", "In the new layout {change}, <so|and> the accesses turn into {results}."},
    {"become", "The map is simple: {change}; the rewritten accesses are {results}."},
    {"become", "From now on {change}; accordingly <we write|the accesses are> {results}."},
    {"rolling",
     "Instead of the whole history, {tensor} keeps its latest value and {previous} the one before, which "
     "<gives|yields> {results}."},
    {"rolling",
     "The history is rolled up: {previous} remembers the previous value while {tensor} is overwritten, as in "
     "{results}."},
    {"rolling", "A <fresh|new> {previous} holds what {tensor} was one step ago; the accesses are now {results}."},
    {"why", "Writers and readers use the same map, and it is one to one, <so|hence> each read finds its own element."},
    {"why", "<It|The step> is legal <because|since> different elements keep different places, in every access alike."},
    {"why", "No two elements collide under the new addressing, hence every value arrives where it is expected."},
    {"why-shared",
     "<It|The step> is legal <because|since> elements that come to share a place are not needed at the same time."},
    {"why-shared", "Sharing is safe, as an element is only overwritten when nobody will read it again."},
    {"why-shared",
     "Every read still finds the value meant for it, <since|because> the place is reused only afterwards."},
    {"why-own",
     "<It|The step> is legal <because|since> every value is read in the iteration that made it, where the subscript is "
     "the same."},
    {"why-own",
     "Write and read of a value happen under one value of {loop}, <so|hence> both address the same new element."},
    {"why-own", "The additional subscript is equal at the write and at its reads, and no value gets lost."},
    {"back", "Loops and equations <stay|remain> where they are; only these subscripts differ."},
    {"back", "The program keeps its structure, with {tensor} addressed in the new way throughout."},
    {"back", "No other tensor is affected, and the rest of the text <stays|remains> the same."},
};

void tell_layout(Teller& teller) {
  const Facts& facts = teller.facts;
  const std::string form = teller.word("form");
  teller.bind("accesses", places_of(teller.before, sites_of(facts.removed)));
  const bool same_numbers = teller.before.program->nests.size() == teller.after.program->nests.size();
  teller.bind("results", places_of(teller.after, sites_of(facts.added), std::nullopt, same_numbers));
  teller.bind("change", layout_words(form, teller.word("dimensions"), teller.integer("number")));
  if (form == "rolling") teller.bind_name("previous", teller.word("previous"));
  teller.say("take");
  teller.say_preconditions();
  teller.say(form == "rolling" ? "rolling" : "become");
  teller.say(form == "expand" ? "why-own" : form == "drop" || form == "rolling" ? "why-shared" : "why");
  if (form != "rolling" && form != "drop") teller.say("back");
}

constexpr std::string_view kScopeGeneral[] = {
    "Set storage scope moves an intermediate tensor to another level of the memory hierarchy: global memory, the "
    "shared memory of a block, or the registers of a thread. Faster memory is smaller and private, so ownership is "
    "what has to be checked.",
    "Where a tensor lives decides who can see it. An intermediate that is only used within one block or one thread "
    "need not go through global memory, and this strategy relocates it.",
    "Each scope is a promise: data in thread-local memory is used by one thread only, data in shared memory by one "
    "block only. If all accesses to an element come from the same owner, the scope can be narrowed.",
    "Changing the scope of a tensor changes no equation and no subscript; it changes the memory behind the name. "
    "Everything depends on whether writers and readers of an element are the same thread or block.",
    "Memory close to the processor is fast but not visible to everybody. The step selects the memory for one "
    "intermediate and rewrites the scope mark in each of its accesses.",
};
constexpr Phrase kScopePhrases[] = {
    {"take", "The tensor {tensor} currently lives in {from}; its accesses are {accesses}."},
    {"take", "{tensor} is kept in {from}, <and it is|where it is> accessed as {accesses}."},
    {"take",
     "<I relocate|The tensor to relocate is> {tensor}, <so|hence> far in {from}, with the accesses {accesses}."},
    {"intermediate", "{tensor} is neither an input nor an output, <so|hence> its memory is ours to choose."},
    {"intermediate", "As a pure intermediate, {tensor} may <live anywhere|be placed freely>."},
    {"intermediate", "No caller ever looks at {tensor}, <because|since> it is neither given nor returned."},
    {"placement",
     "One kernel touches it, under the same bound loops everywhere, which is what {scope} <demands|asks for>."},
    {"placement",
     "All its accesses lie in a single kernel and inside the same loops over hardware axes, as {scope} needs."},
    {"placement",
     "For {scope} the accesses have to be in one launch under matching bound loops, <and they are|which is the case>."},
    {"placement-global", "Global memory is visible to <every|each> kernel, <so|hence> placement is no question."},
    {"placement-global", "Every thread of every launch can reach global memory."},
    {"placement-global", "No bound loop has to match, as global memory belongs to all."},
    {"ownership", "Whoever reads an element is in the same {owner} as whoever wrote it, just as before."},
    {"ownership", "Ownership is <preserved|kept>: an element is written and read within one {owner}."},
    {"ownership", "No element is <handed|passed> from one {owner} to another."},
    {"size", "The data fits <into the memory of the device|in the space the device has for it>."},
    {"size", "There is enough room for it <in that memory|there>."},
    {"size", "Its size is within what {to} offers."},
    {"become", "With the scope changed to {to}, the accesses read {results}."},
    {"become", "<Every|Each> access gets the new scope, {to}: {results}."},
    {"become", "Now {tensor} is in {to}, <written|and appears as> {results}."},
    {"why", "Each read finds the value that its own {owner} has written, <so|hence> nothing changes in the results."},
    {"why",
     "<It|The step> is legal: within one {owner} the private copy behaves exactly like the <old|original> storage."},
    {"why", "Since writer and reader always belong to the same {owner}, the relocation cannot be noticed."},
    {"back", "Subscripts, loops and all <other|remaining> tensors <stay|remain> as they are."},
    {"back", "The equations are the same as before but for this mark."},
    {"back", "Nothing has to be rearranged in the program, only the scope of {tensor} is rewritten everywhere."},
};

void tell_scope(Teller& teller) {
  const Facts& facts = teller.facts;
  const std::string to = teller.word("to");
  teller.bind("accesses", places_of(teller.before, sites_of(facts.removed)));
  teller.bind("results", places_of(teller.after, sites_of(facts.added)));
  teller.bind("owner", (to == "g" ? teller.word("from") : to) == "s" ? "block" : "thread");
  teller.say("take");
  for (const Holds& one : facts.holds) {
    teller.bind_values(one.values);
    const std::string_view id = one.precondition->id;
    teller.say(id == "placement" && to == "g" ? "placement-global" : id);
  }
  teller.say("become");
  teller.say("why");
  teller.say("back");
}

constexpr Wording kWordings[] = {
    {"layout_transformation", kTransformGeneral, kTransformPhrases, tell_transformation},
    {"set_storage_layout", kLayoutGeneral, kLayoutPhrases, tell_layout},
    {"set_storage_scope", kScopeGeneral, kScopePhrases, tell_scope},
};

}  // namespace

std::span<const Wording> storage_wordings() { return kWordings; }

}  // namespace steptp
