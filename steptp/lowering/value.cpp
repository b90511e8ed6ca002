// Gives every operation of a right side its type, by docs/language.md R7, and writes each conversion out, so that a
// back end spells one operation in one dtype at a time. Arithmetic on loop indices alone stays exact integer
// arithmetic. Decision 0022.
#include "steptp/lowering/value.h"

#include <cmath>
#include <limits>
#include <utility>

#include "steptp/analysis/interval.h"
#include "steptp/analysis/shared_layout.h"
#include "steptp/ir/accumulation.h"

namespace steptp::lowering {

namespace {

ValuePtr make(Value value) { return std::make_shared<const Value>(std::move(value)); }

ValuePtr real_value(DType dtype, double value) {
  Value out;
  out.kind = Value::Kind::real;
  out.dtype = dtype;
  out.real = value;
  return make(std::move(out));
}

/// A value with what is needed to type what it stands in.
struct Typed {
  ValuePtr value;  ///< null: no type
  ValueType type;
};

class Builder {
 public:
  explicit Builder(const std::optional<Flagged>& flagged, std::optional<WideProduct> wide = {})
      : flagged_(flagged), wide_(wide) {}

  Typed build(const Expr& expr) {
    if (auto exact = as_index(expr)) return *std::move(exact);
    return std::visit([this](const auto& node) { return visit(node); }, expr.node);
  }

  ValuePtr condition(const Expr& expr) {
    Typed made = build(expr);
    return made.value ? converted(made.value, DType::boolean) : nullptr;
  }

 private:
  /// An upper bound of the absolute value, and of every part that is computed on the way, where loops have fewer than
  /// 2^31 iterations; nothing where it could come near 64 bits, reads a tensor, or divides by what is no positive
  /// constant.
  static std::optional<Wide> bound_of(const Index& index) {
    constexpr Wide kLimit = static_cast<Wide>(1) << 60;
    constexpr Wide kIterations = static_cast<Wide>(1) << 31;
    struct Visitor {
      std::optional<Wide> operator()(const LoopVariable&) const { return kIterations; }
      std::optional<Wide> operator()(const FloorQuotient& node) const { return divided(*node.dividend, *node.divisor); }
      std::optional<Wide> operator()(const FloorRemainder& node) const {
        return divided(*node.dividend, *node.divisor) ? std::optional<Wide>(node.divisor->constant_term())
                                                      : std::nullopt;
      }
      std::optional<Wide> operator()(const IndirectRead&) const { return std::nullopt; }
      static std::optional<Wide> divided(const Index& dividend, const Index& divisor) {
        if (!divisor.is_constant() || divisor.constant_term() < 1) return std::nullopt;
        const auto all = bound_of(dividend);
        return all ? std::optional<Wide>(*all / divisor.constant_term() + 1) : std::nullopt;
      }
    };
    const auto magnitude = [](Wide value) { return value < 0 ? -value : value; };
    Wide sum = magnitude(index.constant_term());
    for (const IndexTerm& term : index.terms()) {
      const auto part = term.factors.size() == 1 ? std::visit(Visitor{}, term.factors[0]) : std::nullopt;
      if (!part) return std::nullopt;
      sum += magnitude(term.coefficient) * *part;
      if (sum > kLimit) return std::nullopt;
    }
    return sum;
  }

  /// Arithmetic on loop variables is exact as long as it stays far from 64 bits; then it may be computed as subscripts
  /// are. Literals alone are constants, not indices.
  static std::optional<Typed> as_index(const Expr& expr) {
    const bool is_chain = std::holds_alternative<Sum>(expr.node) || std::holds_alternative<Product>(expr.node);
    if (!is_chain && !std::holds_alternative<IndexValue>(expr.node)) return std::nullopt;
    auto index = to_index(expr);
    if (!index || !bound_of(*index)) return std::nullopt;
    Value out;
    out.kind = Value::Kind::index;
    out.index = *std::move(index);
    return Typed{make(std::move(out)), kWeakInteger};
  }

  static Typed operation(ArithmeticOp op, const Typed& left, const Typed& right) {
    if (!left.value || !right.value) return {};
    const auto type = binary_type(op, left.type, right.type);
    if (!type) return {};
    Value out;
    out.kind = Value::Kind::arithmetic;
    out.dtype = type->dtype;
    out.op = op;
    out.operands = {converted(left.value, type->dtype), converted(right.value, type->dtype)};
    return {make(std::move(out)), *type};
  }

  Typed chain(const std::vector<ExprPtr>& operands, const std::vector<ArithmeticOp>& operators) {
    Typed value = build(*operands[0]);
    for (std::size_t i = 0; i < operators.size(); ++i) {
      value = operation(operators[i], value, build(*operands[i + 1]));
    }
    return value;
  }

  Typed visit(const Literal& literal) {
    if (literal.is_integer) return {integer_value(DType::i64, literal.integer), kWeakInteger};
    return {real_value(DType::f64, literal.real), kWeakDecimal};
  }
  Typed visit(const Infinity&) { return {real_value(DType::f64, std::numeric_limits<double>::infinity()), kWeakInf}; }
  Typed visit(const IndexValue&) { return {}; }  // as_index has taken it
  Typed visit(const Read& read) {
    const ValueType type = typed(read.ref->dtype);
    ValuePtr value = load_value(read.ref);
    // The form of an accumulation makes this the one place where the left side's tensor occurs.
    if (flagged_ && read.ref->tensor == flagged_->accumulator->tensor) {
      value = select_value(not_zero(load_value(flag_ref(*read.ref))), std::move(value),
                           identity_value(flagged_->op, read.ref->dtype));
    }
    return {std::move(value), type};
  }
  Typed visit(const Sum& sum) { return chain(sum.operands, sum.operators); }
  Typed visit(const Product& product) {
    if (!wide_ || wide_->product != &product) return chain(product.operands, product.operators);
    const Typed first = build(*product.operands[0]);
    if (!first.value) return {};
    return operation(product.operators[0], {converted(first.value, wide_->dtype), typed(wide_->dtype)},
                     build(*product.operands[1]));
  }
  Typed visit(const Power& power) {
    const Typed base = build(*power.base);
    const Typed exponent = build(*power.exponent);
    if (!base.value || !exponent.value) return {};
    const auto* literal = std::get_if<Literal>(&power.exponent->node);
    const bool natural = literal && literal->is_integer && literal->integer >= 0;
    const auto type = binary_type(ArithmeticOp::power, base.type, exponent.type, natural);
    if (!type) return {};
    if (!is_integer_power(base.type, natural)) return operation(ArithmeticOp::power, base, exponent);
    Value out;
    out.kind = Value::Kind::integer_power;
    out.dtype = type->dtype;
    out.exponent = static_cast<std::uint64_t>(literal->integer);
    out.operands = {converted(base.value, type->dtype)};
    return {make(std::move(out)), *type};
  }
  Typed visit(const Extremum& extremum) {
    return operation(extremum.is_max ? ArithmeticOp::max : ArithmeticOp::min, build(*extremum.left),
                     build(*extremum.right));
  }
  Typed visit(const Call& call) {
    const Typed argument = build(*call.argument);
    if (!argument.value) return {};
    const ValueType type = unary_type(call.function, argument.type);
    if (call.function == Function::negate && argument.value->kind == Value::Kind::real) {
      return {real_value(argument.value->dtype, -argument.value->real), type};
    }
    Value out;
    out.kind = Value::Kind::function;
    out.dtype = type.dtype;
    out.function = call.function;
    out.operands = {converted(argument.value, type.dtype)};
    return {make(std::move(out)), type};
  }
  Typed visit(const Select& select) {
    ValuePtr chosen = condition(*select.condition);
    const Typed yes = build(*select.if_true);
    const Typed no = build(*select.if_false);
    if (!chosen || !yes.value || !no.value) return {};
    const auto type = join_type(yes.type, no.type);
    if (!type) return {};
    return {select_value(std::move(chosen), converted(yes.value, type->dtype), converted(no.value, type->dtype)),
            *type};
  }
  Typed visit(const Compare& compare) {
    std::vector<ValuePtr> all;
    Typed left = build(*compare.operands[0]);
    for (std::size_t i = 0; i < compare.operators.size(); ++i) {
      Typed right = build(*compare.operands[i + 1]);
      if (!left.value || !right.value) return {};
      const auto dtype = comparison_dtype(left.type, right.type);
      if (!dtype) return {};
      Value one;
      one.kind = Value::Kind::compare;
      one.dtype = DType::boolean;
      one.comparison = compare.operators[i];
      one.operands = {converted(left.value, *dtype), converted(right.value, *dtype)};
      all.push_back(make(std::move(one)));
      left = std::move(right);
    }
    return {together(LogicOp::conjunction, std::move(all)), typed(DType::boolean)};
  }
  Typed visit(const Logic& logic) {
    std::vector<ValuePtr> all;
    for (const ExprPtr& operand : logic.operands) {
      all.push_back(condition(*operand));
      if (!all.back()) return {};
    }
    return {together(logic.op, std::move(all)), typed(DType::boolean)};
  }
  static ValuePtr together(LogicOp op, std::vector<ValuePtr> operands) {
    if (operands.size() == 1) return operands[0];
    Value out;
    out.kind = Value::Kind::logic;
    out.dtype = DType::boolean;
    out.logic = op;
    out.operands = std::move(operands);
    return make(std::move(out));
  }

  const std::optional<Flagged>& flagged_;
  std::optional<WideProduct> wide_;
};

std::int64_t wrapped(DType dtype, std::int64_t value) {
  switch (dtype) {
    case DType::i32: return static_cast<std::int32_t>(value);
    case DType::i16: return static_cast<std::int16_t>(value);
    case DType::i8: return static_cast<std::int8_t>(value);
    case DType::u8: return static_cast<std::uint8_t>(value);
    case DType::boolean: return value != 0 ? 1 : 0;
    case DType::i64:
    case DType::f64:
    case DType::f32:
    case DType::f16:
    case DType::bf16: return value;
  }
  return value;
}

}  // namespace

bool is_square(const Value& value) {
  if (value.kind != Value::Kind::arithmetic || value.op != ArithmeticOp::power || !is_float(value.dtype)) return false;
  const Value& exponent = *value.operands[1];
  return exponent.kind == Value::Kind::real && exponent.real == 2;
}

ValuePtr integer_value(DType dtype, std::int64_t value) {
  Value out;
  out.dtype = dtype;
  out.integer = wrapped(dtype, value);
  return make(std::move(out));
}

ValuePtr load_value(RefPtr ref) {
  Value out;
  out.kind = Value::Kind::load;
  out.dtype = ref->dtype;
  out.ref = std::move(ref);
  return make(std::move(out));
}

ValuePtr not_zero(ValuePtr value) { return converted(std::move(value), DType::boolean); }

ValuePtr select_value(ValuePtr condition, ValuePtr if_true, ValuePtr if_false) {
  Value out;
  out.kind = Value::Kind::select;
  out.dtype = if_true->dtype;
  out.operands = {std::move(condition), std::move(if_true), std::move(if_false)};
  return make(std::move(out));
}

ValuePtr converted(ValuePtr value, DType dtype) {
  if (value->dtype == dtype) return value;
  if (value->kind == Value::Kind::integer && !is_float(dtype)) return integer_value(dtype, value->integer);
  if (value->kind == Value::Kind::integer && dtype == DType::f64) {
    return real_value(dtype, static_cast<double>(value->integer));
  }
  if (value->kind == Value::Kind::integer && dtype == DType::f32) {
    return real_value(dtype, static_cast<double>(static_cast<float>(value->integer)));
  }
  if (value->kind == Value::Kind::real && dtype == DType::f32) {
    return real_value(dtype, static_cast<double>(static_cast<float>(value->real)));
  }
  if (value->kind == Value::Kind::real && dtype == DType::f64) return real_value(dtype, value->real);
  Value out;
  out.kind = Value::Kind::convert;
  out.dtype = dtype;
  out.operands = {std::move(value)};
  return make(std::move(out));
}

ValuePtr identity_value(ArithmeticOp op, DType dtype) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (op) {
    case ArithmeticOp::add: return converted(integer_value(DType::i64, 0), dtype);
    case ArithmeticOp::multiply: return converted(integer_value(DType::i64, 1), dtype);
    case ArithmeticOp::max:
      if (is_float(dtype)) return converted(real_value(DType::f64, -kInfinity), dtype);
      return integer_value(dtype, info(dtype).least);
    case ArithmeticOp::min:
      if (is_float(dtype)) return converted(real_value(DType::f64, kInfinity), dtype);
      return integer_value(dtype, info(dtype).greatest);
    case ArithmeticOp::subtract:
    case ArithmeticOp::divide:
    case ArithmeticOp::floor_divide:
    case ArithmeticOp::modulo:
    case ArithmeticOp::power: break;
  }
  return integer_value(dtype, 0);
}

ValuePtr value_of(const Expr& expr, const std::optional<Flagged>& flagged) {
  return Builder(flagged).build(expr).value;
}

ValuePtr value_of(const Equation& equation, const std::optional<Flagged>& flagged) {
  return Builder(flagged, wide_product(*equation.left, equation.right)).build(*equation.right).value;
}

ValuePtr condition_value(const Expr& expr, const std::optional<Flagged>& flagged) {
  return Builder(flagged).condition(expr);
}

RefPtr flag_ref(const Ref& ref) { return make_ref(flags_of(ref.tensor), DType::u8, ref.scope, ref.subscripts); }

}  // namespace steptp::lowering
