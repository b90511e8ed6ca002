#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/graph/graph.h"
#include "steptp/import/pt2_archive.h"

namespace steptp::graph {

struct Pt2Options {
  /// Of the graph; empty: the folder inside the archive.
  std::string name;
  /// Batch norm by the statistics of the batch (true) or by its running ones (false), whatever was exported.
  std::optional<bool> training;
};

/// A graph from PyTorch, with what the graph itself does not hold.
struct Imported {
  Graph graph;
  /// By path in the module: parameters, buffers and constants that the program reads and that have values.
  std::map<std::string, StoredTensor> values;
  /// What a user should know: dropout, buffers that the module would change, values that are not there.
  std::vector<std::string> notes;
};

/// Reads an archive of torch.export, or of the capture script, without PyTorch. Both dialects are taken: operators that
/// work in place become functional ones, through views where need be. Diagnostic ids: `zip` and `pt2` (the file),
/// `pt2-weights`, `pt2-dynamic`, `pt2-control-flow`, `pt2-random`, `pt2-in-place`, `pt2-dtype`, and `graph-operator`
/// for each operator that is not supported, with its place in the user's source where the archive tells it.
[[nodiscard]] Result<Imported, Diagnostics> read_pt2(std::string_view content, const Pt2Options& options = {});

}  // namespace steptp::graph
