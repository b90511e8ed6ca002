#pragma once

#include <string>

#include "steptp/base/json.h"
#include "steptp/verify/verify_pair.h"

namespace steptp {

/// What supports a judgement, for a program that does not believe it: the pair, the verdict, and the proof, the record
/// of the evaluation or the counterexample. The judgement was made with VerifyOptions::keep_record.
/// docs/decisions/0014-certificates.md describes the format; replay/ reads it.
[[nodiscard]] Json certificate(const Pair& pair, const Judgement& judgement);

/// {"fill":{...},"elements":[{"name","index","value"}]}
[[nodiscard]] Json to_json(const certify::GivenInputs& given);

}  // namespace steptp
