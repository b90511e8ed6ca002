// One worker process and the conversation with it. A request and its answer are frames with hashes; a worker that
// crashes, hangs, leaves or sends something else becomes a failure with a reason, and its pool (worker_pool.cpp)
// starts another. Decision 0027.
#include "steptp/base/worker.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

#include "steptp/base/duration.h"
#include "steptp/base/text.h"

namespace steptp {

namespace {

constexpr std::size_t kKeptWords = 2000;
constexpr int kAskEvery = 50;  // milliseconds between questions whether to go on

using Kind = WorkerOutcome::Kind;

Diagnostic no_worker(std::string_view what, int reason) {
  return make_error("worker", concat("cannot start a worker: ", what, ": ", std::strerror(reason)));
}

/// posix_spawn's lists, which have to be given back.
struct SpawnLists {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  SpawnLists() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  SpawnLists(const SpawnLists&) = delete;
  SpawnLists& operator=(const SpawnLists&) = delete;
  ~SpawnLists() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
};

int spawn(const std::vector<std::string>& command, int socket, int errors, pid_t& process) {
  SpawnLists lists;
  posix_spawn_file_actions_addopen(&lists.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&lists.actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&lists.actions, errors, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&lists.actions, socket, Worker::kDescriptor);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&lists.attributes, &signals);
  sigaddset(&signals, SIGPIPE);
  posix_spawnattr_setsigdefault(&lists.attributes, &signals);
  posix_spawnattr_setpgroup(&lists.attributes, 0);  // what it starts is ended with it; Ctrl-C is for us alone
  posix_spawnattr_setflags(&lists.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  std::vector<std::string> owned = command;
  std::vector<char*> arguments;
  for (std::string& argument : owned) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  return posix_spawnp(&process, arguments[0], &lists.actions, &lists.attributes, arguments.data(), environ);
}

}  // namespace

std::string_view name_of(WorkerOutcome::Kind kind) {
  switch (kind) {
    case Kind::answered: return "answered";
    case Kind::failed: return "failed";
    case Kind::crashed: return "crashed";
    case Kind::exited: return "exited";
    case Kind::timed_out: return "timed-out";
    case Kind::garbled: return "garbled";
    case Kind::cancelled: return "cancelled";
    case Kind::not_started: return "not-started";
  }
  return "";
}

Result<std::unique_ptr<Worker>, Diagnostic> Worker::start(const std::vector<std::string>& command) {
  std::array<int, 2> sockets;
  std::array<int, 2> errors;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) return no_worker("no socket", errno);
  if (pipe2(errors.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    const int reason = errno;
    close(sockets[0]);
    close(sockets[1]);
    return no_worker("no pipe", reason);
  }
  // A descriptor that is 3 already would be closed by exec: dup2 onto itself changes nothing on older systems.
  const int theirs = fcntl(sockets[1], F_DUPFD_CLOEXEC, kDescriptor + 1);
  pid_t process = 0;
  const int reason = theirs < 0 ? errno : spawn(command, theirs, errors[1], process);
  if (theirs >= 0) close(theirs);
  close(sockets[1]);
  close(errors[1]);
  if (reason != 0) {
    close(sockets[0]);
    close(errors[0]);
    return no_worker(command.front(), reason);
  }
  fcntl(sockets[0], F_SETFL, fcntl(sockets[0], F_GETFL) | O_NONBLOCK);
  return std::unique_ptr<Worker>(new Worker(process, sockets[0], errors[0]));
}

Worker::~Worker() {
  reap(true);
  close(socket_);
  close(errors_);
}

int Worker::reap(bool kill_it) {
  if (is_reaped_) return status_;
  if (kill_it) kill(-process_, SIGKILL);
  while (waitpid(process_, &status_, 0) < 0 && errno == EINTR) {
  }
  // Whatever it left behind in its group goes too.
  kill(-process_, SIGKILL);
  is_reaped_ = true;
  return status_;
}

bool Worker::is_healthy() {
  if (is_broken_ || is_reaped_) return false;
  // Nothing is to be read while it is idle: neither an end nor a word.
  pollfd line{socket_, POLLIN, 0};
  return poll(&line, 1, 0) == 0;
}

void Worker::keep_errors() {
  std::array<char, 1024> buffer;
  ssize_t got = 0;
  while ((got = read(errors_, buffer.data(), buffer.size())) > 0) {
    last_words_.append(buffer.data(), static_cast<std::size_t>(got));
    if (last_words_.size() > 2 * kKeptWords) last_words_.erase(0, last_words_.size() - kKeptWords);
  }
}

Worker::Wait Worker::wait(short events, Clock::time_point end, const std::function<bool()>& go_on) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return Wait::timed_out;
    // What it says on standard error would be lost once the pipe is full.
    std::array<pollfd, 2> lines = {pollfd{socket_, events, 0}, pollfd{errors_, POLLIN, 0}};
    const int most = go_on ? kAskEvery : 60'000;
    // Once its errors are closed they would wake us for ever.
    const nfds_t count = errors_closed_ ? 1 : 2;
    const int ready = poll(lines.data(), count, static_cast<int>(std::min<long>(left + 1, most)));
    if (go_on && !go_on()) return Wait::cancelled;
    if (ready < 0 && errno != EINTR) return Wait::closed;
    if (ready <= 0) continue;
    if (count == 2 && lines[1].revents != 0) {
      keep_errors();
      errors_closed_ = (lines[1].revents & (POLLHUP | POLLERR)) != 0;
    }
    if (lines[0].revents != 0) return Wait::ready;
  }
}

Worker::Wait Worker::send(std::string_view bytes, Clock::time_point end, const std::function<bool()>& go_on) {
  while (!bytes.empty()) {
    const ssize_t put = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (put > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(put));
    } else if (errno == EAGAIN) {
      if (const Wait waited = wait(POLLOUT, end, go_on); waited != Wait::ready) return waited;
    } else if (errno != EINTR) {
      return Wait::closed;
    }
  }
  return Wait::ready;
}

Worker::Wait Worker::receive(char* to, std::size_t bytes, Clock::time_point end, const std::function<bool()>& go_on) {
  while (bytes > 0) {
    const ssize_t got = read(socket_, to, bytes);
    if (got > 0) {
      to += got;
      bytes -= static_cast<std::size_t>(got);
    } else if (got < 0 && errno == EAGAIN) {
      if (const Wait waited = wait(POLLIN, end, go_on); waited != Wait::ready) return waited;
    } else if (got == 0 || errno != EINTR) {
      return Wait::closed;
    }
  }
  return Wait::ready;
}

WorkerOutcome Worker::ended(Wait how, double seconds) {
  is_broken_ = true;
  WorkerOutcome out;
  if (how == Wait::timed_out) {
    out.kind = Kind::timed_out;
    char text[64];
    std::snprintf(text, sizeof text, "no answer within %.4g seconds", seconds);
    out.reason = text;
    reap(true);
    return out;
  }
  if (how == Wait::cancelled) {
    out.kind = Kind::cancelled;
    out.reason = "cancelled";
    reap(true);
    return out;
  }
  // It closed the line: then it is about to end, and how it does so is the reason. One that does not end is ended.
  const auto patience = Clock::now() + std::chrono::seconds(2);
  pid_t gone = 0;
  while ((gone = waitpid(process_, &status_, WNOHANG)) == 0 && Clock::now() < patience) {
    pollfd none{errors_, POLLIN, 0};
    poll(&none, errors_closed_ ? 0 : 1, 1);
    keep_errors();
  }
  keep_errors();
  if (gone == process_) {
    is_reaped_ = true;
    kill(-process_, SIGKILL);
  } else {
    reap(true);
  }
  if (WIFSIGNALED(status_)) {
    out.kind = Kind::crashed;
    out.reason = concat("ended by signal ", WTERMSIG(status_), " (", strsignal(WTERMSIG(status_)), ")");
  } else {
    out.kind = Kind::exited;
    out.reason = concat("ended with status ", WEXITSTATUS(status_), " and without an answer");
  }
  if (!last_words_.empty()) {
    std::string words = last_words_.substr(last_words_.size() - std::min(last_words_.size(), kKeptWords));
    while (!words.empty() && words.back() == '\n') words.pop_back();
    append(out.reason, ": ", words);
  }
  return out;
}

WorkerOutcome Worker::exchange(std::string_view request, Clock::time_point end, const std::function<bool()>& go_on) {
  const double seconds = std::chrono::duration<double>(end - Clock::now()).count();
  const auto head = std::bit_cast<std::array<char, sizeof(FrameHeader)>>(frame_header(FrameKind::message, request));
  Wait waited = send({head.data(), head.size()}, end, go_on);
  if (waited == Wait::ready) waited = send(request, end, go_on);
  // A worker that refuses the rest of a request may still have said why.
  std::array<char, sizeof(FrameHeader)> bytes;
  if (waited == Wait::ready || waited == Wait::closed) waited = receive(bytes.data(), bytes.size(), end, go_on);
  if (waited != Wait::ready) return ended(waited, seconds);
  WorkerOutcome out;
  out.kind = Kind::garbled;
  out.reason = "what it sent is not an answer";
  const auto header = parse_frame_header(bytes);
  if (!header) return out;
  std::string payload(header->bytes, '\0');
  waited = receive(payload.data(), payload.size(), end, go_on);
  if (waited != Wait::ready) return ended(waited, seconds);
  if (!is_payload_of(*header, payload)) return out;
  out.kind = header->kind == FrameKind::message ? Kind::answered : Kind::failed;
  (out.ok() ? out.answer : out.reason) = std::move(payload);
  if (out.ok()) out.reason.clear();
  return out;
}

WorkerOutcome Worker::call(std::string_view request, const WorkerCall& options) {
  WorkerOutcome out;
  if (is_broken_ || is_reaped_) {
    out.reason = "the worker has ended before";
    return out;
  }
  const auto end = Clock::now() + span_of_seconds(options.seconds);
  out = exchange(request, end, options.go_on);
  if (out.ok()) {
    ++answered_;
    keep_errors();
    last_words_.clear();
  } else if (!is_reaped_) {
    is_broken_ = true;
    reap(true);
  }
  return out;
}

}  // namespace steptp
