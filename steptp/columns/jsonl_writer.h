#pragma once

#include <optional>
#include <string>

#include "steptp/base/json.h"
#include "steptp/columns/compression.h"
#include "steptp/columns/output_file.h"

namespace steptp {

/// Rows as JSON, one a line, compressed with zstd: NAME.jsonl.zst.
class JsonlWriter {
 public:
  [[nodiscard]] static Result<JsonlWriter, Diagnostic> create(const std::string& path);

  [[nodiscard]] std::optional<Diagnostic> add(const Json& row);
  [[nodiscard]] Result<WrittenFile, Diagnostic> finish();

 private:
  explicit JsonlWriter(OutputFile file) : file_(std::move(file)) {}
  [[nodiscard]] std::optional<Diagnostic> compress(bool last);

  OutputFile file_;
  ZstdStream stream_;
  std::string waiting_;
};

/// The lines of a .jsonl.zst file, one after the other, in constant memory. Errors: `file`, `zstd`.
class JsonlReader {
 public:
  [[nodiscard]] static Result<JsonlReader, Diagnostic> open(const std::string& path);
  JsonlReader(JsonlReader&&) noexcept;
  ~JsonlReader();

  /// Nothing at the end of the file.
  [[nodiscard]] Result<std::optional<std::string>, Diagnostic> next();

 private:
  struct State;
  explicit JsonlReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace steptp
