#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/cuda/swizzle.h"
#include "steptp/lowering/arrangement.h"
#include "steptp/lowering/offsets.h"

namespace steptp::cuda {

/// The type of an element in memory, and of a value: they differ for bool, of which any byte but 0 is true.
[[nodiscard]] std::string_view memory_type(DType dtype);
[[nodiscard]] std::string_view value_type(DType dtype);

/// A loop index as a name of C++: LEIR's may be keywords (`do`, `if`), and none ends in an underscore.
[[nodiscard]] std::string variable_name(const std::string& index);

/// Spells subscripts and values in C++. Expressions are complete: every operation is in brackets where it stands in
/// another, and a branch that is not taken is not evaluated.
class Speller {
 public:
  explicit Speller(const lowering::Arrangement& arrangement) : arrangement_(arrangement) {}

  /// The loops that are open, outermost first.
  void open(const Loop& loop) { box_.push_back({loop.index, loop.extent}); }
  void close() { box_.pop_back(); }
  [[nodiscard]] const std::vector<BoxVariable>& box() const { return box_; }

  [[nodiscard]] std::string value(const lowering::Value& value);
  /// An element as an lvalue.
  [[nodiscard]] std::string element(const Ref& ref);
  /// The number of the element in its buffer.
  [[nodiscard]] Index offset(const Ref& ref);
  [[nodiscard]] std::string index(const Index& index);

  /// Loads of exactly this reference are spelled so: a register that holds it.
  void replace(const RefPtr& ref, std::string text) { replaced_.emplace_back(ref, std::move(text)); }
  void forget_replaced() { replaced_.clear(); }

  /// A buffer that goes by another name for a while.
  void rename(const std::string& tensor, std::string name) { names_.insert_or_assign(tensor, std::move(name)); }
  void forget_name(const std::string& tensor) { names_.erase(tensor); }
  [[nodiscard]] std::string name(const std::string& tensor) const;
  /// Elements of a buffer that lie elsewhere than their numbers say.
  void swizzle(const std::string& tensor, const Swizzle& swizzle) { swizzles_.emplace(tensor, swizzle); }
  /// Where the element of that number lies.
  [[nodiscard]] std::string place(const std::string& tensor, const Index& number);

  /// An operation on two values of one dtype.
  [[nodiscard]] static std::string operation(ArithmeticOp op, DType dtype, const std::string& a, const std::string& b);

  /// What could not be spelled; the first one.
  [[nodiscard]] const std::optional<std::string>& problem() const { return problem_; }

 private:
  [[nodiscard]] std::string atom(const IndexAtom& atom, bool wide);
  [[nodiscard]] std::string sum(const Index& index, bool wide);
  [[nodiscard]] bool fits_int(const lowering::Value& value) const;
  [[nodiscard]] std::string comparison_operand(const lowering::Value& value, bool narrow);
  [[nodiscard]] std::string conversion(const lowering::Value& value);

  const lowering::Arrangement& arrangement_;
  std::vector<BoxVariable> box_;
  std::vector<std::pair<RefPtr, std::string>> replaced_;
  std::map<std::string, std::string> names_;
  std::map<std::string, Swizzle> swizzles_;
  std::optional<std::string> problem_;
};

/// A finite number, or an infinity, as an expression of C++ of that float dtype; exact.
[[nodiscard]] std::string real_constant(DType dtype, double value);

}  // namespace steptp::cuda
