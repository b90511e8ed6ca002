#include "steptp/prove/budget.h"

#include "steptp/base/deep_stack.h"
#include "steptp/prove/give_up.h"

namespace steptp::forms {

void Budget::spend(std::uint64_t work) {
  work_ += work;
  if (stop != nullptr && stop->load(std::memory_order_relaxed)) throw GiveUp{"stopped from outside"};
  if (work_ > work_limit_) throw GiveUp{"the normal form takes more work than allowed"};
}

void Budget::look(std::uint64_t nodes) const {
  // Of ordinary programs, most nodes are looked at a few times.
  constexpr std::uint64_t kLooksPerWork = 4;
  looks_ += nodes;
  if (looks_ > kLooksPerWork * work_limit_) throw GiveUp{"the normal form takes more work than allowed"};
}

void Budget::go_deeper() const {
  constexpr std::uint32_t kMostDepth = 4000;
  constexpr std::uint64_t kLooksPerStop = 4096;
  if (depth_ >= kMostDepth || stack_is_short()) throw GiveUp{"formulas are nested too deeply"};
  look(1);
  if (looks_ % kLooksPerStop == 0 && stop != nullptr && stop->load(std::memory_order_relaxed)) {
    throw GiveUp{"stopped from outside"};
  }
  ++depth_;
}

}  // namespace steptp::forms
