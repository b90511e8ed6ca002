#pragma once

#include <string>
#include <string_view>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"

namespace steptp {

/// The whole content of a file, `-` for standard input. Errors: id `file`.
[[nodiscard]] Result<std::string, Diagnostic> read_file(const std::string& path);

/// Writes the whole file or leaves what was there: the content goes to a temporary name beside it, is flushed, and
/// renamed. A full disk is an error with the id `write`, never half a file.
[[nodiscard]] Result<bool, Diagnostic> write_file(const std::string& path, std::string_view content);

/// Decompresses a gzip stream, up to `limit` bytes.
[[nodiscard]] Result<std::string, Diagnostic> gunzip(std::string_view compressed, std::size_t limit);

}  // namespace steptp
