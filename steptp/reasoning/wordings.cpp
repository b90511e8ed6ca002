#include "steptp/reasoning/wordings.h"

#include <array>
#include <optional>

namespace steptp {

namespace {

/// What several strategies say in the same words: conditions that mean the same for all of them.
constexpr Phrase kShared[] = {
    {"uses-at-end",
     "What <was read|used to be read> from the old results, {uses}, is now read from the last elements: {uses_after}."},
    {"uses-at-end", "Readers <switch|are switched> to the last elements: {uses_after} instead of {uses}."},
    {"uses-at-end", "<Instead of|In place of> {uses} the program has {uses_after}, with the last elements."},
    {"likewise", "<Likewise|In the same way>, {index} stands for {calculation} now."},
    {"likewise", "The same <goes for|holds for> {index}, which is {calculation}."},
    {"likewise", "And {index} is <replaced by|read as> {calculation}."},
    {"scopes", "Data in shared or thread-local memory stays with the same owners as before."},
    {"scopes", "No tensor in shared or thread-local memory <changes hands|gets a new owner>."},
    {"scopes", "As for memory scopes, every block and every thread <still sees|keeps> the data it had."},
    {"scopes", "The scopes are respected: shared and thread-local data is used by the accesses that used it before."},
    {"scopes", "Nothing changes in who owns which shared or thread-local data."},
    {"races", "No race <comes up|arises>, <since|because> concurrent iterations touch different elements."},
    {"races", "Iterations that may run at the same time stay away from each other's elements."},
    {"races", "There is no race: what one thread writes, no other touches at the same time."},
    {"races", "Concurrent accesses never meet in one element that one of them writes."},
    {"memory", "The extra storage stays within the limits."},
    {"memory", "Memory is no obstacle<, the new data is small enough|>."},
    {"memory", "The new tensors are <small enough|of acceptable size>."},
    {"memory", "What has to be stored in addition fits <into memory|without trouble>."},
    {"serial", "The loops that are reduced run serially, <so there is an order to follow|as a recurrence needs>."},
    {"serial", "A recurrence <needs|requires> an order, and the reduced loops are serial."},
    {"serial",
     "All reduced loops are serial and none is vectorized, <so a recurrence is possible|which a recurrence requires>."},
    {"between", "Nothing in between writes what is read here."},
    {"between", "No operand is <overwritten|changed> between the nests involved."},
    {"between", "Between these nests all operands keep their values<, so they can be merged|>."},
    {"between", "What stands between them does not interfere."},
    {"one-type", "Everything in this part is made of {dtype}, <so|hence> no conversion is hidden in it."},
    {"one-type", "All operands are {dtype}<, and the rewritten form computes in the same type|>."},
    {"one-type", "The part stays within one type, {dtype}."},
    {"one-type", "There is no change of type inside, only {dtype}."},
    {"value-only",
     "It is used as a value only; no comparison or rounding to integers could expose a different last bit."},
    {"value-only",
     "No condition and no integer depends on it, so rounding differences <stay harmless|cannot decide anything>."},
    {"value-only", "The result is neither compared nor converted to an integer<, which would magnify rounding|>."},
    {"value-only", "Nothing downstream in this equation compares it or truncates it."},
    {"accumulator", "The accumulation around it stays an accumulation of the same kind."},
    {"accumulator", "The accumulator itself is not touched, <only what is accumulated|the term that goes into it is>."},
    {"accumulator", "Since the equation accumulates, I make sure that it still accumulates by the same operator."},
    {"accumulator", "The equation goes on accumulating <as before|in the same way>."},
    {"finite", "All values that take part are finite."},
    {"finite", "No infinity and no NaN can <occur|appear> in it, so the usual laws of arithmetic hold."},
    {"finite", "The known facts about its operands <say|show> that they are finite."},
    {"finite", "Every operand is finite<, as the facts of the program show|>."},
    {"non-zero", "Whatever is divided by is known to be nonzero."},
    {"non-zero", "No divisor <can be|is ever> zero here."},
    {"non-zero", "The divisors are different from zero<, by what is known of them|>."},
    {"non-zero", "Division is safe, as no divisor can vanish."},
    {"finite-given", "{given} {given_is}, <and such values are finite|so only finite numbers occur there>."},
    {"finite-given", "Here {given} {given_is}, <so|hence> finite by agreement."},
    {"finite-given", "{given} {given_is} of the signature, <where no infinity can enter|whose values are finite>."},
    {"finite-computed",
     "{computed} {computed_is} computed from finite values <in a way that stays finite|by operations that stay "
     "finite>."},
    {"finite-computed",
     "{computed} {computed_is} finite, <since|because> only finite values and safe operations go into "
     "{computed_it}."},
    {"finite-computed", "As for {computed}, <no element|nothing> can become infinite on the way."},
    {"non-zero-domain", "{divisor} cannot be zero, <because|since> {tensor} is {declared} in the signature."},
    {"non-zero-domain", "In the signature {tensor} is {declared}, <so|hence> {divisor} is not zero."},
    {"non-zero-domain", "{tensor} is {declared}, which keeps {divisor} away from zero."},
    {"non-zero-values", "{divisor} is not zero, <because|since> no value of the constant {tensor} is."},
    {"non-zero-values", "The constant {tensor} has no zero among its values, <so|hence> {divisor} is none either."},
    {"non-zero-values", "All values of the constant {tensor} are known and none is zero, which settles {divisor}."},
    {"non-zero-computed", "{divisor} is not zero, <because|since> {tensor} is computed by {definition}."},
    {"non-zero-computed", "The definition {definition} never gives zero, <so|hence> one may divide by {divisor}."},
    {"non-zero-computed", "By {definition}, no element of {tensor} is zero, <so|hence> dividing by {divisor} is safe."},
    {"non-zero-exp", "{divisor} is an exponential, <which is never zero|and therefore positive>."},
    {"non-zero-exp", "As an exponential, {divisor} is <always positive|greater than zero>."},
    {"non-zero-exp", "Exponentials do not vanish, so neither does {divisor}."},
    {"non-zero-root", "{divisor} is the root of a positive value, <so|hence> not zero."},
    {"non-zero-root", "What stands under the root in {divisor} is positive, and <so is|therefore> the root <|itself>."},
    {"non-zero-root", "As the root of something positive, {divisor} is positive <too|as well>."},
    {"non-zero-terms", "No term of {divisor} is negative and one is positive, <so|hence> it is not zero."},
    {"non-zero-terms", "{divisor} adds a positive term to others that are not negative, <so|hence> it cannot vanish."},
    {"non-zero-terms",
     "The terms of {divisor} are never negative, and since one of them is positive, so is <the "
     "sum|their sum>."},
    {"non-zero-least", "{divisor} is at least {least}, <so|hence> it is not zero."},
    {"non-zero-least", "Since {divisor} never goes below {least}, <it cannot be zero|zero is ruled out>."},
    {"non-zero-least", "The value of {divisor} is {least} or more, <so|hence> not zero."},
    {"non-zero-positive", "{divisor} is always positive<, as its parts show|>."},
    {"non-zero-positive", "What is known of its parts makes {divisor} positive, <so|hence> not zero."},
    {"non-zero-positive", "{divisor} stays above zero."},
    {"non-zero-negative", "{divisor} is always negative<, as its parts show|>."},
    {"non-zero-negative", "What is known of its parts makes {divisor} negative, <so|hence> not zero."},
    {"non-zero-negative", "{divisor} stays below zero."},
    {"non-zero-condition", "The condition around it makes sure that {divisor} is not zero <here|where this runs>."},
    {"non-zero-condition",
     "This is computed only where {divisor} is not zero, <by the condition around it|as its "
     "condition says>."},
    {"non-zero-condition", "Where the condition around it holds, {divisor} is not zero."},
    {"overflow", "No value leaves the range of its type in the process."},
    {"overflow", "Nothing overflows or underflows <because of this|on the way>."},
    {"overflow", "All magnitudes stay <moderate|within the range of the type>."},
    {"overflow", "Nothing becomes too large or too small for the type."},
    {"accuracy", "At most one of the factors is a difference, <so|hence> cancellation does not ruin the accuracy."},
    {"accuracy", "Accuracy is preserved, as no two differences are multiplied out together."},
    {"accuracy", "Only one factor can suffer from cancellation at most, which is acceptable."},
    {"accuracy", "The terms do not <nearly|> cancel in a harmful way, with at most one difference among the factors."},
    {"sign", "The signs are as the law requires."},
    {"sign", "The values have the sign that the law <needs|asks for>, by what is known of them."},
    {"sign", "I also need the right signs, and the known facts <guarantee|provide> them."},
    {"sign", "No argument is negative where it must not be."},
    {"in-scope", "The value is defined where the equation runs and follows its indices."},
    {"in-scope", "At this point the value brought in is already <complete|computed>, for the indices of the equation."},
    {"in-scope", "What is brought in is available here: it has been computed earlier and has matching indices."},
    {"in-scope", "The inserted value <exists|is there> in every iteration of the equation."},
    {"unused",
     "{index} itself <appears in no subscript|is used by no subscript>, <so|hence> there is nothing to rewrite for "
     "it."},
    {"unused", "No subscript mentions {index}<, and none has to be rewritten|>."},
    {"unused", "As no subscript uses {index}, the body stays the same in this respect."},
};

using List = std::span<const Wording> (*)();
constexpr std::array<List, 14> kLists = {
    loop_structure_wordings, loop_order_wordings, loop_kind_wordings, fusion_wordings,    definition_wordings,
    tensor_wordings,         cache_wordings,      storage_wordings,   factoring_wordings, fraction_wordings,
    power_wordings,          splitting_wordings,  online_wordings,    attention_wordings,
};

}  // namespace

const Wording* wording_of(std::string_view strategy) {
  for (const List list : kLists) {
    for (const Wording& wording : list()) {
      if (wording.strategy == strategy) return &wording;
    }
  }
  return nullptr;
}

std::span<const Phrase> shared_phrases() { return kShared; }

void bind_where(Teller& teller) { teller.bind_expression("where", teller.choice.at); }

void bind_access(Teller& teller, Site subscript) {
  subscript.number.reset();
  teller.bind_before("from", subscript);
  teller.bind_after("to", subscript);
}

void tell_substitutions(Teller& teller) {
  std::optional<Site> shown;
  for (const Substitution& one : teller.facts.substitutions) {
    teller.bind_name("index", one.index);
    teller.bind("calculation", index_words(one.value));
    const auto from = subscript_with(*teller.before.program, one.below.items, one.index);
    if (!from) {
      teller.say("unused");
      continue;
    }
    Site access = *from;
    access.number.reset();
    // One access shows both of its changes.
    if (shown == access) {
      teller.say("likewise");
      continue;
    }
    shown = access;
    bind_access(teller, *from);
    teller.say("substituted");
  }
}

}  // namespace steptp
