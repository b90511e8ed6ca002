// One __global__ function: its launch dimensions, its shared memory (static up to 48 KiB, dynamic beyond), its
// parameters, and the start values of scoped accumulators; the body is body.cpp. What the device cannot launch is
// refused with the numbers.
#include "steptp/cuda/kernel.h"

#include <algorithm>
#include <utility>

#include "steptp/cuda/body.h"
#include "steptp/lowering/collectives.h"
#include "steptp/lowering/units.h"

namespace steptp::cuda {

namespace {

/// Beyond this, shared memory is dynamic and asked for.
constexpr std::int64_t kStaticSharedBytes = std::int64_t{48} * 1024;

class KernelWriter {
 public:
  KernelWriter(const lowering::Arrangement& arrangement, const lowering::ArrangedKernel& kernel, const Device& device)
      : arrangement_(arrangement), kernel_(kernel), device_(device), speller_(arrangement) {}

  Result<KernelText, Diagnostic> run() {
    made_.launched_in_turn = lowering::axes_in_turn(arrangement_, kernel_);
    set_launch();
    for (const std::size_t statement : kernel_.statements) {
      for (const Loop* loop : arrangement_.table.statements[statement].loops) {
        if (loop->extent > INT32_MAX)
          fail(concat(loop->extent, " iterations are not counted in an int"), "split the loop");
      }
    }
    if (problem_) return *std::move(problem_);
    auto fragments = Fragments::of(arrangement_, kernel_);
    if (!fragments) return fragments.error();
    Body body(arrangement_, kernel_, device_, made_.launched_in_turn, *fragments);
    body.write();
    if (body.problem()) return *body.problem();
    set_shared();
    if (problem_) return *std::move(problem_);
    write_head();
    if (lowering::has_units(arrangement_, kernel_)) {
      head_.line("const int stp_lane = (int)threadIdx.x % ", lowering::kUnitLanes, ";");
    }
    fragments->declare(arrangement_, speller_, head_);
    write_local();
    if (!kernel_.layout.places.empty()) {
      write_shared(body.has_cells(), body.runs_ahead());
      write_identities();
    }
    made_.text = head_.text() + indented(body.text()) + "}\n";
    return std::move(made_);
  }

 private:
  void fail(std::string message, std::string hint) {
    if (!problem_) problem_ = lowering::cannot_lower(std::move(message), kernel_.site, std::move(hint));
  }

  void set_launch() {
    std::int64_t threads = 1;
    made_.block = lowering::block_of(arrangement_, kernel_);
    for (std::size_t i = 0; i < 3; ++i) {
      const auto axis = static_cast<Axis>(i);
      const auto& turns = made_.launched_in_turn;
      const bool turn = std::find(turns.begin(), turns.end(), axis) != turns.end();
      made_.grid[i] = turn ? 1 : kernel_.extents[i];
      if (made_.grid[i] > device_.grid[i]) {
        fail(concat(made_.grid[i], " blocks along ", name_of(axis), ", but ", device_.name, " launches at most ",
                    device_.grid[i]),
             "split the loop, or bind it to bx");
      }
      if (made_.block[i] > device_.block[i]) {
        fail(concat(made_.block[i], " threads along ", name_of(static_cast<Axis>(i + 3)), ", but ", device_.name,
                    " launches at most ", device_.block[i]),
             "split the loop and bind the outer part to a block axis");
        return;
      }
      threads *= made_.block[i];
    }
    if (threads > device_.threads) {
      fail(concat(threads, " threads in a block, but ", device_.name, " launches at most ", device_.threads),
           "bind fewer iterations to tx, ty and tz");
    }
  }

  void set_shared() {
    const auto bytes = static_cast<std::int64_t>(std::min<Wide>(kernel_.layout.bytes, INT64_MAX));
    if (bytes > device_.shared_bytes) {
      return fail(
          concat(bytes, " bytes of shared memory in a block, but ", device_.name, " has ", device_.shared_bytes),
          "make the tiles smaller");
    }
    (bytes > kStaticSharedBytes ? made_.dynamic_shared_bytes : made_.static_shared_bytes) = bytes;
  }

  /// Whether a tensor that the kernel writes is read on one way of a condition only. Compilers merge such a read with
  /// one of a read-only tensor on the other way into a single load from either address, and take the cache of read-only
  /// data for it, which does not see what was written (nvcc 13.0, sm_90). Then nothing is promised of any tensor.
  [[nodiscard]] bool reads_written_data_conditionally() const {
    return std::any_of(
        arrangement_.table.accesses.begin(), arrangement_.table.accesses.end(), [this](const Access& access) {
          const auto& statements = kernel_.statements;
          if (access.is_write || !std::binary_search(statements.begin(), statements.end(), access.statement))
            return false;
          if (!std::binary_search(kernel_.written.begin(), kernel_.written.end(), access.ref->tensor)) return false;
          const Statement& statement = arrangement_.table.statements[access.statement];
          return !access.conditions.empty() || !statement.guards.empty() || leaves_threads_out(statement);
        });
  }

  [[nodiscard]] bool leaves_threads_out(const Statement& statement) const {
    for (std::size_t axis = 0; axis < made_.block.size(); ++axis) {
      std::int64_t used = 1;
      for (const Loop* loop : statement.loops) {
        if (loop->kind == LoopKind::bound && axis_of(loop->index) == static_cast<Axis>(axis + 3)) used *= loop->extent;
      }
      if (used != made_.block[axis]) return true;
    }
    return false;
  }

  void write_head() {
    const bool may_promise = !reads_written_data_conditionally();
    std::int64_t threads = 1;
    for (const std::int64_t extent : made_.block) threads *= extent;
    std::vector<std::string> parameters;
    for (const std::string& name : kernel_.globals) {
      const bool written = std::binary_search(kernel_.written.begin(), kernel_.written.end(), name);
      // What other threads write is read behind a barrier: nothing may be promised of it.
      const std::string type(memory_type(arrangement_.buffers.at(name).dtype));
      const bool promised = !written && may_promise;
      parameters.push_back(concat(written ? "" : "const ", type, promised ? "* __restrict__ " : "* ", name));
    }
    for (const Loop& loop : kernel_.host_loops) parameters.push_back(concat("int ", variable_name(loop.index)));
    for (const Axis axis : made_.launched_in_turn) parameters.push_back(concat("int stp_", name_of(axis)));
    head_.open("extern \"C\" __global__ void __launch_bounds__(", threads, ") ", kernel_.name, "(",
               join(parameters, ", ", [](const std::string& text) { return text; }), ")");
  }

  void write_local() {
    for (const std::string& name : kernel_.local) {
      const lowering::Buffer& buffer = arrangement_.buffers.at(name);
      head_.line(memory_type(buffer.dtype), " ", name, "[", buffer.elements, "];");
      if (!buffer.initial) continue;
      if (buffer.elements <= device_.unrolled_iterations) head_.line("#pragma unroll");
      head_.line("for (int stp_i = 0; stp_i < ", buffer.elements, "; ++stp_i) ", name,
                 "[stp_i] = ", speller_.value(*buffer.initial), ";");
    }
  }

  /// One array, where bytes belong to several tensors or there are too many for static ones; otherwise an array each.
  void write_shared(bool has_cells, const std::set<std::string>& runs_ahead) {
    const SharedLayout& layout = kernel_.layout;
    const bool is_dynamic = made_.dynamic_shared_bytes > 0;
    const bool is_one = is_dynamic || layout.is_shared;
    // Groups of units find the rows of their factors by the bits of addresses.
    const int alignment = group_products(arrangement_, kernel_).empty() ? 16 : 1024;
    if (is_dynamic) {
      head_.line("extern __shared__ __align__(", alignment, ") unsigned char stp_shared[];");
    } else if (is_one) {
      head_.line("__shared__ __align__(", alignment, ") unsigned char stp_shared[", made_.static_shared_bytes, "];");
    }
    for (const auto& [name, place] : layout.places) {
      const bool is_cells = name == kReductionCells;
      if (is_cells && !has_cells) continue;
      const auto facts = arrangement_.table.tensors.find(name);
      if (facts != arrangement_.table.tensors.end() && facts->second.scope.depth > 1 && !runs_ahead.contains(name)) {
        head_.line("// ", name, " has room for ", static_cast<int>(facts->second.scope.depth),
                   " rounds, but its copies do not run ahead: it is used as in s.");
      }
      const std::string_view type = is_cells ? "unsigned char" : memory_type(arrangement_.buffers.at(name).dtype);
      if (is_one) {
        head_.line(type, "* const ", name, " = (", type, "*)(stp_shared + ", static_cast<std::int64_t>(place.offset),
                   ");");
      } else {
        const std::int64_t count =
            is_cells ? static_cast<std::int64_t>(place.bytes)
                     : static_cast<std::int64_t>(place.bytes) / info(arrangement_.buffers.at(name).dtype).bytes;
        head_.line("__shared__ __align__(", alignment, ") ", type, " ", name, "[", count, "];");
      }
    }
  }

  /// What is read as an identity lies there when the block starts.
  void write_identities() {
    const std::string threads = concat(made_.block[0] * made_.block[1] * made_.block[2]);
    const std::string thread = concat("(int)threadIdx.x + (int)threadIdx.y * ", made_.block[0],
                                      " + (int)threadIdx.z * ", made_.block[0] * made_.block[1]);
    bool is_filled = false;
    for (const auto& [name, place] : kernel_.layout.places) {
      if (!place.is_filled) continue;
      is_filled = true;
      const lowering::Buffer& buffer = arrangement_.buffers.at(name);
      head_.line("for (int stp_i = ", thread, "; stp_i < ", buffer.elements, "; stp_i += ", threads, ") ", name,
                 "[stp_i] = ", speller_.value(*buffer.initial), ";");
    }
    if (is_filled) head_.line("__syncthreads();");
  }

  static std::string indented(const std::string& text) {
    std::string out;
    std::size_t at = 0;
    while (at < text.size()) {
      const std::size_t end = text.find('\n', at);
      const bool directive = text.find('#', at) == text.find_first_not_of(' ', at);
      append(out, directive ? "" : "  ", std::string_view(text).substr(at, end + 1 - at));
      at = end + 1;
    }
    return out;
  }

  const lowering::Arrangement& arrangement_;
  const lowering::ArrangedKernel& kernel_;
  const Device& device_;
  Speller speller_;
  Writer head_;
  KernelText made_;
  std::optional<Diagnostic> problem_;
};

}  // namespace

Result<KernelText, Diagnostic> kernel_text(const lowering::Arrangement& arrangement,
                                           const lowering::ArrangedKernel& kernel, const Device& device) {
  return KernelWriter(arrangement, kernel, device).run();
}

}  // namespace steptp::cuda
