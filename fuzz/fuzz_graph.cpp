// Any bytes as an operator graph: refused with a message, or a graph that prints, reads back and can be lowered.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "steptp/frontend/lower.h"
#include "steptp/graph/graph_json.h"
#include "steptp/graph/torch_printer.h"

namespace {

[[noreturn]] void fail(const char* what, const std::string& text) {
  std::fprintf(stderr, "not so: %s\n%s\n", what, text.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto graph = steptp::graph::parse_graph(text);
  if (!graph) {
    if (graph.error().message.empty()) fail("a refusal says why", text);
    return 0;
  }
  const std::string printed = steptp::graph::to_json(*graph).dump();
  const auto again = steptp::graph::parse_graph(printed);
  if (!again || steptp::graph::to_json(*again).dump() != printed) fail("the same graph again", printed);
  if (steptp::graph::print_torch(*graph).empty()) fail("a PyTorch file", text);
  const auto lowered = steptp::frontend::lower(*graph);
  if (!lowered && lowered.error().message.empty()) fail("a refusal says why", text);
  return 0;
}
