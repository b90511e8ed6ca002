#pragma once

// What `verify` says to people; the JSON answers are made by the library.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "steptp/certify/given.h"
#include "steptp/verify/verify.h"
#include "steptp/verify/verify_pair.h"

namespace steptp::cli {

/// D[1,2]; of a scalar its name.
[[nodiscard]] std::string subscripted(const std::string& name, const std::vector<std::int64_t>& index);
/// The inputs that matter, sixteen of them: single elements, and what all other elements of an input are.
[[nodiscard]] std::string given_text(const certify::GivenInputs& given);
/// The verdict, what it rests on, and a counterexample. `ms`: how long it took, where that was asked for.
[[nodiscard]] std::string report(const Judgement& judgement, std::optional<double> ms);
/// For a person who wants to follow it by hand; what is said of the pair itself stands above.
[[nodiscard]] std::string illustration_text(const Pair& pair);

}  // namespace steptp::cli
