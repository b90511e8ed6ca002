#include "steptp/dataset/entry_verdict.h"

#include <algorithm>
#include <optional>
#include <string>

#include "steptp/verify/verify_pair.h"

namespace steptp::dataset {

namespace {

std::optional<bool> known(Shown shown) {
  return shown == Shown::unknown ? std::nullopt : std::optional(shown == Shown::yes);
}

/// Of two trials: what one denies is denied, what one does not know is not known.
std::optional<bool> weaker(std::optional<bool> a, std::optional<bool> b) {
  if (a == false || b == false) return false;
  return a && b ? std::optional(true) : std::nullopt;
}

std::string text_of(const certify::SafeRange& range) {
  const Json json = steptp::to_json(range);
  return json.as_string() ? *json.as_string() : json.dump();
}

}  // namespace

void add_trial(const Judgement& judgement, std::uint64_t seed, EntryVerdict& verdict) {
  const bool is_first = verdict.grade.empty();
  if (is_first) verdict.grade = std::string(name_of(judgement.verdict));
  const std::optional<bool> safe = known(judgement.safe);
  verdict.safe = is_first ? safe : weaker(verdict.safe, safe);
  const Json by = steptp::to_json(judgement.safe_by);
  if (is_first || judgement.safe_by == SafeBy::search) verdict.safe_by = by.as_string() ? *by.as_string() : "";
  if (!verdict.safe) verdict.safe_by.clear();
  verdict.safe_range = text_of(judgement.safe_range);
  verdict.stable = is_first ? known(judgement.stable) : weaker(verdict.stable, known(judgement.stable));
  verdict.points += judgement.points;
  if (is_first) verdict.assumes = judgement.assumes;
  if (judgement.verdict == Grade::proved && judgement.safe_by == SafeBy::proof) return;
  verdict.inputs_drawn = true;
  // The weakest of the trials is what the row promises.
  if (judgement.bound_log2) {
    verdict.bound_log2 = std::max(verdict.bound_log2.value_or(*judgement.bound_log2), *judgement.bound_log2);
  }
  if (judgement.agree_bits) {
    verdict.agree_bits = std::min(verdict.agree_bits.value_or(*judgement.agree_bits), *judgement.agree_bits);
  }
  verdict.trials.push_back({seed, std::string(name_of(judgement.verdict)), judgement.points, judgement.bound_log2,
                            judgement.agree_bits, safe});
}

}  // namespace steptp::dataset
