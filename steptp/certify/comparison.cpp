// One element of both programs at one draw. Both are evaluated in one prime field; equal residues decide, and different
// ones do where no function was used. Otherwise balls decide, with more digits each time until the values are apart, or
// agree on so many bits that they are called equal. A prime by which a divisor vanishes is replaced by another.
// docs/decisions/0010-certified-evaluation.md.
#include "steptp/certify/comparison.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "steptp/base/hash.h"
#include "steptp/base/text.h"

namespace steptp::certify {

namespace {

PointAnswer answer_of(PointAnswer::Kind kind, std::string reason = {}) {
  PointAnswer answer;
  answer.kind = kind;
  answer.reason = std::move(reason);
  return answer;
}

void merge(std::vector<std::uint8_t>& into, const std::vector<std::uint8_t>& from) {
  into.resize(std::max(into.size(), from.size()));
  for (std::size_t i = 0; i < from.size(); ++i) into[i] |= from[i];
}

/// What a failure to evaluate means for the comparison.
PointAnswer of_failure(const Failure& failure, bool in_before) {
  const std::string reason = concat(in_before ? "before: " : "after: ", failure.message);
  if (failure.kind == FailureKind::undefined_value) {
    PointAnswer answer = answer_of(in_before ? PointAnswer::Kind::not_counted : PointAnswer::Kind::undefined, reason);
    answer.after = "undefined";
    answer.has_no_value = in_before;
    return answer;
  }
  return answer_of(PointAnswer::Kind::undecided, reason);
}

/// Decides by class alone where it can; false where both values are finite. An infinity is a value that `after` must
/// have too; that it does is no evidence worth counting.
bool decided_by_class(ValueClass before, ValueClass after, PointAnswer& answer) {
  if (before == ValueClass::nan || (before == after && before != ValueClass::finite)) {
    answer = answer_of(PointAnswer::Kind::not_counted, "before is not finite");
    return true;
  }
  if (before != ValueClass::finite) {
    answer = answer_of(PointAnswer::Kind::undefined, "after is not the infinity that before is");
    return true;
  }
  if (after != ValueClass::finite) {
    answer = answer_of(PointAnswer::Kind::undefined, "after is not finite where before is");
    return true;
  }
  return false;
}

PointAnswer of_integers(std::int64_t before, std::int64_t after) {
  PointAnswer answer = answer_of(before == after ? PointAnswer::Kind::equal : PointAnswer::Kind::differs);
  answer.by_field = true;
  answer.is_integer = true;
  answer.before = std::to_string(before);
  answer.after = std::to_string(after);
  return answer;
}

/// 1.500 is 1.5.
std::string without_zeros(std::string decimal) {
  if (decimal.find('.') == std::string::npos || decimal.find('e') != std::string::npos) return decimal;
  decimal.erase(decimal.find_last_not_of('0') + 1);
  if (decimal.back() == '.') decimal.pop_back();
  return decimal;
}

double degree(const FieldArithmetic::Value& value) {
  return static_cast<double>(value.numerator) + static_cast<double>(value.denominator);
}

}  // namespace

Comparison::Comparison(const Pair& pair, const InputModel& model, const Draw& draw, const CertifyOptions& options,
                       Budget& budget, Share share)
    : pair_(pair),
      source_(model, draw),
      options_(options),
      budget_(budget),
      same_as_(share == Share::all ? pair.sharing.all : pair.sharing.plain),
      prime_seed_(combine(combine(pair.hash, draw.seed), static_cast<Hash>(draw.kind))) {
  make_field();
}

void Comparison::make_field() {
  if (field_) {
    merge(seen_before_, field_->before.outcomes());
    merge(seen_after_, field_->after.outcomes());
  }
  field_ = std::make_unique<FieldMachines>(pair_, same_as_, source_, budget_, prime_seed_);
}

Comparison::BallMachines& Comparison::balls(std::int64_t precision) {
  std::unique_ptr<BallMachines>& machines = balls_[precision];
  if (!machines) machines = std::make_unique<BallMachines>(pair_, same_as_, source_, budget_, prime_seed_, precision);
  return *machines;
}

PointAnswer Comparison::at(const OutputPoint& point) {
  PointAnswer answer = decided_at(point);
  if (answer.kind == PointAnswer::Kind::differs && answer.before == answer.after) tell_apart(point, answer);
  return answer;
}

void Comparison::tell_apart(const OutputPoint& point, PointAnswer& answer) {
  const auto tensor = pair_.before.tensor_numbers.find(point.output)->second;
  const auto other_tensor = pair_.after.tensor_numbers.find(point.output)->second;
  for (std::int64_t precision = options_.first_precision; precision <= options_.greatest_precision; precision *= 2) {
    BallMachines& machines = balls(precision);
    const auto before = machines.before.output(tensor, point.element);
    const auto after = before ? machines.after.output(other_tensor, point.element) : before;
    if (!before || !after || !before->is_real || !after->is_real) continue;
    constexpr std::int64_t kBitsOfDigit = 4;
    for (std::int64_t digits = 20; digits <= precision / kBitsOfDigit; digits += 20) {
      answer.before = without_zeros(machines.arithmetic.text(before->real, digits));
      answer.after = without_zeros(machines.arithmetic.text(after->real, digits));
      if (answer.before != answer.after) return;
    }
  }
}

PointAnswer Comparison::decided_at(const OutputPoint& point) {
  constexpr int kPrimes = 4;
  for (int attempt = 0; attempt < kPrimes; ++attempt) {
    bool needs_balls = false;
    bool needs_prime = false;
    PointAnswer answer = in_field(point, needs_balls, needs_prime);
    if (needs_balls) return in_balls(point);
    if (!needs_prime) return answer;
    prime_seed_ = mix(prime_seed_);
    make_field();
  }
  return answer_of(PointAnswer::Kind::undecided, "a divisor is zero modulo every prime that was tried");
}

PointAnswer Comparison::quickly_at(const OutputPoint& point) {
  bool needs_balls = false;
  bool needs_prime = false;
  PointAnswer answer = in_field(point, needs_balls, needs_prime);
  if (needs_balls || needs_prime) return answer_of(PointAnswer::Kind::undecided);
  return answer;
}

PointAnswer Comparison::in_field(const OutputPoint& point, bool& needs_balls, bool& needs_prime) {
  const auto evaluate = [&](Machine<FieldArithmetic>& machine, const Code& code) {
    return machine.output(code.tensor_numbers.find(point.output)->second, point.element);
  };
  const auto before = evaluate(field_->before, pair_.before);
  const auto after = before ? evaluate(field_->after, pair_.after) : before;
  if (!before || !after) {
    const Failure& failure = before ? after.error() : before.error();
    needs_balls = failure.kind == FailureKind::needs_balls;
    needs_prime = failure.kind == FailureKind::unlucky_prime;
    if (before && before->is_real && FieldArithmetic::class_of(before->real) == ValueClass::nan) {
      return answer_of(PointAnswer::Kind::not_counted, "before is not finite");
    }
    PointAnswer answer = of_failure(failure, !before);
    if (before && before->is_real) answer.before = field_->arithmetic.text(before->real);
    return answer;
  }
  if (!before->is_real) return of_integers(before->integer, after->integer);
  PointAnswer answer;
  if (decided_by_class(FieldArithmetic::class_of(before->real), FieldArithmetic::class_of(after->real), answer)) {
    answer.before = field_->arithmetic.text(before->real);
    answer.after = field_->arithmetic.text(after->real);
    return answer;
  }
  const FieldArithmetic::Value& a = before->real;
  const FieldArithmetic::Value& b = after->real;
  const bool apart = a.high < b.low || b.high < a.low;
  const bool has_functions = field_->arithmetic.used_functions();
  answer.by_field = true;
  answer.before = field_->arithmetic.text(a);
  answer.after = field_->arithmetic.text(b);
  if (apart || (a.residue != b.residue && !has_functions)) {
    answer.kind = PointAnswer::Kind::differs;
    return answer;
  }
  if (a.residue != b.residue) {
    needs_balls = true;
    return answer;
  }
  // Schwartz and Zippel over inputs of 53 bits; two arguments of functions that are different but have one residue
  // would be taken for one.
  const auto calls = static_cast<double>(field_->arithmetic.function_count());
  const double argument = field_->arithmetic.argument_degree();
  answer.kind = PointAnswer::Kind::equal;
  const PrimeField& field = field_->arithmetic.field();
  answer.prime = field.prime();
  answer.before_residue = field.number(a.residue);
  answer.after_residue = field.number(b.residue);
  answer.bound_log2 = std::min(0.0, std::log2(degree(a) + degree(b) + 1 + calls * calls * argument) - 53);
  return answer;
}

PointAnswer Comparison::in_balls(const OutputPoint& point) {
  PointAnswer answer;
  // Special draws, such as huge values under an exp, are not worth the highest precisions.
  const std::int64_t greatest = source_.draw().kind == DrawKind::generic
                                    ? options_.greatest_precision
                                    : std::min(options_.greatest_precision, 4 * options_.first_precision);
  for (std::int64_t precision = options_.first_precision;; precision = std::min(2 * precision, greatest)) {
    bool needs_precision = false;
    answer = in_balls_of(precision, point, needs_precision);
    if (!needs_precision) return answer;
    if (precision >= greatest) break;
  }
  answer.kind = PointAnswer::Kind::undecided;
  answer.lacks_precision = true;
  answer.reason = concat("balls of ", greatest, " bits do not decide: ", answer.reason);
  return answer;
}

PointAnswer Comparison::in_balls_of(std::int64_t precision, const OutputPoint& point, bool& needs_precision) {
  BallMachines& machines = balls(precision);
  const auto evaluate = [&](Machine<BallArithmetic>& machine, const Code& code) {
    return machine.output(code.tensor_numbers.find(point.output)->second, point.element);
  };
  const auto before = evaluate(machines.before, pair_.before);
  const auto after = before ? evaluate(machines.after, pair_.after) : before;
  if (!before || !after) {
    const Failure& failure = before ? after.error() : before.error();
    needs_precision = failure.kind == FailureKind::needs_precision;
    if (before && before->is_real && before->real.value_class == ValueClass::nan) {
      return answer_of(PointAnswer::Kind::not_counted, "before is not finite");
    }
    PointAnswer answer = of_failure(failure, !before);
    if (before && before->is_real) answer.before = machines.arithmetic.text(before->real);
    return answer;
  }
  if (!before->is_real) return of_integers(before->integer, after->integer);
  PointAnswer answer;
  const bool is_decided = decided_by_class(before->real.value_class, after->real.value_class, answer);
  answer.before = machines.arithmetic.text(before->real);
  answer.after = machines.arithmetic.text(after->real);
  if (is_decided) {
    answer.before = without_zeros(answer.before);
    answer.after = without_zeros(answer.after);
    return answer;
  }
  if (arb_overlaps(before->real.ball, after->real.ball) == 0) {
    answer.kind = PointAnswer::Kind::differs;
    return answer;
  }
  const std::int64_t bits = std::min(arb_rel_accuracy_bits(before->real.ball), arb_rel_accuracy_bits(after->real.ball));
  answer.agree_bits = std::min(bits, precision);
  answer.kind = PointAnswer::Kind::equal;
  if (before->real.identity == after->real.identity) {
    // The same expression of the same function values: no precision could tell them apart.
    answer.agree_bits = std::max(answer.agree_bits, options_.agree_bits);
    return answer;
  }
  const std::int64_t wanted = machines.arithmetic.wanted_precision();
  needs_precision = bits < options_.agree_bits || wanted > precision;
  if (needs_precision) answer.reason = wanted > precision ? "a summand vanishes beside its sum" : "the balls are wide";
  return answer;
}

void Comparison::collect_outcomes(std::vector<std::uint8_t>& before, std::vector<std::uint8_t>& after) const {
  merge(before, seen_before_);
  merge(after, seen_after_);
  merge(before, field_->before.outcomes());
  merge(after, field_->after.outcomes());
  for (const auto& [precision, machines] : balls_) {
    merge(before, machines->before.outcomes());
    merge(after, machines->after.outcomes());
  }
}

std::optional<std::uint64_t> Comparison::path(const Code& code, const InputModel& model, const Draw& draw,
                                              const OutputPoint& point, Budget& budget) {
  const InputSource source(model, draw);
  FieldArithmetic arithmetic(draw.seed);
  Machine<FieldArithmetic> machine(code, arithmetic, source, budget);
  if (!machine.output(code.tensor_numbers.find(point.output)->second, point.element)) return std::nullopt;
  return machine.path();
}

std::optional<Traced> Comparison::trace(const Code& code, const InputModel& model, const Draw& draw,
                                        const OutputPoint& point, const CertifyOptions& options, Budget& budget,
                                        ReadLog* log) {
  InputSource source(model, draw);
  if (log) source.watch(log);
  const std::uint32_t tensor = code.tensor_numbers.find(point.output)->second;
  Traced traced;
  const auto runs = [&](auto arithmetic) {
    Trace& steps = traced.steps;
    steps.clear();
    traced.prime = arithmetic.field().prime();
    Machine<decltype(arithmetic)> machine(code, arithmetic, source, budget);
    machine.trace(&steps);
    return static_cast<bool>(machine.output(tensor, point.element));
  };
  // Both programs by one prime, so that the same difference has one identity.
  if (runs(FieldArithmetic(draw.seed)) || runs(BallArithmetic(draw.seed, options.first_precision))) return traced;
  return std::nullopt;
}

bool Comparison::converts_alike() const {
  // Where balls had to decide, they have evaluated everything that the field left.
  for (const auto& [precision, machines] : balls_) {
    if (machines->before.converted() != machines->after.converted()) return false;
  }
  return !balls_.empty() || field_->before.converted() == field_->after.converted();
}

std::vector<std::pair<std::string, std::string>> Comparison::inputs_of(const OutputPoint& point) {
  constexpr std::size_t kMost = 16;
  ReadLog log;
  log.most = kMost;
  InputSource watched(source_.model(), source_.draw());
  watched.watch(&log);
  BallArithmetic arithmetic(prime_seed_, options_.first_precision);
  // The first reads are found long before an expensive element is.
  constexpr std::uint64_t kOperations = 20'000;
  Budget budget{kOperations, options_.budget_bytes};
  Machine<BallArithmetic> machine(pair_.before, arithmetic, watched, budget);
  // Whatever comes out: the values that were read are what is wanted.
  static_cast<void>(machine.output(pair_.before.tensor_numbers.find(point.output)->second, point.element));
  std::vector<std::pair<std::string, std::string>> out;
  for (const InputRead& read : log.reads) {
    const Variable& variable = *source_.model().inputs[read.input].variable;
    const std::string place = concat(
        variable.name, "[",
        join(index_at(variable, read.position), ",", [](std::int64_t subscript) { return std::to_string(subscript); }),
        "]");
    out.emplace_back(place, to_text(read.value));
  }
  return out;
}

std::optional<GivenInputs> Comparison::given_inputs(const OutputPoint& point, std::size_t most) {
  ReadLog log;
  log.most = most;
  InputSource watched(source_.model(), source_.draw());
  watched.watch(&log);
  // An element that costs more is not simplified (simplify.cpp), so a list of what it reads is of no use.
  constexpr std::uint64_t kOperations = 2'000'000;
  Budget budget{std::min(budget_.operations, kOperations), options_.budget_bytes, &log.has_more};
  // A precision at which nothing fails that did not fail before; values that were read are what is wanted.
  for (const Code* code : {&pair_.before, &pair_.after}) {
    BallArithmetic arithmetic(prime_seed_, 4 * options_.first_precision);
    Machine<BallArithmetic> machine(*code, arithmetic, watched, budget);
    const auto answer = machine.output(code->tensor_numbers.find(point.output)->second, point.element);
    if (log.has_more || (!answer && answer.error().kind != FailureKind::undefined_value)) return std::nullopt;
  }
  GivenInputs out;
  for (const InputRead& read : log.reads) {
    const Variable& variable = *source_.model().inputs[read.input].variable;
    out.elements[{variable.name, index_at(variable, read.position)}] = read.value;
  }
  return out;
}

}  // namespace steptp::certify
