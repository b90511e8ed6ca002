// loop_split, loop_tiling, loop_fusion
#include "steptp/reasoning/wordings.h"

namespace steptp {

namespace {

constexpr std::string_view kSplitGeneral[] = {
    "Loop split replaces one loop by two: an outer loop that counts chunks and an inner loop that walks through one "
    "chunk. The old index is then rebuilt from the two new ones, chunk number times chunk length plus position, so "
    "the same iterations run in the same order. It is the usual preparation for tiling, binding or vectorizing.",
    "Splitting a loop means cutting its range into equal pieces. One loop selects the piece, the other one the place "
    "within the piece, and every use of the old index is replaced by the position computed from both. Nothing is "
    "computed twice and nothing is left out; only the way of counting changes.",
    "A long loop can be written as a loop of loops. The iteration space is factored into an outer and an inner extent, "
    "and the original index becomes an affine combination of the two new indices. Because that map is one to one and "
    "increasing, the split is always harmless for the order of execution.",
    "The idea of a loop split is to give one counter two digits: a coarse digit, carried by a new outer loop, and a "
    "fine digit, carried by the inner loop. Later steps can then treat the digits differently, for example one as a "
    "block and the other as a vector lane.",
    "With a loop split, a range of iterations is broken up into blocks of fixed size. The outer loop enumerates the "
    "blocks and the inner loop enumerates the members of a block. All that has to be checked is how the block size "
    "fits the extent, and all that has to be rewritten is the index itself.",
};
constexpr Phrase kSplitPhrases[] = {
    {"take",
     "<Here the loop to split is|I split|The candidate is> {old} <in|of> {where}; it makes {extent} iterations over "
     "the index {index}."},
    {"take", "In {where} <I pick out|we take> the loop {old}, which runs {index} through {extent} values."},
    {"take",
     "The header of {where} contains {old}, a loop <over|with> {extent} iterations of {index}, and this is the loop "
     "that gets split."},
    {"divides",
     "The requested inner extent is {inner}: {extent} <divided by|over> {inner} gives {outer} for the outer loop, "
     "<so|and> {outer_words} of {inner_words} <will cover the range|will do>."},
    {"divides",
     "<Factoring the range|Checking the factors>: {extent} iterations, with {inner_words} to a chunk, make "
     "{outer_words}."},
    {"divides",
     "A chunk of {inner_words} fits into the range of {extent}, which takes {outer_words} <in all|altogether>."},
    {"kind",
     "The original loop is {kind}, and <the split keeps that kind on one of its halves|one of the two halves inherits "
     "this kind>, the other is serial."},
    {"kind", "As for the loop kind, it was {kind}; <that annotation stays with one half|one half stays so>."},
    {"kind",
     "The {kind} kind of the loop is passed on to one of the halves, <which is allowed|and nothing forbids that> "
     "here."},
    {"kind-serial", "The loop is serial, <and so are both halves|so both halves are serial too>."},
    {"kind-serial", "Being serial, the loop has no special kind to <pass on|hand down>."},
    {"kind-serial", "There is no annotation to <preserve|carry over>: a serial loop gives two serial loops."},
    {"become",
     "So {old} <is replaced by|turns into> {pair}: {outer_loop} counts the chunks and {inner_loop} <stays|remains> "
     "inside a chunk."},
    {"become",
     "<The split result is|After the split the header reads> {pair}, with {outer_index} as the chunk number from "
     "{outer_loop} and {inner_index} as the offset from {inner_loop}."},
    {"become",
     "{outer_loop} takes over the coarse count, {inner_loop} the fine one; together they form {pair} in the place "
     "where {old} stood."},
    {"guard",
     "Because {inner} does not divide {extent}, the last chunk is only partly used, and the guard {guard} <skips|cuts "
     "off> the surplus."},
    {"guard",
     "The chunks overshoot the range of {extent}, <so|hence> a guard is needed: {guard} lets only genuine iterations "
     "through."},
    {"guard",
     "Since {extent} is no multiple of {inner}, I add {guard}, which <drops|masks> the iterations beyond the old "
     "range."},
    {"substituted",
     "Wherever the body used {index}, it now has to use {calculation}; <for example|for instance>, the access {from} "
     "becomes {to}."},
    {"substituted",
     "The old {index} is {calculation}, <so|and accordingly> an access like {from} is rewritten as {to}."},
    {"substituted", "In the body I substitute {calculation} for {index}: {from} <turns into|becomes> {to}."},
    {"why",
     "This is legal because {calculation} <runs through|takes> every old value of {index} exactly once and in "
     "increasing order, <so|hence> no two iterations change places."},
    {"why",
     "The split is safe: different pairs of {outer_index} and {inner_index} give different values, and they come in "
     "the order in which {index} used to count."},
    {"why",
     "No dependence can be violated, since the pairs of {outer_index} and {inner_index} enumerate the same iterations "
     "one after the other as before."},
    {"back",
     "<The equations|All equations> of the nest keep their places; only the header and the subscripts that mention "
     "{index} are written anew, and the split nest goes back into {where}."},
    {"back",
     "Finally the nest is put back with the longer header, its body <otherwise unchanged|the same but for the "
     "rewritten subscripts>."},
    {"back",
     "The remaining loops of the header and all other expressions stay <untouched|exactly as they were>, and the split "
     "header replaces the old one."},
};

void tell_split(Teller& teller) {
  const Site& site = teller.facts.removed[0].site;
  const Site& outer = teller.facts.added[0].site;
  const Site& inner = teller.facts.added[1].site;
  bind_where(teller);
  teller.bind_before("old", site);
  teller.bind_name("index", loop_at(*teller.before.program, site)->index);
  teller.bind_after("outer_loop", outer);
  teller.bind_after("inner_loop", inner);
  teller.bind("pair", quote_piece(teller.after, {outer, inner.number}));
  teller.bind_name("outer_index", loop_at(*teller.after.program, outer)->index);
  teller.bind_name("inner_index", loop_at(*teller.after.program, inner)->index);
  teller.bind("calculation", index_words(teller.facts.substitutions[0].value));
  teller.bind_count("outer_words", teller.integer("outer"), "chunk", "chunks");
  teller.bind_count("inner_words", teller.integer("inner"), "iteration", "iterations");
  teller.say("take");
  const bool serial = loop_at(*teller.before.program, site)->kind == LoopKind::serial;
  for (const Holds& one : teller.facts.holds) {
    teller.bind_values(one.values);
    teller.say(serial && one.precondition->id == "kind" ? "kind-serial" : one.precondition->id);
  }
  teller.say("become");
  if (teller.facts.added.size() > 2) {
    teller.bind_after("guard", teller.facts.added[2].site);
    teller.say("guard");
  }
  tell_substitutions(teller);
  teller.say("why");
  teller.say("back");
}

constexpr std::string_view kTilingGeneral[] = {
    "Loop tiling takes two loops that stand directly inside each other and cuts their iteration space into rectangular "
    "tiles. Two new outer loops go from tile to tile, the two old loops stay within one tile. Data that a tile touches "
    "can then be reused before the program moves on.",
    "Tiling is a double split with an exchange: both loops of a pair are broken into chunks, and the chunk loops are "
    "moved outside. What was a long row-by-row walk becomes a walk over small blocks, which is what caches and "
    "shared memory like.",
    "The purpose of tiling is locality. A two-dimensional range is covered by small rectangles; the program finishes "
    "one rectangle before it starts the next. In loops this needs four counters: two select the tile and two select "
    "the point in it.",
    "To tile a pair of loops, each of them is strip-mined and the strip loops are hoisted to the outside. The visiting "
    "order of the points changes, so the pair must be interchangeable; apart from that only indices are rewritten.",
    "A tile is a block of neighbouring iterations of two nested loops. Tiling reorganizes the nest so that the outer "
    "loops enumerate tiles and the inner loops enumerate the points of the current tile, and it recomputes the two "
    "original indices from tile number and offset.",
};
constexpr Phrase kTilingPhrases[] = {
    {"take",
     "<The pair to tile is|I tile the pair> {old_pair} in {where}: {outer_old} outside and {inner_old} directly inside "
     "it."},
    {"take",
     "<In {where}|Within {where}> the loops {outer_old} and {inner_old} are neighbours in the header, {old_pair}, and "
     "they span the plane that is tiled."},
    {"take",
     "The tiles are cut out of the plane of {outer} and {inner}, that is, out of {old_pair} in {where}; its two loops "
     "are {outer_old} and {inner_old}."},
    {"axes",
     "There are two axes <to work with|available>, {outer} and {inner}, one directly inside the other, as tiling "
     "requires."},
    {"axes", "Both axes stand in one header with nothing between them: {outer} first, {inner} second."},
    {"axes",
     "Tiling <needs|requires> a second loop <right inside the first|immediately below>, and {inner} follows {outer}."},
    {"divides",
     "A tile <is|spans> {tile} iterations of {outer} by {inner_tile} iterations of {inner}; the full ranges are "
     "{extent} and {inner_extent}."},
    {"divides",
     "The <tile sizes|edges of a tile> are {tile} out of {extent} for {outer} and {inner_tile} out of {inner_extent} "
     "for {inner}."},
    {"divides",
     "With tiles of {tile} by {inner_tile} on a plane of {extent} by {inner_extent}, both tile edges are proper parts "
     "of their ranges."},
    {"order",
     "Tiling visits points in another order, <so|hence> I check the dependences: no two accesses to one element, at "
     "least one of them a write, would be exchanged in a harmful way."},
    {"order",
     "The order condition holds as well: {outer} and {inner} may change places without reversing a write and another "
     "access to the same element."},
    {"order",
     "<Since|As> the pair is interchangeable (updates of an accumulator by one operator commute <up to rounding|apart "
     "from rounding>), walking tile by tile is permitted."},
    {"become",
     "The four loops that result are {tiles} <going|which go> from tile to tile and {points} <inside|within> a tile."},
    {"become",
     "{old_pair} <is rewritten as|gives way to> the tile loops {tiles}, followed by the point loops {points}."},
    {"become", "Now {tiles} enumerate the tiles, and {points} enumerate the points of the current tile."},
    {"guard", "At the border the tiles stick out, and {guard} keeps the points that lie outside from running."},
    {"guard", "Not every tile is full, <so|therefore> the guard {guard} leaves out points beyond the old ranges."},
    {"guard", "A tile edge does not divide its range; the condition {guard} <trims|cuts> the last tiles."},
    {"substituted", "The <old|original> {index} is recovered as {calculation}, so that {from} is written {to} now."},
    {"substituted", "For {index} I put {calculation}: the access {from} <turns into|becomes> {to}."},
    {"substituted",
     "Tile number and offset give {index} back as {calculation}; as an example, {from} <is replaced by|becomes> {to}."},
    {"why",
     "Both splits preserve the order, and the only points that swap are those that interchanging {outer} and {inner} "
     "would swap too, which is legal here."},
    {"why",
     "Every point lies in exactly one tile, <so|hence> nothing is computed twice or lost, and the changed visiting "
     "order has been justified above."},
    {"why",
     "<It|The step> is legal <because|since> tiles partition the plane and the reordering is no more than an "
     "interchange of {outer} and {inner}."},
    {"back",
     "The tiled header and the body with its rewritten subscripts take the place of the <old|original> nest in "
     "{where}."},
    {"back",
     "Putting it together, the other loops of the header <stay|remain> around, the four new ones stand in the middle, "
     "and the equations follow with their new subscripts."},
    {"back", "All equations remain, only expressed in tile coordinates, and the nest returns to {where}."},
};

void tell_tiling(Teller& teller) {
  const Site& first = teller.facts.removed[0].site;
  const Site& second = teller.facts.removed[1].site;
  const auto added = [&](std::size_t number) { return teller.facts.added[number].site; };
  bind_where(teller);
  teller.bind("old_pair", quote_piece(teller.before, {first, second.number}));
  teller.bind_before("outer_old", first);
  teller.bind_before("inner_old", second);
  teller.bind_name("outer", loop_at(*teller.before.program, first)->index);
  teller.bind_name("inner", loop_at(*teller.before.program, second)->index);
  teller.bind("tiles", quote_piece(teller.after, {added(0), added(1).number}));
  teller.bind("points", quote_piece(teller.after, {added(2), added(3).number}));
  teller.say("take");
  teller.say_preconditions();
  teller.say("become");
  if (teller.facts.added.size() > 4) {
    teller.bind_after("guard", added(4));
    teller.say("guard");
  }
  tell_substitutions(teller);
  teller.say("why");
  teller.say("back");
}

constexpr std::string_view kFusionGeneral[] = {
    "Loop fusion, in the sense used here, merges two loops that stand one inside the other into a single loop over the "
    "product of their ranges. The two old indices are recovered from the new one by division: the quotient is the "
    "outer index and the remainder the inner one.",
    "Fusing (or collapsing) a pair of nested loops flattens a two-dimensional count into one long count. It removes a "
    "level of nesting and gives one loop that is large enough to be bound or parallelized. It undoes a loop split.",
    "Two perfectly nested loops enumerate pairs; one loop can enumerate the same pairs in the same order if its index "
    "is read as a number with two digits. This is what loop fusion does, and the digits are computed where they are "
    "needed.",
    "The collapse of two loops into one is a change of counting only. The fused loop runs as often as both loops did "
    "together, and its index determines both old indices. Where a subscript was already the combination of the two, "
    "it becomes simply the new index.",
    "Loop fusion glues an outer and an inner loop together. The body stays the same, iteration for iteration; what "
    "used to be a pair of counters is now one counter from which the pair can be computed.",
};
constexpr Phrase kFusionPhrases[] = {
    {"take",
     "The loops to merge are {outer_old} and {inner_old}, <written {old_pair} in|neighbours as {old_pair} in> "
     "{where}."},
    {"take",
     "In {where} I <take|lift> the pair {old_pair} out of the header: {outer_old} of extent {outer_extent} around "
     "{inner_old} of extent {inner_extent}."},
    {"take",
     "<Consider|Look at> {old_pair} in {where}; {outer_old} encloses {inner_old} and nothing stands between them."},
    {"axes", "The axis count is sufficient, with {outer} outside and {inner} directly inside in the same header."},
    {"axes", "Two adjacent axes are needed, and {outer} and {inner} are adjacent."},
    {"axes", "{inner} <follows|comes right after> {outer} in one header, <so|hence> the pair can be collapsed."},
    {"same-role",
     "<Every|Each> accumulation below either reduces over both loops or over neither, <so|hence> no reduction is cut "
     "in half."},
    {"same-role",
     "Both loops play the same role: <they are both reduced or both not|where one is a reduction axis, so is the "
     "other>."},
    {"same-role", "I also check the reduction axes: there is no equation that reduces over just one of the two."},
    {"kinds", "Their kinds <are compatible|go together>, and the merged loop is {kind}."},
    {"kinds", "Nothing in the kinds of the loops stands against it; the collapsed loop <comes out|will be> {kind}."},
    {"kinds", "The result is a {kind} loop, which the kinds of both loops allow."},
    {"become",
     "{outer_extent} times {inner_extent} iterations make {extent}, hence the collapsed loop {fused}, whose index is "
     "{fused_index}."},
    {"become",
     "Both loops <disappear|vanish> and {fused} <takes their place|stands there instead>, counting all {extent} "
     "combinations of {outer_extent} and {inner_extent} with {fused_index}."},
    {"become",
     "I replace {old_pair} by {fused}: {outer_extent} by {inner_extent} is {extent} iterations of {fused_index}."},
    {"digits",
     "Where {outer} or {inner} is still needed by itself, it is computed from the new {fused_index} with a quotient or "
     "a remainder by {inner_extent}."},
    {"digits",
     "A quotient by {inner_extent} brings {outer} back and a remainder brings {inner} back, <wherever the body asks "
     "for one of them|where they are wanted alone>."},
    {"digits",
     "The separate digits of {fused_index} (the quotient and the remainder by {inner_extent}) <stand in for|replace> "
     "{outer} and {inner}."},
    {"whole",
     "The body used the two indices only in the combination that <equals|is equal to> {fused_index}, <so|hence> no "
     "division is needed."},
    {"whole",
     "No quotient and no remainder appears, <because|since> the subscripts only ever needed the combined position, "
     "which is {fused_index} itself."},
    {"whole",
     "Conveniently, the subscripts contained exactly the combined position, and that is now plain {fused_index}."},
    {"substituted", "In particular {index} is {calculation} now: {from} <becomes|turns into> {to}."},
    {"substituted", "Reading {index} as {calculation}, the access {from} is rewritten to {to}."},
    {"substituted", "So {index} stands for {calculation}, and {from} <is spelled|changes to> {to}."},
    {"why",
     "The collapse is sound <because|since> the quotient and the remainder of {fused_index} by {inner_extent} run "
     "through all pairs of {outer} and {inner} once, in the <old|original> order."},
    {"why",
     "As {fused_index} counts up, the pairs of {outer} and {inner} appear in exactly the sequence in which the nested "
     "loops produced them."},
    {"why",
     "<It|The step> is legal: counting to {extent} with one index visits the same pairs in lexicographic order, none "
     "missing and none repeated."},
    {"back", "The rest of the header is kept, and the flattened nest is set back into {where}."},
    {"back",
     "<With one loop fewer|One loop shorter>, the nest goes back to its position in {where}; its equations are the "
     "same."},
    {"back", "<Then|After that> the header is reassembled around {fused} and the body follows unchanged in structure."},
};

void tell_fusion(Teller& teller) {
  const Site& first = teller.facts.removed[0].site;
  const Site& second = teller.facts.removed[1].site;
  const Site& fused = teller.facts.added[0].site;
  bind_where(teller);
  teller.bind("old_pair", quote_piece(teller.before, {first, second.number}));
  teller.bind_before("outer_old", first);
  teller.bind_before("inner_old", second);
  teller.bind_name("outer", loop_at(*teller.before.program, first)->index);
  teller.bind_name("inner", loop_at(*teller.before.program, second)->index);
  teller.bind("outer_extent", teller.integer("outer"));
  teller.bind("inner_extent", teller.integer("inner"));
  teller.bind_after("fused", fused);
  teller.bind_name("fused_index", loop_at(*teller.after.program, fused)->index);
  teller.say("take");
  teller.say_preconditions();
  teller.say("become");
  teller.say(teller.flag("divides") ? "digits" : "whole");
  if (teller.flag("divides")) tell_substitutions(teller);
  teller.say("why");
  teller.say("back");
}

constexpr Wording kWordings[] = {
    {"loop_split", kSplitGeneral, kSplitPhrases, tell_split},
    {"loop_tiling", kTilingGeneral, kTilingPhrases, tell_tiling},
    {"loop_fusion", kFusionGeneral, kFusionPhrases, tell_fusion},
};

}  // namespace

std::span<const Wording> loop_structure_wordings() { return kWordings; }

}  // namespace steptp
