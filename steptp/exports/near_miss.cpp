#include "steptp/exports/near_miss.h"

#include "steptp/base/hash.h"
#include "steptp/dataset/entry.h"
#include "steptp/ir/canonical.h"
#include "steptp/text/printer.h"
#include "steptp/verify/verify.h"
#include "steptp/verify/verify_pair.h"

namespace steptp::dataset {

std::optional<NearMiss> find_near_miss(const Program& before, const Program& after, const std::string& key,
                                       const NearMissOptions& options) {
  Random random(combine(options.seed, hash_text(key)));
  VerifyOptions judging;
  judging.budget = options.budget;
  for (std::uint64_t attempt = 0; attempt < options.attempts; ++attempt) {
    judging.seed = random.next();
    auto changed = change_slightly(after, random);
    if (!changed) continue;
    const Judgement judgement = verify(before, changed->program, judging);
    if (judgement.verdict != Grade::differs || !judgement.counterexample) continue;
    NearMiss miss;
    miss.id = hash_name(combine(hash_text(key), canonical_hash(changed->program)));
    miss.leir = print(changed->program);
    miss.change = std::move(changed->change);
    miss.reason = judgement.reason;
    miss.counterexample = steptp::to_json(*judgement.counterexample);
    return miss;
  }
  return std::nullopt;
}

}  // namespace steptp::dataset
