// loop_reorder, expression_reorder, reduction_factorization
#include "steptp/reasoning/wordings.h"

namespace steptp {

namespace {

constexpr std::string_view kReorderGeneral[] = {
    "Loop reorder interchanges two loops of one header. The same iterations run, but another index now moves fastest, "
    "which can turn strided accesses into contiguous ones or bring a parallel loop to the outside.",
    "An interchange of loops changes the order in which the points of an iteration space are visited, from row by row "
    "to column by column, say. It is allowed whenever no two conflicting accesses to the same element are swapped.",
    "Reordering loops leaves the body alone and only permutes the header. The work done is identical, its sequence is "
    "not, so the step stands or falls with the dependences between iterations.",
    "The order of nested loops is often a free choice. Loop reorder exercises that choice by letting two loops of a "
    "header trade positions, usually to improve locality or to prepare for tiling and binding.",
    "In a loop interchange two loops trade their positions. Each combination of index values still occurs exactly "
    "once; reductions tolerate the new order because their updates commute up to rounding.",
};
constexpr Phrase kReorderPhrases[] = {
    {"take",
     "<In {where}|Within {where}> the header is {header}, and the loops that trade positions are {first} and "
     "{second}."},
    {"take", "I <interchange|swap> {first} and {second} in the header {header} of {where}."},
    {"take", "The header {header} of {where} contains {first} further out and {second} further in; these two swap."},
    {"axes", "<It|The header> has {loop_count}, <so|hence> there are two to interchange."},
    {"axes", "An interchange needs two loops in one header, and there <are|is a header of> {loop_count} here."},
    {"axes", "With {loop_count} in the header, the axis count is no obstacle."},
    {"order",
     "The dependences permit it: wherever two iterations touch one element and one of them writes, they keep their "
     "order, apart from updates of an accumulator, which commute."},
    {"order",
     "<I check|Checking> the order of accesses: no write and other access to the same element are reversed by the "
     "swap, unless both are updates by one accumulating operator."},
    {"order",
     "No pair of iterations with a conflict over some element is turned around by letting {inner} run outside {outer}, "
     "except for accumulation updates, whose order is free <up to rounding|apart from rounding>."},
    {"become",
     "After the interchange the header <reads|is> {new_header}: {now_outer} is outside now and {now_inner} inside."},
    {"become",
     "So {outer} and {inner} trade places, {new_header}, with {now_outer} where {first} was and {now_inner} where "
     "{second} was."},
    {"become", "The <permuted|reordered> header is {new_header}; {now_outer} moves out and {now_inner} moves in."},
    {"why",
     "Each pair of values of {outer} and {inner} still comes up exactly once, <so|hence> the result is the same."},
    {"why", "Interchanging is therefore legal, and <every|each> element receives the same value as before the swap."},
    {"why",
     "Nothing observes the difference, <because|since> {inner} may vary slower than {outer} without crossing a "
     "dependence."},
    {"back",
     "No index is renamed and no equation is touched; the permuted header is simply put in front of the same body."},
    {"back", "The body {body_hint} <stays|remains> as it is, and so do all <other|remaining> expressions."},
    {"back", "Only the sequence of the loops changes; the body goes back under the new header word for word."},
};

void tell_reorder(Teller& teller) {
  const Site& first = teller.facts.removed[0].site;
  const Site& second = teller.facts.removed[1].site;
  bind_where(teller);
  teller.bind_before("first", first);
  teller.bind_before("second", second);
  teller.bind_after("now_outer", teller.facts.added[0].site);
  teller.bind_after("now_inner", teller.facts.added[1].site);
  teller.bind("header", header_of(teller.before, first.items));
  teller.bind("new_header", header_of(teller.after, first.items));
  const std::vector<Site> equations = equations_below(*teller.before.program, first.items);
  teller.bind("body_hint", "");
  if (equations.size() == 1) {
    TracePieces hint = plain("with its equation for ");
    const Site left{equations[0].items, Site::Part::left, {}, {}};
    add(hint, quote_piece(teller.before, {left, {}}));
    teller.bind("body_hint", std::move(hint));
  } else {
    teller.bind("body_hint",
                counted(static_cast<std::int64_t>(equations.size()), "of one equation", "equations in all"));
  }
  const Nest* nest = nest_at(*teller.before.program, first.items);
  teller.bind_count("loop_count", static_cast<std::int64_t>(nest->loops.size()), "loop", "loops");
  teller.say("take");
  teller.say_preconditions();
  teller.say("become");
  teller.say("why");
  teller.say("back");
}

constexpr std::string_view kExpressionGeneral[] = {
    "Expression reorder lets two neighbouring items of a program change places. Nothing inside them is rewritten; only "
    "the sequence is different, which can bring a producer next to its consumer so that they can be fused.",
    "Statements that do not depend on each other may run in any order. This strategy uses that freedom for two items "
    "that stand one behind the other and lets the second one go first.",
    "The textual order of a program is stricter than its data flow. Where two adjacent items share no element that "
    "either of them writes, they can be swapped, and later steps may profit from the new neighbourhood.",
    "Swapping two consecutive items is a scheduling decision. It is correct exactly when neither produces or destroys "
    "something that the other one needs.",
    "A reorder of expressions moves one item ahead of its predecessor. Since both do the same work as before, the only "
    "question is whether one of them could notice that the other has not run yet.",
};
constexpr Phrase kExpressionPhrases[] = {
    {"take",
     "<The two neighbours are|Two items stand next to each other:> {first} and, <right|directly> behind it, {second}."},
    {"take", "<Here|At this point> {first} <runs before|comes ahead of> {second}, and these two are to be swapped."},
    {"take",
     "I look at {first}, which is followed by {second}, and <ask whether they commute|want them the other way round>."},
    {"independent",
     "The first one writes {first_writes} and the second one writes {second_writes}; neither touches an element that "
     "the other writes, <so they are independent|hence they commute>."},
    {"independent",
     "Checking the dependence: {first_writes} on one side, {second_writes} on the other, and no element that one of "
     "them writes is read or written by the other."},
    {"independent",
     "There is no <flow of data|dependence> between them in either direction, as {first_writes} and {second_writes} "
     "are <made|computed> from other elements."},
    {"other-elements",
     "Both write to {first_writes}, but to different elements, and neither touches one that the other writes, <so they "
     "are "
     "independent|hence they commute>."},
    {"other-elements",
     "Checking the dependence: each fills its own elements of {first_writes}, and no element that one of them writes "
     "is "
     "<read or written|touched> by the other."},
    {"other-elements",
     "What they write lies in <the same tensor|one tensor>, {first_writes}, yet no element is written by one and "
     "touched by "
     "the other."},
    {"updates",
     "Both update {shared} by {operator}, and such updates may come in either order; <otherwise|apart from that> "
     "neither "
     "touches an element that the other writes."},
    {"updates",
     "They do meet in {shared}, but both only contribute to it by {operator}, <and contributions commute|which may be "
     "done in any order>; nothing else connects them."},
    {"updates",
     "What the two have in common is that they update {shared} by {operator}. The order of updates does not matter, "
     "<and|while> no other element is written by one and touched by the other."},
    {"follows", "They are <adjacent|direct neighbours>, so nothing else is overtaken."},
    {"follows", "Nothing stands between them, <which means that|so> only this one pair changes its order."},
    {"follows",
     "No third item is <involved|passed over>, because they stand <side by side|one right behind the other>."},
    {"become", "After the swap {now_first} <comes first|runs first> and {now_second} <follows|comes second>."},
    {"become", "The sequence is now {now_first}, then {now_second}."},
    {"become",
     "So the later item moves up: {now_first} <leads|is executed first>, {now_second} <comes after it|is next>."},
    {"back", "Both are put back <word for word|exactly as they were>; no loop, index or equation inside them changes."},
    {"back-updates",
     "The same contributions are <made|collected>, so the results agree up to rounding; <the rest of the program stays "
     "in "
     "place|all other items keep their positions>."},
    {"back-updates",
     "Neither <body|text> is edited; as only the order of the contributions changes, the result is the same up to "
     "rounding."},
    {"back-updates",
     "Both are put back <word for word|exactly as they were>, and what they collect together is the same, up to "
     "rounding."},
    {"back",
     "Each item reads the same values as before the swap, so the results are identical; <the rest of the program stays "
     "in place|all other items keep their positions>."},
    {"back", "Neither <body|text> is edited, the two simply trade positions, and every value comes out the same."},
};

std::vector<std::string> written_names(const Program& program, const std::vector<std::uint32_t>& items) {
  std::vector<std::string> names;
  for (const Site& site : equations_below(program, items)) {
    names.push_back(equation_at(program, site.items)->left->tensor);
  }
  return names;
}

void tell_expression_reorder(Teller& teller) {
  const Facts& facts = teller.facts;
  teller.bind("first", nest_of(teller.before, facts.removed[0].site));
  teller.bind("second", nest_of(teller.before, facts.removed[1].site));
  teller.bind("now_first", nest_of(teller.after, facts.added[0].site));
  teller.bind("now_second", nest_of(teller.after, facts.added[1].site));
  const auto first = written_names(*teller.before.program, facts.removed[0].site.items);
  const auto second = written_names(*teller.before.program, facts.removed[1].site.items);
  teller.bind("first_writes", names_of(first));
  teller.bind("second_writes", names_of(second));
  teller.say("take");
  const auto list = [&](std::string_view key) {
    std::vector<std::string> out;
    const Json* value = find_value(facts.values, key);
    if (!value) return out;
    for (const Json& one : *value->as_array()) out.push_back(*one.as_string());
    return out;
  };
  const std::vector<std::string> shared = list("shared");
  if (shared.empty()) {
    teller.say(first == second ? "other-elements" : "independent");
  } else {
    std::vector<TracePieces> operators;
    for (const std::string& one : list("operators")) operators.push_back(plain(operator_words(one)));
    teller.bind("shared", names_of(shared));
    teller.bind("operator", list_of(std::move(operators)));
    teller.say("updates");
  }
  teller.say("follows");
  teller.say("become");
  teller.say(shared.empty() ? "back" : "back-updates");
}

constexpr std::string_view kReductionGeneral[] = {
    "Reduction factorization computes a reduction in parts. Instead of one long chain of updates there are partial "
    "results, each made from some of the terms, and a short final step that combines them. Partial results can be "
    "made independently of each other.",
    "An associative and commutative operator does not care how its operands are grouped. Factoring a reduction makes "
    "use of this: the terms are distributed over partial accumulators, and these are reduced at the end.",
    "A reduction is a serial bottleneck as long as every term goes into the same accumulator. Giving it several "
    "accumulators breaks the chain, at the price of extra storage and one more combining nest.",
    "In a factored reduction the accumulation happens in two stages. Stage one builds partial sums (or products, "
    "maxima, minima) in fresh tensors, and stage two folds these into the original accumulator.",
    "The terms of a reduction may be grouped at will. This strategy chooses a grouping along one of the reduction "
    "loops, stores what each group amounts to, and adds a small reduction over the groups.",
};
constexpr Phrase kReductionPhrases[] = {
    {"take", "The reduction is {equation} in {where}, and it is factored along {old}, a loop of {extent} iterations."},
    {"take",
     "<In {where}|Within {where}> the equation {equation} accumulates over {old}, <that is, over|which has> {extent} "
     "iterations."},
    {"take",
     "I <factor|break up> the accumulation {equation} of {where} along its reduction loop {old} with {extent} "
     "iterations."},
    {"reduction",
     "The accumulating operator is {operator}, and {loop} does not occur in the subscripts of {tensor}, <so|hence> "
     "{loop} is <truly|indeed> a reduction axis."},
    {"reduction",
     "{tensor} is built by {operator}, and its subscripts do not mention {loop}: {loop} is reduced away, as "
     "<required|this needs>."},
    {"reduction",
     "Since {loop} is absent from the left subscripts and the update of {tensor} is {operator}, the terms may be "
     "regrouped along {loop}."},
    {"global",
     "The accumulator lives in global memory, so <splitting it up changes no ownership of data|no thread or block "
     "loses sight of it>."},
    {"global", "<No|There is no> shared or thread-local accumulator <is|> involved, {tensor} is global."},
    {"global",
     "{tensor} is kept in global memory, where <partial results can stand beside it|the combining nest can reach it>."},
    {"guard", "<No guard|There is no guard that> <depends on|reads> a loop that the combining nest lacks."},
    {"guard", "Guards are no problem <here|either>: the final step needs no loop that it does not have."},
    {"guard",
     "The combining nest has every loop that a guard would need, <so it can be written|which settles that condition>."},
    {"parts",
     "The range is <cut|divided> at {cut}: {part_one} covers the first {cut_words}, and {part_two} covers the "
     "remaining {rest}."},
    {"parts",
     "{cut_capital} go into <one|a first> partial accumulator, {part_one}, and the other {rest} into a second one, "
     "{part_two}."},
    {"parts",
     "<Two|A pair of> partial accumulators take over: {part_one} for the first {cut_words} and {part_two} for the "
     "{rest} that are left."},
    {"rfactor", "<Every|Each> iteration of {loop} gets an accumulator of its own: {part_one}."},
    {"rfactor",
     "The partial results carry {loop} as an extra subscript, {part_one}, so that each value of {loop} has its own."},
    {"rfactor",
     "Stage one is {part_one}, which <keeps|holds> one partial result for each of the {extent} values of {loop}."},
    {"combine", "The combining step is {combination}, which brings the partial results <into|back to> {tensor}."},
    {"combine", "{combination} then folds the parts into {tensor}."},
    {"combine", "<Afterwards|Then> {combination} <puts the parts together|combines what was collected>."},
    {"names", "Fresh tensors hold the parts: {parts} <stand in for|replace> {tensor} in the partial reductions."},
    {"names", "Inside the partial reductions {tensor} is renamed to {parts}."},
    {"names", "The new {parts_noun} {parts} <serve|act> as partial accumulators in place of {tensor}."},
    {"why",
     "<It|The step> is legal <because|since> each term enters exactly one part and each part enters {tensor} once; "
     "{operator} is associative and commutative up to rounding."},
    {"why",
     "Every term is counted once and only once, and regrouping by {operator} changes the value by no more than "
     "rounding."},
    {"why",
     "No term is lost or duplicated, <so|hence> up to rounding the factored form of {tensor} equals the original."},
    {"why-exact",
     "<It|The step> is legal <because|since> each term enters exactly one part and each part enters {tensor} once; "
     "{operator} does not depend on the order and rounds nothing."},
    {"why-exact",
     "Every term is looked at once and only once, and {operator} of the parts is {operator} of all, <without any "
     "rounding|to the last bit>."},
    {"why-exact",
     "No term is lost, <so|hence> the factored form of {tensor} equals the original exactly, as {operator} never "
     "rounds."},
    {"back", "The new nests stand, in this order, where the <old|original> reduction stood in {where}."},
    {"back", "The original nest is removed from {where} and the factored sequence is inserted in its place."},
    {"back",
     "In {where} the single nest <gives|yields> way to <these nests|this sequence>; everything behind it reads "
     "{tensor} as before."},
};

void tell_reduction(Teller& teller) {
  const Facts& facts = teller.facts;
  const Site& loop = facts.matched[0].site;
  const bool parts = teller.word("form") != "rfactor";
  const std::int64_t cut = teller.integer("cut");
  bind_where(teller);
  teller.bind_before("old", loop);
  teller.bind_name("loop", loop_at(*teller.before.program, loop)->index);
  teller.bind_before("equation", facts.matched[1].site);
  std::vector<std::string> names;
  for (const Renaming& one : facts.renamings) names.push_back(one.to);
  teller.bind("parts", names_of(names));
  teller.bind("parts_noun", names.size() == 1 ? "tensor" : "tensors");
  teller.bind("part_one", nest_of(teller.after, facts.added[0].site));
  if (parts) {
    teller.bind("part_two", nest_of(teller.after, facts.added[1].site));
    teller.bind("cut_words", cut == 1 ? std::string("iteration") : counted(cut, "iteration", "iterations"));
    teller.bind("cut_capital", "the terms of the first " +
                                   (cut == 1 ? std::string("iteration") : counted(cut, "iteration", "iterations")));
    teller.bind("rest", teller.integer("extent") - cut);
  }
  teller.bind("combination", nest_of(teller.after, facts.added.back().site));
  teller.say("take");
  teller.say_preconditions();
  teller.say(parts ? "parts" : "rfactor");
  teller.say("names");
  teller.say("combine");
  const Json* op = find_value(facts.holds[0].values, "operator");
  const bool is_extremum = op && op->as_string() && (*op->as_string() == "max" || *op->as_string() == "min");
  teller.say(is_extremum ? "why-exact" : "why");
  teller.say("back");
}

constexpr Wording kWordings[] = {
    {"loop_reorder", kReorderGeneral, kReorderPhrases, tell_reorder},
    {"expression_reorder", kExpressionGeneral, kExpressionPhrases, tell_expression_reorder},
    {"reduction_factorization", kReductionGeneral, kReductionPhrases, tell_reduction},
};

}  // namespace

std::span<const Wording> loop_order_wordings() { return kWordings; }

}  // namespace steptp
