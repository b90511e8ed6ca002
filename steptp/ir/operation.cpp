#include "steptp/ir/operation.h"

namespace steptp {

std::string_view text_of(ArithmeticOp op) {
  switch (op) {
    case ArithmeticOp::add: return "+";
    case ArithmeticOp::subtract: return "-";
    case ArithmeticOp::multiply: return "*";
    case ArithmeticOp::divide: return "/";
    case ArithmeticOp::floor_divide: return "//";
    case ArithmeticOp::modulo: return "%";
    case ArithmeticOp::power: return "**";
    case ArithmeticOp::max: return "max";
    case ArithmeticOp::min: return "min";
  }
  return "+";
}

std::string_view text_of(Function function) {
  switch (function) {
    case Function::negate: return "-";
    case Function::exp: return "exp";
    case Function::log: return "log";
    case Function::sqrt: return "sqrt";
    case Function::abs: return "abs";
    case Function::erf: return "erf";
    case Function::tanh: return "tanh";
    case Function::sin: return "sin";
    case Function::cos: return "cos";
    case Function::floor: return "floor";
    case Function::ceil: return "ceil";
    case Function::round: return "round";
    case Function::rsqrt: return "rsqrt";
  }
  return "-";
}

std::string_view text_of(CompareOp op) {
  switch (op) {
    case CompareOp::less: return "<";
    case CompareOp::less_equal: return "<=";
    case CompareOp::greater: return ">";
    case CompareOp::greater_equal: return ">=";
    case CompareOp::equal: return "==";
    case CompareOp::not_equal: return "!=";
  }
  return "<";
}

std::string_view text_of(LogicOp op) {
  switch (op) {
    case LogicOp::conjunction: return "&";
    case LogicOp::disjunction: return "|";
  }
  return "&";
}

std::optional<Function> parse_function(std::string_view name) {
  for (const Function function : kAllFunctions) {
    if (function != Function::negate && text_of(function) == name) return function;
  }
  return std::nullopt;
}

bool is_extension(Function function) { return function >= Function::tanh; }

}  // namespace steptp
