#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "steptp/certify/record.h"
#include "steptp/ir/program.h"

namespace steptp::certify {

struct CertifyOptions {
  std::uint64_t seed = 1;
  /// Operations of machines and searches, about 20 ns each in the field and some 100 ns in balls.
  std::uint64_t budget_operations = 400'000'000;
  /// Bytes of remembered values; where there is no room, values are forgotten and computed again.
  std::uint64_t budget_bytes = std::uint64_t{64} << 20;
  /// Where so many operations are spent, no more points are added beyond those that must be there.
  std::uint64_t enough_operations = 2'000'000;
  /// Random elements of each output, besides corners, boundaries and those that conditions lead to.
  std::uint32_t points = 4;
  /// Generic draws: at least these; more where the bound asks for it.
  std::uint32_t trials = 2;
  std::uint32_t most_trials = 6;
  /// The error bound that the field must reach, as a power of two.
  double bound_log2 = -40;
  std::int64_t agree_bits = 150;
  std::int64_t first_precision = 192;
  std::int64_t greatest_precision = 8192;
  /// Ends the evaluation, undecided, once it is raised.
  const std::atomic<bool>* stop = nullptr;
  /// Tensors of the one program and of the other that are known to hold the same in the end: what the programs share,
  /// beyond what can be seen by comparing statements.
  std::vector<std::pair<std::string, std::string>> same_tensors;
  /// Whether inputs are drawn so that `before` has values (inputs.h); without, some differences show that hide behind
  /// what another element or dead code could not bear.
  bool guesses_domains = true;
  /// Whether points and branches are also written down (CertifiedAnswer::record).
  bool keep_record = false;
};

/// An input at which the two programs differ; replayed by giving the same seed.
struct Counterexample {
  std::string output;
  std::vector<std::int64_t> index;
  std::uint64_t seed = 0;  ///< of the draw
  std::string draw;
  std::string before;
  std::string after;
  /// The first inputs that the element of `before` depends on, as "A[0,3]" and a decimal.
  std::vector<std::pair<std::string, std::string>> inputs;
  /// All inputs that both programs read there, where they can be written out; then nothing is drawn.
  std::optional<GivenInputs> given;
  /// Every input is a value of its type.
  bool is_representable = false;
};

struct CertifiedAnswer {
  enum class Verdict : std::uint8_t { equal, differs, undecided };
  Verdict verdict = Verdict::undecided;
  /// The chance that different programs agree at all points, where some point was decided in the field.
  std::optional<double> bound_log2;
  /// The fewest bits on which balls agreed, where some point was decided by balls.
  std::optional<std::int64_t> agree_bits;
  std::uint64_t points = 0;       ///< elements compared, times draws, that counted
  std::uint64_t not_counted = 0;  ///< `before` was not finite there
  /// Equal whichever way comparisons of reals go, as an identity; otherwise why that was not shown (empty where no
  /// reals are compared).
  bool in_every_way = false;
  std::string not_in_every_way;
  std::vector<std::string> assumes;
  std::string reason;
  std::optional<Counterexample> counterexample;
  std::uint64_t work = 0;   ///< operations
  EvaluationRecord record;  ///< where it was asked for
};

/// Decides whether two programs with one signature, which have passed the structural checks, agree as real functions:
/// evaluates single elements of the outputs at drawn inputs, exactly or with certified bounds. Never `equal` where a
/// condition on indices or data was not met in both outcomes, unless that outcome is shown not to exist.
/// Types play no part: a loss of precision is for the caller to find (verify/precision.h).
[[nodiscard]] CertifiedAnswer certify(const Program& before, const Program& after, const CertifyOptions& options = {});

}  // namespace steptp::certify
