#pragma once

// What a build and its worker processes say to each other.

#include <cstdint>
#include <string>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/base/worker.h"
#include "steptp/dataset/configuration.h"
#include "steptp/dataset/make_entries.h"
#include "steptp/dataset/plan.h"

namespace steptp::dataset {

/// Asks for the record of a program.
[[nodiscard]] std::string record_request(const Json& configuration, const PlannedProgram& planned,
                                         const std::string& import_folder);
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
[[nodiscard]] std::string compile_request(const CompileRequest& request);
/// {"compiled":"nvrtc"|"llvm"|"none"} or {"error":why}.
[[nodiscard]] Json compile_answer(const std::string& answer);

/// One place for each job.
[[nodiscard]] std::vector<WorkerPool::Command> worker_commands(unsigned jobs, std::uint64_t memory_bytes);

}  // namespace steptp::dataset
