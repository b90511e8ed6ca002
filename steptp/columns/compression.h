#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"

struct ZSTD_CCtx_s;

namespace steptp {

/// One zstd frame, level 3, one thread: the same bytes every time with the same version of zstd.
[[nodiscard]] std::string zstd_compress(std::string_view bytes);

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

}  // namespace steptp
