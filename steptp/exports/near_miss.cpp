#include "steptp/exports/near_miss.h"

#include <utility>
#include <vector>

#include "steptp/base/hash.h"
#include "steptp/certify/certify.h"
#include "steptp/dataset/entry.h"
#include "steptp/exports/slips.h"
#include "steptp/ir/canonical.h"
#include "steptp/safety/check.h"
#include "steptp/text/printer.h"
#include "steptp/verify/replay.h"
#include "steptp/verify/verify_pair.h"

namespace steptp::dataset {

namespace {

struct Comparison {
  std::string verdict;  ///< "differs" where that is certified and seen once more, "invalid"; empty where it is no miss
  std::string reason;
  Json counterexample;
  /// The budget ended first, which it does for nearly every other change of such a program too.
  bool is_too_large = false;
};

/// What the judge does to refuse an answer, without the attempt at a proof before it, which takes most of the time and
/// cannot succeed.
Comparison compare(const Program& before, const Program& after, std::uint64_t seed, std::uint64_t budget) {
  const CheckReport report = check_program(after);
  if (report.verdict == CheckReport::Verdict::errors) {
    for (const Diagnostic& one : report.diagnostics) {
      if (one.severity == Severity::error) return {"invalid", one.message, Json(), false};
    }
  }
  if (report.verdict != CheckReport::Verdict::ok) return {};
  certify::CertifyOptions options;
  options.seed = seed;
  options.budget_operations = budget;
  const certify::CertifiedAnswer answer = certify::certify(before, after, options);
  if (answer.verdict == certify::CertifiedAnswer::Verdict::undecided) return {"", "", Json(), true};
  if (answer.verdict != certify::CertifiedAnswer::Verdict::differs || !answer.counterexample) return {};
  if (!replay(before, after, *answer.counterexample).reproduced) return {};
  return {"differs", answer.reason, steptp::to_json(*answer.counterexample), false};
}

}  // namespace

std::optional<NearMiss> find_near_miss(const RightStep& step, const NearMissOptions& options) {
  const std::vector<const Slip*> slips = slips_of(step.strategy);
  if (slips.empty()) return std::nullopt;
  Random random(combine(options.seed, hash_text(step.key)));
  const EditInput input{step.before, step.after};
  for (std::uint64_t attempt = 0; attempt < options.attempts; ++attempt) {
    const std::uint64_t seed = random.next();
    const Slip& slip = *slips[random.below(slips.size())];
    const Edits edits = slip.edits(input);
    if (edits.empty()) continue;
    const Edited& wrong = edits[random.below(edits.size())];
    const bool is_right = equal_nests(wrong.program, *step.after) || equal_nests(wrong.program, *step.before);
    if (is_right) continue;
    Comparison found = compare(*step.before, wrong.program, seed, options.budget);
    if (found.is_too_large) return std::nullopt;
    if (found.verdict.empty()) continue;
    NearMiss miss;
    miss.id = hash_name(combine(hash_text(step.key), canonical_hash(wrong.program)));
    miss.leir = print(wrong.program);
    miss.change = std::string(slip.change);
    const bool is_valid = found.verdict != "invalid";
    miss.reasoning = slipped_reasoning(*step.trace, *step.before, *step.after, wrong, slip, is_valid, random);
    miss.verdict = std::move(found.verdict);
    miss.reason = std::move(found.reason);
    miss.counterexample = std::move(found.counterexample);
    return miss;
  }
  return std::nullopt;
}

}  // namespace steptp::dataset
