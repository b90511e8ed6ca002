#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "steptp/analysis/accesses.h"
#include "steptp/analysis/shapes.h"
#include "steptp/ir/typing.h"
#include "steptp/prove/arena.h"
#include "steptp/prove/hazards.h"
#include "steptp/prove/tables.h"

namespace steptp::forms {

/// The value of an expression: an exact integer, a real, or a truth.
struct Value {
  enum class Kind : std::uint8_t { integer, real, truth };
  Kind kind = Kind::real;
  Affine integer;
  PolynomialId real = 0;
  ConditionId truth = 0;
  /// Of elements only (Flow::resolve): a form that is 1 at the inputs where the element has no value, else 0.
  PolynomialId hazard = kHarmless;
};

/// The numbers that stand for a version: of its value, and of where it has none (kHarmless: it always has one).
struct VersionNumbers {
  std::uint32_t value = 0;
  std::uint32_t hazard = kHarmless;
};

/// What both programs of a pair agree on: the numbers of known variables, the names of elements, and the value numbers
/// that may stand for a definition instead of what is in it.
class Shared {
 public:
  Shared(Arena& arena, const Signature& signature);

  [[nodiscard]] std::optional<std::uint32_t> known(const std::string& name) const;
  /// What is known of all entries of a constant, by its number; nothing where that is no rule.
  [[nodiscard]] const TwoValuedTable* table(std::uint32_t number) const;
  /// The variables that stand for the element of a tensor of this shape.
  [[nodiscard]] const std::vector<VariableId>& element(const std::vector<std::int64_t>& shape);
  /// The same as subscripts: what has only one value under the assumptions of the moment is a number.
  [[nodiscard]] std::vector<Affine> subscripts(const std::vector<std::int64_t>& shape);

  Arena& arena;
  const Signature& signature;

 private:
  std::map<std::string, std::uint32_t> numbers_;
  std::map<std::size_t, TwoValuedTable> tables_;
  std::map<std::vector<std::int64_t>, std::vector<VariableId>> elements_;
};

/// What a tensor holds at some time, as far as top-level nests can tell: all writers before that nest have run.
struct Version {
  std::string tensor;
  std::size_t writers = 0;                           ///< how many of the tensor's writers, in textual order
  auto operator<=>(const Version&) const = default;  // NOLINT(modernize-use-nullptr): what the compiler generates
};

using Numbering = std::map<Version, std::uint32_t>;

/// One step of a recurrence as a formula of the round before it, `earlier`, with the value of that round as a
/// generator.
struct RecurrenceStep {
  PolynomialId value = 0;
  PolynomialId previous = 0;
  VariableId earlier = 0;
};

/// The rounds of a recurrence from `low` on, where the value is `first`; asked for at `here`.
struct RecurrenceRounds {
  std::int64_t low = 0;
  std::int64_t high = 0;
  PolynomialId first = 0;
  VariableId here = 0;
};

/// Values of elements as functions of indices: every read is followed to the writes that reach it, symbolically.
/// Relies on a program that `check` calls ok: a read that is reached sees a defined element.
class Flow {
 public:
  /// `unrolls`: recurrences that go through other statements are followed from round to round, unless they are folds.
  /// That ends where rounds are few, and says the same whatever the subscripts are.
  Flow(Shared& shared, const Program& program, bool unrolls = false);

  /// Of the program that is to be no worse: written sums with an accumulation in them count as a part of it, which
  /// makes their error bound greater, never less.
  void overestimate_sums() { overestimates_sums_ = true; }
  /// Sums into a tensor that are done once for an element are no rounds but operations in their order.
  void keep_order_of_sums() { keeps_order_of_sums_ = true; }
  /// There are such sums.
  [[nodiscard]] bool has_sums_done_once() const;

  /// Some recurrence goes through other statements.
  [[nodiscard]] bool has_roundabouts() const {
    return std::find(is_roundabout_.begin(), is_roundabout_.end(), true) != is_roundabout_.end();
  }

  /// The value of an element of an output at the end.
  [[nodiscard]] Value output(const std::string& name, const std::vector<Affine>& element);

  /// Versions in the order in which they can be numbered, and the value of an element of one, where reads of other
  /// versions that have a number stay reads.
  [[nodiscard]] std::vector<Version> versions() const;
  /// Otherwise than by accumulating.
  [[nodiscard]] bool is_read_where_written(const std::string& tensor) const;
  [[nodiscard]] Value value(const Version& version, const std::vector<Affine>& element);
  [[nodiscard]] const std::vector<std::int64_t>& shape(const std::string& tensor) const;
  /// All of a tensor's writers have run.
  [[nodiscard]] bool is_last(const Version& version) const {
    return writers_.at(version.tensor).size() == version.writers;
  }
  /// A version that is read as `definition(number)` from now on; none takes all numbers back.
  void set_number(const Version& version, VersionNumbers numbers);
  void forget_numbers();
  /// Recurrences were written down with the numbers that there were.
  void renew_recurrences() { find_recurrences(); }

 private:
  struct Frame {
    std::size_t statement = 0;
    std::vector<Affine> loops;
    bool as_accumulator = false;  ///< the statement's own accumulator reads as the identity, or as this
    std::optional<PolynomialId> accumulator = std::nullopt;
  };
  /// A writer solved for its loops: which iterations write a given element.
  struct Solved {
    std::vector<Affine> loops;                    ///< in terms of the element and of `free`
    std::vector<std::optional<VariableId>> free;  ///< where the loop's value is a free variable
    std::vector<bool> is_partial;                 ///< the loop's value is neither determined nor free
    std::vector<VariableId> unknown;              ///< all that are left free, digits of loops included
    std::vector<ConditionId> conditions;
  };
  struct Candidate {
    std::size_t statement = 0;
    std::vector<Affine> loops;
    ConditionId condition = 0;
    /// Where the condition fails, an earlier round of this many outer loops may have written the element.
    std::size_t outer_rounds = 0;
  };
  struct Piece {
    std::vector<Affine> loops;
    std::vector<VariableId> free;
    std::vector<ConditionId> conditions;
  };
  struct Place {
    std::size_t shared_loops = 0;
    bool before = true;
  };
  struct Typed {
    ValueType type;
    Value value;
  };
  static constexpr std::size_t kEnd = static_cast<std::size_t>(-1);

  // evaluate.cpp
  [[nodiscard]] Typed evaluate(const Expr& expr, const Frame& frame);
  [[nodiscard]] Typed fold(const std::vector<ExprPtr>& operands, const std::vector<ArithmeticOp>& operators,
                           const Frame& frame);
  [[nodiscard]] Typed combine(ArithmeticOp op, const Typed& left, const Typed& right, bool natural_exponent);
  [[nodiscard]] Typed call(Function function, const Typed& argument);
  [[nodiscard]] Typed choose(const ExprPtr& condition, const ExprPtr& if_true, const ExprPtr& if_false,
                             const Frame& frame);
  [[nodiscard]] Value choose(ConditionId condition, const Value& if_true, const Value& if_false, DType dtype);
  [[nodiscard]] ConditionId condition(const Expr& expr, const Frame& frame);
  [[nodiscard]] Affine index(const Index& index, const Frame& frame);
  [[nodiscard]] PolynomialId to_real(const Value& value);
  [[nodiscard]] Affine to_integer(const Value& value, DType dtype);
  [[nodiscard]] ConditionId to_truth(const Value& value);
  [[nodiscard]] Value convert(const Value& value, DType dtype);
  [[nodiscard]] Value convert(const Typed& value, DType dtype);
  [[nodiscard]] Value integer_of(PolynomialId polynomial);
  [[nodiscard]] Value read(const RefPtr& ref, const Frame& frame);
  [[nodiscard]] Value entry(const TwoValuedTable& table, DType dtype, const std::vector<Affine>& subscripts);
  [[nodiscard]] Value known_value(std::uint32_t number, const Variable& variable, std::vector<Affine> subscripts);
  [[nodiscard]] Value right_side(std::size_t statement, const std::vector<Affine>& loops, bool as_accumulator,
                                 std::optional<PolynomialId> accumulator = std::nullopt);

  // hazards.cpp
  /// Adds to what the element at hand has no value by.
  void add_hazard(PolynomialId hazard) { hazard_ = hazards_.united(hazard_, hazard); }
  /// An access by data that may lie outside of the tensor.
  void add_range_hazards(const std::vector<Affine>& subscripts, const std::vector<std::int64_t>& shape);
  /// What a binary operation on reals cannot bear.
  void add_operation_hazard(ArithmeticOp op, PolynomialId left, PolynomialId right);
  // as_written.cpp
  [[nodiscard]] bool keeps_operations() const { return arena_.laws() == Laws::as_written; }
  /// A value kept in a float type: itself where the type holds all that it can be.
  [[nodiscard]] PolynomialId kept_in(const Typed& value, DType dtype);
  [[nodiscard]] PolynomialId written(ArithmeticOp op, const Typed& left, const Typed& right, DType dtype);
  [[nodiscard]] PolynomialId written(Function function, const Typed& argument, DType dtype);
  /// The summands of one round of an accumulation, each as a term of its type, over all its rounds.
  [[nodiscard]] PolynomialId written_rounds(std::size_t statement, const Piece& piece, ConditionId where);
  /// The value after the only round of a statement, which is no accumulation over rounds but a sum as it is written.
  [[nodiscard]] PolynomialId written_once(std::size_t statement, const Piece& piece, ConditionId where,
                                          std::optional<PolynomialId> earlier);
  /// Every round of the one comes before the only round of the other, whatever the element.
  [[nodiscard]] bool comes_before(std::size_t other, std::size_t statement) const;
  /// A factor of a product over many rounds, tied to its round: products are rounded in the order of their factors.
  [[nodiscard]] static bool is_one_product(const Equation& equation);
  [[nodiscard]] PolynomialId in_order(PolynomialId factor, std::size_t statement, const Piece& piece);
  void collect_terms(const Expr& expr, const Frame& frame, bool is_negated, std::vector<PolynomialId>& out);
  [[nodiscard]] PolynomialId as_term(PolynomialId value, DType dtype);
  [[nodiscard]] bool is_of_terms(PolynomialId value, DType dtype);
  /// A written sum of accumulations as one accumulation, where it may count as one.
  [[nodiscard]] std::optional<PolynomialId> joined(PolynomialId left, PolynomialId right, DType dtype);
  /// An accumulation of one round is no accumulation, and one of two rounds has one order.
  [[nodiscard]] PolynomialId without_terms(PolynomialId total, DType dtype);

  // flow.cpp
  /// How many of a tensor's writers stand in top-level nests up to this one.
  [[nodiscard]] std::size_t writers_up_to(const std::vector<std::size_t>& writers, std::uint32_t nest) const;
  /// The versions that some read can see, and the last ones of the outputs: numbers of others are of no use.
  [[nodiscard]] std::set<Version> versions_read() const;

  // reaching_writes.cpp
  [[nodiscard]] Value resolve(const std::string& tensor, const std::vector<Affine>& element, std::size_t reader,
                              const std::vector<Affine>& loops, std::size_t writers);
  [[nodiscard]] std::optional<Candidate> latest(std::size_t writer, const std::vector<Affine>& element,
                                                std::size_t reader, const std::vector<Affine>& loops);
  /// The candidate of a writer whose iterations are known but for `solved.unknown`, of which the last ones count.
  [[nodiscard]] Candidate with_last_rounds(std::size_t writer, const Solved& solved, Substitution chosen,
                                           std::vector<ConditionId> conditions);
  /// A buffer whose places are used in turn, E_{(a+1)%2}: which earlier round of the loop wrote the place that is read.
  /// Nothing where the writer is not of this kind.
  [[nodiscard]] std::optional<Candidate> rotating(std::size_t writer, const std::vector<Affine>& element,
                                                  const Place& where, const std::vector<Affine>& loops);
  /// One of the earlier candidates wrote the element in the round of the outer loops at hand, so that their earlier
  /// rounds do not matter where the rotating one did not write.
  [[nodiscard]] bool is_begun_in_round(const Candidate& rotating, const std::vector<Candidate>& earlier,
                                       const std::vector<Affine>& loops);
  [[nodiscard]] std::vector<Piece> pieces(std::size_t writer, const std::vector<Affine>& element, std::size_t reader,
                                          const std::vector<Affine>& loops, const Candidate* base);
  [[nodiscard]] Value accumulated(const std::string& tensor, const std::vector<Affine>& element, std::size_t reader,
                                  const std::vector<Affine>& loops, const Candidate* base, std::size_t writers);
  [[nodiscard]] Value killed(const Candidate& candidate);
  [[nodiscard]] Place place(std::size_t first, std::size_t second) const;
  void sort_latest_first(std::vector<Candidate>& candidates);
  [[nodiscard]] bool is_later(const Candidate& left, const Candidate& right);
  /// Less, equal, greater; nothing where it depends.
  [[nodiscard]] std::optional<int> order(const Affine& left, const Affine& right);

  // recurrences.cpp
  void find_recurrences();
  /// Through other statements, such as a copy of the old value: one statement of each cycle is the recurrence.
  void break_longer_cycles();
  /// By statement: which statements of the same nest it may read from.
  [[nodiscard]] std::vector<std::vector<std::size_t>> near_sources();
  /// Writes down those among the first statements, while nothing is assumed. Reads of what has a number by then stay
  /// reads.
  void prepare_recurrences(std::size_t end);
  /// Variables that stand for the element which a statement writes.
  [[nodiscard]] std::vector<VariableId> element_names(std::size_t statement);
  void make_body(std::size_t statement, const std::vector<VariableId>& names);
  void forget_open_recurrence();
  /// One round of a recurrence, and where that round has no value.
  struct Round {
    PolynomialId value = 0;
    PolynomialId hazard = kHarmless;
  };
  [[nodiscard]] Round body_at(std::size_t statement, const std::vector<Affine>& element);
  [[nodiscard]] Generator self(std::size_t statement, const std::vector<Affine>& element);
  /// What a write of a recurrence wrote to an element.
  [[nodiscard]] Value recurrence(const Candidate& write, std::vector<Affine> element);
  /// The only loop in whose rounds an element is written again and again; its round is one more subscript then.
  [[nodiscard]] std::optional<std::size_t> rolled_loop(std::size_t statement, const std::vector<VariableId>& names);

  // closed_recurrences.cpp
  /// What the recurrence is as a fold, if it is one.
  void close(std::size_t statement, const std::vector<VariableId>& names);
  [[nodiscard]] PolynomialId hazard_of_rounds(const RecurrenceRounds& rounds, const Round& first,
                                              const RecurrenceStep& step, const Round& later);
  [[nodiscard]] std::optional<std::size_t> direction(const std::vector<VariableId>& names) const;

  // solve.cpp
  /// `fixed`: loops whose values are known, by number.
  [[nodiscard]] Solved solve(std::size_t writer, const std::vector<Affine>& element,
                             const std::map<std::size_t, Affine>& fixed = {});

  void add_hidden(const RefPtr& ref, const Frame& frame, std::vector<Affine>& subscripts);
  [[nodiscard]] std::vector<Affine> left_subscripts(std::size_t statement, const Frame& frame);

  Shared& shared_;
  Arena& arena_;
  const Program& program_;
  AccessTable table_;
  std::map<std::string, InferredShape> shapes_;
  std::map<std::string, std::vector<std::size_t>> writers_;  ///< statements, in textual order
  std::vector<bool> is_cyclic_;
  std::vector<bool> is_roundabout_;  ///< only through other statements
  bool unrolls_ = false;
  bool overestimates_sums_ = false;
  bool keeps_order_of_sums_ = false;
  std::vector<std::optional<Round>> bodies_;  ///< of recurrences, by statement
  std::size_t prepared_ = 0;                  ///< the statements before have bodies, if they can
  std::optional<std::size_t> open_recurrence_;
  std::vector<std::vector<Affine>> reads_of_itself_;  ///< of the open one, so far: which elements
  bool self_is_number_ = false;                       ///< the open one, as far as reals go
  struct Closed {
    std::vector<VariableId> element;
    PolynomialId value = 0;
    PolynomialId hazard = kHarmless;
  };
  std::vector<std::optional<Closed>> closed_;       ///< recurrences that are folds, by statement
  std::vector<std::optional<std::size_t>> rolled_;  ///< the loop along which a recurrence overwrites its elements
  std::map<Version, VersionNumbers> numbers_;
  Hazards hazards_;
  PolynomialId hazard_ = kHarmless;  ///< of what has been evaluated of the element at hand

  struct Key {
    std::string tensor;
    std::size_t reader;
    std::size_t writers;
    std::vector<AffineId> element;
    std::vector<AffineId> loops;
    std::uint32_t knowledge;
    auto operator<=>(const Key&) const = default;  // NOLINT(modernize-use-nullptr): what the compiler generates
  };
  std::map<Key, Value> done_;
  int depth_ = 0;
};

}  // namespace steptp::forms
