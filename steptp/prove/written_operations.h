#pragma once

#include <cstdint>
#include <optional>

#include "steptp/ir/dtype.h"
#include "steptp/ir/operation.h"
#include "steptp/prove/nodes.h"

namespace steptp::forms {

/// What a generator of the kind `operation` does, in which type. An arena that keeps programs as they are written makes
/// one of every operation of floats, so that equal forms have equal roundings.
struct WrittenOperation {
  enum class Kind : std::uint8_t {
    arithmetic,
    function,
    rounding,  ///< a value kept in a narrower type
    term,      ///< one summand of an accumulation, whose rounds may come in any order
  };
  Kind kind = Kind::arithmetic;
  ArithmeticOp op = ArithmeticOp::add;
  Function function = Function::negate;
  DType dtype = DType::f64;
};

[[nodiscard]] std::uint32_t operation_tag(ArithmeticOp op, DType dtype);
[[nodiscard]] std::uint32_t operation_tag(Function function, DType dtype);
[[nodiscard]] std::uint32_t operation_tag(WrittenOperation::Kind kind, DType dtype);
[[nodiscard]] WrittenOperation operation_of(std::uint32_t tag);

/// A written sum or product: its two operands may change places.
[[nodiscard]] bool is_commutative(const Generator& node);

}  // namespace steptp::forms
