#include "steptp/exports/slips.h"

#include <map>

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
    "Nobody needs {gone}, so what makes it goes; the program keeps {wrong}.|The result {gone} is not used, and without "
    "it the program still has {wrong}.|What makes {gone} is dead and can be deleted; the program keeps {wrong}.",
    without_live_nest, true};
constexpr Slip kLost = {"an expression is lost in the swap",
                        "With the two exchanged the program goes on with {wrong}.|After the swap {wrong} stands "
                        "there.|In the place of both "
                        "now stands {wrong}.",
                        without_swapped_nest, true};
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
constexpr Slip kHalf = {
    "a factor of the split is left out",
    "The other factor is not needed: {wrong}.|One exponential is enough, hence {wrong}.|With one exponential it "
    "reads {wrong}.",
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
constexpr Slip kSign = {"a wrong sign or operator",
                        "Minding the operators, this is {wrong}.|Signs and operators come out as in {wrong}.|With the "
                        "operators in place it "
                        "reads {wrong}.",
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
      {"expression_reorder", {&kOrder, &kLost}},
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
      {"exponential_split", {&kSign, &kHalf, &kTerm}},
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

}  // namespace

std::vector<const Slip*> slips_of(std::string_view strategy) {
  const auto found = all_slips().find(strategy);
  return found == all_slips().end() ? std::vector<const Slip*>() : found->second;
}

}  // namespace steptp::dataset
