// Any text as an operator graph in JSON: refused with a message, or a graph that is written and read back.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/round_trip.h"
#include "steptp/graph/graph_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace steptp;
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  const auto read = graph::parse_graph(content);
  if (!read) {
    if (read.error().message.empty()) fuzz::fail("a message", content, "");
    return 0;
  }
  const std::string written = graph::to_json(*read).dump();
  const auto again = graph::parse_graph(written);
  if (!again) fuzz::fail("what is written can be read", content, again.error().message);
  if (graph::to_json(*again).dump() != written) fuzz::fail("the same text again", content, written);
  return 0;
}
