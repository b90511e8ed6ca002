#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "steptp/ir/program.h"

namespace steptp::testing {

/// What rule R10 of docs/language.md says about a small program, by enumeration: every access of every
/// iteration is written down, and every two that touch one element are held against the text of the rules. It shares
/// no code with the checker. Tensors in `s` or `l` that several kernels touch are taken as written: demote them first.
struct RaceReport {
  bool decided = true;              ///< false: a subscript or a condition depends on data that only a run would know
  std::set<std::string> races;      ///< tensors
  std::set<std::string> redundant;  ///< tensors that some loop writes with the same value in every iteration
};

/// `seed` draws the values of integer inputs, within their domains, and of conditions on data.
[[nodiscard]] RaceReport detect_races(const Program& program, std::uint64_t seed);

}  // namespace steptp::testing
