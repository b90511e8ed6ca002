// Any bytes as an .npz archive and as an .npy file: refused with a message, or arrays that are written and read back.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/round_trip.h"
#include "steptp/oracle/npz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace steptp;
  constexpr std::uint64_t kLimit = 1 << 24;
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  const auto arrays = parse_npz(content, kLimit);
  if (!arrays) {
    if (arrays.error().message.empty()) fuzz::fail("a message", content, "");
    return 0;
  }
  const auto written = format_npz(*arrays);
  if (!written) return 0;  // a name that no archive can hold
  const auto again = parse_npz(*written, kLimit);
  if (!again) fuzz::fail("what is written can be read", content, again.error().message);
  const auto written_again = format_npz(*again);
  if (!written_again || *written_again != *written) fuzz::fail("the same bytes again", content, "");
  return 0;
}
