// How a written operation is kept in the tag of a generator: its code and its type as one number (docs/decisions/0040).
#include "steptp/prove/written_operations.h"

#include <algorithm>

namespace steptp::forms {

namespace {

// Codes of operations: first those of ArithmeticOp, then those of Function.
constexpr std::uint32_t kTypes = 16;
constexpr std::uint32_t kFirstFunction = 16;
constexpr std::uint32_t kRounding = 48;
constexpr std::uint32_t kTerm = 49;

std::uint32_t tag_of(std::uint32_t code, DType dtype) { return code * kTypes + static_cast<std::uint32_t>(dtype); }

}  // namespace

std::uint32_t operation_tag(ArithmeticOp op, DType dtype) { return tag_of(static_cast<std::uint32_t>(op), dtype); }

std::uint32_t operation_tag(Function function, DType dtype) {
  return tag_of(kFirstFunction + static_cast<std::uint32_t>(function), dtype);
}

std::uint32_t operation_tag(WrittenOperation::Kind kind, DType dtype) {
  return tag_of(kind == WrittenOperation::Kind::term ? kTerm : kRounding, dtype);
}

WrittenOperation operation_of(std::uint32_t tag) {
  WrittenOperation out;
  out.dtype = static_cast<DType>(tag % kTypes);
  const std::uint32_t code = tag / kTypes;
  if (code == kTerm || code == kRounding) {
    out.kind = code == kTerm ? WrittenOperation::Kind::term : WrittenOperation::Kind::rounding;
  } else if (code >= kFirstFunction) {
    out.kind = WrittenOperation::Kind::function;
    out.function = static_cast<Function>(code - kFirstFunction);
  } else {
    out.op = static_cast<ArithmeticOp>(code);
  }
  return out;
}

bool is_commutative(const Generator& node) {
  if (node.kind != Generator::Kind::operation || node.polynomials.size() != 2) return false;
  const WrittenOperation operation = operation_of(node.tag);
  return operation.kind == WrittenOperation::Kind::arithmetic &&
         (operation.op == ArithmeticOp::add || operation.op == ArithmeticOp::multiply);
}

}  // namespace steptp::forms
