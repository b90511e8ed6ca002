#pragma once

#include <array>
#include <atomic>
#include <cstddef>
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
#include "steptp/certify/lanes.h"
#include "steptp/certify/memo.h"
#include "steptp/certify/solver.h"
#include "steptp/certify/trace.h"
#include "steptp/certify/value_class.h"

namespace steptp::certify {

inline constexpr std::size_t kMaxRank = 40;

/// What may be spent; counted down by all machines that share it.
struct Budget {
  std::uint64_t operations = 0;
  std::uint64_t bytes = 0;
  const std::atomic<bool>* stop = nullptr;  ///< raised from outside: no more is wanted
};

/// The sequential machine of docs/language.md, asked for single elements: finds the last write before the moment of a
/// read and evaluates that, and so on down to the inputs. Writes are found in the concrete iteration space (solver.h),
/// so that overwriting in place, recurrences and scopes need no analysis of their own.
/// Runs deep: call it on a big stack (big_stack.h). Chains of definitions that are longer than the stack are taken up
/// from where it ended.
template <typename Arithmetic>
class Machine {
 public:
  using Value = typename Arithmetic::Value;

  /// Comparisons of reals are not decided (opaque_arithmetic.h).
  static constexpr bool kIsOpaque = requires { typename Arithmetic::Decision; };

  /// A number of an integer type or bool, or a real.
  struct Answer {
    bool is_real = true;
    Value real;
    std::int64_t integer = 0;
  };

  Machine(const Code& code, Arithmetic& arithmetic, const InputSource& source, Budget& budget);
  /// A machine for another program at the same inputs, in the same arithmetic. Statements that are the same ones as
  /// `same_as` says of each (sharing.h) are evaluated once for both; the branches in them are noted in the machine that
  /// came first, and only there.
  Machine(const Code& code, Machine& other, const std::vector<std::uint32_t>& same_as);
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine() { budget_.bytes += memory_.forget(true); }

  /// The value of an output's element after the program.
  [[nodiscard]] Result<Answer, Failure> output(std::uint32_t tensor, const std::vector<std::int64_t>& element);

  /// The same of an output of bools whose comparisons are not decided.
  template <typename Opaque = Arithmetic>
  [[nodiscard]] Result<typename Opaque::Decision, Failure> output_decision(std::uint32_t tensor,
                                                                           const std::vector<std::int64_t>& element);

  /// Per branch: 1 where it was seen false, 2 where true, 3 both.
  [[nodiscard]] const std::vector<std::uint8_t>& outcomes() const { return outcomes_; }
  /// Which way everything went, in the order of evaluation: one number.
  [[nodiscard]] std::uint64_t path() const { return path_; }
  /// Comparisons are listed from now on, in the order of evaluation; values that are remembered make none.
  void trace(Trace* steps) { trace_ = steps; }
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
  /// Thrown where the stack is used up by definitions: this one is to be evaluated first.
  struct TooDeep {
    Instance instance;
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
  [[nodiscard]] bool is_too_deep() const;
  void check_stack(const Instance& instance) const;
  /// Calls `work` until it comes through, evaluating first what it is too deep for.
  template <typename Work>
  void in_steps(const Work& work);
  /// Pays for a value to be remembered; forgets others where there is no room.
  void reserve(std::size_t bytes);
  void note(std::uint32_t branch, bool outcome);
  void note_fold(const Node& node, const Value& argument);
  void trace_reals(const Node& node, CompareOp op, const Frame& frame, const Value& left, const Value& right);
  void trace_integers(const Node& node, const Frame& frame, std::int64_t left, std::int64_t right, bool outcome);
  void note_fold(const Node& node, const Value& left, const Value& right);

  [[nodiscard]] std::int64_t index(const IndexCode& index, const Frame& frame);
  [[nodiscard]] std::int64_t atom(const IndexAtom& atom, const Frame& frame);
  [[nodiscard]] std::int64_t position(const Access& access, const Frame& frame);
  void cell_of(const Access& access, const Frame& frame, Cell& cell);

  void real(std::uint32_t number, const Frame& frame, Value& out);
  [[nodiscard]] std::int64_t integer(std::uint32_t number, const Frame& frame);
  [[nodiscard]] std::int64_t integer_arithmetic(const Node& node, const Frame& frame);
  /// What a read is a copy of, where copying does not round.
  [[nodiscard]] static const Access& seen(const Access& access);
  void read_real(const Access& access, const Frame& frame, Value& out);
  [[nodiscard]] std::int64_t read_integer(const Access& access, const Frame& frame);
  [[nodiscard]] bool condition(const Node& select, const Frame& frame);

  // Rounded arithmetics only: decisions that rounding errors leave open (machine_open.h).
  struct Truth {
    bool value = false;
    bool is_open = false;
  };
  [[nodiscard]] Truth truth_of(std::uint32_t number, const Frame& frame);
  [[nodiscard]] std::int64_t logic_of_open(const Node& node, const Frame& frame);
  void select_real(const Node& node, const Frame& frame, Value& out);
  [[nodiscard]] std::int64_t select_integer(const Node& node, const Frame& frame);
  void bool_as_real(const Node& node, const Frame& frame, Value& out);
  [[nodiscard]] std::int64_t compute_integer(const Instance& instance, std::uint64_t key);
  void compute_real(const Instance& instance, Value& out);

  // Opaque arithmetics only (machine_opaque.h).
  template <typename Opaque>
  [[nodiscard]] typename Opaque::Decision decide(std::uint32_t number, const Frame& frame);
  template <typename Opaque>
  [[nodiscard]] typename Opaque::Decision decide_after(const Instance& instance);
  template <typename Opaque>
  void choose(const Node& select, const Frame& frame, Value& out);
  /// Both outcomes where it is open.
  template <typename Opaque>
  void refuse_hazards(const typename Opaque::Decision& decision);
  template <typename Opaque>
  void note_decision(std::uint32_t branch, const typename Opaque::Decision& decision);
  template <typename Opaque>
  void note_open_fold(const Node& node, const Value& left, const Value& right);
  template <typename Opaque>
  void real_of_bool(const Node& node, const Frame& frame, Value& out);

  /// The last write to a cell as seen by `writers` at the moment `now`; false where there is none.
  [[nodiscard]] bool last_write(const std::vector<Writer>& writers, const Cell& cell, const std::int64_t* now,
                                Instance& found);
  [[nodiscard]] bool last_write_of(const Writer& writer, const Cell& cell, const std::int64_t* now, Slots& found);
  [[nodiscard]] bool directly(const Writer& writer, const Cell& cell, const std::int64_t* now, Slots& found,
                              bool& is_decided) const;
  [[nodiscard]] bool is_later(const Instance& one, const Instance& other) const;
  [[nodiscard]] bool writes_cell(const StatementCode& statement, const Cell& cell, const std::int64_t* slots);
  /// The write that an access is known to see (Access::origin); false where the subscripts are not those of one.
  [[nodiscard]] bool original(const Access& access, const std::int64_t* slots, Instance& found) const;
  [[noreturn]] void undefined(const Access& access, const Cell& cell) const;

  void real_after(const Instance& instance, Value& out);
  [[nodiscard]] std::int64_t integer_after(const Instance& instance);
  void remember(std::uint32_t statement, std::uint64_t key, const Value& value);
  void accumulate_real(const Instance& instance, Value& out);
  void fold_rounds(const Instance& instance, Value& out);
  void add_terms(std::uint32_t number, const Frame& frame, Value& sum);
  void accumulate_partly(const Instance& instance, const Cell& cell, Value& out);
  void start_of(const Instance& instance, const Cell& cell, Value& out);
  [[nodiscard]] std::int64_t accumulate_integer(const Instance& instance);
  void fold_real(const Frame& frame, Value& sum);
  void fold_box(const StatementCode& statement, const std::vector<Range>& box, Value& sum);
  [[nodiscard]] std::vector<Range> box_of(const StatementCode& statement, const Slots& slots) const;
  void identity(const StatementCode& statement, Value& out);
  [[nodiscard]] static std::int64_t integer_identity(const StatementCode& statement);
  [[nodiscard]] std::uint64_t key_of(const Instance& instance) const;

  // Many iterations at once (machine_lanes.h).
  void fold_lanes_of_box(const StatementCode& statement, const std::vector<Range>& box,
                         Value& sum) requires(Arithmetic::kHasLanes);
  void fold_lanes(const Lanes& lanes, Value& sum) requires(Arithmetic::kHasLanes);
  void fold_term(std::uint32_t number, bool is_subtracted, const Lanes& lanes,
                 Value& sum) requires(Arithmetic::kHasLanes);
  [[nodiscard]] bool fold_inputs(const Node& product, bool is_subtracted, const Lanes& lanes,
                                 Value& sum) requires(Arithmetic::kHasLanes);
  void lanes_real(std::uint32_t number, const Lanes& lanes, Value* out) requires(Arithmetic::kHasLanes);
  void lanes_integer(std::uint32_t number, const Lanes& lanes, std::int64_t* out) requires(Arithmetic::kHasLanes);
  void lanes_select(const Node& node, const Lanes& lanes, Value* out) requires(Arithmetic::kHasLanes);
  void lanes_some(std::uint32_t number, const Lanes& lanes, const std::vector<std::uint32_t>& which,
                  Value* out) requires(Arithmetic::kHasLanes);
  void lanes_read(const Access& access, const Lanes& lanes, Value* out) requires(Arithmetic::kHasLanes);
  [[nodiscard]] static std::int64_t row_number(const Access& access,
                                               const Lanes& lanes) requires(Arithmetic::kHasLanes);
  void lanes_computed(const Access& access, const Lanes& lanes, Value* out) requires(Arithmetic::kHasLanes);
  void lanes_input(const Access& access, const Lanes& lanes, Value* out) requires(Arithmetic::kHasLanes);
  /// False where not every lane sees its origin.
  [[nodiscard]] bool lanes_origin(const Access& access, const Lanes& lanes, Value* out) requires(Arithmetic::kHasLanes);
  void lanes_after(std::uint32_t statement, const Lanes& lanes, Value* out) requires(Arithmetic::kHasLanes);
  [[nodiscard]] bool lanes_known(const Access& access, const Lanes& lanes, Value* out) requires(Arithmetic::kHasLanes);
  void lanes_positions(const Access& access, const Lanes& lanes, std::int64_t* out) requires(Arithmetic::kHasLanes);
  [[nodiscard]] const std::int64_t* lanes_mantissas(const Access& access, const Lanes& lanes,
                                                    std::int64_t* own) requires(Arithmetic::kHasLanes);
  [[nodiscard]] bool is_plain_input(const Node& node) const requires(Arithmetic::kHasLanes);
  void slots_of(const Lanes& lanes, std::size_t lane, Slots& slots) const;

  const Code& code_;
  Arithmetic& arithmetic_;
  const InputSource& source_;
  Budget& budget_;
  Solver solver_;
  std::vector<std::size_t> input_numbers_;  ///< by tensor
  std::uint32_t first_literal_;
  Memory<Value> memory_;
  Memory<Value>* others_memory_ = nullptr;  ///< of the machine with which values are shared
  std::vector<Memo<Value>*> reals_;         ///< by statement: own, or shared
  std::vector<IntegerMemo*> integers_;
  std::vector<std::uint8_t> outcomes_;
  std::set<std::uint64_t> converted_;
  std::uint64_t path_ = 0;
  Trace* trace_ = nullptr;
  std::deque<Value> scratch_;
  std::size_t scratch_used_ = 0;
  const char* stack_start_ = nullptr;
  std::ptrdiff_t stack_limit_ = 0;
  LanePool<Value> value_lanes_;
  LanePool<std::int64_t> integer_lanes_;
  LaneCache<std::int64_t> input_rows_;
  LaneCache<Value> value_rows_;
};

}  // namespace steptp::certify
