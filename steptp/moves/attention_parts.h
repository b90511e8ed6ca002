#pragma once

// What `flash` finds at a place: a sum of values weighted by a softmax, and the scores that the softmax is of.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "steptp/base/result.h"
#include "steptp/ir/dtype.h"
#include "steptp/moves/builder.h"
#include "steptp/moves/parts.h"
#include "steptp/strategies/strategy.h"

namespace steptp {

inline constexpr Precondition kAttention = {
    Check::pattern_match, "attention",
    "the expression is O=O+P*V, and P is the softmax of scores S=S+Q*K, on which elementwise expressions work"};

/// The expressions of an attention by their numbers, and how large it is.
struct AttentionParts {
  std::uint32_t scores = 0;            ///< S=S+Q*K
  std::vector<std::uint32_t> between;  ///< elementwise, in order: scale, mask
  std::uint32_t maximum = 0;
  std::uint32_t sum = 0;
  std::uint32_t quotient = 0;  ///< the weights
  std::uint32_t product = 0;   ///< O=O+P*V
  std::size_t batch = 0;       ///< loops over batch and heads, outside of those over queries
  std::int64_t heads = 1;      ///< iterations of them all
  std::int64_t queries = 1;
  std::int64_t keys = 1;
  std::int64_t head = 1;    ///< what a score sums up
  std::int64_t values = 1;  ///< what the result has for each query
  std::int64_t element_bytes = 4;
  std::optional<DType> factors;  ///< the type of queries, keys, weights and values, where it is one
  std::string result;            ///< O
};

/// The attention whose product stands at an expression.
[[nodiscard]] Result<AttentionParts, Refusal> find_attention_parts(View& view, const Site& site);

/// How many expressions behind it do nothing but copy or map the result, one behind the other.
[[nodiscard]] std::int64_t copies_behind(View& view, const AttentionParts& parts);

/// What leads to the product of an attention and is cheaper to compute again than to keep, copies and multiples of
/// scores, goes into what reads it. False where a step was refused.
[[nodiscard]] bool inline_copies_of_attention(MoveBuilder& builder, const Handle& product);

}  // namespace steptp
