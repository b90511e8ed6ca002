#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace steptp {

/// The operations with two operands that yield a number. `max` and `min` are written as functions, the others between
/// their operands; in meaning there is no difference.
enum class ArithmeticOp : std::uint8_t { add, subtract, multiply, divide, floor_divide, modulo, power, max, min };

inline constexpr std::array kAllArithmeticOps = {
    ArithmeticOp::add,    ArithmeticOp::subtract,     ArithmeticOp::multiply,
    ArithmeticOp::divide, ArithmeticOp::floor_divide, ArithmeticOp::modulo,
    ArithmeticOp::power,  ArithmeticOp::max,          ArithmeticOp::min};

/// The operations with one operand. `negate` is written as a sign, the others as calls.
enum class Function : std::uint8_t { negate, exp, log, sqrt, abs, erf, tanh, sin, cos, floor, ceil, round, rsqrt };

inline constexpr std::array kAllFunctions = {
    Function::negate, Function::exp, Function::log,   Function::sqrt, Function::abs,   Function::erf,  Function::tanh,
    Function::sin,    Function::cos, Function::floor, Function::ceil, Function::round, Function::rsqrt};

enum class ComparisonOp : std::uint8_t { less, less_equal, greater, greater_equal, equal, not_equal };

inline constexpr std::array kAllComparisonOps = {ComparisonOp::less,    ComparisonOp::less_equal,
                                                 ComparisonOp::greater, ComparisonOp::greater_equal,
                                                 ComparisonOp::equal,   ComparisonOp::not_equal};

/// How it is written: "+", "//", "max".
[[nodiscard]] std::string_view name(ArithmeticOp op);
/// "-" for negate, otherwise the function's name.
[[nodiscard]] std::string_view name(Function function);
[[nodiscard]] std::string_view name(ComparisonOp op);

/// Written `max(a,b)` rather than between its operands.
[[nodiscard]] inline bool is_call(ArithmeticOp op) {
  return op == ArithmeticOp::max || op == ArithmeticOp::min;
}

/// Not in the published language; a program that uses one is *extended* (leir.md section 2 rule 9).
[[nodiscard]] bool is_extension(Function function);

/// Called functions by name, so never negate.
[[nodiscard]] std::optional<Function> parse_function(std::string_view text);
/// `max` and `min`.
[[nodiscard]] std::optional<ArithmeticOp> parse_function2(std::string_view text);

}  // namespace steptp
