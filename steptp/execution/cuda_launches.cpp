#include "steptp/execution/cuda_launches.h"

#include "steptp/base/text.h"

namespace steptp {

std::optional<ExecutionFailure> CudaLaunches::launch_all(std::map<std::string, cuda_api::Pointer>& pointers) {
  pointers_ = &pointers;
  launches_ = 0;
  failure_.reset();
  for (std::size_t i = 0; i < program_.fills_.size() && !failure_; ++i) {
    const cuda::FillLaunch& fill = program_.lowered_.fills[i];
    void* parameters[] = {&pointers.at(fill.buffer)};
    launch(program_.fills_[i], fill.kernel, {fill.blocks, 1, 1}, {fill.threads, 1, 1}, 0, parameters);
  }
  const auto kernel = [&](std::size_t number) {
    launch_kernel(number);
    return !failure_;
  };
  if (!failure_) (void)host_.run(program_.lowered_.arrangement.host, kernel);
  return failure_;
}

void CudaLaunches::launch(cuda_api::Function* function, const std::string& name,
                          const std::array<std::int64_t, 3>& grid, const std::array<std::int64_t, 3>& block,
                          std::int64_t shared_bytes, void** parameters) {
  if (most_ && ++launches_ > *most_) {
    if (!failure_) {
      failure_ = ExecutionFailure{std::nullopt,
                                  make_error("device-limit", concat("a CUDA graph of more than ", *most_, " launches"),
                                             "measure this program without --graph")};
    }
    return;
  }
  const auto u = [](std::int64_t value) { return static_cast<unsigned>(value); };
  const auto launched = device_.driver().launch(function, u(grid[0]), u(grid[1]), u(grid[2]), u(block[0]), u(block[1]),
                                                u(block[2]), u(shared_bytes), stream_, parameters, nullptr);
  if (!failure_ && launched != 0) failure_ = device_.check(launched, concat("cannot launch ", name));
}

void CudaLaunches::launch_kernel(std::size_t number) {
  const lowering::ArrangedKernel& arrangement = program_.lowered_.arrangement.kernels[number];
  const cuda::KernelText& kernel = program_.lowered_.kernels[number];
  std::vector<int> turns(kernel.launched_in_turn.size(), 0);
  std::vector<void*> parameters;
  for (const std::string& name : arrangement.globals) parameters.push_back(&pointers_->at(name));
  for (std::size_t i = 0; i < arrangement.host_loops.size(); ++i) parameters.push_back(&host_.loops()[i]);
  for (int& turn : turns) parameters.push_back(&turn);
  // Axes along which blocks accumulate into one element: one launch after another, the last axis fastest.
  for (;;) {
    launch(program_.kernels_[number], arrangement.name, kernel.grid, kernel.block, kernel.dynamic_shared_bytes,
           parameters.data());
    std::size_t axis = turns.size();
    for (; axis-- > 0;) {
      const auto extent = arrangement.extents[static_cast<std::size_t>(kernel.launched_in_turn[axis])];
      if (++turns[axis] < extent) break;
      turns[axis] = 0;
    }
    if (axis == static_cast<std::size_t>(-1) || failure_) return;
  }
}

}  // namespace steptp
