#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/graph/graph.h"

namespace steptp::zoo {

/// One argument of a program type: a default, and what draws choose from.
struct ArgumentRange {
  std::string name;
  double fallback = 0;
  bool is_integer = true;
  double low = 0;  ///< [low, high), where there are no choices
  double high = 0;
  std::vector<double> choices;
};

/// Arguments by name. Integers and reals alike; a type knows which of them are integers.
using Arguments = std::map<std::string, double>;

class Maker;
using Build = std::vector<graph::Value> (*)(Maker& maker);

struct ProgramType {
  int level = 0;
  int number = 0;
  std::string name;
  std::string family;
  std::string ranges;  ///< as in the table
  std::vector<ArgumentRange> arguments;
  Build build = nullptr;
};

/// All types, by level and number.
[[nodiscard]] const std::vector<ProgramType>& all_types();
[[nodiscard]] const ProgramType* find_type(std::string_view name);

/// The arguments of a type with the given ones in the place of defaults. Diagnostic `zoo-argument`: an unknown name, or
/// a number that is none for it. Ranges bind draws only.
[[nodiscard]] Result<Arguments, Diagnostic> complete(const ProgramType& type, const Arguments& given);

/// The graph of a type. Diagnostic `zoo-arguments`: these arguments do not fit together.
[[nodiscard]] Result<graph::Graph, Diagnostic> build(const ProgramType& type, const Arguments& arguments, DType dtype);

}  // namespace steptp::zoo
