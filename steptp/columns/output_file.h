#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "steptp/base/diagnostic.h"
#include "steptp/base/pending_file.h"
#include "steptp/base/result.h"
#include "steptp/base/sha256.h"

namespace steptp {

/// What was written, as the list of checksums names it.
struct WrittenFile {
  std::uint64_t bytes = 0;
  std::string sha256;
};

/// A `PendingFile` that knows its size and checksum. Errors: id `write`, the reason and the path.
class OutputFile {
 public:
  [[nodiscard]] static Result<OutputFile, Diagnostic> create(const std::string& path);

  [[nodiscard]] std::optional<Diagnostic> write(std::string_view bytes);
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] Result<WrittenFile, Diagnostic> finish();

 private:
  OutputFile(PendingFile file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
  [[nodiscard]] std::optional<Diagnostic> flush();

  PendingFile file_;
  std::string path_;
  std::string waiting_;
  std::uint64_t size_ = 0;
  Sha256 sum_;
};

}  // namespace steptp
