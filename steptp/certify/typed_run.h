#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "steptp/arithmetic/failure.h"
#include "steptp/ir/program.h"
#include "steptp/machine/code.h"
#include "steptp/machine/thread_fold.h"

namespace steptp::certify {

/// The door for whoever checks what a run of a program computed: inputs as verification draws them, and single elements
/// in the declared types. Everything else in these layers answers questions about two programs.

/// The generic inputs of a program by seed; each element is a function of seed, name and position.
class DrawnInputs {
 public:
  DrawnInputs(const Program& program, std::uint64_t seed);
  ~DrawnInputs();
  DrawnInputs(const DrawnInputs&) = delete;
  DrawnInputs& operator=(const DrawnInputs&) = delete;

  /// Why no inputs can be drawn; empty where they can.
  [[nodiscard]] const std::string& problem() const;
  [[nodiscard]] std::size_t count() const;
  [[nodiscard]] const Variable& variable(std::size_t input) const;
  /// By the position in row-major order. May be called by several threads at once.
  [[nodiscard]] double real(std::size_t input, std::int64_t position) const;
  [[nodiscard]] std::int64_t integer(std::size_t input, std::int64_t position) const;

 private:
  friend class TypedRun;
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

/// Single elements of a program in the declared types. What elements share is computed once and kept. Runs deep: call
/// it on a big stack (machine/big_stack.h).
class TypedRun {
 public:
  /// At the inputs drawn for another program with the same signature. Throws Failure where a program cannot be
  /// compiled.
  TypedRun(const Program& program, const Program& drawn, std::uint64_t seed, std::uint64_t budget_bytes);
  ~TypedRun();
  TypedRun(const TypedRun&) = delete;
  TypedRun& operator=(const TypedRun&) = delete;

  [[nodiscard]] const std::string& problem() const { return inputs_.problem(); }
  [[nodiscard]] const Code& code() const { return code_; }
  /// Before the first element `in_order`: accumulations over threads are done in this order, others as written.
  void follow_threads(ThreadFolds folds) { folds_ = std::move(folds); }

  struct Element {
    std::optional<Failure> failure;  ///< why there is no value
    bool is_open = false;            ///< rounding errors may decide a comparison otherwise, and no bound covers that
    bool is_covered = false;         ///< the bound of this element or of one before holds for both outcomes of one
    bool is_real = true;
    std::int64_t integer = 0;
    double value = 0;
    double unit = 0;   ///< of a finite value: the unit in the last place
    double error = 0;  ///< in any order: how far the value may be from the exact one
    double low = 0;    ///< in order: what such a run may hold
    double high = 0;
  };
  /// The element of an output with a bound that holds in any order of its sums. `operations` is counted down.
  [[nodiscard]] Element in_any_order(const std::string& output, const std::vector<std::int64_t>& element,
                                     std::uint64_t& operations);
  /// The same with what a run in the order of the text, and of threads, may hold.
  [[nodiscard]] Element in_order(const std::string& output, const std::vector<std::int64_t>& element,
                                 std::uint64_t& operations);

 private:
  template <typename Arithmetic>
  struct Evaluator;
  struct Evaluators;

  DrawnInputs inputs_;
  Code code_;
  std::uint64_t budget_bytes_;
  ThreadFolds folds_;
  std::unique_ptr<Evaluators> evaluators_;
};

}  // namespace steptp::certify
