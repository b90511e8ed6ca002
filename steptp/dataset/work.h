#pragma once

// What a build and its worker processes say to each other.

#include <cstdint>
#include <string>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/base/worker.h"
#include "steptp/dataset/build.h"
#include "steptp/dataset/configuration.h"
#include "steptp/dataset/make_entries.h"
#include "steptp/dataset/plan.h"

namespace steptp::dataset {

/// Asks for the record of a program.
[[nodiscard]] std::string record_request(const Json& configuration, const PlannedProgram& planned,
                                         const ImportPaths& imports);
/// The record as it goes into the store, a line, and what it took.
struct RecordAnswer {
  std::string line;
  Json times;
};
[[nodiscard]] RecordAnswer record_answer(const std::string& answer);

/// Asks whether the program of a row compiles.
struct CompileRequest {
  std::string leir;  ///< a document with its signature
  std::string cuda;
};
/// `python`: one that has TVM, where there is TVM.
[[nodiscard]] std::string compile_request(const CompileRequest& request, const std::string& python);
/// Who compiled it, or why somebody could not.
struct CompileAnswer {
  std::vector<std::string> by;  ///< nvrtc, or llvm where there is no NVRTC; then tvm
  std::string tvm;              ///< the version of TVM
  std::string no_tvm;           ///< why TVM was not asked
  std::string error;            ///< the program does not compile
};
[[nodiscard]] CompileAnswer compile_answer(const std::string& answer);

/// One place for each job.
[[nodiscard]] std::vector<WorkerPool::Command> worker_commands(const BuildOptions& options);

}  // namespace steptp::dataset
