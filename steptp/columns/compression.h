#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace steptp {

struct ZstdOptions {
  int level = 3;
  bool has_checksum = false;  ///< of the content, at the end of the frame
};

/// One zstd frame, made by one thread: the same bytes every time with the same version of zstd.
[[nodiscard]] std::string zstd_compress(std::string_view bytes, const ZstdOptions& options = {});

/// The content of one or more frames; an error with the id `zstd` where they are damaged or hold more than `limit`.
[[nodiscard]] Result<std::string, Diagnostic> zstd_decompress(std::string_view compressed, std::size_t limit);

/// A single frame with a checksum of its content, made from pieces in constant memory.
class ZstdStream {
 public:
  ZstdStream();
  /// What of the frame is ready; `last` ends it.
  [[nodiscard]] std::string add(std::string_view bytes, bool last = false);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, Free> context_;
};

/// The other way: the content of one or more frames, from pieces in constant memory.
class ZstdReader {
 public:
  ZstdReader();
  /// Appends the content of `compressed`. False where it is damaged, or `content` gets larger than `limit`: then
  /// `problem` says so.
  [[nodiscard]] bool add(std::string_view compressed, std::string& content, std::size_t limit);
  /// Every frame has ended: this may be the end of the input.
  [[nodiscard]] bool is_complete() const { return wanted_ == 0; }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
  std::size_t wanted_ = 0;
  std::string problem_;
};

}  // namespace steptp
