#include "steptp/tokens/qwen3.h"

#include <string_view>

#include "steptp/base/file.h"

// The compressed file lies in the read-only data of the library: nothing to install, nothing to find at run time.
__asm__(
    ".section .rodata\n"
    ".balign 16\n"
    "steptp_qwen3_begin:\n"
    ".incbin \"" STEPTP_DATA_DIR
    "/qwen3_tokenizer.json.gz\"\n"
    "steptp_qwen3_end:\n"
    ".byte 0\n"
    ".previous\n");

// NOLINTBEGIN(readability-identifier-naming): the names of symbols
extern "C" {
extern const char steptp_qwen3_begin[] __attribute__((visibility("hidden")));
extern const char steptp_qwen3_end[] __attribute__((visibility("hidden")));
}
// NOLINTEND(readability-identifier-naming)

namespace steptp {

namespace {

constexpr std::size_t kLimit = std::size_t{64} << 20;

Result<Tokenizer, Diagnostic> load() {
  const std::string_view compressed(steptp_qwen3_begin,
                                    static_cast<std::size_t>(steptp_qwen3_end - steptp_qwen3_begin));
  auto text = gunzip(compressed, kLimit);
  if (!text) return text.error();
  return Tokenizer::from_json(*text);
}

}  // namespace

const Result<Tokenizer, Diagnostic>& qwen3_tokenizer() {
  static const Result<Tokenizer, Diagnostic> kTokenizer = load();
  return kTokenizer;
}

}  // namespace steptp
