// Any bytes as a tokenizer.json and as a text. A file is refused with a message or gives a tokenizer that keeps its
// promises; the built-in tokenizer gives ids whose text has the same ids.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/round_trip.h"
#include "steptp/tokens/qwen3.h"
#include "steptp/tokens/tokenizer.h"

namespace {

using namespace steptp;

/// The ids, after looking at what holds for every tokenizer; none where the text is refused.
TokenIds expect_encodes(const Tokenizer& tokenizer, std::string_view text) {
  const auto ids = tokenizer.encode(text);
  const auto count = tokenizer.count(text);
  if (ids.ok() != count.ok()) fuzz::fail("encoding and counting refuse the same texts", text, "");
  if (!ids) {
    if (ids.error().message.empty()) fuzz::fail("a message", text, "");
    return {};
  }
  if (*count != ids->size()) fuzz::fail("as many ids as are counted", text, std::to_string(*count));
  for (const std::uint32_t id : *ids) {
    if (id >= tokenizer.id_limit()) fuzz::fail("every id is below the limit", text, std::to_string(id));
  }
  return *ids;
}

const Tokenizer& built_in() {
  static const Tokenizer tokenizer = qwen3_tokenizer().value();
  return tokenizer;
}

}  // namespace

/// Loading takes some seconds with the sanitizers, which are not the first input's fault.
extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  (void)built_in();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto tokenizer = Tokenizer::from_json(text)) {
    const TokenIds ids = expect_encodes(*tokenizer, "ab abab <e> 12\n" + std::string(text.substr(0, 64)));
    (void)tokenizer->decode(ids);
  } else if (tokenizer.error().message.empty()) {
    fuzz::fail("a message", text, "");
  }
  const TokenIds ids = expect_encodes(built_in(), text);
  const std::string back = built_in().decode(ids);
  if (expect_encodes(built_in(), back) != ids) fuzz::fail("the text of ids has these ids", text, back);
  return 0;
}
