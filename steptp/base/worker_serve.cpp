// The worker's side.
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <thread>

#include "steptp/base/text.h"
#include "steptp/base/worker.h"

namespace steptp {

namespace {

void limit(const WorkerLimits& limits) {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
// The shadow memory of the address sanitizer is data too, and beyond any limit.
#ifndef __SANITIZE_ADDRESS__
  if (limits.memory_bytes > 0) {
    const rlimit data{limits.memory_bytes, limits.memory_bytes};
    setrlimit(RLIMIT_DATA, &data);
  }
#else
  (void)limits;
#endif
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  if (write(file, "1000", 4) < 0) {
    // Without it the machine chooses for itself; nothing else depends on it.
  }
  close(file);
}

/// A handler that never comes back does not outlive whom it works for.
void end_with(int descriptor) {
  std::thread([descriptor] {
    for (;;) {
      pollfd line{descriptor, POLLRDHUP, 0};
      if (poll(&line, 1, -1) > 0 && (line.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0) _exit(0);
    }
  }).detach();
}

}  // namespace

int serve_requests(int descriptor, const WorkerLimits& limits,
                   const std::function<std::string(const std::string&)>& handler) {
  std::signal(SIGPIPE, SIG_IGN);
  limit(limits);
  end_with(descriptor);
  std::string problem;
  try {
    while (const auto request = read_frame(descriptor)) {
      const std::string answer = handler(*request);
      if (!write_frame(descriptor, FrameKind::message, answer)) return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
  } catch (const std::bad_alloc&) {
    problem = limits.memory_bytes > 0
                  ? concat("out of memory: more than ", limits.memory_bytes >> 20, " MiB would be needed")
                  : std::string("out of memory");
  } catch (const WorkerIsOver& reason) {
    problem = reason.what();
  } catch (const std::exception& error) {
    problem = concat("internal error: ", std::string(error.what()));
  }
  return write_frame(descriptor, FrameKind::failure, problem) ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace steptp
