#include "steptp/exports/slips.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/reasoning/effect.h"
#include "steptp/reasoning/quoting.h"
#include "steptp/text/printed_program.h"
#include "steptp/text/printer.h"

namespace steptp::dataset {

namespace {

constexpr Slip kGuard = {
    "a guard is left out",
    "The ranges fit, so no guard is needed: {wrong}.|Nothing lies outside, and the guard can be left out: {wrong}.|"
    "All iterations are wanted, so I write no guard: {wrong}.",
    without_guard};
constexpr Slip kGuardOff = {"a guard is one off",
                            "The guard lets through what lies inside: {wrong}.|The bound belongs to the range as it "
                            "stands in {wrong}.|The last "
                            "one that counts is the one that the guard names: {wrong}.",
                            with_guard_one_off};
constexpr Slip kCondition = {
    "a condition is left out",
    "The condition always holds, so I write the value itself: {wrong}.|No condition is needed here: {wrong}.|"
    "What the condition protects is always there, hence {wrong}.",
    without_condition};
constexpr Slip kNeutral = {
    "a wrong neutral value",
    "Where there is nothing yet, the neutral value goes in: {wrong}.|It starts from the neutral value, which gives "
    "{wrong}.|For what is missing I fill in the value that changes nothing: {wrong}.",
    with_wrong_neutral};
constexpr Slip kStale = {
    "a stale index",
    "The subscript can stay as it was: {wrong}.|The index keeps its name, so this access is not touched: {wrong}.|"
    "In this place the old index still says which element is meant: {wrong}.",
    with_stale_index};
constexpr Slip kIndex = {"an access has another index",
                         "The access takes the index that runs here: {wrong}.|I write the access with the index that "
                         "belongs to it: {wrong}.|"
                         "With the index of its loop the access stands in {wrong}.",
                         with_other_index};
constexpr Slip kStride = {
    "a tile is one off",
    "One step of the outer loop passes over that many elements: {wrong}.|The position follows from the number of the "
    "chunk: {wrong}.|Chunk by chunk the position advances, which gives {wrong}.",
    with_wrong_stride};
constexpr Slip kOffset = {
    "an offset is left out",
    "Both parts count from zero: {wrong}.|Counting begins anew, so there is no offset: {wrong}.|The subscript is the "
    "index of the loop itself: {wrong}.",
    without_offset};
constexpr Slip kSwapped = {
    "subscripts in the wrong order",
    "The subscripts belong in this order: {wrong}.|The access has its subscripts in the order that is needed: {wrong}.|"
    "I write the subscripts as they come: {wrong}.",
    with_swapped_subscripts};
constexpr Slip kShort = {
    "a loop ends one too early",
    "So many iterations cover the range: {wrong}.|The number of iterations comes out as in {wrong}.|Dividing gives "
    "the extents, as in {wrong}.",
    with_short_loop};
constexpr Slip kConcurrent = {
    "a loop that is reduced runs concurrently",
    "The iterations do not meet, so the loop may run in parallel: {wrong}.|Every iteration stands for itself, hence "
    "{wrong}.|No order is needed over this loop either: {wrong}.",
    with_concurrent_reduction};
constexpr Slip kOrder = {
    "a consumer stands before its producer",
    "Neighbours that do not depend on each other may stand in any order: {wrong}.|What does not depend on each other "
    "may come in this order as well: {wrong}.|No order is needed here, so I write {wrong}.",
    with_consumer_first, true};
constexpr Slip kLive = {
    "an equation that is needed is deleted",
    "Nobody reads what is computed there, so it goes; in its place stands {wrong}.|Its result is not used, and "
    "without it the program still has {wrong}.|It is dead and can be deleted; the program keeps {wrong}.",
    without_live_nest, true};
constexpr Slip kScope = {
    "a scope is too narrow",
    "One owner writes and reads it, so it can lie closer: {wrong}.|Nobody else looks at it, hence the narrower scope: "
    "{wrong}.|It is used by its own thread only, so {wrong}.",
    with_narrow_scope};
constexpr Slip kOldScope = {
    "an access keeps the old scope",
    "This access stays as it was: {wrong}.|The mark of the scope is needed where it is written, not here: {wrong}.|"
    "I leave this access alone: {wrong}.",
    with_old_scope};
constexpr Slip kRescale = {
    "a rescale is left out",
    "What was summed so far can be taken over as it is: {wrong}.|The earlier part needs no correction: {wrong}.|The "
    "reference stays the same, so nothing is rescaled: {wrong}.",
    without_rescale};
constexpr Slip kFactor = {
    "a factor is left out of one term",
    "The factor is there once already: {wrong}.|The factor stands in front, so it is not repeated: {wrong}.|With the "
    "factor taken care of, there remains {wrong}.",
    without_factor};
constexpr Slip kTerm = {
    "a term is left out",
    "The terms together give {wrong}.|Taking the terms one by one, I get {wrong}.|What is left of the sum is {wrong}.",
    without_term};
constexpr Slip kSign = {
    "a sign is lost",
    "Minding the signs, this is {wrong}.|The signs come out as in {wrong}.|With the right signs it reads {wrong}.",
    with_wrong_sign};
constexpr Slip kExponent = {
    "an exponent is one off",
    "The exponents add up to the one in {wrong}.|Counting the factors gives the exponent in {wrong}.|The exponent "
    "follows from the law: {wrong}.",
    with_wrong_exponent};
constexpr Slip kMaximum = {
    "the maximum so far is forgotten",
    "The maximum up to here is that of the element at hand: {wrong}.|It is enough to look at the present element: "
    "{wrong}.|The larger of the two is the one that is read now: {wrong}.",
    without_maximum_so_far};

using Slips = std::vector<const Slip*>;

const std::map<std::string_view, Slips>& all_slips() {
  static const Slips splits = {&kGuard, &kGuardOff, &kStale, &kStride, &kShort};
  static const Slips online = {&kRescale, &kNeutral, &kMaximum, &kOffset, &kCondition};
  static const Slips sums = {&kFactor, &kSign, &kTerm};
  static const Slips powers = {&kExponent, &kFactor, &kSign};
  static const Slips concurrent = {&kConcurrent, &kGuard, &kShort, &kSwapped};
  static const Slips definitions = {&kIndex, &kOrder, &kTerm, &kSign};
  static const Slips parts = {&kOffset, &kShort, &kIndex, &kTerm};
  static const std::map<std::string_view, Slips> all = {
      {"loop_split", splits},
      {"loop_tiling", splits},
      {"loop_tensorization", {&kStride, &kShort, &kStale, &kSwapped, &kOffset, &kIndex}},
      {"loop_fusion", {&kStale, &kShort, &kStride, &kIndex}},
      {"loop_binding", concurrent},
      {"loop_parallelization", concurrent},
      {"loop_vectorization", concurrent},
      {"loop_unrolling", {&kShort, &kConcurrent}},
      {"loop_reorder", {&kShort, &kSwapped, &kIndex}},
      {"reduction_factorization", parts},
      {"prefix_fold", {&kOffset, &kGuard, &kCondition, &kNeutral}},
      {"range_cut", {&kGuardOff, &kCondition}},
      {"cache_read_write", {&kOffset, &kIndex, &kCondition, &kNeutral, &kScope, &kGuard, &kOrder}},
      {"set_storage_scope", {&kScope, &kOldScope}},
      {"set_storage_layout", {&kSwapped, &kStride, &kStale}},
      {"layout_transformation", {&kSwapped, &kStride, &kStale, &kIndex}},
      {"precompute_indices", {&kIndex, &kOffset, &kSwapped}},
      {"pipelining", {&kOffset, &kGuard, &kIndex}},
      {"hoist", definitions},
      {"compute_inline", {&kIndex, &kTerm, &kSign, &kFactor}},
      {"expression_splitting", definitions},
      {"common_subexpression_elimination", definitions},
      {"operator_fusion", {&kOrder, &kIndex}},
      {"operator_fission", {&kOrder}},
      {"expression_reorder", {&kOrder, &kLive}},
      {"dead_code_elimination", {&kLive}},
      {"tensor_concat_to_fuse_operators", parts},
      {"tensor_split_to_decouple_operators", parts},
      {"partially_equivalent_then_correct", parts},
      {"normal_loop_max_to_prefix_max", online},
      {"normal_loop_summation_on_exp_to_prefix_summation_on_exp", online},
      {"online_softmax", online},
      {"flashattention_wo_tiling", online},
      {"normal_matmul_to_prefix_matmul_based_on_online_softmax", online},
      {"powsimp", powers},
      {"expand_powsimp", powers},
      {"exponential_split", {&kSign, &kRescale, &kTerm}},
  };
  static const std::map<std::string_view, Slips> with_sums = [] {
    std::map<std::string_view, Slips> out = all;
    for (const std::string_view name :
         {"factorization", "expand_factorization", "collect", "expand_collect", "cancellation", "expand_cancellation",
          "apart", "together", "logsimp", "expand_log", "additive_split", "multiplicative_split", "summed_operand"}) {
      out.emplace(name, sums);
    }
    return out;
  }();
  return with_sums;
}

bool equal_nest(const NestPtr& one, const NestPtr& other) {
  Program left;
  Program right;
  left.nests = {one};
  right.nests = {other};
  return print(left) == print(right);
}

/// The first equation of the wrong program that the right one does not have; where there is none, the loops of the
/// expression.
TracePieces wrong_part(const Program& after, const Edited& wrong) {
  std::multiset<std::string> right;
  for_each_equation(after, [&](const Equation& equation, const auto&) { right.insert(print(equation)); });
  const Quotable from{&wrong.program, TracePiece::Kind::after};
  for (std::uint32_t i = 0; i < wrong.program.nests.size(); ++i) {
    for (const Site& site : equations_below(wrong.program, {i})) {
      const SitePart part = resolve(wrong.program.nests, site);
      const auto* equation = std::get_if<const Equation*>(&part);
      if (equation && !right.contains(print(**equation))) return quote_piece(from, {site, {}});
    }
  }
  const auto at = static_cast<std::uint32_t>(wrong.expression);
  TracePieces out = nest_of(from, {{at}, Site::Part::item, {}, {}});
  // Of two expressions that have changed places both are shown.
  const bool is_swap = wrong.program.nests.size() == after.nests.size() && at + 1 < after.nests.size() &&
                       equal_nest(wrong.program.nests[at], after.nests[at + 1]);
  if (!is_swap) return out;
  add(out, ", then ");
  add(out, nest_of(from, {{at + 1}, Site::Part::item, {}, {}}));
  return out;
}

/// Sentences with the blanks and line breaks behind them.
std::vector<TracePieces> sentences_of(const Trace& trace) {
  std::vector<TracePieces> out(1);
  for (const TracePiece& piece : trace.pieces) {
    if (piece.kind != TracePiece::Kind::words) {
      out.back().push_back(piece);
      continue;
    }
    std::string_view rest = piece.words;
    while (!rest.empty()) {
      std::size_t end = rest.find(". ");
      const std::size_t paragraph = rest.find(".\n\n");
      std::size_t length = end == rest.npos ? rest.size() : end + 2;
      if (paragraph < end) length = paragraph + 3;
      add(out.back(), rest.substr(0, length));
      if (length < rest.size() || end != rest.npos || paragraph != rest.npos) out.emplace_back();
      rest.remove_prefix(length);
    }
  }
  return out;
}

/// Parts of the result that the wrong program has: at their addresses, or where `right` is given as the same text.
bool can_be_said(const TracePieces& sentence, const PrintedProgram& wrong, const PrintedProgram* right) {
  return std::all_of(sentence.begin(), sentence.end(), [&](const TracePiece& piece) {
    if (piece.kind != TracePiece::Kind::after) return true;
    const auto quoted = (right ? *right : wrong).quote(piece.range);
    return quoted && !quoted->empty() && (!right || wrong.text().find(*quoted) != std::string::npos);
  });
}

/// What a sentence on one kind of effect says, and the numbers it may have.
struct EffectWords {
  std::string_view noun;
  std::vector<std::string> numbers;
};

/// Of each kind of effect that the wrong program has not, or of all that there are where it is not valid.
std::vector<EffectWords> wrong_effects(const Program& before, const Program& after, const Program& wrong,
                                       bool is_valid) {
  constexpr std::string_view kNouns[] = {"launch", "global memory", "scalar operation", "global tensors",
                                         "widest launch"};
  const Effect right = effect_of(before, after);
  const Effect other = is_valid ? effect_of(before, wrong) : Effect();
  std::vector<EffectWords> out;
  for (std::size_t kind = 0; kind < right.counts.size(); ++kind) {
    const auto& [was, is] = right.counts[kind];
    if (was == is || right.counts[kind] == other.counts[kind]) continue;
    const std::int64_t change = std::abs(is - was);
    out.push_back({kNouns[kind], {grouped(is), grouped(change), bytes_words(change), "one"}});
  }
  return out;
}

bool says_one_of(const TracePieces& sentence, const std::vector<EffectWords>& effects) {
  std::string words;
  for (const TracePiece& piece : sentence) {
    if (piece.kind != TracePiece::Kind::words) return false;
    words += piece.words;
  }
  return std::any_of(effects.begin(), effects.end(), [&](const EffectWords& effect) {
    return words.find(effect.noun) != words.npos &&
           std::any_of(effect.numbers.begin(), effect.numbers.end(),
                       [&](const std::string& number) { return words.find(number) != words.npos; });
  });
}

bool speaks_of_result(const TracePieces& sentence) {
  return std::any_of(sentence.begin(), sentence.end(),
                     [](const TracePiece& piece) { return piece.kind == TracePiece::Kind::after; });
}

TracePieces thought_of(const Slip& slip, const TracePieces& wrong, Random& random) {
  std::vector<std::string_view> ways;
  std::string_view rest = slip.thoughts;
  for (std::size_t bar = rest.find('|'); bar != rest.npos; bar = rest.find('|')) {
    ways.push_back(rest.substr(0, bar));
    rest.remove_prefix(bar + 1);
  }
  ways.push_back(rest);
  const std::string_view chosen = ways[random.below(ways.size())];
  const std::size_t at = chosen.find("{wrong}");
  TracePieces out = plain(std::string(chosen.substr(0, at)));
  add(out, wrong);
  add(out, chosen.substr(at + std::string_view("{wrong}").size()));
  add(out, " ");
  return out;
}

}  // namespace

std::vector<const Slip*> slips_of(std::string_view strategy) {
  const auto found = all_slips().find(strategy);
  return found == all_slips().end() ? std::vector<const Slip*>() : found->second;
}

std::string slipped_reasoning(const Trace& right, const Program& before, const Program& after, const Edited& wrong,
                              const Slip& slip, bool is_valid, Random& random) {
  const PrintedProgram printed(wrong.program, Profile::paper);
  const PrintedProgram printed_right(after, Profile::paper);
  const PrintedProgram* as_text = slip.moves ? &printed_right : nullptr;
  const TracePieces thought = thought_of(slip, wrong_part(after, wrong), random);
  const auto effects = wrong_effects(before, after, wrong.program, is_valid);
  const PrintedProgram printed_before(before, Profile::paper);
  std::string text;
  const auto say = [&](const TracePieces& sentence, const PrintedProgram& result) {
    text += render({sentence}, printed_before, result);
  };
  bool is_said = false;
  for (const TracePieces& sentence : sentences_of(right)) {
    if (speaks_of_result(sentence) && !is_said) {
      say(thought, printed);
      is_said = true;
    }
    if (!can_be_said(sentence, printed, as_text) || says_one_of(sentence, effects)) continue;
    say(sentence, as_text ? printed_right : printed);
  }
  if (!is_said) {
    text += " ";
    say(thought, printed);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.pop_back();
  return text;
}

}  // namespace steptp::dataset
