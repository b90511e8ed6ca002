#include "cli/device_problem.h"

#include "cli/nearest.h"
#include "steptp/analysis/device.h"
#include "steptp/base/text.h"
#include "steptp/estimate/rates.h"
#include "steptp/execution/cuda_device.h"

namespace steptp::cli {

Diagnostic device_problem(const std::string& id, const std::string& before, const std::string& name,
                          const std::string& said) {
  const bool has_no_rates = name == word_of(DeviceKind::cuda) && said.find("has no rates yet") != std::string::npos;
  if (!has_no_rates) {
    const std::string meant = said.starts_with("there is no device") ? did_you_mean(name, rate_names()) : "";
    return make_error(id, before + said, meant.empty() ? "" : meant.substr(0, meant.size() - 1));
  }
  const auto count = CudaDevice::count();
  const bool is_there = count && *count > 0;
  const std::string table = join(shipped_rates(), " ", [](const DeviceRates& rates) { return rates.name; });
  return make_error(
      id,
      concat(before, is_there ? "this machine's GPU has no rates yet" : "this machine has no GPU to use",
             count ? "" : concat(": ", count.error().message)),
      concat(is_there ? "`steptp device cuda` measures them; or name" : "name", " a device of the table: ", table));
}

Diagnostic no_such_device(const std::string& name) {
  const std::string here = name == word_of(DeviceKind::cuda)
                               ? std::string("nothing is run here, so cuda, this machine's GPU, is not asked; ")
                               : did_you_mean(name, device_names());
  return make_error("usage", concat("there is no device '", name, "' with launch limits"),
                    concat(here, "the devices are: ", device_names()));
}

}  // namespace steptp::cli
