#pragma once

#include <cstdint>
#include <optional>

#include "steptp/certify/certify.h"
#include "steptp/certify/comparison.h"
#include "steptp/certify/coverage.h"
#include "steptp/certify/inputs.h"
#include "steptp/certify/window.h"
#include "steptp/machine/code.h"

namespace steptp::certify {

/// Outputs of so few elements are compared everywhere, as long as that is cheap.
inline constexpr std::int64_t kFewElements = 64;

/// Two programs that are judged: all that is known of them before anything is evaluated, and what may still be spent on
/// them. Where only the changed window is judged (window.h), the codes, the model of the inputs and the signature are
/// those of the window.
class JudgedPair {
 public:
  /// `kept`: judges the changed window only, with so many layers of shared statements around it; nothing for the whole
  /// programs.
  JudgedPair(const Program& old_program, const Program& new_program, const CertifyOptions& wanted,
             std::optional<int> kept);
  JudgedPair(const JudgedPair&) = delete;
  JudgedPair& operator=(const JudgedPair&) = delete;
  ~JudgedPair() = default;

  [[nodiscard]] const Code& code(bool in_before) const { return in_before ? before : after; }
  [[nodiscard]] Coverage& coverage(bool in_before) { return in_before ? before_coverage : after_coverage; }
  [[nodiscard]] const Coverage& coverage(bool in_before) const { return in_before ? before_coverage : after_coverage; }

  /// Something in either program depends on data in a way that is not analytic.
  [[nodiscard]] bool has_order() const { return before.has_order || after.has_order; }
  [[nodiscard]] bool has_integer_inputs() const;
  /// An input of integers or bools whose values are not given.
  [[nodiscard]] bool has_free_integers() const;
  /// Integers are drawn, as inputs or for reals that become integers.
  [[nodiscard]] bool draws_integers() const;

  [[nodiscard]] std::uint64_t spent() const { return options.budget_operations - budget.operations; }
  /// So much is spent that only what must be done is added.
  [[nodiscard]] bool is_enough() const { return spent() > options.enough_operations; }
  /// The seed of a draw.
  [[nodiscard]] std::uint64_t seed_of(DrawKind kind, std::uint64_t trial) const;

  const CertifyOptions options;
  const Program& before_program;
  const Program& after_program;
  Code before;
  Code after;
  InputModel model;
  Window window;
  Pair pair;
  Coverage before_coverage;
  Coverage after_coverage;
  Budget budget;
  const Signature& signature;
};

}  // namespace steptp::certify
