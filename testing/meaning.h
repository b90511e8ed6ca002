#pragma once

// The reference evaluator: what a program means over the extended reals (docs/verification.md, "What equal means";
// docs/language.md R1 to R9). Deliberately slow and obvious, and independent: it uses nothing of steptp/prove,
// steptp/certify, steptp/safety, the oracle's arithmetic or replay/.
//
// It computes one element at a time, backwards: who wrote it last, what did that statement read, and so on. So a single
// element of a huge tensor costs only what it is made of, and an element without a value harms only those who need it.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "testing/meaning_inputs.h"
#include "testing/meaning_program.h"
#include "testing/meaning_values.h"

namespace steptp::testing {

/// An execution of a statement.
struct Instance {
  std::size_t statement = 0;
  Stamp stamp;
  bool operator==(const Instance&) const = default;
};
struct InstanceHash {
  std::size_t operator()(const Instance& instance) const;
};

/// One program at one input. Numbers live in `reals`, which programs that are compared share.
class Meaning {
 public:
  static constexpr std::uint64_t kUsualSteps = 2'000'000;

  Meaning(const Program& program, const MeaningInputs& inputs, Reals& reals, std::uint64_t steps = kUsualSteps);

  /// An element of an output at the end; `unknown` also where it takes more steps than allowed.
  [[nodiscard]] Meant element(const std::string& output, const std::vector<std::int64_t>& subscripts);
  /// The value of an expression of a statement at one of its executions.
  [[nodiscard]] Meant expression_at(const Instance& instance, const ExprPtr& expr);
  /// The subscripts that a reference of a statement has there; nothing where they have no value or leave the tensor.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> subscripts_at(const Instance& instance, const Ref& ref);
  /// What was executed so far, sorted: the elements asked for depend on nothing else.
  [[nodiscard]] std::vector<Instance> executed() const;
  [[nodiscard]] const MeaningProgram& program() const { return program_; }
  [[nodiscard]] MeantArithmetic& arithmetic() { return arithmetic_; }

 private:
  /// An element as the one who reads it sees it: hidden subscripts and the launch included.
  struct Wanted {
    const MeaningTensor* tensor = nullptr;
    std::vector<std::int64_t> subscripts;
    std::array<std::int64_t, kAxes> position{};
    std::size_t kernel = 0;
    Stamp launch;
  };
  struct Range {
    Wide low = 0;
    Wide high = 0;
  };
  /// A subscript: an integer, or why there is none.
  struct Subscript {
    Meant::Kind kind = Meant::Kind::number;
    Wide value = 0;
  };
  struct OutOfSteps {};
  struct CannotTell {};
  /// The executions of one statement whose write may leave the tensor, as far as they have been searched.
  struct Strays {
    Stamp searched;              ///< all before this one
    std::optional<Stamp> first;  ///< the first that leaves it
  };

  void count_step();
  [[nodiscard]] Meant value(const Instance& instance);
  [[nodiscard]] Meant compute(const Instance& instance);
  [[nodiscard]] Meant evaluate(const Expr& expr, const Instance& at);
  [[nodiscard]] Meant evaluate_as(const Expr& expr, DType dtype, const Instance& at);
  [[nodiscard]] Meant evaluate_chain(const std::vector<ExprPtr>& operands, const std::vector<ArithmeticOp>& operators,
                                     const Instance& at);
  [[nodiscard]] Meant evaluate_power(const Power& power, const Expr& expr, const Instance& at);
  [[nodiscard]] Meant evaluate_compare(const Compare& compare, const Instance& at);
  [[nodiscard]] Meant evaluate_logic(const Logic& logic, const Instance& at);
  [[nodiscard]] Meant read(const Ref& ref, const Instance& at);
  [[nodiscard]] Meant read_input(const Variable& variable, const std::vector<std::int64_t>& subscripts);

  [[nodiscard]] const MeaningStatement& statement_of(const Instance& instance) const {
    return program_.statements()[instance.statement];
  }
  [[nodiscard]] Subscript subscript(const Index& index, const Instance& at);
  [[nodiscard]] Subscript factor(const IndexAtom& atom, const Instance& at);
  /// Nothing where they have no value or leave a tensor of known shape; throws where that cannot be told.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> subscripts_of(const Ref& ref, const Instance& at);

  // meaning_writers.cpp: who wrote an element last.
  [[nodiscard]] Wanted wanted(const Ref& ref, std::vector<std::int64_t> subscripts, const Instance& at) const;
  [[nodiscard]] std::optional<Instance> last_writer(const Wanted& element, const Stamp& before);
  [[nodiscard]] bool find_last(const MeaningStatement& statement, const Wanted& element, const Stamp& before,
                               bool tight, Stamp& stamp);
  [[nodiscard]] std::optional<Range> loop_range(const MeaningStatement& statement, const Wanted& element,
                                                const Stamp& stamp);
  [[nodiscard]] bool may_reach(const MeaningStatement& statement, const Wanted& element, const Stamp& stamp);
  [[nodiscard]] bool guards_hold(const MeaningStatement& statement, const Stamp& stamp);
  [[nodiscard]] Range range_of(const Index& index, const MeaningStatement& statement, const Stamp& stamp);
  [[nodiscard]] Range range_of(const IndexAtom& atom, const MeaningStatement& statement, const Stamp& stamp);
  /// Whether some write before `before` left the tensor.
  [[nodiscard]] bool has_stray(const MeaningTensor& tensor, const Stamp& before);
  [[nodiscard]] bool may_stray(const MeaningStatement& statement, const Stamp& stamp);
  [[nodiscard]] std::optional<Stamp> first_stray(const MeaningStatement& statement, const Stamp& from,
                                                 const Stamp& before, bool low_tight, bool high_tight, Stamp& stamp);

  MeaningProgram program_;
  MeaningInputs inputs_;
  MeantArithmetic arithmetic_;
  std::uint64_t steps_left_;
  std::unordered_map<Instance, Meant, InstanceHash> values_;
  std::map<std::size_t, Strays> strays_;
};

/// Every element of every output, in the order of the signature, row-major.
[[nodiscard]] std::map<std::string, std::vector<Meant>> evaluate_meaning(const Program& program,
                                                                         const MeaningInputs& inputs, Reals& reals);

/// An output element at which `after` may not be put for `before`.
struct MeaningDifference {
  std::string output;
  std::vector<std::int64_t> index;
  std::string before;  ///< both values as text
  std::string after;
};

/// The first element at which `before` is a number or an infinity and `after` certainly is not the same. Looks at
/// `elements` (output and subscripts) where that is not empty, otherwise at every element of every output.
using OutputElement = std::pair<std::string, std::vector<std::int64_t>>;
[[nodiscard]] std::optional<MeaningDifference> first_difference(const Program& before, const Program& after,
                                                                const MeaningInputs& inputs,
                                                                const std::vector<OutputElement>& elements = {},
                                                                std::uint64_t steps = Meaning::kUsualSteps);

/// Row-major subscripts of a position.
[[nodiscard]] std::vector<std::int64_t> subscripts_at(const std::vector<std::int64_t>& shape, std::int64_t position);

}  // namespace steptp::testing
