#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "replay/asked.h"
#include "replay/form.h"
#include "replay/met.h"
#include "replay/number.h"
#include "replay/place.h"
#include "replay/search.h"
#include "replay/signs.h"
#include "steptp/ir/typing.h"

namespace steptp::replayer {

/// An element of a tensor: a real, or an integer or bool in its type.
struct Value {
  bool is_integer = false;
  std::int64_t integer = 0;
  Real real;
};

/// What a tensor holds after a number of its writers, in the order of the text.
using VersionName = std::pair<std::string, std::size_t>;

/// Where the evaluation of a program ends.
struct Sources {
  /// An element of a known variable, in range.
  std::function<Value(const Variable&, const std::vector<std::int64_t>&)> input;
  /// Tensors that stand for themselves, and the element of one.
  std::map<VersionName, std::int64_t> cuts;
  std::function<Real(std::int64_t, const std::vector<std::int64_t>&)> cut;
  const Uniform* uniform = nullptr;       ///< where inputs are alike, folds are taken in blocks
  AskedConditions* conditions = nullptr;  ///< kept here, where there is one
  Met* met = nullptr;                     ///< likewise
  /// Ways that are gone whatever the values say.
  const std::vector<Met::Way>* forced = nullptr;
  /// Likewise, of all questions about these numbers.
  const Signs* signs = nullptr;
  /// Marks of roundings that come out otherwise than they do, as any other whole number.
  const std::set<std::uint64_t>* shifted = nullptr;
};

/// The sequential machine of docs/language.md (R1 to R9) read backwards: an element is what its last write computes,
/// from the elements that this reads, and so on.
/// More than thirty functions, because a machine is one function for each kind of expression, read and write.
class Evaluator {
 public:
  Evaluator(const Layout& layout, Numbers& numbers, const Sources& sources, std::uint64_t& budget)
      : layout_(layout), numbers_(numbers), sources_(sources), budget_(budget) {}

  /// An element after so many of the tensor's writers; the tensor itself is not cut.
  [[nodiscard]] Value version(const VersionName& name, const std::vector<std::int64_t>& element);
  /// An element of an output at the end; may be a cut.
  [[nodiscard]] Value output(const std::string& name, const std::vector<std::int64_t>& element);

  /// The cell that a round of a statement writes; nothing where a guard does not hold.
  [[nodiscard]] std::optional<Cell> target(const Statement& statement, const Iteration& iteration);
  /// Whether it is this one.
  [[nodiscard]] bool writes(const Statement& statement, const Iteration& iteration, const Cell& cell);
  /// A condition of a statement, in one of its rounds.
  [[nodiscard]] bool holds(const Expr& condition, const Statement& statement, const Iteration& iteration) {
    return truth(condition, {statement, iteration});
  }

 private:
  struct Instance {
    std::size_t statement = 0;
    Iteration iteration;
    auto operator<=>(const Instance&) const = default;  // NOLINT(modernize-use-nullptr): what the compiler generates
  };
  struct Frame {
    const Statement& statement;
    const Iteration& iteration;
    const Value* accumulator = nullptr;
  };
  struct Typed {
    ValueType type;
    Value value;
  };

  /// Where the two operands of an operation stand in the text.
  struct Operands {
    Place left;
    Place right;
    Place both;  ///< the operation itself
  };
  /// What conditions on the way to an expression say of values, by residue.
  struct Guards {
    std::vector<std::uint64_t> nonzero;
    std::vector<std::uint64_t> not_negative;
  };
  /// Quotients of quotients: the dividend of the first and the product of the divisors so far.
  struct Quotients {
    bool has_next = false;
    std::optional<std::pair<Wide, Wide>> first;
  };

  /// What is accumulated stands nowhere.
  [[nodiscard]] static Operands accumulated(const Statement& statement) {
    const Place nowhere{statement.equation->right.get(), Place::kNowhere};
    return {nowhere, nowhere, nowhere};
  }

  [[nodiscard]] Typed evaluate(const Expr& expr, const Frame& frame);
  [[nodiscard]] Typed chain(const Expr& whole, const std::vector<ExprPtr>& operands,
                            const std::vector<ArithmeticOp>& operators, const Frame& frame);
  [[nodiscard]] Typed combine(ArithmeticOp op, const Typed& left, const Typed& right, bool natural_exponent,
                              const Operands& of);
  [[nodiscard]] Value integers(ArithmeticOp op, std::int64_t a, std::int64_t b, DType dtype, const Operands& of);
  [[nodiscard]] Typed call(const Call& call, const Typed& argument);
  [[nodiscard]] Typed negated(const Typed& argument) const;
  [[nodiscard]] bool truth(const Expr& condition, const Frame& frame);
  [[nodiscard]] bool comparison(const Expr& expr, const Frame& frame);
  void note_order(const Expr& expr, const Value& a, const Value& b) const;
  [[nodiscard]] std::optional<bool> forced(const Place& place) const;
  /// The sign that is given of a-b.
  [[nodiscard]] std::optional<int> forced_sign(const Real& a, const Real& b) const;
  /// Whether the first side is gone of a maximum, a minimum or a magnitude.
  [[nodiscard]] std::optional<bool> forced_order(const Expr& expr, const Value& a, const Value& b) const;

  // What is asked on the way: see Question. Each notes the side, and goes to the one that is forced.
  /// Whether the number is zero, or below zero.
  [[nodiscard]] bool ask(Question question, const Place& of, const Real& value) const;
  /// Takes down what a condition says that holds, or fails.
  void guard(const Expr& condition, bool holds, const Frame& frame);
  [[nodiscard]] bool is_guarded(Question question, const Real& value) const;
  void note_cases(const Place& of, bool is_exception, const Real& value) const;
  void note_digits(const Place& of, bool is_unseen, std::uint64_t mark) const;
  /// A sum of which one part is too small to be seen in any number of bits that is looked at.
  void note_sum(const Place& of, const Real& a, const Real& b) const;
  /// A function as good as its limit.
  void note_limit(Function function, const Real& a, const Place& of) const;
  void note_tie(const Expr& expr, std::size_t part, CompareOp op, const Real& a, const Real& b) const;
  [[nodiscard]] Real arithmetic(ArithmeticOp op, const Real& a, const Real& b, const Operands& of) const;
  [[nodiscard]] Real product(const Real& a, const Real& b, const Operands& of) const;
  [[nodiscard]] Real quotient(const Real& a, const Real& b, const Operands& of) const;
  [[nodiscard]] Real rounded_quotient(ArithmeticOp op, const Real& a, const Real& b, const Operands& of) const;
  [[nodiscard]] Real power(const Real& a, const Real& b, const Operands& of) const;
  [[nodiscard]] Real function(Function function, const Real& a, const Place& of) const;
  [[nodiscard]] Real rounded(Function function, const Real& a, const Place& of) const;
  [[nodiscard]] Wide rounded_quotient(Wide dividend, Wide divisor, const Place& of) const;
  /// x//3//4 is x//12.
  [[nodiscard]] Wide chained_quotient(Wide dividend, Wide divisor, const Place& of);
  /// By how much a rounding is shifted; 0 where it is not.
  [[nodiscard]] std::int64_t ask_of_rounding(std::uint64_t mark, const Place& of) const;
  /// A value that is stored in a tensor of this type.
  [[nodiscard]] Value stored(const Expr& expr, const Typed& value, DType dtype);
  void turn(Wide a, Wide b) const;
  [[nodiscard]] Value convert(const Value& value, DType dtype);
  [[nodiscard]] Real to_real(const Value& value) const;

  [[nodiscard]] std::int64_t index(const Subscript& subscript, const Frame& frame);
  [[nodiscard]] Cell cell_of(const Ref& ref, const Frame& frame);
  [[nodiscard]] Value read(const Ref& ref, const Frame& frame);

  /// The last write among these before a moment of `reader`; null is the end of the program.
  [[nodiscard]] std::optional<Instance> last_write(const std::vector<std::size_t>& writers, const Cell& cell,
                                                   const Statement* reader, const Iteration& moment);
  [[nodiscard]] std::optional<Instance> last_write_of(std::size_t writer, const Cell& cell, const Statement* reader,
                                                      const Iteration& moment);
  [[nodiscard]] bool is_later(const Instance& one, const Instance& other) const;
  /// What the cell holds after this write.
  [[nodiscard]] Value after(const Instance& instance, const std::vector<std::size_t>& writers, const Cell& cell);
  [[nodiscard]] Value execute(const Instance& instance, const Value* accumulator);
  [[nodiscard]] Value at_end(const std::string& tensor, std::size_t writers, const Cell& cell);
  /// All rounds of an accumulation that is alone in its nest, as one operand; nothing where there is none.
  [[nodiscard]] std::optional<Value> whole_fold(std::size_t writer, const Cell& cell);
  /// The same where every term depends on inputs and cut tensors alone: rounds that read what is alike are one term.
  [[nodiscard]] std::optional<Value> fold_in_blocks(std::size_t writer, const Cell& cell);
  /// What a statement reads besides its accumulator: known variables and cuts; nothing where its terms depend on more.
  struct Leaf {
    std::string name;      ///< of a known variable; empty: a cut
    std::int64_t cut = 0;  ///< its value number
    std::vector<Subscript> subscripts;
  };
  [[nodiscard]] std::optional<std::vector<Leaf>> leaves_of(const Statement& statement) const;
  [[nodiscard]] Value identity(const Statement& statement) const;
  /// What rounds that are added up by themselves begin with. Of max and min that is NaN, which gives way to every term:
  /// an element that is NaN stays NaN where all of them are, and does not become the identity.
  [[nodiscard]] Value start_of_fold(const Statement& statement) const;
  void spend();
  /// Which statements write an element that data selects is asked like a way.
  void note_writers(const std::vector<std::size_t>& writers, const Cell& cell, const Statement* reader,
                    const Iteration& moment);
  /// Whether a condition decides what an element holds that data selects, and comes out both ways in rounds.
  [[nodiscard]] bool is_selected(const Expr& condition, std::size_t part, const Statement& statement) const;
  /// Whether every element of the tensor is written by the statement.
  [[nodiscard]] bool covers_all(const Statement& statement, const Cell& cell) const;
  /// The cells that a statement of few rounds writes.
  [[nodiscard]] std::optional<std::set<Cell>> all_cells(const Statement& statement);
  /// Whether a statement writes some of the elements that these write, and not all of them, as far as that is known.
  [[nodiscard]] bool writes_some(std::size_t writer, const std::vector<std::size_t>& writers);
  /// An element that data selects, or leaves it: what is remembered elsewhere was not asked for it.
  void enter_selected(int change);
  [[nodiscard]] bool guards_hold(const Statement& statement, const Frame& frame);

  const Layout& layout_;
  Numbers& numbers_;
  const Sources& sources_;
  std::uint64_t& budget_;
  std::map<std::pair<const Ref*, const Statement*>, std::vector<Subscript>> storage_;
  std::map<Instance, Value> done_;
  std::map<std::pair<VersionName, Cell>, Value> versions_;
  int depth_ = 0;
  int selected_ = 0;  ///< elements around that data selects
  std::map<std::pair<std::size_t, std::size_t>, bool> writes_some_;
  std::map<Instance, Value> selected_done_;
  std::map<std::pair<VersionName, Cell>, Value> selected_versions_;
  Guards guards_;
  Quotients quotients_;
};

}  // namespace steptp::replayer
