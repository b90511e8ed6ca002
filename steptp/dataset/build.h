#pragma once

// A build: plan, raw parts made by worker processes, selection. Whatever ends it (a signal, a full disk, kill -9), the
// folder holds whole parts, and the same build goes on where it was.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/dataset/configuration.h"
#include "steptp/dataset/plan.h"

namespace steptp::dataset {

/// How a build is run; nothing here changes the bytes of the dataset.
struct BuildOptions {
  /// The program that is a worker, without the limit of memory, which is added.
  std::vector<std::string> worker = {"/proc/self/exe", "dataset-worker"};
  std::string folder;
  ImportPaths imports;
  std::string python = "python3";  ///< one that has TVM, for the rows that are compiled
  unsigned jobs = 1;
  std::uint64_t shard = 0;  ///< makes the parts whose number is this modulo `shards`
  std::uint64_t shards = 1;
  double program_seconds = 600;  ///< a program that takes longer is quarantined
  std::uint64_t worker_bytes = std::uint64_t{1536} << 20;
  std::function<bool()> go_on;  ///< asked now and then, by any thread; false stops the build
  /// Told after each program, with how many were to do and are done, and verified entries so far.
  std::function<void(std::uint64_t done, std::uint64_t all, std::uint64_t entries)> progress;
};

/// How a build ended.
struct BuildAnswer {
  enum class End : std::uint8_t {
    complete,  ///< the dataset is whole
    shard,     ///< all parts of this shard are there; `merge` makes the dataset
    stopped,   ///< by the time limit or by hand: the same command goes on
  };
  End end = End::complete;
  Json summary;                          ///< where complete
  std::string absent_compilers;          ///< which were not asked, and why; empty where rows were not compiled now
  std::vector<std::string> quarantined;  ///< "NAME: why"
  std::uint64_t parts_left = 0;          ///< where stopped; none: while rows were selected and compiled
};

/// Diagnostics: `write` where the folder cannot be written, `configuration` where it holds another build, `leak`,
/// `compile` where a row of the sample does not compile, `worker`.
[[nodiscard]] Result<BuildAnswer, Diagnostic> build_dataset(const Configuration& configuration,
                                                            const BuildOptions& options);

/// The shards of one build as one dataset, with the bytes of an unsharded build.
[[nodiscard]] Result<BuildAnswer, Diagnostic> merge_datasets(const std::vector<std::string>& folders,
                                                             const BuildOptions& options);

/// The worker's side: `steptp dataset-worker` is this and nothing else.
[[nodiscard]] int run_dataset_worker(int descriptor, std::uint64_t memory_bytes);

}  // namespace steptp::dataset
