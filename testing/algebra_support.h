#pragma once

// What the properties of the algebra layer are tested on: expressions over reads of a few vectors.

#include <string>

#include "steptp/ir/program.h"
#include "steptp/text/printer.h"

namespace steptp::testing {

inline ExprPtr read_of(char tensor) {
  return read_expr(make_ref(std::string(1, tensor), DType::f32, Scope::global, {Index::variable("tx")}));
}

/// As the right side of an equation.
inline std::string text_of(const ExprPtr& expr) {
  Program program;
  program.nests = {make_nest({{LoopKind::bound, 8, "tx"}}, nullptr,
                             {make_equation(make_ref("E", DType::f32, Scope::global, {Index::variable("tx")}), expr)})};
  return print(program);
}

}  // namespace steptp::testing
