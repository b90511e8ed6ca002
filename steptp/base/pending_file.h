#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

namespace steptp {

/// A file that gets its name when it is complete. Until then its content lies under another name beside it: a full disk
/// or a killed process never leaves half a file under the name of a whole one, and what was there before stays. Where a
/// call fails, `errno` says why.
class PendingFile {
 public:
  /// `temporary`: the other name, in the same folder. What is there under that name is lost.
  [[nodiscard]] static std::optional<PendingFile> create(std::string path, std::string temporary, mode_t mode = 0666);
  PendingFile(PendingFile&& other) noexcept;
  PendingFile& operator=(PendingFile&&) = delete;
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  /// Removes what was not committed.
  ~PendingFile();

  [[nodiscard]] bool write(std::string_view bytes);

  /// `is_flushed`: it is on the disk before it gets its name, so that a power cut does not leave an empty file either.
  [[nodiscard]] bool commit(bool is_flushed);

 private:
  PendingFile(int file, std::string path, std::string temporary)
      : file_(file), path_(std::move(path)), temporary_(std::move(temporary)) {}

  int file_;
  std::string path_;
  std::string temporary_;
};

}  // namespace steptp
