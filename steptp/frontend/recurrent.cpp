#include "steptp/frontend/recurrent.h"

namespace steptp::frontend {

namespace {

enum class Cell : std::uint8_t { lstm, gru, rnn_tanh, rnn_relu };

std::int64_t gates_of(Cell cell) {
  switch (cell) {
    case Cell::lstm: return 4;
    case Cell::gru: return 3;
    case Cell::rnn_tanh:
    case Cell::rnn_relu: return 1;
  }
  return 1;
}

/// One layer in one direction.
struct Direction {
  Tensor input;  ///< of this layer
  Tensor input_weight;
  Tensor state_weight;
  Tensor input_bias;
  Tensor state_bias;
  Tensor projection;  ///< from the cell to a shorter state, where there is one
  bool has_bias = false;
  bool backwards = false;
  std::int64_t slice = 0;  ///< which initial and last state
};

class Network {
 public:
  Network(const CallLowering& call, Cell cell)
      : step_(call),
        cell_(cell),
        dtype_(call.dtype_of("input")),
        batch_first_(call.flag("batch_first")),
        layers_(call.integer("num_layers")),
        directions_(call.flag("bidirectional") ? 2 : 1) {
    const Shape& input = call.shape("input");
    time_ = input[batch_first_ ? 1 : 0];
    batch_ = input[batch_first_ ? 0 : 1];
    const std::vector<graph::Value>& params = call.values("params");
    hidden_ = call.type(params.front()).shape[0] / gates_of(cell);
    per_cell_ = params.size() / static_cast<std::size_t>(layers_ * directions_);
    projects_ = per_cell_ % 2 == 1;
    state_ = projects_ ? call.type(params[per_cell_ - 1]).shape[0] : hidden_;
  }

  void lower() {
    Tensor input = step_.in("input");
    std::size_t next = 0;
    const std::vector<graph::Value>& params = step_.values("params");
    for (std::int64_t layer = 0; layer < layers_; ++layer) {
      const bool last = layer + 1 == layers_;
      Shape shape = step_.shape("input");
      shape[2] = state_ * directions_;
      const Tensor output = last && step_.wanted(0) ? step_.out(0) : step_.temporary(dtype_, shape);
      for (std::int64_t direction = 0; direction < directions_; ++direction) {
        Direction one;
        one.input = input;
        one.input_weight = step_.of(params[next]);
        one.state_weight = step_.of(params[next + 1]);
        one.has_bias = step_.flag("has_biases");
        if (one.has_bias) {
          one.input_bias = step_.of(params[next + 2]);
          one.state_bias = step_.of(params[next + 3]);
        }
        if (projects_) one.projection = step_.of(params[next + per_cell_ - 1]);
        next += per_cell_;
        one.backwards = direction == 1;
        one.slice = layer * directions_ + direction;
        run(one, output, direction * state_);
      }
      input = output;
    }
  }

 private:
  /// The subscripts of a tensor with batch, time and features, in the order that the call wants.
  [[nodiscard]] Subscripts place(const Subscript& batch, const Subscript& time, const Subscript& feature) const {
    return batch_first_ ? Subscripts{batch, time, feature} : Subscripts{time, batch, feature};
  }
  [[nodiscard]] Tensor initial(std::size_t number) const {
    return cell_ == Cell::lstm ? step_.of(step_.values("hx")[number]) : step_.in("hx");
  }

  /// states[0] = initial; the state after step t is states[t+1].
  Tensor start(const Direction& direction, std::size_t number) const {
    const std::int64_t width = number == 0 ? state_ : hidden_;
    const Tensor states = step_.temporary(dtype_, {time_ + 1, batch_, width});
    const Tensor first = initial(number);
    NestWriter nest;
    const Subscripts at = nest.loops({batch_, width});
    nest.set(states, {Subscript(0), at[0], at[1]}, first.exactly({Subscript(direction.slice), at[0], at[1]}));
    step_.append(nest);
    return states;
  }

  /// The product of the input with its weights at all times, in the order of the recurrence.
  Tensor input_gates(const Direction& direction) const {
    const std::int64_t rows = gates_of(cell_) * hidden_;
    const Tensor gates = step_.temporary(dtype_, {time_, batch_, rows});
    step_.fold(Fold::sum, gates, {direction.input.shape[2]}, [&](const Subscripts& at, const Subscripts& inner) {
      const Subscript time = direction.backwards ? Subscript(time_ - 1) - at[0] : at[0];
      return direction.input.exactly(place(at[1], time, inner[0])) * direction.input_weight.exactly({at[2], inner[0]});
    });
    if (direction.has_bias) {
      step_.map(gates, [&](const Subscripts& at) { return gates.exactly(at) + direction.input_bias.exactly({at[2]}); });
    }
    return gates;
  }

  void run(const Direction& direction, const Tensor& output, std::int64_t offset) const {
    const Tensor gates = input_gates(direction);
    const Tensor states = start(direction, 0);
    Tensor cells;
    if (cell_ == Cell::lstm) cells = start(direction, 1);
    const Tensor products = step_.temporary(dtype_, {time_, batch_, gates_of(cell_) * hidden_});
    LoopWriter loop;
    const Subscript time = loop.outer(time_);
    loop.fold(Fold::sum, products, {time}, {batch_, products.shape[2]}, {state_},
              [&](const Subscripts& at, const Subscripts& inner) {
                return states.exactly({time, at[0], inner[0]}) * direction.state_weight.exactly({at[1], inner[0]});
              });
    const auto gate = [&](std::int64_t number, const Subscripts& at) {
      const Subscripts where = {time, at[0], at[1] + number * hidden_};
      return gates.exactly(where) + recurrent_part(direction, products, where);
    };
    advance(loop, direction, time, gate, gates, products, states, cells);
    step_.append(loop);
    copy_out(direction, states, output, offset);
    last_state(direction, states, 1);
    if (cell_ == Cell::lstm) last_state(direction, cells, 2);
  }

  [[nodiscard]] Value recurrent_part(const Direction& direction, const Tensor& products,
                                     const Subscripts& where) const {
    const Value product = products.exactly(where);
    return direction.has_bias ? product + direction.state_bias.exactly({where[2]}) : product;
  }

  template <typename Gate>
  void advance(LoopWriter& loop, const Direction& direction, const Subscript& time, const Gate& gate,
               const Tensor& gates, const Tensor& products, const Tensor& states, const Tensor& cells) const {
    const Subscript next = time + 1;
    switch (cell_) {
      case Cell::rnn_tanh:
      case Cell::rnn_relu:
        loop.map(states, {next}, {batch_, hidden_}, [&](const Subscripts& at) {
          return cell_ == Cell::rnn_relu ? max(gate(0, at), 0) : tanh(gate(0, at));
        });
        return;
      case Cell::lstm:
        loop.map(cells, {next}, {batch_, hidden_}, [&](const Subscripts& at) {
          return sigmoid(gate(1, at)) * cells.exactly({time, at[0], at[1]}) + sigmoid(gate(0, at)) * tanh(gate(2, at));
        });
        project(loop, direction, time, states, [&](const Subscripts& at) {
          return sigmoid(gate(3, at)) * tanh(cells.exactly({next, at[0], at[1]}));
        });
        return;
      case Cell::gru: {
        const Tensor update = step_.temporary(dtype_, {time_, batch_, hidden_});
        const Tensor candidate = step_.temporary(dtype_, {time_, batch_, hidden_});
        loop.map(update, {time}, {batch_, hidden_}, [&](const Subscripts& at) { return sigmoid(gate(1, at)); });
        loop.map(candidate, {time}, {batch_, hidden_}, [&](const Subscripts& at) {
          const Subscripts where = {time, at[0], at[1] + 2 * hidden_};
          return tanh(gates.exactly(where) + sigmoid(gate(0, at)) * recurrent_part(direction, products, where));
        });
        loop.map(states, {next}, {batch_, hidden_}, [&](const Subscripts& at) {
          const Subscripts where = {time, at[0], at[1]};
          const Value z = update.exactly(where);
          return (Value(1) - z) * candidate.exactly(where) + z * states.exactly(where);
        });
        return;
      }
    }
  }

  /// The next state, by way of a projection where there is one.
  template <typename Body>
  void project(LoopWriter& loop, const Direction& direction, const Subscript& time, const Tensor& states,
               const Body& body) const {
    const Subscript next = time + 1;
    if (!projects_) return loop.map(states, {next}, {batch_, hidden_}, body);
    const Tensor wide = step_.temporary(dtype_, {time_, batch_, hidden_});
    loop.map(wide, {time}, {batch_, hidden_}, body);
    loop.fold(Fold::sum, states, {next}, {batch_, state_}, {hidden_},
              [&](const Subscripts& at, const Subscripts& inner) {
                return wide.exactly({time, at[0], inner[0]}) * direction.projection.exactly({at[1], inner[0]});
              });
  }

  void copy_out(const Direction& direction, const Tensor& states, const Tensor& output, std::int64_t offset) const {
    NestWriter nest;
    const Subscripts at = nest.loops(batch_first_ ? Shape{batch_, time_, state_} : Shape{time_, batch_, state_});
    const Subscript& batch = at[batch_first_ ? 0 : 1];
    const Subscript& time = at[batch_first_ ? 1 : 0];
    const Subscript step = direction.backwards ? Subscript(time_) - time : time + 1;
    nest.set(output, place(batch, time, at[2] + offset), states.exactly({step, batch, at[2]}));
    step_.append(nest);
  }

  void last_state(const Direction& direction, const Tensor& states, std::int32_t number) const {
    if (!step_.wanted(number)) return;
    NestWriter nest;
    const Subscripts at = nest.loops({batch_, number == 1 ? state_ : hidden_});
    nest.set(step_.out(number), {Subscript(direction.slice), at[0], at[1]},
             states.exactly({Subscript(time_), at[0], at[1]}));
    step_.append(nest);
  }

  const CallLowering& step_;
  Cell cell_;
  DType dtype_;
  bool batch_first_;
  std::int64_t layers_;
  std::int64_t directions_;
  std::int64_t time_ = 0;
  std::int64_t batch_ = 0;
  std::int64_t hidden_ = 0;  ///< of the gates and the cell
  std::int64_t state_ = 0;   ///< of the hidden state: the same, or what is projected to
  std::size_t per_cell_ = 0;
  bool projects_ = false;
};

}  // namespace

void lstm(const CallLowering& call) { Network(call, Cell::lstm).lower(); }
void gru(const CallLowering& call) { Network(call, Cell::gru).lower(); }
void rnn_tanh(const CallLowering& call) { Network(call, Cell::rnn_tanh).lower(); }
void rnn_relu(const CallLowering& call) { Network(call, Cell::rnn_relu).lower(); }

}  // namespace steptp::frontend
