// One operation in one dtype. Floats are rounded after every operation, as the oracle does: half types compute in
// float, whose 24 digits suffice for one correct rounding (2p+2 <= 24 for p = 11 and 8).
#include <bit>

#include "steptp/llvm/builder.h"

namespace steptp::llvm_ir {

std::string_view memory_type(DType dtype) {
  switch (dtype) {
    case DType::f64: return "double";
    case DType::f32: return "float";
    case DType::f16: return "half";
    case DType::bf16:
    case DType::i16: return "i16";
    case DType::i64: return "i64";
    case DType::i32: return "i32";
    case DType::i8:
    case DType::u8:
    case DType::boolean: return "i8";
  }
  return "";
}

std::string_view value_type(DType dtype) {
  if (is_float(dtype) && info(dtype).bytes == 2) return "float";
  return dtype == DType::boolean ? "i1" : memory_type(dtype);
}

std::string real_constant(double value) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  const auto bits = std::bit_cast<std::uint64_t>(value);
  std::string text = "0x";
  for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[bits >> shift & 15];
  return text;
}

namespace {

bool is_half(DType dtype) { return is_float(dtype) && info(dtype).bytes == 2; }
bool is_unsigned(DType dtype) { return !is_float(dtype) && info(dtype).least == 0; }

std::string_view float_instruction(ArithmeticOp op) {
  switch (op) {
    case ArithmeticOp::add: return "fadd ";
    case ArithmeticOp::subtract: return "fsub ";
    case ArithmeticOp::multiply: return "fmul ";
    case ArithmeticOp::divide: return "fdiv ";
    case ArithmeticOp::floor_divide:
    case ArithmeticOp::modulo:
    case ArithmeticOp::power:
    case ArithmeticOp::max:
    case ArithmeticOp::min: break;
  }
  return "";
}

/// f64 has libm's functions, whose last digit is nearly always right; what is narrower has ours, which become vectors.
std::string_view math_name(Function function, DType dtype) {
  const bool wide = dtype == DType::f64;
  switch (function) {
    case Function::exp: return wide ? "exp" : "stp_exp";
    case Function::log: return wide ? "log" : "stp_log";
    case Function::erf: return wide ? "erf" : "stp_erf";
    case Function::tanh: return wide ? "tanh" : "stp_tanh";
    case Function::sin: return "sin";
    case Function::cos: return "cos";
    case Function::negate:
    case Function::sqrt:
    case Function::abs:
    case Function::floor:
    case Function::ceil:
    case Function::round:
    case Function::rsqrt: break;
  }
  return "";
}

/// Those of them that the fast arithmetic has in float.
std::string_view fast_name(Function function) {
  switch (function) {
    case Function::exp: return "stp_fast_exp";
    case Function::tanh: return "stp_fast_tanh";
    case Function::erf: return "stp_fast_erf";
    default: return "";
  }
}

std::string_view intrinsic_name(Function function) {
  switch (function) {
    case Function::sqrt: return "sqrt";
    case Function::abs: return "fabs";
    case Function::floor: return "floor";
    case Function::ceil: return "ceil";
    case Function::round: return "roundeven";
    case Function::negate:
    case Function::exp:
    case Function::log:
    case Function::erf:
    case Function::tanh:
    case Function::sin:
    case Function::cos:
    case Function::rsqrt: break;
  }
  return "";
}

}  // namespace

std::string Values::rounded(DType dtype, const std::string& x) {
  if (dtype == DType::f16) {
    const std::string half = out_.emit("fptrunc float ", x, " to half");
    return out_.emit("fpext half ", half, " to float");
  }
  if (dtype == DType::bf16) return out_.emit("call float @stp_round_bf16(float ", x, ")");
  return x;
}

std::string Values::rounded_double(DType dtype, const std::string& x) {
  if (dtype == DType::f64) return x;
  if (dtype == DType::f32) return out_.emit("fptrunc double ", x, " to float");
  return rounded(dtype, out_.emit("call float @stp_to_odd(double ", x, ")"));
}

std::string Values::arithmetic(ArithmeticOp op, DType dtype, const std::string& a, const std::string& b) {
  if (dtype == DType::boolean) return bool_arithmetic(op, a, b);
  return is_float(dtype) ? real_arithmetic(op, dtype, a, b) : integer_arithmetic(op, dtype, a, b);
}

std::string Values::real_arithmetic(ArithmeticOp op, DType dtype, const std::string& a, const std::string& b) {
  const std::string_view type = value_type(dtype);
  if (const std::string_view instruction = float_instruction(op); !instruction.empty()) {
    // What is rounded to a half type is not fused.
    const bool may_fuse = is_fast_ && !is_half(dtype);
    return rounded(dtype, out_.emit(instruction, may_fuse ? "contract " : "", type, " ", a, ", ", b));
  }
  if (op == ArithmeticOp::max || op == ArithmeticOp::min) return extremum(dtype, a, b, op == ArithmeticOp::max);
  const std::string x = conversion(dtype, DType::f64, a);
  const std::string y = conversion(dtype, DType::f64, b);
  const char* name = op == ArithmeticOp::power          ? "pow"
                     : op == ArithmeticOp::floor_divide ? "stp_floor_divide"
                                                        : "stp_modulo";
  return rounded_double(dtype, out_.emit("call double @", name, "(double ", x, ", double ", y, ")"));
}

/// Of a number and NaN the number, or NaN where that stays.
std::string Values::extremum(DType dtype, const std::string& a, const std::string& b, bool is_max) {
  const std::string taken = extremum_of_numbers(dtype, a, b, is_max);
  if (!is_float(dtype) || !nan_stays_) return taken;
  const std::string_view type = value_type(dtype);
  const std::string lost = out_.emit("fcmp uno ", type, " ", a, ", ", b);
  const std::string sum = out_.emit("fadd ", type, " ", a, ", ", b);
  return out_.emit("select i1 ", lost, ", ", type, " ", sum, ", ", type, " ", taken);
}

/// a where it is greater, where the other is NaN, and of two equal ones where it is the zero that counts more.
std::string Values::extremum_of_numbers(DType dtype, const std::string& a, const std::string& b, bool is_max) {
  const std::string_view type = value_type(dtype);
  if (!is_float(dtype)) {
    const char* order = is_unsigned(dtype) ? (is_max ? "ugt" : "ult") : (is_max ? "sgt" : "slt");
    const std::string takes = out_.emit("icmp ", order, " ", type, " ", a, ", ", b);
    return out_.emit("select i1 ", takes, ", ", type, " ", a, ", ", type, " ", b);
  }
  if (is_fast_) {
    const std::string_view suffix = type == "double" ? "f64" : "f32";
    return out_.emit("call ", type, " @llvm.", is_max ? "max" : "min", "num.", suffix, "(", type, " ", a, ", ", type,
                     " ", b, ")");
  }
  const char* bits = dtype == DType::f64 ? "i64" : "i32";
  const std::string wins = out_.emit("fcmp ", is_max ? "ogt " : "olt ", type, " ", a, ", ", b);
  const std::string alone = out_.emit("fcmp uno ", type, " ", b, ", ", b);
  const std::string same = out_.emit("fcmp oeq ", type, " ", a, ", ", b);
  const std::string pattern = out_.emit("bitcast ", type, " ", a, " to ", bits);
  const std::string sign = out_.emit("icmp ", is_max ? "sge " : "slt ", bits, " ", pattern, ", 0");
  const std::string zero = out_.emit("and i1 ", same, ", ", sign);
  const std::string either = out_.emit("or i1 ", wins, ", ", alone);
  const std::string takes = out_.emit("or i1 ", either, ", ", zero);
  return out_.emit("select i1 ", takes, ", ", type, " ", a, ", ", type, " ", b);
}

std::string Values::integer_arithmetic(ArithmeticOp op, DType dtype, const std::string& a, const std::string& b) {
  const std::string_view type = value_type(dtype);
  switch (op) {
    case ArithmeticOp::add: return out_.emit("add ", type, " ", a, ", ", b);
    case ArithmeticOp::subtract: return out_.emit("sub ", type, " ", a, ", ", b);
    case ArithmeticOp::multiply: return out_.emit("mul ", type, " ", a, ", ", b);
    case ArithmeticOp::floor_divide: return floor_division(dtype, a, b, true);
    case ArithmeticOp::modulo: return floor_division(dtype, a, b, false);
    case ArithmeticOp::max: return extremum(dtype, a, b, true);
    case ArithmeticOp::min: return extremum(dtype, a, b, false);
    case ArithmeticOp::divide:
    case ArithmeticOp::power: break;  // typed as floats
  }
  if (!problem_) problem_ = "an operation that integers do not have";
  return a;
}

/// bool computes in integers and is `!= 0` of the result.
std::string Values::bool_arithmetic(ArithmeticOp op, const std::string& a, const std::string& b) {
  switch (op) {
    case ArithmeticOp::add:
    case ArithmeticOp::max: return out_.emit("or i1 ", a, ", ", b);
    case ArithmeticOp::multiply:
    case ArithmeticOp::min: return out_.emit("and i1 ", a, ", ", b);
    case ArithmeticOp::subtract: return out_.emit("xor i1 ", a, ", ", b);
    case ArithmeticOp::floor_divide:
    case ArithmeticOp::modulo: {
      const std::string x = conversion(DType::boolean, DType::u8, a);
      const std::string y = conversion(DType::boolean, DType::u8, b);
      return conversion(DType::u8, DType::boolean, floor_division(DType::u8, x, y, op == ArithmeticOp::floor_divide));
    }
    case ArithmeticOp::divide:
    case ArithmeticOp::power: break;
  }
  if (!problem_) problem_ = "an operation that bool does not have";
  return a;
}

/// A divisor of zero is noted in the status and replaced by 1; so is the one quotient that overflows, which wraps.
std::string Values::floor_division(DType dtype, const std::string& a, const std::string& b, bool quotient) {
  const std::string_view type = value_type(dtype);
  const std::string zero = out_.emit("icmp eq ", type, " ", b, ", 0");
  out_.run("call void @stp_note(ptr %status, i1 ", zero, ", i32 2)");
  if (is_unsigned(dtype)) {
    const std::string divisor = out_.emit("select i1 ", zero, ", ", type, " 1, ", type, " ", b);
    return out_.emit(quotient ? "udiv " : "urem ", type, " ", a, ", ", divisor);
  }
  const std::string negative_one = out_.emit("icmp eq ", type, " ", b, ", -1");
  const std::string special = out_.emit("or i1 ", zero, ", ", negative_one);
  const std::string divisor = out_.emit("select i1 ", special, ", ", type, " 1, ", type, " ", b);
  const std::string rest = out_.emit("srem ", type, " ", a, ", ", divisor);
  const std::string signs = out_.emit("xor ", type, " ", rest, ", ", divisor);
  const std::string differ = out_.emit("icmp slt ", type, " ", signs, ", 0");
  const std::string some = out_.emit("icmp ne ", type, " ", rest, ", 0");
  const std::string adjust = out_.emit("and i1 ", differ, ", ", some);
  if (!quotient) {
    const std::string moved = out_.emit("add ", type, " ", rest, ", ", divisor);
    return out_.emit("select i1 ", adjust, ", ", type, " ", moved, ", ", type, " ", rest);
  }
  const std::string whole = out_.emit("sdiv ", type, " ", a, ", ", divisor);
  const std::string less = out_.emit("sub ", type, " ", whole, ", 1");
  const std::string floored = out_.emit("select i1 ", adjust, ", ", type, " ", less, ", ", type, " ", whole);
  const std::string negated = out_.emit("sub ", type, " 0, ", a);
  return out_.emit("select i1 ", negative_one, ", ", type, " ", negated, ", ", type, " ", floored);
}

std::string Values::power(DType dtype, const std::string& base, std::uint64_t exponent) {
  if (dtype == DType::boolean) return exponent == 0 ? "true" : base;
  const std::string_view type = value_type(dtype);
  std::string result = "1";
  std::string factor = base;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = out_.emit("mul ", type, " ", result, ", ", factor);
    if (exponent > 1) factor = out_.emit("mul ", type, " ", factor, ", ", factor);
  }
  return result;
}

std::string Values::function(Function function, DType dtype, const std::string& x) {
  const std::string_view type = value_type(dtype);
  if (!is_float(dtype)) {
    if (dtype == DType::boolean) return x;
    if (function != Function::negate && function != Function::abs) return x;
    if (dtype == DType::u8 && function == Function::abs) return x;
    std::string negated = out_.emit("sub ", type, " 0, ", x);
    if (function == Function::negate) return negated;
    const std::string negative = out_.emit("icmp slt ", type, " ", x, ", 0");
    return out_.emit("select i1 ", negative, ", ", type, " ", negated, ", ", type, " ", x);
  }
  if (function == Function::negate) return out_.emit("fneg ", type, " ", x);
  if (const std::string_view name = intrinsic_name(function); !name.empty()) {
    const char* suffix = dtype == DType::f64 ? ".f64" : ".f32";
    return rounded(dtype, out_.emit("call ", type, " @llvm.", name, suffix, "(", type, " ", x, ")"));
  }
  const std::string_view fast = fast_name(function);
  if (is_fast_ && dtype != DType::f64 && !fast.empty()) {
    return rounded(dtype, out_.emit("call float @", fast, "(float ", x, ")"));
  }
  const std::string wide = conversion(dtype, DType::f64, x);
  if (function == Function::rsqrt) {
    const std::string root = out_.emit("call double @llvm.sqrt.f64(double ", wide, ")");
    return rounded_double(dtype, out_.emit("fdiv double ", real_constant(1.0), ", ", root));
  }
  return rounded_double(dtype, out_.emit("call double @", math_name(function, dtype), "(double ", wide, ")"));
}

std::string Values::conversion(DType from, DType to, const std::string& x) {
  if (from == to) return x;
  const std::string_view source = value_type(from);
  const std::string_view target = value_type(to);
  if (to == DType::boolean) {
    if (is_float(from)) return out_.emit("fcmp une ", source, " ", x, ", ", real_constant(0.0));
    return out_.emit("icmp ne ", source, " ", x, ", 0");
  }
  if (is_float(from) && is_float(to)) {
    if (is_half(to)) return from == DType::f64 ? rounded_double(to, x) : rounded(to, x);
    if (source == target) return x;
    return out_.emit(to == DType::f64 ? "fpext " : "fptrunc ", source, " ", x, " to ", target);
  }
  if (is_float(from)) {
    const char* kind = is_unsigned(to) ? "ui" : "si";
    const char* suffix = source == "double" ? ".f64" : ".f32";
    return out_.emit("call ", target, " @llvm.fpto", kind, ".sat.", target, suffix, "(", source, " ", x, ")");
  }
  const char* kind = is_unsigned(from) ? "uitofp " : "sitofp ";
  if (is_half(to)) {
    if (from == DType::i64) return rounded_double(to, out_.emit("call double @stp_i64_to_odd(i64 ", x, ")"));
    return rounded_double(to, out_.emit(kind, source, " ", x, " to double"));
  }
  if (is_float(to)) return out_.emit(kind, source, " ", x, " to ", target);
  const int before = from == DType::boolean ? 0 : info(from).bytes;
  if (before == info(to).bytes) return x;
  if (before > info(to).bytes) return out_.emit("trunc ", source, " ", x, " to ", target);
  return out_.emit(is_unsigned(from) ? "zext " : "sext ", source, " ", x, " to ", target);
}

}  // namespace steptp::llvm_ir
