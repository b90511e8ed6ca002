// Any bytes as JSON: what is read prints and reads back; as a record, it is refused with a message or is a program.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/round_trip.h"

namespace {

void check_value(const std::string& text) {
  const auto json = steptp::parse_json(text);
  if (!json) {
    if (json.error().offset > text.size())
      steptp::fuzz::fail("an error lies inside the text", text, json.error().message);
    return;
  }
  const std::string printed = json->dump();
  const auto again = steptp::parse_json(printed);
  if (!again || again->dump() != printed) steptp::fuzz::fail("the same value again", text, printed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check_value(text);
  // Without the brace the text would be read as LEIR, which is the other target's business.
  const steptp::Document document = steptp::read_document("fuzz", text.starts_with('{') ? text : '{' + text);
  steptp::fuzz::expect_sound(document);
  if (document.ok) steptp::fuzz::expect_round_trips(document);
  return 0;
}
