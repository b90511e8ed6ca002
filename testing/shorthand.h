#pragma once

#include <map>
#include <string>
#include <string_view>

#include "steptp/ir/program.h"

namespace steptp::testing {

/// LEIR as tests write it by the dozen, expanded to the paper profile:
///   B(tx,8)L(a,$N)      loops                         B^{8}_{tx=0}L^{64}_{a=0}
///   A[tx,a+1] S[]       the dtype of `T`, global      A^{f32,g}_{tx,a+1} S^{f32,g}
///   E:l[a] I:i64[tx] F:f16,s[]                        another scope, another dtype, both
///   $N                  a value given by name: a capital, with the longest name that is given
/// Lines that start with @ (a signature) only have their $ names replaced.
using ShorthandValues = std::map<std::string, std::string>;
[[nodiscard]] std::string expand_shorthand(std::string_view text, const ShorthandValues& values);

/// Only the $ names replaced: for texts in the compact profile.
[[nodiscard]] std::string replace_names(std::string_view text, const ShorthandValues& values);

/// The program of an expanded text; one that cannot be read stops the test program, because the test is wrong.
[[nodiscard]] Program shorthand_program(std::string_view text, const ShorthandValues& values);

}  // namespace steptp::testing
