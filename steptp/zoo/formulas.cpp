// Components as they are written by hand: a chain of elementwise operators as one expression, or two operators over the
// same elements as one kernel. PyTorch shows them operator by operator; in LEIR there is something to simplify and to
// cut.
#include <array>
#include <utility>
#include <vector>

#include "steptp/zoo/components.h"

namespace steptp::zoo {

namespace {

constexpr unsigned kAny = ranks(1, 5);
constexpr unsigned kTwo = ranks(2, 5);

// In braces, so that the operands are made in order: that of a call's arguments is the compiler's choice.
Value sum(Scene& s, std::vector<Argument> both) { return s.m.op("add.Tensor", std::move(both)); }
Value difference(Scene& s, std::vector<Argument> both) { return s.m.op("sub.Tensor", std::move(both)); }
Value product(Scene& s, std::vector<Argument> both) { return s.m.op("mul.Tensor", std::move(both)); }
Value quotient(Scene& s, std::vector<Argument> both) { return s.m.op("div.Tensor", std::move(both)); }
Value sigmoid(Scene& s, const Value& x) { return s.m.op("sigmoid", {x}); }
Value log(Scene& s, const Value& x) { return s.m.op("log", {x}); }
/// 1 + x*x, which is positive.
Value one_and_square(Scene& s, const Value& x) { return sum(s, {s.m.op("square", {x}), 1.0}); }

// Gates and mixtures.
Value modulate(Scene& s, const Value& x) {
  const Value scale = s.companion(x);
  return s.m.formula([&] { return sum(s, {x, product(s, {x, scale})}); });
}
Value two_gates(Scene& s, const Value& x) {
  const Value first = s.companion(x);
  const Value second = s.companion(x);
  return s.m.formula([&] { return sum(s, {product(s, {x, first}), product(s, {x, second})}); });
}
Value two_swishes(Scene& s, const Value& x) {
  const Value gate = s.companion(x);
  return s.m.formula([&] { return sum(s, {s.m.swish(x), product(s, {x, sigmoid(s, gate)})}); });
}
Value shared_gate(Scene& s, const Value& x) {
  const Value other = s.companion(x);
  const Value gate = s.companion(x);
  return s.m.formula([&] {
    const Value open = sigmoid(s, gate);
    return sum(s, {product(s, {x, open}), product(s, {other, open})});
  });
}

// Powers.
Value cubic(Scene& s, const Value& x) {
  return s.m.formula([&] { return sum(s, {x, product(s, {product(s, {product(s, {x, x}), x}), 0.044715})}); });
}
Value cube(Scene& s, const Value& x) {
  return s.m.formula([&] { return product(s, {product(s, {x, x}), x}); });
}
Value squared_distance(Scene& s, const Value& x) {
  const Value other = s.companion(x);
  return s.m.formula([&] {
    const Value cross = product(s, {product(s, {x, other}), 2.0});
    return sum(s, {difference(s, {product(s, {x, x}), cross}), product(s, {other, other})});
  });
}
Value bell(Scene& s, const Value& x) { return s.m.op("exp", {s.m.op("neg", {s.m.op("square", {x})})}); }
Value two_bells(Scene& s, const Value& x) {
  const Value other = s.companion(x);
  return s.m.formula([&] { return product(s, {bell(s, x), bell(s, other)}); });
}
Value two_lengths(Scene& s, const Value& x) {
  const Value other = s.companion(x);
  return s.m.formula([&] {
    const Value length = s.m.op("sqrt", {one_and_square(s, x)});
    return product(s, {length, s.m.op("sqrt", {one_and_square(s, other)})});
  });
}
Value energy_product(Scene& s, const Value& x) {
  const Value other = s.companion(x);
  return s.m.formula([&] { return product(s, {s.m.op("square", {x}), s.m.op("square", {other})}); });
}

// What is put in and taken out again.
Value straight_through(Scene& s, const Value& x) {
  const double bound = static_cast<double>(s.pick({1, 2, 3}));
  return s.m.formula([&] { return sum(s, {difference(s, {s.m.clamp(x, -bound, bound), x}), x}); });
}
Value shift_and_back(Scene& s, const Value& x) {
  const Value shift = s.companion(x);
  return s.m.formula([&] { return difference(s, {sum(s, {s.m.op("tanh", {x}), shift}), shift}); });
}
Value scale_and_back(Scene& s, const Value& x) {
  const Value scale = s.positive_companion(x);
  return s.m.formula([&] { return quotient(s, {product(s, {x, scale}), scale}); });
}
Value weighted_sum(Scene& s, const Value& x) {
  const Value other = s.companion(x);
  const Value weight = s.positive_companion(x);
  return s.m.formula([&] {
    return quotient(s, {sum(s, {product(s, {x, weight}), product(s, {other, weight})}), weight});
  });
}
Value weighted_ratio(Scene& s, const Value& x) {
  const Value other = s.companion(x);
  const Value weight = s.positive_companion(x);
  return s.m.formula([&] {
    return quotient(s, {product(s, {x, weight}), product(s, {one_and_square(s, other), weight})});
  });
}

// Logarithms of likelihoods, scales and odds.
Value log_likelihood(Scene& s, const Value& x) {
  const Value other = s.companion(x);
  return s.m.formula([&] { return sum(s, {log(s, one_and_square(s, x)), log(s, one_and_square(s, other))}); });
}
Value log_contrast(Scene& s, const Value& x) {
  const Value other = s.companion(x);
  return s.m.formula([&] { return difference(s, {log(s, one_and_square(s, x)), log(s, one_and_square(s, other))}); });
}
Value student_likelihood(Scene& s, const Value& x) {
  const std::int64_t times = s.pick({2, 3, 4});
  return s.m.formula([&] { return product(s, {log(s, one_and_square(s, x)), times}); });
}
Value add_log_priors(Scene& s, const Value& x) {
  const Value prior = s.positive_companion(x);
  const Value weight = s.positive_companion(x);
  return s.m.formula([&] { return sum(s, {sum(s, {x, log(s, prior)}), log(s, weight)}); });
}
Value adjust_logits(Scene& s, const Value& x) {
  const Value prior = s.positive_companion(x);
  const Value reference = s.positive_companion(x);
  return s.m.formula([&] { return difference(s, {sum(s, {x, log(s, prior)}), log(s, reference)}); });
}
Value log_sigmoids(Scene& s, const Value& x) {
  const Value other = s.companion(x);
  return s.m.formula([&] { return sum(s, {log(s, sigmoid(s, x)), log(s, sigmoid(s, other))}); });
}
Value log_product(Scene& s, const Value& x) {
  const Value other = s.companion(x);
  return s.m.formula([&] { return log(s, product(s, {one_and_square(s, x), one_and_square(s, other)})); });
}
Value log_deviation(Scene& s, const Value& x) {
  return s.m.formula([&] { return log(s, s.m.op("sqrt", {one_and_square(s, x)})); });
}
Value log_ratio(Scene& s, const Value& x) {
  const Value prior = s.positive_companion(x);
  const Value reference = s.positive_companion(x);
  return s.m.formula([&] { return sum(s, {x, log(s, quotient(s, {prior, reference}))}); });
}

// Quotients.
Value shared_divisor(Scene& s, const Value& x) {
  const Value other = s.companion(x);
  const Value spread = s.companion(x);
  return s.m.formula([&] {
    const Value divisor = one_and_square(s, spread);
    return sum(s, {quotient(s, {x, divisor}), quotient(s, {other, divisor})});
  });
}
Value two_ratios(Scene& s, const Value& x) {
  const Value other = s.companion(x);
  return s.m.formula([&] {
    return sum(s, {quotient(s, {x, one_and_square(s, other)}), quotient(s, {other, one_and_square(s, x)})});
  });
}
Value inverse_weights(Scene& s, const Value& x) {
  const Value other = s.companion(x);
  const Value first = s.positive_companion(x);
  const Value second = s.positive_companion(x);
  return s.m.formula([&] { return sum(s, {quotient(s, {x, first}), quotient(s, {other, second})}); });
}

// Two operators in one pass over the same elements; neither reads what the other writes.
Value cell_gate(Scene& s, const Value& x) {
  const Value candidate = s.another(s.m.shape(x));
  const Value open = s.m.joined(sigmoid(s, x));
  return product(s, {open, s.m.op("tanh", {candidate})});
}
Value rotate(Scene& s, const Value& x) {
  const Value other = s.companion(x);
  const Value angle = s.another(s.m.shape(x));
  const Value sine = s.m.joined(s.m.op("sin", {angle}));
  const Value cosine = s.m.op("cos", {angle});
  return s.m.formula([&] { return difference(s, {product(s, {x, cosine}), product(s, {other, sine})}); });
}
Value both_signs(Scene& s, const Value& x) {
  const Value above = s.m.joined(s.m.op("relu", {x}));
  const Value below = s.m.formula([&] { return s.m.op("relu", {s.m.op("neg", {x})}); });
  return s.m.op("cat", {std::vector<Value>{above, below}, s.any_dim(x)});
}
Value two_branches(Scene& s, const Value& x) {
  const Value shift = s.companion(x);
  const Value linear = s.m.joined(sum(s, {x, shift}));
  return product(s, {linear, s.m.op("silu", {x})});
}
/// Both ends of a range in one pass.
Value to_unit_range(Scene& s, const Value& x) {
  const Ints dims = {s.any_dim(x)};
  const Value low = s.m.joined(s.m.op("amin", {x, dims, true}));
  const Value high = s.m.op("amax", {x, dims, true});
  return s.m.formula([&] { return quotient(s, {difference(s, {x, low}), sum(s, {difference(s, {high, low}), 1.0})}); });
}
/// A sum and a sum of squares in one pass.
Value over_energy(Scene& s, const Value& x) {
  const Ints dims = {s.any_dim(x)};
  const Value first = s.m.joined(s.m.sum(x, dims, true));
  const Value second = s.m.formula([&] { return s.m.sum(s.m.op("square", {x}), dims, true); });
  return s.m.formula([&] { return quotient(s, {product(s, {x, first}), sum(s, {second, 1.0})}); });
}

constexpr std::array kFormulas = {
    Component{"modulate", kAny, 0, modulate},
    Component{"two_gates", kAny, 0, two_gates},
    Component{"two_swishes", kAny, 0, two_swishes},
    Component{"shared_gate", kAny, 0, shared_gate},
    Component{"cubic", kAny, 0, cubic},
    Component{"cube", kAny, 0, cube},
    Component{"squared_distance", kAny, 0, squared_distance},
    Component{"two_bells", kAny, 0, two_bells},
    Component{"two_lengths", kAny, 0, two_lengths},
    Component{"energy_product", kAny, 0, energy_product},
    Component{"straight_through", kAny, 0, straight_through},
    Component{"shift_and_back", kAny, 0, shift_and_back},
    Component{"scale_and_back", kAny, 0, scale_and_back},
    Component{"weighted_sum", kAny, 0, weighted_sum},
    Component{"weighted_ratio", kAny, 0, weighted_ratio},
    Component{"log_likelihood", kAny, 0, log_likelihood},
    Component{"log_contrast", kAny, 0, log_contrast},
    Component{"student_likelihood", kAny, 0, student_likelihood},
    Component{"add_log_priors", kAny, 0, add_log_priors},
    Component{"adjust_logits", kAny, 0, adjust_logits},
    Component{"log_sigmoids", kAny, 0, log_sigmoids},
    Component{"log_product", kAny, 0, log_product},
    Component{"log_deviation", kAny, 0, log_deviation},
    Component{"log_ratio", kAny, 0, log_ratio},
    Component{"shared_divisor", kAny, 0, shared_divisor},
    Component{"two_ratios", kAny, 0, two_ratios},
    Component{"inverse_weights", kAny, 0, inverse_weights},
    Component{"cell_gate", kAny, 0, cell_gate},
    Component{"rotate", kAny, 0, rotate},
    Component{"both_signs", kAny, 0, both_signs},
    Component{"two_branches", kAny, 0, two_branches},
    Component{"to_unit_range", kTwo, 0, to_unit_range},
    Component{"over_energy", kTwo, 0, over_energy},
};

}  // namespace

std::span<const Component> formula_components() { return kFormulas; }

}  // namespace steptp::zoo
