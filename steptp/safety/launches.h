#pragma once

#include <map>
#include <string>

#include "steptp/analysis/device.h"
#include "steptp/analysis/shapes.h"
#include "steptp/safety/findings.h"

namespace steptp {

/// Grid, block and shared memory of every kernel fit the device (`launch-limit`, `shared-memory`): errors where a
/// device was named, warnings where it is null and the default stands in. With a device, `l` data that will not stay in
/// registers is warned of (`l-spills`).
void check_launches(const AccessTable& table, const std::map<std::string, InferredShape>& shapes, const Device* device,
                    Findings& findings);

}  // namespace steptp
