#include "testing/deep_stack.h"

#include <flint/flint.h>
#include <pthread.h>

#include <cstdlib>
#include <exception>

namespace steptp::testing {

namespace {

thread_local bool on_deep_one = false;

struct Work {
  const std::function<void()>* function;
  std::exception_ptr failure;
};

void* start(void* argument) {
  auto& work = *static_cast<Work*>(argument);
  on_deep_one = true;
  try {
    (*work.function)();
  } catch (...) {
    work.failure = std::current_exception();
  }
  flint_cleanup();
  return nullptr;
}

}  // namespace

void on_deep_stack(const std::function<void()>& function) {
  if (on_deep_one) return function();
  Work work{&function, nullptr};
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::size_t{1} << 30);
  if (pthread_create(&thread, &attributes, start, &work) != 0) std::abort();
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  if (work.failure) std::rethrow_exception(work.failure);
}

}  // namespace steptp::testing
