#include <array>

#include "steptp/base/text.h"
#include "steptp/graph/operator.h"

namespace steptp::graph {

namespace {

using Types = std::vector<TensorType>;

Types attention(const Call& call) {
  const TensorType& query = call.tensor("query");
  const Shape& key = call.shape("key");
  const Shape& value = call.shape("value");
  if (query.shape.size() < 2 || key.size() != query.shape.size() || value.size() != query.shape.size()) {
    call.fail("query, key and value have the same number of dimensions, at least two");
  }
  const std::size_t rank = query.shape.size();
  if (key[rank - 1] != query.shape[rank - 1] || key[rank - 2] != value[rank - 2])
    call.fail("the shapes of query, key and value do not fit");
  const bool grouped = call.flag("enable_gqa");
  for (std::size_t at = 0; at + 2 < rank; ++at) {
    const bool heads = grouped && at + 3 == rank;
    const bool fits = heads ? query.shape[at] % key[at] == 0 : key[at] == query.shape[at];
    if (!fits || key[at] != value[at]) call.fail("the leading dimensions differ");
  }
  Shape shape = query.shape;
  shape.back() = value.back();
  if (call.has("attn_mask")) {
    Shape scores = query.shape;
    scores.back() = key[rank - 2];
    if (broadcast(call, scores, call.shape("attn_mask")) != scores) call.fail("'attn_mask' does not fit");
  }
  if (call.real("dropout_p") != 0) call.fail("attention with dropout is random; set dropout_p to 0");
  return {{query.dtype, shape}};
}

/// Output, last hidden state, and for an LSTM the last cell state.
Types recurrent(const Call& call, std::size_t gates, bool cell) {
  const TensorType& input = call.tensor("input");
  if (input.shape.size() != 3) call.fail("an input with batch, time and features is wanted");
  const bool batch_first = call.flag("batch_first");
  const std::size_t layers = static_cast<std::size_t>(call.integer("num_layers"));
  const std::size_t directions = call.flag("bidirectional") ? 2 : 1;
  const std::vector<Value>& params = call.values("params");
  const std::size_t plain = call.flag("has_biases") ? 4 : 2;
  // An LSTM may have one weight more, which makes its hidden state shorter than its cell.
  const bool projects = cell && params.size() == layers * directions * (plain + 1);
  if (params.size() != layers * directions * plain && !projects) {
    call.fail(concat(params.size(), " weights; ", layers * directions * plain, " are wanted"));
  }
  const std::int64_t width = call.type(params.front()).shape.at(0) / static_cast<std::int64_t>(gates);
  const std::int64_t hidden = projects ? call.type(params[plain]).shape.at(0) : width;
  const std::int64_t batch = input.shape[batch_first ? 0 : 1];
  if (call.flag("train") && call.real("dropout") != 0) call.fail("dropout between layers is random; set it to 0");
  Shape output = input.shape;
  output[2] = hidden * static_cast<std::int64_t>(directions);
  const Shape state = {static_cast<std::int64_t>(layers * directions), batch, hidden};
  const Shape cell_state = {state[0], batch, width};
  const std::vector<Value> states = cell ? call.values("hx") : std::vector<Value>{call.value("hx")};
  if (states.size() != (cell ? 2U : 1U)) call.fail("the number of initial states does not fit");
  for (std::size_t at = 0; at < states.size(); ++at) {
    const Shape& wanted = at == 0 ? state : cell_state;
    const Shape& given = call.type(states[at]).shape;
    if (given != wanted)
      call.fail(concat("an initial state has the shape ", to_text(given), ", not ", to_text(wanted)));
  }
  Types out = {{input.dtype, output}, {input.dtype, state}};
  if (cell) out.push_back({input.dtype, cell_state});
  return out;
}
Types lstm(const Call& call) { return recurrent(call, 4, true); }
Types gru(const Call& call) { return recurrent(call, 3, false); }
Types rnn(const Call& call) { return recurrent(call, 1, false); }

constexpr std::array kRows = {
    OperatorRow{"scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float "
                "dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor",
                attention,
                "F.scaled_dot_product_attention({query}, {key}, {value}, attn_mask={attn_mask}, dropout_p={dropout_p}, "
                "is_causal={is_causal}, scale={scale}, enable_gqa={enable_gqa})"},
    OperatorRow{"lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float "
                "dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor, Tensor)",
                lstm, "torch.lstm"},
    OperatorRow{"gru.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, "
                "bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)",
                gru, "torch.gru"},
    OperatorRow{"rnn_tanh.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float "
                "dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)",
                rnn, "torch.rnn_tanh"},
    OperatorRow{"rnn_relu.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float "
                "dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)",
                rnn, "torch.rnn_relu"},
};

}  // namespace

std::span<const OperatorRow> sequence_operators() { return kRows; }

}  // namespace steptp::graph
