#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "steptp/base/diagnostic.h"
#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/base/worker.h"
#include "steptp/dataset/build_log.h"
#include "steptp/dataset/configuration.h"
#include "steptp/dataset/plan.h"

namespace steptp::dataset {

/// Programs of one part.
inline constexpr std::uint64_t kPartPrograms = 16;
[[nodiscard]] constexpr std::uint64_t part_count(std::uint64_t programs) {
  return (programs + kPartPrograms - 1) / kPartPrograms;
}

/// DIR/build.json; a null summary: the build is not complete.
[[nodiscard]] Result<bool, Diagnostic> write_build(const std::string& folder, const Configuration& configuration,
                                                   const Plan& plan, const Json& summary);

/// Once all parts are there: looks for leaks in what was made, selects rows, compiles a sample, and writes
/// selection.jsonl, compiled.jsonl and the summary. `python`: one that has TVM. Nothing where `call` wanted no more.
struct Finished {
  Json summary;
  std::string absent;  ///< which compilers were not asked, and why
};
[[nodiscard]] Result<std::optional<Finished>, Diagnostic> finish_dataset(const std::string& folder,
                                                                         const Configuration& configuration,
                                                                         const Plan& plan, const std::string& python,
                                                                         WorkerPool& workers, BuildLog& log,
                                                                         const WorkerCall& call);

}  // namespace steptp::dataset
