#include <array>
#include <cmath>

#include "steptp/zoo/maker.h"

namespace steptp::zoo {

namespace {

enum class Heads : std::uint8_t { multi, single_key, grouped };  // MHA, MQA, GQA
enum class Last : std::uint8_t { plain, sum, max, mean };
enum class Bend : std::uint8_t { none, relu, gelu, tanh };

struct Sizes {
  std::int64_t batch;
  std::int64_t length;
  std::int64_t width;
  std::int64_t heads;
  std::int64_t head;
};

Sizes sizes_of(Maker& m) {
  m.require(m.n("seq_len") <= m.n("max_seqlen"), "seq_len is more than max_seqlen");
  m.require(m.n("n_embd") % m.n("n_head") == 0, "n_head does not divide n_embd");
  return {m.n("batch_size"), m.n("seq_len"), m.n("n_embd"), m.n("n_head"), m.n("n_embd") / m.n("n_head")};
}

Value transpose(Maker& m, const Value& x, std::int64_t first, std::int64_t second) {
  return m.op("transpose.int", {x, first, second});
}
Value view(Maker& m, const Value& x, Ints shape) { return m.op("view", {x, std::move(shape)}); }
/// [batch, length, heads*head] to [batch, heads, length, head].
Value by_head(Maker& m, const Sizes& s, const Value& x) {
  return transpose(m, view(m, x, {s.batch, s.length, s.heads, s.head}), 1, 2);
}

/// Scores with the causal mask, softmax, values, and the heads side by side again.
Value attend(Maker& m, const Sizes& s, const Value& query, const Value& key, const Value& value, bool literal_scale) {
  const Value scores = m.matmul(query, transpose(m, key, -2, -1));
  Argument scale = 1 / std::sqrt(static_cast<double>(s.head));
  if (!literal_scale) {
    const Value size = m.op("full", {Ints{}, static_cast<double>(s.head), m.dtype()});
    scale = m.op("reciprocal", {m.op("sqrt", {size})});
  }
  const Value mask = m.causal_mask({1, 1, s.length, s.length});
  const Value masked = m.op("masked_fill.Scalar", {m.mul(scores, scale), mask, -HUGE_VAL});
  const Value mixed = m.matmul(m.softmax(masked, -1), value);
  const Value joined = m.op("clone", {transpose(m, mixed, 1, 2)});
  return view(m, joined, {s.batch, s.length, s.width});
}

Value multi_head(Maker& m) {
  const Sizes s = sizes_of(m);
  const Value x = m.input("x", {s.batch, s.length, s.width});
  const std::vector<Value> parts = m.ops("split.Tensor", {m.linear(x, 3 * s.width), s.width, std::int64_t{2}});
  const Value key = by_head(m, s, parts[1]);
  const Value query = by_head(m, s, parts[0]);
  const Value value = by_head(m, s, parts[2]);
  return m.linear(attend(m, s, query, key, value, false), s.width);
}

Value multi_query(Maker& m) {
  const Sizes s = sizes_of(m);
  const Value x = m.input("x", {s.batch, s.length, s.width});
  const Value query = by_head(m, s, m.linear(x, s.width));
  const Value one_key = m.linear(x, s.head);
  const Value one_value = m.linear(x, s.head);
  const auto shared = [&](const Value& one) {
    return m.op("expand", {m.unsqueeze(one, 1), Ints{s.batch, s.heads, s.length, s.head}});
  };
  const Value key = shared(one_key);
  const Value value = shared(one_value);
  return m.linear(attend(m, s, query, key, value, false), s.width);
}

Value grouped_query(Maker& m) {
  const Sizes s = sizes_of(m);
  const std::int64_t groups = m.n("n_group");
  m.require(groups >= 1 && s.heads % groups == 0, "n_group does not divide n_head");
  const Value x = m.input("x", {s.batch, s.length, s.width});
  const Value query = by_head(m, s, m.linear(x, s.width));
  const auto few = [&] { return view(m, m.linear(x, groups * s.head), {s.batch, s.length, groups, s.head}); };
  const Value few_keys = few();
  const Value few_values = few();
  const auto repeated = [&](const Value& part) {
    const Value wide =
        m.op("expand", {m.unsqueeze(part, 2), Ints{s.batch, s.length, s.heads / groups, groups, s.head}});
    return view(m, m.op("clone", {wide}), {s.batch, s.length, s.heads, s.head});
  };
  const Value all_keys = repeated(few_keys);
  const Value all_values = repeated(few_values);
  const Value key = transpose(m, all_keys, 1, 2);
  const Value value = transpose(m, all_values, 1, 2);
  return m.linear(attend(m, s, query, key, value, true), s.width);
}

template <Heads HeadKind, bool HasGemm, Bend BendKind, Last LastKind>
Outputs attention(Maker& m) {
  Value x;
  switch (HeadKind) {
    case Heads::multi: x = multi_head(m); break;
    case Heads::single_key: x = multi_query(m); break;
    case Heads::grouped: x = grouped_query(m); break;
  }
  if (HasGemm) x = m.linear(x, m.n("out_features"), false);
  switch (BendKind) {
    case Bend::none: break;
    case Bend::relu: x = m.op("relu", {x}); break;
    case Bend::gelu: x = m.op("gelu", {x}); break;
    case Bend::tanh: x = m.op("tanh", {x}); break;
  }
  switch (LastKind) {
    case Last::plain: break;
    case Last::sum: x = m.sum(x, {1}, true); break;
    case Last::max: x = m.max(x, 1, true); break;
    case Last::mean: x = m.mean(x, {1}, true); break;
  }
  return {x};
}

template <Heads HeadKind, Last LastKind>
constexpr Build plain() {
  return attention<HeadKind, false, Bend::none, LastKind>;
}
template <Heads HeadKind, Bend BendKind, Last LastKind = Last::plain>
constexpr Build gemm() {
  return attention<HeadKind, true, BendKind, LastKind>;
}
constexpr Heads kM = Heads::multi;
constexpr Heads kQ = Heads::single_key;
constexpr Heads kG = Heads::grouped;

constexpr std::array kRows = {
    BuildRow{"MinGPTCausalAttention", plain<kM, Last::plain>()},
    BuildRow{"MQA", plain<kQ, Last::plain>()},
    BuildRow{"GQA", plain<kG, Last::plain>()},
    BuildRow{"MHA_sum", plain<kM, Last::sum>()},
    BuildRow{"MHA_max", plain<kM, Last::max>()},
    BuildRow{"MHA_mean", plain<kM, Last::mean>()},
    BuildRow{"MQA_sum", plain<kQ, Last::sum>()},
    BuildRow{"MQA_max", plain<kQ, Last::max>()},
    BuildRow{"MQA_mean", plain<kQ, Last::mean>()},
    BuildRow{"GQA_sum", plain<kG, Last::sum>()},
    BuildRow{"GQA_max", plain<kG, Last::max>()},
    BuildRow{"GQA_mean", plain<kG, Last::mean>()},
    BuildRow{"MHA_Gemm", gemm<kM, Bend::none>()},
    BuildRow{"MQA_Gemm", gemm<kQ, Bend::none>()},
    BuildRow{"GQA_Gemm", gemm<kG, Bend::none>()},
    BuildRow{"MHA_Gemm_ReLU", gemm<kM, Bend::relu>()},
    BuildRow{"MQA_Gemm_ReLU", gemm<kQ, Bend::relu>()},
    BuildRow{"GQA_Gemm_ReLU", gemm<kG, Bend::relu>()},
    BuildRow{"MHA_Gemm_GeLU", gemm<kM, Bend::gelu>()},
    BuildRow{"MQA_Gemm_GeLU", gemm<kQ, Bend::gelu>()},
    BuildRow{"GQA_Gemm_GeLU", gemm<kG, Bend::gelu>()},
    BuildRow{"MHA_Gemm_Tanh", gemm<kM, Bend::tanh>()},
    BuildRow{"MQA_Gemm_Tanh", gemm<kQ, Bend::tanh>()},
    BuildRow{"GQA_Gemm_Tanh", gemm<kG, Bend::tanh>()},
    BuildRow{"MHA_Gemm_ReLU_sum", gemm<kM, Bend::relu, Last::sum>()},
    BuildRow{"MQA_Gemm_ReLU_max", gemm<kQ, Bend::relu, Last::max>()},
    BuildRow{"GQA_Gemm_ReLU_mean", gemm<kG, Bend::relu, Last::mean>()},
    BuildRow{"MHA_Gemm_Tanh_max", gemm<kM, Bend::tanh, Last::max>()},
    BuildRow{"MQA_Gemm_Tanh_mean", gemm<kQ, Bend::tanh, Last::mean>()},
    BuildRow{"GQA_Gemm_Tanh_sum", gemm<kG, Bend::tanh, Last::sum>()},
    BuildRow{"MHA_Gemm_GeLU_mean", gemm<kM, Bend::gelu, Last::mean>()},
    BuildRow{"MQA_Gemm_GeLU_sum", gemm<kQ, Bend::gelu, Last::sum>()},
    BuildRow{"GQA_Gemm_GeLU_max", gemm<kG, Bend::gelu, Last::max>()},
};

}  // namespace

std::span<const BuildRow> attention_programs() { return kRows; }

}  // namespace steptp::zoo
