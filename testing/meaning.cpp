#include "testing/meaning.h"

#include <algorithm>
#include <cmath>

#include "testing/deep_stack.h"

namespace steptp::testing {

namespace {

using Kind = Meant::Kind;

/// Later than every execution.
const Stamp kEnd = {INT64_MAX};

std::size_t hidden_axes(Scope scope) { return scope == Scope::global ? 0 : scope == Scope::shared ? 3 : kAxes; }

bool in_shape(const std::vector<std::int64_t>& subscripts, const std::vector<std::int64_t>& shape) {
  for (std::size_t i = 0; i < subscripts.size(); ++i) {
    if (subscripts[i] < 0 || subscripts[i] >= shape[i]) return false;
  }
  return true;
}

std::int64_t position_of(const std::vector<std::int64_t>& subscripts, const std::vector<std::int64_t>& shape) {
  std::int64_t position = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) position = position * shape[i] + subscripts[i];
  return position;
}

}  // namespace

std::size_t InstanceHash::operator()(const Instance& instance) const {
  Hash hash = mix(instance.statement);
  for (const std::int64_t entry : instance.stamp) hash = combine(hash, static_cast<Hash>(entry));
  return hash;
}

std::vector<std::int64_t> subscripts_at(const std::vector<std::int64_t>& shape, std::int64_t position) {
  std::vector<std::int64_t> out(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    out[i] = position % shape[i];
    position /= shape[i];
  }
  return out;
}

Meaning::Meaning(const Program& program, const MeaningInputs& inputs, Reals& reals, std::uint64_t steps)
    : program_(program), inputs_(inputs), arithmetic_(reals), steps_left_(steps) {}

void Meaning::count_step() {
  if (steps_left_-- == 0) {
    steps_left_ = 0;
    throw OutOfSteps{};
  }
}

Meant Meaning::element(const std::string& output, const std::vector<std::int64_t>& subscripts) {
  Meant out = MeantArithmetic::unknown();
  on_deep_stack([&] {
    try {
      const MeaningTensor* tensor = program_.tensor(output);
      Wanted element;
      element.tensor = tensor;
      element.subscripts = subscripts;
      if (has_stray(*tensor, kEnd)) {
        out = MeantArithmetic::none();
        return;
      }
      const auto writer = last_writer(element, kEnd);
      out = writer ? value(*writer) : MeantArithmetic::none();
    } catch (const OutOfSteps&) {
    } catch (const CannotTell&) {
    }
  });
  return out;
}

Meant Meaning::expression_at(const Instance& instance, const ExprPtr& expr) {
  Meant out = MeantArithmetic::unknown();
  on_deep_stack([&] {
    try {
      out = evaluate(*expr, instance);
    } catch (const OutOfSteps&) {
    } catch (const CannotTell&) {
    }
  });
  return out;
}

std::optional<std::vector<std::int64_t>> Meaning::subscripts_at(const Instance& instance, const Ref& ref) {
  try {
    return subscripts_of(ref, instance);
  } catch (const OutOfSteps&) {
  } catch (const CannotTell&) {
  }
  return std::nullopt;
}

std::vector<Instance> Meaning::executed() const {
  std::vector<Instance> out;
  for (const auto& [instance, value] : values_) out.push_back(instance);
  std::sort(out.begin(), out.end(), [](const Instance& a, const Instance& b) { return a.stamp < b.stamp; });
  return out;
}

/// What the same element held before is found first, so that a long sum is not a deep recursion.
Meant Meaning::value(const Instance& instance) {
  if (const auto at = values_.find(instance); at != values_.end()) return at->second;
  std::vector<Instance> chain = {instance};
  while (statement_of(chain.back()).accumulates) {
    const Instance& last = chain.back();
    const Ref& left = *statement_of(last).equation->left;
    const auto subscripts = subscripts_of(left, last);
    if (!subscripts) break;
    auto earlier = last_writer(wanted(left, *subscripts, last), last.stamp);
    if (!earlier || values_.contains(*earlier)) break;
    chain.push_back(std::move(*earlier));
  }
  for (std::size_t i = chain.size(); i-- > 0;) {
    const Meant computed = compute(chain[i]);
    values_.emplace(chain[i], computed);
  }
  return values_.at(instance);
}

Meant Meaning::compute(const Instance& instance) {
  count_step();
  const Equation& equation = *statement_of(instance).equation;
  return evaluate_as(*equation.right, equation.left->dtype, instance);
}

Meant Meaning::evaluate_as(const Expr& expr, DType dtype, const Instance& at) {
  const auto type = program_.type_of(expr);
  return type ? arithmetic_.convert(evaluate(expr, at), type->dtype, dtype) : MeantArithmetic::unknown();
}

Meant Meaning::evaluate(const Expr& expr, const Instance& at) {
  const auto type = program_.type_of(expr);
  if (!type) return MeantArithmetic::unknown();
  if (const auto* literal = std::get_if<Literal>(&expr.node)) {
    if (literal->is_integer) return arithmetic_.number(mpq_class(static_cast<long>(literal->integer)));
    return std::isinf(literal->real) ? MeantArithmetic::infinity(literal->real > 0)
                                     : arithmetic_.number(exact_decimal(literal->real));
  }
  if (std::holds_alternative<Infinity>(expr.node)) return MeantArithmetic::infinity(true);
  if (const auto* index = std::get_if<IndexValue>(&expr.node)) {
    return arithmetic_.number(mpq_class(static_cast<long>(at.stamp[statement_of(at).loops.at(index->index)])));
  }
  if (const auto* node = std::get_if<Read>(&expr.node)) return read(*node->ref, at);
  if (const auto* sum = std::get_if<Sum>(&expr.node)) return evaluate_chain(sum->operands, sum->operators, at);
  if (const auto* product = std::get_if<Product>(&expr.node)) {
    return evaluate_chain(product->operands, product->operators, at);
  }
  if (const auto* power = std::get_if<Power>(&expr.node)) return evaluate_power(*power, expr, at);
  if (const auto* extremum = std::get_if<Extremum>(&expr.node)) {
    return arithmetic_.binary(extremum->is_max ? ArithmeticOp::max : ArithmeticOp::min, type->dtype,
                              evaluate_as(*extremum->left, type->dtype, at),
                              evaluate_as(*extremum->right, type->dtype, at));
  }
  if (const auto* call = std::get_if<Call>(&expr.node)) {
    return arithmetic_.unary(call->function, type->dtype, evaluate_as(*call->argument, type->dtype, at));
  }
  if (const auto* choice = std::get_if<Select>(&expr.node)) {
    const Meant condition = evaluate(*choice->condition, at);
    if (condition.kind == Kind::none) return condition;
    const auto taken = arithmetic_.is_true(condition);
    if (!taken) return MeantArithmetic::unknown();
    return evaluate_as(*taken ? *choice->if_true : *choice->if_false, type->dtype, at);
  }
  if (const auto* compare = std::get_if<Compare>(&expr.node)) return evaluate_compare(*compare, at);
  return evaluate_logic(std::get<Logic>(expr.node), at);
}

Meant Meaning::evaluate_chain(const std::vector<ExprPtr>& operands, const std::vector<ArithmeticOp>& operators,
                              const Instance& at) {
  Meant left = evaluate(*operands[0], at);
  auto type = program_.type_of(*operands[0]);
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const auto right_type = program_.type_of(*operands[i + 1]);
    const auto next = binary_type(operators[i], *type, *right_type);
    const Meant right = evaluate_as(*operands[i + 1], next->dtype, at);
    left = arithmetic_.binary(operators[i], next->dtype, arithmetic_.convert(left, type->dtype, next->dtype), right);
    type = next;
  }
  return left;
}

Meant Meaning::evaluate_power(const Power& power, const Expr& expr, const Instance& at) {
  const DType dtype = program_.type_of(expr)->dtype;
  const auto natural = natural_literal(*power.exponent);
  const Meant base = evaluate_as(*power.base, dtype, at);
  if (is_integer_power(*program_.type_of(*power.base), natural.has_value())) {
    return arithmetic_.integer_power(dtype, base, *natural);
  }
  return arithmetic_.binary(ArithmeticOp::power, dtype, base, evaluate_as(*power.exponent, dtype, at));
}

/// A chain is a conjunction, and all its operands are evaluated.
Meant Meaning::evaluate_compare(const Compare& compare, const Instance& at) {
  Meant all = arithmetic_.number(1);
  for (std::size_t i = 0; i < compare.operators.size(); ++i) {
    const Expr& left = *compare.operands[i];
    const Expr& right = *compare.operands[i + 1];
    const auto dtype = comparison_dtype(*program_.type_of(left), *program_.type_of(right));
    if (!dtype) return MeantArithmetic::unknown();
    const Meant one =
        arithmetic_.compare(compare.operators[i], evaluate_as(left, *dtype, at), evaluate_as(right, *dtype, at));
    all = arithmetic_.binary(ArithmeticOp::multiply, DType::boolean, all, one);
  }
  return all;
}

Meant Meaning::evaluate_logic(const Logic& logic, const Instance& at) {
  const bool conjunction = logic.op == LogicOp::conjunction;
  Meant all = arithmetic_.number(conjunction ? 1 : 0);
  for (const ExprPtr& operand : logic.operands) {
    const Meant one = evaluate_as(*operand, DType::boolean, at);
    all = arithmetic_.binary(conjunction ? ArithmeticOp::multiply : ArithmeticOp::add, DType::boolean, all, one);
  }
  return all;
}

Meant Meaning::read(const Ref& ref, const Instance& at) {
  count_step();
  const MeaningTensor& tensor = *program_.tensor(ref.tensor);
  const auto subscripts = subscripts_of(ref, at);
  if (!subscripts) return MeantArithmetic::none();
  if (tensor.known && tensor.known->role != Role::output) return read_input(*tensor.known, *subscripts);
  if (has_stray(tensor, at.stamp)) return MeantArithmetic::none();
  const auto writer = last_writer(wanted(ref, *subscripts, at), at.stamp);
  if (writer) return value(*writer);
  const MeaningStatement& statement = statement_of(at);
  const bool is_accumulator = statement.accumulates && equal(ref, *statement.equation->left);
  return is_accumulator ? arithmetic_.identity(*statement.accumulates, ref.dtype) : MeantArithmetic::none();
}

Meant Meaning::read_input(const Variable& variable, const std::vector<std::int64_t>& subscripts) {
  const InputNumber value = input_element(variable, position_of(subscripts, variable.shape), inputs_);
  if (!is_float(variable.dtype)) {
    return arithmetic_.convert(arithmetic_.number(mpq_class(static_cast<long>(value.integer))), DType::i64,
                               variable.dtype);
  }
  if (std::isnan(value.real)) return MeantArithmetic::nan();
  if (std::isinf(value.real)) return MeantArithmetic::infinity(value.real > 0);
  return arithmetic_.number(exact_double(value.real));
}

std::optional<std::vector<std::int64_t>> Meaning::subscripts_of(const Ref& ref, const Instance& at) {
  std::vector<std::int64_t> out;
  bool has_value = true;
  for (const Index& index : ref.subscripts) {
    const Subscript found = subscript(index, at);
    if (found.kind == Kind::unknown) throw CannotTell{};
    if (found.kind != Kind::number || found.value < INT64_MIN || found.value > INT64_MAX) has_value = false;
    out.push_back(static_cast<std::int64_t>(found.value));
  }
  const MeaningTensor& tensor = *program_.tensor(ref.tensor);
  if (!has_value || (tensor.known && !in_shape(out, tensor.known->shape))) return std::nullopt;
  return out;
}

Meaning::Subscript Meaning::subscript(const Index& index, const Instance& at) {
  Subscript out{Kind::number, index.constant_term()};
  for (const IndexTerm& term : index.terms()) {
    Wide product = term.coefficient;
    for (const IndexAtom& atom : term.factors) {
      const Subscript one = factor(atom, at);
      if (one.kind != Kind::number) return one;
      if (__builtin_mul_overflow(product, one.value, &product)) return {Kind::none, 0};
    }
    if (__builtin_add_overflow(out.value, product, &out.value)) return {Kind::none, 0};
  }
  return out;
}

Meaning::Subscript Meaning::factor(const IndexAtom& atom, const Instance& at) {
  if (const auto* variable = std::get_if<LoopVariable>(&atom)) {
    return {Kind::number, at.stamp[statement_of(at).loops.at(variable->name)]};
  }
  if (const auto* indirect = std::get_if<IndirectRead>(&atom)) {
    const Meant value = read(*indirect->ref, at);
    const auto whole = arithmetic_.integer(value);
    if (whole && whole->fits_slong_p()) return {Kind::number, whole->get_si()};
    return {value.kind == Kind::none ? Kind::none : Kind::unknown, 0};
  }
  const auto* quotient = std::get_if<FloorQuotient>(&atom);
  const auto* remainder = std::get_if<FloorRemainder>(&atom);
  const Subscript dividend = subscript(quotient ? *quotient->dividend : *remainder->dividend, at);
  const Subscript divisor = subscript(quotient ? *quotient->divisor : *remainder->divisor, at);
  if (dividend.kind != Kind::number) return dividend;
  if (divisor.kind != Kind::number) return divisor;
  if (divisor.value == 0) return {Kind::none, 0};
  Wide whole = dividend.value / divisor.value;
  Wide rest = dividend.value % divisor.value;
  if (rest != 0 && (rest < 0) != (divisor.value < 0)) {
    --whole;
    rest += divisor.value;
  }
  return {Kind::number, quotient ? whole : rest};
}

Meaning::Wanted Meaning::wanted(const Ref& ref, std::vector<std::int64_t> subscripts, const Instance& at) const {
  Wanted out;
  out.tensor = program_.tensor(ref.tensor);
  out.subscripts = std::move(subscripts);
  const MeaningStatement& statement = statement_of(at);
  for (std::size_t axis = 0; axis < hidden_axes(out.tensor->scope); ++axis) {
    out.position[axis] = statement.axes[axis] == kNoEntry ? 0 : at.stamp[statement.axes[axis]];
  }
  out.kernel = statement.kernel;
  out.launch.assign(at.stamp.begin(), at.stamp.begin() + static_cast<std::ptrdiff_t>(statement.launch));
  return out;
}

}  // namespace steptp::testing
