#include "steptp/safety/launches.h"

#include <algorithm>
#include <array>
#include <set>

#include "steptp/analysis/kernels.h"
#include "steptp/analysis/shared_layout.h"
#include "steptp/base/text.h"

namespace steptp {

namespace {

constexpr Wide kLanes = 32;  // of a unit

Wide bytes_of(const TensorFacts& tensor, const InferredShape& shape) {
  Wide bytes = info(tensor.dtype).bytes * tensor.scope.depth;
  for (const std::int64_t dimension : shape.dimensions) bytes = std::min(bytes * dimension, kWideLimit);
  return bytes;
}

class LaunchChecker {
 public:
  LaunchChecker(const AccessTable& table, const std::map<std::string, InferredShape>& shapes, const Device* device,
                Findings& findings)
      : table_(table),
        shapes_(shapes),
        device_(device ? *device : default_device()),
        named_(device != nullptr),
        findings_(findings) {}

  void run() {
    for (const KernelFacts& kernel : collect_kernels(table_)) {
      check_dimensions(kernel);
      check_shared(kernel);
      if (named_) check_local(kernel);
    }
  }

 private:
  [[nodiscard]] Severity severity() const { return named_ ? Severity::error : Severity::warning; }

  /// What has the limits, where nobody has named a device: nearly all have the same.
  [[nodiscard]] std::string_view device_name() const { return named_ ? device_.name : "a GPU"; }

  void check_dimensions(const KernelFacts& kernel) {
    Wide threads = 1;
    std::optional<Site> widest;
    std::int64_t most = 0;
    bool reported = false;
    for (std::size_t i = 0; i < kAxes; ++i) {
      const auto axis = static_cast<Axis>(i);
      if (is_unit_axis(axis)) continue;  // units are counted as threads, below
      const std::int64_t limit = is_thread_axis(axis) ? device_.block[i - 3] : device_.grid[i];
      const std::int64_t extent = kernel.extents[i];
      if (extent > limit) {
        reported = reported || is_thread_axis(axis);
        findings_.report("launch-limit", severity(), &*kernel.widest[i],
                         concat(extent, is_thread_axis(axis) ? " threads" : " blocks", " along ", name_of(axis),
                                ", but ", device_name(), " launches at most ", limit),
                         is_thread_axis(axis) ? "split the loop and bind the outer part to a block axis"
                                              : "split the loop, or bind it to bx");
      }
      if (!is_thread_axis(axis)) continue;
      threads *= extent;
      if (extent > most) widest = kernel.widest[i];
      most = std::max(most, extent);
    }
    if (const Wide lanes = lanes_of(kernel); lanes > 0) {
      // A block has whole units, and at least as many threads as tx has iterations (docs/language.md R20).
      threads = std::max((threads + kLanes - 1) / kLanes * kLanes, lanes);
      if (threads == lanes) widest = widest_unit(kernel);
    }
    if (reported || threads <= device_.threads) return;
    findings_.report(
        "launch-limit", severity(), &*widest,
        concat(describe(threads), " threads in a block, but ", device_.name, " launches at most ", device_.threads),
        "bind fewer iterations to tx, ty and tz");
  }

  /// The threads of all units; 0 where there are none.
  [[nodiscard]] static Wide lanes_of(const KernelFacts& kernel) {
    Wide lanes = widest_unit(kernel) ? kLanes : 0;
    for (std::size_t i = 0; i < kAxes; ++i) {
      if (is_unit_axis(static_cast<Axis>(i))) lanes = std::min(lanes * kernel.extents[i], kWideLimit);
    }
    return lanes;
  }

  [[nodiscard]] static std::optional<Site> widest_unit(const KernelFacts& kernel) {
    std::optional<std::size_t> widest;
    for (std::size_t i = 0; i < kAxes; ++i) {
      if (!is_unit_axis(static_cast<Axis>(i)) || !kernel.widest[i]) continue;
      if (!widest || kernel.extents[i] > kernel.extents[*widest]) widest = i;
    }
    return widest ? kernel.widest[*widest] : std::nullopt;
  }

  [[nodiscard]] Wide total(const std::vector<std::string>& tensors) const {
    Wide bytes = 0;
    for (const std::string& name : tensors) bytes += bytes_of(table_.tensors.at(name), shapes_.at(name));
    return bytes;
  }

  /// Where a dimension is only a bound, an error would have no witness.
  [[nodiscard]] bool exact(const std::vector<std::string>& tensors) const {
    return std::all_of(tensors.begin(), tensors.end(),
                       [this](const std::string& name) { return shapes_.at(name).exact; });
  }

  [[nodiscard]] const Site& first_write(const std::string& name) const {
    return table_.accesses[table_.tensors.at(name).writes[0]].site;
  }

  void check_shared(const KernelFacts& kernel) {
    if (kernel.shared.empty()) return;
    // Never more than all tensors, their flags, what fills them up, and the cells of reductions: mostly that is enough.
    constexpr Wide kMostCells = 32 * 1024;
    const Wide most = 2 * total(kernel.shared) + 32 * static_cast<Wide>(kernel.shared.size()) + kMostCells;
    if (most <= device_.shared_bytes) return;
    const Wide bytes = shared_layout(table_, shapes_, kernel).bytes;
    if (bytes <= device_.shared_bytes) return;
    const auto largest =
        std::max_element(kernel.shared.begin(), kernel.shared.end(),
                         [this](const std::string& a, const std::string& b) { return total({a}) < total({b}); });
    findings_.report("shared-memory", exact(kernel.shared) ? severity() : Severity::warning, &first_write(*largest),
                     concat(describe(bytes), " bytes of shared memory in a block (",
                            join(kernel.shared, " ", [](const std::string& name) { return name; }), "), but ",
                            device_name(), named_ ? " has " : " has at most ", device_.shared_bytes),
                     "make the tiles smaller");
  }

  void check_local(const KernelFacts& kernel) {
    check_fragments(kernel);
    if (kernel.local.empty()) return;
    if (const Wide bytes = total(kernel.local); bytes > device_.local_bytes) {
      findings_.report("l-spills", Severity::warning, &first_write(kernel.local[0]),
                       concat(describe(bytes), " bytes of l data in a thread, of which ", device_.name,
                              " keeps at most ", device_.local_bytes, " in registers"),
                       "make the tile of a thread smaller");
      return;
    }
    for (const std::string& name : kernel.local) check_subscripts(name);
  }

  void check_fragments(const KernelFacts& kernel) {
    const Wide bytes = (total(kernel.fragments) + kLanes - 1) / kLanes;
    if (bytes <= device_.local_bytes) return;
    findings_.report("l-spills", Severity::warning, &first_write(kernel.fragments[0]),
                     concat(describe(bytes), " bytes of f data in a lane, of which ", device_.name, " keeps at most ",
                            device_.local_bytes, " in registers"),
                     "make the tile of a unit smaller");
  }

  /// Registers cannot be indexed: loops that subscript `l` data are unrolled, within a budget.
  void check_subscripts(const std::string& name) {
    const TensorFacts& tensor = table_.tensors.at(name);
    for (const std::vector<std::size_t>* list : {&tensor.writes, &tensor.reads}) {
      for (const std::size_t number : *list) {
        const Access& access = table_.accesses[number];
        const std::string why = spilling(access);
        if (why.empty()) continue;
        findings_.report(
            "l-spills", Severity::warning, &access.site,
            concat(name, " is subscripted by ", why, ", so ", device_.name, " keeps it in memory, not in registers"),
            "subscript l data by constants and short loops");
        return;
      }
    }
  }

  [[nodiscard]] std::string spilling(const Access& access) const {
    std::set<std::string> used;
    bool data = false;
    for (const Index& subscript : access.ref->subscripts) {
      for_each_variable(subscript, [&used](const std::string& index) { used.insert(index); });
      data = data || reads_tensor(subscript);
    }
    if (data) return "data";
    Wide iterations = 1;
    for (const Loop* loop : table_.statements[access.statement].loops) {
      if (!used.contains(loop->index)) continue;
      if (loop->kind == LoopKind::bound) return concat("the index ", loop->index, " of a bound loop");
      iterations = std::min(iterations * loop->extent, kWideLimit);
    }
    if (iterations <= device_.unrolled_iterations) return {};
    return concat("loops of ", describe(iterations), " iterations, more than the ", device_.unrolled_iterations,
                  " that are unrolled");
  }

  const AccessTable& table_;
  const std::map<std::string, InferredShape>& shapes_;
  const Device& device_;
  bool named_;
  Findings& findings_;
};

}  // namespace

void check_launches(const AccessTable& table, const std::map<std::string, InferredShape>& shapes, const Device* device,
                    Findings& findings) {
  LaunchChecker(table, shapes, device, findings).run();
}

}  // namespace steptp
