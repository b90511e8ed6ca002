#include "steptp/certify/safety_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

#include "steptp/arithmetic/failure.h"
#include "steptp/base/hash.h"
#include "steptp/base/text.h"

namespace steptp::certify {

namespace {

using Number = BoundArithmetic::Number;

/// B_after <= 8*B_before + 4 units in the last place; a compared difference of a good input exceeds 8*B_before.
constexpr Number kFactor = 8;
constexpr Number kUnits = 4;
constexpr Number kNearlyNothing = 0x1p-30L;
constexpr double kFactorBits = 3;
/// Of the whole error that goes into a value, so much may be left of what cancels.
constexpr Number kSlopeNoise = 0x1p-52L;
/// What a fault that has no size counts.
constexpr double kGreat = 60;

bool is_limit(FailureKind kind) {
  return kind == FailureKind::operations || kind == FailureKind::memory || kind == FailureKind::depth ||
         kind == FailureKind::unsupported;
}

double badness_of(const RunEvents& before) {
  double bad = std::max({0.0, before.too_high, before.overflow, before.close_branch + kFactorBits});
  bad = std::max(bad, before.root_of_error);
  if (before.has_nan || before.has_zero_divisor) bad = std::max(bad, kGreat);
  return bad;
}

/// Numbers of all magnitudes and both signs on one scale, in bits.
double on_scale(double value) {
  constexpr double kSmallest = 0x1p-70;
  return std::copysign(std::log2(1 + std::fabs(value) / kSmallest), value);
}

bool outcome_of(CompareOp op, double left, double right) {
  switch (op) {
    case CompareOp::less: return left < right;
    case CompareOp::less_equal: return left <= right;
    case CompareOp::greater: return left > right;
    case CompareOp::greater_equal: return left >= right;
    case CompareOp::equal: return left == right;
    case CompareOp::not_equal: return left != right;
  }
  return false;
}

bool is_extremum_node(const Node& node) {
  return node.op == Op::real_arithmetic &&
         (node.arithmetic == ArithmeticOp::max || node.arithmetic == ArithmeticOp::min);
}

bool compares_reals(const Code& code, std::uint32_t number) {
  if (number == kNone) return false;
  const Node& node = code.nodes[number];
  if (node.op == Op::compare_reals) return true;
  return node.op == Op::logic && (compares_reals(code, node.first) || compares_reals(code, node.second));
}

/// So many of them, of every input in turn: a long sum does not hide what is read besides.
std::vector<InputRead> of_every_input(const std::vector<InputRead>& reads, std::size_t most) {
  if (reads.size() <= most) return reads;
  std::map<std::size_t, std::vector<const InputRead*>> by_input;
  for (const InputRead& read : reads) by_input[read.input].push_back(&read);
  std::vector<InputRead> out;
  for (std::size_t turn = 0; out.size() < most; ++turn) {
    for (const auto& [input, own] : by_input) {
      if (turn < own.size() && out.size() < most) out.push_back(*own[turn]);
    }
  }
  return out;
}

}  // namespace

bool SafetyMeasure::has_event() const {
  return after.overflow > 0 || after.root_of_error > 0 || after.has_zero_divisor || is_open || has_no_value;
}

std::string SafetyMeasure::fault() const {
  if (has_no_value) return "an access or a division without a value";
  if (after.surely_divides_by_zero) return "a division by zero";
  if (after.has_zero_divisor) return "a possible division by zero (the divisor is zero but for rounding)";
  if (after.surely_overflows) return "an overflow";
  if (std::isinf(after.overflow) && after.overflow > 0) return "an unbounded error (a possible overflow or NaN)";
  if (after.overflow > 0) return "a possible overflow (within the rounding bound, sums in any order)";
  if (after.root_of_error > 0)
    return "a possible NaN (within the rounding bound the argument of a root or a logarithm may be negative)";
  if (is_open) return "an integer or a bool that rounding may decide otherwise";
  const auto text = [](double units) {
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.3g", units);
    return units < 1000 ? std::string(digits.data()) : concat("2^", static_cast<int>(std::log2(units)));
  };
  if (std::isinf(after_units))
    return concat("an unbounded error (the bound of before: ", text(before_units), " units)");
  return concat("an error bound of ", text(after_units),
                " units in the last place (that of before: ", text(before_units), ")");
}

SafetyRun::SafetyRun(const Code& before, const Code& after, const InputModel& model, const Signature& signature,
                     const SafeRange& range, Budget& budget)
    : before_(before),
      after_(after),
      model_(model),
      signature_(signature),
      range_(range),
      budget_(budget),
      shared_(find_shared(before, after)) {
  for (const bool is_after : {false, true}) {
    const Code& code = is_after ? after_ : before_;
    sides_[is_after ? 1 : 0].resize(code.nodes.size());
    for (std::uint32_t i = 0; i < code.nodes.size(); ++i) {
      const Node& node = code.nodes[i];
      const bool selects = node.op == Op::real_select || node.op == Op::integer_select;
      if (selects && compares_reals(code, node.first)) conditions_.push_back({is_after, node.first});
      if (is_extremum_node(node)) conditions_.push_back({is_after, i});
    }
  }
}

double SafetyRun::distance(const Condition& condition, bool outcome) const {
  return distance_of(condition.is_after ? after_ : before_, sides_[condition.is_after ? 1 : 0], condition.node,
                     outcome);
}

double SafetyRun::distance_of(const Code& code, const std::vector<BoundArithmetic::Sides>& sides, std::uint32_t number,
                              bool outcome) const {
  constexpr double kNotReached = 500;
  const Node& node = code.nodes[number];
  if (node.op == Op::logic) {
    const double left = distance_of(code, sides, node.first, outcome);
    const double right = distance_of(code, sides, node.second, outcome);
    return (node.logic == LogicOp::conjunction) == outcome ? left + right : std::min(left, right);
  }
  if (node.op != Op::compare_reals && !is_extremum_node(node)) return 0;
  const BoundArithmetic::Sides& seen = sides[number];
  if (!seen.is_seen) return kNotReached;
  const CompareOp op = node.op == Op::compare_reals ? node.comparison : CompareOp::greater;
  if (outcome_of(op, seen.left, seen.right) == outcome) return 0;
  return 0.01 + std::fabs(on_scale(seen.left) - on_scale(seen.right));
}

void SafetyRun::log_reads(const Candidate& candidate, std::size_t point, ReadLog& log) {
  const CandidateInputs inputs(model_, candidate, range_);
  InputSource source(model_, Draw{DrawKind::generic, 0, 0, 0, -1, nullptr, &inputs});
  source.watch(&log);
  arithmetic_.reset();
  for (const Code* code : {&before_, &after_}) {
    BoundMachine machine(*code, arithmetic_, source, budget_);
    const auto tensor = code->tensor_numbers.find(points[point].output);
    if (tensor != code->tensor_numbers.end()) static_cast<void>(machine.output(tensor->second, points[point].element));
  }
}

std::vector<InputRead> SafetyRun::reads(const Candidate& candidate, std::size_t point, std::size_t most) {
  constexpr std::size_t kLooked = 2048;
  ReadLog log;
  log.most = std::max(most, kLooked);
  log_reads(candidate, point, log);
  return of_every_input(log.reads, most);
}

std::optional<std::vector<InputRead>> SafetyRun::all_reads(const Candidate& candidate, std::size_t point,
                                                           std::size_t most) {
  ReadLog log;
  log.most = most;
  log_reads(candidate, point, log);
  return log.has_more ? std::nullopt : std::optional(std::move(log.reads));
}

bool SafetyRun::has_outcome(const Code& code, const std::vector<BoundArithmetic::Sides>& sides, std::uint32_t number,
                            bool outcome) const {
  const Node& node = code.nodes[number];
  if (node.op == Op::logic) {
    const bool left = has_outcome(code, sides, node.first, outcome);
    const bool right = has_outcome(code, sides, node.second, outcome);
    return (node.logic == LogicOp::conjunction) == outcome ? left && right : left || right;
  }
  if (node.op != Op::compare_reals && !is_extremum_node(node)) return true;
  const BoundArithmetic::Sides& seen = sides[number];
  const CompareOp op = node.op == Op::compare_reals ? node.comparison : CompareOp::greater;
  return seen.is_seen && outcome_of(op, seen.left, seen.right) == outcome;
}

void SafetyRun::note_outcomes(SafetyMeasure& measure) {
  for (Condition& condition : conditions_) {
    const Code& code = condition.is_after ? after_ : before_;
    const auto& sides = sides_[condition.is_after ? 1 : 0];
    for (const bool outcome : {false, true}) {
      if (!has_outcome(code, sides, condition.node, outcome)) continue;
      ++condition.seen[outcome ? 1 : 0];
      if (condition.is_after) measure.is_same = false;
    }
  }
}

SafetyMeasure SafetyRun::measure(const Candidate& candidate, const std::vector<std::size_t>& which,
                                 bool tracks_inputs) {
  current_ = tracks_inputs ? &tracking_ : &arithmetic_;
  current_->reset();
  const std::uint64_t operations = budget_.operations;
  SafetyMeasure out;
  const CandidateInputs inputs(model_, candidate, range_);
  const InputSource source(model_, Draw{DrawKind::generic, 0, 0, 0, -1, nullptr, &inputs});
  for (auto& sides : sides_) std::fill(sides.begin(), sides.end(), BoundArithmetic::Sides{});
  BoundMachine old_machine(before_, *current_, source, budget_);
  std::vector<Old> old;
  current_->watch_comparisons(&sides_[0]);
  current_->set_first(true);
  if (run_before(old_machine, which, old, out)) {
    out.badness = std::max(out.badness, badness_of(current_->events()));
  }
  if (!out.is_finished) return out;
  // The conditions of `after` are wanted even where the input is not a good one.
  const bool is_hopeless = out.badness > 0 && conditions_.empty();
  if (is_hopeless) return out;
  current_->restart();
  current_->set_first(false);
  current_->watch_comparisons(&sides_[1]);
  // What both programs have is computed once, with one error.
  BoundMachine new_machine(after_, old_machine, shared_.all);
  run_after(new_machine, which, old, out);
  note_outcomes(out);
  out.after = current_->events();
  out.path = combine(combine(old_machine.path(), new_machine.path()), operations - budget_.operations);
  return out;
}

bool SafetyRun::run_before(BoundMachine& machine, const std::vector<std::size_t>& which, std::vector<Old>& found,
                           SafetyMeasure& measure) {
  for (const std::size_t number : which) {
    const OutputPoint& point = points[number];
    current_->converted.is_set = false;
    current_->decisions().forget();
    const auto answer = machine.output(before_.tensor_numbers.at(point.output), point.element);
    if (!answer) {
      const bool limit = is_limit(answer.error().kind);
      measure.is_finished = !limit;
      measure.unfinished_because = limit ? answer.error().message : std::string();
      measure.badness = kGreat;
      found.resize(which.size());
      return false;
    }
    found.push_back({answer->real, current_->converted, answer->is_real});
    if (is_in_doubt(before_, point)) measure.badness = std::max(measure.badness, 1.0);
  }
  return true;
}

void SafetyRun::run_after(BoundMachine& machine, const std::vector<std::size_t>& which, const std::vector<Old>& old,
                          SafetyMeasure& measure) {
  for (std::size_t i = 0; i < which.size(); ++i) {
    const OutputPoint& point = points[which[i]];
    const std::uint32_t tensor = after_.tensor_numbers.at(point.output);
    current_->converted.is_set = false;
    current_->decisions().forget();
    const auto answer = machine.output(tensor, point.element);
    if (!answer) {
      const bool limit = is_limit(answer.error().kind);
      measure.is_finished = measure.is_finished && !limit;
      if (limit) measure.unfinished_because = answer.error().message;
      measure.has_no_value = measure.has_no_value || !limit;
      if (!limit && !measure.event) measure.event = which[i];
      return;
    }
    if (which[i] < first_guide && is_in_doubt(after_, point)) measure.is_open = true;
    measure.after = current_->events();
    if (!measure.event && measure.has_event()) measure.event = which[i];
    const BoundArithmetic::Value& real = answer->real;
    if (!answer->is_real || real.node != old[i].value.node || real.error != old[i].value.error) measure.is_same = false;
    if (answer->is_real) {
      compare(which[i], after_.tensors[tensor].dtype, old[i].value, real, measure);
    } else if (old[i].converted.is_set && current_->converted.is_set) {
      const BoundArithmetic::Value& value = old[i].converted.value;
      const BoundArithmetic::Value& other = current_->converted.value;
      // Only where both convert one value do the bounds speak of the same.
      if (value.value == other.value || std::fabs(value.value - other.value) <= std::fabs(value.value) * 0x1p-50) {
        compare(which[i], value.type, value, other, measure);
      }
    }
  }
}

bool SafetyRun::is_in_doubt(const Code& code, const OutputPoint& point) const {
  if (!current_->decisions().is_unsure()) return false;
  if (!current_->converted.is_set || !current_->converted.is_only_doubt) return true;
  // One writer, which converts: then the conversion was the last thing done.
  const TensorCode& tensor = code.tensors[code.tensor_numbers.at(point.output)];
  return !std::all_of(tensor.writers.begin(), tensor.writers.end(), [&](std::uint32_t writer) {
    const Node& node = code.nodes[code.statements[writer].right];
    // Of a bool the conversion decides all there is.
    return node.op == Op::integer_of_real && node.dtype != DType::boolean;
  });
}

void SafetyRun::compare(std::size_t point, DType dtype, const BoundArithmetic::Value& before,
                        const BoundArithmetic::Value& after, SafetyMeasure& measure) {
  if (!std::isfinite(before.value) || !is_float(dtype)) return;
  ErrorTape::Bound old_bound = current_->bound_of(before);
  ErrorTape::Bound new_bound = current_->bound_of(after);
  old_bound.of_roundings += old_bound.of_zeros;
  // Slopes that cancel do so up to the last bits of the numbers they are kept in; what is left of them is no loss.
  if (std::isfinite(before.error)) old_bound.of_roundings += before.error * kSlopeNoise;
  if (std::isfinite(after.error) && new_bound.of_roundings < after.error * kSlopeNoise) new_bound.of_roundings = 0;
  const Number unit = unit_of(dtype, before.value);
  // On the way to an output a unit counts as often as what follows makes of it: next to nothing is allowed there, which
  // still tells a loss of many units from that of one where `before` is exact.
  const Number slack = points[point].output.starts_with('#') ? kNearlyNothing * unit : kUnits * unit;
  const double loss = bits_of(new_bound.of_roundings) - bits_of(kFactor * old_bound.of_roundings + slack);
  if (point >= first_guide) {
    measure.guide = std::max(measure.guide, loss);
    return;
  }
  const Number stable = std::max(old_bound.of_roundings, old_bound.of_inputs);
  const double instability = bits_of(new_bound.of_roundings) - bits_of(kFactor * stable + slack);
  measure.instability = std::max(measure.instability, instability);
  if (loss <= measure.loss) return;
  measure.loss = loss;
  measure.point = point;
  measure.before_units = static_cast<double>(old_bound.of_roundings / unit);
  measure.after_units = static_cast<double>(new_bound.of_roundings / unit);
}

}  // namespace steptp::certify
