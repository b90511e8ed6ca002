// Spells types, constants, functions and subscripts in CUDA C++. 16-bit floats compute in float and are rounded
// after every operation. Subscripts are `int` where offsets.h shows that nothing overflows, otherwise `long long`.
#include "steptp/cuda/spelling.h"

#include <charconv>
#include <cmath>

#include "steptp/base/text.h"

namespace steptp::cuda {

using lowering::Value;

std::string_view memory_type(DType dtype) {
  switch (dtype) {
    case DType::f64: return "double";
    case DType::f32: return "float";
    case DType::f16: return "__half";
    case DType::bf16: return "__nv_bfloat16";
    case DType::i64: return "long long";
    case DType::i32: return "int";
    case DType::i16: return "short";
    case DType::i8: return "signed char";
    case DType::u8:
    case DType::boolean: return "unsigned char";
  }
  return "";
}

std::string_view value_type(DType dtype) { return dtype == DType::boolean ? "bool" : memory_type(dtype); }

std::string variable_name(const std::string& index) { return index + "_"; }

namespace {

bool is_half(DType dtype) { return is_float(dtype) && info(dtype).bytes == 2; }

/// The names of C++ for the functions of one float type; half types go through float.
std::string_view function_name(Function function, bool is_double) {
  switch (function) {
    case Function::exp: return is_double ? "exp" : "expf";
    case Function::log: return is_double ? "log" : "logf";
    case Function::sqrt: return is_double ? "sqrt" : "sqrtf";
    case Function::abs: return is_double ? "fabs" : "fabsf";
    case Function::erf: return is_double ? "erf" : "erff";
    case Function::tanh: return is_double ? "tanh" : "tanhf";
    case Function::sin: return is_double ? "sin" : "sinf";
    case Function::cos: return is_double ? "cos" : "cosf";
    case Function::floor: return is_double ? "floor" : "floorf";
    case Function::ceil: return is_double ? "ceil" : "ceilf";
    case Function::round: return is_double ? "rint" : "rintf";
    case Function::rsqrt: return is_double ? "rsqrt" : "rsqrtf";
    case Function::negate: return "-";
  }
  return "";
}

std::string real_function(Function function, DType dtype, const std::string& x) {
  if (is_half(dtype)) {
    return concat("stp_from_float<", memory_type(dtype), ">(",
                  real_function(function, DType::f32, concat("stp_to_float(", x, ")")), ")");
  }
  return concat(function == Function::negate ? "(-" : function_name(function, dtype == DType::f64),
                function == Function::negate ? "" : "(", x, ")");
}

std::string integer_function(Function function, DType dtype, const std::string& x) {
  switch (function) {
    case Function::negate: return concat("stp_sub<", value_type(dtype), ">(0, ", x, ")");
    case Function::abs: return concat("stp_abs<", value_type(dtype), ">(", x, ")");
    case Function::floor:
    case Function::ceil:
    case Function::round: return x;
    case Function::exp:
    case Function::log:
    case Function::sqrt:
    case Function::erf:
    case Function::tanh:
    case Function::sin:
    case Function::cos:
    case Function::rsqrt: break;  // typed as floats: their operand is one
  }
  return x;
}

std::string_view infix(ArithmeticOp op) {
  switch (op) {
    case ArithmeticOp::add: return " + ";
    case ArithmeticOp::subtract: return " - ";
    case ArithmeticOp::multiply: return " * ";
    case ArithmeticOp::divide: return " / ";
    case ArithmeticOp::floor_divide:
    case ArithmeticOp::modulo:
    case ArithmeticOp::power:
    case ArithmeticOp::max:
    case ArithmeticOp::min: break;
  }
  return "";
}

std::string_view helper(ArithmeticOp op) {
  switch (op) {
    case ArithmeticOp::add: return "stp_add";
    case ArithmeticOp::subtract: return "stp_sub";
    case ArithmeticOp::multiply: return "stp_mul";
    case ArithmeticOp::divide: return "stp_div";
    case ArithmeticOp::floor_divide: return "stp_floor_div";
    case ArithmeticOp::modulo: return "stp_floor_mod";
    case ArithmeticOp::power: return "stp_pow";
    case ArithmeticOp::max: return "stp_max";
    case ArithmeticOp::min: return "stp_min";
  }
  return "";
}

/// The number that an exponent is, where it is written in the text. Half types have no literals: theirs are converted,
/// and hold small integers exactly.
std::optional<double> written_exponent(const Value& exponent) {
  const Value& written = exponent.kind == Value::Kind::convert ? *exponent.operands[0] : exponent;
  if (written.kind == Value::Kind::integer) return static_cast<double>(written.integer);
  if (written.kind == Value::Kind::real) return written.real;
  return std::nullopt;
}

/// Squares and cubes are products: as exact as a power, and one instruction or two in place of some fifty.
std::string_view small_power(const Value& value) {
  if (value.op != ArithmeticOp::power || !is_float(value.dtype)) return "";
  const auto exponent = written_exponent(*value.operands[1]);
  return exponent == 2 ? "stp_square" : exponent == 3 ? "stp_cube" : "";
}

std::string integer_constant(DType dtype, std::int64_t value) {
  if (dtype == DType::boolean) return value != 0 ? "true" : "false";
  if (dtype != DType::i64) {
    if (value == INT32_MIN) return "(-2147483647 - 1)";
    return concat("(", value_type(dtype), ")", value < 0 ? concat("(", value, ")") : concat(value));
  }
  if (value == INT64_MIN) return "(-9223372036854775807LL - 1)";
  return value < 0 ? concat("(", value, "LL)") : concat(value, "LL");
}

}  // namespace

std::string real_constant(DType dtype, double value) {
  const bool single = dtype == DType::f32;
  if (std::isinf(value)) return concat(value < 0 ? "(-" : "(", single ? "STP_INFINITY_F" : "STP_INFINITY", ")");
  char buffer[64];
  const auto end = single ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value)).ptr
                          : std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  if (single) text += 'f';
  return std::signbit(value) ? concat("(", text, ")") : text;
}

std::string Speller::operation(ArithmeticOp op, DType dtype, const std::string& a, const std::string& b) {
  const bool plain = (dtype == DType::f32 || dtype == DType::f64) && !infix(op).empty();
  if (plain) return concat("(", a, infix(op), b, ")");
  return concat(helper(op), "<", value_type(dtype), ">(", a, ", ", b, ")");
}

std::string Speller::atom(const IndexAtom& atom, bool wide) {
  struct Visitor {
    Speller& speller;
    bool wide;
    std::string operator()(const LoopVariable& variable) const {
      return wide ? concat("(long long)", variable_name(variable.name)) : variable_name(variable.name);
    }
    std::string operator()(const FloorQuotient& node) const { return division(*node.dividend, *node.divisor, true); }
    std::string operator()(const FloorRemainder& node) const { return division(*node.dividend, *node.divisor, false); }
    std::string operator()(const IndirectRead& node) const {
      return concat("(long long)", speller.value(*lowering::load_value(node.ref)));
    }
    [[nodiscard]] std::string division(const Index& dividend, const Index& divisor, bool quotient) const {
      const Ranges ranges = lowering::ranges_of(speller.box_);
      const std::string a = speller.sum(dividend, wide);
      const std::string b = speller.sum(divisor, wide);
      // C++ truncates; both are the same where nothing is negative.
      if (range_of(dividend, ranges).low >= 0 && range_of(divisor, ranges).low > 0) {
        return concat("(", a, quotient ? " / " : " % ", b, ")");
      }
      const char* type = wide ? "long long" : "int";
      return concat(quotient ? "stp_floor_div<" : "stp_floor_mod<", type, ">(", a, ", ", b, ")");
    }
  };
  return std::visit(Visitor{*this, wide}, atom);
}

std::string Speller::sum(const Index& index, bool wide) {
  std::string out;
  for (const IndexTerm& term : index.terms()) {
    const bool negative = term.coefficient < 0;
    append(out, out.empty() ? (negative ? "-" : "") : (negative ? " - " : " + "));
    std::string product;
    for (const IndexAtom& factor : term.factors) append(product, product.empty() ? "" : " * ", atom(factor, wide));
    const auto size =
        negative ? 0 - static_cast<std::uint64_t>(term.coefficient) : static_cast<std::uint64_t>(term.coefficient);
    out += product;
    if (size != 1) append(out, " * ", size, wide ? "LL" : "");
  }
  const std::int64_t constant = index.constant_term();
  if (out.empty()) return wide ? integer_constant(DType::i64, constant) : concat(constant);
  if (constant != 0) {
    const auto size = constant < 0 ? 0 - static_cast<std::uint64_t>(constant) : static_cast<std::uint64_t>(constant);
    append(out, constant < 0 ? " - " : " + ", size, wide ? "LL" : "");
  }
  return index.terms().size() + (constant != 0 ? 1 : 0) > 1 || index.terms()[0].coefficient != 1 ? concat("(", out, ")")
                                                                                                 : out;
}

std::string Speller::index(const Index& index) {
  const Wide size = lowering::magnitude(index, lowering::ranges_of(box_));
  if (size >= (static_cast<Wide>(1) << 62) && !problem_) problem_ = "a subscript needs more than 64 bits";
  return sum(index, size >= (static_cast<Wide>(1) << 31));
}

Index Speller::offset(const Ref& ref) {
  auto made = lowering::offset_of(arrangement_.buffers.at(ref.tensor), ref.subscripts, box_);
  if (!made && !problem_) problem_ = concat("the elements of ", ref.tensor, " cannot be numbered with 64 bits");
  return made.value_or(Index());
}

std::string Speller::element(const Ref& ref) {
  return concat(name(ref.tensor), "[", place(ref.tensor, offset(ref)), "]");
}

std::string Speller::place(const std::string& tensor, const Index& number) {
  const auto swizzled = swizzles_.find(tensor);
  if (swizzled == swizzles_.end()) return index(number);
  const Swizzle& swizzle = swizzled->second;
  if (swizzle.panel_bits > 0) return concat("stp_paneled<", swizzle.panel_bits, ">(", index(number), ")");
  return concat("stp_swizzled<", swizzle.bits, ", ", swizzle.row_bits, ", ", swizzle.run_bits, ">(", index(number),
                ")");
}

std::string Speller::name(const std::string& tensor) const {
  const auto renamed = names_.find(tensor);
  return renamed == names_.end() ? tensor : renamed->second;
}

bool Speller::fits_int(const Value& value) const {
  constexpr Wide kLimit = static_cast<Wide>(1) << 31;
  if (value.kind == Value::Kind::integer) return value.integer > -kLimit && value.integer < kLimit;
  return value.kind == Value::Kind::index && lowering::magnitude(value.index, lowering::ranges_of(box_)) < kLimit;
}

std::string Speller::comparison_operand(const Value& value, bool narrow) {
  if (!narrow) return this->value(value);
  return value.kind == Value::Kind::integer ? concat(value.integer) : sum(value.index, false);
}

std::string Speller::conversion(const Value& value) {
  const Value& operand = *value.operands[0];
  const DType from = operand.dtype;
  const DType to = value.dtype;
  // An index that an int holds converts to floats from there: 64-bit conversions are slow.
  if (operand.kind == Value::Kind::index && (to == DType::f32 || to == DType::f64) && fits_int(operand)) {
    return concat("(", value_type(to), ")", sum(operand.index, false));
  }
  const std::string text = this->value(operand);
  if (to == DType::boolean) {
    return is_half(from) ? concat("(stp_to_float(", text, ") != 0.0f)") : concat("(", text, " != 0)");
  }
  if (is_float(from) && !is_float(to)) {
    return concat("stp_to_integer<", value_type(to), ">(", is_half(from) ? concat("stp_to_float(", text, ")") : text,
                  ")");
  }
  if (is_half(to)) {
    const std::string source = is_half(from)    ? concat("stp_to_float(", text, ")")
                               : is_float(from) ? text
                                                : concat("(long long)", text);
    return concat("stp_to_half<", memory_type(to), ">(", source, ")");
  }
  if (is_half(from))
    return to == DType::f64 ? concat("(double)stp_to_float(", text, ")") : concat("stp_to_float(", text, ")");
  return concat("(", value_type(to), ")", text);
}

namespace {

bool calls_function(const Value& value) {
  return value.kind == Value::Kind::function ||
         std::any_of(value.operands.begin(), value.operands.end(),
                     [](const lowering::ValuePtr& operand) { return calls_function(*operand); });
}

/// Arithmetic on floats of fragments and scalars: whatever the condition of a choice is, both of its sides may be
/// evaluated. A lane that decides for itself would take the warp through a branch.
bool is_harmless(const Value& value) {
  const bool is_own = value.kind != Value::Kind::load || value.ref->scope == Scope::fragment;
  if (!is_own && !value.ref->subscripts.empty()) return false;
  if (value.kind == Value::Kind::arithmetic && !is_float(value.dtype)) return false;
  if (value.kind == Value::Kind::integer_power) return false;
  return std::all_of(value.operands.begin(), value.operands.end(),
                     [](const lowering::ValuePtr& operand) { return is_harmless(*operand); });
}

}  // namespace

std::string Speller::value(const Value& value) {
  switch (value.kind) {
    case Value::Kind::integer: return integer_constant(value.dtype, value.integer);
    case Value::Kind::real: return real_constant(value.dtype, value.real);
    case Value::Kind::index: return concat("(long long)", index(value.index));
    case Value::Kind::load: {
      for (const auto& [ref, text] : replaced_) {
        if (equal(*ref, *value.ref)) return text;
      }
      return value.dtype == DType::boolean ? concat("(", element(*value.ref), " != 0)") : element(*value.ref);
    }
    case Value::Kind::convert: return conversion(value);
    case Value::Kind::arithmetic:
      if (const std::string_view power = small_power(value); !power.empty()) {
        return concat(power, "<", value_type(value.dtype), ">(", this->value(*value.operands[0]), ")");
      }
      return operation(value.op, value.dtype, this->value(*value.operands[0]), this->value(*value.operands[1]));
    case Value::Kind::integer_power:
      return concat("stp_integer_power<", value_type(value.dtype), ">(", this->value(*value.operands[0]), ", ",
                    value.exponent, "ULL)");
    case Value::Kind::function: {
      const std::string operand = this->value(*value.operands[0]);
      return is_float(value.dtype) ? real_function(value.function, value.dtype, operand)
                                   : integer_function(value.function, value.dtype, operand);
    }
    case Value::Kind::select:
      if (calls_function(*value.operands[1]) + calls_function(*value.operands[2]) == 1 && is_harmless(value)) {
        return concat("stp_choose<", value_type(value.dtype), ">(", this->value(*value.operands[0]), ", ",
                      this->value(*value.operands[1]), ", ", this->value(*value.operands[2]), ")");
      }
      return concat("(", this->value(*value.operands[0]), " ? ", this->value(*value.operands[1]), " : ",
                    this->value(*value.operands[2]), ")");
    case Value::Kind::compare: {
      const bool narrow = fits_int(*value.operands[0]) && fits_int(*value.operands[1]);
      const bool half = is_half(value.operands[0]->dtype);
      std::string left = comparison_operand(*value.operands[0], narrow);
      std::string right = comparison_operand(*value.operands[1], narrow);
      if (half) left = concat("stp_to_float(", left, ")"), right = concat("stp_to_float(", right, ")");
      return concat("(", left, " ", text_of(value.comparison), " ", right, ")");
    }
    case Value::Kind::logic:
      return concat("(",
                    join(value.operands, value.logic == LogicOp::conjunction ? " && " : " || ",
                         [this](const lowering::ValuePtr& operand) { return this->value(*operand); }),
                    ")");
  }
  return "";
}

}  // namespace steptp::cuda
