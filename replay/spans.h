#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "replay/place.h"

namespace steptp::replayer {

/// Between which numbers the values of expressions lie, read off the program and the domains of its inputs alone: what
/// is decided for every input needs no point. NaN lies nowhere, and no comparison with it holds.
struct Span {
  long double low = 0;
  long double high = 0;
  bool may_be_nan = true;
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

 private:
  [[nodiscard]] Span of(const Expr& expr);
  [[nodiscard]] Span of_tensor(const std::string& name);
  [[nodiscard]] Span of_writers(const std::string& name, const Span& earlier);
  [[nodiscard]] Span of_function(Function function, const Span& a);
  [[nodiscard]] Span chain(const std::vector<ExprPtr>& operands, const std::vector<ArithmeticOp>& operators);

  const Layout& layout_;
  std::map<std::string, Span, std::less<>> tensors_;
  int depth_ = 0;
};

}  // namespace steptp::replayer
