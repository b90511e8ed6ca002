// exponential_split, multiplicative_split, additive_split
#include "steptp/reasoning/scalar_telling.h"
#include "steptp/reasoning/wordings.h"

namespace steptp {

namespace {

constexpr std::string_view kExponentialGeneral[] = {
    "Exponential split rewrites an exponential of a difference by inserting another value: one exponential is relative "
    "to the inserted value, the other corrects for it. Online forms of softmax are made of this.",
    "The exponential of a difference can be split at any intermediate point. The first factor goes up to that point, "
    "the second continues from there; together they cover the whole difference.",
    "By subtracting a value in one exponent and adding it in another, an exponential becomes a product or a quotient "
    "of two. This moves the reference point, for instance from a final maximum to a running one.",
    "An exponent is rebased here. The old reference is replaced by a new one, and a correction factor makes up for "
    "the change.",
    "Splitting an exponential means telescoping its exponent through an additional value. The two resulting "
    "exponentials can be computed at different times.",
};
constexpr Phrase kExponentialPhrases[] = {
    {"take", "The exponential is {part} in {where}, and it is split at {value}."},
    {"take", "<In {where}|Within {where}> the equation for {left} contains {part}; I rebase it to {value}."},
    {"take", "I split {part}, <part of|from> the equation for {left} in {where}, by way of {value}."},
    {"matches", "Its exponent is a sum with a read that is added, <so|hence> there is a term to rebase."},
    {"matches", "The exponent has the right shape, a sum in which a read is added."},
    {"matches", "What <is needed|the step needs> is an added read in the exponent, and there is one."},
    {"become", "<Rebased|Split>, it is the {form} {result}."},
    {"become", "As a {form} of two exponentials it <reads|is> {result}."},
    {"become", "The split form, a {form}, is {result}."},
    {"why",
     "What is subtracted in one exponent is added in the other, <so|hence> the exponents add up to the old one."},
    {"why", "The inserted value cancels between the two exponentials, <since|because> it is finite."},
    {"why",
     "Both exponentials <stay|remain> in range, and together they amount to the old exponential up to rounding."},
    {"back", "The equation <is now|now reads> {equation_after}."},
    {"back", "In the equation this <gives|yields> {equation_after}."},
    {"back", "Put back in place, it makes {equation_after}."},
};

constexpr std::string_view kMultiplicativeGeneral[] = {
    "Multiplicative split divides a value by something and multiplies by the same thing again. The detour creates a "
    "normalized quantity that later steps can work on.",
    "Multiplying and dividing by the same nonzero value changes nothing. It introduces that value into the expression "
    "as a scale, which is how rescaling tricks begin.",
    "To normalize a value means to divide it by a scale. If the scale is multiplied back at once, the expression is "
    "the same, but its normalized part can be treated separately.",
    "A factor of one can be written as a quotient of a value with itself. This step multiplies such a one into a "
    "read.",
    "By scaling down and up again a read is split into two factors. The scale has to be finite and not zero.",
};
constexpr Phrase kMultiplicativePhrases[] = {
    {"take", "The read {part} in {where} is <scaled|rescaled> by {value}."},
    {"take",
     "<In {where}|Within {where}> the equation for {left} reads {part}, which I divide and multiply by {value}."},
    {"take", "I take {part} from the equation for {left} in {where} and use {value} as the scale."},
    {"become", "Scaled down and up again, it <is|reads> {result}."},
    {"become", "The read <becomes|turns into> {result}."},
    {"become", "So {part} is written as {result}."},
    {"why",
     "A finite nonzero scale cancels, <so|hence> the product is the value that was read, <up to rounding|apart from "
     "rounding>."},
    {"why", "Dividing by {value} and multiplying by it again is multiplying by one."},
    {"why", "The two operations undo each other <because|since> the scale is neither zero nor infinite."},
    {"back", "The equation <is now|now reads> {equation_after}."},
    {"back", "With the scaled read the equation is {equation_after}."},
    {"back", "In its equation this <gives|yields> {equation_after}."},
};

constexpr std::string_view kAdditiveGeneral[] = {
    "Additive split adds a value to a read and subtracts it again. It is the classic trick of inserting a zero, with "
    "which an expression can be regrouped around a reference value.",
    "Nothing changes when a value is added and taken away. The detour brings the value into the expression, so that "
    "differences to it can be formed later.",
    "Inserting a zero in the form of a value minus itself splits a read into a shifted part and a correction.",
    "A shift by some reference, undone at once, is harmless as long as the reference is finite. Later steps may pair "
    "the pieces differently.",
    "To introduce a reference point, this step shifts a read by it and shifts back.",
};
constexpr Phrase kAdditivePhrases[] = {
    {"take", "The read {part} in {where} is <shifted|offset> by {value}."},
    {"take",
     "<In {where}|Within {where}> the equation for {left} reads {part}, to which {value} is added and subtracted."},
    {"take", "I take {part} from the equation for {left} in {where} and insert {value} as a zero."},
    {"become", "Shifted and shifted back, it <is|reads> {result}."},
    {"become", "The read <becomes|turns into> {result}."},
    {"become", "So {part} is written as {result}."},
    {"why",
     "A finite value minus itself is zero, <so|hence> the sum is the value that was read, <up to rounding|apart from "
     "rounding>."},
    {"why", "Adding {value} and subtracting it again is adding nothing."},
    {"why", "Shift and shift back cancel, <because|since> the reference is finite."},
    {"back", "The equation <is now|now reads> {equation_after}."},
    {"back", "With the inserted zero the equation is {equation_after}."},
    {"back", "In its equation this <gives|yields> {equation_after}."},
};

constexpr Wording kWordings[] = {
    {"exponential_split", kExponentialGeneral, kExponentialPhrases, tell_scalar},
    {"multiplicative_split", kMultiplicativeGeneral, kMultiplicativePhrases, tell_scalar},
    {"additive_split", kAdditiveGeneral, kAdditivePhrases, tell_scalar},
};

}  // namespace

std::span<const Wording> splitting_wordings() { return kWordings; }

}  // namespace steptp
