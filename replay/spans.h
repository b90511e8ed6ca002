#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "replay/met.h"
#include "replay/place.h"

namespace steptp::replayer {

/// Between which numbers the values of expressions lie, read off the program and the domains of its inputs alone: what
/// is decided for every input needs no point. NaN lies nowhere, and no comparison with it holds.
struct Span {
  long double low = 0;
  long double high = 0;
  bool may_be_nan = true;
  bool is_nonzero = false;  ///< although zero lies between them
  /// Zero only where something that it is made of is infinite, as exp(-inf) is: infinities are met by drawing.
  bool is_solid = false;
};

class Spans {
 public:
  explicit Spans(const Layout& layout) : layout_(layout) {}
  /// How one comparison of a chain comes out at every input; nothing where spans do not decide it.
  [[nodiscard]] std::optional<bool> decided(const Compare& compare, std::size_t part);
  /// Of a condition as a whole.
  [[nodiscard]] std::optional<bool> decided(const Expr& condition);
  /// A maximum, a minimum or a magnitude always falls on one side.
  [[nodiscard]] bool is_one_sided(const Expr& expr);
  /// The side of a question that was never gone is none: no value is on it. Of roundings: there is one result.
  /// The sides of a comparison are equal only where something is infinite.
  [[nodiscard]] bool is_zero_at_infinity(const Compare& compare, std::size_t part);
  [[nodiscard]] bool is_answered(const Place& place, bool first_is_missing);

 private:
  [[nodiscard]] Span of(const Expr& expr);
  [[nodiscard]] Span of_power(const Power& power);
  /// As it is in the type in which it meets another operand: what is beyond an integer wraps.
  [[nodiscard]] Span converted(const Expr& expr, const std::optional<DType>& dtype);
  [[nodiscard]] Span of_tensor(const std::string& name);
  [[nodiscard]] Span found_of_tensor(const std::string& name);
  /// A quotient that is rounded, as the last operand of so many.
  [[nodiscard]] bool has_one_quotient(const Product& product, std::size_t count);
  [[nodiscard]] bool has_one_quotient(const Subscript& subscript, const Statement& statement);
  [[nodiscard]] bool have_one_quotient(const Expr& right);
  [[nodiscard]] Span of_subscript(const Subscript& subscript, const Statement& statement);
  [[nodiscard]] Span of_atom(const SubscriptAtom& atom, const Statement& statement);
  [[nodiscard]] Span of_writers(const std::string& name, const Span& earlier);
  [[nodiscard]] Span of_function(Function function, const Span& a);
  /// Of the first operands, or of all.
  [[nodiscard]] Span chain(const std::vector<ExprPtr>& operands, const std::vector<ArithmeticOp>& operators,
                           std::size_t count = Place::kNowhere);

  const Layout& layout_;
  std::map<std::string, Span, std::less<>> tensors_;
  /// What is assumed of tensors that are being looked at, the outermost first.
  struct Assumed {
    std::string name;
    Span span;
    bool is_used = false;
  };
  std::vector<Assumed> assumed_;
  bool used_own_ = false;  ///< the last writers that were looked at read what was assumed of their tensor
  std::size_t lowest_used_ = Place::kNowhere;  ///< of what is assumed
  int depth_ = 0;
};

}  // namespace steptp::replayer
