// Workers that misbehave in every way: the pool goes on and loses nothing.
#include "steptp/base/worker.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "built_files.h"

namespace steptp::testing {
namespace {

using Kind = WorkerOutcome::Kind;
using Clock = std::chrono::steady_clock;

WorkerPool pool_of(std::size_t places, const std::string& megabytes = "0") {
  return WorkerPool(std::vector<WorkerPool::Command>(places, {STEPTP_FAULTY_WORKER, megabytes}));
}

WorkerCall within(double seconds) {
  WorkerCall out;
  out.seconds = seconds;
  return out;
}

TEST(Worker, AnswersAndIsReused) {
  WorkerPool pool = pool_of(1);
  for (int i = 1; i <= 50; ++i) {
    const WorkerOutcome out = pool.call("count", within(10));
    ASSERT_EQ(out.kind, Kind::answered) << out.reason;
    EXPECT_EQ(out.answer, std::to_string(i));
  }
  EXPECT_EQ(pool.started(), 1U);
}

TEST(Worker, LargeMessagesGoBothWays) {
  WorkerPool pool = pool_of(1);
  std::string large(std::size_t{40} << 20, 'a');
  for (std::size_t i = 0; i < large.size(); i += 4099) large[i] = static_cast<char>('a' + i % 23);
  const WorkerOutcome out = pool.call(large, within(60));
  ASSERT_TRUE(out.ok()) << out.reason;
  EXPECT_EQ(out.answer, "echo " + large);
  EXPECT_EQ(pool.call("", within(10)).answer, "echo ");
}

/// Every fault gives its kind and its reason, at once, and the next request is answered by a new worker.
TEST(Worker, FaultsAreResultsAndThePoolGoesOn) {
  struct Fault {
    const char* request;
    Kind kind;
    const char* reason;
  };
  const std::vector<Fault> faults = {
      {"crash", Kind::crashed, "signal 11"},
      {"abort", Kind::crashed, "the reason is written here"},
      {"hang", Kind::timed_out, "no answer within 0.3 seconds"},
      {"leave", Kind::exited, "status 7"},
      {"throw", Kind::failed, "internal error: something of its own"},
      {"over", Kind::failed, "the device is lost"},
      {"garbage", Kind::garbled, "not an answer"},
      {"false payload", Kind::garbled, "not an answer"},
      {"false header", Kind::garbled, "not an answer"},
      {"half", Kind::exited, "status 0"},
      {"mute", Kind::exited, "without an answer"},
  };
  WorkerPool pool = pool_of(1);
  std::uint64_t started = 1;
  for (const Fault& fault : faults) {
    const auto start = Clock::now();
    const WorkerOutcome out = pool.call(fault.request, within(std::string(fault.request) == "hang" ? 0.3 : 30));
    EXPECT_EQ(out.kind, fault.kind) << fault.request << ": " << name_of(out.kind) << " " << out.reason;
    EXPECT_NE(out.reason.find(fault.reason), std::string::npos) << fault.request << ": " << out.reason;
    EXPECT_EQ(out.answer, "");
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(20)) << fault.request;
    EXPECT_EQ(pool.call("count", within(10)).answer, "1") << "after " << fault.request;
    EXPECT_EQ(pool.started(), ++started) << fault.request;
  }
}

/// What is in the line before an answer spoils that answer, never a later one.
TEST(Worker, WordsBesideAnAnswerSpoilIt) {
  WorkerPool pool = pool_of(1);
  const WorkerOutcome out = pool.call("chatter", within(10));
  EXPECT_EQ(out.kind, Kind::garbled);
  EXPECT_EQ(pool.call("count", within(10)).answer, "1");
}

TEST(Worker, MuchOnStandardErrorStopsNobody) {
  WorkerPool pool = pool_of(1);
  EXPECT_EQ(pool.call("flood", within(30)).answer, "echo flood");
  EXPECT_EQ(pool.call("count", within(30)).answer, "2");
}

#ifndef __SANITIZE_ADDRESS__
TEST(Worker, MemoryIsLimited) {
  WorkerPool pool = pool_of(1, "256");
  const WorkerOutcome out = pool.call("eat", within(60));
  EXPECT_EQ(out.kind, Kind::failed) << name_of(out.kind) << " " << out.reason;
  EXPECT_NE(out.reason.find("out of memory: more than 256 MiB"), std::string::npos) << out.reason;
  EXPECT_EQ(pool.call("count", within(10)).answer, "1");
}
#endif

/// Between two requests, by whomever: the second one is answered by another worker.
TEST(Worker, OneThatDiesIdleIsReplaced) {
  WorkerPool pool = pool_of(1);
  pid_t process = 0;
  {
    auto lease = pool.take();
    ASSERT_TRUE(lease.ok());
    ASSERT_TRUE((*lease)->call("count", within(10)).ok());
    process = (*lease)->process();
  }
  ASSERT_EQ(kill(process, SIGKILL), 0);
  // The line closes a moment after the signal.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(pool.call("count", within(10)).answer, "1");
  EXPECT_EQ(pool.started(), 2U);
}

TEST(Worker, CallsAreCancelled) {
  WorkerPool pool = pool_of(1);
  std::atomic<int> asked = 0;
  WorkerCall call = within(60);
  call.go_on = [&asked] { return ++asked < 3; };
  const auto start = Clock::now();
  EXPECT_EQ(pool.call("hang", call).kind, Kind::cancelled);
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(10));
}

TEST(Worker, AProgramThatIsNotThere) {
  WorkerPool pool({{"/no/such/program"}});
  const WorkerOutcome out = pool.call("count", within(10));
  EXPECT_EQ(out.kind, Kind::not_started);
  EXPECT_NE(out.reason.find("/no/such/program"), std::string::npos);
  // The place is free again.
  EXPECT_EQ(pool.call("count", within(10)).kind, Kind::not_started);
}

/// Many threads, few places, one request in seven is fatal: every request has its own answer.
TEST(Worker, NothingIsLostAmongMany) {
  WorkerPool pool = pool_of(3);
  std::atomic<int> next = 0;
  std::atomic<int> right = 0;
  constexpr int kRequests = 210;
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 8; ++i) {
      callers.emplace_back([&] {
        for (int number = next++; number < kRequests; number = next++) {
          const bool fatal = number % 7 == 3;
          const std::string request = fatal ? "crash" : "number " + std::to_string(number);
          const WorkerOutcome out = pool.call(request, within(60));
          if (fatal ? out.kind == Kind::crashed : out.answer == "echo " + request) ++right;
        }
      });
    }
  }
  EXPECT_EQ(right, kRequests);
  EXPECT_GE(pool.started(), static_cast<std::uint64_t>(kRequests / 7));
}

/// Nothing of it is left when the pool goes, not even one that hangs.
TEST(Worker, EndsWithItsOwner) {
  pid_t process = 0;
  {
    auto worker = Worker::start({STEPTP_FAULTY_WORKER});
    ASSERT_TRUE(worker.ok());
    process = (*worker)->process();
    EXPECT_EQ(kill(process, 0), 0);
  }
  EXPECT_EQ(kill(process, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

/// Whether a process is gone, or a zombie that nobody has waited for.
bool has_ended(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  if (!std::getline(file, text)) return true;
  const std::size_t close = text.rfind(')');
  return close == std::string::npos || text.at(close + 2) == 'Z';
}

/// An owner that is killed cannot end its worker; the worker sees it and goes, even in the middle of a kernel.
TEST(Worker, EndsWhenItsOwnerIsKilled) {
  int line[2];
  ASSERT_EQ(pipe(line), 0);
  const pid_t owner = fork();
  if (owner == 0) {
    auto worker = Worker::start({STEPTP_FAULTY_WORKER});
    const pid_t process = worker ? (*worker)->process() : 0;
    if (write(line[1], &process, sizeof process) != sizeof process) _exit(1);
    if (worker) (void)(*worker)->call("hang", within(60));
    _exit(0);
  }
  pid_t process = 0;
  ASSERT_EQ(read(line[0], &process, sizeof process), static_cast<ssize_t>(sizeof process));
  ASSERT_NE(process, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_FALSE(has_ended(process));
  kill(owner, SIGKILL);
  waitpid(owner, nullptr, 0);
  for (int i = 0; i < 100 && !has_ended(process); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(has_ended(process));
  close(line[0]);
  close(line[1]);
}

/// The line to the worker does not end with the owner where a copy of the owner still holds it.
TEST(Worker, EndsWhenItsOwnerIsKilledThoughTheLineIsHeld) {
  int line[2];
  ASSERT_EQ(pipe(line), 0);
  const pid_t owner = fork();
  if (owner == 0) {
    auto worker = Worker::start({STEPTP_FAULTY_WORKER});
    // It serves when it has answered.
    pid_t processes[2] = {worker && (*worker)->call("count", within(30)).ok() ? (*worker)->process() : 0, 0};
    processes[1] = fork();
    if (processes[1] == 0) {
      std::this_thread::sleep_for(std::chrono::seconds(60));
      _exit(0);
    }
    if (write(line[1], &processes, sizeof processes) != sizeof processes) _exit(1);
    if (processes[0] != 0) (void)(*worker)->call("hang", within(60));
    _exit(0);
  }
  pid_t processes[2] = {0, 0};
  ASSERT_EQ(read(line[0], &processes, sizeof processes), static_cast<ssize_t>(sizeof processes));
  ASSERT_NE(processes[0], 0);
  kill(owner, SIGKILL);
  waitpid(owner, nullptr, 0);
  for (int i = 0; i < 100 && !has_ended(processes[0]); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_FALSE(has_ended(processes[1]));
  EXPECT_TRUE(has_ended(processes[0]));
  kill(processes[1], SIGKILL);
  kill(processes[0], SIGKILL);
  close(line[0]);
  close(line[1]);
}

/// The kernel's signal comes with the end of the thread that started the worker, too; the owner goes on.
TEST(Worker, OutlivesTheThreadThatStartedIt) {
  WorkerPool pool = pool_of(1);
  std::thread([&pool] { EXPECT_EQ(pool.call("count", within(30)).answer, "1"); }).join();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const WorkerOutcome out = pool.call("count", within(30));
  EXPECT_EQ(out.answer, "2") << out.reason;
  EXPECT_EQ(pool.started(), 1U);
}

TEST(Worker, AWarmOneCostsLittle) {
  WorkerPool pool = pool_of(1);
  ASSERT_TRUE(pool.call("count", within(10)).ok());
  constexpr int kRounds = 200;
  std::vector<double> milliseconds;
  for (int i = 0; i < kRounds; ++i) {
    const auto start = Clock::now();
    ASSERT_TRUE(pool.call("count", within(10)).ok());
    milliseconds.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  std::printf("a warm worker: %.3f ms per request in the median\n", milliseconds[kRounds / 2]);
  // The least: on a machine with other work the rest is theirs.
  EXPECT_LT(milliseconds.front(), 5);
}

}  // namespace
}  // namespace steptp::testing
