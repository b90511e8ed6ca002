#include "steptp/optimize/output_folder.h"

#include <filesystem>

#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/text/document.h"

namespace steptp {

namespace {

std::string certificate_name(std::size_t number) {
  const std::string digits = concat(number);
  return concat("certificates/", std::string(digits.size() < 2 ? 1 : 0, '0'), digits, ".json");
}

}  // namespace

std::map<std::string, std::string> files_of(const Document& root, const Optimized& optimized,
                                            const OptimizeRequest& request) {
  std::map<std::string, std::string> out;
  out["root.leir"] = print_document(root.program, Profile::paper);
  out["program.leir"] = print_document(optimized.program, Profile::paper);
  out["plan.json"] = to_json(optimized.plan).dump() + "\n";
  out["recipe.json"] = to_json(optimized.recipe).dump() + "\n";
  out["verdict.json"] = to_json(optimized.judged).dump() + "\n";
  out["plan.txt"] = explain(optimized, request);
  if (optimized.expected) out["expected.json"] = to_json(*optimized.expected).dump() + "\n";
  for (std::size_t i = 0; i < optimized.judged.links.size(); ++i) {
    const std::string& certificate = optimized.judged.links[i].answer.certificate;
    if (!certificate.empty()) out[certificate_name(i + 1)] = certificate + (certificate.ends_with('\n') ? "" : "\n");
  }
  return out;
}

Result<bool, Diagnostic> write_files(const std::string& folder, const std::map<std::string, std::string>& files) {
  namespace fs = std::filesystem;
  for (const auto& [name, content] : files) {
    const fs::path path = fs::path(folder) / name;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error)
      return make_error("write", concat("cannot make the folder ", path.parent_path().string(), ": ", error.message()));
    auto written = write_file(path.string(), content);
    if (!written) return written;
  }
  return true;
}

}  // namespace steptp
