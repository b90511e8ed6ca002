#pragma once

#include <map>
#include <optional>
#include <vector>

#include "steptp/analysis/index_map.h"
#include "steptp/estimate/summary.h"

namespace steptp::estimation {

/// Reads one statement of a kernel: its loops, operations and accesses.
class StatementReader {
 public:
  /// What the statement is to its back end.
  struct Way {
    const Loop* lanes = nullptr;  ///< the loop whose neighbouring iterations may move data together
    std::optional<JoinSummary> join;
    bool is_own_sum = false;        ///< its accumulator is in registers, though its tensor is not
    std::vector<std::size_t> held;  ///< loops (of the statement) over accumulators that a thread holds at once
  };

  StatementReader(const lowering::Arrangement& arrangement, const lowering::ArrangedKernel& kernel,
                  const lowering::Node& store, const std::vector<const lowering::Value*>& guards,
                  const std::vector<Axis>& in_turn, std::map<const Loop*, std::size_t>& identities);

  [[nodiscard]] StatementSummary read(const Way& way, const std::array<std::int64_t, 3>& block);
  /// A matrix nest, which units run.
  [[nodiscard]] StatementSummary read_matrix(const std::array<std::int64_t, 3>& block);
  /// Of `l` data that is no registers, because the loops over it are too many to be unrolled.
  [[nodiscard]] double spilled_bytes() const { return spilled_bytes_; }

 private:
  void add_loops(const std::vector<Axis>& in_turn, std::map<const Loop*, std::size_t>& identities);
  /// The loops that repeat the value. Adds its operations and reads.
  [[nodiscard]] std::uint64_t value(const lowering::Value& value, double share, bool is_free);
  [[nodiscard]] std::uint64_t load(const Ref& ref, double share);
  void arithmetic(const lowering::Value& value, double share, bool is_free, std::uint64_t loops);
  void add(Work work, DType dtype, std::uint64_t loops, double share);
  void add_access(const Ref& ref, bool is_write, std::uint64_t loops, double share);
  void add_write();
  void add_chain();
  [[nodiscard]] std::uint64_t repeating(std::uint64_t loops) const;
  [[nodiscard]] ElementOffset offset_of(const Ref& ref, std::int64_t& lanes) const;
  [[nodiscard]] std::uint64_t loops_with_writers(const std::string& tensor) const;
  [[nodiscard]] std::uint64_t loops_of(const Index& index) const;
  [[nodiscard]] bool are_registers(const Ref& ref);
  [[nodiscard]] bool is_kept(const lowering::Buffer& buffer) const;
  [[nodiscard]] std::uint64_t all_loops() const;

  const lowering::Arrangement& arrangement_;
  const lowering::ArrangedKernel& kernel_;
  const lowering::Node& store_;
  const Statement& statement_;
  std::vector<const Loop*> loops_;  ///< without the host's
  std::vector<BoxVariable> box_;
  Way way_;
  StatementSummary out_;
  bool is_blocked_ = false;  ///< under a condition that differs between lanes
  double spilled_bytes_ = 0;
};

}  // namespace steptp::estimation
