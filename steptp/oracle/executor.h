#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "steptp/base/result.h"
#include "steptp/oracle/code.h"
#include "steptp/oracle/storage.h"

namespace steptp::oracle {

/// The machine itself. Every value is computed when its turn comes, in the dtype that the rules give it, and every
/// element is looked up by its subscripts, hidden ones first.
class Executor {
 public:
  /// `storages` by tensor number; `copies` those of demoted tensors as their scope would have them.
  Executor(const Code& code, const RunOptions& options, std::vector<Storage>& storages, std::vector<Storage>& copies);

  /// Runs the whole program; nothing where all went well.
  [[nodiscard]] std::optional<Trap> run();

  [[nodiscard]] std::uint64_t executions() const { return executions_; }
  [[nodiscard]] double operations() const { return operations_; }

 private:
  /// Leaves the machine from any depth; run() catches it, so that nobody else sees an exception.
  struct Stop {
    Trap trap;
  };
  /// The subscripts of one element. A rank beyond the array is rare, and still right.
  class Tuple {
   public:
    void push(std::int64_t value) {
      if (size_ < kFew) {
        few_[size_] = value;
      } else {
        if (size_ == kFew) many_.assign(few_, few_ + kFew);
        many_.push_back(value);
      }
      ++size_;
    }
    [[nodiscard]] std::span<const std::int64_t> all() const { return {size_ <= kFew ? few_ : many_.data(), size_}; }

   private:
    static constexpr std::size_t kFew = 16;
    std::int64_t few_[kFew];
    std::vector<std::int64_t> many_;
    std::size_t size_ = 0;
  };

  void run_nest(const NestCode& nest);
  void run_loops(const NestCode& nest, std::size_t number);
  void run_body(const NestCode& nest);
  void run_equation(const EquationCode& equation);
  void start_launch();
  void tick();

  [[nodiscard]] bool holds(const GuardCode& guard);
  [[nodiscard]] Wide exact(const IndexCode& index, const Access* access, const Site& site);
  [[nodiscard]] Wide exact(const AtomCode& atom, const Access* access, const Site& site);
  /// The value of a linear index; nothing where it leaves 64 bits on the way.
  [[nodiscard]] std::optional<std::int64_t> narrow(const IndexCode& index) const {
    std::int64_t sum = index.constant;
    for (const auto& [coefficient, slot] : index.linear) {
      std::int64_t product = 0;
      if (__builtin_mul_overflow(coefficient, slots_[slot], &product)) return std::nullopt;
      if (__builtin_add_overflow(sum, product, &sum)) return std::nullopt;
    }
    return sum;
  }
  [[nodiscard]] std::int64_t axis_index(const Access& access, std::size_t axis) const;
  void push_axes(Tuple& tuple, const Access& access, std::size_t count) const;
  void push_subscripts(Tuple& tuple, const Access& access);

  [[nodiscard]] Scalar evaluate_at(const ExprCode& expr);
  [[nodiscard]] Scalar evaluate_chain(const ExprCode& expr);
  [[nodiscard]] Scalar evaluate_compare(const ExprCode& expr);
  [[nodiscard]] Scalar evaluate_logic(const ExprCode& expr);
  [[nodiscard]] Scalar read(const Access& access);
  void check_ambiguity(const Access& access, Scalar value, Storage::Launch written);
  void write(const Access& access, Scalar value);

  [[noreturn]] void stop(TrapKind kind, const Site& site, const std::string& message, const Access* access = nullptr,
                         std::vector<std::int64_t> subscripts = {});
  [[noreturn]] void stop_at_element(TrapKind kind, const Access& access, std::span<const std::int64_t> subscripts,
                                    const std::string& what);

  const Code& code_;
  const RunOptions& options_;
  std::vector<Storage>& storages_;
  std::vector<Storage>& copies_;
  std::vector<std::int64_t> slots_;
  std::vector<const LoopCode*> open_;
  Storage::Launch launch_ = 0;
  std::uint64_t executions_ = 0;
  std::uint64_t ticks_ = 0;
  double operations_ = 0;
};

}  // namespace steptp::oracle
