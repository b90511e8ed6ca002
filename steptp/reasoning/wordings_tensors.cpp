// tensor_concat_to_fuse_operators, tensor_split_to_decouple_operators, partially_equivalent_then_correct
#include <string>
#include <vector>

#include "steptp/reasoning/wordings.h"

namespace steptp {

namespace {

/// "D,E" as names.
std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c == ',')
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

/// The new nests one by one, those that only copy apart from those that compute.
struct Sorted {
  std::vector<TracePieces> copies;
  std::vector<TracePieces> work;
  std::vector<TracePieces> last;  ///< copies behind the work
};
Sorted sort_added(Teller& teller) {
  Sorted out;
  for (const Part& part : teller.facts.added) {
    const std::vector<Site> all = equations_below(*teller.after.program, part.site.items);
    const Equation* equation = equation_at(*teller.after.program, all[0].items);
    const bool copies = all.size() == 1 && std::holds_alternative<Read>(equation->right->node);
    (copies ? (out.work.empty() ? out.copies : out.last) : out.work).push_back(nest_of(teller.after, part.site));
  }
  return out;
}

constexpr std::string_view kConcatGeneral[] = {
    "Two operators that do the same thing to different operands can be served by one. Their operands are laid end to "
    "end in a joint tensor, the operator runs once over the joint range, and the results are cut apart again.",
    "Concatenation batches similar operators. Instead of two small launches there is a large one on concatenated "
    "operands, which uses the hardware better; copies before and after connect it to the rest of the program.",
    "This strategy concatenates the inputs of two identical computations along one axis, runs the computation a "
    "single time, and distributes the outcome to the two original results.",
    "When two independent nests differ only in the tensors they read along one loop, stacking those tensors turns the "
    "pair into one nest with a longer loop. The offset of the second operand tells the results apart.",
    "Fusing by concatenation means: glue operands together, compute on the glued tensor, slice the result. It works "
    "for operators that are the same except for the extent of one output loop.",
};
constexpr Phrase kConcatPhrases[] = {
    {"take", "The two alike operators are {first} and {second}."},
    {"take", "<I find|There is> the same operator twice: {first} <and|as well as> {second}."},
    {"take", "{first} and {second} <perform|do> the same operation on different tensors."},
    {"independent", "Neither of them touches what the other one writes, so they may be <done together|batched>."},
    {"independent",
     "They are independent: <no result of one is an operand of the other|what one writes the other leaves alone>."},
    {"independent", "No dependence <connects|links> the two, <so|hence> they can share one launch."},
    {"same-operator",
     "Operation by operation they agree, and operands that do not follow the concatenated loop are the same tensors."},
    {"same-operator",
     "The loops <match|agree>, except perhaps in the extent along which they are joined, and the operations are "
     "identical."},
    {"same-operator", "Both right sides have the same <structure|shape>; only operands along one loop differ."},
    {"output-axis", "The axis to concatenate along is {loop}, an output axis of both."},
    {"output-axis",
     "{loop} indexes the result of both operators, <so|hence> the operands can be <stacked|laid end to end> along it."},
    {"output-axis", "Concatenation goes along {loop}, which is <no reduction axis|an axis of both outputs>."},
    {"separate",
     "There {are_operands} to stack, at offset 0 for the first operator and {first_extent} for the second."},
    {"separate", "Along this axis there {are_operands} to <glue|put> together; the pieces do not overlap."},
    {"separate",
     "The pieces <stay|remain> separate: {operands_words}, with the second part starting behind {first_extent}."},
    {"copies", "First the operands are <glued|put> together: {copies}."},
    {"copies", "The joint operand is <filled|assembled> by {copies}."},
    {"copies", "Copies lay the operands end to end: {copies}."},
    {"work", "The joint operator, over {first_extent} plus {second_extent} positions, is {work}."},
    {"work",
     "<Then|After that> one operator handles both halves: {work}, with {first_extent} positions of the first and "
     "{second_extent} of the second."},
    {"work", "{work} <computes|does> both at once, {first_extent} plus {second_extent} positions long."},
    {"last", "<Finally|In the end> the joint result is sliced: {last}."},
    {"last", "The two original results are <cut out of|taken from> it by {last}."},
    {"last", "To hand the results back, I add {last}."},
    {"why",
     "<It|The step> is legal since positions below {first_extent} belong to the first operator and the others to the "
     "second, and no element belongs to both."},
    {"why",
     "Each joint position reads only operands of its own half, <so|hence> the batched values are the separate ones."},
    {"why", "The halves never mix, and each element is computed by the same formula as before."},
    {"back",
     "The new tensors are {tensors}; the two <old|original> nests are gone, and their results keep their names."},
    {"back", "Both old nests are replaced by this sequence, for which {tensors} {are_new} introduced."},
    {"back",
     "Later readers see no difference, <because|since> the results have their old names; {tensors} {are_new} new."},
};

void bind_tensors(Teller& teller) {
  const std::vector<std::string> names = split_names(teller.word("tensors"));
  teller.bind("tensors", names_of(names));
  teller.bind("are_new", names.size() == 1 ? "is" : "are");
}

void tell_concat(Teller& teller) {
  const Facts& facts = teller.facts;
  Sorted sorted = sort_added(teller);
  teller.bind("first_extent", teller.integer("first"));
  teller.bind("second_extent", teller.integer("second"));
  teller.bind("first", nest_of(teller.before, facts.removed[0].site));
  teller.bind("second", nest_of(teller.before, facts.removed[1].site));
  std::int64_t operands = 1;
  for (const Holds& one : facts.holds) {
    for (const auto& [key, value] : one.values) operands = key == "operands" ? *value.as_integer() : operands;
  }
  teller.bind("are_operands", (operands == 1 ? "is " : "are ") + counted(operands, "operand", "operands"));
  bind_tensors(teller);
  teller.bind("copies", list_of(std::move(sorted.copies)));
  teller.bind("work", list_of(std::move(sorted.work)));
  teller.bind("last", list_of(std::move(sorted.last)));
  teller.say("take");
  teller.say_preconditions();
  teller.say("copies");
  teller.say("work");
  teller.say("last");
  teller.say("why");
  teller.say("back");
}

constexpr std::string_view kSplitGeneral[] = {
    "Tensor split decouples one operator into two that handle separate slices of the data. Operands are sliced along "
    "one loop, each slice gets its own nest, and the partial results are joined at the end.",
    "A large operator can be divided by slicing its operands. The slices are independent pieces of work that can be "
    "scheduled on their own, on different devices for example.",
    "Slicing tensors is the counterpart of concatenating them: one range becomes two, with separate tensors for "
    "operands and results, so that the halves no longer share anything.",
    "To decouple an operator, cut one of its loops, copy the operands of each part into tensors of their own, run the "
    "operator on each part, and merge what comes out.",
    "This strategy partitions the work of a nest along one axis. Where the axis belongs to the output, the parts write "
    "different elements; where it is reduced, the parts are combined by the operator of the reduction.",
};
constexpr Phrase kSplitPhrases[] = {
    {"take", "The operator {equation} in {where} is divided along {old}."},
    {"take", "<In {where}|Within {where}> <I slice|I divide> {equation} along the loop {old}."},
    {"take", "{equation} in {where} runs over {old}, and <this loop|its range> is where the operator is cut."},
    {"operator",
     "It is a single equation that computes {tensor} from global data, <as slicing requires|so it can be sliced>."},
    {"operator",
     "The nest consists of this one computation of {tensor}, which does not read other elements of its own result."},
    {"operator",
     "{tensor} is computed by this equation alone, <and nothing else shares the nest|with nothing else in the nest>."},
    {"axis", "{loop} occurs in the subscripts of the result, <so|hence> the slices write different elements."},
    {"axis",
     "The axis {loop} is an output axis: <each slice has output elements of its own|the slices of the output are "
     "disjoint>."},
    {"axis", "<Since|As> {loop} indexes the result, a cut along it separates the output cleanly."},
    {"reduced",
     "{loop} is reduced, and its updates may be grouped freely, <so|hence> the slices <give|yield> partial results to "
     "combine."},
    {"reduced", "The result does not depend on {loop}; the slices are partial reductions, whose order is free."},
    {"reduced", "As {loop} is a reduction axis, each slice contributes a partial value."},
    {"affine", "{operands_words} {follow} the loop in a regular way, <so|hence> {it_slices}."},
    {"affine",
     "Along this loop {operands_words} {is_sliced} to be sliced, with plain multiples of the index as subscripts."},
    {"affine", "The subscripts are <simple|regular> enough to slice {operands_words}."},
    {"cut", "The cut comes after {cut} of {extent} iterations, which leaves {rest} for the second slice."},
    {"cut", "Of the {extent} iterations the first slice <gets|takes> {cut} and the second gets {rest}."},
    {"cut", "{cut} plus {rest} makes {extent}, <so|hence> both slices have work to do."},
    {"copies", "The operand slices are <made|produced> by {copies}."},
    {"copies", "<Slicing the operands|The operands are sliced>: {copies}."},
    {"copies", "The slices get tensors of their own by {copies}."},
    {"work", "On these the operator runs <separately|twice>: {work}."},
    {"work", "The decoupled operators are {work}."},
    {"work", "Each slice is <processed|handled> by a nest of its own: {work}."},
    {"last", "The parts are <joined|merged> by {last}."},
    {"last", "At the end I <add|put> {last} to merge the two parts."},
    {"last", "To assemble the result, I add {last}."},
    {"why",
     "<It|The step> is legal <because|since> every value of {loop} falls into exactly one slice and meets the same "
     "operands there."},
    {"why", "No iteration is lost or repeated, and the operands in the slices are exact copies."},
    {"why", "The slices cover the range of {loop} without overlap, <so|hence> the merged result is the original one."},
    {"back", "The <old|original> nest is replaced by the whole sequence; {tensors} {are_new} new."},
    {"back", "For the slices {tensors} {are_new} introduced, while {tensor} keeps its name and its readers."},
    {"back", "In {where} the single nest gives way to the sequence with the <fresh|new> {tensors}."},
};

void tell_split(Teller& teller) {
  const Facts& facts = teller.facts;
  Sorted sorted = sort_added(teller);
  bind_where(teller);
  teller.bind_before("old", facts.matched[0].site);
  teller.bind_before("equation", facts.matched[1].site);
  teller.bind("rest", teller.integer("extent") - teller.integer("cut"));
  bind_tensors(teller);
  bool reduced = false;
  for (const Holds& one : facts.holds) {
    reduced = reduced || is_true(one.values, "reduction");
    for (const auto& [key, value] : one.values) {
      if (key != "operands") continue;
      const bool single = *value.as_integer() == 1;
      teller.bind("follow", single ? "follows" : "follow");
      teller.bind("it_slices", single ? "it can be sliced" : "they can be sliced");
      teller.bind("is_sliced", single ? "is" : "are");
    }
  }
  teller.say("take");
  for (const Holds& one : facts.holds) {
    teller.bind_values(one.values);
    teller.say(reduced && one.precondition->id == "axis" ? "reduced" : one.precondition->id);
  }
  if (!sorted.copies.empty()) {
    teller.bind("copies", list_of(std::move(sorted.copies)));
    teller.say("copies");
  }
  // The parts of a reduction are combined by a computation.
  if (sorted.last.empty() && sorted.work.size() > 2) {
    sorted.last.push_back(std::move(sorted.work.back()));
    sorted.work.pop_back();
  }
  teller.bind("work", list_of(std::move(sorted.work)));
  teller.say("work");
  if (!sorted.last.empty()) {
    teller.bind("last", list_of(std::move(sorted.last)));
    teller.say("last");
  }
  teller.say("why");
  teller.say("back");
}

constexpr std::string_view kPartialGeneral[] = {
    "Sometimes a cheaper program is right almost everywhere. This strategy first makes such a partially equivalent "
    "program, two windowed reductions done as one over inputs placed side by side, and then corrects the few border "
    "elements whose windows reach across.",
    "Two convolutions or poolings of the same kind can share one pass if their padded inputs are concatenated. Inside "
    "each half all is well; at the seam the windows see the wrong neighbour, and these elements are recomputed.",
    "The trick is to accept a small error and repair it. The joint window reduction is correct except near the seam "
    "between the inputs, and a correction pass overwrites exactly the affected results.",
    "A partially equivalent rewrite followed by a correction: batch two windowed operators over one joint padded "
    "tensor, copy the results out, and compute again what the seam has spoiled.",
    "Instead of demanding full equivalence at once, this step computes most of the result in a joint pass and "
    "restores equivalence by recomputing the border. It pays when the border is thin.",
};
constexpr Phrase kPartialPhrases[] = {
    {"take",
     "The <first|one> operator pads with {pad_one} and reduces with {reduce_one}; the second pads with {pad_two} and "
     "reduces with {reduce_two}."},
    {"take",
     "There are two padded inputs, {pad_one} and {pad_two}, and two window reductions over them, {reduce_one} and "
     "{reduce_two}."},
    {"take",
     "The pair <consists of|is> {reduce_one} on the padding {pad_one} and {reduce_two} on the padding {pad_two}."},
    {"pair", "Both reduce their windows by the same operator with the same other operands, and both pad alike."},
    {"pair", "The two window operators <are the same|agree>, down to the padding."},
    {"pair", "Same windows, same operator, same padding: <only the inputs differ|nothing but the inputs differs>."},
    {"window", "Along the chosen dimension the window is moved by {loop} and by <nothing else|no other loop>."},
    {"window", "The loop {loop} alone <moves|shifts> the window along this dimension."},
    {"window", "{loop} is the loop that slides the window where the inputs are joined."},
    {"stride",
     "The stride divides the input length, <so|hence> the second result begins {shift} positions further on."},
    {"stride", "With the inputs side by side the second result is found at an offset of {shift}."},
    {"stride", "A shift by {shift} output positions corresponds to one <whole|entire> input."},
    {"kept", "Only {corrected_words} along this loop {need} a correction; the others are right as they are."},
    {"kept", "The seam spoils {corrected_words}, and some elements of both results <stay|remain> good."},
    {"kept", "Of both results together {corrected_words} must be <computed again|recomputed>."},
    {"become", "The joint computation, the copies and the corrections <are|now read> {added}."},
    {"become", "The new sequence is {added}: joint padding and reduction first, then copying out, then the repairs."},
    {"become", "In order, the program now <has|contains> {added}."},
    {"why",
     "Below position {first_end}, windows of the first result <stay|remain> within their own input, and from position "
     "{second_begin} on those of the second do; all others are recomputed from the separate inputs."},
    {"why",
     "Windows reach into the wrong input only from {first_end} on in the first result and before {second_begin} in the "
     "second, and exactly these elements are corrected."},
    {"why",
     "The first result <needs|requires> repair from {first_end} on and the second before {second_begin}; everything "
     "else sees the same values as in the separate passes."},
    {"back", "The four old nests are replaced by this sequence, and both results keep their names."},
    {"back", "Padding and reduction nests of both operators <disappear|vanish> in favour of the new sequence."},
    {"back",
     "Readers of the two results are not affected, <since|because> the corrected values stand under the old names."},
};

void tell_partial(Teller& teller) {
  const Facts& facts = teller.facts;
  const char* const names[] = {"pad_one", "reduce_one", "pad_two", "reduce_two"};
  for (std::size_t i = 0; i < 4; ++i) teller.bind(names[i], nest_of(teller.before, facts.removed[i].site));
  std::vector<TracePieces> added;
  for (const Part& part : facts.added) added.push_back(nest_of(teller.after, part.site));
  teller.bind("added", list_of(std::move(added)));
  teller.bind("first_end", teller.integer("first"));
  teller.bind("second_begin", teller.integer("second"));
  teller.bind("need", "need");
  for (const Holds& one : facts.holds) {
    for (const auto& [key, value] : one.values) {
      if (key == "corrected" && *value.as_integer() == 1) teller.bind("need", "needs");
    }
  }
  teller.say("take");
  teller.say_preconditions();
  teller.say("become");
  teller.say("why");
  teller.say("back");
}

constexpr Wording kWordings[] = {
    {"tensor_concat_to_fuse_operators", kConcatGeneral, kConcatPhrases, tell_concat},
    {"tensor_split_to_decouple_operators", kSplitGeneral, kSplitPhrases, tell_split},
    {"partially_equivalent_then_correct", kPartialGeneral, kPartialPhrases, tell_partial},
};

}  // namespace

std::span<const Wording> tensor_wordings() { return kWordings; }

}  // namespace steptp
