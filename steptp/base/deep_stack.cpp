#include "steptp/base/deep_stack.h"

#include <pthread.h>

#include <cstdint>
#include <exception>

namespace steptp {

namespace {

/// What a recursion needs below the place where it looks: functions of libraries, and the way back.
constexpr std::size_t kReserve = std::size_t{256} << 10;
/// On a big stack a new one is taken where less than that is left.
constexpr std::size_t kMostLeft = kBigStackBytes / 4 * 3;

/// The lowest address of this thread's stack; 0: not looked up yet.
thread_local std::uintptr_t stack_end = 0;
thread_local bool is_big = false;

std::uintptr_t here() { return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)); }

std::uintptr_t look_up_end() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 1;
  void* address = nullptr;
  std::size_t bytes = 0;
  const bool is_known = pthread_attr_getstack(&attributes, &address, &bytes) == 0;
  pthread_attr_destroy(&attributes);
  return is_known ? reinterpret_cast<std::uintptr_t>(address) : 1;
}

std::size_t stack_left() {
  if (stack_end == 0) stack_end = look_up_end();
  return here() - stack_end;
}

struct Job {
  const std::function<void()>* work = nullptr;
  std::exception_ptr error;
};

void* start(void* argument) {
  auto* job = static_cast<Job*>(argument);
  is_big = true;
  stack_end = here() - kBigStackBytes + kReserve;
  try {
    (*job->work)();
  } catch (...) {
    job->error = std::current_exception();
  }
  return nullptr;
}

}  // namespace

bool stack_is_short() { return stack_left() < kReserve; }

bool run_on_big_stack(const std::function<void()>& work) {
  if (is_big && stack_left() > kMostLeft) {
    work();
    return true;
  }
  Job job{&work, nullptr};
  pthread_attr_t attributes;
  pthread_t thread{};
  if (pthread_attr_init(&attributes) != 0) return false;
  const bool started = pthread_attr_setstacksize(&attributes, kBigStackBytes) == 0 &&
                       pthread_create(&thread, &attributes, start, &job) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) return false;
  pthread_join(thread, nullptr);
  if (job.error) std::rethrow_exception(job.error);
  return true;
}

}  // namespace steptp
