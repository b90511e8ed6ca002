#pragma once

#include <string>
#include <string_view>

#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/ir/signature.h"

namespace steptp {

/// One header line of a `.leir` file without its `@`: `input A f32[16,1024] positive`.
/// The error's message says what is wrong; the caller knows the place.
[[nodiscard]] Result<Variable, std::string> parse_signature_line(std::string_view line);
[[nodiscard]] std::string print_signature_line(const Variable& variable);

/// One entry of a JSON signature.
[[nodiscard]] Result<Variable, std::string> variable_from_json(const Json& json);
[[nodiscard]] Json to_json(const Variable& variable);

/// The first variable in which two signatures differ, in words, such as "A is @input A f32[8] in before and @input A
/// f32[9] in after"; empty where they are equal. `one` and `other` say whose signatures they are.
[[nodiscard]] std::string signature_difference(const Signature& before, const Signature& after,
                                               std::string_view one = "before", std::string_view other = "after");

/// What is wrong with the signature as a whole (a name twice, no output, ...), empty where nothing is.
[[nodiscard]] std::string signature_problem(const Signature& signature);

}  // namespace steptp
