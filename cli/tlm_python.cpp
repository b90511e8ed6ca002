#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "cli/tlm_verbs.h"
#include "steptp/base/text.h"

// Parts of `tlm` that need PyTorch: this process becomes Python with the package steptp_tlm, which reads all options.

namespace steptp::cli {

namespace {

namespace fs = std::filesystem;

struct PythonPart {
  const char* name;
  const char* words;
};
constexpr PythonPart kParts[] = {
    {"subgraphs", "programs of the zoo to train and to test on"},
    {"train", "pre-train a model on random sentences, or fine-tune one on measurements (PyTorch)"},
    {"round", "rounds of drawing, measuring and fine-tuning (PyTorch)"},
    {"learn", "weights for a device in one call: pre-training, rounds, tuned weights (PyTorch)"},
    {"tune", "the same for the parts of a network (PyTorch)"},
    {"table", "measure many random programs of each subgraph once"},
    {"evaluate", "models and searches side by side, with the same number of measurements (PyTorch)"},
    {"winners", "the best programs of an evaluation, measured again by turns"},
    {"report", "the tables of an evaluation, from its measurements alone"},
    {"merge", "several databases of measurements as one"},
    {"curve", "the sum of the best latencies after each round of a run"},
};

/// The folder that has the package: the binary's own in a portable copy, python/ in a clone. Empty: there is none.
std::string package_folder(const fs::path& binary_folder) {
  for (const fs::path& folder : {binary_folder, binary_folder.parent_path() / "python"}) {
    std::error_code ignored;
    if (fs::exists(folder / "steptp_tlm" / "__main__.py", ignored)) return folder.string();
  }
  return {};
}

Status become_python(const std::string& name, const std::vector<std::string>& rest) {
  std::error_code problem;
  const fs::path binary = fs::read_symlink("/proc/self/exe", problem);
  const std::string package = problem ? std::string() : package_folder(binary.parent_path());
  if (package.empty()) {
    print_error(make_error("python", "the folder steptp_tlm is neither beside this program nor in ../python",
                           "run the program from the clone that built it, or from a folder of `make portable`"));
    return Status::failed;
  }
  const char* const chosen = std::getenv("STEPTP_PYTHON");
  const std::string python = chosen != nullptr && *chosen != '\0' ? chosen : "python3";
  const char* const before = std::getenv("PYTHONPATH");
  const std::string path = before != nullptr && *before != '\0' ? concat(package, ":", before) : package;
  setenv("PYTHONPATH", path.c_str(), 1);
  setenv("STEPTP_BINARY", binary.c_str(), 0);
  const fs::path library = binary.parent_path() / "libsteptp_cursor.so";
  if (fs::exists(library, problem)) setenv("STEPTP_CURSOR_LIBRARY", library.c_str(), 0);
  std::vector<std::string> words = {python, "-m", "steptp_tlm", name};
  words.insert(words.end(), rest.begin(), rest.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(python.c_str(), arguments.data());
  print_error(make_error("python", concat(python, ": ", std::strerror(errno)),
                         "$STEPTP_PYTHON names a Python that has PyTorch"));
  return Status::failed;
}

}  // namespace

std::vector<std::pair<std::string, VerbMain>> add_tlm_python(CLI::App& tlm) {
  std::vector<std::pair<std::string, VerbMain>> out;
  for (const PythonPart& part : kParts) {
    CLI::App* verb = tlm.add_subcommand(part.name, part.words);
    // --help and all else are Python's.
    verb->set_help_flag();
    verb->prefix_command();
    out.emplace_back(part.name,
                     [verb, name = std::string(part.name)] { return become_python(name, verb->remaining()); });
  }
  return out;
}

}  // namespace steptp::cli
