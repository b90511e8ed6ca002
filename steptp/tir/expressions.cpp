// Values and subscripts in TVMScript, with as few brackets as Python's precedence allows. Where TVM has no exact
// spelling (arithmetic of bool, subtraction in u8, float to integer), the program is refused.
#include "steptp/tir/expressions.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "steptp/base/text.h"
#include "steptp/tir/names.h"

namespace steptp::tir {

using lowering::Value;

namespace {

std::string constant(DType dtype, const std::string& text) { return concat("T.", type_name(dtype), "(", text, ")"); }

std::string real_text(DType dtype, double value) {
  if (std::isinf(value)) return value < 0 ? "\"-inf\"" : "\"inf\"";
  char buffer[64];
  const auto end = dtype == DType::f32 ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value)).ptr
                                       : std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

/// Beyond the largest finite value of a dtype, which TVM refuses to read, a literal is infinite.
double in_range(DType dtype, double value) {
  const DTypeInfo& facts = info(dtype);
  const double least_infinite = std::ldexp(2 - std::ldexp(1, -facts.precision), facts.max_exponent);
  return std::abs(value) < least_infinite ? value : std::copysign(std::numeric_limits<double>::infinity(), value);
}

std::string_view function_name(Function function) {
  switch (function) {
    case Function::exp: return "T.exp";
    case Function::log: return "T.log";
    case Function::sqrt: return "T.sqrt";
    case Function::abs: return "T.abs";
    case Function::erf: return "T.erf";
    case Function::tanh: return "T.tanh";
    case Function::sin: return "T.sin";
    case Function::cos: return "T.cos";
    case Function::floor: return "T.floor";
    case Function::ceil: return "T.ceil";
    case Function::round: return "T.nearbyint";
    case Function::rsqrt: return "T.rsqrt";
    case Function::negate: break;
  }
  return "";
}

/// It moves constants to the other side, where they are negative.
constexpr const char* kUnsigned = "TVM does not subtract in u8";

/// How tightly Python binds what a value is spelled as.
constexpr int kComparison = 0;
constexpr int kSum = 1;
constexpr int kProduct = 2;
constexpr int kAtom = 3;
int binding(const Value& value) {
  switch (value.kind) {
    case Value::Kind::compare: return kComparison;
    case Value::Kind::integer_power: return value.exponent == 1 ? binding(*value.operands[0]) : kProduct;
    case Value::Kind::function:
      if (value.function != Function::negate) return kAtom;
      return is_float(value.dtype) ? kProduct : kSum;
    case Value::Kind::convert: return value.dtype == DType::boolean ? kComparison : kAtom;
    case Value::Kind::arithmetic:
      switch (value.op) {
        case ArithmeticOp::add:
        case ArithmeticOp::subtract: return kSum;
        case ArithmeticOp::multiply:
        case ArithmeticOp::divide:
        case ArithmeticOp::floor_divide:
        case ArithmeticOp::modulo: return kProduct;
        case ArithmeticOp::power:
        case ArithmeticOp::max:
        case ArithmeticOp::min: return kAtom;
      }
      return kAtom;
    case Value::Kind::integer:
    case Value::Kind::real:
    case Value::Kind::index:
    case Value::Kind::load:
    case Value::Kind::select:
    case Value::Kind::logic: return kAtom;
  }
  return kAtom;
}

}  // namespace

std::vector<BoxVariable> Expressions::box() const {
  std::vector<BoxVariable> out;
  for (const Loop* loop : loops) out.push_back({loop->index, loop->extent});
  return out;
}

std::string Expressions::variable(const std::string& name) const {
  return in_block ? axis_name(name) : loop_name(name);
}

std::string Expressions::atom(const IndexAtom& atom) {
  struct Visitor {
    Expressions& self;
    std::string operator()(const LoopVariable& node) const { return self.variable(node.name); }
    std::string operator()(const FloorQuotient& node) const {
      return concat("(", self.index(*node.dividend), ") // (", self.index(*node.divisor), ")");
    }
    std::string operator()(const FloorRemainder& node) const {
      return concat("(", self.index(*node.dividend), ") % (", self.index(*node.divisor), ")");
    }
    std::string operator()(const IndirectRead& node) const {
      return concat("T.Cast(\"int32\", ", self.element(*node.ref), ")");
    }
  };
  const std::string text = std::visit(Visitor{*this}, atom);
  const bool simple = std::holds_alternative<LoopVariable>(atom) || std::holds_alternative<IndirectRead>(atom);
  return simple ? text : concat("(", text, ")");
}

std::string Expressions::index(const Index& index) {
  if (lowering::magnitude(index, lowering::ranges_of(box())) >= (static_cast<Wide>(1) << 31) && !reads_tensor(index)) {
    refuse("a subscript needs more than the 32 bits of TVM's loop variables");
  }
  const std::int64_t last = index.constant_term();
  // A sum does not begin with a sign: 7 - a, not -a + 7.
  const bool first = !index.terms().empty() && index.terms()[0].coefficient < 0;
  std::string out = first || index.terms().empty() ? concat(last) : "";
  for (const IndexTerm& term : index.terms()) {
    append(out, term.coefficient < 0 ? " - " : out.empty() ? "" : " + ");
    std::string product;
    for (const IndexAtom& factor : term.factors) append(product, product.empty() ? "" : " * ", atom(factor));
    out += product;
    if (std::abs(term.coefficient) != 1) append(out, " * ", std::abs(term.coefficient));
  }
  if (!first && !index.terms().empty() && last != 0) append(out, last < 0 ? " - " : " + ", std::abs(last));
  return out;
}

std::string Expressions::element(const Ref& ref, bool region) {
  std::vector<std::string> subscripts;
  if (const auto at = expanded.find(ref.tensor); at != expanded.end()) {
    for (const auto& [axis, stride] : at->second) {
      std::string position = "0";
      for (const Loop* loop : loops) {
        if (loop->kind == LoopKind::bound && axis_of(loop->index) == axis) position = variable(loop->index);
      }
      subscripts.push_back(position);
    }
  }
  const lowering::Buffer& buffer = arrangement_.buffers.at(ref.tensor);
  for (std::size_t i = 0; i < ref.subscripts.size(); ++i) {
    const bool whole = region && reads_tensor(ref.subscripts[i]);
    subscripts.push_back(whole ? concat("0:", buffer.shape[i]) : index(simplified(ref.subscripts[i], box())));
  }
  if (subscripts.empty()) return concat(ref.tensor, "[()]");
  return concat(ref.tensor, "[", join(subscripts, ", ", [](const std::string& text) { return text; }), "]");
}

bool Expressions::is_narrow(const Value& value) const {
  constexpr Wide kLimit = static_cast<Wide>(1) << 31;
  if (value.kind == Value::Kind::integer) return value.integer > -kLimit && value.integer < kLimit;
  return value.kind == Value::Kind::index && lowering::magnitude(value.index, lowering::ranges_of(box())) < kLimit;
}

std::string Expressions::compare_operand(const Value& value, bool narrow) {
  if (!narrow) return operand(value, kSum);
  return value.kind == Value::Kind::integer ? concat(value.integer) : index(value.index);
}

std::string Expressions::operand(const Value& value, int least) {
  const std::string text = this->value(value);
  return binding(value) < least ? concat("(", text, ")") : text;
}

std::string Expressions::operation(const Value& value) {
  const bool real = is_float(value.dtype);
  if (value.dtype == DType::boolean) refuse("TVM has no arithmetic of bool");
  if (value.dtype == DType::u8 && value.op == ArithmeticOp::subtract) refuse(kUnsigned);
  const auto infix = [&](std::string_view sign) {
    const int own = binding(value);
    return concat(operand(*value.operands[0], own), sign, operand(*value.operands[1], own + 1));
  };
  const auto call = [&](std::string_view name) {
    return concat(name, "(", this->value(*value.operands[0]), ", ", this->value(*value.operands[1]), ")");
  };
  switch (value.op) {
    case ArithmeticOp::add: return infix(" + ");
    case ArithmeticOp::subtract: return infix(" - ");
    case ArithmeticOp::multiply: return infix(" * ");
    case ArithmeticOp::divide: return infix(" / ");
    case ArithmeticOp::max: return call("T.max");
    case ArithmeticOp::min: return call("T.min");
    case ArithmeticOp::power: return call("T.pow");
    case ArithmeticOp::floor_divide:
    case ArithmeticOp::modulo:
      if (real) refuse("TVM's // and % of floats round on the way");
      return infix(value.op == ArithmeticOp::modulo ? " % " : " // ");
  }
  return "";
}

std::string Expressions::function(const Value& value) {
  if (value.function == Function::negate) {
    // 0 - x would give +0 for the float +0.
    if (is_float(value.dtype)) return concat(operand(*value.operands[0], kProduct), " * ", constant(value.dtype, "-1"));
    if (value.dtype == DType::u8) refuse(kUnsigned);
    return concat(constant(value.dtype, "0"), " - ", operand(*value.operands[0], kProduct));
  }
  const std::string argument = this->value(*value.operands[0]);
  // TVM builds no erf of f16 for CPUs.
  if (target_ == DeviceKind::cpu && value.function == Function::erf && value.dtype == DType::f16)
    return concat("T.Cast(\"float16\", T.erf(T.Cast(\"float32\", ", argument, ")))");
  return concat(function_name(value.function), "(", argument, ")");
}

std::string Expressions::conversion(const Value& value) {
  const Value& source = *value.operands[0];
  const DType to = value.dtype;
  if (source.kind == Value::Kind::real) {
    return constant(to, real_text(source.dtype, is_float(to) ? in_range(to, source.real) : source.real));
  }
  if (source.kind == Value::Kind::integer && is_float(to)) {
    const double nearest = in_range(to, static_cast<double>(source.integer));
    return constant(to, std::isinf(nearest) ? real_text(to, nearest) : concat(source.integer));
  }
  const bool narrow = is_narrow(source);
  if (to == DType::boolean) {
    return concat(narrow ? index(source.index) : operand(source, kSum),
                  " != ", narrow ? "0" : constant(source.dtype, "0"));
  }
  if (is_float(source.dtype) && !is_float(to)) refuse("TVM's conversion of floats to integers does not saturate");
  if (to == DType::u8 && source.dtype != DType::boolean) refuse("TVM does not convert negative numbers to u8");
  return concat("T.Cast(\"", type_name(to), "\", ", narrow ? index(source.index) : this->value(source), ")");
}

std::string Expressions::value(const Value& value) {
  switch (value.kind) {
    case Value::Kind::integer:
      if (value.dtype == DType::boolean) return value.integer != 0 ? "T.bool(True)" : "T.bool(False)";
      return constant(value.dtype, concat(value.integer));
    case Value::Kind::real: return constant(value.dtype, real_text(value.dtype, in_range(value.dtype, value.real)));
    case Value::Kind::index: return concat("T.Cast(\"int64\", ", index(value.index), ")");
    case Value::Kind::load: return element(*value.ref);
    case Value::Kind::convert: return conversion(value);
    case Value::Kind::arithmetic: return operation(value);
    case Value::Kind::integer_power: {
      if (value.exponent == 0 || value.exponent > 8) refuse("TVM has no integer power");
      std::string out = value.exponent == 1 ? this->value(*value.operands[0]) : operand(*value.operands[0], kProduct);
      for (std::uint64_t i = 1; i < value.exponent && i < 8; ++i) {
        append(out, " * ", operand(*value.operands[0], kAtom));
      }
      return out;
    }
    case Value::Kind::function: return function(value);
    case Value::Kind::select:
      return concat("T.if_then_else(", this->value(*value.operands[0]), ", ", this->value(*value.operands[1]), ", ",
                    this->value(*value.operands[2]), ")");
    case Value::Kind::compare: {
      const bool narrow = is_narrow(*value.operands[0]) && is_narrow(*value.operands[1]);
      return concat(compare_operand(*value.operands[0], narrow), " ", text_of(value.comparison), " ",
                    compare_operand(*value.operands[1], narrow));
    }
    case Value::Kind::logic: {
      const std::string_view name = value.logic == LogicOp::conjunction ? "T.And(" : "T.Or(";
      std::string all = this->value(*value.operands[0]);
      for (std::size_t i = 1; i < value.operands.size(); ++i) {
        all = concat(name, all, ", ", this->value(*value.operands[i]), ")");
      }
      return all;
    }
  }
  return "";
}

}  // namespace steptp::tir
