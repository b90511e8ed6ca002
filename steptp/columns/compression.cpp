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

std::string zstd_compress(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(checked(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), kLevel)));
  return out;
}

Result<std::string, Diagnostic> zstd_decompress(std::string_view compressed, std::size_t limit) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  if (!context) throw std::bad_alloc();
  ZSTD_inBuffer in{compressed.data(), compressed.size(), 0};
  std::string content;
  std::string buffer(ZSTD_DStreamOutSize(), '\0');
  std::size_t wanted = 0;
  bool filled = false;  // then more may be waiting inside, though all input was taken
  while (in.pos < in.size || filled) {
    ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
    wanted = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(wanted) != 0) {
      return make_error("zstd", concat("damaged compressed data: ", std::string_view(ZSTD_getErrorName(wanted))));
    }
    content.append(buffer.data(), out.pos);
    filled = out.pos == out.size;
    if (content.size() > limit) return make_error("zstd", concat("compressed data holds more than ", limit, " bytes"));
  }
  if (wanted != 0) return make_error("zstd", "compressed data ends early");
  return content;
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
