#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"

namespace steptp {

/// Lines of a file (`-` for standard input), one after the other, in constant memory.
class LineReader {
 public:
  LineReader(LineReader&& other) noexcept;
  LineReader& operator=(LineReader&&) = delete;
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;
  ~LineReader();

  [[nodiscard]] static Result<LineReader, Diagnostic> open(const std::string& path);

  /// The next line without its newline; nothing at the end of the file. A line longer than kMaxLine is an error.
  [[nodiscard]] Result<std::optional<std::string>, Diagnostic> next();
  /// All that was not handed out yet.
  [[nodiscard]] Result<std::string, Diagnostic> rest();

  static constexpr std::size_t kMaxLine = std::size_t{1} << 30;

 private:
  LineReader(int file, std::string path) : file_(file), path_(std::move(path)) {}
  [[nodiscard]] std::optional<Diagnostic> fill();

  int file_;
  std::string path_;
  std::string buffer_;
  std::size_t at_ = 0;
  bool end_ = false;
};

}  // namespace steptp
