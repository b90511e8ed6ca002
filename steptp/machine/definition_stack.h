#pragma once

#include <cstddef>
#include <vector>

#include "steptp/arithmetic/failure.h"
#include "steptp/base/deep_stack.h"
#include "steptp/machine/instance.h"

namespace steptp::certify {

/// How deep definitions lead into one another. A chain that is longer than the stack is taken up from where it ended:
/// what was too deep is evaluated first, on an empty stack, and is known from then on.
class DefinitionStack {
 public:
  [[nodiscard]] bool is_too_deep() const {
    return start_ - static_cast<const char*>(__builtin_frame_address(0)) > limit_;
  }
  /// Throws where the stack is used up; `in_steps` takes it from there.
  void check(const Instance& instance) const {
    if (is_too_deep()) throw TooDeep{instance};
  }

  /// Calls `work` until it comes through; `evaluate` evaluates and remembers what it was too deep for.
  template <typename Work, typename Evaluate>
  void in_steps(const Work& work, const Evaluate& evaluate) {
    start_ = static_cast<const char*>(__builtin_frame_address(0));
    limit_ = kBytes;
    std::vector<Instance> first;
    for (;;) {
      try {
        if (first.empty()) return work();
        evaluate(Instance(first.back()));
        first.pop_back();
        limit_ = 2 * kBytes;
      } catch (const TooDeep& deep) {
        if (first.size() == kMostSteps) fail(FailureKind::depth, "a chain of definitions is too long");
        first.push_back(deep.instance);
        limit_ = kBytes;
      }
    }
  }

 private:
  /// This one is to be evaluated first.
  struct TooDeep {
    Instance instance;
  };

  /// What definitions may take of the stack; the rest is for the expressions in them. What is too deep for it is
  /// evaluated first, on an empty stack, and then the rest with twice as much: it is never far from there to what is
  /// known.
  static constexpr std::ptrdiff_t kBytes = std::ptrdiff_t{12} << 20;
  static_assert(2 * kBytes < static_cast<std::ptrdiff_t>(kBigStackBytes / 4));
  static constexpr std::size_t kMostSteps = 1'000'000;

  const char* start_ = nullptr;
  std::ptrdiff_t limit_ = 0;
};

}  // namespace steptp::certify
