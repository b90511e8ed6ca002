#include "steptp/base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "steptp/base/duration.h"
#include "steptp/base/text.h"

namespace steptp {

namespace {

constexpr std::size_t kKeptOutput = 16384;
constexpr int kCannotStart = 127;

using Clock = std::chrono::steady_clock;

Diagnostic failure(std::string_view what) { return make_error("process", concat(what, ": ", std::strerror(errno))); }

/// What a child gets, by its numbers here: without `input` it reads nothing, without `messages` its standard error is
/// lost. Why it could not be started goes into `errors`.
struct Lines {
  int input;
  int output;
  int messages;
  int errors;
};

/// In the child of `parent`: never returns.
[[noreturn]] void become(std::vector<char*>& arguments, const Lines& lines, pid_t parent) {
  setpgid(0, 0);                                 // what it starts can then be ended with it
  prctl(PR_SET_PDEATHSIG, SIGKILL);              // an interrupted steptp leaves nothing running
  if (getppid() != parent) _exit(kCannotStart);  // it was interrupted before that was said
  std::signal(SIGPIPE, SIG_DFL);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(lines.input < 0 ? nothing : lines.input, STDIN_FILENO);
  dup2(lines.output, STDOUT_FILENO);
  dup2(lines.messages < 0 ? nothing : lines.messages, STDERR_FILENO);
  execvp(arguments[0], arguments.data());
  const int reason = errno;
  if (write(lines.errors, &reason, sizeof reason) < 0) _exit(kCannotStart);
  _exit(kCannotStart);
}

/// Why a program did not start. Where a folder of PATH cannot be looked into, the system says that it has no
/// permission, also of a program that is nowhere.
Diagnostic cannot_start(const std::string& program, int reason) {
  if (reason == EACCES && program.find('/') == program.npos) {
    const char* path = std::getenv("PATH");
    bool exists = false;
    for (std::string_view rest = path ? path : ""; !rest.empty();) {
      const std::string_view folder = rest.substr(0, rest.find(':'));
      rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
      exists = exists || access(concat(folder.empty() ? "." : folder, "/", program).c_str(), F_OK) == 0;
    }
    if (!exists) reason = ENOENT;
  }
  return make_error("process", concat("cannot start ", program, ": ", std::strerror(reason)));
}

/// Reads until the other side closes or the time is over; keeps the end.
bool collect(int from, Clock::time_point end, std::string& output) {
  std::array<char, 4096> buffer;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return false;
    pollfd wait{from, POLLIN, 0};
    const int ready = poll(&wait, 1, static_cast<int>(std::min<long>(left, 60'000)));
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t got = read(from, buffer.data(), buffer.size());
    if (got <= 0) return true;
    output.append(buffer.data(), static_cast<std::size_t>(got));
    if (output.size() > 2 * kKeptOutput) output.erase(0, output.size() - kKeptOutput);
  }
}

}  // namespace

Result<ProcessResult, Diagnostic> run_process(const std::vector<std::string>& command, double seconds) {
  std::vector<std::string> owned = command;
  std::vector<char*> arguments;
  for (std::string& argument : owned) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  std::array<int, 2> output;
  std::array<int, 2> errors;
  if (pipe2(output.data(), O_CLOEXEC) != 0) return failure("no pipe");
  if (pipe2(errors.data(), O_CLOEXEC) != 0) {
    const Diagnostic reason = failure("no pipe");
    close(output[0]);
    close(output[1]);
    return reason;
  }
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) become(arguments, {-1, output[1], output[1], errors[1]}, parent);
  close(output[1]);
  close(errors[1]);
  Result<ProcessResult, Diagnostic> answer = ProcessResult();
  int reason = 0;
  if (child < 0) {
    answer = failure("no new process");
  } else if (read(errors[0], &reason, sizeof reason) == sizeof reason) {
    answer = cannot_start(command.front(), reason);
  } else {
    const auto end = Clock::now() + span_of_seconds(seconds);
    answer->timed_out = !collect(output[0], end, answer->output);
  }
  if (child > 0) {
    // Also after a proper end: nothing that it left behind goes on.
    if (answer.ok() && answer->timed_out) kill(-child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (answer.ok()) answer->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  close(output[0]);
  close(errors[0]);
  if (answer.ok() && answer->output.size() > kKeptOutput) answer->output.erase(0, answer->output.size() - kKeptOutput);
  return answer;
}

Result<Conversation, Diagnostic> Conversation::start(const std::vector<std::string>& command) {
  std::vector<std::string> owned = command;
  std::vector<char*> arguments;
  for (std::string& argument : owned) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  std::array<std::array<int, 2>, 3> pipes;  // to it, from it, why it did not start
  for (std::size_t i = 0; i < pipes.size(); ++i) {
    if (pipe2(pipes[i].data(), O_CLOEXEC) == 0) continue;
    const Diagnostic reason = failure("no pipe");
    for (std::size_t open = 0; open < i; ++open) {
      close(pipes[open][0]);
      close(pipes[open][1]);
    }
    return reason;
  }
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) become(arguments, {pipes[0][0], pipes[1][1], -1, pipes[2][1]}, parent);
  close(pipes[0][0]);
  close(pipes[1][1]);
  close(pipes[2][1]);
  int reason = child < 0 ? errno : 0;
  const bool failed = child < 0 || read(pipes[2][0], &reason, sizeof reason) == sizeof reason;
  close(pipes[2][0]);
  Conversation out(child, pipes[0][1], pipes[1][0]);
  if (failed) return cannot_start(command.front(), reason);
  return out;
}

Conversation::Conversation(Conversation&& other) noexcept
    : child_(other.child_), to_(other.to_), from_(other.from_), read_(std::move(other.read_)) {
  other.child_ = -1;
}

Conversation::~Conversation() {
  if (child_ == -1) return;
  close(to_);
  close(from_);
  if (child_ <= 0) return;
  kill(-child_, SIGKILL);
  while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Result<std::string, Diagnostic> Conversation::ask(std::string_view line, double seconds) {
  const auto end = Clock::now() + span_of_seconds(seconds);
  const std::string whole = line.empty() ? std::string() : concat(line, "\n");
  // A line is shorter than a pipe is long, so that it goes at once or the other side is gone.
  if (!whole.empty() && write(to_, whole.data(), whole.size()) != static_cast<ssize_t>(whole.size())) {
    return make_error("process", "the program that was asked has ended");
  }
  for (;;) {
    if (const std::size_t at = read_.find('\n'); at != std::string::npos) {
      std::string answer = read_.substr(0, at);
      read_.erase(0, at + 1);
      return answer;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0)
      return make_error("process",
                        concat("no answer after ", static_cast<std::int64_t>(countable_seconds(seconds)), " s"));
    pollfd wait{from_, POLLIN, 0};
    const int ready = poll(&wait, 1, static_cast<int>(std::min<long>(left, 60'000)));
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    std::array<char, 4096> buffer;
    const ssize_t got = read(from_, buffer.data(), buffer.size());
    if (got <= 0) return make_error("process", "the program that was asked has ended");
    read_.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

Result<TemporaryFolder, Diagnostic> TemporaryFolder::make() {
  const char* parent = std::getenv("TMPDIR");
  std::string path = concat(parent && *parent ? parent : "/tmp", "/steptp-XXXXXX");
  if (!mkdtemp(path.data()))
    return make_error("write", concat("cannot make a folder ", path, ": ", std::strerror(errno)));
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace steptp
