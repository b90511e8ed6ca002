// compute_inline, expression_splitting, common_subexpression_elimination
#include <algorithm>
#include <string>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/reasoning/wordings.h"
#include "steptp/text/printer.h"

namespace steptp {

namespace {

constexpr std::string_view kInlineGeneral[] = {
    "Compute inline gets rid of an intermediate tensor. Wherever the tensor is read, its defining expression is "
    "written instead, with indices adapted to the place of use. Memory traffic is traded for recomputation.",
    "An intermediate value can be stored and read back, or computed where it is needed. Inlining chooses the second: "
    "the definition is substituted into its readers, and the tensor vanishes.",
    "Inlining works like substituting a formula into another one. It needs a definition that is the only one, that "
    "does not accumulate, and whose operands still have the same values where the tensor is used.",
    "A tensor that is defined pointwise does not have to exist. By inlining its definition into all uses the program "
    "loses one pass over memory, and larger expressions appear that algebra can work on.",
    "To inline a computation is to replace each read of a tensor by the right side of its equation. The subscripts at "
    "the read tell which iteration of the definition is meant.",
};
constexpr Phrase kInlinePhrases[] = {
    {"take", "The intermediate to inline is {tensor}, defined in {where} by {definition}."},
    {"take", "In {where} there is the definition {definition}; {tensor} is the tensor that <is to disappear|goes>."},
    {"take", "<I inline|I get rid of> {tensor}, whose definition is {definition} in {where}."},
    {"uses", "It is read <at|as> {uses}."},
    {"uses", "Its value is <used|needed> as {uses}."},
    {"uses", "The {places} to fill in: {uses}."},
    {"unchanged",
     "{tensor} has {uses_words}, and nothing that the definition reads is overwritten <before|until then>."},
    {"unchanged",
     "{tensor} has this one equation, which does not accumulate, and the operands keep their values until they are "
     "needed (there is a total of {uses_words})."},
    {"unchanged",
     "Between the definition and its {uses_words} no operand changes, <so|hence> a recomputation <gives|yields> the "
     "same value."},
    {"invertible",
     "The left subscripts tell which iteration wrote an element of {tensor}, <so|hence> the right instance of the "
     "definition can be found at <every|each> use."},
    {"invertible",
     "From the subscripts of a read one can solve for the loop indices of the definition, <because|since> each element "
     "of {tensor} is written by one iteration."},
    {"invertible",
     "Each element of {tensor} belongs to exactly one iteration of the definition, which makes the indices at a use "
     "well determined."},
    {"conversion",
     "Storing into {dtype} converts nothing, <so skipping the store loses nothing|and so the store can be skipped>."},
    {"conversion", "No rounding to another type is hidden in the store: both sides are {dtype}."},
    {"conversion",
     "The value already is of the type of the tensor, {dtype}, <so no conversion is dropped|and no conversion gets "
     "lost>."},
    {"substitution", "<To match|Matching> the subscripts at the use, {renaming}."},
    {"substitution", "In the inserted copy of the definition {renaming}."},
    {"substitution", "<Where the definition is inserted|At the place of use>, {renaming}."},
    {"become", "With the definition <inserted|filled in>, the {readers_word} {reads} {results}."},
    {"become", "After the substitution {results} {is_word} what {remains}."},
    {"become", "The <rewritten|new> {readers_word} {reads} {results}."},
    {"why",
     "It is legal <because|since> each element of {tensor} is written once and its ingredients are the same at the "
     "place of use."},
    {"why",
     "Recomputing gives the stored value, <since|because> every operand is still what it was when {tensor} was made."},
    {"why", "A read of {tensor} and the inlined expression have the same value, <so|hence> no result changes."},
    {"back", "The definition is then deleted, and with it {tensor}."},
    {"back", "Nothing reads {tensor} any more, <so|hence> its equation is removed from {where}."},
    {"back", "<Finally|In the end> {definition} is taken out of the program, as it has no reader left."},
};

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

constexpr std::string_view kSplittingGeneral[] = {
    "Expression splitting takes a sub-expression out of an equation and computes it into a tensor of its own. The "
    "equation becomes shorter, and the part can be scheduled, cached or shared separately.",
    "A long right side can be broken up by naming one of its parts. The part gets an equation that stores it, and the "
    "original equation reads the stored value instead. This is inlining in reverse.",
    "Splitting an expression introduces an intermediate. It costs memory, but it decouples the evaluation of the part "
    "from the evaluation of the whole, so that both can have loops of their own.",
    "The step extracts a common-sense building block: one sub-expression, evaluated first for all values of the "
    "indices in it, then looked up where it used to stand.",
    "To split an expression, choose a part that always gets evaluated, give it a name, compute it ahead of time, and "
    "put the name where the part was.",
};
constexpr Phrase kSplittingPhrases[] = {
    {"take", "The part to <pull out|extract> is {part}, which stands in {equation}."},
    {"take", "From {equation} in {where} <I extract|we pull out> the part {part}."},
    {"take", "<In {where}|Within {where}> the equation {equation} contains {part}, and this part is split off."},
    {"computes", "It is a genuine computation with a result made of {dtype}, <not just|more than> a number or a read."},
    {"computes", "The part <computes something|is a computation>, and its values are {dtype}."},
    {"computes", "A tensor of {dtype} can hold its values, and there is real work in it."},
    {"always",
     "It is evaluated unconditionally, <so|hence> computing it ahead of time reads nothing that was protected."},
    {"always", "No branch of a conditional guards it, <hence|so> evaluating it early is harmless."},
    {"always", "<Since|As> it stands under no condition, all its reads are in range in any case."},
    {"not-written", "Nothing it reads is written {place_words}, <so|hence> its value is already final there."},
    {"not-written", "Its operands do not change {place_words}."},
    {"not-written",
     "As no operand is written {place_words}, the value is the same when it is computed <earlier|ahead of time>."},
    {"memory", "The new tensor has {elements_words}, which is within the <limit|bounds>."},
    {"memory", "It <takes|needs> {elements_words} to store it."},
    {"memory", "Storing it <takes|means> {elements_words}, well below the limit."},
    {"become", "A new definition is added {place_added}: {definition}."},
    {"become", "So the <fresh|new> tensor {tensor} is defined by {definition}, {place_added}."},
    {"become", "{definition} now computes the part, {place_added}, into the <fresh|new> {tensor}."},
    {"reader", "The original equation shrinks to {reader}."},
    {"reader", "In the <old|original> equation {tensor} takes the place of the part: {reader}."},
    {"reader", "What is left of the equation <is|reads> {reader}."},
    {"why",
     "<It|The step> is legal <because|since> {tensor} has one element for each combination of the indices in the part, "
     "and reading that element gives exactly the value the part had."},
    {"why",
     "Each read of {tensor} finds what evaluating the part would have given, <so|hence> nothing changes in the "
     "result."},
    {"why",
     "Storing and reading back in the type of the part alters no bit, and the operands are the same at both places."},
    {"back", "All other equations remain as they were."},
    {"back", "The <rest|remainder> of the program is <not affected|left alone>."},
    {"back", "With the definition in front and the shortened equation behind it, the program is complete again."},
};

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
}

constexpr std::string_view kCommonGeneral[] = {
    "Common subexpression elimination looks for a computation that is written down more than once, performs it a "
    "single time into a new tensor, and lets every occurrence read the stored result.",
    "Computing the same thing twice is waste. If several equations contain the same sub-expression, up to the names of "
    "their loops, one evaluation is enough for all of them.",
    "The step shares work between equations. A repeated sub-expression gets a definition of its own ahead of its first "
    "occurrence, and all occurrences become reads of it.",
    "Redundancy between equations can be removed by naming the repeated part. It must mean the same at every "
    "occurrence: same operations, same tensors, corresponding loops of equal extent.",
    "Eliminating a common subexpression replaces several identical computations by one definition and several reads. "
    "It pays off when the computation is dearer than a read.",
};
constexpr Phrase kCommonPhrases[] = {
    {"take", "A computation is repeated here: {places}."},
    {"take", "<I find|We see> the same computation several times: {places}."},
    {"take", "More than once the program computes <the same thing|one and the same value>: {places}."},
    {"identical", "That <makes|is> {occurrences} occurrences of the same operations on the same tensors."},
    {"identical", "{all_occurrences} are <identical|the same> up to the names of loops."},
    {"identical", "Operation by operation {all_occurrences} agree, loop names aside."},
    {"same-loops",
     "They run over {loops_words}, with equal extents everywhere, <so|hence> one tensor serves all of them."},
    {"same-loops", "Corresponding loops, {loops_words} in all, have the same extents."},
    {"same-loops", "The indices involved belong to {loops_words}, with the same range at <every|each> occurrence."},
    {"complete", "Everything it reads is complete before the first occurrence and not written afterwards."},
    {"complete",
     "Its operands have their final values before the first occurrence, <so|hence> one early evaluation is valid for "
     "all."},
    {"complete", "No operand <is written|changes> again once the first occurrence is reached."},
    {"become", "The shared value is <defined|computed> by {definition}."},
    {"become", "One definition is enough: {definition} stores it in the <fresh|new> tensor {tensor}."},
    {"become", "I add {definition}, which computes the value once into {tensor}."},
    {"reads", "The equations that contained it read {tensor} instead: {results}."},
    {"reads", "Each occurrence turns into a read of {tensor}; the equations become {results}."},
    {"reads", "With {tensor} in the place of <every|each> occurrence, we <have|get|obtain> {results}."},
    {"why",
     "<This|The step> is legal <because|since> all occurrences would have produced the very value that {tensor} "
     "holds."},
    {"why", "Sharing changes no value: the same operations on the same final operands give the same number."},
    {"why", "Since the operands do not change between the occurrences, one evaluation stands for all."},
    {"back",
     "The definition comes first, ahead of the expression with the first occurrence, and the program is otherwise as "
     "before."},
    {"back", "The new nest precedes the first reader; other equations are <untouched|unchanged>."},
    {"back", "Everything else <stays|remains> in place behind the new definition."},
};

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
  teller.say_preconditions();
  teller.say("become");
  teller.say("reads");
  teller.say("why");
  teller.say("back");
}

}  // namespace

std::span<const Wording> definition_wordings() {
  static constexpr Wording kWordings[] = {
      {"compute_inline", kInlineGeneral, kInlinePhrases, tell_inline},
      {"expression_splitting", kSplittingGeneral, kSplittingPhrases, tell_splitting},
      {"common_subexpression_elimination", kCommonGeneral, kCommonPhrases, tell_common},
  };
  return kWordings;
}

}  // namespace steptp
