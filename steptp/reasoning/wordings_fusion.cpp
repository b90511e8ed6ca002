// operator_fusion, operator_fission, dead_code_elimination
#include "steptp/reasoning/wordings.h"

namespace steptp {

namespace {

constexpr std::string_view kFusionGeneral[] = {
    "Operator fusion merges two loop nests that run over the same range into one. Producer and consumer then work on "
    "an element while it is still at hand, and a pass over memory, often a whole kernel launch, is saved.",
    "Two operators with matching loops need not be two passes. Fusing them puts both bodies under one header, so that "
    "each iteration does the work of the first and then the work of the second operator.",
    "Fusing nests shortens the distance between a value and its use. The condition is that the second nest never needs "
    "something that the first one would only produce in a later iteration.",
    "When adjacent nests have the same outer loops, these loops can be shared. The bodies are executed one behind the "
    "other inside them; what changes is that the second operator no longer waits for the whole first operator.",
    "Operator fusion is the classic remedy for memory-bound chains of operators: instead of writing a whole tensor "
    "and reading it again, the program interleaves both operators, iteration by iteration.",
};
constexpr Phrase kFusionPhrases[] = {
    {"take", "The nests to fuse are {first} <and|and, behind it,> {second}."},
    {"take", "<I take|Here we have> {first} <as the first operator|first> and {second} as the one to merge with it."},
    {"take", "One operator is {first}, <the other|the one to be fused with it> is {second}."},
    {"same-loops",
     "Their first {depth_words} <agree|match> in kind, extent and axis, {common}, so a common header exists."},
    {"same-loops", "<Both|The two> headers begin alike: {common} covers {depth_words} that can be shared."},
    {"same-loops", "Comparing headers, they <coincide|agree> in {depth_words} from the outside, namely {common}."},
    {"forward",
     "The dependence goes forward only: whatever the second nest reads of the first has been produced in the same or "
     "an earlier iteration of the shared loops."},
    {"forward",
     "No iteration of the second operator would run too early, <because|since> the elements it touches are finished by "
     "the first operator in the same iteration or before."},
    {"forward",
     "I check that fusing does not let the consumer overtake the producer, and it does not: <every|each> element is "
     "<ready|complete> when the second body asks for it."},
    {"races",
     "Different values of shared parallel or bound loops touch different elements, so no race <arises|is introduced>."},
    {"races",
     "Across shared bound or parallel loops no element is passed on, <hence|so> the fused nest is free of races."},
    {"races",
     "Threads and blocks of the shared loops stay on their own elements, <which excludes races|and a race cannot "
     "occur>."},
    {"between", "Nothing stands between the two nests."},
    {"between", "The nests are direct neighbours, so nothing is jumped over."},
    {"between", "No other item <lies|stands> between them <that would have to move|>."},
    {"jumped",
     "Between them {items_words} <moves|stand> aside, behind the fused nest, which is allowed <because|since> the "
     "second operator does not depend on it."},
    {"jumped", "The second nest moves up past {items_words} without conflict."},
    {"jumped", "There is something in between, {items_words}, <but|and> the second nest may overtake it."},
    {"renamed", "To share the header, the second body uses the names of the first: {renamings}."},
    {"renamed", "The loops have different names, <so|hence> in the second nest {renamings}."},
    {"renamed", "<Renaming|Some renaming> is needed in the second nest: {renamings}."},
    {"become", "<Merged|United> under {header}, the bodies are {body}."},
    {"become", "The fused nest has the single header {header}, and inside it run, in this order, {body}."},
    {"become", "One nest <remains|is left>, {header} around {body}."},
    {"why",
     "Each iteration computes the same elements as before, only the second operator follows at once; <this is legal by "
     "the dependence check|the forward dependence makes this legal>."},
    {"why",
     "Since both operators see the same inputs as in two separate passes, <the results are identical|no value "
     "changes>."},
    {"why",
     "Interleaving the operators is invisible in the results, as <every|each> read still finds the value it found "
     "before."},
    {"back", "The fused nest stands where the first one stood, and the second one is deleted from the program."},
    {"back", "In the program the first nest is <replaced by|exchanged for> the merged one and the second disappears."},
    {"back", "What was two items <becomes|is now> one, at the position of the first."},
};

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
  teller.say("take");
  for (const Holds& one : facts.holds) {
    teller.bind_values(one.values);
    const bool jumps = one.precondition->id == "between" && teller.integer("next") > 1;
    teller.say(jumps ? "jumped" : one.precondition->id);
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

constexpr std::string_view kFissionGeneral[] = {
    "Operator fission is loop distribution: a nest with several items is cut into two nests with the same header, the "
    "first running all iterations of the first items before the second starts. Smaller nests are easier to schedule "
    "on their own.",
    "A body that does several things can be separated into several passes. Fission copies the loop header and gives "
    "each copy a part of the body; it is the inverse of fusing operators.",
    "Distributing a loop over its body means that one nest becomes two. It is permitted if the second part never feeds "
    "an earlier or equal iteration back into the first part.",
    "Sometimes two computations share a loop only by accident. Fission pulls them apart so that each gets a nest of "
    "its own, with the same loops around it.",
    "The cut of a nest in two is legal when all dependences across the cut run forward. The first half then finishes "
    "completely, and the second half finds everything it needs.",
};
constexpr Phrase kFissionPhrases[] = {
    {"take", "The nest to cut is {old_header} in {where}, whose body is {body}."},
    {"take",
     "<In {where}|Within {where}> the header {old_header} encloses {body}, and this body is distributed over two "
     "nests."},
    {"take", "<I cut|We distribute> the nest under {old_header} in {where}; it contains {body}."},
    {"items",
     "It has {items_words}, and the cut comes after {cut_words}, <so|hence> both halves have something to do."},
    {"items", "Of its {items_words} the first half keeps {cut_count} and the second half gets {rest_count}."},
    {"items", "With {items_words} in the body and a cut behind {cut_words}, neither half <is empty|ends up empty>."},
    {"forward",
     "Across the cut all dependences run forward: the first half <needs|requires> nothing that the second half makes "
     "in an earlier iteration."},
    {"forward",
     "No value flows back over the cut from one iteration to a later one, <so|hence> the first half may run to its end "
     "before the second begins."},
    {"forward",
     "I check for backward dependences over the cut and find none; what the second half reads is there after the first "
     "half has finished."},
    {"become", "The first nest is {one} and the second is {two}."},
    {"become", "This <yields|gives> {one}, followed by {two}."},
    {"become", "Distribution <gives|yields> two nests: {one}, then {two}."},
    {"why",
     "<Every|Each> equation still sees the values it saw before, <therefore the distribution is legal|so the results "
     "are the same>."},
    {"why",
     "Running the halves one after the other cannot be told apart from running them together, <given the "
     "dependences|because nothing flows backward>."},
    {"why", "The order of equations on each element is preserved, and that is all that matters for the values."},
    {"back",
     "The header is duplicated, indices keep their names, and the two nests take the place of the <old|original> one "
     "in order."},
    {"back",
     "Both halves carry a copy of the loops; they are inserted where the old nest stood, <the first half first|in "
     "their order>."},
    {"back", "No equation is edited; they are only distributed over the two copies of the header."},
};

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

constexpr std::string_view kDeadGeneral[] = {
    "Dead code elimination removes an equation whose result nobody uses. The tensor it writes is not an output of the "
    "program and no other equation reads it, so the work is wasted.",
    "Code is dead when its result can reach no output. Deleting it saves time and memory and cannot change what the "
    "program returns.",
    "After other rewrites a definition may be left without readers. Such a leftover is harmless but costs time, and "
    "this step deletes it.",
    "An equation only matters through its readers. If it has none, and if it does not write an output, it can be "
    "dropped together with loops that become empty.",
    "Removing dead code means looking for a tensor that is written and never read. Without a reader the writing is "
    "pointless.",
};
constexpr Phrase kDeadPhrases[] = {
    {"take", "The dead equation is {equation} in {where}."},
    {"take", "<In {where}|Within {where}> the equation {equation} <looks superfluous|is a candidate for deletion>."},
    {"take", "{equation}, which stands in {where}, <is what I want to delete|can be deleted>."},
    {"unused", "Its tensor {tensor} is no output, and no other equation reads it."},
    {"unused", "<Nobody reads|There is no reader of> {tensor}, and {tensor} is not among the outputs."},
    {"unused", "I look for readers of {tensor} <and find none|without success>; the outputs do not include it either."},
    {"why", "No output depends on {tensor}, <so its computation can go|which makes the deletion legal>."},
    {"why", "Since nothing is made from {tensor}, the outputs <are the same|do not change> without it."},
    {"why", "What never reaches an output cannot influence it, <so|hence> dropping {tensor} is safe."},
    {"back",
     "The equation is erased, with any loops left empty by this; <all other equations stay|the others remain as they "
     "are>."},
    {"back", "Loops that enclose nothing any more vanish with it, and the rest of the program is closed up."},
    {"back", "Nothing is put in its place; the remaining <equations|expressions> simply follow each other."},
};

void tell_dead(Teller& teller) {
  bind_where(teller);
  teller.bind_before("equation", teller.facts.removed[0].site);
  teller.say("take");
  teller.say_preconditions();
  teller.say("why");
  teller.say("back");
}

constexpr Wording kWordings[] = {
    {"operator_fusion", kFusionGeneral, kFusionPhrases, tell_operator_fusion},
    {"operator_fission", kFissionGeneral, kFissionPhrases, tell_fission},
    {"dead_code_elimination", kDeadGeneral, kDeadPhrases, tell_dead},
};

}  // namespace

std::span<const Wording> fusion_wordings() { return kWordings; }

}  // namespace steptp
