#include "steptp/tir/names.h"

#include <algorithm>
#include <array>

namespace steptp::tir {

const Names& names_of(Dialect dialect) {
  static constexpr Names kPublished = {"tir", "@T.prim_func", "tir.noalias", "T.block", "T.alloc_buffer"};
  static constexpr Names kCurrent = {"tirx", "@T.prim_func(s_tir=True)", "tirx.noalias", "T.sblock",
                                     "T.sblock_alloc_buffer"};
  switch (dialect) {
    case Dialect::tvm_0_21: return kPublished;
    case Dialect::tvm_0_27: return kCurrent;
  }
  return kCurrent;
}

std::string_view type_name(DType dtype) { return dtype == DType::boolean ? "bool" : info(dtype).torch_name; }

std::string loop_name(const std::string& index) {
  // Those that can be made of the letters of indices.
  constexpr std::array<std::string_view, 6> kKeywords = {"for", "if", "in", "is", "or", "and"};
  const bool taken = std::find(kKeywords.begin(), kKeywords.end(), index) != kKeywords.end();
  return taken ? index + "_" : index;
}

std::string axis_name(const std::string& index) { return "v_" + index; }

}  // namespace steptp::tir
