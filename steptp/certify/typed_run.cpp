#include "steptp/certify/typed_run.h"

#include <cmath>
#include <utility>

#include "steptp/arithmetic/open_decisions.h"
#include "steptp/arithmetic/ordered_arithmetic.h"
#include "steptp/arithmetic/rounded_arithmetic.h"
#include "steptp/base/random.h"
#include "steptp/certify/inputs.h"
#include "steptp/machine/machine.h"

namespace steptp::certify {

struct DrawnInputs::Parts {
  Parts(const Program& program, std::uint64_t seed)
      : model(model_inputs(program, program)), source(model, {DrawKind::generic, mix(seed)}) {}
  InputModel model;
  InputSource source;
};

DrawnInputs::DrawnInputs(const Program& program, std::uint64_t seed)
    : parts_(std::make_unique<const Parts>(program, seed)) {}
DrawnInputs::~DrawnInputs() = default;

const std::string& DrawnInputs::problem() const { return parts_->model.problem; }
std::size_t DrawnInputs::count() const { return parts_->model.inputs.size(); }
const Variable& DrawnInputs::variable(std::size_t input) const { return *parts_->model.inputs[input].variable; }
double DrawnInputs::real(std::size_t input, std::int64_t position) const {
  return to_double(parts_->source.real(input, position));
}
std::int64_t DrawnInputs::integer(std::size_t input, std::int64_t position) const {
  return parts_->source.integer(input, position);
}

/// A machine that keeps what elements share. Its decisions are looked at element by element; that some bound covers two
/// outcomes counts for all that follow, which may be made of it.
template <typename Arithmetic>
struct TypedRun::Evaluator {
  Evaluator(Arithmetic made, const Code& code, const InputValues& inputs, std::uint64_t bytes)
      : arithmetic(std::move(made)), budget{0, bytes, nullptr}, machine(code, arithmetic, inputs, budget) {}

  Element at(std::uint32_t tensor, const std::vector<std::int64_t>& element, std::uint64_t& operations) {
    OpenDecisions::Watch watch(arithmetic.decisions());
    budget.operations = operations;
    const auto answer = machine.output(tensor, element);
    operations = budget.operations;
    Element out;
    out.is_open = watch.take_open();
    out.is_covered = arithmetic.decisions().has_covered();
    if (!answer) {
      out.failure = answer.error();
      return out;
    }
    out.is_real = answer->is_real;
    out.integer = answer->integer;
    if (out.is_real) take(answer->real, out);
    return out;
  }

  static void take(const RoundedArithmetic::Value& real, Element& out) {
    out.value = real.value;
    out.error = real.error;
  }
  static void take(const OrderedArithmetic::Value& real, Element& out) {
    out.value = real.value;
    out.low = real.low;
    out.high = real.high;
  }

  Arithmetic arithmetic;
  Budget budget;
  Machine<Arithmetic> machine;
};

struct TypedRun::Evaluators {
  std::optional<Evaluator<RoundedArithmetic>> in_any_order;
  std::optional<Evaluator<OrderedArithmetic>> in_order;
};

TypedRun::TypedRun(const Program& program, const Program& drawn, std::uint64_t seed, std::uint64_t budget_bytes)
    : inputs_(drawn, seed),
      code_(compile(program)),
      budget_bytes_(budget_bytes),
      evaluators_(std::make_unique<Evaluators>()) {}
TypedRun::~TypedRun() = default;

namespace {

void add_unit(const Code& code, std::uint32_t tensor, TypedRun::Element& element) {
  if (element.is_real && std::isfinite(element.value)) {
    element.unit = unit_in_last_place(code.tensors[tensor].dtype, element.value);
  }
}

}  // namespace

TypedRun::Element TypedRun::in_any_order(const std::string& output, const std::vector<std::int64_t>& element,
                                         std::uint64_t& operations) {
  auto& evaluator = evaluators_->in_any_order;
  if (!evaluator) evaluator.emplace(RoundedArithmetic(Outcomes::both), code_, inputs_.parts_->source, budget_bytes_);
  const std::uint32_t tensor = code_.tensor_numbers.at(output);
  Element out = evaluator->at(tensor, element, operations);
  add_unit(code_, tensor, out);
  return out;
}

TypedRun::Element TypedRun::in_order(const std::string& output, const std::vector<std::int64_t>& element,
                                     std::uint64_t& operations) {
  auto& evaluator = evaluators_->in_order;
  if (!evaluator) {
    evaluator.emplace(OrderedArithmetic(), code_, inputs_.parts_->source, budget_bytes_);
    evaluator->machine.follow_threads(folds_);
  }
  const std::uint32_t tensor = code_.tensor_numbers.at(output);
  Element out = evaluator->at(tensor, element, operations);
  add_unit(code_, tensor, out);
  return out;
}

}  // namespace steptp::certify
