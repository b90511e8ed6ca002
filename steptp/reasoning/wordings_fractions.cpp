// cancellation, expand_cancellation, apart, together
#include <utility>
#include <vector>

#include "steptp/reasoning/scalar_telling.h"
#include "steptp/reasoning/wordings.h"

namespace steptp {

namespace {

constexpr std::string_view kCancelGeneral[] = {
    "Cancellation removes what undoes itself: a factor that stands both above and below a fraction bar, or a term that "
    "is added and subtracted again. The expression gets shorter and cheaper.",
    "If something is multiplied and divided by the same value, or increased and decreased by it, the value plays no "
    "part in the end. Cancelling deletes both occurrences.",
    "Reducing a fraction means dividing numerator and denominator by their common factor. In the same way equal terms "
    "of opposite sign drop out of a sum.",
    "Two operations that are inverse to each other can be struck out together. One has to know that the value is "
    "finite, and not zero where it divides.",
    "An expression may contain work whose effect is nil. Cancelling finds opposite terms or common factors and strikes "
    "them out.",
};
constexpr Phrase kCancelPhrases[] = {
    {"take", "<In {where}|Within {where}> the equation for {left} contains {part}, where something cancels."},
    {"take", "The expression to reduce is {part} in {where}."},
    {"take",
     "I look at {part}, <part of|from> the equation for {left} in {where}, and find opposite operations in it."},
    {"matches", "{what_cancels}."},
    {"matches", "{what_cancels}, <which is the pattern|as the pattern wants>."},
    {"matches", "{what_cancels}, <so|hence> both can be struck out."},
    {"become", "Reduced, it <is|reads> {result}."},
    {"become", "Striking it out leaves {result}."},
    {"become", "{part} <shrinks to|is reduced to> {result}."},
    {"why", "{law}, <so|hence> nothing of value is lost."},
    {"why",
     "The reduction is an identity under the conditions just stated, <so|hence> {left} gets the same value up to "
     "rounding."},
    {"why", "What was struck out contributed nothing, and therefore the result is <unchanged|the same>."},
    {"back", "The equation is left as {equation_after}."},
    {"back", "After the reduction we <have|get|obtain> {equation_after}."},
    {"back", "Put back into its equation this <gives|yields> {equation_after}."},
};

/// What is struck out, as far as the text has it.
TracePieces struck_words(const Teller& teller, bool divides) {
  std::vector<TracePieces> struck;
  const Json* list = find_value(teller.facts.values, "struck");
  for (const Json& one : list && list->as_array() ? *list->as_array() : Json::Array()) {
    struck.push_back(quote_piece(teller.before, {*parse_site(*one.as_string()), {}}));
  }
  if (struck.empty())
    return plain(divides ? "dividend and divisor have a factor in common" : "a term is added and subtracted again");
  const bool is_one = struck.size() == 1;
  TracePieces out = list_of(std::move(struck));
  if (divides) {
    add(out, is_one ? " is a factor of dividend and divisor" : " are factors of dividend and divisor");
  } else {
    add(out, is_one ? " is added and subtracted again" : " are added and subtracted again");
  }
  return out;
}

void tell_cancellation(Teller& teller) {
  const bool divides = teller.word("struck_kind") == "factor";
  teller.bind("what_cancels", struck_words(teller, divides));
  teller.bind("law", divides ? "a nonzero value divided by itself is one" : "a finite value minus itself is zero");
  tell_scalar(teller);
}

constexpr std::string_view kExpandCancelGeneral[] = {
    "A fraction keeps its value if numerator and denominator are multiplied by the same nonzero quantity. This step "
    "extends a fraction in that way, as preparation for putting fractions over a common denominator.",
    "Extending a fraction is the reverse of reducing it. A value that is known to be finite and nonzero is multiplied "
    "in above and below.",
    "Multiplying by a quotient of a value with itself is multiplying by one. It seems pointless, but the extended "
    "fraction may fit other expressions better.",
    "To extend a quotient, choose a value available at that point and let it enter both the dividend and the divisor.",
    "The denominator of a fraction can be changed freely as long as the numerator changes along with it. Here both get "
    "one more factor.",
};
constexpr Phrase kExpandCancelPhrases[] = {
    {"take", "The fraction to extend is {part} in {where}, and the extending value is {value}."},
    {"take", "<In {where}|Within {where}> the equation for {left} has the quotient {part}; I extend it by {value}."},
    {"take", "I <extend|multiply> {part} of {where} above and below by {value}."},
    {"matches", "It is a quotient with a genuine divisor, <not just a number|no mere number>, so it can be extended."},
    {"matches", "The part divides by something other than a number, <which is what the step wants|as needed>."},
    {"matches", "There is a real denominator <to extend|in it>."},
    {"become", "The extended fraction is {result}."},
    {"become", "With {value} above and below it <reads|becomes> {result}."},
    {"become", "{part} <turns into|is extended to> {result}."},
    {"why",
     "Dividing {value} by itself gives one, <since|because> it is finite and not zero, <so|hence> the quotient keeps "
     "its value."},
    {"why", "Reducing the new fraction by {value} would give the old one back."},
    {"why", "A fraction extended by a finite nonzero value is the same number, up to rounding."},
    {"back", "The equation then is {equation_after}."},
    {"back", "In its equation the extended form <gives|yields> {equation_after}."},
    {"back", "<I put the extended quotient back|The extended quotient goes back>: {equation_after}."},
};

constexpr std::string_view kApartGeneral[] = {
    "Taking a fraction apart turns one quotient into a sum of simpler quotients, either term by term over the same "
    "denominator or by partial fractions over the factors of the denominator.",
    "A quotient of a sum can be divided summand by summand, and a quotient over a product of factors decomposes into "
    "partial fractions. Both split a fraction into independent pieces.",
    "The decomposition of a fraction is the reverse of bringing fractions to a common denominator. The pieces can then "
    "be computed or simplified one at a time.",
    "Breaking up a quotient gives several quotients that add up to it. No denominator may be zero, which the facts of "
    "the program have to guarantee.",
    "A complicated fraction is sometimes easier as a sum. This step decomposes it and keeps the value.",
};
constexpr Phrase kApartPhrases[] = {
    {"take", "The quotient {part} in {where} is taken apart {how}."},
    {"take", "<In {where}|Within {where}> the equation for {left} divides: {part}. I decompose this quotient {how}."},
    {"take", "I break up {part}, <from|which belongs to> the equation for {left} in {where}, {how}."},
    {"matches", "The pattern is present, <because|since> {by} is {by_role}."},
    {"matches", "{by} is {by_role}, <so a decomposition exists|which makes the decomposition possible>."},
    {"matches", "It can be decomposed, {by} being {by_role}."},
    {"become", "The pieces are {result}."},
    {"become", "Decomposed, the quotient <is|reads> {result}."},
    {"become", "It <becomes|turns into> the sum {result}."},
    {"why", "Adding the pieces over their common denominator gives the original quotient again."},
    {"why", "The decomposition is an identity wherever no denominator vanishes, and none does here."},
    {"why",
     "Since <every|each> denominator is nonzero and all values are finite, the sum of the pieces <equals|is equal to> "
     "the quotient."},
    {"back", "The equation with the decomposed quotient <is|reads> {equation_after}."},
    {"back", "Inserted into the equation, this <gives|yields> {equation_after}."},
    {"back", "So {equation_after} is what remains of the equation."},
};

void tell_apart(Teller& teller) {
  const bool terms = teller.word("form") == "terms";
  teller.bind("how", terms ? "term by term" : "into partial fractions");
  teller.bind("by_role", terms ? "a sum that is divided" : "a value in which the divisor has several factors");
  tell_scalar(teller);
}

constexpr std::string_view kTogetherGeneral[] = {
    "Fractions in a sum can be brought to a common denominator and written as one fraction. Several divisions become a "
    "single one, which is usually the dearest operation involved.",
    "Adding fractions the way it is taught at school: find a common denominator, extend each numerator accordingly, "
    "and divide once.",
    "A sum with several quotients costs several divisions. Over a common denominator one division is enough.",
    "Combining quotients gathers everything above one fraction bar. Each numerator is multiplied by what its own "
    "denominator lacks.",
    "This step merges the quotients of a sum into one quotient. It is the reverse of taking a fraction apart.",
};
constexpr Phrase kTogetherPhrases[] = {
    {"take", "The sum of quotients is {part} in {where}."},
    {"take", "<In {where}|Within {where}> the equation for {left} adds quotients: {part}."},
    {"take", "I bring {part}, <found in|part of> the equation for {left} in {where}, to a common denominator."},
    {"matches", "At least one of its terms has a divisor that is more than a number."},
    {"matches", "There is a genuine divisor among the terms, <so a common denominator makes sense|as required>."},
    {"matches", "Its terms include a quotient <with a real denominator|that divides by a value>."},
    {"become", "Over the common denominator it <is|reads> {result}."},
    {"become", "Written as one fraction, the sum <is|reads> {result}."},
    {"become", "All terms combine to {result}."},
    {"why",
     "Each term was multiplied and divided by what its denominator lacked, which is not zero, <so|hence> the sum is "
     "the same."},
    {"why", "Dividing the new numerator term by term would restore the <old|original> quotients."},
    {"why",
     "No denominator is zero and nothing overflows, <so|hence> the single fraction equals the sum up to rounding."},
    {"back", "The equation now divides once: {equation_after}."},
    {"back", "<Put back|Back in place>, this makes the equation {equation_after}."},
    {"back", "With the combined fraction the equation <is|reads> {equation_after}."},
};

constexpr Wording kWordings[] = {
    {"cancellation", kCancelGeneral, kCancelPhrases, tell_cancellation},
    {"expand_cancellation", kExpandCancelGeneral, kExpandCancelPhrases, tell_scalar},
    {"apart", kApartGeneral, kApartPhrases, tell_apart},
    {"together", kTogetherGeneral, kTogetherPhrases, tell_scalar},
};

}  // namespace

std::span<const Wording> fraction_wordings() { return kWordings; }

}  // namespace steptp
