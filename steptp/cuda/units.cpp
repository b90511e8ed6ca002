// What units of threads run: loops over `wx`, `wy` and `wz`, and the matrix nests below them. Decision 0142.
#include "steptp/lowering/units.h"
#include "steptp/cuda/body.h"
#include "steptp/cuda/matrix_nest.h"
#include "steptp/lowering/threads.h"

namespace steptp::cuda {

using lowering::Node;

/// The number of the unit along an axis; `wx` counts fastest.
std::string Body::unit_position(Axis axis) const {
  std::int64_t threads = lowering::kUnitLanes;
  for (const Axis faster : {Axis::wx, Axis::wy, Axis::wz}) {
    if (faster == axis) break;
    threads *= kernel_.extents[static_cast<std::size_t>(faster)];
  }
  return concat("(int)threadIdx.x / ", threads, " % ", kernel_.extents[static_cast<std::size_t>(axis)]);
}

/// The loop over a unit axis. All its lanes come here; threads beyond the last unit do not.
void Body::unit_loop(const Node& node) {
  const Axis axis = *lowering::axis_of_loop(node.loop);
  const std::string name = variable_name(node.loop.index);
  const std::int64_t lanes = lowering::units_of(kernel_) * lowering::kUnitLanes;
  const bool is_first = !is_in_unit_;
  const bool leaves_out = is_first && lanes < block_[0];
  is_in_unit_ = true;
  if (leaves_out) {
    out_.open("if (threadIdx.x < ", lanes, ")");
  } else {
    out_.open();
  }
  out_.line("const int ", name, " = ", unit_position(axis), ";");
  const bool all = node.loop.extent == kernel_.extents[static_cast<std::size_t>(axis)];
  if (!all) out_.open("if (", name, " < ", node.loop.extent, ")");
  speller_.open(node.loop);
  thread_level(node.body);
  speller_.close();
  if (!all) out_.close();
  out_.close();
  is_in_unit_ = !is_first;
}

/// Lanes of a unit are not in step: they wait for each other before data in memory that units write.
bool Body::meets_in_memory(std::size_t statement) const {
  for (const Access& own : arrangement_.table.accesses) {
    if (own.statement != statement || is_private(arrangement_.buffers.at(own.ref->tensor).scope)) continue;
    for (const Access& other : arrangement_.table.accesses) {
      if (other.ref->tensor != own.ref->tensor || (!own.is_write && !other.is_write)) continue;
      if (other.statement == statement && own.is_write == other.is_write) continue;
      if (lowering::is_run_by_units(arrangement_.table.statements[other.statement])) return true;
    }
  }
  return false;
}

void Body::matrix_loops(const Node& node) {
  Statements below;
  add_statements(node, below);
  if (meets_in_memory(*below.begin())) out_.line("__syncwarp();");
  MatrixNestWriter writer(arrangement_, fragments_, groups_, speller_, out_, node);
  if (auto problem = writer.write(); problem && !problem_) problem_ = std::move(problem);
}

}  // namespace steptp::cuda
