#include "steptp/dataset/lowered.h"

#include "steptp/tir/lower.h"

namespace steptp::dataset {

Result<std::string, Diagnostic> tir_text_of(const Program& program) {
  auto text = tir::lower(program, tir::Dialect::tvm_0_21, tir::Target::cuda);
  return text ? text : tir::lower(program, tir::Dialect::tvm_0_21, tir::Target::cpu);
}

}  // namespace steptp::dataset
