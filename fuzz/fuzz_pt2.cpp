// Any bytes as an archive of torch.export, and, after a first byte of '{', as the model inside one: refused with a
// message, or a graph that is written and read back. Checksums would keep mutations from ever reaching the model.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/round_trip.h"
#include "steptp/base/zip.h"
#include "steptp/graph/graph_json.h"
#include "steptp/import/pt2.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace steptp;
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  std::string archive(content);
  if (content.starts_with('{')) {
    ZipWriter zip;
    if (!zip.add("m/models/model.json", content) || !zip.add("m/archive_format", "steptp-capture")) return 0;
    archive = zip.finish();
  }
  const auto read = graph::read_pt2(archive);
  if (!read) {
    if (read.error().empty() || read.error().front().message.empty()) fuzz::fail("a message", content, "");
    return 0;
  }
  const std::string written = graph::to_json(read->graph).dump();
  const auto again = graph::parse_graph(written);
  if (!again) fuzz::fail("what is written can be read", content, again.error().message);
  if (graph::to_json(*again).dump() != written) fuzz::fail("the same text again", content, written);
  return 0;
}
