#include "steptp/cuda/lower.h"

#include "steptp/base/text.h"
#include "steptp/cuda/host.h"
#include "steptp/cuda/prelude.h"

namespace steptp::cuda {

Result<Lowered, Diagnostic> lower(const Program& program, const LowerOptions& options) {
  const Device& device = options.device ? *options.device : default_device();
  auto arrangement = lowering::arrangement_of(program);
  if (!arrangement) return arrangement.error();
  std::vector<KernelText> kernels;
  std::string body = fill_kernels(*arrangement);
  for (const lowering::ArrangedKernel& kernel : arrangement->kernels) {
    auto made = kernel_text(*arrangement, kernel, device);
    if (!made) return made.error();
    append(body, body.empty() ? "" : "\n", made->text);
    kernels.push_back(std::move(made).value());
  }
  Lowered out;
  append(out.text, "// ", program.name.empty() ? "A program" : program.name,
         ", lowered by steptp. Buffers begin at multiples of 16 bytes and do not overlap.\n");
  // Not every program uses all of what goes together, and not every loop its index.
  append(out.text, "#ifdef __CUDACC__\n#pragma nv_diag_suppress 177, 550\n#endif\n");
  append(body, "\n", entry_point(*arrangement, kernels));
  append(out.text, prelude_for(body), "\n", body);
  if (options.main) append(out.text, "\n", main_function(*arrangement));
  out.launches = launch_list(*arrangement, kernels);
  out.fills = fill_launches(*arrangement);
  out.workspace = workspace_of(*arrangement);
  out.kernels = std::move(kernels);
  out.arrangement = std::move(arrangement).value();
  return out;
}

}  // namespace steptp::cuda
