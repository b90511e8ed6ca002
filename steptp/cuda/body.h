#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "steptp/analysis/device.h"
#include "steptp/cuda/fragments.h"
#include "steptp/cuda/groups.h"
#include "steptp/cuda/reduction.h"
#include "steptp/cuda/spelling.h"
#include "steptp/cuda/writer.h"
#include "steptp/lowering/offsets.h"
#include "steptp/lowering/own_sums.h"
#include "steptp/lowering/run_ahead.h"

namespace steptp::cuda {

/// What the lanes of a loop load at once, and under which conditions, which are the same for all of them.
struct VectorLoad {
  RefPtr ref;
  std::vector<const lowering::Value*> conditions;
};

/// Writes what the threads of a block do (docs/language.md R11). Outside of thread loops all threads walk together:
/// loops and guards there are uniform, and barriers stand where data passes between threads. Inside, each thread is by
/// itself.
/// More than thirty functions, because it is one walk over a kernel that writes one text: blocks, threads, vectors and
/// collectives call each other, and each of these parts has a file of its own.
class Body {
 public:
  Body(const lowering::Arrangement& arrangement, const lowering::ArrangedKernel& kernel, const Device& device,
       const std::vector<Axis>& in_turn, const Fragments& fragments);

  void write();
  [[nodiscard]] const std::string& text() const { return out_.text(); }
  /// Collectives use shared memory under the name kReductionCells, one after another.
  [[nodiscard]] bool has_cells() const { return has_cells_; }
  [[nodiscard]] const std::optional<Diagnostic>& problem() const { return problem_; }
  /// The tensors whose copies are made for rounds ahead.
  [[nodiscard]] const std::set<std::string>& runs_ahead() const { return runs_ahead_; }

 private:
  using Nodes = std::vector<lowering::Node>;
  using Statements = std::set<std::size_t>;

  /// Where the text stands: what is written behind can be taken back.
  struct Mark {
    std::size_t size = 0;
    int collectives = 0;
    int sums = 0;
  };
  [[nodiscard]] Mark mark() const;
  void go_back(const Mark& mark);

  // body.cpp: all threads together
  void block_level(const Nodes& nodes);
  [[nodiscard]] int write_rounds(const lowering::Node& node, Statements& pending);
  void uniform_loop(const lowering::Node& node);
  void uniform_guard(const lowering::Node& node);
  void barrier();
  void barrier_before(const Statements& later);
  [[nodiscard]] bool need_barrier(std::size_t first, std::size_t second);
  [[nodiscard]] bool share_bytes(std::size_t first, std::size_t second) const;
  void item(const lowering::Node& node);

  // body.cpp: one thread
  void thread_level(const Nodes& nodes);
  void thread_node(const lowering::Node& node);
  void bound_loop(const lowering::Node& node, void (Body::*inside)(const Nodes&));
  void plain_loop(const lowering::Node& node);
  void store(const lowering::Node& node);
  bool begin_with_identity(const lowering::Node& node);
  [[nodiscard]] std::string pragma_of(const lowering::Node& node) const;

  // ahead.cpp
  struct Copied {
    RefPtr from;
    const lowering::Value* condition = nullptr;  ///< null: always
  };
  [[nodiscard]] bool loop_that_runs_ahead(const lowering::Node& node);
  void write_copies(const lowering::Node& loop, const lowering::RunAhead& plan);
  void name_buffers(const lowering::Node& loop, const lowering::RunAhead& plan);
  [[nodiscard]] static std::string round_buffer(const std::string& tensor) { return concat("stp_round_", tensor); }
  [[nodiscard]] std::optional<Copied> copied_by(const lowering::Node& store) const;
  void begin_copy(const Copied& copied, std::int64_t bytes, const std::string& to, const std::string& from);
  [[nodiscard]] bool copy_lanes_ahead(const lowering::Node& node);
  [[nodiscard]] bool copy_element_ahead(const lowering::Node& store);

  // units.cpp
  void unit_loop(const lowering::Node& node);
  void matrix_loops(const lowering::Node& node);
  [[nodiscard]] std::string unit_position(Axis axis) const;
  [[nodiscard]] bool meets_in_memory(std::size_t statement) const;

  // vectors.cpp
  [[nodiscard]] bool vector_loop(const lowering::Node& node);
  [[nodiscard]] std::int64_t vector_width_of(const Ref& ref, const Loop& lanes);
  [[nodiscard]] std::vector<VectorLoad> vector_loads(const lowering::Node& node, const std::string& except);
  void load_vectors(const lowering::Node& node, const std::vector<VectorLoad>& vectors);
  [[nodiscard]] std::string lane_value(const lowering::Value& value, const std::vector<VectorLoad>& vectors);
  [[nodiscard]] std::string lane_address(const Ref& ref, const Loop& lanes, std::int64_t lane);

  // collectives.cpp
  void collective(const lowering::Node& node, const std::vector<Axis>& axes);
  void collective_in_turn(const lowering::Node& node, const std::vector<Axis>& axes);
  [[nodiscard]] static Reduction named(lowering::ThreadReduction made, std::string number);
  void reduce(const Reduction& reduction);
  void fold_own_parts(const Reduction& reduction);
  void fold_own_part(const Reduction& reduction, std::size_t at);
  void fold_contribution(const Reduction& reduction);
  void add_results(const Reduction& reduction);
  void open_loop(const lowering::Node& node, const std::string& pragma);
  void close_loop();
  void each_held(const Reduction& reduction, const std::string& line);
  [[nodiscard]] static std::string held_element(const Reduction& reduction);
  [[nodiscard]] std::string identity_of(const Reduction& reduction);
  [[nodiscard]] std::string joined(const Reduction& reduction, const std::string& a, const std::string& b) const;
  [[nodiscard]] std::string rank_of(const std::vector<Axis>& axes) const;
  [[nodiscard]] std::string rank_of(const std::vector<ThreadDigit>& digits) const;

  [[nodiscard]] bool own_sum_loop(const lowering::Node& node);

  // joins.cpp
  void join_parts(const Reduction& reduction);
  void shuffle(const Reduction& reduction, std::int64_t count, std::int64_t stride);
  void meet(const Reduction& reduction);
  void join_warps(const Reduction& reduction);
  void join_in_tree(const Reduction& reduction);
  [[nodiscard]] std::string place_of(const Reduction& reduction, std::int64_t& distance) const;

  void fail(std::string message, const Site& site, std::string hint = {});
  /// Of the launch: along tx all threads of units.
  [[nodiscard]] std::int64_t extent(Axis axis) const {
    const auto number = static_cast<std::size_t>(axis);
    return number < 3 ? kernel_.extents[number] : block_[number - 3];
  }
  /// Where a block or thread stands along an axis: a register, or the parameter of a launch in turn.
  [[nodiscard]] std::string position_on(Axis axis) const;
  [[nodiscard]] Site site_of(std::size_t statement) const;

  const lowering::Arrangement& arrangement_;
  const lowering::ArrangedKernel& kernel_;
  const Device& device_;
  const std::vector<Axis>& in_turn_;
  const Fragments& fragments_;
  std::map<std::size_t, GroupProduct> groups_;  ///< contractions that four units make together
  std::array<std::int64_t, 3> block_;
  Speller speller_;
  Writer out_;
  std::map<std::size_t, std::set<std::string>> in_shared_;  ///< what statements touch there, where bytes are shared
  std::map<std::size_t, lowering::OwnSum> own_sums_;        ///< by statement
  Statements pending_;                                      ///< statements since the last barrier, on any way here
  std::set<Axis> decided_;  ///< thread axes whose loop is open, or which were asked to be at 0
  bool has_cells_ = false;
  std::map<std::pair<std::size_t, std::size_t>, bool> need_barrier_;
  int barriers_ = 0;
  int collectives_ = 0;
  int sums_ = 0;             ///< that begin in registers
  bool is_in_unit_ = false;  ///< all lanes of a unit walk together
  std::set<std::string> runs_ahead_;
  std::set<std::string> ahead_;  ///< tensors that are copied for a later round at this place
  int asynchronous_copies_ = 0;
  std::optional<Diagnostic> problem_;
};

/// `threadIdx.x` of tx, `blockIdx.y` of by.
[[nodiscard]] std::string_view register_of(Axis axis);
/// All statements below a node.
void add_statements(const lowering::Node& node, std::set<std::size_t>& out);

using lowering::mentions;

}  // namespace steptp::cuda
