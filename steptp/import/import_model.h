#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/ir/program.h"
#include "steptp/oracle/npy.h"

namespace steptp {

/// What the verb `import` is asked for.
struct ImportRequest {
  std::string file;  ///< an archive of torch.export, or a .py file with Model, get_inputs and get_init_inputs
  /// Norms by the statistics of the batch, or by running ones. Nothing: `train` for a .py file, as exported otherwise.
  std::optional<bool> training;
  double seconds = 600;            ///< for a .py file to be captured
  std::string python = "python3";  ///< that has PyTorch
};

/// A program from PyTorch.
struct ImportedModel {
  Program program;
  /// The values of parameters, buffers and constants by their names in the program, as far as they are known.
  std::map<std::string, Array> arrays;
  /// {"inputs":{"A":"x"},"parameters":{"F":"conv.weight"},"constants":{...},"outputs":["D"]}
  Json names;
  std::vector<std::string> notes;
};

/// Why there is no program: `refused` is a model that uses what is not supported, `file` one that cannot be read, that
/// fails, or that has no fixed sizes or steps, `time` one that takes too long, `machine` a Python or a PyTorch that is
/// not there.
struct ImportFailure {
  enum class Kind : std::uint8_t { refused, file, time, machine };
  Kind kind = Kind::file;
  Diagnostics diagnostics;
};

[[nodiscard]] Result<ImportedModel, ImportFailure> import_model(const ImportRequest& request);

/// The same for the bytes of an archive; `name` becomes the name of the program.
[[nodiscard]] Result<ImportedModel, ImportFailure> import_archive(std::string_view content, const std::string& name,
                                                                  std::optional<bool> training);

/// The operators that a capture leaves whole, one on a line; "aten.copy_.*" stands for every overload.
[[nodiscard]] std::string kept_operators();

}  // namespace steptp
