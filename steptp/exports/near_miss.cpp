#include "steptp/exports/near_miss.h"

#include <utility>

#include "steptp/base/hash.h"
#include "steptp/certify/certify.h"
#include "steptp/dataset/entry.h"
#include "steptp/ir/canonical.h"
#include "steptp/safety/check.h"
#include "steptp/text/printer.h"
#include "steptp/verify/replay.h"
#include "steptp/verify/verify_pair.h"

namespace steptp::dataset {

namespace {

struct Comparison {
  /// Where the two programs differ, certified and seen once more.
  std::optional<certify::CertifiedAnswer> difference;
  /// The budget ended first, which it does for nearly every other change of such a program too.
  bool is_too_large = false;
};

/// What the judge does to refuse an answer, without the attempt at a proof before it, which takes most of the time and
/// cannot succeed.
Comparison compare(const Program& before, const Program& after, std::uint64_t seed, std::uint64_t budget) {
  if (check_program(after).verdict != CheckReport::Verdict::ok) return {};
  certify::CertifyOptions options;
  options.seed = seed;
  options.budget_operations = budget;
  certify::CertifiedAnswer answer = certify::certify(before, after, options);
  if (answer.verdict == certify::CertifiedAnswer::Verdict::undecided) return {.difference = {}, .is_too_large = true};
  if (answer.verdict != certify::CertifiedAnswer::Verdict::differs || !answer.counterexample) return {};
  if (!replay(before, after, *answer.counterexample).reproduced) return {};
  return {.difference = std::move(answer), .is_too_large = false};
}

}  // namespace

std::optional<NearMiss> find_near_miss(const Program& before, const Program& after, const std::string& key,
                                       const NearMissOptions& options) {
  Random random(combine(options.seed, hash_text(key)));
  for (std::uint64_t attempt = 0; attempt < options.attempts; ++attempt) {
    const std::uint64_t seed = random.next();
    auto changed = change_slightly(after, random);
    if (!changed) continue;
    const auto [answer, is_too_large] = compare(before, changed->program, seed, options.budget);
    if (is_too_large) return std::nullopt;
    if (!answer) continue;
    NearMiss miss;
    miss.id = hash_name(combine(hash_text(key), canonical_hash(changed->program)));
    miss.leir = print(changed->program);
    miss.change = std::move(changed->change);
    miss.reason = answer->reason;
    miss.counterexample = steptp::to_json(*answer->counterexample);
    return miss;
  }
  return std::nullopt;
}

}  // namespace steptp::dataset
