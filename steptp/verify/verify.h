#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/certify/certify.h"
#include "steptp/certify/safe_range.h"
#include "steptp/certify/unsafe.h"
#include "steptp/ir/program.h"
#include "steptp/prove/prove.h"
#include "steptp/prove/record.h"
#include "steptp/safety/check.h"
#include "steptp/verify/precision.h"

namespace steptp {

/// How sure the judge is; docs/verification.md says what each grade means.
enum class Grade : std::uint8_t { proved, exact, numeric, differs, undecided, invalid };
[[nodiscard]] std::string_view name_of(Grade grade);
/// Proved or exact. `numeric` is evidence and does not count as equal.
[[nodiscard]] inline bool is_equal(Grade grade) { return grade <= Grade::exact; }
/// For callers that were told to accept evidence (`verify --accept numeric`); datasets, rewards and search never do.
[[nodiscard]] inline bool is_equal_or_numeric(Grade grade) { return grade <= Grade::numeric; }

/// An answer that may be missing; an enum, so that "not known" is never read as a yes.
enum class Shown : std::uint8_t { unknown, no, yes };
/// What supports that a program is safe.
enum class SafeBy : std::uint8_t {
  nothing,
  proof,   ///< rules that cover all good inputs
  search,  ///< an adversary that climbs found nothing, or found the input in the reason
};

struct Judgement {
  Grade verdict = Grade::undecided;
  bool same = false;  ///< the same program up to the names of loops and intermediates
  /// Numerically no worse than `before` at all good inputs (docs/verification.md); asked of equal programs only.
  Shown safe = Shown::unknown;
  SafeBy safe_by = SafeBy::nothing;
  certify::SafeRange safe_range;
  Shown stable = Shown::unknown;  ///< the same where each input may be off by half a unit in the last place
  bool degenerate = false;        ///< `before` does not depend on any input
  /// `before` itself is at fault: it does not pass `check`.
  bool unusable = false;
  std::vector<std::string> independent_of;
  /// Outputs of `before`, or regions of them, that are shown to be NaN or without a value at every input.
  std::vector<std::string> vacuous;
  bool fills_vacuous = false;  ///< `after` has numbers there, or is not shown to have none
  /// The logarithm of the chance that an `exact` verdict is wrong; nothing where no chance played a part.
  std::optional<double> bound_log2;
  /// The seed of the draws; nothing where no chance played a part.
  std::optional<std::uint64_t> seed;
  std::uint64_t points = 0;
  std::optional<std::int64_t> agree_bits;
  std::vector<std::string> assumes;
  std::string reason;
  std::optional<certify::Counterexample> counterexample;
  std::optional<certify::UnsafeExample> unsafe;  ///< where equal and not safe: inputs that show it
  std::uint64_t work = 0;
  /// What supports the verdict, where it was asked for.
  std::optional<ProofRecord> proof;
  std::optional<certify::EvaluationRecord> evaluation;
  std::optional<PrecisionLoss> precision;  ///< where that is the difference

  [[nodiscard]] bool is_safe() const { return safe == Shown::yes; }
};

/// What is found out of `before` alone; whoever judges many programs against one finds it out once.
struct KnownBefore {
  CheckReport check;
  Dependence dependence;  ///< where `check` finds no errors
};
[[nodiscard]] KnownBefore look_at(const Program& before);

struct VerifyOptions {
  std::uint64_t seed = 1;
  /// Operations of evaluation; the proof has a limit of its own, far below.
  std::uint64_t budget = 400'000'000;
  /// Of the proof: nodes made and visited. Most proofs need less than a hundredth of the usual limit.
  std::uint64_t proof_work = ProofOptions().work;
  /// Operations of the search for an input that shows `after` unsafe, some 100 ns each; 0: it is not asked, unless a
  /// proof answers it. Never more than `budget`.
  std::uint64_t safety_budget = 12'000'000;
  /// Which magnitudes the inputs of that search have.
  certify::SafeRange safe_range = {};
  /// Ends the judgement once it is raised; what is not decided by then is undecided.
  const std::atomic<bool>* stop = nullptr;
  /// Whether the proof or the points are kept, for a certificate.
  bool keep_record = false;
  /// The programs were shown equal step by step: `safe` is asked of them although this pair alone is not shown equal.
  bool equal_by_steps = false;
  /// What `look_at` says of this `before`; null: it is looked at.
  const KnownBefore* known = nullptr;
};

/// The judge: are these two programs, of one signature, equal as real functions? Never sees how either was made.
[[nodiscard]] Judgement verify(const Program& before, const Program& after, const VerifyOptions& options = {});

/// The same for several seeds in turn: each answer is the one that `verify` gives with its seed. What does not depend
/// on it is done once. Ends with the first answer that is proved, because a proof draws no inputs, or not equal and
/// safe.
[[nodiscard]] std::vector<Judgement> verify_trials(const Program& before, const Program& after,
                                                   const VerifyOptions& options,
                                                   const std::vector<std::uint64_t>& seeds);

}  // namespace steptp
