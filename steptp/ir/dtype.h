#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace steptp {

/// The element types, in the order in which tables list them.
enum class DType : std::uint8_t { f64, f32, f16, bf16, i64, i32, i16, i8, u8, boolean };

inline constexpr std::array kAllDTypes = {DType::f64, DType::f32, DType::f16, DType::bf16, DType::i64,
                                          DType::i32, DType::i16, DType::i8,  DType::u8,   DType::boolean};

enum class DTypeFamily : std::uint8_t { boolean, integer, floating };

/// The facts of a type; one table, checked by a property test.
struct DTypeInfo {
  DType dtype;
  std::string_view code;        ///< in LEIR text: "f32"
  std::string_view torch_name;  ///< in JSON and prompts: "float32"
  DTypeFamily family;
  int bytes;
  int precision;           ///< significand bits including the hidden one; value bits of an integer
  int max_exponent;        ///< floats: the largest e with a finite value in [2^e, 2^(e+1))
  std::int64_t least = 0;  ///< integers and bool
  std::int64_t greatest = 0;
};

[[nodiscard]] const DTypeInfo& info(DType dtype);
[[nodiscard]] inline std::string_view code(DType dtype) { return info(dtype).code; }
[[nodiscard]] inline bool is_float(DType dtype) { return info(dtype).family == DTypeFamily::floating; }
[[nodiscard]] inline bool is_integer(DType dtype) { return info(dtype).family == DTypeFamily::integer; }

/// The value that a float type holds for this one: to nearest, ties to even, with subnormals.
[[nodiscard]] double held_by(DType dtype, double value);

/// Reads either spelling (`f32`, `float32`).
[[nodiscard]] std::optional<DType> parse_dtype(std::string_view text);

/// The type of an operation on two typed operands (docs/language.md R7): bool, integers, floats; any float beats
/// any integer; f16 with bf16 gives f32; u8 with i8 gives i16; otherwise the wider.
[[nodiscard]] DType promote(DType left, DType right);

/// Where a tensor lives (docs/language.md R6, R20).
enum class Scope : std::uint8_t { global, shared, local, fragment };
[[nodiscard]] char code(Scope scope);
[[nodiscard]] std::optional<Scope> parse_scope(std::string_view text);
/// One array for each thread (l) or each unit (f) of a block.
[[nodiscard]] inline bool is_private(Scope scope) { return scope == Scope::local || scope == Scope::fragment; }

/// A scope as a reference writes it. `s2` to `s5` mean exactly `s`; the digit is how many rounds of the loop around a
/// back end may keep in flight (docs/language.md R21). Whoever asks for a Scope does not see the digit.
struct Placement {
  Scope scope = Scope::global;
  std::uint8_t depth = 1;  ///< more than 1 only in `s`

  constexpr Placement() = default;
  constexpr Placement(Scope where, std::uint8_t rounds = 1) : scope(where), depth(rounds) {}  // NOLINT: a scope is one
  constexpr operator Scope() const { return scope; }                                          // NOLINT
  friend constexpr bool operator==(const Placement&, const Placement&) = default;
  friend constexpr bool operator==(const Placement& left, Scope right) { return left.scope == right; }
};
inline constexpr std::uint8_t kMostDepth = 5;
/// `g`, `s`, `s2`: as in the text.
[[nodiscard]] std::string_view code(Placement placement);
[[nodiscard]] std::optional<Placement> parse_placement(std::string_view text);

}  // namespace steptp
