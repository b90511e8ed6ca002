#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "steptp/oracle/machine.h"

namespace steptp {

/// Half-open: [low, high).
using IndexRanges = std::map<std::string, std::pair<std::int64_t, std::int64_t>>;

/// Data for the inputs, constants and parameters of a signature. Each element is a function of (seed, name, position),
/// so it is the same on every machine and does not change with the other tensors. Floats are multiples of 2^-24 in
/// [-1, 1), rounded to the dtype; integers lie in [-8, 8], u8 in [0, 16]; a bool is a fair coin. Domains are honoured
/// after rounding: positive is (0, 1]. `ranges` is for integer tensors without a domain, where they are used as an
/// index. A constant with given values has those. Traps: `memory`, and `input_mismatch` for a domain or a range
/// without a value of the dtype and for values that do not fill the shape.
[[nodiscard]] Result<Tensors, Trap> make_inputs(const Signature& signature, std::uint64_t seed,
                                                const IndexRanges& ranges = {},
                                                std::uint64_t memory = std::uint64_t{8} << 30);

/// The values that a signature gives, as a tensor.
[[nodiscard]] Result<Tensor, Trap> constant_tensor(const Variable& variable);

}  // namespace steptp
