#pragma once

// The steps that make one kernel of an attention: tiles of keys and values in `s`, running maximum, sum and output with
// the threads of each query.

#include <cstdint>
#include <string>

#include "steptp/moves/attention_parts.h"
#include "steptp/moves/builder.h"

namespace steptp {

/// How an attention is divided.
struct AttentionLayout {
  std::int64_t queries = 1;   ///< of a block
  std::int64_t keys = 1;      ///< of a round; they divide all keys
  std::int64_t threads = 1;   ///< of a query
  std::int64_t rows = 1;      ///< queries of a thread, where several threads have a query, or of a unit
  bool shares_head = false;   ///< the threads of a query make each score together; otherwise each has keys of its own
  bool queries_in_s = false;  ///< the block's queries lie in `s`; always where several threads have a query
  bool outputs_in_s = false;  ///< one thread for a query: what a round adds to the output, and the output so far
  bool has_units = false;     ///< units of 32 lanes have so many queries each, and make products by matrix instructions
  std::int64_t buffers = 1;   ///< rounds of keys and values that may be in flight
  std::int64_t following = 0;  ///< copies behind it that are made by its kernel
};

/// All of them, on the builder. False where a step was refused.
[[nodiscard]] bool make_attention_kernel(MoveBuilder& builder, const AttentionParts& parts,
                                         const AttentionLayout& layout);

}  // namespace steptp
