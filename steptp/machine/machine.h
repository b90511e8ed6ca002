#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "steptp/arithmetic/failure.h"
#include "steptp/base/result.h"
#include "steptp/machine/budget.h"
#include "steptp/machine/code.h"
#include "steptp/machine/input_values.h"
#include "steptp/machine/thread_fold.h"
#include "steptp/machine/trace.h"

namespace steptp::certify {

template <typename Arithmetic>
class Evaluation;

/// The sequential machine that docs/language.md describes, asked for single elements: finds the last write before the
/// moment of a read and evaluates that, and so on down to the inputs. Writes are found in the concrete iteration space,
/// so that overwriting in place, recurrences and scopes need no analysis of their own. The work is done by an
/// Evaluation (evaluation.h), which nobody outside of this layer sees.
/// Runs deep: call it on a big stack (big_stack.h). Chains of definitions that are longer than the stack are taken up
/// from where it ended.
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

  Machine(const Code& code, Arithmetic& arithmetic, const InputValues& inputs, Budget& budget);
  /// A machine for another program at the same inputs, in the same arithmetic. Statements that are the same ones as
  /// `same_as` says of each (sharing.h) are evaluated once for both; the branches in them are noted in the machine that
  /// came first, and only there.
  Machine(const Code& code, Machine& other, const std::vector<std::uint32_t>& same_as);
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine();

  /// Accumulations of these statements are done in the order of threads from now on.
  void follow_threads(ThreadFolds folds);

  /// The value of an output's element after the program.
  [[nodiscard]] Result<Answer, Failure> output(std::uint32_t tensor, const std::vector<std::int64_t>& element);

  /// The same of an output of bools whose comparisons are not decided.
  template <typename Opaque = Arithmetic>
  [[nodiscard]] Result<typename Opaque::Decision, Failure> output_decision(std::uint32_t tensor,
                                                                           const std::vector<std::int64_t>& element);

  /// Per branch: 1 where it was seen false, 2 where true, 3 both.
  [[nodiscard]] const std::vector<std::uint8_t>& outcomes() const;
  /// Which way everything went, in the order of evaluation: one number.
  [[nodiscard]] std::uint64_t path() const;
  /// Comparisons are listed from now on, in the order of evaluation; values that are remembered make none.
  void trace(Trace* steps);
  /// The identities of the reals that became integers or bools, which show next to nothing of them.
  [[nodiscard]] const std::set<std::uint64_t>& converted() const;

 private:
  std::unique_ptr<Evaluation<Arithmetic>> evaluation_;
};

}  // namespace steptp::certify
