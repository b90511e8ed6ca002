#pragma once

#include <string>
#include <string_view>

#include "steptp/base/diagnostic.h"
#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/ir/program.h"

namespace steptp {

/// Addresses change from step to step, and what a nest writes mostly does not. So a place may also be named by the
/// tensor that is written there, with a number where several equations write it:
///
///   D:loop[1]    loop 1 of the nest right around the first equation that writes D
///   D            that nest
///   D#2:right.0  a part of the second equation that writes D
///
/// The address as ir/site.h has it; an address that is one already is returned as it is. The error says why there is no
/// such place.
[[nodiscard]] Result<std::string, Diagnostic> place_by_name(const Program& program, std::string_view place);

/// Whether it is a name and no address.
[[nodiscard]] bool is_place_name(std::string_view place);

/// A choice with another place.
[[nodiscard]] Json with_place(const Json& choice, std::string place);

/// The choice with its "at" as an address.
[[nodiscard]] Result<Json, Diagnostic> with_address(const Program& program, Json choice);

}  // namespace steptp
