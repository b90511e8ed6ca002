#include "steptp/moves/tile_sizes.h"

#include "steptp/analysis/device.h"
#include "steptp/base/text.h"

namespace steptp {

namespace {

constexpr std::int64_t kLargest = 1 << 12;  ///< of each size: products of some stay small

}  // namespace

std::int64_t tile_registers(std::int64_t sum_bytes, std::int64_t rows, std::int64_t columns) {
  return (rows * columns + rows + columns) * sum_bytes / 4;
}

std::optional<Refusal> refuse_tile_sizes(const Site& site, const TileBytes& bytes, const TileSizes& sizes) {
  const auto is_size = [](std::int64_t size) { return size >= 1 && size <= kLargest; };
  const bool are_sizes = is_size(sizes.thread_rows) && is_size(sizes.thread_columns) && is_size(sizes.rows) &&
                         is_size(sizes.columns) && is_size(sizes.depth) && is_size(sizes.vector) &&
                         sizes.padding >= 0 && sizes.padding <= kLargest;
  if (!are_sizes || (sizes.vector & (sizes.vector - 1)) != 0 || sizes.columns % sizes.vector != 0) {
    return Refusal{
        &kTileSizes,
        site,
        "sizes from 1 to 4096, padding from 0 to 4096, and a vector of 1, 2, 4, ... columns that divides them",
        {}};
  }
  const Device& device = default_device();
  const std::int64_t threads = sizes.thread_rows * sizes.thread_columns;
  if (threads > device.threads) {
    return Refusal{&kTileThreads, site, concat(threads, " threads; ", device.name, " has ", device.threads), {}};
  }
  const std::int64_t shared = (sizes.thread_rows * sizes.rows + sizes.padding) * sizes.depth * bytes.left +
                              (sizes.thread_columns * sizes.columns + sizes.padding) * sizes.depth * bytes.right;
  if (shared > device.shared_bytes) {
    return Refusal{&kTileShared, site, concat(shared, " bytes; ", device.name, " has ", device.shared_bytes), {}};
  }
  const std::int64_t registers = tile_registers(bytes.sum, sizes.rows, sizes.columns);
  if (registers > kMostTileRegisters || registers * threads > device.registers) {
    return Refusal{&kTileRegisters, site, concat(registers, " registers in each of ", threads, " threads"), {}};
  }
  return std::nullopt;
}

}  // namespace steptp
