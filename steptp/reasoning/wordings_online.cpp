// normal_loop_max_to_prefix_max, normal_loop_summation_on_exp_to_prefix_summation_on_exp, online_softmax
#include <algorithm>
#include <string>
#include <vector>

#include "steptp/reasoning/wordings.h"

namespace steptp {

namespace {

constexpr std::string_view kMaxGeneral[] = {
    "A maximum over a loop can be written as a recurrence: a running maximum that, at each position, is the larger of "
    "the maximum so far and the current element. Its last value is the maximum of all. Online algorithms start from "
    "this form, because the intermediate maxima become available.",
    "The prefix form of a maximum keeps the history. Instead of one accumulator there is one element per iteration, "
    "the maximum of everything seen up to there, and the old result is the final element.",
    "Turning a maximum into a scan costs memory but makes the computation incremental: other recurrences can follow "
    "along and use the maximum known so far.",
    "A reduction by maximum forgets its partial results. As a prefix maximum it stores them, each computed from its "
    "predecessor, with minus infinity to start from.",
    "The loop that takes a maximum is replaced by a recurrence over the same loop. Position by position the running "
    "maximum is stored, and the reduction's result is read off at the end.",
};
constexpr Phrase kMaxPhrases[] = {
    {"take", "The maximum to rewrite is {old}."},
    {"take", "<In {where}|Within {where}> the reduction {old} takes a maximum."},
    {"take", "I turn {old} <of|in> {where} into a running maximum."},
    {"pattern",
     "It is a <plain|simple> maximum without a guard, and {loop}, which is not a subscript of the result, carries the "
     "recurrence."},
    {"pattern",
     "The nest has just this one equation, nothing else writes its result, and {loop} is reduced; the recurrence will "
     "run along {loop}."},
    {"pattern", "The pattern <fits|is there>: a single maximum over global data, reduced over {loop}."},
    {"identity", "For this type there is a value to start the running maximum with."},
    {"identity", "A neutral starting value, below <every|each> element, exists for the type."},
    {"identity", "The recurrence can begin, <since|because> the type has an identity for the maximum."},
    {"become", "The running maximum is {new}, stored in the <fresh|new> {tensor}."},
    {"become", "With one element of {tensor} per position, the recurrence is {new}."},
    {"become", "The maximum so far is <kept|stored> in {tensor} by {new}."},
    {"copy", "The <old|original> result is the <last|final> element: {copy}."},
    {"copy", "<Afterwards|Then> {copy} reads off the final maximum."},
    {"copy", "{copy} then delivers the maximum of all elements."},
    {"why",
     "At position {loop} the recurrence holds the maximum of all elements up to there, <so|hence> its last value is "
     "the maximum that was wanted."},
    {"why",
     "By induction each element of {tensor} is the maximum of a prefix, and the <last|final> prefix is the whole row."},
    {"why",
     "The comparisons are the same and in the same order, only their intermediate results are kept; so the value is "
     "identical."},
    {"back", "Both nests stand where the reduction stood, and readers of the maximum are not affected."},
    {"back", "The reduction is replaced by these two nests; the rest of the program stays."},
    {"back", "No reader <has to|needs to> change, <because|since> the maximum keeps its name."},
};

void bind_online(Teller& teller) {
  const Facts& facts = teller.facts;
  bind_where(teller);
  teller.bind("old", nest_of(teller.before, facts.removed[0].site));
  if (facts.matched.size() > 1) teller.bind("sum", nest_of(teller.before, facts.removed[1].site));
  std::vector<TracePieces> recurrences;
  std::vector<TracePieces> copies;
  for (const Part& part : facts.added) {
    if (part.role == "recurrence") {
      TracePieces shown = plain("the nest ");
      add(shown, header_of(teller.after, part.site.items));
      add(shown, " with ");
      add(shown, body_of(teller.after, part.site.items));
      recurrences.push_back(std::move(shown));
    } else if (part.role == "copy") {
      copies.push_back(nest_of(teller.after, part.site));
    }
  }
  teller.bind("new", list_of(std::move(recurrences)));
  teller.bind("has_copies", copies.size() == 1 ? "reads" : "read");
  teller.bind("copy", list_of(std::move(copies)));
}

/// Equations that read the maximum or the sum, which are read at their last value now.
void tell_uses(Teller& teller) {
  std::vector<Site> before;
  std::vector<Site> after;
  for (const Part& part : teller.facts.removed) {
    if (part.role == "use") before.push_back(part.site);
  }
  for (const Part& part : teller.facts.added) {
    if (part.role == "use") after.push_back(part.site);
  }
  if (before.empty()) return;
  teller.bind("uses", places_of(teller.before, std::move(before)));
  teller.bind("uses_after", places_of(teller.after, std::move(after), std::nullopt, false));
  teller.say("uses-at-end");
}

void tell_max(Teller& teller) {
  bind_online(teller);
  teller.say("take");
  teller.say_preconditions();
  teller.say("become");
  teller.say("copy");
  teller.say("why");
  teller.say("back");
}

constexpr std::string_view kSumGeneral[] = {
    "A sum of exponentials relative to a maximum normally needs two passes, one for the maximum and one for the sum. "
    "As recurrences, maximum and sum advance together: whenever the maximum grows, the sum so far is rescaled.",
    "The prefix form of a sum of exponentials keeps, at each position, the sum over all elements so far relative to "
    "the maximum so far. Going one step on means rescaling by the change of the maximum and adding one term.",
    "Summing exponentials online requires a correction factor. The running sum refers to the running maximum; when a "
    "larger element appears, the old sum is multiplied by the exponential of the difference.",
    "This step makes a sum incremental. One element per position holds the partial sum, so that the final sum is "
    "simply the last element and everything can be done in a single pass.",
    "A two-pass computation (maximum first, then the sum of exponentials) becomes one pass with two recurrences that "
    "are kept consistent with each other.",
};
constexpr Phrase kSumPhrases[] = {
    {"take", "The maximum is {old}, and the sum of exponentials that refers to it is {sum}."},
    {"take", "<In {where}|Within {where}> two reductions belong together: {old} and {sum}."},
    {"take", "I <combine|merge> {old} with {sum} into running quantities."},
    {"take-plain", "There is no maximum to refer to here; the sum to <rewrite|make incremental> is {old}."},
    {"take-plain",
     "<In {where}|Within {where}> the reduction {old} adds up its terms, without exponentials relative to a maximum."},
    {"take-plain", "In its simplest form, without a maximum, the step turns {old} of {where} into a running sum."},
    {"pattern",
     "{loop} is reduced, nothing else writes the results, and all data is global without guards; the recurrence runs "
     "along {loop}."},
    {"pattern",
     "The pattern <is matched|fits> along {loop}: reductions with one equation each, not written elsewhere."},
    {"pattern", "Both the <shape|form> of the equations and the loops fit, and {loop} carries the recurrence."},
    {"above", "The first element of a row is known to exceed minus infinity, <so|hence> the published form is safe."},
    {"above", "No row begins with minus infinity, <which the published form needs|as the published form assumes>."},
    {"above", "Rows cannot start with minus infinity here, <so|hence> no difference of infinities arises."},
    {"become", "The recurrences are {new}, with the running sum in the <fresh|new> {tensor}."},
    {"become", "Advancing together along {loop}, we get {new}; {tensor} is the running sum."},
    {"become", "The running values are <carried by|now in> {new}, the sum in {tensor}."},
    {"become-plain", "The recurrence is <now|> {new}, with the running sum in the fresh {tensor}."},
    {"become-plain", "Going along {loop}, we <get|obtain> {new}; {tensor} is the running sum."},
    {"become-plain", "The partial sums are kept by {new}, in the new {tensor}."},
    {"copy", "The final values are read off by {copy}."},
    {"copy", "<Then|After that> {copy} {has_copies} the <last|final> elements."},
    {"copy", "The <old|original> results are the last elements: {copy}."},
    {"why",
     "In each iteration of {loop} the sum so far is multiplied by the exponential of the difference of the maxima, "
     "<so|hence> it always refers to the maximum so far; at the end this is the maximum of the row."},
    {"why",
     "Rescaling replaces the <old|original> reference by the new one in <every|each> term at once, and so the last "
     "running sum is the sum that was wanted."},
    {"why",
     "By induction over {loop}, each element is the sum of the exponentials seen so far relative to the maximum so "
     "far."},
    {"why-plain",
     "Each element of {tensor} is the sum of the terms so far, in the <old|original> order, and the last one is the "
     "whole sum."},
    {"why-plain", "By induction over {loop} the running sum contains <every|each> term up to there exactly once."},
    {"why-plain", "The additions are the same and in the same order, only the partial sums are kept."},
    {"back", "The new nests take the place of the reductions, whose results keep their names."},
    {"back", "The rest of the program reads the same results as before."},
    {"back", "Nothing else has to be rewritten, <since|because> the <old|original> names still hold the final values."},
};

void tell_sum(Teller& teller) {
  bind_online(teller);
  const bool plain_sum = teller.word("form") == "sum";
  teller.say(plain_sum ? "take-plain" : "take");
  teller.say_preconditions();
  teller.say(plain_sum ? "become-plain" : "become");
  teller.say("copy");
  tell_uses(teller);
  teller.say(plain_sum ? "why-plain" : "why");
  teller.say("back");
}

constexpr std::string_view kSoftmaxGeneral[] = {
    "Online softmax computes the maximum and the normalizing sum of a softmax in one pass. Both become recurrences "
    "over the softmax axis, the sum being rescaled whenever the maximum increases; the normalization then uses their "
    "last values.",
    "An ordinary softmax reads its row three times: for the maximum, for the sum of exponentials, and for the "
    "division. In the online form the first two passes are merged into one.",
    "The online normalizer keeps a running maximum and a running sum of exponentials. At the end of the row they are "
    "exactly the maximum and the sum that the classic softmax uses.",
    "Softmax can be made incremental. The state after each element consists of the maximum so far and the sum of "
    "exponentials relative to it, and the quotient is taken with the final state.",
    "To fuse the passes of a softmax, its two reductions are turned into a joint recurrence. The separate tensor for "
    "the sum disappears; the division reads the last element of the recurrence.",
};
constexpr Phrase kSoftmaxPhrases[] = {
    {"take", "The softmax consists of the maximum {old} and the sum {sum}."},
    {"take", "<In {where}|Within {where}> I find the softmax reductions {old} and {sum}."},
    {"take", "Its two reductions are {old} and {sum}, and <they are|both are> merged into an online form."},
    {"pattern",
     "Maximum, sum and quotient follow each other over the same loops, in global memory and without guards; {loop} "
     "carries the recurrences."},
    {"pattern", "The softmax pattern is <complete|all there>, quotient included, and the recurrences go along {loop}."},
    {"pattern", "All parts of the pattern are <there|present>, and {loop} is the axis of the softmax."},
    {"above", "A row never begins with minus infinity, <so|hence> the published form may be used."},
    {"above",
     "The scores are known to exceed minus infinity, <as the published form requires|which the published form needs>."},
    {"above", "<Since|As> the first score is above minus infinity, no undefined difference occurs."},
    {"become", "One pass now computes both: <it is {new}|{new}>, where {tensor} is the running sum."},
    {"become", "Maximum and sum advance together in {new}; {tensor} is fresh."},
    {"become", "The joint recurrence is {new}, with the <fresh|new> {tensor} for the sum."},
    {"copy", "Behind it <stands|comes> {copy}."},
    {"copy", "It is followed by {copy}."},
    {"copy", "What <remains|is left> to be read off is done by {copy}."},
    {"why",
     "After the last iteration of {loop} the recurrences have seen every element, <so|hence> they are the maximum and "
     "the sum of the row."},
    {"why",
     "The correction keeps the running sum consistent with the running maximum, <so|and> the final pair is what the "
     "two passes computed."},
    {"why", "By induction along {loop} the state describes the row so far; at the end it describes the whole row."},
    {"back", "The two reductions are gone, and one online nest stands in their place."},
    {"back", "All later expressions are as before, apart from reading the <last|final> elements."},
    {"back",
     "So the softmax makes one pass less over its row, with the same result <up to rounding|apart from rounding>."},
};

void tell_softmax(Teller& teller) {
  bind_online(teller);
  const auto is_copy = [](const Part& part) { return part.role == "copy"; };
  teller.say("take");
  teller.say_preconditions();
  teller.say("become");
  if (std::any_of(teller.facts.added.begin(), teller.facts.added.end(), is_copy)) teller.say("copy");
  tell_uses(teller);
  teller.say("why");
  teller.say("back");
}

constexpr Wording kWordings[] = {
    {"normal_loop_max_to_prefix_max", kMaxGeneral, kMaxPhrases, tell_max},
    {"normal_loop_summation_on_exp_to_prefix_summation_on_exp", kSumGeneral, kSumPhrases, tell_sum},
    {"online_softmax", kSoftmaxGeneral, kSoftmaxPhrases, tell_softmax},
};

}  // namespace

std::span<const Wording> online_wordings() { return kWordings; }

}  // namespace steptp
