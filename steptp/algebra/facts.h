#pragma once

// What is known of real values: bounds, finiteness, sign, and how large exponentials can make them. Facts come from the
// domains of the signature, from definitions and from conditions; what is not known is no fact.

#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "steptp/algebra/maxima.h"
#include "steptp/algebra/scalars.h"
#include "steptp/analysis/accesses.h"
#include "steptp/analysis/value_facts.h"

namespace steptp::algebra {

inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// Of a value as a real number, at every input of the domain.
struct Fact {
  bool finite = false;  ///< neither infinite nor NaN; the other members say nothing without it
  bool nonzero = false;
  double low = -kUnbounded;
  double high = kUnbounded;
  /// Logarithms of its size as far as exponentials and numbers decide it: inputs count as moderate, whatever their
  /// bounds. exp(A) of any A reaches from -inf to inf, A itself from 0 to 0.
  double small = 0;
  double large = 0;

  [[nodiscard]] bool is_nonnegative() const { return finite && low >= 0; }
  [[nodiscard]] bool is_nonpositive() const { return finite && high <= 0; }
  [[nodiscard]] bool is_positive() const { return finite && (low > 0 || (low >= 0 && nonzero)); }
  [[nodiscard]] bool is_nonzero() const { return finite && (nonzero || low > 0 || high < 0); }
};

/// Logarithms of sizes that a dtype holds with room for a few digits: from -limit to limit.
[[nodiscard]] double size_limit(DType dtype);

/// Where a value stands: the loops around it, and the conditions under which it is computed.
struct Place {
  const Statement* statement = nullptr;
  std::vector<PathCondition> conditions;
};

class Facts {
 public:
  Facts(const AccessTable& table, const ValueFacts& integers);

  [[nodiscard]] Fact of(const ExprPtr& expr, const Place& place) const;
  /// Every element that some statement writes, or a known variable.
  [[nodiscard]] Fact of_tensor(const std::string& name) const;
  /// Some tensor holds integers.
  [[nodiscard]] bool has_integers() const { return has_integers_; }
  [[nodiscard]] const Maxima& maxima() const { return maxima_; }

 private:
  /// What all statements up to the last writer of each tensor say of it.
  void derive();
  [[nodiscard]] Fact written(const TensorFacts& tensor) const;

  const AccessTable& table_;
  const ValueFacts& integers_;
  bool has_integers_ = false;
  /// Tensors whose elements come from earlier ones: finite, because each is where those before it are.
  std::set<std::string, std::less<>> recurrent_;
  Maxima maxima_;
  std::map<std::string, Fact, std::less<>> tensors_;
};

/// Where both values lie.
[[nodiscard]] Fact either(const Fact& a, const Fact& b);

}  // namespace steptp::algebra
