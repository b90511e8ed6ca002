// factorization, expand_factorization, collect, expand_collect
#include "steptp/reasoning/scalar_telling.h"
#include "steptp/reasoning/wordings.h"

namespace steptp {

namespace {

constexpr std::string_view kFactorGeneral[] = {
    "Factorization writes a sum as a product of its factors, the way a polynomial is factored in algebra. Fewer "
    "operations are left, and a common factor is computed once.",
    "A polynomial in the values of an equation may have a factored form. Writing it that way replaces many products by "
    "a few sums that are multiplied together.",
    "To factor an expression means to find polynomials whose product it is. The tensors read, the indices and the "
    "function calls are treated as the unknowns.",
    "Where a sum of products is secretly a product of sums, factoring brings that to light; perfect squares and "
    "common factors are the typical cases.",
    "This is the distributive law read from right to left, as far as it goes: a sum turns into a product of factors "
    "that cannot be, or need not be, divided further.",
};
constexpr Phrase kFactorPhrases[] = {
    {"take", "The sum to factor is {part} in {where}, from the equation for {left}."},
    {"take",
     "<In {where}|Within {where}> the equation for {left} contains the sum {part}, which <has a factored form|can be "
     "factored>."},
    {"take", "I factor {part}, <which is part of|found in> the equation for {left} in {where}."},
    {"matches",
     "Read as a polynomial it does have factors, <and the {form_words} are wanted|so the {form_words} are taken>."},
    {"matches", "It factors over the rational numbers; I <use|take> the {form_words}."},
    {"matches", "The pattern is there, a polynomial with nontrivial factors, and the {form_words} are asked for."},
    {"become", "Factored, it reads {result}."},
    {"become", "The product of its factors is {result}, <which replaces the sum|and this takes its place>."},
    {"become", "{part} <becomes|is rewritten as> {result}."},
    {"why", "Multiplying {result} out again gives the old sum term by term, <so|hence> both are the same polynomial."},
    {"why",
     "<It|The step> is legal <because|since> factoring is an identity between polynomials, and all values that go in "
     "are finite."},
    {"why", "Up to rounding the factors multiply to exactly what was summed before."},
    {"back", "The product goes back where the sum stood: {equation_after}."},
    {"back", "With the factors in place the equation <is|reads> {equation_after}."},
    {"back", "<The equation|The whole equation> now says {equation_after}, and nothing else changes."},
};

void tell_factorization(Teller& teller) {
  teller.bind("form_words", teller.word("form") == "full" ? "irreducible factors" : "square-free factors");
  tell_scalar(teller);
}

constexpr std::string_view kExpandGeneral[] = {
    "Expanding a product multiplies all its factors out until only a sum of monomials is left. It undoes a "
    "factorization and can make terms visible that cancel or combine with others.",
    "To multiply out is to apply the distributive law to every sum among the factors at once. The expanded polynomial "
    "has more terms, but each of them is simple.",
    "A product of sums hides its individual terms. Expansion lists them all, so that later steps can regroup them in "
    "another way.",
    "The expanded form of a product is the polynomial written as a flat sum. It is equal to the product for all finite "
    "values, although it may round a little differently.",
    "Multiplying everything out is the opposite of factoring. One has to be careful with differences, where large "
    "terms can cancel, so at most one such factor is allowed.",
};
constexpr Phrase kExpandPhrases[] = {
    {"take", "The product to multiply out is {part} in {where}, in the equation for {left}."},
    {"take", "In {where}, {left} is computed with the product {part}, <and this is expanded|which I expand>."},
    {"take", "I multiply out {part}, a product <in|that occurs in> the equation for {left} in {where}."},
    {"matches",
     "At least one of its factors is a sum, <so there is something to distribute|which makes it expandable>."},
    {"matches", "It contains a factor with several terms, as expansion <requires|needs>."},
    {"matches", "There is a sum among the factors <to distribute over|that can be distributed>."},
    {"become", "Multiplied out it <is|reads> {result}."},
    {"become", "The flat sum of monomials is {result}."},
    {"become", "Distributing everything, {part} <turns into|becomes> {result}."},
    {"why", "Both forms are the same polynomial, <so|hence> for finite values they agree up to rounding."},
    {"why", "It is legal by the distributive law, applied to finite values <only|throughout>."},
    {"why", "Collecting the terms of {result} again would give the product back, <so|hence> no value is changed."},
    {"back", "In the equation the sum stands where the product was: {equation_after}."},
    {"back", "The expanded equation is {equation_after}."},
    {"back",
     "Put back, this <gives|yields> {equation_after}; <everything around it is the same|the loops stay the same>."},
};

constexpr std::string_view kCollectGeneral[] = {
    "Collecting pulls one common factor out of several terms of a sum. Where terms share a factor, the sum of what "
    "remains of them is multiplied by that factor just once.",
    "Terms with a factor in common can be gathered. One multiplication then serves all of them, and the sum in "
    "brackets holds their cofactors.",
    "The distributive law lets a shared factor move outside the brackets. Collecting does so for one chosen factor and "
    "leaves terms without it alone.",
    "To collect by a value is to sort the terms of a sum: those that contain the value are grouped and the value is "
    "written once in front of the group.",
    "A sum in which the same factor occurs repeatedly costs needless multiplications. Gathering the terms around that "
    "factor removes them.",
};
constexpr Phrase kCollectPhrases[] = {
    {"take",
     "<In {where}|Within {where}> the equation for {left} has the sum {part}, <and|where> {by} occurs in more than one "
     "term."},
    {"take", "The sum is {part}, in the equation for {left} of {where}; I gather its terms around {by}."},
    {"take", "I look at {part} in {where}, <part of|which belongs to> the equation for {left}, and collect by {by}."},
    {"matches", "{by} is a factor, to the same power, of at least two terms."},
    {"matches", "Two or more of the terms share the factor {by}, <so|hence> they can be <gathered|grouped>."},
    {"matches",
     "The factor {by} appears in several terms with one and the same exponent, which is the pattern needed."},
    {"become", "Gathered, the sum <is|reads> {result}."},
    {"become", "With {by} in front of the bracket we get {result}."},
    {"become", "The terms with {by} are grouped, which <gives|leads to> {result}."},
    {"why",
     "Multiplication distributes over addition for finite values, <so|hence> pulling out {by} <keeps the value|leaves "
     "the value as it is>."},
    {"why", "Distributing {by} over the bracket again restores every term, hence the two are equal."},
    {"why", "This is the distributive law, and since all values are finite it holds up to rounding."},
    {"back", "The grouped sum replaces the <old|original> one, and the equation <is now|now reads> {equation_after}."},
    {"back", "In its place in the equation: {equation_after}."},
    {"back", "So the equation reads {equation_after}, with one multiplication by {by} for the whole group."},
};

constexpr std::string_view kExpandCollectGeneral[] = {
    "This step takes one bracketed sum and distributes the factors beside it over its terms. It is the reverse of "
    "collecting: a factor that was written once is written in every term again.",
    "Distributing one factor opens a single bracket. Other products stay as they are; only the chosen sum is spread "
    "out.",
    "A collected form can be spread out again by multiplying each term inside the bracket with what stands outside. "
    "Afterwards every term is a product of its own.",
    "When a product has a sum as one factor, that sum can be distributed. The number of multiplications grows, but "
    "the terms become available one by one.",
    "Opening a bracket by the distributive law: each summand inside gets its own copy of the outside factors.",
};
constexpr Phrase kExpandCollectPhrases[] = {
    {"take", "The bracket to open is {by}, inside the product {part} of {where}."},
    {"take",
     "<In {where}|Within {where}> the equation for {left} contains {part}, and its factor {by} is the sum to "
     "distribute over."},
    {"take", "I spread out the sum {by}, <a factor of|which stands in> {part} in {where}."},
    {"matches", "{by} has several terms and is multiplied by other factors, <so|hence> it can be distributed."},
    {"matches", "The product has a sum as a factor, namely {by}."},
    {"matches", "What the step <needs|requires> is a sum among the factors, and {by} is one."},
    {"become", "Each term <gets|receives> the outside factors: {result}."},
    {"become", "Opening the bracket <yields|gives> {result}."},
    {"become", "Distributed over the terms of {by}, the product is {result}."},
    {"why",
     "For finite values a product with a sum <equals|is equal to> the sum of the products, <so|hence> the value is the "
     "same."},
    {"why", "Gathering the common factor again would lead back to {part}, <hence|so> the two forms are equal."},
    {"why", "All values involved are finite, which makes distribution valid up to rounding."},
    {"back", "The distributed form is put back, and the equation <becomes|turns into> {equation_after}."},
    {"back", "In the equation this <gives|yields> {equation_after}."},
    {"back", "Written in place of the product, it makes the equation {equation_after}."},
};

constexpr Wording kWordings[] = {
    {"factorization", kFactorGeneral, kFactorPhrases, tell_factorization},
    {"expand_factorization", kExpandGeneral, kExpandPhrases, tell_scalar},
    {"collect", kCollectGeneral, kCollectPhrases, tell_scalar},
    {"expand_collect", kExpandCollectGeneral, kExpandCollectPhrases, tell_scalar},
};

}  // namespace

std::span<const Wording> factoring_wordings() { return kWordings; }

}  // namespace steptp
