#include "steptp/endpoint/event_stream.h"

#include <gtest/gtest.h>

#include <vector>

namespace steptp {
namespace {

std::vector<std::string> events_of(std::string_view bytes, std::size_t piece) {
  std::vector<std::string> out;
  EventStream stream([&](const std::string& data) { out.push_back(data); });
  for (std::size_t at = 0; at < bytes.size(); at += piece) stream.feed(bytes.substr(at, piece));
  return out;
}

TEST(EventStream, IsTheSameHoweverTheBytesAreCut) {
  const std::string text =
      ": a comment\n\nevent: delta\ndata: {\"a\":1}\n\ndata:two\r\ndata:  lines\r\n\r\n\n\ndata: [DONE]\n\ndata: "
      "unfinished\n";
  const std::vector<std::string> wanted = {"{\"a\":1}", "two\n lines", "[DONE]"};
  for (std::size_t piece = 1; piece <= text.size(); ++piece) EXPECT_EQ(events_of(text, piece), wanted) << piece;
}

}  // namespace
}  // namespace steptp
