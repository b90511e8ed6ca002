#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "steptp/analysis/accesses.h"
#include "steptp/ir/program.h"
#include "steptp/machine/code.h"

namespace steptp::certify {

/// The work, in nodes, up to which a value is computed again instead of remembered.
inline constexpr std::uint32_t kCheapNodes = 24;

/// Compiles occurrences of tensors and their subscripts, and what conditions say about indices: of one statement after
/// another.
class AccessCompiler {
 public:
  AccessCompiler(const AccessTable& table, const Code& code) : table_(table), code_(code) {}

  void begin_statement(std::uint32_t number) {
    statement_ = number;
    work_ = 0;
  }
  /// The statement is compiled.
  void end_statement() { work_of_.push_back(work_); }
  [[nodiscard]] std::uint32_t statement() const { return statement_; }

  /// What one execution of the statement costs, so far: nodes, and what it takes to compute cheap values again.
  [[nodiscard]] std::uint32_t work() const { return work_; }
  void add_work(std::uint32_t nodes) { work_ += nodes; }
  void reset_work() { work_ = 0; }

  [[nodiscard]] IndexCode index(const Index& source);
  [[nodiscard]] Access access(const RefPtr& ref);
  [[nodiscard]] std::uint32_t slot_of(const std::string& name) const;
  /// The statements that write a tensor, as seen from a reader.
  [[nodiscard]] std::vector<Writer> writers_seen_from(std::uint32_t reader, std::uint32_t tensor) const;
  /// Adds what follows for the indices where the condition holds, or fails. False where that is not all of it.
  bool add_bounds(const Expr& condition, bool holds, Bounds& out);

 private:
  [[nodiscard]] IndexAtom atom(const steptp::IndexAtom& source);
  /// One position instead of subscripts, where every one of them is in range over the whole box.
  void flatten(Access& out) const;

  const AccessTable& table_;
  const Code& code_;
  std::uint32_t statement_ = 0;
  std::uint32_t work_ = 0;
  std::uint32_t compiled_ = 0;          ///< accesses, so far
  std::vector<std::uint32_t> work_of_;  ///< of the statements before
};

}  // namespace steptp::certify
