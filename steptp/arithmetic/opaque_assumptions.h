#pragma once

#include <utility>
#include <vector>

#include "steptp/arithmetic/opaque_space.h"
#include "steptp/arithmetic/opaque_value.h"

namespace steptp::certify {

/// A condition that holds, or fails, at every input.
[[nodiscard]] OpaqueDecision decided(const TwinField& field, bool holds);

/// What is assumed at the place that is evaluated: in the arm of a choice its condition holds, in the other it fails.
class OpaqueAssumptions {
 public:
  explicit OpaqueAssumptions(const OpaqueSpace& space) : space_(space) {}

  [[nodiscard]] bool is_surely_positive(const OpaqueValue& a) const { return is_surely(a, true, true); }
  [[nodiscard]] bool is_surely_nonnegative(const OpaqueValue& a) const { return is_surely(a, true, false); }
  [[nodiscard]] bool is_surely_nonzero(const OpaqueValue& a) const { return is_surely(a, false, true); }
  /// A condition that follows from what is assumed is decided.
  [[nodiscard]] OpaqueDecision known(OpaqueDecision made) const;

  /// One more assumption, for as long as the object lives.
  class Assumption {
   public:
    Assumption(OpaqueAssumptions& all, const OpaqueDecision& decision, bool holds) : list_(all.list_) {
      list_.emplace_back(decision, holds);
    }
    Assumption(const Assumption&) = delete;
    Assumption& operator=(const Assumption&) = delete;
    ~Assumption() { list_.pop_back(); }

   private:
    std::vector<std::pair<OpaqueDecision, bool>>& list_;
  };
  /// Nothing is assumed while the object lives: what is computed is remembered for other places.
  class Suspension {
   public:
    explicit Suspension(OpaqueAssumptions& all) : list_(all.list_) { list_.swap(kept_); }
    Suspension(const Suspension&) = delete;
    Suspension& operator=(const Suspension&) = delete;
    ~Suspension() { list_.swap(kept_); }

   private:
    std::vector<std::pair<OpaqueDecision, bool>>& list_;
    std::vector<std::pair<OpaqueDecision, bool>> kept_;
  };

 private:
  [[nodiscard]] bool is_surely(const OpaqueValue& a, bool positive, bool nonzero) const;

  const OpaqueSpace& space_;
  std::vector<std::pair<OpaqueDecision, bool>> list_;
};

}  // namespace steptp::certify
