#include "steptp/documents/torch_times.h"

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "steptp/base/file.h"
#include "steptp/base/process.h"

__asm__(
    ".section .rodata\n"
    "steptp_time_torch_begin:\n"
    ".incbin \"" STEPTP_DATA_DIR
    "/../python/steptp/time_torch.py\"\n"
    "steptp_time_torch_end:\n"
    ".byte 0\n"
    ".previous\n");

// NOLINTBEGIN(readability-identifier-naming): the names of symbols
extern "C" {
extern const char steptp_time_torch_begin[] __attribute__((visibility("hidden")));
extern const char steptp_time_torch_end[] __attribute__((visibility("hidden")));
}
// NOLINTEND(readability-identifier-naming)

namespace steptp {

namespace {

std::string_view script() {
  return {steptp_time_torch_begin, static_cast<std::size_t>(steptp_time_torch_end - steptp_time_torch_begin)};
}

}  // namespace

Result<std::unique_ptr<RivalSession>, Diagnostic> start_torch(const TorchRequest& request) {
  auto folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  const std::string program = folder->file("time_torch.py");
  if (const auto written = write_file(program, script()); !written) return written.error();
  std::vector<std::string> command = {request.python,
                                      program,
                                      request.file,
                                      "--device",
                                      std::string(word_of(request.device)),
                                      "--threads",
                                      std::to_string(request.threads)};
  if (!request.cold) command.emplace_back("--warm");
  if (request.with_graphs) command.emplace_back("--graph");
  auto session = RivalSession::start(command, request.timeout_seconds, std::move(folder).value());
  if (session) return session;
  Diagnostic reason = session.error();
  reason.hint = "--python names another Python";
  return reason;
}

}  // namespace steptp
