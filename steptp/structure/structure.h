#pragma once

#include "steptp/base/diagnostic.h"
#include "steptp/ir/program.h"

namespace steptp {

/// Everything about a program that can be seen without asking which elements are touched: names, ranks, types, scopes,
/// loops, guards. Each diagnostic carries the address of the part it speaks of. The ids are in structure/catalogue.cpp.
/// A program without errors here is one that the oracle can execute and the analyses can look at.
[[nodiscard]] Diagnostics check_structure(const Program& program);

}  // namespace steptp
