#include "steptp/certify/big_stack.h"

#include <flint/flint.h>
#include <pthread.h>

#include <exception>

namespace steptp::certify {

namespace {

struct Job {
  const std::function<void()>* work = nullptr;
  std::exception_ptr error;
};

void* start(void* argument) {
  auto* job = static_cast<Job*>(argument);
  try {
    (*job->work)();
  } catch (...) {
    job->error = std::current_exception();
  }
  flint_cleanup();  // the library keeps caches per thread
  return nullptr;
}

}  // namespace

bool run_on_big_stack(const std::function<void()>& work) {
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

}  // namespace steptp::certify
