#pragma once

#include <optional>
#include <set>
#include <vector>

#include "steptp/analysis/device.h"
#include "steptp/cuda/spelling.h"
#include "steptp/cuda/writer.h"
#include "steptp/lowering/collectives.h"

namespace steptp::cuda {

/// Writes what the threads of a block do (docs/language.md R11). Outside of thread loops all threads walk together:
/// loops and guards there are uniform, and barriers stand where data passes between threads. Inside, each thread is by
/// itself.
class Body {
 public:
  Body(const lowering::Arrangement& arrangement, const lowering::ArrangedKernel& kernel, const Device& device,
       const std::vector<Axis>& in_turn);

  void write();
  [[nodiscard]] const std::string& text() const { return out_.text(); }
  /// Of shared memory that collectives use, one after another, under the name stp_partial.
  [[nodiscard]] std::int64_t partial_bytes() const { return partial_bytes_; }
  [[nodiscard]] const std::optional<Diagnostic>& problem() const { return problem_; }

 private:
  using Nodes = std::vector<lowering::Node>;
  using Statements = std::set<std::size_t>;

  // body.cpp: all threads together
  void block_level(const Nodes& nodes);
  void uniform_loop(const lowering::Node& node);
  void uniform_guard(const lowering::Node& node);
  void barrier();
  void item(const lowering::Node& node);

  // body.cpp: one thread
  void thread_level(const Nodes& nodes);
  void thread_node(const lowering::Node& node);
  void bound_loop(const lowering::Node& node, void (Body::*inside)(const Nodes&));
  void plain_loop(const lowering::Node& node);
  void store(const lowering::Node& node);
  [[nodiscard]] std::string pragma_of(const lowering::Node& node) const;

  // vectors.cpp
  [[nodiscard]] bool vector_loop(const lowering::Node& node);

  // collectives.cpp
  struct Reduction;
  void collective(const lowering::Node& node, const std::vector<Axis>& axes);
  void collective_in_turn(const lowering::Node& node, const std::vector<Axis>& axes);
  [[nodiscard]] Reduction named(lowering::ThreadReduction made) const;
  void reduce(const Reduction& reduction);
  void fold_own_part(const Reduction& reduction, std::size_t at);
  void meet(const Reduction& reduction);
  void reduce_in_tree(const Reduction& reduction);
  void reduce_in_warps(const Reduction& reduction);
  void add_result(const Reduction& reduction);
  [[nodiscard]] std::string identity_of(const Reduction& reduction);
  [[nodiscard]] std::string joined(const Reduction& reduction, const std::string& a, const std::string& b) const;
  [[nodiscard]] std::string rank_of(const std::vector<Axis>& axes) const;

  void fail(std::string message, const Site& site, std::string hint = {});
  [[nodiscard]] std::int64_t extent(Axis axis) const { return kernel_.extents[static_cast<std::size_t>(axis)]; }
  /// Where a block or thread stands along an axis: a register, or the parameter of a launch in turn.
  [[nodiscard]] std::string position_on(Axis axis) const;
  [[nodiscard]] Site site_of(std::size_t statement) const;

  const lowering::Arrangement& arrangement_;
  const lowering::ArrangedKernel& kernel_;
  const Device& device_;
  const std::vector<Axis>& in_turn_;
  Speller speller_;
  Writer out_;
  Statements pending_;      ///< statements since the last barrier, on any way here
  std::set<Axis> decided_;  ///< thread axes whose loop is open, or which were asked to be at 0
  std::int64_t partial_bytes_ = 0;
  int collectives_ = 0;
  std::optional<Diagnostic> problem_;
};

/// `threadIdx.x` of tx, `blockIdx.y` of by.
[[nodiscard]] std::string_view register_of(Axis axis);
/// All statements below a node.
void add_statements(const lowering::Node& node, std::set<std::size_t>& out);

}  // namespace steptp::cuda
