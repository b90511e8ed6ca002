#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "steptp/base/result.h"
#include "steptp/certify/code.h"
#include "steptp/certify/failure.h"
#include "steptp/certify/inputs.h"
#include "steptp/certify/memo.h"
#include "steptp/certify/solver.h"

namespace steptp::certify {

inline constexpr std::size_t kMaxRank = 40;

/// What may be spent; counted down by all machines that share it.
struct Budget {
  std::uint64_t operations = 0;
  std::uint64_t bytes = 0;
  const std::atomic<bool>* stop = nullptr;  ///< raised from outside: no more is wanted
};

/// The sequential machine of leir.md section 2, asked for single elements: finds the last write before the moment of a
/// read and evaluates that, and so on down to the inputs. Writes are found in the concrete iteration space (solver.h),
/// so that overwriting in place, recurrences and scopes need no analysis of their own.
/// Runs deep: call it on a big stack (big_stack.h).
template <typename Arithmetic>
class Machine {
 public:
  using Value = typename Arithmetic::Value;

  /// A number of an integer type or bool, or a real.
  struct Answer {
    bool is_real = true;
    Value real;
    std::int64_t integer = 0;
  };

  Machine(const Code& code, Arithmetic& arithmetic, const InputSource& source, Budget& budget);

  /// The value of an output's element after the program.
  [[nodiscard]] Result<Answer, Failure> output(std::uint32_t tensor, const std::vector<std::int64_t>& element);

  /// Per branch: 1 where it was seen false, 2 where true, 3 both.
  [[nodiscard]] const std::vector<std::uint8_t>& outcomes() const { return outcomes_; }
  /// Which way everything went, in the order of evaluation: one number.
  [[nodiscard]] std::uint64_t path() const { return path_; }
  /// The identities of the reals that became integers or bools, which show next to nothing of them.
  [[nodiscard]] const std::set<std::uint64_t>& converted() const { return converted_; }

 private:
  using Slots = std::array<std::int64_t, kMaxLoops>;
  struct Frame {
    const StatementCode* statement = nullptr;
    const std::int64_t* slots = nullptr;
    const Value* real_accumulator = nullptr;
    std::int64_t integer_accumulator = 0;
  };
  struct Cell {
    std::array<std::int64_t, kMaxRank> at{};
    std::size_t size = 0;
  };
  /// One execution of a statement.
  struct Instance {
    std::uint32_t statement = kNone;
    bool is_partial = false;  ///< an accumulation of which a part of the neighbours may come later
    Slots slots{};
  };
  /// A value of its own for a moment. Numbers that own memory are taken from a stack and keep it.
  class BorrowedScratch {
   public:
    explicit BorrowedScratch(Machine& machine) : machine_(machine), value_(machine.take()) {}
    BorrowedScratch(const BorrowedScratch&) = delete;
    BorrowedScratch& operator=(const BorrowedScratch&) = delete;
    ~BorrowedScratch() { --machine_.scratch_used_; }
    [[nodiscard]] Value& operator*() { return value_; }

   private:
    Machine& machine_;
    Value& value_;
  };
  class PlainScratch {
   public:
    explicit PlainScratch(Machine&) {}
    [[nodiscard]] Value& operator*() { return value_; }

   private:
    Value value_;
  };
  using Scratch = std::conditional_t<Arithmetic::kHasPlainValues, PlainScratch, BorrowedScratch>;

  [[nodiscard]] Value& take();
  void spend(std::uint64_t operations);
  /// Stops a chain of definitions before the stack is full.
  void check_stack() const;
  void note(std::uint32_t branch, bool outcome);
  void note_fold(const Node& node, const Value& argument);
  void note_fold(const Node& node, const Value& left, const Value& right);

  [[nodiscard]] std::int64_t index(const IndexCode& index, const Frame& frame);
  [[nodiscard]] std::int64_t atom(const IndexAtom& atom, const Frame& frame);
  [[nodiscard]] std::int64_t position(const Access& access, const Frame& frame);
  void cell_of(const Access& access, const Frame& frame, Cell& cell);

  void real(std::uint32_t number, const Frame& frame, Value& out);
  [[nodiscard]] std::int64_t integer(std::uint32_t number, const Frame& frame);
  [[nodiscard]] std::int64_t integer_arithmetic(const Node& node, const Frame& frame);
  void read_real(const Access& access, const Frame& frame, Value& out);
  [[nodiscard]] std::int64_t read_integer(const Access& access, const Frame& frame);
  [[nodiscard]] bool condition(const Node& select, const Frame& frame);

  /// The last write to a cell as seen by `writers` at the moment `now`; false where there is none.
  [[nodiscard]] bool last_write(const std::vector<Writer>& writers, const Cell& cell, const std::int64_t* now,
                                Instance& found);
  [[nodiscard]] bool last_write_of(const Writer& writer, const Cell& cell, const std::int64_t* now, Slots& found);
  [[nodiscard]] bool directly(const Writer& writer, const Cell& cell, const std::int64_t* now, Slots& found,
                              bool& is_decided) const;
  [[nodiscard]] bool is_later(const Instance& one, const Instance& other) const;
  [[nodiscard]] bool writes_cell(const StatementCode& statement, const Cell& cell, const std::int64_t* slots);
  [[noreturn]] void undefined(const Access& access, const Cell& cell) const;

  void real_after(const Instance& instance, Value& out);
  [[nodiscard]] std::int64_t integer_after(const Instance& instance);
  void accumulate_real(const Instance& instance, Value& out);
  [[nodiscard]] std::int64_t accumulate_integer(const Instance& instance);
  void fold_real(const Frame& frame, Value& sum);
  void identity(const StatementCode& statement, Value& out);
  [[nodiscard]] static std::int64_t integer_identity(const StatementCode& statement);
  [[nodiscard]] std::uint64_t key_of(const Instance& instance) const;

  const Code& code_;
  Arithmetic& arithmetic_;
  const InputSource& source_;
  Budget& budget_;
  Solver solver_;
  std::vector<std::size_t> input_numbers_;  ///< by tensor
  std::vector<Memo<Value>> reals_;          ///< by statement
  std::vector<Memo<std::int64_t>> integers_;
  std::vector<std::uint8_t> outcomes_;
  std::set<std::uint64_t> converted_;
  std::uint64_t path_ = 0;
  std::deque<Value> scratch_;
  std::size_t scratch_used_ = 0;
  const char* stack_start_ = nullptr;
};

}  // namespace steptp::certify
