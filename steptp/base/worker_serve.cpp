// The worker's side.
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <thread>

#include "steptp/base/deep_stack.h"
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

/// The process that made the line, which is the one that started this; 0 where the line does not say.
pid_t owner_of(int descriptor) {
  ucred owner{};
  socklen_t size = sizeof owner;
  return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &owner, &size) == 0 ? owner.pid : 0;
}

/// A handler that never comes back does not outlive whom it works for. The end of the line says that the owner is gone,
/// unless a copy of the owner still holds it; then the kernel does. It sends its signal whenever the thread ends that
/// started this process, which is nothing to worry about while another of the owner's threads is there: the owner is
/// gone when this process has another parent.
void end_with(int descriptor) {
  constexpr int kOwnerSignal = SIGUSR2;
  const pid_t owner = owner_of(descriptor);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, kOwnerSignal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const int news = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  prctl(PR_SET_PDEATHSIG, kOwnerSignal);
  const auto is_gone = [owner] { return owner > 0 && getppid() != owner; };
  if (is_gone()) _exit(0);  // before it could be asked for
  std::thread([descriptor, news, is_gone] {
    for (;;) {
      std::array<pollfd, 2> lines = {pollfd{descriptor, POLLRDHUP, 0}, pollfd{news, POLLIN, 0}};
      if (poll(lines.data(), news < 0 ? 1 : 2, -1) <= 0) continue;
      if ((lines[0].revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0 || is_gone()) _exit(0);
      signalfd_siginfo signal{};
      while (news >= 0 && read(news, &signal, sizeof signal) > 0) {
      }
    }
  }).detach();
}

int answer_all(int descriptor, const WorkerLimits& limits,
               const std::function<std::string(const std::string&)>& handler) {
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

}  // namespace

int serve_requests(int descriptor, const WorkerLimits& limits,
                   const std::function<std::string(const std::string&)>& handler) {
  std::signal(SIGPIPE, SIG_IGN);
  limit(limits);
  end_with(descriptor);
  int status = EXIT_FAILURE;
  const auto serve = [&] { status = answer_all(descriptor, limits, handler); };
  if (!limits.runs_deep || !run_on_big_stack(serve)) serve();
  return status;
}

}  // namespace steptp
