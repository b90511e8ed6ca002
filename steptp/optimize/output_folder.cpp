#include "steptp/optimize/output_folder.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/text/document.h"

namespace steptp {

namespace {

std::string certificate_name(std::size_t number) {
  const std::string digits = concat(number);
  return concat("certificates/", std::string(digits.size() < 2 ? 1 : 0, '0'), digits, ".json");
}

/// Whether an answer may have a file of this name, and need not.
bool may_be_missing(const std::string& name) {
  constexpr std::string_view kFolder = "certificates/";
  constexpr std::string_view kEnding = ".json";
  if (name == "expected.json") return true;
  if (!name.starts_with(kFolder) || !name.ends_with(kEnding)) return false;
  const std::string_view number =
      std::string_view(name).substr(kFolder.size(), name.size() - kFolder.size() - kEnding.size());
  return !number.empty() && std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
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

std::string folder_name(const std::string& program, const std::string& number) {
  constexpr std::size_t kLongest = 100;
  std::string out = program.empty() ? "program" : program.substr(0, kLongest);
  for (char& c : out) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                          c == '-' || (c == '.' && &c != out.data());
    if (!is_plain) c = '_';
  }
  return concat(out, "-", number);
}

Result<bool, Diagnostic> write_answer(const std::string& folder, const std::map<std::string, std::string>& files) {
  namespace fs = std::filesystem;
  std::vector<fs::path> gone;
  std::error_code none;
  for (fs::recursive_directory_iterator at(folder, none), end; at != end; at.increment(none)) {
    const std::string name = at->path().lexically_relative(folder).generic_string();
    if (may_be_missing(name) && !files.contains(name)) gone.push_back(at->path());
  }
  for (const fs::path& path : gone) {
    std::error_code error;
    fs::remove(path, error);
    if (error) return make_error("write", concat("cannot remove ", path.string(), ": ", error.message()));
  }
  return write_files(folder, files);
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
