// loop_unrolling, loop_parallelization, loop_vectorization, loop_binding
#include "steptp/reasoning/wordings.h"

namespace steptp {

namespace {

constexpr std::string_view kUnrollGeneral[] = {
    "Loop unrolling marks a loop so that a back end repeats its body once per iteration instead of counting and "
    "branching. Values do not change at all; the point is to remove loop overhead and to expose independent "
    "instructions.",
    "An unrolled loop is written out by the code generator: no counter, no jump, constant subscripts. In the program "
    "this is only an annotation on the loop, so correctness is never at stake, only code size.",
    "Unrolling trades code size for speed. A short serial loop is declared unrolled, its iterations stay in the same "
    "order, and the compiler is free to schedule them together and to keep data in registers.",
    "When a loop has few iterations, the bookkeeping can cost as much as the work. Unrolling asks for the body to be "
    "replicated instead, as long as the replicated code stays within a sensible budget.",
    "To unroll is to replace iteration by repetition of text. The step changes the kind of one loop from serial to "
    "unrolled and leaves its index, its extent and its body untouched.",
};
constexpr Phrase kUnrollPhrases[] = {
    {"take", "The loop to unroll is {old} in {where}, with {extent_words}."},
    {"take",
     "In {where} <I select|we choose> {old}; it has only {extent_words}, <so it can be unrolled|a good size for "
     "unrolling>."},
    {"take", "{old} in {where} <makes|goes through> {extent_words} and is the loop whose body will be replicated."},
    {"serial",
     "It is a plain serial loop, <which is the only kind that can be unrolled|and only such a loop can be unrolled>."},
    {"serial", "The loop is serial so far, <so|hence> its annotation is free to change to unrolled."},
    {"serial", "No other annotation is lost by unrolling, since the loop is <still|> serial."},
    {"budget",
     "Together with all unrolled loops around it this replicates the body to {equations_words}, and the limit is "
     "{limit}, <so|hence> the budget suffices."},
    {"budget",
     "Unrolling produces {equations_words} in straight-line code, <within|which is within> the limit of {limit}."},
    {"budget", "Code size is fine: {equations_words} after replication against <a limit of|the permitted> {limit}."},
    {"become", "{old} becomes {new}."},
    {"become", "<So I write|The header now has> {new} <instead of|where it had> {old}."},
    {"become", "The annotation changes from serial to unrolled, that is, from {old} to {new}."},
    {"why", "The iterations still run in the same order, so every value is <the same|bit for bit the same>."},
    {"why",
     "Unrolling is <always|> legal with respect to values: the kind of a loop is a hint to the back end and alters no "
     "computation."},
    {"why",
     "Since replicated iterations execute one after the other exactly as before, nothing else has to be "
     "<proved|checked>."},
    {"back",
     "Body, subscripts and the other loops are <kept|left alone>, and the unrolled loop stands at the old position in "
     "the header."},
    {"back",
     "Index {index} <keeps its name|is not renamed>, so the body <below it|under the unrolled loop> needs no "
     "rewriting."},
    {"back", "The nest goes back into {where} with this one <letter|marker> of its header changed."},
};

void bind_loop(Teller& teller) {
  const Site& site = teller.facts.removed[0].site;
  const Loop* loop = loop_at(*teller.before.program, site);
  bind_where(teller);
  teller.bind_before("old", site);
  teller.bind_after("new", teller.facts.added[0].site);
  teller.bind_name("index", loop->index);
  teller.bind_count("extent_words", loop->extent, "iteration", "iterations");
}

void tell_unrolling(Teller& teller) {
  bind_loop(teller);
  teller.bind_count("equations_words", teller.integer("equations"), "equation", "equations");
  teller.say("take");
  teller.say_preconditions();
  teller.say("become");
  teller.say("why");
  teller.say("back");
}

constexpr std::string_view kParallelGeneral[] = {
    "Loop parallelization declares that the iterations of a loop may run at the same time. That is true for a loop "
    "whose iterations never meet: no element written in one of them is touched in another.",
    "A loop without carried dependences does not need an order. Marking it as parallel hands its iterations to "
    "several workers; the result cannot depend on who comes first.",
    "Parallelizing turns a serial loop into one whose iterations are independent tasks. Reductions and recurrences "
    "rule this out, because there one iteration needs what another has left behind.",
    "The parallel annotation is a promise about data: any two iterations work on disjoint elements, or share only "
    "elements that nobody writes. If the promise can be kept, the loop scales over cores without synchronization.",
    "To run iterations concurrently, each of them has to be self-contained. This strategy looks for a serial loop with "
    "that property and changes its kind to parallel; body and extent stay the same.",
};
constexpr Phrase kParallelPhrases[] = {
    {"take", "<I consider|The candidate for parallel execution is> {old} in {where}, a loop of {extent_words}."},
    {"take", "In {where} the loop {old} <carries|has> {extent_words} that could run concurrently."},
    {"take",
     "{old}, with {extent_words}, is the loop of {where} whose iterations <I want to run side by side|are to be "
     "distributed over workers>."},
    {"not-carried",
     "No dependence is carried by {loop}: an element written in one iteration is <neither read nor written|not "
     "touched> in any other, <so|hence> {loop} is no reduction axis and no recurrence."},
    {"not-carried",
     "The decisive question is whether two iterations of {loop} ever meet, and they do not: no two values of {loop} "
     "<share|have in common> an element of {targets}."},
    {"not-carried",
     "Looking at what is written, {targets}, every value of {loop} has elements of its own, and nothing is accumulated "
     "over {loop}."},
    {"serial", "Until now the loop is serial, <which is what gets parallelized|so its order is all that is given up>."},
    {"serial", "It <is|has been> an ordinary serial loop, with no other annotation <in the way|to lose>."},
    {"serial", "The loop has the serial kind, <as this step wants|as it has to>."},
    {"become", "The loop {old} is rewritten as {new}."},
    {"become", "{new} <replaces|takes the place of> {old}, <everything|all> else being equal."},
    {"become", "I change the kind <of the loop|> to parallel: {old} becomes {new}."},
    {"why",
     "<It|The step> is legal here <because|since> independent iterations give the same values in every order, even "
     "simultaneously."},
    {"why",
     "Whatever the interleaving of the workers, each element is produced by exactly one of them, <so there is no "
     "race|without a race>."},
    {"why", "Since no data passes between iterations of {loop}, running them concurrently cannot be observed."},
    {"back",
     "The equations below need no change, because {index} keeps its name and range; the nest <returns to|is put back "
     "into> {where} as it was."},
    {"back",
     "Everything below the parallel loop, <and everything around it|and the rest of the program>, stays as written."},
    {"back",
     "Only the marker in the header of {where} differs; <body and subscripts|the body below> are put back untouched."},
};

void tell_parallelization(Teller& teller) {
  bind_loop(teller);
  std::vector<Site> targets;
  for (Site site : equations_below(*teller.before.program, teller.facts.removed[0].site.items)) {
    site.part = Site::Part::left;
    targets.push_back(std::move(site));
  }
  teller.bind("targets", places_of(teller.before, targets, teller.choice.at.items[0]));
  teller.say("take");
  teller.say_preconditions();
  teller.say("become");
  teller.say("why");
  teller.say("back");
}

constexpr std::string_view kVectorGeneral[] = {
    "Loop vectorization turns an innermost loop into the lanes of a vector instruction. All iterations execute "
    "together, so they must be independent, and memory must be accessed with stride one so that a single wide load "
    "or store serves all lanes.",
    "SIMD hardware processes several neighbouring elements per instruction. A loop qualifies when it is innermost, "
    "short, free of carried dependences and contiguous in memory; its index then numbers the lanes.",
    "Vectorizing means that the iterations of a loop become lanes. The lanes run in lockstep, which rules out any "
    "communication between them, and the width has to be one the device supports.",
    "An innermost loop over adjacent elements wastes bandwidth when it handles them one at a time. Marked as "
    "vectorized, it moves and computes whole vectors instead.",
    "The vector annotation bundles the iterations of a small innermost loop into one wide operation. Contiguity, "
    "width and independence are the three things to verify before it may be set.",
};
constexpr Phrase kVectorPhrases[] = {
    {"take",
     "The innermost loop {old} of {where} <offers|has> {extent_words}, <one per lane|which would be the lanes>."},
    {"take", "I vectorize {old} in {where}; its {extent_words} <become|turn into> lanes."},
    {"take",
     "In {where}, {old} is the loop whose {extent_words} can <share one vector instruction|be done as one vector>."},
    {"not-carried", "The lanes are independent: no element that one value of {loop} writes is touched by another."},
    {"not-carried", "Nothing is <reduced over|carried along> {loop}, so the lanes never <exchange data|meet>."},
    {"not-carried",
     "{loop} is <neither a reduction axis nor a recurrence|no reduction axis and no recurrence>, which lockstep "
     "execution requires."},
    {"serial", "The loop is serial at present <and free to be vectorized|>."},
    {"serial", "Its kind is serial, <so|hence> no other annotation is overwritten."},
    {"serial", "Being serial, the loop may <take|receive> the vector annotation."},
    {"innermost",
     "Only equations stand inside it, so it is innermost, <as lanes must be|and lanes have to be innermost>."},
    {"innermost", "There is no further loop <inside it|below>, and no guard mentions its index."},
    {"innermost", "It is the innermost loop <of the nest|>, and its index is in no guard."},
    {"width", "The number of lanes, {lanes}, is a power of two that fits the vector registers of the device."},
    {"width",
     "{lanes} lanes of <every|each> tensor that moves along <amount to a vector width|make a width> the device has."},
    {"width", "As to the width: {lanes} lanes <are supported|is a supported width> for all element types involved."},
    {"unit-stride",
     "Each access either uses {loop} as its last subscript with stride one or does not use it at all, <so|hence> loads "
     "and stores are contiguous or broadcast."},
    {"unit-stride",
     "Memory is traversed contiguously: {loop} stands alone in the <last|final> subscript wherever it occurs, <as "
     "in|for example in> {access}."},
    {"unit-stride", "Accesses such as {access} advance by exactly one element per lane."},
    {"become", "<Accordingly|So> {old} is annotated as {new}."},
    {"become", "{old} <turns into|becomes> {new}, a loop over lanes."},
    {"become", "The loop is rewritten from {old} to {new}."},
    {"why",
     "With independent lanes and unit stride the vector instruction computes in each lane what the iteration computed "
     "<before|on its own>."},
    {"why",
     "Executing all lanes at once is legal, because <no lane waits for another|each lane is a complete iteration>."},
    {"why",
     "The vector form yields the same elements: lane by lane <it is the same equation|the arithmetic is unchanged>."},
    {"back", "The equations keep their text, {index} still names the lane, and the nest goes back to {where}."},
    {"back", "No subscript has to be rewritten; the vectorized loop remains the innermost one <of its nest|>."},
    {"back",
     "Apart from the annotation the nest is reinserted <as it was|unchanged>, with {index} now counting lanes."},
};

void tell_vectorization(Teller& teller) {
  bind_loop(teller);
  const Site& site = teller.facts.removed[0].site;
  const Loop* loop = loop_at(*teller.before.program, site);
  auto access = subscript_with(*teller.before.program, site.items, loop->index);
  if (access) access->number.reset();
  const Site first{site.items, Site::Part::item, {}, {}};
  teller.bind("access", access ? quote_piece(teller.before, {*access, {}}) : nest_of(teller.before, first));
  teller.say("take");
  teller.say_preconditions();
  teller.say("become");
  teller.say("why");
  teller.say("back");
}

constexpr std::string_view kBindingGeneral[] = {
    "Loop binding maps a loop to a hardware axis of the launch: its iterations become blocks or threads of a GPU "
    "kernel. Blocks and threads run concurrently, so different iterations must not write what others touch, unless "
    "the loop is a reduction that stands alone and can be done as a collective.",
    "A bound loop does not count; its index is the number of a block or of a thread. Binding therefore asks three "
    "questions: are the iterations independent, is the axis free, and does the extent fit the launch limits?",
    "On a GPU, parallelism comes from a grid of blocks and from the threads in a block. This strategy decides which "
    "loop is spread over which axis, and renames the loop index so that the axis can be seen from the name.",
    "To bind a loop is to choose the hardware dimension that enumerates it. The program text changes little, a loop "
    "marker and an index name, but the execution changes from one after the other to all at once.",
    "Binding assigns iterations to blocks or threads (or takes such an assignment back). The data that lives in "
    "shared or thread-local memory has to stay with its owner, and concurrent iterations have to keep out of each "
    "other's way.",
};
constexpr Phrase kBindingPhrases[] = {
    {"take", "The loop in question is {old} in {where}, with {extent_words}, and it is to run over {target}."},
    {"take", "In {where} <I bind|I assign> {old} to {target}; it has {extent_words}."},
    {"take", "{old}, <a loop of|which makes> {extent_words} in {where}, <goes to|is mapped to> {target}."},
    {"untake", "The bound loop {old} of {where} is taken off its hardware axis and becomes serial again."},
    {"untake",
     "<In {where}|Within {where}> I release {old} from its axis, <so that|after which> one thread counts its "
     "{extent_words}."},
    {"untake", "{old} in {where} <no longer uses|gives up> its axis; its {extent_words} run one after the other."},
    {"not-carried",
     "Iterations of {loop} do not meet: an element written for one value of it is <never|not> touched for another."},
    {"not-carried",
     "The dependence test passes, since {loop} <is not reduced over|carries nothing> and <its|the> iterations write "
     "elements of their own."},
    {"not-carried", "No data passes from one value of {loop} to another, so they may run concurrently."},
    {"collective",
     "{loop} is a reduction axis, but its equation stands alone, so the threads can <perform|carry out> it together as "
     "a collective."},
    {"collective",
     "Although values are accumulated over {loop}, the accumulation is the only equation there, and such a reduction "
     "<may be done|is allowed> as a collective."},
    {"collective",
     "The iterations of {loop} meet only in one lone accumulation, <which is treated as|that is,> a collective "
     "reduction."},
    {"tail", "The extent is <not rounded up|used as it is>, <so|hence> there is no surplus to mask."},
    {"tail", "No rounding takes place, <hence|so> no guard is needed."},
    {"tail", "There is no tail to cut off, because the extent is kept."},
    {"rounded",
     "The number of threads is rounded up to a multiple of {multiple}, which <gives|yields> {extent}, and {guard} "
     "switches off the surplus ones."},
    {"rounded",
     "With {multiple} as granularity {extent} threads are started; those beyond the loop are masked by {guard}."},
    {"rounded",
     "To get a multiple of {multiple}, {extent} threads <are launched|run>, and the guard {guard} protects the tail."},
    {"axis-free", "<No|In addition, no> loop around it or inside it occupies {axis} already."},
    {"axis-free", "The axis {axis} is <free|not yet taken> in this nest."},
    {"axis-free", "{axis} is available: <nothing around or below|no enclosing or inner loop> is bound to it."},
    {"released", "An axis may be given up at any time, <so|hence> there is none to look for."},
    {"released", "No other axis has to be free, <since|because> the loop leaves its own."},
    {"released", "As the loop goes to no axis, there is nothing to collide with."},
    {"launch", "The launch, {extent_of_axis}, is within the <limits|capacity> of the device."},
    {"launch", "The limits of a launch <allow|admit> {extent_of_axis}."},
    {"launch", "A launch <of|with> {extent_of_axis} is below what the device permits."},
    {"become", "So {old} is <replaced by|exchanged for> {new}."},
    {"become", "The header receives {new} <in the place of|instead of> {old}."},
    {"become", "{old} <becomes|is rewritten as> {new}."},
    {"renamed",
     "The index changes from {index} to {new_index}, <because|since> a bound loop shows its axis in its name; "
     "accordingly {from} is written {to}."},
    {"renamed",
     "With the axis comes a new name: {index} is called {new_index} everywhere below, <so|hence> {from} becomes {to}."},
    {"renamed",
     "All occurrences of {index} in the nest turn into {new_index}, <for example|as in the change from> {from} to "
     "{to}."},
    {"renamed-only",
     "The index {index} is called {new_index} from now on, <though no subscript mentions it|but it occurs in no "
     "subscript>."},
    {"renamed-only", "{index} is renamed to {new_index}; <no subscript|nothing in the subscripts> has to follow."},
    {"renamed-only",
     "With the change the index {index} gets the name {new_index}, <which no subscript uses|used by no subscript>."},
    {"back", "Other loops of the nest and the equations stay, and the nest returns to {where}."},
    {"back", "The rest of the header and the structure of the body are <kept|left as they are>."},
    {"back", "Then the nest is put back into {where}, with <every|each> equation in its old position."},
};

void tell_binding(Teller& teller) {
  const Facts& facts = teller.facts;
  const Renaming& renaming = facts.renamings[0];
  const std::string axis = teller.word("axis");
  const bool release = axis == "none";
  bind_loop(teller);
  TracePieces target = plain(axis.starts_with("b") ? "the block axis " : "the thread axis ");
  add(target, name_piece(axis));
  teller.bind("target", std::move(target));
  teller.bind_name("new_index", renaming.to);
  const std::int64_t extent = teller.integer("extent");
  const std::string unit = release ? "iteration" : axis.starts_with("b") ? "block" : "thread";
  teller.bind("extent_of_axis", counted(extent, unit, unit + "s"));
  const bool guarded = facts.added.size() > 1;
  if (guarded) teller.bind_after("guard", facts.added[1].site);
  teller.say(release ? "untake" : "take");
  for (const Holds& one : facts.holds) {
    teller.bind_values(one.values);
    const std::string_view id = one.precondition->id;
    if (is_true(one.values, "collective"))
      teller.say("collective");
    else if (id == "tail" && guarded)
      teller.say("rounded");
    else if (id == "axis-free" && release)
      teller.say("released");
    else
      teller.say(id);
  }
  teller.say("become");
  const auto from = subscript_with(*teller.before.program, renaming.below.items, renaming.from);
  if (from && renaming.from != renaming.to) {
    bind_access(teller, *from);
    teller.say("renamed");
  } else if (renaming.from != renaming.to) {
    teller.say("renamed-only");
  }
  teller.say("back");
}

constexpr Wording kWordings[] = {
    {"loop_unrolling", kUnrollGeneral, kUnrollPhrases, tell_unrolling},
    {"loop_parallelization", kParallelGeneral, kParallelPhrases, tell_parallelization},
    {"loop_vectorization", kVectorGeneral, kVectorPhrases, tell_vectorization},
    {"loop_binding", kBindingGeneral, kBindingPhrases, tell_binding},
};

}  // namespace

std::span<const Wording> loop_kind_wordings() { return kWordings; }

}  // namespace steptp
