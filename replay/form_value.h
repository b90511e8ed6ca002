#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "replay/form.h"

namespace steptp::replayer {

/// A number as forms have it: whole numbers stay exact.
struct FormValue {
  bool is_integer = false;
  Wide integer = 0;
  Real real;
};

/// What the leaves of a form are at one point.
struct Leaves {
  /// An element of a known variable; may throw Undefined.
  std::function<FormValue(const std::string&, const std::vector<std::int64_t>&)> input;
  /// An element of a value number.
  std::function<Real(std::int64_t, const std::vector<std::int64_t>&)> value;
  const Uniform* uniform = nullptr;  ///< where leaves are alike, folds are taken in blocks
};

/// Evaluates forms at one point, exactly as they are written.
class FormEvaluator {
 public:
  FormEvaluator(Numbers& numbers, const Leaves& leaves, std::size_t variables, std::uint64_t& budget)
      : numbers_(numbers), leaves_(leaves), budget_(budget), environment_(variables, 0) {}

  void set(std::uint32_t variable, std::int64_t value) { environment_[variable] = value; }
  [[nodiscard]] FormValue value(const Form& form);
  [[nodiscard]] Real real(const Form& form) { return to_real(value(form)); }
  [[nodiscard]] bool holds(const Form& condition);
  [[nodiscard]] Real to_real(const FormValue& value) const;

 private:
  [[nodiscard]] FormValue fold(const Form& form);
  /// The same where the body depends on the leaves alone: boxes on which all of these are alike are one term each.
  [[nodiscard]] FormValue fold_in_blocks(const Form& form, const std::vector<const Form*>& leaves);
  void add_block(const Form& form, const std::vector<const Form*>& leaves, IndexBox box,
                 std::optional<FormValue>& total);
  [[nodiscard]] bool is_uniform(const std::vector<const Form*>& leaves, const IndexBox& box) const;
  [[nodiscard]] FormValue repeated(ArithmeticOp op, const FormValue& term, std::int64_t count);
  [[nodiscard]] FormValue recurrence(const Form& form, std::vector<std::int64_t> arguments);
  [[nodiscard]] FormValue combined(ArithmeticOp op, const FormValue& a, const FormValue& b);
  [[nodiscard]] FormValue typed(const Form& form);
  [[nodiscard]] FormValue rational(const Form& form) const;
  [[nodiscard]] std::int64_t index(const Form& form);
  [[nodiscard]] std::vector<std::int64_t> indices(const Form& form, std::size_t from);
  void spend();

  using Key = std::pair<const Form*, std::vector<std::int64_t>>;
  Numbers& numbers_;
  const Leaves& leaves_;
  std::uint64_t& budget_;
  std::vector<std::int64_t> environment_;
  std::map<Key, FormValue> done_;
  [[nodiscard]] FormValue round_of(const Form& form);
  std::set<Key> struck_;        ///< rounds without a value, or after one
  bool is_struck_ = false;      ///< one was met since the recurrence at hand began
  const Form* open_ = nullptr;  ///< the recurrence whose body is being evaluated
  int depth_ = 0;
};

}  // namespace steptp::replayer
