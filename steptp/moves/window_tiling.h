#pragma once

// The steps that make tiles of an expression with windows: the convolution as a matrix product, and tiles with a halo.

#include "steptp/moves/builder.h"
#include "steptp/moves/tiling.h"
#include "steptp/moves/window_match.h"

namespace steptp {

/// Rows are output channels and columns pixels. With `is_direct` each thread reads the image by itself, and only the
/// weights are staged. False where a step was refused.
bool make_window_product(MoveBuilder& builder, const WindowProduct& product, const TileSizes& sizes, bool is_direct);

/// The same product by matrix instructions: threads are units, and rows and columns those of a unit. So many rounds may
/// be in flight.
bool make_window_units(MoveBuilder& builder, const WindowProduct& product, const TileSizes& sizes,
                       std::int64_t buffers);

/// Rows and columns are the last two axes of the result, and each thread makes so many output channels of them. With
/// `is_direct` nothing is staged.
bool make_window_halo(MoveBuilder& builder, const WindowHalo& halo, const TileSizes& sizes, std::int64_t channels,
                      bool is_direct);

}  // namespace steptp
