#include "steptp/machine/big_stack.h"

#include <flint/flint.h>

namespace steptp::certify {

bool run_on_big_stack(const std::function<void()>& work) {
  struct Cleanup {
    ~Cleanup() { flint_cleanup(); }
  };
  return steptp::run_on_big_stack([&] {
    const Cleanup cleanup;
    work();
  });
}

}  // namespace steptp::certify
