// Any bytes as the text of a document: reading says what is wrong or gives a program that prints and reads back.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const steptp::Document document =
      steptp::read_document("fuzz", std::string(reinterpret_cast<const char*>(data), size));
  steptp::fuzz::expect_sound(document);
  if (document.ok) steptp::fuzz::expect_round_trips(document);
  return 0;
}
