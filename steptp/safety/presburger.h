#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "steptp/analysis/accesses.h"

namespace steptp {

/// Questions about sets of integer points, answered exactly by isl. Texts are isl's notation for sets; the functions
/// below write our parts in it. Work is limited by a number of isl operations, so that answers do not depend on the
/// machine.
class Presburger {
 public:
  Presburger();
  ~Presburger();
  Presburger(const Presburger&) = delete;
  Presburger& operator=(const Presburger&) = delete;

  struct Answer {
    enum class Kind : std::uint8_t { covered, missing, gave_up };
    Kind kind = Kind::gave_up;
    std::vector<std::int64_t> point;  ///< missing: a point of `whole` that no part contains
  };
  /// Is every point of `whole` in one of `parts`? `dimensions` is the length of the tuples.
  [[nodiscard]] Answer covered(const std::string& whole, const std::vector<std::string>& parts, std::size_t dimensions);

 private:
  struct Context;
  std::unique_ptr<Context> context_;  ///< made by the first question: most programs ask none
};

/// Loop variables under the names they have in a query.
using Renaming = std::map<std::string, std::string, std::less<>>;

/// The index in isl's notation; nothing where it is not quasi-affine (a product of variables, a divisor that is not a
/// constant, a read of a tensor).
[[nodiscard]] std::optional<std::string> isl_text(const Index& index, const Renaming& names);
/// A condition, or its negation, on indices; nothing where it is not quasi-affine or reads a tensor.
[[nodiscard]] std::optional<std::string> isl_text(const Expr& condition, bool holds, const Renaming& names);

}  // namespace steptp
