#pragma once

#include <optional>
#include <string>

#include "steptp/certify/certify.h"
#include "steptp/ir/program.h"

namespace steptp {

/// Two programs that differ, with extents that a person can follow, where they differ as well: certified, and seen in a
/// run of the oracle in the declared types.
struct Illustration {
  Program before;
  Program after;
  certify::Counterexample example;
  std::string before_run;  ///< the element as the oracle computes it
  std::string after_run;
};

/// Nothing where extents are small already, where programs with other extents do not check or are equal, or where the
/// difference does not show in the declared types. It proves nothing about the programs it illustrates.
[[nodiscard]] std::optional<Illustration> illustrate(const Program& before, const Program& after);

}  // namespace steptp
