// Any bytes as a file of weights, with a digest that fits and as they are: refused with a message, or a model that
// reads a token.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "fuzz/round_trip.h"
#include "steptp/base/sha256.h"
#include "steptp/tlm/network.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace steptp;
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  for (const bool fits : {false, true}) {
    const std::string bytes = std::string(content) + (fits ? sha256_hex(content) + "\n" : "");
    auto weights = tlm::parse_weights(bytes, "w");
    if (!weights) {
      if (weights.error().message.empty()) fuzz::fail("a message", content, "");
      continue;
    }
    const std::size_t positions = weights->shape.positions;
    const std::size_t vocabulary = weights->shape.vocabulary;
    if (positions < 2) continue;
    const tlm::Token last = static_cast<tlm::Token>(vocabulary - 1);
    const tlm::Continuations model(std::make_shared<const tlm::Weights>(std::move(weights).value()), {&last, 1}, 1);
    if (model.first_logits().size() != vocabulary) fuzz::fail("a logit for each token", content, "");
  }
  return 0;
}
