#include "steptp/dataset/workloads.h"

#include <optional>
#include <sstream>
#include <stdexcept>

#include "steptp/base/text.h"

__asm__(
    ".section .rodata\n"
    "steptp_workloads_begin:\n"
    ".incbin \"" STEPTP_DATA_DIR
    "/workloads.txt\"\n"
    "steptp_workloads_end:\n"
    ".byte 0\n"
    ".previous\n");

// NOLINTBEGIN(readability-identifier-naming): the names of symbols
extern "C" {
extern const char steptp_workloads_begin[] __attribute__((visibility("hidden")));
extern const char steptp_workloads_end[] __attribute__((visibility("hidden")));
}
// NOLINTEND(readability-identifier-naming)

namespace steptp::dataset {

namespace {

/// "ReLU f16 batch_size=3 dim=7 | input A f16[3,7]; ...": what stands behind the bar is for the test of signatures.
Workload parse(const std::string& line) {
  std::istringstream words(line.substr(0, line.find(" | ")));
  Workload out;
  std::string dtype;
  words >> out.type >> dtype;
  const std::optional<DType> known = parse_dtype(dtype);
  if (!known) throw std::runtime_error(concat("workloads.txt: no dtype in '", line, "'"));
  out.dtype = *known;
  for (std::string pair; words >> pair;) {
    const std::size_t equals = pair.find('=');
    out.arguments[pair.substr(0, equals)] = std::stod(pair.substr(equals + 1));
  }
  return out;
}

std::vector<Workload> parse_all() {
  std::istringstream lines(std::string(steptp_workloads_begin, steptp_workloads_end));
  std::vector<Workload> out;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line[0] != '#') out.push_back(parse(line));
  }
  return out;
}

}  // namespace

const std::vector<Workload>& published_workloads() {
  static const std::vector<Workload> kAll = parse_all();
  return kAll;
}

}  // namespace steptp::dataset
