#include "steptp/columns/compression.h"

#include <zstd.h>

#include <new>
#include <stdexcept>

#include "steptp/base/text.h"

namespace steptp {

namespace {

constexpr int kLevel = 3;

/// Only a bug of ours or no memory: compressing has no other way to fail.
std::size_t checked(std::size_t code) {
  if (ZSTD_isError(code) != 0) throw std::runtime_error(concat("zstd: ", std::string_view(ZSTD_getErrorName(code))));
  return code;
}

}  // namespace

std::string zstd_compress(std::string_view bytes, const ZstdOptions& options) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  if (!context) throw std::bad_alloc();
  checked(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, options.level));
  checked(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, options.has_checksum ? 1 : 0));
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(checked(ZSTD_compress2(context.get(), out.data(), out.size(), bytes.data(), bytes.size())));
  return out;
}

Result<std::string, Diagnostic> zstd_decompress(std::string_view compressed, std::size_t limit) {
  ZstdReader reader;
  std::string content;
  if (!reader.add(compressed, content, limit)) return make_error("zstd", reader.problem());
  if (!reader.is_complete()) return make_error("zstd", "compressed data ends early");
  return content;
}

void ZstdReader::Free::operator()(ZSTD_DCtx_s* context) const { ZSTD_freeDCtx(context); }

ZstdReader::ZstdReader() : context_(ZSTD_createDCtx()) {
  if (!context_) throw std::bad_alloc();
}

bool ZstdReader::add(std::string_view compressed, std::string& content, std::size_t limit) {
  ZSTD_inBuffer in{compressed.data(), compressed.size(), 0};
  std::string buffer(ZSTD_DStreamOutSize(), '\0');
  bool is_filled = false;  // then more is waiting inside, though all input was taken
  while (in.pos < in.size || is_filled) {
    ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
    wanted_ = ZSTD_decompressStream(context_.get(), &out, &in);
    if (ZSTD_isError(wanted_) != 0) {
      problem_ = concat("damaged compressed data: ", std::string_view(ZSTD_getErrorName(wanted_)));
      return false;
    }
    content.append(buffer.data(), out.pos);
    if (content.size() > limit) {
      problem_ = concat("compressed data holds more than ", limit, " bytes");
      return false;
    }
    is_filled = out.pos == out.size && wanted_ != 0;
  }
  return true;
}

void ZstdStream::Free::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }

ZstdStream::ZstdStream() : context_(ZSTD_createCCtx()) {
  if (!context_) throw std::bad_alloc();
  checked(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kLevel));
  checked(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1));
}

std::string ZstdStream::add(std::string_view bytes, bool last) {
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  std::string ready;
  std::string buffer(ZSTD_CStreamOutSize(), '\0');
  std::size_t left = 0;
  do {
    ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
    left = checked(ZSTD_compressStream2(context_.get(), &out, &in, last ? ZSTD_e_end : ZSTD_e_continue));
    ready.append(buffer.data(), out.pos);
  } while (last ? left != 0 : in.pos < in.size);
  return ready;
}

}  // namespace steptp
