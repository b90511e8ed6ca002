#include <array>
#include <cmath>

#include "steptp/frontend/lowering_table.h"
#include "steptp/frontend/recurrent.h"
#include "steptp/frontend/reductions.h"

namespace steptp::frontend {

namespace {

/// Scores, scaled and masked scores, softmax over the keys, and the sum of the values: six nests.
void attention(const CallLowering& call) {
  const Tensor query = call.in("query");
  const Tensor key = call.in("key");
  const Tensor value = call.in("value");
  const Tensor out = call.out();
  const std::size_t rank = query.shape.size();
  const std::int64_t features = query.shape.back();
  const double scale = call.has("scale") ? call.real("scale") : 1 / std::sqrt(static_cast<double>(features));
  const bool causal = call.flag("is_causal");
  const bool masked = call.has("attn_mask");
  // With grouped queries several heads share one head of the keys.
  const std::int64_t share = rank > 2 ? query.shape[rank - 3] / key.shape[rank - 3] : 1;
  const auto shared_head = [&](Subscripts at) {
    if (share > 1) at[rank - 3] = at[rank - 3] / share;
    return at;
  };
  Shape scores_shape = query.shape;
  scores_shape.back() = key.shape[rank - 2];
  const Tensor scores = call.temporary(out.dtype, scores_shape);
  call.fold(Fold::sum, scores, {features}, [&](const Subscripts& at, const Subscripts& inner) {
    Subscripts from = at;
    from.back() = inner[0];
    Subscripts to = shared_head(at);
    to[rank - 2] = at.back();
    to.back() = inner[0];
    return query.exactly(from) * key.exactly(to);
  });
  const Tensor scaled = call.temporary(out.dtype, scores_shape);
  call.map(scaled, [&](const Subscripts& at) {
    Value score = scores.exactly(at) * scale;
    if (causal) score = select(Value(at.back()) <= at[rank - 2], score, -infinity());
    if (!masked) return score;
    const Tensor mask = call.in("attn_mask");
    return mask.dtype == DType::boolean ? select(mask.at(at), score, -infinity()) : score + mask.at(at);
  });
  const Tensor weights = call.temporary(out.dtype, scores_shape);
  softmax(call, scaled, weights, rank - 1, false);
  call.fold(Fold::sum, out, {key.shape[rank - 2]}, [&](const Subscripts& at, const Subscripts& inner) {
    Subscripts from = at;
    from.back() = inner[0];
    Subscripts to = shared_head(at);
    to[rank - 2] = inner[0];
    return weights.exactly(from) * value.exactly(to);
  });
}

constexpr std::array kRows = {
    LoweringRow{"aten.scaled_dot_product_attention.default", attention},
    LoweringRow{"aten.lstm.input", lstm},
    LoweringRow{"aten.gru.input", gru},
    LoweringRow{"aten.rnn_tanh.input", rnn_tanh},
    LoweringRow{"aten.rnn_relu.input", rnn_relu},
};

}  // namespace

std::span<const LoweringRow> sequence_lowerings() { return kRows; }

}  // namespace steptp::frontend
