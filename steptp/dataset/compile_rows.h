#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/hash.h"
#include "steptp/base/result.h"
#include "steptp/base/worker.h"
#include "steptp/dataset/configuration.h"
#include "steptp/dataset/entry.h"
#include "steptp/dataset/work.h"

namespace steptp::dataset {

/// A row to be compiled.
struct CompiledRow {
  Hash rank = 0;
  std::string id;
  std::string strategy;
  CompileRequest request;
};

/// Rows to be compiled, chosen by rank while records pass by: a share for every strategy, and the first of all.
class RowSample {
 public:
  explicit RowSample(const Configuration& configuration);
  void add(const ProgramRecord& record);
  [[nodiscard]] std::vector<CompiledRow> rows() const;

 private:
  using Ranked = std::map<std::pair<Hash, std::string>, CompiledRow>;
  static void keep(Ranked& ranked, const CompiledRow& row, std::uint64_t most);

  Hash seed_;
  std::uint64_t most_;
  std::map<std::string, Ranked> by_strategy_;
  Ranked overall_;
};

struct CompiledRows {
  std::string lines;        ///< compiled.jsonl: {"id","by":[...]}, sorted by id
  std::string description;  ///< for the log: how many by which compiler
  std::string absent;       ///< for people: which compilers were not asked, and why; empty where all were
  bool is_stopped = false;  ///< `call` wanted no more: nothing else is filled in
};

/// Compiles all of them in the workers. `python`: one that has TVM. Diagnostic `compile`: one does not compile, with
/// its id and why; `worker`.
[[nodiscard]] Result<CompiledRows, Diagnostic> compile_rows(const std::vector<CompiledRow>& rows,
                                                            const std::string& python, WorkerPool& workers,
                                                            const WorkerCall& call);

}  // namespace steptp::dataset
