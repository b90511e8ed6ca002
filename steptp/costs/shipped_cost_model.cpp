// The file data/cost_model.json, taken in whole.
#include "steptp/costs/cost_model.h"

__asm__(
    ".section .rodata\n"
    "steptp_cost_model_begin:\n"
    ".incbin \"" STEPTP_DATA_DIR
    "/cost_model.json\"\n"
    "steptp_cost_model_end:\n"
    ".byte 0\n"
    ".previous\n");

// NOLINTBEGIN(readability-identifier-naming): the names of symbols
extern "C" {
extern const char steptp_cost_model_begin[] __attribute__((visibility("hidden")));
extern const char steptp_cost_model_end[] __attribute__((visibility("hidden")));
}
// NOLINTEND(readability-identifier-naming)

namespace steptp::costs {

const CostModel* shipped_cost_model(std::string_view device) {
  static const auto model = [] {
    const auto size = static_cast<std::size_t>(steptp_cost_model_end - steptp_cost_model_begin);
    const auto json = parse_json(std::string_view(steptp_cost_model_begin, size));
    return json ? cost_model_from_json(*json) : Result<CostModel, std::string>(json.error().message);
  }();
  return model && model->device == device ? &*model : nullptr;
}

}  // namespace steptp::costs
