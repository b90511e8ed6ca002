// flashattention_wo_tiling, normal_matmul_to_prefix_matmul_based_on_online_softmax
#include <algorithm>
#include <string>
#include <vector>

#include "steptp/reasoning/wordings.h"

namespace steptp {

namespace {

constexpr std::string_view kFlashGeneral[] = {
    "Flash attention, without tiling, computes softmax and the weighted sum of values in one pass over the keys. A "
    "running maximum, a running normalizer and a running output are kept, and the latter two are rescaled whenever "
    "the maximum grows. The matrix of attention weights is never stored.",
    "In attention, a softmax over scores is followed by a matrix product with the values. Both can share a single "
    "recurrence along the keys, so that the probabilities need not be written to memory at all.",
    "The observation behind flash attention is that a normalized weighted sum can be updated incrementally. Each new "
    "key changes the maximum, the normalizer and the output by a simple formula.",
    "Instead of materializing the attention matrix, the output is accumulated while the softmax statistics are still "
    "being gathered. Corrections by exponentials of differences of maxima keep the partial output valid.",
    "This is online softmax carried one step further: besides maximum and sum, the product with the values becomes "
    "part of the recurrence, and softmax plus matrix product turn into one nest.",
};
constexpr Phrase kFlashPhrases[] = {
    {"take",
     "<The attention consists of|What makes up the attention is> the maximum {maximum}, the sum {sum}, the quotient "
     "{quotient} and the matrix product {matmul}."},
    {"take",
     "<Four nests make up the attention|The attention is spread over four nests>: {maximum}, {sum}, {quotient} and "
     "{matmul}."},
    {"take", "I recognize attention in {maximum}, then {sum}, then {quotient}, and finally {matmul}."},
    {"pattern",
     "They form the <full|whole> pattern, softmax followed by a product with values, and {loop} runs over the keys."},
    {"pattern",
     "The pattern is <complete|all there>: maximum, sum, quotient and product over matching loops, with {loop} as the "
     "key axis."},
    {"pattern", "All four stand in one body without guards, and the recurrences are carried by {loop}."},
    {"alone",
     "The attention weights are read by this product and by nothing else, <so|hence> they need not be stored."},
    {"alone", "Nobody else <needs|requires> the weights, <so they may disappear|which allows dropping them>."},
    {"alone", "Only the matrix product reads the weights."},
    {"above", "Scores exceed minus infinity from the first key on, <so|hence> the published form is safe."},
    {"above", "No row starts with minus infinity, <as the published form needs|which makes the published form valid>."},
    {"above", "<Since|As> the first score is above minus infinity, the correction is always defined."},
    {"become", "All of it <becomes|is turned into> one recurrence, {new}."},
    {"become", "The combined nest is {new}; {sum_name} is the running normalizer and {output} the running output."},
    {"become", "Along {loop} now runs {new}, with the <fresh|new> {sum_name} and {output}."},
    {"copy", "The result is then taken from the <last|final> step: {copy}."},
    {"copy", "{copy} <reads|takes> the final output off."},
    {"copy", "Behind the keys, {copy} delivers the attention output."},
    {"why",
     "In each step the normalizer and the output so far refer to the maximum so far, and in the <last|final> step they "
     "are those of the whole row."},
    {"why",
     "Rescaling by the exponential of the difference of maxima moves all earlier contributions to the new reference, "
     "<so|hence> the final output is the softmax-weighted sum."},
    {"why",
     "By induction over {loop}, the running output covers the keys seen so far, weighted relative to the maximum so "
     "far; after the <last|final> key this is the full attention."},
    {"back", "The four old nests are removed, and the recurrence with its read-off stands in their place."},
    {"back", "The result keeps its name, <so|hence> later expressions are untouched, while the weight matrix is gone."},
    {"back", "Everything behind the attention <stays|remains> the same."},
};

constexpr std::string_view kMatmulGeneral[] = {
    "Given a softmax in online form, the matrix product behind it can join the recurrence. The product's accumulator "
    "becomes a running output that is corrected along with the running normalizer, so the softmax weights are no "
    "longer needed as a tensor.",
    "A matrix product with softmax weights waits for the softmax to finish. If maximum and sum are already "
    "recurrences, the product can be accumulated in the same loop with weights relative to the maximum so far.",
    "This is the second half of flash attention: the first half made the softmax online, and now the product with the "
    "values is turned into a prefix product beside it.",
    "The prefix form of a softmax-weighted product keeps one partial output per position, rescaled when the maximum "
    "changes. The final division happens once, at the end.",
    "Where weights are exponentials over a normalizer, a weighted sum may be formed with unnormalized weights and "
    "divided afterwards. As the maximum is only known at the end, the running sum is corrected on the way.",
};
constexpr Phrase kMatmulPhrases[] = {
    {"take",
     "The online softmax is {online}, its weights are <made|produced> by {quotient}, and the product is {matmul}."},
    {"take",
     "The online softmax is there already, {online}; now the quotient {quotient} and the product {matmul} are <to be "
     "absorbed|to join it>."},
    {"take", "I join {matmul}, which uses the weights of {quotient}, to the recurrences of {online}."},
    {"pattern",
     "The pattern <fits|is matched>: both softmax statistics are recurrences in one nest, carried by {loop}, and the "
     "product sums over the same keys."},
    {"pattern",
     "Weights, recurrences and product stand in one body and agree in their loops; {loop} carries the recurrence."},
    {"pattern", "Along {loop} everything <matches|is> what the prefix product <needs|requires>."},
    {"alone", "The weights have no other reader, <so|hence> they can <disappear|vanish>."},
    {"alone", "No one but this product reads the weights."},
    {"alone", "Since only the product uses the weights, <they need not be stored|their tensor can go>."},
    {"between", "The values are available when the recurrences run, or the recurrences can wait for them."},
    {"between", "Nothing the recurrence <needs|requires> is produced too late."},
    {"between", "The values that are weighted are <complete|ready> in time."},
    {"become", "With the product as a third recurrence <we get|there is> {new}; {tensor} is the running output."},
    {"become", "The enlarged recurrence is {new}, where {tensor} collects the weighted values so far."},
    {"become", "{new} now also carries {tensor}, the <partial|running> output."},
    {"copy", "At the end {copy} takes the final output and normalizes it where that is still due."},
    {"copy", "The result is read off by {copy}."},
    {"copy", "{copy} then produces the <old|original> result from the <last|final> position."},
    {"why",
     "At each position {tensor} is the sum so far with the weights of the softmax so far; at the last position these "
     "are the weights of the whole softmax."},
    {"why",
     "<Every|Each> earlier contribution is corrected whenever the maximum moves, <so|hence> the final value is the "
     "product that was wanted."},
    {"why",
     "The unnormalized running output divided by the final normalizer equals the product with normalized weights, up "
     "to rounding."},
    {"back", "Quotient and product nests are replaced, and the result keeps its name."},
    {"back", "The weights <vanish|disappear> from the program; readers of the result see no change."},
    {"back", "All other expressions <stay|remain> as they were."},
};

TracePieces recurrence_of(const Quotable& from, const Site& site) {
  TracePieces out = plain("the nest ");
  add(out, header_of(from, site.items));
  add(out, " with ");
  add(out, body_of(from, site.items));
  return out;
}

void bind_added(Teller& teller) {
  std::vector<TracePieces> recurrences;
  std::vector<TracePieces> copies;
  for (const Part& part : teller.facts.added) {
    if (part.role == "use") continue;
    if (part.role == "recurrence")
      recurrences.push_back(recurrence_of(teller.after, part.site));
    else
      copies.push_back(nest_of(teller.after, part.site));
  }
  teller.bind("new", list_of(std::move(recurrences)));
  teller.bind("copy", list_of(std::move(copies)));
}

void bind_removed(Teller& teller) {
  for (const Part& part : teller.facts.removed) {
    if (part.role == "use") continue;
    if (part.role == "recurrence")
      teller.bind("online", recurrence_of(teller.before, part.site));
    else
      teller.bind(part.role, nest_of(teller.before, part.site));
  }
}

bool is_inside(const Site& site, const std::vector<Part>& parts) {
  return std::any_of(parts.begin(), parts.end(), [&](const Part& part) {
    return site.items.size() >= part.site.items.size() &&
           std::equal(part.site.items.begin(), part.site.items.end(), site.items.begin());
  });
}

/// Others that read the maximum read its last element now.
void tell_other_uses(Teller& teller) {
  const Facts& facts = teller.facts;
  std::vector<Site> before;
  for (const Part& part : facts.removed) {
    if (part.role == "use") before.push_back(part.site);
  }
  if (before.empty()) return;
  const Site maximum = equations_below(*teller.before.program, facts.removed[0].site.items)[0];
  const std::string& name = equation_at(*teller.before.program, maximum.items)->left->tensor;
  std::vector<Site> after;
  for (std::uint32_t i = 0; i < teller.after.program->nests.size(); ++i) {
    for (Site site : accesses_below(*teller.after.program, {i}, name)) {
      if (site.part != Site::Part::right || is_inside(site, facts.added)) continue;
      after.push_back({site.items, Site::Part::item, {}, {}});
    }
  }
  teller.bind("uses", places_of(teller.before, std::move(before)));
  teller.bind("uses_after", places_of(teller.after, std::move(after), std::nullopt, false));
  teller.say("uses-at-end");
}

void tell_flash(Teller& teller) {
  teller.bind_name("sum_name", teller.word("sum"));
  teller.bind_name("output", teller.word("output"));
  bind_removed(teller);
  bind_added(teller);
  teller.say("take");
  teller.say_preconditions();
  teller.say("become");
  teller.say("copy");
  tell_other_uses(teller);
  teller.say("why");
  teller.say("back");
}

void tell_matmul(Teller& teller) {
  bind_removed(teller);
  bind_added(teller);
  teller.say("take");
  teller.say_preconditions();
  teller.say("become");
  teller.say("copy");
  teller.say("why");
  teller.say("back");
}

constexpr Wording kWordings[] = {
    {"flashattention_wo_tiling", kFlashGeneral, kFlashPhrases, tell_flash},
    {"normal_matmul_to_prefix_matmul_based_on_online_softmax", kMatmulGeneral, kMatmulPhrases, tell_matmul},
};

}  // namespace

std::span<const Wording> attention_wordings() { return kWordings; }

}  // namespace steptp
