#include "steptp/import/capture_script.h"

#include <cstddef>

__asm__(
    ".section .rodata\n"
    "steptp_capture_begin:\n"
    ".incbin \"" STEPTP_DATA_DIR
    "/../python/steptp/capture.py\"\n"
    "steptp_capture_end:\n"
    ".byte 0\n"
    ".previous\n");

// NOLINTBEGIN(readability-identifier-naming): the names of symbols
extern "C" {
extern const char steptp_capture_begin[] __attribute__((visibility("hidden")));
extern const char steptp_capture_end[] __attribute__((visibility("hidden")));
}
// NOLINTEND(readability-identifier-naming)

namespace steptp {

std::string_view capture_script() {
  return {steptp_capture_begin, static_cast<std::size_t>(steptp_capture_end - steptp_capture_begin)};
}

}  // namespace steptp
