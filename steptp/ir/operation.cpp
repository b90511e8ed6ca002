#include "steptp/ir/operation.h"

namespace steptp {

namespace {

struct FunctionInfo {
  Function function;
  std::string_view name;
  bool extension;
};

constexpr std::array<FunctionInfo, kAllFunctions.size()> kFunctions = {{
    {Function::negate, "-", false},
    {Function::exp, "exp", false},
    {Function::log, "log", false},
    {Function::sqrt, "sqrt", false},
    {Function::abs, "abs", false},
    {Function::erf, "erf", false},
    {Function::tanh, "tanh", true},
    {Function::sin, "sin", true},
    {Function::cos, "cos", true},
    {Function::floor, "floor", true},
    {Function::ceil, "ceil", true},
    {Function::round, "round", true},
    {Function::rsqrt, "rsqrt", true},
}};

constexpr std::array<std::string_view, kAllArithmeticOps.size()> kArithmeticNames = {"+", "-",  "*",   "/",  "//",
                                                                                     "%", "**", "max", "min"};
constexpr std::array<std::string_view, kAllComparisonOps.size()> kComparisonNames = {"<", "<=", ">", ">=", "==", "!="};

}  // namespace

std::string_view name(ArithmeticOp op) {
  return kArithmeticNames[static_cast<std::size_t>(op)];
}
std::string_view name(Function function) {
  return kFunctions[static_cast<std::size_t>(function)].name;
}
std::string_view name(ComparisonOp op) {
  return kComparisonNames[static_cast<std::size_t>(op)];
}

bool is_extension(Function function) {
  return kFunctions[static_cast<std::size_t>(function)].extension;
}

std::optional<Function> parse_function(std::string_view text) {
  for (const FunctionInfo& row : kFunctions) {
    if (row.function != Function::negate && text == row.name) return row.function;
  }
  return std::nullopt;
}

std::optional<ArithmeticOp> parse_function2(std::string_view text) {
  for (const ArithmeticOp op : {ArithmeticOp::max, ArithmeticOp::min}) {
    if (text == name(op)) return op;
  }
  return std::nullopt;
}

}  // namespace steptp
