#include "steptp/cuda/host.h"

#include "steptp/cuda/spelling.h"
#include "steptp/cuda/writer.h"
#include "steptp/lowering/own_sums.h"

namespace steptp::cuda {

using lowering::Buffer;
using lowering::Node;

namespace {

constexpr std::int64_t kAlignment = 256;
constexpr std::int64_t kFillThreads = 256;
constexpr std::int64_t kFillBlocks = 4096;

std::int64_t fill_blocks(const Buffer& buffer) {
  return std::min(kFillBlocks, (buffer.elements + kFillThreads - 1) / kFillThreads);
}

std::string triple(const std::array<std::int64_t, 3>& values) {
  return concat("dim3(", join(values, ", ", [](std::int64_t value) { return std::to_string(value); }), ")");
}

Json triple_json(const std::array<std::int64_t, 3>& values) {
  Json::Array out;
  for (const std::int64_t value : values) out.emplace_back(value);
  return out;
}

/// Writes the loops, guards and launches of the host.
class HostWriter {
 public:
  HostWriter(const lowering::Arrangement& arrangement, const std::vector<KernelText>& kernels, Writer& out)
      : arrangement_(arrangement), kernels_(kernels), out_(out), speller_(arrangement) {}

  void steps(const std::vector<Node>& nodes) {
    for (const Node& node : nodes) {
      switch (node.kind) {
        case Node::Kind::loop: {
          const std::string name = variable_name(node.loop.index);
          out_.open("for (int ", name, " = 0; ", name, " < ", node.loop.extent, "; ++", name, ")");
          speller_.open(node.loop);
          steps(node.body);
          speller_.close();
          out_.close();
          break;
        }
        case Node::Kind::guard:
          out_.open("if (", speller_.value(*node.condition), ")");
          steps(node.body);
          out_.close();
          break;
        case Node::Kind::launch: launch(arrangement_.kernels[node.kernel], kernels_[node.kernel]); break;
        case Node::Kind::store: break;
      }
    }
  }

 private:
  void launch(const lowering::ArrangedKernel& kernel, const KernelText& text) {
    std::string arguments;
    for (const std::string& name : kernel.globals) append(arguments, ", ", name);
    for (const Loop& loop : kernel.host_loops) append(arguments, ", ", variable_name(loop.index));
    for (const Axis axis : text.launched_in_turn) {
      const std::string name = concat("stp_", name_of(axis));
      append(arguments, ", ", name);
      out_.open("for (int ", name, " = 0; ", name, " < ", kernel.extents[static_cast<std::size_t>(axis)], "; ++", name,
                ")");
    }
    if (text.dynamic_shared_bytes > 0) {
      out_.line("cudaFuncSetAttribute(", kernel.name, ", cudaFuncAttributeMaxDynamicSharedMemorySize, ",
                text.dynamic_shared_bytes, ");");
    }
    out_.line("STP_LAUNCH(", kernel.name, ", ", triple(text.grid), ", ", triple(text.block), ", ",
              text.dynamic_shared_bytes, ", stream", arguments, ");");
    for (std::size_t i = 0; i < text.launched_in_turn.size(); ++i) out_.close();
  }

  const lowering::Arrangement& arrangement_;
  const std::vector<KernelText>& kernels_;
  Writer& out_;
  Speller speller_;
};

Json steps_json(const lowering::Arrangement& arrangement, const std::vector<Node>& nodes, Speller& speller) {
  Json::Array out;
  for (const Node& node : nodes) {
    Json step;
    switch (node.kind) {
      case Node::Kind::loop:
        speller.open(node.loop);
        step.set("loop", node.loop.index).set("extent", node.loop.extent);
        step.set("body", steps_json(arrangement, node.body, speller));
        speller.close();
        break;
      case Node::Kind::guard:
        step.set("if", speller.value(*node.condition)).set("body", steps_json(arrangement, node.body, speller));
        break;
      case Node::Kind::launch: step.set("launch", arrangement.kernels[node.kernel].name); break;
      case Node::Kind::store: break;
    }
    out.push_back(std::move(step));
  }
  return out;
}

}  // namespace

Workspace workspace_of(const lowering::Arrangement& arrangement) {
  Workspace out;
  for (const auto& [name, buffer] : arrangement.buffers) {
    if (!buffer.is_workspace()) continue;
    out.offsets.emplace_back(name, out.bytes);
    out.bytes += (buffer.bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  return out;
}

std::string fill_kernels(const lowering::Arrangement& arrangement) {
  Writer out;
  Speller speller(arrangement);
  for (const auto& [name, buffer] : arrangement.buffers) {
    if (!lowering::needs_fill(arrangement, buffer)) continue;
    out.open("extern \"C\" __global__ void __launch_bounds__(", kFillThreads, ") fill_", name, "(",
             memory_type(buffer.dtype), "* __restrict__ ", name, ")");
    out.line("for (long long stp_i = blockIdx.x * ", kFillThreads, "LL + threadIdx.x; stp_i < ", buffer.elements,
             "LL; stp_i += gridDim.x * ", kFillThreads, "LL) ", name, "[stp_i] = ", speller.value(*buffer.initial),
             ";");
    out.close();
  }
  return out.text();
}

std::vector<FillLaunch> fill_launches(const lowering::Arrangement& arrangement) {
  std::vector<FillLaunch> out;
  for (const auto& [name, buffer] : arrangement.buffers) {
    if (lowering::needs_fill(arrangement, buffer))
      out.push_back({"fill_" + name, name, fill_blocks(buffer), kFillThreads});
  }
  return out;
}

std::string entry_point(const lowering::Arrangement& arrangement, const std::vector<KernelText>& kernels) {
  const Workspace workspace = workspace_of(arrangement);
  Writer out;
  out.line("#ifndef __CUDACC_RTC__");
  out.line("#include <cuda_runtime.h>");
  out.line("#include <stddef.h>");
  out.line("#ifndef STP_LAUNCH");
  out.line("#define STP_LAUNCH(kernel, grid, block, shared, stream, ...) \\");
  out.line("  kernel<<<grid, block, shared, stream>>>(__VA_ARGS__)");
  out.line("#endif");
  out.line("/// The bytes of device memory that steptp_launch needs for itself.");
  out.line("extern \"C\" size_t steptp_workspace_bytes(void) { return ", workspace.bytes, "; }");
  out.line("/// Launches the program. `variables`: device pointers in the order of the signature (",
           join(arrangement.program->signature.variables, " ", [](const Variable& variable) { return variable.name; }),
           ").");
  out.line("/// Answers with the first error of a launch, or 0.");
  out.open("extern \"C\" int steptp_launch(void* const* variables, void* workspace, void* stream_handle)");
  out.line("cudaStream_t stream = (cudaStream_t)stream_handle;");
  out.line("(void)workspace;");
  std::size_t number = 0;
  for (const Variable& variable : arrangement.program->signature.variables) {
    const std::string_view type = memory_type(variable.dtype);
    const char* constant = variable.role == Role::output ? "" : "const ";
    out.line(constant, type, "* ", variable.name, " = (", constant, type, "*)variables[", number++, "];");
    out.line("(void)", variable.name, ";");
  }
  for (const auto& [name, offset] : workspace.offsets) {
    const std::string_view type = memory_type(arrangement.buffers.at(name).dtype);
    out.line(type, "* ", name, " = (", type, "*)((char*)workspace + ", offset, ");");
  }
  for (const FillLaunch& fill : fill_launches(arrangement)) {
    out.line("STP_LAUNCH(", fill.kernel, ", dim3(", fill.blocks, "), dim3(", fill.threads, "), 0, stream, ",
             fill.buffer, ");");
  }
  HostWriter(arrangement, kernels, out).steps(arrangement.host);
  out.line("return (int)cudaGetLastError();");
  out.close();
  out.line("#endif");
  return out.text();
}

Json launch_list(const lowering::Arrangement& arrangement, const std::vector<KernelText>& kernels) {
  Json out;
  const Workspace workspace = workspace_of(arrangement);
  Json::Array buffers;
  for (const auto& [name, offset] : workspace.offsets) {
    const Buffer& buffer = arrangement.buffers.at(name);
    Json entry;
    entry.set("name", name).set("dtype", info(buffer.dtype).torch_name);
    buffers.push_back(entry.set("offset", offset).set("bytes", buffer.bytes));
  }
  Json::Array fills;
  for (const FillLaunch& fill : fill_launches(arrangement)) {
    Json entry;
    fills.push_back(entry.set("kernel", fill.kernel).set("blocks", fill.blocks).set("threads", fill.threads));
  }
  Json::Array list;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const lowering::ArrangedKernel& arranged = arrangement.kernels[i];
    Json::Array parameters;
    for (const std::string& name : arranged.globals) parameters.emplace_back(name);
    Json::Array host_loops;
    for (const Loop& loop : arranged.host_loops) host_loops.emplace_back(loop.index);
    Json::Array in_turn;
    for (const Axis axis : kernels[i].launched_in_turn) in_turn.emplace_back(name_of(axis));
    Json entry;
    entry.set("name", arranged.name).set("grid", triple_json(kernels[i].grid));
    entry.set("block", triple_json(kernels[i].block)).set("static_shared_bytes", kernels[i].static_shared_bytes);
    entry.set("dynamic_shared_bytes", kernels[i].dynamic_shared_bytes).set("buffers", std::move(parameters));
    list.push_back(entry.set("host_loops", std::move(host_loops)).set("in_turn", std::move(in_turn)));
  }
  Speller speller(arrangement);
  out.set("workspace_bytes", workspace.bytes).set("workspace", std::move(buffers)).set("fills", std::move(fills));
  return out.set("kernels", std::move(list)).set("steps", steps_json(arrangement, arrangement.host, speller));
}

}  // namespace steptp::cuda
