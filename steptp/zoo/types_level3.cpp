#include <array>

#include "steptp/zoo/type_table.h"

namespace steptp::zoo {

namespace {

// clang-format off
constexpr std::array kRows = {
    TypeRow{3, 0, "Mamba2", "batch_size=4 [1,64); chunks=4 [1,16); block_len=16 [4,64); n_heads=4 [1,16); d_head=16 [4,64); d_state=8 [4,64)"},
};
// clang-format on

}  // namespace

std::span<const TypeRow> level3_types() { return kRows; }

}  // namespace steptp::zoo
