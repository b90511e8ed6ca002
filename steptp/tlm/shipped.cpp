#include "steptp/tlm/shipped.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "steptp/base/text.h"

namespace steptp::tlm {

namespace {

namespace fs = std::filesystem;
constexpr std::string_view kEnding = ".weights";
constexpr const char* kFolder = "tlm_weights";

}  // namespace

std::vector<std::string> weights_folders() {
  if (const char* const named = std::getenv("STEPTP_TLM_WEIGHTS"); named != nullptr && *named != '\0') return {named};
  std::error_code problem;
  const fs::path binary = fs::read_symlink("/proc/self/exe", problem);
  if (problem) return {};
  const fs::path folder = binary.parent_path();
  return {(folder / kFolder).string(), (folder.parent_path() / "share" / "steptp" / kFolder).string(),
          (folder.parent_path() / "data" / kFolder).string()};
}

Result<std::string, Diagnostic> shipped_weights(std::string_view device) {
  std::vector<std::string> known;
  for (const std::string& folder : weights_folders()) {
    std::error_code problem;
    for (const auto& entry : fs::directory_iterator(folder, problem)) {
      const std::string name = entry.path().filename().string();
      if (!name.ends_with(kEnding)) continue;
      known.push_back(name.substr(0, name.size() - kEnding.size()));
      if (known.back() == device) return entry.path().string();
    }
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  const std::string there =
      known.empty() ? "there are none at all"
                    : concat("there are some for ", join(known, ", ", [](const std::string& name) { return name; }));
  return make_error("weights", concat("no weights for ", device, " come with this program; ", there),
                    "name a file with --weights; `steptp tlm learn` trains one, and docs/tlm.md tells how");
}

Result<std::shared_ptr<const Weights>, Diagnostic> usable_weights(const std::string& path, std::string_view device) {
  std::string file = path;
  if (file.empty()) {
    auto found = shipped_weights(device);
    if (!found) return found.error();
    file = *found;
  }
  auto read = read_weights(file);
  if (!read) return read.error();
  return std::make_shared<const Weights>(std::move(read).value());
}

}  // namespace steptp::tlm
