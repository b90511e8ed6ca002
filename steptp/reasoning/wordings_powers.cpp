// powsimp, expand_powsimp, logsimp, expand_log
#include "steptp/reasoning/scalar_telling.h"
#include "steptp/reasoning/wordings.h"

namespace steptp {

namespace {

constexpr std::string_view kPowGeneral[] = {
    "Power simplification combines powers in a product. Powers of one base add their exponents, exponentials are "
    "merged into one exponential, and equal exponents or roots are taken of the product.",
    "Several powers that are multiplied can often be one power. That saves the most expensive operations, since an "
    "exponential or a root costs many multiplications.",
    "The laws of exponents allow powers to be merged. They hold for whole exponents everywhere, and for roots where "
    "the bases are known not to be negative.",
    "Instead of evaluating two powers and multiplying, evaluate one. The exponents or the bases are combined first.",
    "A product of powers is condensed here: same base, add exponents; same exponent, multiply bases; nested powers, "
    "multiply exponents.",
};
constexpr Phrase kPowPhrases[] = {
    {"take", "<In {where}|Within {where}> the equation for {left} multiplies powers: {part}."},
    {"take", "The powers to merge are in {part}, <which belongs to|from> the equation for {left} in {where}."},
    {"take", "I condense the powers in {part} of {where}, starting with {by}."},
    {"matches", "The law to use is that {law_words}, <beginning with|and it applies to> {by}."},
    {"matches", "Here {law_words}, and {by} is the first power concerned."},
    {"matches", "{by} can be merged, <because|since> {law_words}."},
    {"become", "Merged, it <is|reads> {result}."},
    {"become", "The condensed form <is|reads> {result}."},
    {"become", "{part} <becomes|is condensed to> {result}."},
    {"why", "By that law both sides are the same number; a merged exponential overflows only where the product does."},
    {"why", "The exponent law is an <identity|exact identity> here, <so|hence> {left} keeps its value up to rounding."},
    {"why", "Splitting the merged power again would give the factors back, hence nothing changes."},
    {"back", "In the equation this <gives|yields> {equation_after}."},
    {"back", "The equation with the merged power is {equation_after}."},
    {"back", "So the equation <becomes|turns into> {equation_after}."},
};

std::string power_law(const std::string& law) {
  if (law == "exponents") return "powers of one base add their exponents";
  if (law == "exponentials") return "a product of exponentials is the exponential of the sum";
  if (law == "bases") return "powers with one exponent multiply their bases";
  if (law == "roots") return "a product of roots is the root of the product";
  return "a power of a power multiplies the exponents";
}

void tell_powsimp(Teller& teller) {
  teller.bind("law_words", power_law(teller.word("law")));
  tell_scalar(teller);
}

constexpr std::string_view kExpandPowGeneral[] = {
    "A power can be taken apart into a product of powers: the exponential of a sum into exponentials of its terms, a "
    "power of a product into powers of the factors. The pieces may be shared or moved out of loops.",
    "Expanding powers is the reverse of merging them. It is useful when one of the factors does not depend on an inner "
    "loop and can be hoisted.",
    "The exponent laws can be used to break a power up. For exponentials one has to make sure that no piece leaves the "
    "range of its type, even though the whole does not.",
    "One power, several factors: this step decomposes an exponent or a base and writes the power as a product.",
    "Breaking up a power exposes its factors to further rewriting. Each factor is a power with a simpler exponent or "
    "base.",
};
constexpr Phrase kExpandPowPhrases[] = {
    {"take", "The power to break up is {part} in {where}."},
    {"take",
     "<In {where}|Within {where}> the equation for {left} contains the power {part}, <which is decomposed|and I "
     "decompose it>."},
    {"take", "I decompose {part}, <part of|from> the equation for {left} in {where}."},
    {"matches", "It can be broken up <because|since> {law_words}."},
    {"matches", "The applicable law is that {law_words}."},
    {"matches", "<Since|As> {law_words}, the pattern is there."},
    {"become", "As a product of powers it <is|reads> {result}."},
    {"become", "Broken up, it <reads|becomes> {result}."},
    {"become", "This <yields|gives> {result}."},
    {"why", "Merging the factors again restores the power, <so|hence> the values agree up to rounding."},
    {"why",
     "The law is an identity for the values that can occur here, and none of the pieces leaves the range of the type."},
    {"why", "<Every|Each> factor is well defined, and their product is the <old|original> power."},
    {"back", "The equation now is {equation_after}."},
    {"back", "Written into the equation: {equation_after}."},
    {"back", "With the product in place of the power we <have|get|obtain> {equation_after}."},
};

std::string expansion_law(const std::string& law) {
  if (law == "power") return "a power with a larger exponent is a product of powers with smaller ones";
  if (law == "product") return "a whole power of a product is the product of the powers";
  if (law == "exponential") return "the exponential of a sum is the product of the exponentials";
  if (law == "multiple") return "the exponential of a multiple is a power of the exponential";
  return "the root of a product is the product of the roots where no factor is negative";
}

void tell_expand_powsimp(Teller& teller) {
  teller.bind("law_words", expansion_law(teller.word("law")));
  tell_scalar(teller);
}

constexpr std::string_view kLogGeneral[] = {
    "Logarithms that are added can be merged: the sum of two logarithms is the logarithm of the product of their "
    "arguments. One evaluation of the logarithm is saved.",
    "Logsimp turns sums of logarithms into a single logarithm. The arguments have to be positive, and their product "
    "must stay within the range of the type.",
    "Since a logarithm turns products into sums, sums of logarithms can be turned back into the logarithm of a "
    "product.",
    "Several logarithms in one sum are wasteful. Multiplying the arguments first and taking one logarithm is cheaper.",
    "The logarithm laws, read towards fewer logarithms: added ones multiply their arguments, subtracted ones divide, "
    "and whole factors become exponents.",
};
constexpr Phrase kLogPhrases[] = {
    {"take", "The logarithms in {part} of {where} are to be merged."},
    {"take", "<In {where}|Within {where}> the equation for {left} adds logarithms: {part}."},
    {"take", "I merge the logarithms of {part}, <in|from> the equation for {left} of {where}."},
    {"matches", "The terms of the sum include logarithms to merge, <so the law applies|as the law wants>."},
    {"matches", "The sum contains logarithms that can be combined."},
    {"matches", "Its logarithms are exactly what the law can <combine|put together>."},
    {"become", "With a single logarithm it <is|reads> {result}."},
    {"become", "Merged, the sum <reads|becomes> {result}."},
    {"become", "The combined form is {result}."},
    {"why",
     "For positive arguments the logarithm of a product is the sum of the logarithms, <so|hence> both are equal."},
    {"why",
     "All arguments are positive and their product neither overflows nor vanishes, <hence|so> the value is kept."},
    {"why", "Expanding the logarithm again gives the <old|original> sum back."},
    {"back", "The equation <is now|now reads> {equation_after}."},
    {"back", "In its equation this <gives|yields> {equation_after}."},
    {"back", "<Put back|Back in place>, the merged logarithm makes it {equation_after}."},
};

constexpr std::string_view kExpandLogGeneral[] = {
    "The logarithm of a product is expanded into a sum of logarithms, that of a quotient into a difference, and powers "
    "become factors. The logarithm of an exponential is simply its argument.",
    "Expanding a logarithm pulls its argument apart. It is allowed where every factor of the argument is positive.",
    "A logarithm over a compound argument can be written as a sum of simpler logarithms, some of which may cancel with "
    "an exponential.",
    "This step applies the logarithm laws towards simpler arguments: products, quotients, powers and roots are "
    "resolved into sums and factors.",
    "Taking a logarithm apart is the reverse of merging logarithms. Numerically it avoids products that could "
    "overflow.",
};
constexpr Phrase kExpandLogPhrases[] = {
    {"take", "The logarithm to expand is {part} in {where}."},
    {"take",
     "<In {where}|Within {where}> the equation for {left} takes the logarithm {part}, <whose argument is "
     "compound|which I expand>."},
    {"take", "I expand {part}, <found in|from> the equation for {left} of {where}."},
    {"matches", "Its argument is a product, a quotient, a power, a root or an exponential, <so|hence> a law applies."},
    {"matches", "The argument is compound, <as the law requires|and so the law applies>."},
    {"matches", "There is structure in the argument that the logarithm can be distributed over."},
    {"become", "Expanded, it <is|reads> {result}."},
    {"become", "The sum of simpler logarithms <is|reads> {result}."},
    {"become", "It <resolves|turns> into {result}."},
    {"why",
     "<Every|Each> factor of the argument is positive, <so|hence> the logarithm of the product is the sum of the "
     "logarithms."},
    {"why", "Merging the terms again leads back to the same logarithm; the value is kept up to rounding."},
    {"why", "The law holds for positive factors, and all factors are known to be positive."},
    {"back", "The equation <becomes|turns into> {equation_after}."},
    {"back", "In place of the <old|original> logarithm, this <gives|yields> {equation_after}."},
    {"back", "So the equation reads {equation_after}."},
};

constexpr Wording kWordings[] = {
    {"powsimp", kPowGeneral, kPowPhrases, tell_powsimp},
    {"expand_powsimp", kExpandPowGeneral, kExpandPowPhrases, tell_expand_powsimp},
    {"logsimp", kLogGeneral, kLogPhrases, tell_scalar},
    {"expand_log", kExpandLogGeneral, kExpandLogPhrases, tell_scalar},
};

}  // namespace

std::span<const Wording> power_wordings() { return kWordings; }

}  // namespace steptp
