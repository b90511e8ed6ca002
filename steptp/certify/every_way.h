#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "steptp/arithmetic/opaque_arithmetic.h"
#include "steptp/certify/comparison.h"
#include "steptp/certify/inputs.h"
#include "steptp/certify/window.h"
#include "steptp/machine/machine.h"

namespace steptp::certify {

/// Two programs at one draw, whichever way their comparisons of reals go (opaque_arithmetic.h). Reals are unknowns
/// here; of the draw only integers and bools are taken as they are.
class EveryWay {
 public:
  /// The codes are those of the pair with choices_as_reals. In a window with hazards zeros of divisors matter although
  /// they are a set of measure zero.
  EveryWay(const Pair& pair, const Code& before, const Code& after, const InputModel& model, const Draw& draw,
           Budget& budget, const Window& window);

  struct Shown {
    bool agrees = false;    ///< false says nothing
    double bound_log2 = 0;  ///< the chance of agreeing by accident, at this draw
    std::string reason;     ///< why it was not shown
  };
  [[nodiscard]] Shown at(const OutputPoint& point);

  /// Adds the outcomes of conditions on indices and integers (Machine::outcomes).
  void collect_outcomes(std::vector<std::uint8_t>& before, std::vector<std::uint8_t>& after) const;

 private:
  [[nodiscard]] Shown reals(const OpaqueArithmetic::Value& before, const OpaqueArithmetic::Value& after) const;
  [[nodiscard]] double bound_of(double degree) const;

  [[nodiscard]] bool has_new_hazards(std::uint32_t before, std::uint32_t after) const;

  bool needs_same_hazards_;
  const Code& before_code_;
  const Code& after_code_;
  InputSource source_;
  OpaqueSpace space_;
  OpaqueArithmetic before_arithmetic_;
  OpaqueArithmetic after_arithmetic_;
  Machine<OpaqueArithmetic> before_;
  Machine<OpaqueArithmetic> after_;
};

}  // namespace steptp::certify
