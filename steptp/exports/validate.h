#pragma once

// Looks at an exported dataset as a stranger would: files against checksums, every row against the schema, every row of
// the archive against its own recipe, and every other row against the archive.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/json.h"
#include "steptp/base/result.h"

namespace steptp::dataset {

struct ValidateOptions {
  std::uint64_t judged = 200;  ///< rows of the archive that are judged again, by rank of a hash; UINT64_MAX: all
  unsigned jobs = 1;
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;  ///< rows; by the calling thread
};

struct ValidationProblem {
  std::string file;  ///< relative to the folder
  std::string row;   ///< "row 12 (id 0123...)"; empty where it is about the file
  std::string what;
};
[[nodiscard]] std::string to_text(const ValidationProblem& problem);

struct Validation {
  std::vector<ValidationProblem> problems;
  std::uint64_t files = 0;
  std::uint64_t rows = 0;      ///< of all tables
  std::uint64_t replayed = 0;  ///< recipes
  std::uint64_t judged = 0;    ///< rows of the archive, and near misses whose counterexample was replayed

  [[nodiscard]] bool ok() const { return problems.empty(); }
};

[[nodiscard]] Json to_json(const Validation& validation);

/// An error only where there is nothing to look at: no manifest, or one of another format.
[[nodiscard]] Result<Validation, Diagnostic> validate_dataset(const std::string& folder,
                                                              const ValidateOptions& options);

}  // namespace steptp::dataset
