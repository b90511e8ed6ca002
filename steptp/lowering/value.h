#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "steptp/ir/program.h"
#include "steptp/ir/typing.h"

namespace steptp::lowering {

struct Value;
using ValuePtr = std::shared_ptr<const Value>;

/// A right side with every type decided and every conversion written out: what is left to a back end is to spell
/// each operation in one dtype.
struct Value {
  enum class Kind : std::uint8_t {
    integer,        ///< a constant of an integer dtype
    real,           ///< a constant of f64 or f32
    index,          ///< an exact integer of loop variables, as an i64
    load,           ///< an element of a tensor
    convert,        ///< the operand in `dtype`, rounded once
    arithmetic,     ///< both operands have `dtype`
    integer_power,  ///< the operand to the power `exponent`, wrapping
    function,       ///< the operand has `dtype`
    select,         ///< condition, then, else; the one not taken must not be evaluated
    compare,        ///< bool; both operands have one dtype
    logic,          ///< bool; all operands are bool
  };
  Kind kind = Kind::integer;
  DType dtype = DType::i64;
  std::int64_t integer = 0;
  double real = 0;
  Index index;
  RefPtr ref;
  std::vector<ValuePtr> operands;
  ArithmeticOp op = ArithmeticOp::add;
  Function function = Function::negate;
  CompareOp comparison = CompareOp::less;
  LogicOp logic = LogicOp::conjunction;
  std::uint64_t exponent = 0;
};

/// A float to the power 2: the product of it with itself, rounded once, is the same.
[[nodiscard]] bool is_square(const Value& value);

[[nodiscard]] ValuePtr integer_value(DType dtype, std::int64_t value);
[[nodiscard]] ValuePtr load_value(RefPtr ref);
[[nodiscard]] ValuePtr not_zero(ValuePtr value);
[[nodiscard]] ValuePtr select_value(ValuePtr condition, ValuePtr if_true, ValuePtr if_false);

/// The value in another dtype (docs/language.md R7); constants are converted here where f64 or f32 holds them.
[[nodiscard]] ValuePtr converted(ValuePtr value, DType dtype);

/// What an undefined accumulator reads as.
[[nodiscard]] ValuePtr identity_value(ArithmeticOp op, DType dtype);

/// The value of an expression; `flagged`, where it is set, names the accumulator that may be undefined and whose
/// definedness is kept in a tensor of flags. Null where the expression has no type (`check` refuses such programs).
struct Flagged {
  const Ref* accumulator = nullptr;
  ArithmeticOp op = ArithmeticOp::add;
};
[[nodiscard]] ValuePtr value_of(const Expr& expr, const std::optional<Flagged>& flagged = {});

/// The right side of an equation, with its product in the type of the left side where docs/language.md R22 says so.
[[nodiscard]] ValuePtr value_of(const Equation& equation, const std::optional<Flagged>& flagged = {});

/// A condition as a bool.
[[nodiscard]] ValuePtr condition_value(const Expr& expr, const std::optional<Flagged>& flagged = {});

/// The tensor that says which elements of another are defined: a name that no program can have.
[[nodiscard]] RefPtr flag_ref(const Ref& ref);

}  // namespace steptp::lowering
