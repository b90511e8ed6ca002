#include "steptp/text/strategy_names.h"

namespace steptp {

const std::vector<std::string>& strategy_names() {
  static const std::vector<std::string> kNames = {
      // graph
      "operator_fusion", "operator_fission", "compute_inline", "expression_splitting",
      "tensor_concat_to_fuse_operators", "tensor_split_to_decouple_operators", "common_subexpression_elimination",
      "expression_reorder",
      // loop
      "loop_reorder", "loop_tiling", "loop_split", "loop_fusion", "loop_unrolling", "loop_parallelization",
      "loop_vectorization", "loop_binding", "reduction_factorization",
      // memory
      "cache_read_write", "layout_transformation", "set_storage_scope", "set_storage_layout", "precompute_indices",
      // mathematical
      "factorization", "expand_factorization", "cancellation", "expand_cancellation", "apart", "together", "powsimp",
      "expand_powsimp", "logsimp", "expand_log", "collect", "expand_collect", "partially_equivalent_then_correct",
      "exponential_split", "multiplicative_split", "additive_split", "normal_loop_max_to_prefix_max",
      "normal_loop_summation_on_exp_to_prefix_summation_on_exp", "online_softmax", "flashattention_wo_tiling",
      "normal_matmul_to_prefix_matmul_based_on_online_softmax"};
  return kNames;
}

}  // namespace steptp
