#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/hash.h"
#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/dataset/configuration.h"
#include "steptp/dataset/entry.h"
#include "steptp/graph/graph.h"
#include "steptp/ir/program.h"
#include "steptp/zoo/draw.h"
#include "steptp/zoo/types.h"

namespace steptp::dataset {

/// A program of the plan: how to make it, where it belongs, how many entries it is to give.
struct PlannedProgram {
  enum class Kind : std::uint8_t { type, composition, import };
  std::uint64_t number = 0;
  Kind kind = Kind::type;
  std::string type;  ///< of the zoo; the file of an import
  zoo::Arguments arguments;
  DType dtype = DType::f32;
  std::uint64_t seed = 0;  ///< of a composition, with its index
  std::uint64_t index = 0;
  std::string name;
  std::string origin;
  Split split = Split::train;
  std::uint64_t entries = 0;
  bool is_spare = false;  ///< used only where one before it cannot be
  Hash form = 0;
  Hash pattern = 0;
};
[[nodiscard]] Json to_json(const PlannedProgram& planned);
[[nodiscard]] Result<PlannedProgram, std::string> planned_from_json(const Json& json);

struct Plan {
  /// Those to spare stand behind the others of their split.
  std::vector<PlannedProgram> programs;
  std::map<Split, std::uint64_t> wanted;  ///< programs of each split without those to spare
  /// Draws that were passed over, by reason: "duplicate", "duplicate of another split", "pattern of test_type",
  /// "degenerate", "excluded origin", ...
  DropCounts passed_over;
  std::vector<std::string> held_out;  ///< types of the split test_type
};

/// Where the files are that the configuration names.
using ImportPaths = std::map<std::string, std::string>;

/// All programs of a dataset, decided by the configuration alone.
[[nodiscard]] Result<Plan, Diagnostic> make_plan(const Configuration& configuration, const ImportPaths& imports);

/// A program of the plan in its forms.
struct MadeProgram {
  Program program;
  graph::Graph graph;
  bool has_graph = false;  ///< an import has none that can be printed
};
[[nodiscard]] Result<MadeProgram, Diagnostic> make_program(const PlannedProgram& planned,
                                                           const Configuration& configuration,
                                                           const ImportPaths& imports);

/// How compositions are drawn: dtypes and the bound of memory.
[[nodiscard]] zoo::DrawOptions composition_draws(const Configuration& configuration);

/// The rules of the splits, on forms and patterns: what breaks them, one sentence each; empty where nothing does.
struct SplitMember {
  Split split = Split::train;
  std::string name;
  Hash form = 0;
  Hash pattern = 0;
};
[[nodiscard]] std::vector<std::string> find_leaks(const std::vector<SplitMember>& members);

}  // namespace steptp::dataset
