#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace steptp {

/// The operations on two values.
enum class ArithmeticOp : std::uint8_t { add, subtract, multiply, divide, floor_divide, modulo, power, max, min };

inline constexpr std::array kAllArithmeticOps = {
    ArithmeticOp::add,    ArithmeticOp::subtract,     ArithmeticOp::multiply,
    ArithmeticOp::divide, ArithmeticOp::floor_divide, ArithmeticOp::modulo,
    ArithmeticOp::power,  ArithmeticOp::max,          ArithmeticOp::min};

/// The operations on one value.
enum class Function : std::uint8_t { negate, exp, log, sqrt, abs, erf, tanh, sin, cos, floor, ceil, round, rsqrt };

inline constexpr std::array kAllFunctions = {
    Function::negate, Function::exp, Function::log,   Function::sqrt, Function::abs,   Function::erf,  Function::tanh,
    Function::sin,    Function::cos, Function::floor, Function::ceil, Function::round, Function::rsqrt};

enum class CompareOp : std::uint8_t { less, less_equal, greater, greater_equal, equal, not_equal };

inline constexpr std::array kAllCompareOps = {CompareOp::less,          CompareOp::less_equal, CompareOp::greater,
                                              CompareOp::greater_equal, CompareOp::equal,      CompareOp::not_equal};

enum class LogicOp : std::uint8_t { conjunction, disjunction };

/// As written in LEIR text: `+`, `//`, `max`.
[[nodiscard]] std::string_view text_of(ArithmeticOp op);
[[nodiscard]] std::string_view text_of(Function function);
[[nodiscard]] std::string_view text_of(CompareOp op);
[[nodiscard]] std::string_view text_of(LogicOp op);

/// A function by its name in LEIR text; `negate` has none.
[[nodiscard]] std::optional<Function> parse_function(std::string_view name);

/// Functions that the published language does not have; a program that uses one is extended.
[[nodiscard]] bool is_extension(Function function);

}  // namespace steptp
