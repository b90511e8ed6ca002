#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/base/sha256.h"

namespace steptp {

/// What was written, as the list of checksums names it.
struct WrittenFile {
  std::uint64_t bytes = 0;
  std::string sha256;
};

/// A file that grows while it is written and gets its name only when it is complete: a full disk or a killed process
/// never leaves half a file under the name of a whole one. Errors: id `write`, the reason and the path.
class OutputFile {
 public:
  [[nodiscard]] static Result<OutputFile, Diagnostic> create(const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  [[nodiscard]] std::optional<Diagnostic> write(std::string_view bytes);
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] Result<WrittenFile, Diagnostic> finish();

 private:
  OutputFile(int file, std::string path, std::string temporary)
      : file_(file), path_(std::move(path)), temporary_(std::move(temporary)) {}
  [[nodiscard]] std::optional<Diagnostic> flush();

  int file_;
  std::string path_;
  std::string temporary_;
  std::string waiting_;
  std::uint64_t size_ = 0;
  Sha256 sum_;
};

}  // namespace steptp
