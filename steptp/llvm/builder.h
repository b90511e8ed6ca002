#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/lowering/arrangement.h"
#include "steptp/lowering/offsets.h"
#include "steptp/lowering/target.h"

namespace steptp::llvm_ir {

/// The type of an element in memory and of a value in a register. f16 and bf16 are held as the float of the same value,
/// bool as one bit.
[[nodiscard]] std::string_view memory_type(DType dtype);
[[nodiscard]] std::string_view value_type(DType dtype);

/// Writes the instructions of one function: values in registers, branches, loops.
class Builder {
 public:
  /// A new register with what the instruction gives.
  template <typename... Parts>
  std::string emit(const Parts&... parts) {
    std::string name = concat("%v", next_++);
    append(text_, "  ", name, " = ", parts..., "\n");
    return name;
  }
  /// An instruction that gives nothing.
  template <typename... Parts>
  void run(const Parts&... parts) {
    append(text_, "  ", parts..., "\n");
  }
  [[nodiscard]] std::string new_label() { return concat("l", next_label_++); }
  void begin(const std::string& label) {
    append(text_, label, ":\n");
    current_ = label;
  }
  void jump(const std::string& label) { run("br label %", label); }
  void branch(const std::string& condition, const std::string& yes, const std::string& no) {
    run("br i1 ", condition, ", label %", yes, ", label %", no);
  }
  /// The label of the block that is being written: a phi names it.
  [[nodiscard]] const std::string& current() const { return current_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::string current_ = "entry";
  int next_ = 0;
  int next_label_ = 0;
};

/// Where the elements of a buffer begin, and the hidden subscripts that its storage is expanded by.
struct Storage {
  std::string pointer;
  std::vector<std::pair<Axis, std::int64_t>> expanded;  ///< axes with their strides in elements
};

/// Writes values and accesses. What is read under a condition is read only where it holds.
class Values {
 public:
  Values(const lowering::Arrangement& arrangement, FloatRules rules, Builder& out)
      : arrangement_(arrangement),
        is_fast_(rules.arithmetic == Arithmetic::fast),
        nan_stays_(rules.nan_stays),
        out_(out) {}

  void open(const Loop& loop, std::string value);
  void close();
  [[nodiscard]] const std::vector<BoxVariable>& box() const { return box_; }

  void place(const std::string& buffer, Storage storage) { storages_[buffer] = std::move(storage); }

  [[nodiscard]] std::string value(const lowering::Value& value);
  void store(const Ref& target, const lowering::Value& value);
  /// Stores the value that storage begins with into all elements of a buffer.
  void fill(const lowering::Buffer& buffer, const std::string& pointer, std::int64_t elements);
  [[nodiscard]] const std::optional<std::string>& problem() const { return problem_; }

  /// Stores what a register holds, as an element of the dtype.
  void store_element(DType dtype, const std::string& value, const std::string& address);

 private:
  [[nodiscard]] std::string address(const Ref& ref);
  [[nodiscard]] std::string index(const Index& index);
  [[nodiscard]] std::string atom(const IndexAtom& atom);
  [[nodiscard]] std::string load(const Ref& ref);
  [[nodiscard]] std::string checked(const std::string& subscript, std::int64_t extent);

  [[nodiscard]] std::string arithmetic(ArithmeticOp op, DType dtype, const std::string& a, const std::string& b);
  [[nodiscard]] std::string real_arithmetic(ArithmeticOp op, DType dtype, const std::string& a, const std::string& b);
  [[nodiscard]] std::string integer_arithmetic(ArithmeticOp op, DType dtype, const std::string& a,
                                               const std::string& b);
  [[nodiscard]] std::string bool_arithmetic(ArithmeticOp op, const std::string& a, const std::string& b);
  [[nodiscard]] std::string floor_division(DType dtype, const std::string& a, const std::string& b, bool quotient);
  [[nodiscard]] std::string extremum(DType dtype, const std::string& a, const std::string& b, bool is_max);
  [[nodiscard]] std::string extremum_of_numbers(DType dtype, const std::string& a, const std::string& b, bool is_max);
  [[nodiscard]] std::string power(DType dtype, const std::string& base, std::uint64_t exponent);
  [[nodiscard]] std::string function(Function function, DType dtype, const std::string& x);
  [[nodiscard]] std::string conversion(DType from, DType to, const std::string& x);
  [[nodiscard]] std::string select(const lowering::Value& value);
  [[nodiscard]] std::string compare(const lowering::Value& value);
  /// A float rounded to the values that the half type has.
  [[nodiscard]] std::string rounded(DType dtype, const std::string& x);
  [[nodiscard]] std::string rounded_double(DType dtype, const std::string& x);

  const lowering::Arrangement& arrangement_;
  bool is_fast_;
  bool nan_stays_;
  Builder& out_;
  std::vector<BoxVariable> box_;
  std::vector<std::pair<Loop, std::string>> loops_;
  std::map<std::string, Storage> storages_;
  std::optional<std::string> problem_;
};

/// A double as LLVM reads it exactly.
[[nodiscard]] std::string real_constant(double value);

}  // namespace steptp::llvm_ir
