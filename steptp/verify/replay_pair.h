#pragma once

#include <optional>
#include <string>

#include "steptp/base/json.h"
#include "steptp/verify/replay.h"
#include "steptp/verify/verify_pair.h"

namespace steptp {

/// `{"id":..., "signature":[...], "before":"...", "after":"...", "counterexample":{...}}`: a pair and where it differs,
/// all that a replay needs. The programs are written in the paper profile.
[[nodiscard]] Json replay_record(const Pair& pair, const certify::Counterexample& found);
/// The same with `"unsafe":{...}`: equal programs, and inputs at which `after` is numerically worse.
[[nodiscard]] Json replay_record(const Pair& pair, const certify::UnsafeExample& found);

struct ReplayRecord {
  Pair pair;  ///< with its problem, where the record is not to be used
  certify::Counterexample counterexample;
  std::optional<certify::UnsafeExample> unsafe;  ///< where the record is about that
};
[[nodiscard]] ReplayRecord read_replay_record(const std::string& name, const std::string& record);

/// Runs it again; a record that cannot be used is not reproduced, and unusable.
[[nodiscard]] ReplayAnswer replay_pair(const ReplayRecord& record);

/// The JSON answer of `verify --replay`.
[[nodiscard]] Json to_json(const ReplayRecord& record, const ReplayAnswer& answer);

}  // namespace steptp
