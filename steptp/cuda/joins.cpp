// How the parts of a reduction are joined: always in one order, whatever the timing. The order is data
// (ThreadGroups::joined), which expected values of a run follow too (measure/thread_order.h). Decision 0060.
#include <algorithm>

#include "steptp/cuda/body.h"

namespace steptp::cuda {

using Way = ThreadGroups::Way;

void Body::join_parts(const Reduction& reduction) {
  switch (reduction.groups.way) {
    case Way::alone: break;
    case Way::warp: shuffle(reduction, reduction.groups.size, reduction.groups.lane_stride); break;
    case Way::warps: join_warps(reduction); break;
    case Way::shared: join_in_tree(reduction); break;
  }
}

/// Afterwards the first of so many threads, each so far from the next, has what all of them had. The others have parts
/// of what their neighbours had, which nobody looks at.
void Body::shuffle(const Reduction& reduction, std::int64_t count, std::int64_t stride) {
  const std::string distance = stride == 1 ? reduction.step : concat(reduction.step, " * ", stride);
  out_.line("#pragma unroll");
  out_.open("for (int ", reduction.step, " = ", first_step(count), "; ", reduction.step, " > 0; ", reduction.step,
            " >>= 1)");
  const std::string own = reduction.own_at("stp_e");
  each_held(reduction,
            concat(own, " = ",
                   joined(reduction, own, concat("__shfl_down_sync(0xffffffffu, ", own, ", ", distance, ")")), ";"));
  if (reduction.groups.has_flags()) {
    out_.line(reduction.any, " |= __shfl_down_sync(0xffffffffu, ", reduction.any, ", ", distance, ");");
  }
  out_.close();
}

/// All threads come here. Where guards may leave everybody out, they also learn whether somebody contributed.
void Body::meet(const Reduction& reduction) {
  if (reduction.groups.has_block_flag()) {
    out_.line("const int ", reduction.some, " = __syncthreads_or(", reduction.any, ");");
  } else {
    out_.line("__syncthreads();");
  }
}

/// Each warp by itself, then the first one of a group what came out.
void Body::join_warps(const Reduction& reduction) {
  const ThreadGroups& groups = reduction.groups;
  const std::int64_t warps = groups.size / kWarp;
  shuffle(reduction, kWarp, 1);
  const std::string before = groups.groups > 1 ? concat(reduction.group, " * ", warps, " + ") : "";
  const auto cell = [&](const std::string& warp) {
    if (groups.elements == 1) return concat(reduction.partial, "[", before, warp, "]");
    return concat(reduction.partial, "[(", before, warp, ") * ", groups.elements, " + stp_e]");
  };
  const std::string own = reduction.own_at("stp_e");
  const std::string warp = concat(reduction.rank, " / ", kWarp);
  out_.open("if (", reduction.rank, " % ", kWarp, " == 0)");
  each_held(reduction, concat(cell(warp), " = ", own, ";"));
  if (groups.has_flags()) out_.line(reduction.some, "[", before, warp, "] = ", reduction.any, ";");
  out_.close();
  meet(reduction);
  out_.open("if (", reduction.rank, " < ", kWarp, ")");
  each_held(reduction, concat(own, " = ", reduction.rank, " < ", warps, " ? ", cell(reduction.rank), " : ",
                              identity_of(reduction), ";"));
  if (groups.has_flags()) {
    out_.line(reduction.any, " = ", reduction.rank, " < ", warps, " ? ", reduction.some, "[", before, reduction.rank,
              "] : 0;");
  }
  shuffle(reduction, warps, 1);
  out_.close();
}

/// Where a thread has its cells: neighbours of a warp have neighbouring ones.
std::string Body::place_of(const Reduction& reduction, std::int64_t& distance) const {
  const ThreadGroups& groups = reduction.groups;
  distance = 1;
  if (groups.groups == 1) return reduction.rank;
  const ThreadDigit& first = groups.reduced[0];
  const bool is_fastest =
      first.stride == 1 && std::all_of(groups.kept.begin(), groups.kept.end(), [&](const ThreadDigit& kept) {
        return kept.axis > first.axis || (kept.axis == first.axis && kept.stride > 1);
      });
  if (is_fastest) return concat(reduction.group, " * ", groups.size, " + ", reduction.rank);
  distance = groups.groups;
  return concat(reduction.rank, " * ", groups.groups, " + ", reduction.group);
}

void Body::join_in_tree(const Reduction& reduction) {
  const ThreadGroups& groups = reduction.groups;
  std::int64_t distance = 1;
  const std::string place = "stp_place_" + reduction.number;
  out_.line("const int ", place, " = ", place_of(reduction, distance), ";");
  const bool at_once = groups.elements_at_once(info(reduction.dtype()).bytes) == groups.elements;
  const std::string own = reduction.own_at("stp_e");
  const std::string shift = at_once && groups.elements > 1 ? concat("stp_e * ", groups.threads(), " + ") : "";
  const auto each = [&](const std::string& line) { at_once ? each_held(reduction, line) : out_.line(line); };
  const std::string partner = concat(place, " + ", reduction.step, distance > 1 ? concat(" * ", distance) : "");
  const std::string cell = concat(reduction.partial, "[", shift, place, "]");
  if (!at_once) {
    out_.line("#pragma unroll");
    out_.open("for (int stp_e = 0; stp_e < ", groups.elements, "; ++stp_e)");
  }
  each(concat(cell, " = ", own, ";"));
  if (groups.has_flags()) out_.line(reduction.some, "[", place, "] = ", reduction.any, ";");
  meet(reduction);
  out_.open("for (int ", reduction.step, " = ", first_step(groups.size), "; ", reduction.step, " > 0; ", reduction.step,
            " >>= 1)");
  out_.open("if (", reduction.rank, " < ", reduction.step, " && ", reduction.rank, " + ", reduction.step, " < ",
            groups.size, ")");
  each(concat(cell, " = ", joined(reduction, cell, concat(reduction.partial, "[", shift, partner, "]")), ";"));
  if (groups.has_flags()) {
    out_.line(reduction.some, "[", place, "] |= ", reduction.some, "[", partner, "];");
  }
  out_.close();
  out_.line("__syncthreads();");
  out_.close();
  // A thread overwrites no cell but its own: the next element may follow at once.
  each(concat(own, " = ", cell, ";"));
  if (!at_once) out_.close();
  if (groups.has_flags()) out_.line(reduction.any, " = ", reduction.some, "[", place, "];");
}

}  // namespace steptp::cuda
