#pragma once

// What cursors answer, as JSON: for the command line, Python and C.

#include <vector>

#include "steptp/base/json.h"
#include "steptp/cursor/cursor.h"

namespace steptp::cursor {

/// [{"first","expressions","structure","seconds","kernels":[{"name","grid","block","shared_bytes","registers",
/// "barriers"},...]},...]
[[nodiscard]] Json to_json(const std::vector<GroupFacts>& facts);
/// {"leir","plan","recipe"}
[[nodiscard]] Json to_json(const Finished& finished);

}  // namespace steptp::cursor
