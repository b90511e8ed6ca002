#pragma once

// Rows of questions and answers, wherever they are kept.

#include <memory>
#include <optional>
#include <string>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"

namespace steptp {

/// The file that is meant: a file as it stands; of a dataset's folder the questions of its config `rl`, of the split
/// test_shape where it has one; of FOLDER:TABLE and FOLDER:TABLE:SPLIT that file. ORGANISATION/NAME is a dataset of the
/// hub, in the folder where the hub's own tools have put it; where it was not downloaded, the error says how.
[[nodiscard]] Result<std::string, Diagnostic> rows_file(const std::string& given);

/// Lines of a text file (`-` for standard input), or of one that ends in .zst; rows of a .parquet file as JSON.
class RowReader {
 public:
  RowReader(RowReader&&) noexcept;
  RowReader& operator=(RowReader&&) = delete;
  ~RowReader();

  [[nodiscard]] static Result<RowReader, Diagnostic> open(const std::string& path);
  /// Nothing at the end.
  [[nodiscard]] Result<std::optional<std::string>, Diagnostic> next();
  /// All that is left, with its line breaks.
  [[nodiscard]] Result<std::string, Diagnostic> rest();

 private:
  struct State;
  explicit RowReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace steptp
